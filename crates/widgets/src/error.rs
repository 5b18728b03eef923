//! Why the engine takes no board from some bytes.

/// Why a board was not taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EngineError {
    /// The bytes are not a board's Arrow stream; the text says where.
    Damaged(String),
    /// It has more items than this many.
    TooLarge(usize),
}

impl std::fmt::Display for EngineError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EngineError::Damaged(what) => write!(f, "the board's data is damaged: {what}"),
            EngineError::TooLarge(rows) => write!(f, "the board has more than {rows} items"),
        }
    }
}

impl std::error::Error for EngineError {}
