//! The built-in practice agent: this program itself, started with an argument of its own. It needs no key and no network.
//! It stands in for the default assistant: the rules of that one hold for it, so that they can be tried.

use super::Claude;
use crate::event::Tier;
use crate::launch;
use crate::port::{
    Access, Engine, Hook, LaunchPlan, Machine, Program, Recipe, SessionSpec, SkillFolders, TakesInstructions,
    TellsCost, Traits,
};

/// Says where the practice agent keeps its sessions; without it they are forgotten when it ends.
pub const HOME: &str = "PRACTICE_HOME";

/// The practice engine.
pub struct Practice;

impl Engine for Practice {
    fn id(&self) -> &str {
        "practice"
    }

    fn name(&self) -> &str {
        "Practice"
    }

    fn tier(&self) -> Tier {
        Tier::Primary
    }

    fn recipe(&self) -> Recipe {
        Recipe { config: &[".practice"], install: "It's built in.", login_elsewhere: true, ..Recipe::default() }
    }

    fn traits(&self) -> Traits {
        Traits {
            instructions: TakesInstructions::Param,
            hook: Hook::None,
            cost: TellsCost::Money,
            compact: Some("/compact"),
            refusal_ends_turn: false,
            answers_always: false,
            commands_outlive_cancel: false,
            strict_mcp: true,
            effort: false,
            asks: true,
            takes_input: false,
            keeps_shell_folder: false,
        }
    }

    fn skills(&self, machine: &Machine) -> Option<SkillFolders> {
        Claude.skills(machine)
    }

    fn plan(&self, found: &Program, machine: &Machine, spec: &SessionSpec) -> LaunchPlan {
        let home = spec.own_dir.to_string_lossy();
        let mut plan = launch::plan(found, machine, spec, &[], &[(HOME, &home)]);
        let mode = match (spec.is_planning, spec.access) {
            (true, _) => "plan",
            (false, Access::Autonomous) => "acceptEdits",
            (false, Access::ReadOnly | Access::Guarded | Access::Full) => "default",
        };
        plan.mode = Some(mode.into());
        plan
    }
}
