//! What Pilothouse tells its window: a line of JSON each. `features/window` sends them.

use serde::Deserialize;

/// A command. One that a newer Pilothouse sends and this program doesn't know is ignored.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "command", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Command {
    Attached {
        version: String,
    },
    Raise {
        page: Option<String>,
    },
    Note {
        id: String,
        page: String,
        place: Option<(i32, i32)>,
        width: u32,
        height: u32,
    },
    CloseNote {
        id: String,
    },
    Session {
        page: String,
    },
    Quit,
    #[serde(other)]
    Unknown,
}

/// Reads a line.
pub fn read(line: &str) -> Command {
    serde_json::from_str(line).unwrap_or(Command::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands_and_unknown_ones_are_ignored() {
        assert_eq!(
            read(r#"{"command":"raise","page":"/app/inbox"}"#),
            Command::Raise { page: Some("/app/inbox".into()) }
        );
        assert_eq!(read(r#"{"command":"quit"}"#), Command::Quit);
        assert_eq!(read(r#"{"command":"dance","with":1}"#), Command::Unknown);
        assert_eq!(read("nothing"), Command::Unknown);
    }
}
