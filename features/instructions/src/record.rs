//! Instruction files as sent.

use crate::rows::{Copy, Original, State};
use crate::text::Line;
use kit::rfc3339;
use schemars::JsonSchema;
use serde::Serialize;

/// What became of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "InstructionFileState")]
#[serde(rename_all = "camelCase")]
pub(crate) enum StateName {
    /// The same as its source.
    InStep,
    /// You wrote a file there: replace or keep it.
    Waiting,
    /// You keep your own file.
    Kept,
    /// Can't be written; `reason` says why.
    Skipped,
    /// Not written yet.
    Pending,
    /// Not on the list any more; a replaced text can still be restored.
    Removed,
}

/// A text that a copy replaced.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReplacedInstructions")]
#[serde(rename_all = "camelCase")]
pub(crate) struct OriginalRecord {
    pub(crate) id: String,
    /// RFC 3339 in UTC.
    replaced_at: String,
    characters: i64,
}

/// A copy of a hub's instruction file, or your own file in its place.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InstructionFile")]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileRecord {
    /// Its path below the hub's folder.
    pub(crate) name: String,
    pub(crate) state: StateName,
    /// The file that it was copied from; null if it wasn't.
    source: Option<String>,
    /// Why it's skipped; null otherwise.
    reason: Option<String>,
    /// What git does with it, if not what agentInstructionsSyncGitMode says; null otherwise.
    note: Option<String>,
    /// Why a tool loads the text twice; null if none does.
    warning: Option<String>,
    /// RFC 3339 in UTC; null before it was looked at.
    changed_at: Option<String>,
    /// Texts of yours that were replaced, the newest first.
    originals: Vec<OriginalRecord>,
}

impl FileRecord {
    /// `copy` is none for a file that isn't on the list any more, or wasn't looked at yet.
    pub(crate) fn new(name: &str, is_listed: bool, copy: Option<&Copy>, originals: &[Original]) -> FileRecord {
        let text = |text: fn(&Copy) -> &String| copy.map(text).filter(|text| !text.is_empty()).cloned();
        let of_file = originals.iter().filter(|original| original.name == name);
        let state = match copy.map_or(State::Pending, |copy| copy.state) {
            _ if !is_listed => StateName::Removed,
            State::InStep => StateName::InStep,
            State::Waiting => StateName::Waiting,
            State::Kept => StateName::Kept,
            State::Skipped => StateName::Skipped,
            State::Pending => StateName::Pending,
        };
        FileRecord {
            name: name.to_owned(),
            state,
            source: text(|copy| &copy.source),
            reason: text(|copy| &copy.reason),
            note: text(|copy| &copy.note),
            warning: text(|copy| &copy.warning),
            changed_at: copy.filter(|copy| copy.changed_ms > 0).map(|copy| rfc3339(copy.changed_ms)),
            originals: of_file
                .map(|original| OriginalRecord {
                    id: original.id.clone(),
                    replaced_at: rfc3339(original.replaced_ms),
                    characters: original.characters,
                })
                .collect(),
        }
    }
}

/// A hub with its instruction file and copies.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "HubInstructions")]
#[serde(rename_all = "camelCase")]
pub(crate) struct HubRecord {
    pub(crate) hub_id: String,
    /// The hub's name.
    pub(crate) hub: String,
    pub(crate) folder: String,
    /// Whether the folder exists.
    pub(crate) is_there: bool,
    /// The file that copies are made from.
    pub(crate) source: String,
    /// Whether that file exists.
    pub(crate) has_source: bool,
    /// Why copies aren't in step; null if they are.
    pub(crate) problem: Option<String>,
    pub(crate) files: Vec<FileRecord>,
}

/// The difference between a file of yours and the copy that would replace it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InstructionDiff")]
#[serde(rename_all = "camelCase")]
pub(crate) struct DiffRecord {
    pub(crate) name: String,
    /// The file that the copy would be made from.
    pub(crate) source: String,
    /// Identifies the shown text. Send it with `replace`, so that only this text is replaced.
    pub(crate) version: String,
    pub(crate) lines: Vec<Line>,
    /// Whether more lines follow.
    pub(crate) is_truncated: bool,
}
