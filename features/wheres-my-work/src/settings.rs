//! Settings of this feature.

use kit::setting::toggle;

kit::settings! {
    /// Adds Where's my work: branches in work, in review, stranded, turned down, or landed.
    wheresMyWorkEnabled: bool = toggle(true);
}
