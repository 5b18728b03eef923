//! Error codes of files that can't be imported.

kit::error_codes! {
    EMPTY_FILE = 422 "empty-file" "File is empty" : "Send a file with at least one row.";
    NOT_A_TABLE = 422 "not-a-table" "Unsupported file" : "Send CSV, TSV, an Excel workbook (.xlsx), or a supported JSON export. The detail says what's wrong and where.";
    ENCRYPTED_WORKBOOK = 422 "encrypted-workbook" "Workbook is password-protected" : "Save the workbook without a password or the sheet as CSV, then import that.";
    WORKBOOK_TOO_LARGE = 422 "workbook-too-large" "Workbook is too large" : "An unpacked part of the workbook exceeds the limit in the detail. Save the sheet as CSV and import that.";
    UNKNOWN_SHEET = 422 "unknown-sheet" "Sheet not found" : "Set `sheet` to a sheet with cells. The detail lists them.";
    OPEN_QUOTE = 422 "open-quote" "Unclosed quote" : "Nothing was imported because a quote is never closed. Close or remove the quote at `line`.";
    ROW_TOO_LONG = 422 "row-too-long" "Row is too long" : "Shorten the row at `line`. The detail names the limit.";
    TOO_MANY_COLUMNS = 422 "too-many-columns" "Too many columns" : "The file has more columns than a board can have. Skip some with `columns` or remove them from the file.";
}
