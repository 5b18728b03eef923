//! Modes of engines, and the level of `agentPermissionLevel` that each needs.
//!
//! Engines name their modes freely, and in some the engine does everything without asking, so Pilothouse wouldn't be
//! asked either. Below full, only modes with harmless names are accepted.

use engines::{Access, Event};

/// Words in names of modes that ask less than the level requires, in lower case without punctuation.
const LOOSE: [&str; 6] = ["bypass", "yolo", "full", "auto", "dontask", "never"];
/// Names of modes in which another model decides instead of the user, although no word says so: Codex's "Auto review".
const REVIEWED: [&str; 1] = ["agent"];
/// The mode that proposes a plan before it changes anything, for every engine.
pub(crate) const PLAN: &str = "plan";
/// Words in names of modes that change nothing.
const READING: [&str; 4] = [PLAN, "read", "default", "ask"];

/// Whether a mode can be chosen at a level.
pub(crate) fn fits(mode: &str, access: Access) -> bool {
    let plain: String = mode.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| plain.contains(word));
    let is_loose = has(&LOOSE) || REVIEWED.contains(&&*plain);
    match access {
        Access::Full => true,
        Access::Guarded | Access::Autonomous => !is_loose,
        Access::ReadOnly => !is_loose && has(&READING),
    }
}

/// The current mode that an event reports.
pub(crate) fn reported(event: &Event) -> Option<&str> {
    match event {
        Event::Mode { mode } => Some(mode),
        Event::Choices { choices } => {
            let is_mode = |choice: &&engines::Choice| choice.category.as_deref() == Some("mode") || choice.id == "mode";
            choices.iter().find(is_mode).map(|choice| &*choice.current)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_that_asks_for_nothing_needs_full_access_and_at_reading_only_reading_ones_are_taken() {
        for mode in [
            "bypassPermissions",
            "yolo",
            "agent",
            "agent-full-access",
            "auto",
            "dontAsk",
            "autoEdit",
            "BYPASS_permissions",
        ] {
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
