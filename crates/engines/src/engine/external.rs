//! Any other agent that speaks the protocol, from the user's configuration.

use crate::event::Tier;
use crate::launch;
use crate::port::{
    Engine, Env, Hook, LaunchPlan, Machine, Program, Recipe, SessionSpec, TakesInstructions, TellsCost, Traits,
};
use serde::{Deserialize, Serialize};

/// An agent as the user describes it. Nothing is known of it, so the least is expected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct External {
    /// Its name in settings.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// A command on `PATH`, or a file.
    pub command: String,
    /// What makes it speak the protocol.
    #[serde(default)]
    pub args: Vec<String>,
    /// Variables that it needs.
    #[serde(default)]
    pub env: Env,
}

impl Engine for External {
    fn id(&self) -> &str {
        &self.id
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn tier(&self) -> Tier {
        Tier::External
    }

    fn recipe(&self) -> Recipe {
        Recipe { command: self.command.clone(), login_elsewhere: true, ..Recipe::default() }
    }

    fn traits(&self) -> Traits {
        Traits {
            instructions: TakesInstructions::Param,
            hook: Hook::None,
            cost: TellsCost::Nothing,
            compact: None,
            refusal_ends_turn: false,
            answers_always: false,
            commands_outlive_cancel: true,
            strict_mcp: false,
            effort: true,
            asks: true,
            takes_input: false,
            keeps_shell_folder: false,
        }
    }

    fn plan(&self, found: &Program, machine: &Machine, spec: &SessionSpec) -> LaunchPlan {
        let set: Vec<(&str, &str)> = self.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let mut plan = launch::plan(found, machine, spec, &[], &set);
        plan.args.extend(self.args.iter().cloned());
        plan
    }
}
