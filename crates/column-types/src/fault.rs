//! What is wrong with a column's settings.

kit::faults! {
    INVALID_SETTINGS = "invalid-settings" : "The column's settings don't match its type or the board.";
}
