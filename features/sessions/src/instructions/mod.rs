//! What a new session is told before its first message: blocks of text, each with its source.
//!
//! Invariants: composing is pure; each block is in the instructions once, and your own text is last, verbatim. A session
//! is told the same for as long as it exists, also after a restart: the text is stored before its engine first starts.
//! Deliberately not here: how an engine takes instructions, which is `crates/engines`; and the operations.

pub(crate) mod hub_texts;
pub(crate) mod presets;
mod start;

pub(crate) use start::{SessionStart, stored};

use presets::{Group, PRESETS, Preset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A hub's own texts of presets, by id.
pub(crate) type Edited = BTreeMap<String, String>;

/// Where the text of a block is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum BlockSource {
    /// Pilothouse, with facts of the session.
    App,
    /// A preset of Pilothouse.
    Preset,
    /// The hub's own version of a preset.
    Hub,
    /// Your own text, from the settings.
    Custom,
}

/// A block of a session's instructions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Block {
    pub(crate) id: String,
    pub(crate) name: String,
    /// The setting that adds it.
    pub(crate) setting: String,
    pub(crate) source: BlockSource,
    pub(crate) text: String,
}

impl Block {
    /// A block with facts of the session.
    pub(crate) fn from_app(id: &str, name: &str, setting: &str, text: String) -> Block {
        Block { id: id.into(), name: name.into(), setting: setting.into(), source: BlockSource::App, text }
    }
}

/// The settings that decide.
#[derive(Debug, Clone, Default)]
pub(crate) struct Choices {
    pub(crate) default_instructions: bool,
    pub(crate) custom: String,
    pub(crate) app_awareness: bool,
    pub(crate) audience_style: bool,
    pub(crate) engineering_principles: bool,
    pub(crate) execution_bias: bool,
    pub(crate) persona: bool,
    pub(crate) shell_folder: bool,
}

impl Choices {
    fn has(&self, group: Group, is_primary: bool) -> bool {
        match group {
            Group::Default => self.default_instructions && is_primary,
            Group::Engineering => self.engineering_principles,
            Group::Execution => self.execution_bias,
            Group::Persona => self.persona,
            Group::Audience => self.audience_style,
            Group::EachTurn => false,
        }
    }
}

/// The session's engine, as far as instructions depend on it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EngineFacts<'a> {
    pub(crate) is_primary: bool,
    /// Whether a change of folder counts for its later commands too.
    pub(crate) keeps_shell_folder: bool,
    /// The address of the control server; none if the session can't reach it.
    pub(crate) control_url: Option<&'a str>,
}

/// The blocks of a new session's instructions, in order.
pub(crate) fn compose(choices: &Choices, engine: EngineFacts<'_>, edited: &Edited) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(url) = engine.control_url.filter(|_| choices.app_awareness) {
        blocks.push(Block::from_app("app", "Pilothouse", "appAwarenessPromptEnabled", app_note(url)));
    }
    if choices.shell_folder {
        let text = shell_note(engine.keeps_shell_folder).to_owned();
        blocks.push(Block::from_app("shell-folder", "Shell folder", "shellCwdPersistNudgeEnabled", text));
    }
    let chosen = PRESETS.iter().filter(|preset| choices.has(preset.group, engine.is_primary));
    blocks.extend(chosen.filter_map(|preset| block(preset, edited)));
    if !choices.custom.is_empty() {
        blocks.push(Block {
            id: "custom".into(),
            name: "Your text".into(),
            setting: "defaultAgentInstructionsCustom".into(),
            source: BlockSource::Custom,
            text: choices.custom.clone(),
        });
    }
    blocks
}

/// A preset as a block. `None` if the hub leaves it out.
fn block(preset: &Preset, edited: &Edited) -> Option<Block> {
    let own = edited.get(preset.id);
    let text = own.map_or(preset.text, String::as_str).trim();
    (!text.is_empty()).then(|| Block {
        id: preset.id.into(),
        name: preset.name.into(),
        setting: preset.group.setting().into(),
        source: if own.is_some() { BlockSource::Hub } else { BlockSource::Preset },
        text: text.to_owned(),
    })
}

/// The blocks as one text.
pub(crate) fn joined(blocks: &[Block]) -> String {
    blocks.iter().map(|block| &*block.text).collect::<Vec<_>>().join("\n\n")
}

/// The reminders at the end of each message, marked, so that the agent doesn't take them for the user's words. `None` if
/// the hub leaves them out.
fn reminders(edited: &Edited) -> Option<String> {
    let preset = PRESETS.iter().find(|preset| preset.group == Group::EachTurn)?;
    block(preset, edited).map(|block| format!("<reminders>\n{}\n</reminders>", block.text))
}

/// About how many tokens a text has.
pub(crate) fn tokens(text: &str) -> i64 {
    const BYTES_PER_TOKEN: usize = 4;
    i64::try_from(text.len().div_ceil(BYTES_PER_TOKEN)).unwrap_or(i64::MAX)
}

/// Names of variables, never their values.
fn app_note(url: &str) -> String {
    format!(
        "## Pilothouse\n\
         You run in a session of Pilothouse, an app in which the user works with several agents at once. If you have its \
         `pilothouse` tools, use them. Its control server is at {url} (`$APP_BASE_URL` has the current address): send \
         `Authorization: Bearer $APP_CLI_TOKEN`; `GET /openapi.json` lists what it can do. Your session's ID is in \
         `$APP_SESSION_ID`. Never print or store the token. {}",
        supervisor::final_message::INSTRUCTION
    )
}

const fn shell_note(keeps_folder: bool) -> &'static str {
    if keeps_folder {
        "The folder of your shell persists between commands: change folder once, not before every command."
    } else {
        "The folder of your shell persists: every command starts in the session's folder, so don't put `cd` before each."
    }
}

#[cfg(test)]
mod tests;
