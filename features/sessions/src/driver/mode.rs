//! Keeps an engine out of modes that exceed the permission level.

use super::{Driver, Shared};
use crate::modes;
use engines::port::Change;
use serde_json::json;
use std::sync::Arc;

impl Driver {
    /// Puts the engine back into the session's mode if it switched to one that exceeds the permission level. The
    /// engine's response isn't waited for; if it can't be put back, it's stopped.
    pub(super) async fn hold_mode(&mut self, me: &Shared, told: &str) {
        if self.mode.as_deref() == Some(told) || modes::fits(told, self.access()) {
            return;
        }
        let Some(conn) = self.conn.clone() else { return };
        let left = format!("The engine switched to mode {told:?}, which exceeds agentPermissionLevel");
        let (me, launch, wanted) = (me.clone(), self.record.life.launch, self.mode.clone());
        tokio::spawn(async move {
            let set = match &wanted {
                Some(mode) => conn.set(Change::Mode(mode.clone())).await.map_err(|why| why.to_string()),
                None => Err("its earlier mode is unknown".to_owned()),
            };
            drop(conn);
            let mut driver = me.lock().await;
            if driver.record.life.launch != launch {
                return;
            }
            let mode = wanted.unwrap_or_default();
            let why = match &set {
                Ok(()) => format!("{left}. Reverted to {mode:?}."),
                Err(why) => format!("{left}. Couldn't revert it, so the engine was stopped: {why}."),
            };
            driver.append_entry(&me, &json!({"entry": "note", "why": why})).await;
            if set.is_err() {
                return driver.end_processes();
            }
            let mut facts = (*driver.record.facts).clone();
            facts.choose("mode", Some(&mode));
            driver.record.facts = Arc::new(facts);
            driver.tell_changed(false);
        });
    }
}
