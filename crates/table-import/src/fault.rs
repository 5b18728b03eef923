//! Fault codes for single places of an imported file or of its options.

kit::faults! {
    ARCHIVED_SKIPPED = "archived-skipped" : "Import: archived cards were skipped.";
    COMMENTS_SKIPPED = "comments-skipped" : "Import: comments were skipped.";
    DOES_NOT_FIT = "does-not-fit" : "The import options don't match the file.";
    ERROR_CELL = "error-cell" : "Import: a formula in the row has an error; the cell is empty.";
    FORMULA_WITHOUT_RESULT = "formula-without-result" : "Import: workbook formulas have no stored result; their cells are empty.";
    LONG_ROW = "long-row" : "Import: the row has more cells than the title row and was skipped.";
    NOT_FOR_THIS_FILE = "not-for-this-file" : "This option applies to another file type.";
    SHORT_ROW = "short-row" : "Import: the row has fewer cells than the title row; the rest are empty.";
    SUBITEM_COLUMNS_SKIPPED = "subitem-columns-skipped" : "Import: columns that only subitems have were skipped.";
    SUMS_SKIPPED = "sums-skipped" : "Import: unnamed summary rows were skipped.";
    UNDECODABLE_TEXT = "undecodable-text" : "Import: some bytes aren't valid in the file's encoding and were replaced.";
    UNKNOWN_DELIMITER = "unknown-delimiter" : "Unsupported delimiter.";
}
