//! Colors and fills of charts. The page uses these tables too (`ui/src/gen/looks.ts`), so that published charts look
//! the same.

use super::words::constant;
use std::fmt::Write as _;

/// Colors of series that have none of their own, such as boards; distinct on light and dark.
pub(super) const COLORS: [&str; 8] =
    ["#5b72d6", "#d98324", "#2f9e77", "#c2559b", "#7f8ba3", "#a8912b", "#4aa3c7", "#b5543f"];
/// Color of work completed in a sprint.
pub(super) const COMPLETED: &str = "#2f9e77";
/// The lines of a burndown.
pub(super) const REMAINING: &str = "#5b72d6";
pub(super) const SCOPE: &str = "#d98324";
pub(super) const IDEAL: &str = "#7f8ba3";
/// Planned and unplanned work: the engine's key, label, color, and fill.
pub(super) const CLASSES: [(&str, &str, &str, &str); 6] = [
    ("plannedDone", "Planned, done", "#5b72d6", "plain"),
    ("plannedOpen", "Planned, open", "#5b72d6", "hatch"),
    ("unplannedDone", "Unplanned, done", "#d98324", "dots"),
    ("unplannedOpen", "Unplanned, open", "#d98324", "lines"),
    ("unknownDone", "Unknown, done", "#7f8ba3", "plain"),
    ("unknownOpen", "Unknown, open", "#7f8ba3", "hatch"),
];

/// The color of the `at`th part.
pub(super) fn color_at(at: usize) -> &'static str {
    COLORS[at % COLORS.len()]
}

/// `ui/src/gen/looks.ts`.
pub fn looks_ts() -> String {
    let mut page = String::from(
        "// Generated from the looks of the published page; do not edit: `cargo test -p app generated`.\n\n\
         /** Colors of series that have none of their own, such as boards; distinct on light and dark. */\n\
         export const COLORS = [",
    );
    page.push_str(&COLORS.map(|color| format!("'{color}'")).join(", "));
    page.push_str("] as const;\n\n");
    for (about, name, color) in [
        ("Completed in a sprint.", "COMPLETED", COMPLETED),
        ("The lines of a burndown.", "REMAINING", REMAINING),
        ("All items of the sprint.", "SCOPE", SCOPE),
        ("The straight line to zero.", "IDEAL", IDEAL),
    ] {
        constant(&mut page, about, name, color);
    }
    page.push_str("\n/** What was planned and what was not. */\nexport const CLASSES = [\n");
    for (key, label, color, look) in CLASSES {
        let _ = writeln!(page, "  {{ key: '{key}', label: '{label}', color: '{color}', look: '{look}' }},");
    }
    page.push_str("] as const;\n");
    page
}
