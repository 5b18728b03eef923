//! Fault codes for column settings.

kit::faults! {
    INVALID_SETTINGS = "invalid-settings" : "The column's settings don't match its type or the board.";
}
