//! Writes a step and its effects to the database.

use super::{Driver, ExtraWrites};
use crate::records::{self, Answer, SessionRecord};
use crate::settings::hideRoutineUpdatesFromInbox;
use crate::tokens::has_ended;
use crate::transcript::SessionKey;
use crate::{inbox_kinds, messages, revivals, rules};
use engines::Failure;
use events::{AboutSession, Event, HasEvents};
use inbox_rows::{NewRow, Severity};
use kit::Ctx;
use kit::Result;
use kit::clock::DAY_MS;
use serde_json::json;
use std::sync::Arc;
use store::{Change, HasDb, Tx};
use supervisor::state::{AfterStop, AttentionReason, Effect, QueueReason, Session, State, Verdict};

/// Failed attempts in a row from which on it's an outage.
const OUTAGE_TRIES: u32 = 2;

impl Driver {
    /// Writes a step and everything that follows from it in one transaction.
    pub(super) async fn write(
        &self,
        next: &SessionRecord,
        effects: &[Effect],
        extra: ExtraWrites,
        now_ms: i64,
    ) -> Result<()> {
        let step = StepWrite {
            key: self.key.clone(),
            ctx: self.common.ctx.clone(),
            had_state: records::state_name(&self.record.life.state),
            had_need: self.record.life.need.clone(),
            is_told_more: !Arc::ptr_eq(&self.stored_facts, &next.facts),
            next: next.clone(),
            extra,
            outage_of: is_outage(&next.life, self.record.life.tries).then(|| self.engine_name(&next.engine)),
            now_ms,
        };
        let effects = effects.to_vec();
        let write = move |tx: &mut Tx<'_>| {
            step.save(tx)?;
            step.write_extra(tx)?;
            step.withdraw_archive_ask(tx)?;
            step.settle_need(tx)?;
            step.settle_done(tx)?;
            step.report_outage(tx)?;
            step.report_end(tx)?;
            effects.iter().try_for_each(|effect| step.write_effect(tx, effect))
        };
        self.common.ctx.db().write(write).await
    }

    /// What an engine is called; its ID for an agent that you removed.
    fn engine_name(&self, id: &str) -> String {
        self.common.engine(&self.key.account, id).map_or_else(|| id.to_owned(), |engine| engine.name().to_owned())
    }

    /// Writes the answer to a request, without a step of the session.
    pub(crate) async fn write_answer(&self, answer: Answer) -> Result<()> {
        let (key, ctx, now_ms) = (self.key.clone(), self.common.ctx.clone(), self.common.ctx.now_ms());
        let write = move |tx: &mut Tx<'_>| {
            let (account, session) = (&*key.account, &*key.session);
            if !records::answer(tx, (account, session), &answer, now_ms)? {
                return Err(records::answered_before());
            }
            let key = inbox_rows::ask_key(session, &answer.ask);
            inbox_rows::settle(tx, &ctx, account, &key, answer.answer).map(drop)
        };
        self.common.ctx.db().write(write).await
    }
}

/// Whether a session's step found that the engine's service fails: at the second failed attempt in a row, and at each after it.
/// `had_tries` is the number of attempts before the step.
fn is_outage(life: &Session, had_tries: u32) -> bool {
    let has_failed = match &life.state {
        State::Retrying { until } => until.is_some(),
        State::Queued { why } => matches!(why, QueueReason::Backoff { .. }),
        State::Failed { failure, .. } => matches!(failure, Failure::Transient { .. }),
        _ => false,
    };
    has_failed && life.tries > had_tries && life.tries >= OUTAGE_TRIES
}

/// What a step's transaction needs.
struct StepWrite {
    key: SessionKey,
    ctx: Ctx,
    /// The state's name and the reason for attention before the step.
    had_state: String,
    had_need: Option<AttentionReason>,
    /// Whether the engine's reports changed since they were stored.
    is_told_more: bool,
    next: SessionRecord,
    extra: ExtraWrites,
    /// What the engine is called whose service the step found to fail.
    outage_of: Option<String>,
    now_ms: i64,
}

impl StepWrite {
    /// The account and the session.
    fn ids(&self) -> (&str, &str) {
        (&self.key.account, &self.key.session)
    }

    /// Saves the record, and logs who made or changed it.
    fn save(&self, tx: &mut Tx<'_>) -> Result<()> {
        let (next, (account, session)) = (&self.next, self.ids());
        let (before, after) = if self.extra.is_new {
            records::insert(tx, account, next)?;
            (None, json!({"title": next.title, "engine": next.engine, "cwd": next.cwd}))
        } else {
            records::save(tx, account, next)?;
            (Some(json!(self.had_state)), json!(records::state_name(&next.life.state)))
        };
        if let Some((caller, what)) = &self.extra.by {
            let (before, after) = (before.as_ref(), Some(&after));
            let change = Change { subject: "session", subject_id: session, field: what, before, after };
            tx.record(caller, self.now_ms, change)?;
        }
        if self.is_told_more {
            records::save_facts(tx, account, &self.next)?;
        }
        Ok(())
    }

