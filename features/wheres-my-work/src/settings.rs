//! Settings of this feature.

use kit::setting::toggle;

kit::settings! {
    /// Adds a page that sorts branches into landed, waiting on review, turned down, and stranded.
    wheresMyWorkEnabled: bool = toggle(true);
}
