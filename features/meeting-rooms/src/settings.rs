//! The setting of this feature.

use kit::setting::toggle;

kit::settings! {
    /// Adds meeting rooms to the sidebar and their palette on Ctrl+Shift+Z. When off, saved rooms stay.
    meetingRoomsEnabled: bool = toggle(false);
}