    /// Writes what came with the step: a message, a request, an answer, a rule.
    fn write_extra(&self, tx: &mut Tx<'_>) -> Result<()> {
        let (extra, now_ms) = (&self.extra, self.now_ms);
        if let Some((content, actor, actor_session)) = &extra.prompt {
            let by = (*actor, actor_session.as_deref());
            records::insert_prompt(tx, self.ids(), self.next.life.last_prompt, now_ms, by, content)?;
        }
        if extra.is_of_person {
            revivals::asked_by_person(tx, self.ids(), now_ms)?;
        }
        if let Some(day) = &extra.revived_on {
            revivals::insert(tx, self.ids(), now_ms, day)?;
        }
        if let Some(ask) = &extra.ask {
            records::insert_ask(tx, self.ids(), ask)?;
        }
        if let Some(answer) = &extra.answer {
            if !records::answer(tx, self.ids(), answer, now_ms)? {
                return Err(records::answered_before());
            }
            self.settle(tx, &self.ask_key(&answer.ask), answer.answer)?;
        }
        if let Some((rule, by)) = &extra.rule {
            rules::insert(tx, &self.key.account, rule.clone(), by)?;
        }
        Ok(())
    }

    /// Closes requests to archive a session that is archived already.
    fn withdraw_archive_ask(&self, tx: &mut Tx<'_>) -> Result<()> {
        let is_archived =
            matches!(self.next.life.state, State::Archived | State::Stopping { then: AfterStop::Archive });
        if is_archived && let Some(ask) = records::open_archive_ask(tx, self.ids())? {
            self.settle(tx, &self.ask_key(&ask), "withdrawn")?;
            self.answer_by_program(tx, &ask, "withdrawn")?;
        }
        Ok(())
    }

    /// Closes inbox rows: the session's own once it needs something else or nothing, and requests once they are
    /// answered.
    fn settle_need(&self, tx: &mut Tx<'_>) -> Result<()> {
        let Some(need) = self.had_need.as_ref().filter(|need| self.next.life.need.as_ref() != Some(need)) else {
            return Ok(());
        };
        match requested(need) {
            Some(_) => Ok(()),
            None => self.settle(tx, &self.row_key(need), "over"),
        }
    }

    /// Closes the row about the last turn once the session works again, or is archived or closed.
    fn settle_done(&self, tx: &mut Tx<'_>) -> Result<()> {
        let state = &self.next.life.state;
        let is_over = self.next.life.turn.is_some() || matches!(state, State::Archived | State::Closed);
        if self.had_state == records::state_name(state) || !is_over {
            return Ok(());
        }
        self.settle(tx, &inbox_kinds::done_key(&self.key.session), "over")
    }

    /// Reports the end of a session to other features. One without turns has done nothing that could concern them.
    fn report_end(&self, tx: &mut Tx<'_>) -> Result<()> {
        let (next, (account, session)) = (&self.next, self.ids());
        let has_ended = has_ended(&next.life.state) && self.had_state != records::state_name(&next.life.state);
        if !has_ended || next.sums.turns == 0 {
            return Ok(());
        }
        let (session_id, hub_id) = (session.to_owned(), next.hub_id.clone());
        let event = Event::SessionEnded { session_id, hub_id, turns: next.sums.turns };
        reactions::report(tx, &self.ctx, account, &event)?;
        let about = AboutSession { id: session.into(), parent: next.parent_id.as_deref().map(Into::into) };
        let (bus, account) = (self.ctx.events(), account.to_owned());
        tx.after_commit(move || bus.emit_about(&account, about, event));
        Ok(())
    }

    /// Posts the notice that the engine's service fails. It's over once a turn of any of its sessions succeeds.
    fn report_outage(&self, tx: &mut Tx<'_>) -> Result<()> {
        let Some(engine_name) = &self.outage_of else { return Ok(()) };
        let title = format!("{engine_name} isn't available");
        let row = NewRow {
            key: Some(&inbox_kinds::outage_key(&self.next.engine)),
            body: "Its service failed several times in a row. Sessions retry, and those that give up say so in the inbox.",
            severity: Severity::Warning,
            link: Some("/app/engines"),
            ..NewRow::new(&inbox_kinds::OUTAGE, &title, events::Actor::program(None))
        };
        inbox_rows::post_once(tx, &self.ctx, &self.key.account, &row, self.now_ms - DAY_MS)
    }

