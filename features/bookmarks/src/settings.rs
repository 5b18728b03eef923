//! Settings of bookmarks.

use kit::setting::toggle;

kit::settings! {
    /// Shows a bookmarks button in the toolbar. When off, bookmarks stay.
    showBookmarksInToolbar: bool = toggle(false).stated();
    /// Lets agents and scripts list, add, change, remove, reorder, and open bookmarks through the control server.
    bookmarksCliEnabled: bool = toggle(true).stated();
}
