//! The setting of this feature.

use kit::setting::toggle;

kit::settings! {
    /// Adds meeting rooms to the sidebar, and their palette on Ctrl+Shift+Z (Cmd+Shift+Z on macOS). When off, saved rooms stay.
    meetingRoomsEnabled: bool = toggle(false);
}
