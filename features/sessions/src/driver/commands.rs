//! Commands of a canceled turn that the engine keeps running.
//!
//! Deliberately not here: ending only those. To the system, the tool servers that an engine starts look like commands,
//! so they end with the session's other processes when it's stopped.

use super::{Driver, Shared};
use engines::{Event, StopReason, ToolKind, ToolState};
use serde_json::json;
use std::sync::Arc;

impl Driver {
    /// Tracks running commands, and reports which of them a canceled turn leaves running.
    pub(super) async fn watch_commands(&mut self, me: &Shared, event: &Event) {
        match event {
            Event::Tool { tool, state: ToolState::Running, .. } if tool.kind == ToolKind::Execute => {
                let command = tool.command.as_ref().unwrap_or(&tool.title).clone();
                self.commands.insert(tool.id.clone(), command);
            }
            Event::Tool { tool, state: ToolState::Completed | ToolState::Failed, .. } => {
                self.commands.remove(&tool.id);
            }
            Event::TurnEnded { stop, .. } => {
                let mut left: Vec<String> = std::mem::take(&mut self.commands).into_values().collect();
                if *stop == StopReason::Cancelled && !left.is_empty() {
                    left.sort();
                    self.leave_running(me, &left).await;
                }
            }
            Event::Exited { .. } => self.commands.clear(),
            _ => {}
        }
    }

    async fn leave_running(&mut self, me: &Shared, left: &[String]) {
        let engine = self.common.engine(&self.key.account, &self.record.engine);
        let Some(engine) = engine.filter(|engine| engine.traits().commands_outlive_cancel) else { return };
        let shown: Vec<String> = left.iter().map(|command| self.given_env.hide_in(command.clone())).collect();
        let quoted: Vec<String> = shown.iter().map(|command| format!("`{command}`")).collect();
        let why = format!(
            "Turn canceled, but {} doesn't end its commands with it. These may still run: {}. Stop the session to end them.",
            engine.name(),
            quoted.join(", ")
        );
        self.append_entry(me, &json!({"entry": "note", "why": why})).await;
        self.record.facts = Arc::new(self.record.facts.leave_running(&shown));
        self.tell_changed(false);
    }
}
