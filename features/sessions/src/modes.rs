//! Modes of engines, and at which level of `agentPermissionLevel` the person may choose them.
//!
//! Engines name their modes as they like, and some let the engine do everything without asking: in those nothing of ours would be
//! asked. So below full a mode is taken only where its name is none of such.

use engines::Access;

/// Words in names of modes that ask for less than the level says, in lower case without signs between them.
const LOOSE: [&str; 6] = ["bypass", "yolo", "full", "auto", "dontask", "never"];
/// Words in names of modes that change nothing.
const READING: [&str; 4] = ["plan", "read", "default", "ask"];

/// Whether the person may choose a mode at a level.
pub(crate) fn fits(mode: &str, access: Access) -> bool {
    let plain: String = mode.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| plain.contains(word));
    match access {
        Access::Full => true,
        Access::Guarded | Access::Autonomous => !has(&LOOSE),
        Access::ReadOnly => !has(&LOOSE) && has(&READING),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_that_asks_for_nothing_needs_full_access_and_at_reading_only_reading_ones_are_taken() {
        for mode in
            ["bypassPermissions", "yolo", "agent-full-access", "auto", "dontAsk", "autoEdit", "BYPASS_permissions"]
        {
            assert_eq!(
                [Access::ReadOnly, Access::Guarded, Access::Autonomous, Access::Full].map(|one| fits(mode, one)),
                [false, false, false, true],
                "{mode}"
            );
        }
        for mode in ["acceptEdits", "build", "workspace-write"] {
            assert_eq!([Access::ReadOnly, Access::Guarded].map(|one| fits(mode, one)), [false, true], "{mode}");
        }
        for mode in ["plan", "read-only", "default"] {
            assert!(fits(mode, Access::ReadOnly), "{mode}");
        }
    }
}
