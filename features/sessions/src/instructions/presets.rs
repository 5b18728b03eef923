//! The instruction presets: texts in files, which are part of the program.

/// A text for sessions, which a hub can replace.
pub(crate) struct Preset {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) group: Group,
    pub(crate) text: &'static str,
}

/// Presets that one setting adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    /// For the primary engine only.
    Default,
    Engineering,
    Execution,
    Persona,
    Audience,
    /// At the end of each message.
    EachTurn,
}

impl Group {
    pub(crate) const fn setting(self) -> &'static str {
        match self {
            Group::Default => "defaultAgentInstructionsEnabled",
            Group::Engineering => "engineeringPrinciplesPromptEnabled",
            Group::Execution => "executionBiasPromptEnabled",
            Group::Persona => "personaPromptEnabled",
            Group::Audience => "audienceStylePromptEnabled",
            Group::EachTurn => "keyRemindersPromptEnabled",
        }
    }
}

const fn preset(id: &'static str, name: &'static str, group: Group, text: &'static str) -> Preset {
    Preset { id, name, group, text }
}

/// All presets, in the order of the instructions.
pub(crate) const PRESETS: &[Preset] = &[
    preset("attribution", "No attribution", Group::Default, include_str!("presets/attribution.md")),
    preset("cloud-safety", "Cloud safety", Group::Default, include_str!("presets/cloud-safety.md")),
    preset(
        "private-repositories",
        "Private repositories",
        Group::Default,
        include_str!("presets/private-repositories.md"),
    ),
    preset("readme-standards", "README standards", Group::Default, include_str!("presets/readme-standards.md")),
    preset(
        "engineering-principles",
        "Engineering habits",
        Group::Engineering,
        include_str!("presets/engineering-principles.md"),
    ),
    preset("execution-bias", "Act and finish", Group::Execution, include_str!("presets/execution-bias.md")),
    preset("persona", "Character", Group::Persona, include_str!("presets/persona.md")),
    preset("audience-style", "Writing style", Group::Audience, include_str!("presets/audience-style.md")),
    preset("key-reminders", "Reminders", Group::EachTurn, include_str!("presets/key-reminders.md")),
];