    fn write_effect(&self, tx: &mut Tx<'_>, effect: &Effect) -> Result<()> {
        match effect {
            Effect::SendPrompt { id, .. } => records::set_prompt(tx, self.ids(), *id, "sent"),
            Effect::Unsent { ids } => ids.iter().try_for_each(|id| records::set_prompt(tx, self.ids(), *id, "unsent")),
            Effect::Answer { id, verdict } => self.close_ask(tx, id, *verdict),
            Effect::AskUser { need } => self.post_row(tx, need),
            Effect::ReportDone { is_routine } => {
                self.settle(tx, &inbox_kinds::outage_key(&self.next.engine), "works again")?;
                self.post_done(tx, *is_routine)
            }
            _ => Ok(()),
        }
    }

    /// Closes a request, with its row in the inbox.
    fn close_ask(&self, tx: &mut Tx<'_>, ask: &str, verdict: Verdict) -> Result<()> {
        let outcome = messages::verdict(verdict);
        if self.extra.answer.as_ref().is_none_or(|answer| answer.ask != ask) {
            self.answer_by_program(tx, ask, outcome)?;
        }
        self.settle(tx, &self.ask_key(ask), outcome)
    }

    /// Posts the inbox row that says what the session needs.
    fn post_row(&self, tx: &mut Tx<'_>, need: &AttentionReason) -> Result<()> {
        let (account, session) = self.ids();
        let asked = match (&self.extra.ask, requested(need)) {
            (Some(ask), _) => Some(ask.clone()),
            // A request made again after an interruption: its row already says what, and since when.
            (None, Some(_)) if inbox_rows::is_open(tx, account, &self.row_key(need))? => return Ok(()),
            (None, Some(id)) => records::ask(tx, self.ids(), id).ok(),
            (None, None) => None,
        };
        let (kind, title, body) = messages::attention(need, &self.next, asked.as_ref());
        let link = format!("/app/sessions/{session}");
        let failed = matches!(need, AttentionReason::Failed { .. });
        let row = NewRow {
            key: Some(&self.row_key(need)),
            body: &body,
            severity: if failed { Severity::Warning } else { Severity::Info },
            link: Some(&link),
            session_id: Some(session),
            project_id: Some(&self.next.hub_id).filter(|id| !id.is_empty()).map(String::as_str),
            ..NewRow::new(kind, &title, events::Actor::program(Some(session.to_owned())))
        };
        inbox_rows::post(tx, &self.ctx, account, &row).map(drop)
    }

    /// Posts the inbox row about a turn that ended. The end of a child session's turn concerns its parent, not you.
    fn post_done(&self, tx: &mut Tx<'_>, is_routine: bool) -> Result<()> {
        let (account, session) = self.ids();
        let is_hidden = is_routine && self.ctx.setting(account, &hideRoutineUpdatesFromInbox);
        if is_hidden || self.next.parent_id.is_some() {
            return Ok(());
        }
        let (title, link) = (format!("{}: done", self.next.title), format!("/app/sessions/{session}"));
        let row = NewRow {
            key: Some(&inbox_kinds::done_key(session)),
            body: &self.extra.reply,
            link: Some(&link),
            session_id: Some(session),
            project_id: Some(&self.next.hub_id).filter(|id| !id.is_empty()).map(String::as_str),
            ..NewRow::new(&inbox_kinds::DONE, &title, events::Actor::program(Some(session.to_owned())))
        };
        inbox_rows::post(tx, &self.ctx, account, &row).map(drop)
    }

    /// Writes an answer that no user gave.
    fn answer_by_program(&self, tx: &mut Tx<'_>, ask: &str, answer: &'static str) -> Result<()> {
        let answer = Answer { ask: ask.to_owned(), answer, said: String::new(), by: "program".to_owned() };
        records::answer(tx, self.ids(), &answer, self.now_ms).map(drop)
    }

    fn settle(&self, tx: &mut Tx<'_>, key: &str, outcome: &str) -> Result<()> {
        inbox_rows::settle(tx, &self.ctx, &self.key.account, key, outcome).map(drop)
    }

    fn ask_key(&self, ask: &str) -> String {
        inbox_rows::ask_key(&self.key.session, ask)
    }

    fn row_key(&self, need: &AttentionReason) -> String {
        match requested(need) {
            Some(id) => self.ask_key(id),
            None => format!("session:{}", self.key.session),
        }
    }
}

/// The request whose answer the session needs, if it needs one.
fn requested(need: &AttentionReason) -> Option<&str> {
    match need {
        AttentionReason::Permission { id } | AttentionReason::Value { id } => Some(id),
        _ => None,
    }
}
