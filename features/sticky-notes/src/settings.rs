//! Settings of this feature.

use kit::setting::toggle;

kit::settings! {
    /// Adds sticky notes: small windows above all others, which stay where you put them.
    stickyNotesEnabled: bool = toggle(false);
}
