//! Notes in the transcript when the context fills up.

use super::{Driver, Shared};
use crate::messages;
use engines::Event;
use serde_json::json;
use std::sync::Arc;

impl Driver {
    /// Adds a note for each mark that the context's use reaches. The marks are saved first: a restart repeats no note.
    pub(super) async fn note_context(&mut self, me: &Shared, event: &Event) {
        let Event::Used { usage } = event else { return };
        let wanted = self.common.context_warnings(&self.key.account);
        let mut gauge = self.record.facts.gauge;
        let due = gauge.observe(usage.used, usage.size, wanted);
        if gauge == self.record.facts.gauge {
            return;
        }
        let mut facts = (*self.record.facts).clone();
        facts.gauge = gauge;
        self.record.facts = Arc::new(facts);
        self.save_report("context use").await;
        for mark in due {
            self.append_entry(me, &json!({"entry": "note", "why": messages::context_note(mark, usage)})).await;
        }
        self.flush(true).await;
    }
}
