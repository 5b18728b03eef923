//! What follows from a step, on disk.

use super::{Also, Driver};
use crate::kept::{self, Answer, Kept};
use crate::{refill, rules, usage, words};
use events::HasEvents;
use inbox_rows::{NewRow, Severity};
use kit::Result;
use serde_json::json;
use std::sync::Arc;
use store::{Change, HasDb};
use supervisor::state::{Effect, Need, State, Then};

impl Driver {
    /// Writes a step down, with everything that follows from it, as one transaction.
    pub(super) async fn write(&self, next: &Kept, effects: &[Effect], also: Also, now_ms: i64) -> Result<()> {
        let (of, next, effects) = (self.of.clone(), next.clone(), effects.to_vec());
        let bus = self.sessions.ctx.events();
        let had_need = self.kept.life.need.clone();
        let had_state = kept::state_name(&self.kept.life.state);
        let is_told_more = !Arc::ptr_eq(&self.facts_kept, &next.facts);
        self.sessions
            .ctx
            .db()
            .write(move |tx| {
                let (account, session) = (&*of.account, &*of.session);
                let ask_key = |ask: &str| inbox_rows::ask_key(session, ask);
                kept::save(tx, account, &next)?;
                if let Some((caller, what)) = &also.by {
                    let (before, after) = (json!(had_state), json!(kept::state_name(&next.life.state)));
                    let (before, after) = (Some(&before), Some(&after));
                    tx.record(
                        caller,
                        now_ms,
                        Change { subject: "session", subject_id: session, field: what, before, after },
                    )?;
                }
                if is_told_more {
                    kept::save_facts(tx, account, &next)?;
                }
                if let Some((content, actor, actor_session)) = &also.prompt {
                    let by = (*actor, actor_session.as_deref());
                    kept::insert_prompt(tx, (account, session), next.life.last_prompt, now_ms, by, content)?;
                }
                if also.is_of_person {
                    usage::asked_by_person(tx, (account, session), now_ms)?;
                }
                if let Some(day) = &also.revived_on {
                    refill::insert(tx, (account, session), now_ms, day)?;
                }
                if let Some(ask) = &also.ask {
                    kept::insert_ask(tx, (account, session), ask)?;
                }
                if let Some(answer) = &also.answer {
                    if !kept::answer(tx, (account, session), answer, now_ms)? {
                        return Err(kept::answered_before());
                    }
                    inbox_rows::settle(tx, &bus, account, &ask_key(&answer.ask), answer.answer, now_ms)?;
                }
                if let Some((rule, by)) = also.rule {
                    rules::insert(tx, account, rule, &by)?;
                }
                // Nobody has to decide any more whether it is put away.
                let is_put_away = matches!(next.life.state, State::Archived | State::Stopping { then: Then::Archive });
                if is_put_away && let Some(ask) = kept::open_archive_ask(tx, (account, session))? {
                    inbox_rows::settle(tx, &bus, account, &ask_key(&ask), "withdrawn", now_ms)?;
                    let (said, by) = (String::new(), "program".to_owned());
                    kept::answer(tx, (account, session), &Answer { ask, answer: "withdrawn", said, by }, now_ms)?;
                }
                let row_key = |need: &Need| match need {
                    Need::Permission { id } | Need::Value { id } => ask_key(id),
                    _ => format!("session:{session}"),
                };
                // What the person was needed for is over once the session needs something else, or nothing; requests are over when
                // they are answered.
                let is_request = |need: &Need| matches!(need, Need::Permission { .. } | Need::Value { .. });
                if let Some(need) = had_need.filter(|need| next.life.need.as_ref() != Some(need) && !is_request(need)) {
                    inbox_rows::settle(tx, &bus, account, &row_key(&need), "over", now_ms)?;
                }
                for effect in &effects {
                    match effect {
                        Effect::SendPrompt { id, .. } => kept::set_prompt(tx, (account, session), *id, "sent")?,
                        Effect::Unsent { ids } => {
                            ids.iter().try_for_each(|id| kept::set_prompt(tx, (account, session), *id, "unsent"))?;
                        }
                        Effect::Answer { id, verdict } => {
                            let outcome = words::verdict(*verdict);
                            if also.answer.as_ref().is_none_or(|answer| answer.ask != *id) {
                                let (ask, said, by) = (id.clone(), String::new(), "program".to_owned());
                                kept::answer(
                                    tx,
                                    (account, session),
                                    &Answer { ask, answer: outcome, said, by },
                                    now_ms,
                                )?;
                            }
                            inbox_rows::settle(tx, &bus, account, &ask_key(id), outcome, now_ms)?;
                        }
                        Effect::AskPerson { need } => {
                            let asked = match (&also.ask, need) {
                                (Some(ask), _) => Some(ask.clone()),
                                (None, Need::Permission { id } | Need::Value { id }) => {
                                    // Asked for once more after an interruption: its row says what, and since when.
                                    if inbox_rows::is_open(tx, account, &row_key(need))? {
                                        continue;
                                    }
                                    kept::ask(tx, (account, session), id).ok()
                                }
                                _ => None,
                            };
                            let (kind, title, body) = words::need(need, &next, asked.as_ref());
                            let link = format!("/app/sessions/{session}");
                            let failed = matches!(need, Need::Failed { .. });
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
        let (of, bus, now_ms) = (self.of.clone(), self.sessions.ctx.events(), self.sessions.ctx.now_ms());
        let write = move |tx: &mut store::Tx<'_>| {
            let (account, session) = (&*of.account, &*of.session);
            if !kept::answer(tx, (account, session), &answer, now_ms)? {
                return Err(kept::answered_before());
            }
            let key = inbox_rows::ask_key(session, &answer.ask);
            inbox_rows::settle(tx, &bus, account, &key, answer.answer, now_ms).map(drop)
        };
        self.sessions.ctx.db().write(write).await
    }
}
