//! The setting that boards obey.

use kit::setting::toggle;

kit::settings! {
    "Sessions & Agents" / "prompts and presentation" {
        /// Shows the project boards in the navigation: boards with groups, items and views. Off hides them and keeps their data.
        projectBoardsEnabled: bool = toggle(true);
    }
}
