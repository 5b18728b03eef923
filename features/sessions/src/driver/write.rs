//! Writes a step and its effects to the database.

use super::{Driver, ExtraWrites};
use crate::records::{self, Answer, SessionRecord};
use crate::{messages, refill, rules, usage};
use events::HasEvents;
use inbox_rows::{NewRow, Severity};
use kit::Result;
use serde_json::json;
use std::sync::Arc;
use store::{Change, HasDb};
use supervisor::state::{AfterStop, AttentionReason, Effect, State};

impl Driver {
    /// Writes a step down, with everything that follows from it, as one transaction.
    pub(super) async fn write(
        &self,
        next: &SessionRecord,
        effects: &[Effect],
        extra: ExtraWrites,
        now_ms: i64,
    ) -> Result<()> {
        let (key, next, effects) = (self.key.clone(), next.clone(), effects.to_vec());
        let bus = self.sessions.ctx.events();
        let had_need = self.record.life.need.clone();
        let had_state = records::state_name(&self.record.life.state);
        let is_told_more = !Arc::ptr_eq(&self.stored_facts, &next.facts);
        self.sessions
            .ctx
            .db()
            .write(move |tx| {
                let (account, session) = (&*key.account, &*key.session);
                let ask_key = |ask: &str| inbox_rows::ask_key(session, ask);
                records::save(tx, account, &next)?;
                if let Some((caller, what)) = &extra.by {
                    let (before, after) = (json!(had_state), json!(records::state_name(&next.life.state)));
                    let (before, after) = (Some(&before), Some(&after));
                    tx.record(
                        caller,
                        now_ms,
                        Change { subject: "session", subject_id: session, field: what, before, after },
                    )?;
                }
                if is_told_more {
                    records::save_facts(tx, account, &next)?;
                }
                if let Some((content, actor, actor_session)) = &extra.prompt {
                    let by = (*actor, actor_session.as_deref());
                    records::insert_prompt(tx, (account, session), next.life.last_prompt, now_ms, by, content)?;
                }
                if extra.is_of_person {
                    usage::asked_by_person(tx, (account, session), now_ms)?;
                }
                if let Some(day) = &extra.revived_on {
                    refill::insert(tx, (account, session), now_ms, day)?;
                }
                if let Some(ask) = &extra.ask {
                    records::insert_ask(tx, (account, session), ask)?;
                }
                if let Some(answer) = &extra.answer {
                    if !records::answer(tx, (account, session), answer, now_ms)? {
                        return Err(records::answered_before());
                    }
                    inbox_rows::settle(tx, &bus, account, &ask_key(&answer.ask), answer.answer, now_ms)?;
                }
                if let Some((rule, by)) = extra.rule {
                    rules::insert(tx, account, rule, &by)?;
                }
                // Nobody has to decide any more whether it is put away.
                let is_put_away =
                    matches!(next.life.state, State::Archived | State::Stopping { then: AfterStop::Archive });
                if is_put_away && let Some(ask) = records::open_archive_ask(tx, (account, session))? {
                    inbox_rows::settle(tx, &bus, account, &ask_key(&ask), "withdrawn", now_ms)?;
                    let (said, by) = (String::new(), "program".to_owned());
                    records::answer(tx, (account, session), &Answer { ask, answer: "withdrawn", said, by }, now_ms)?;
                }
                let row_key = |need: &AttentionReason| match need {
                    AttentionReason::Permission { id } | AttentionReason::Value { id } => ask_key(id),
                    _ => format!("session:{session}"),
                };
                // What the person was needed for is over once the session needs something else, or nothing; requests are over when
                // they are answered.
                let is_request = |need: &AttentionReason| {
                    matches!(need, AttentionReason::Permission { .. } | AttentionReason::Value { .. })
                };
                if let Some(need) = had_need.filter(|need| next.life.need.as_ref() != Some(need) && !is_request(need)) {
                    inbox_rows::settle(tx, &bus, account, &row_key(&need), "over", now_ms)?;
                }
                for effect in &effects {
                    match effect {
                        Effect::SendPrompt { id, .. } => records::set_prompt(tx, (account, session), *id, "sent")?,
                        Effect::Unsent { ids } => {
                            ids.iter().try_for_each(|id| records::set_prompt(tx, (account, session), *id, "unsent"))?;
                        }
                        Effect::Answer { id, verdict } => {
                            let outcome = messages::verdict(*verdict);
                            if extra.answer.as_ref().is_none_or(|answer| answer.ask != *id) {
                                let (ask, said, by) = (id.clone(), String::new(), "program".to_owned());
                                records::answer(
                                    tx,
                                    (account, session),
                                    &Answer { ask, answer: outcome, said, by },
                                    now_ms,
                                )?;
                            }
                            inbox_rows::settle(tx, &bus, account, &ask_key(id), outcome, now_ms)?;
                        }
                        Effect::AskUser { need } => {
                            let asked = match (&extra.ask, need) {
                                (Some(ask), _) => Some(ask.clone()),
                                (None, AttentionReason::Permission { id } | AttentionReason::Value { id }) => {
                                    // Asked for once more after an interruption: its row says what, and since when.
                                    if inbox_rows::is_open(tx, account, &row_key(need))? {
                                        continue;
                                    }
                                    records::ask(tx, (account, session), id).ok()
                                }
                                _ => None,
                            };
                            let (kind, title, body) = messages::attention(need, &next, asked.as_ref());
                            let link = format!("/app/sessions/{session}");
                            let failed = matches!(need, AttentionReason::Failed { .. });
                            let row = NewRow {
                                kind,
                                key: Some(&row_key(need)),
                                title: &title,
                                body: &body,
                                severity: if failed { Severity::Warning } else { Severity::Info },
                                link: Some(&link),
                                session_id: Some(session),
                                project_id: Some(&next.hub_id).filter(|id| !id.is_empty()).map(String::as_str),
                                by: events::Actor {
                                    kind: "program",
                                    member_id: None,
                                    session_id: Some(session.to_owned()),
                                },
                            };
                            inbox_rows::post(tx, &bus, account, now_ms, &row)?;
                        }
                        _ => {}
                    }
                }
                Ok(())
            })
            .await
    }

    /// Writes the answer to a request of which nothing follows for the session's life.
    pub(crate) async fn write_answer(&self, answer: Answer) -> Result<()> {
        let (key, bus, now_ms) = (self.key.clone(), self.sessions.ctx.events(), self.sessions.ctx.now_ms());
        let write = move |tx: &mut store::Tx<'_>| {
            let (account, session) = (&*key.account, &*key.session);
            if !records::answer(tx, (account, session), &answer, now_ms)? {
                return Err(records::answered_before());
            }
            let key = inbox_rows::ask_key(session, &answer.ask);
            inbox_rows::settle(tx, &bus, account, &key, answer.answer, now_ms).map(drop)
        };
        self.sessions.ctx.db().write(write).await
    }
}
