//! The engine's latest reports about its session, for the page: plan, options, commands, and capabilities.
//!
//! Invariant: bounded, whatever the engine sends.

use engines::{Choice, Event, PlanEntry, PlanStatus, SlashCommand, Tokens};
use serde::{Deserialize, Serialize};
use supervisor::context::Gauge;

/// Maximum plan steps, commands, options, and values of an option; more are dropped.
const LIST_MAX: usize = 200;
/// Maximum characters of a step, name, or description; longer ones are truncated.
const TEXT_CHARS_MAX: usize = 500;
/// Maximum characters of the name of a command or skill; longer ones are dropped.
const NAME_CHARS_MAX: usize = 100;

/// The latest reports.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Facts {
    pub(crate) plan: Vec<PlanEntry>,
    pub(crate) choices: Vec<Choice>,
    pub(crate) commands: Vec<Command>,
    /// Commands that may still run although their turn was canceled, as text.
    pub(crate) left_running: Vec<String>,
    /// Whether it accepts messages for the current turn.
    pub(crate) can_steer: bool,
    /// Tokens of all turns, as far as the engine reports them when a turn ends.
    pub(crate) spent_tokens: u64,
    /// Whether it accepts images; unknown until the engine first starts.
    pub(crate) takes_images: Option<bool>,
    /// The marks that the context exceeds.
    pub(crate) gauge: Gauge,
}

/// A command or skill that the engine announced.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Command {
    /// As the engine calls it, without a slash.
    pub(crate) name: String,
    pub(crate) description: String,
    /// Whether the engine announced it earlier and not since the session was resumed.
    pub(crate) is_stale: bool,
}

impl Facts {
    /// The reports after an event, if it changes them.
    pub(crate) fn with(&self, event: &Event) -> Option<Facts> {
        let next = match event {
            Event::Planned { plan } => Facts { plan: steps(plan), ..self.clone() },
            Event::Choices { choices } => Facts { choices: bounded(choices), ..self.clone() },
            Event::Commands { commands } => Facts { commands: self.with_commands(commands), ..self.clone() },
            Event::Mode { mode } => {
                let mut next = self.clone();
                if let Some(choice) = next.choices.iter_mut().find(|choice| is_called(choice, "mode")) {
                    choice.current = cut(mode);
                }
                next
            }
            Event::Spent { tokens: Tokens { input, output, cached_read, cached_write } } => {
                let turn = [input, output, cached_read, cached_write]
                    .into_iter()
                    .fold(0_u64, |sum, &one| sum.saturating_add(one));
                Facts { spent_tokens: self.spent_tokens.saturating_add(turn), ..self.clone() }
            }
            // They end with the engine's processes.
            Event::Exited { .. } => Facts { left_running: Vec::new(), ..self.clone() },
            _ => return None,
        };
        (next != *self).then_some(next)
    }

    /// The commands once the engine announced these. A resumed session may announce fewer than it knows; the others
    /// stay, as stale.
    fn with_commands(&self, announced: &[SlashCommand]) -> Vec<Command> {
        let mut commands: Vec<Command> = Vec::new();
        for SlashCommand { name, description } in announced {
            let is_new = is_word(name) && commands.iter().all(|one| one.name != *name);
            if is_new && commands.len() < LIST_MAX {
                commands.push(Command { name: name.clone(), description: line_of(description), is_stale: false });
            }
        }
        if commands.len() < self.commands.len() {
            let is_missing = |one: &&Command| one.is_stale && commands.iter().all(|known| known.name != one.name);
            let missing: Vec<Command> = self.commands.iter().filter(is_missing).cloned().collect();
            commands.extend(missing);
            commands.truncate(LIST_MAX);
        }
        commands
    }

    /// Records commands that a canceled turn left running.
    pub(crate) fn leave_running(&self, commands: &[String]) -> Facts {
        let mut next = self.clone();
        next.left_running.extend(commands.iter().map(|command| cut(command)));
        next.left_running.truncate(LIST_MAX);
        next
    }

