//! Limits, colors, and words for client-side checks, generated into `ui/src/gen/limits.ts`.

use crate::change::CELLS_PER_CHANGE_MAX;
use crate::inputs::PAGE_MAX;
use crate::{COMMENT_CHARS_MAX, FILE_BYTES_MAX, FILES_PER_CELL_MAX};
use column_types::values::MONTHS;
use column_types::{DECIMALS_MAX, ENTRIES_MAX, LINK_BYTES_MAX, NAME_CHARS_MAX, PALETTE, RATING_MAX, TEXT_CHARS_MAX};
use std::fmt::Write;
use widgets::{CANCELED_WORDS, FINISHED_WORDS, NOT_STARTED_WORDS};

/// `ui/src/gen/limits.ts`.
pub fn limits_ts() -> String {
    let numbers: [(&str, &str, i64); 11] = [
        ("Maximum characters of a name, title, or label.", "NAME_CHARS_MAX", long(NAME_CHARS_MAX)),
        ("Maximum characters of a text cell.", "TEXT_CHARS_MAX", long(TEXT_CHARS_MAX)),
        ("Maximum bytes of a link.", "LINK_BYTES_MAX", long(LINK_BYTES_MAX)),
        ("Maximum entries of a tags, people, or link cell.", "ENTRIES_MAX", long(ENTRIES_MAX)),
        ("Maximum cells in one change.", "CELLS_PER_CHANGE_MAX", long(CELLS_PER_CHANGE_MAX)),
        ("Maximum characters of a comment.", "COMMENT_CHARS_MAX", long(COMMENT_CHARS_MAX)),
        ("Maximum bytes of a file.", "FILE_BYTES_MAX", long(FILE_BYTES_MAX)),
        ("Maximum files of a cell.", "FILES_PER_CELL_MAX", long(FILES_PER_CELL_MAX)),
        ("Maximum rating of a column.", "RATING_MAX", RATING_MAX),
        ("Maximum decimals of a number column.", "DECIMALS_MAX", i64::from(DECIMALS_MAX)),
        ("Maximum records of a list page.", "PAGE_MAX", PAGE_MAX),
    ];
    let mut page =
        String::from("// Generated from the limits of boards; do not edit: `cargo test -p app generated`.\n");
    for (what, name, value) in numbers {
        let _ = writeln!(page, "\n/** {what} */\nexport const {name} = {value};");
    }
    for (what, name, texts) in [
        ("Default colors of labels and groups, in order.", "PALETTE", &PALETTE[..]),
        ("Names of labels and checkboxes that mean done.", "FINISHED_WORDS", &FINISHED_WORDS[..]),
        ("Names of labels that mean canceled.", "CANCELED_WORDS", &CANCELED_WORDS[..]),
        ("Names of labels that mean not started.", "NOT_STARTED_WORDS", &NOT_STARTED_WORDS[..]),
    ] {
        let texts = texts.join("', '").replace("n't", "n\\'t");
        let _ = writeln!(page, "\n/** {what} */\nexport const {name} = ['{texts}'] as const;");
    }
    let months = MONTHS.map(|names| format!("  ['{}'],\n", names.join("', '"))).concat();
    let what = "Month names from January on. Their first three or four letters are accepted too.";
    let _ = writeln!(page, "\n/** {what} */\nexport const MONTHS = [\n{months}] as const;");
    page
}

fn long(value: usize) -> i64 {
    i64::try_from(value).expect("limits are small")
}