    /// The reports of an engine that has just started, with a session that it already had or a new one.
    pub(crate) fn opened(&self, opened: &engines::Opened, is_resumed: bool) -> Facts {
        let known = self.commands.iter().filter(|_| is_resumed);
        Facts {
            commands: known.map(|command| Command { is_stale: true, ..command.clone() }).collect(),
            choices: bounded(&opened.choices),
            left_running: Vec::new(),
            can_steer: opened.can.steer,
            takes_images: Some(opened.can.image),
            ..self.clone()
        }
    }

    /// The option of a category, `mode` or `model`.
    pub(crate) fn choice(&self, category: &str) -> Option<&Choice> {
        self.choices.iter().find(|choice| is_called(choice, category))
    }

    /// Records the value of a category.
    pub(crate) fn choose(&mut self, category: &str, value: Option<&str>) {
        let choice = self.choices.iter_mut().find(|choice| is_called(choice, category));
        if let (Some(choice), Some(value)) = (choice, value) {
            choice.current = value.to_owned();
        }
    }

    /// Whether a message is a command of the engine's, such as `/compact`. Before the engine has listed its commands, any
    /// message of that form is one.
    pub(crate) fn is_command(&self, message: &str) -> bool {
        let word = message.trim_start().strip_prefix('/').and_then(|rest| rest.split_whitespace().next());
        let is_sign = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
        let is_listed = |word: &str| self.commands.iter().any(|command| command.name.trim_start_matches('/') == word);
        word.is_some_and(|word| if self.commands.is_empty() { word.chars().all(is_sign) } else { is_listed(word) })
    }

    /// The numbers of completed plan steps and of all steps.
    pub(crate) fn progress(&self) -> Option<(usize, usize)> {
        let done = self.plan.iter().filter(|step| step.status == PlanStatus::Completed).count();
        (!self.plan.is_empty()).then_some((done, self.plan.len()))
    }
}

fn is_called(choice: &Choice, name: &str) -> bool {
    choice.category.as_deref() == Some(name) || choice.id == name
}

fn steps(plan: &[PlanEntry]) -> Vec<PlanEntry> {
    let step = |step: &PlanEntry| PlanEntry { content: cut(&step.content), status: step.status };
    plan.iter().take(LIST_MAX).map(step).collect()
}

/// Options with too long names are dropped: a truncated name would be sent back as another one.
fn bounded(choices: &[Choice]) -> Vec<Choice> {
    let fits = |text: &str| text.chars().nth(TEXT_CHARS_MAX).is_none();
    let choice = |choice: &Choice| Choice {
        id: choice.id.clone(),
        name: cut(&choice.name),
        category: choice.category.as_deref().map(cut),
        current: cut(&choice.current),
        options: (choice.options.iter())
            .filter(|option| fits(&option.value))
            .take(LIST_MAX)
            .map(|option| engines::ChoiceOption { value: option.value.clone(), name: cut(&option.name) })
            .collect(),
    };
    choices.iter().filter(|choice| fits(&choice.id)).take(LIST_MAX).map(choice).collect()
}

/// Whether a name can be written in a message: one word of a bounded length.
pub(crate) fn is_word(name: &str) -> bool {
    let is_odd = |sign: char| sign.is_control() || sign.is_whitespace();
    !name.is_empty() && name.chars().count() <= NAME_CHARS_MAX && !name.contains(is_odd)
}

/// A description on one line.
pub(crate) fn line_of(text: &str) -> String {
    let signs = text.chars().take(TEXT_CHARS_MAX).map(|sign| if sign.is_control() { ' ' } else { sign });
    signs.collect::<String>().trim().to_owned()
}

fn cut(text: &str) -> String {
    text.chars().take(TEXT_CHARS_MAX).collect()
}
