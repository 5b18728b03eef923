//! Requests of a session: who answers them, and what an answer changes.

use super::form;
use super::{Driver, ExtraWrites, Shared, UserAnswer, own_name};
use crate::judge::Ruling;
use crate::messages;
use crate::reasons;
use crate::records::{self, Answer, Ask, SessionRecord};
use crate::rules::{self, Rule, Scope};
use engines::offers::Verdict as Given;
use engines::{Offer, OfferKind, PermissionRequest, ToolKind, ToolUse};
use kit::error::CONFLICT;
use kit::{Caller, Result};
use serde_json::{Value, json};
use store::HasDb;
use supervisor::policy::Decision;
use supervisor::rules::Pattern;
use supervisor::state::{EngineEvent, Input, State, Verdict};
use tokio::sync::oneshot;

impl Driver {
    /// Decides about a tool call, or leaves the decision to the user.
    pub(super) async fn permission(&mut self, me: &Shared, request: &PermissionRequest) -> (EngineEvent, ExtraWrites) {
        let ruling = self.judge.decide(&request.tool).await;
        let mut why = ruling.why;
        let admits = ruling.opening.zip(request.tool.command.clone());
        if let Some((opening, line)) = admits.as_ref().filter(|_| ruling.decision == Decision::Allow) {
            self.tickets.admit(line, opening);
        }
        // If the engine has no one-time approval, a permanent one isn't sent in its place.
        let is_sayable = engines::offers::answer(&Given::AllowOnce, &request.offers).is_some();
        let given = match ruling.decision {
            Decision::Allow if is_sayable => Given::AllowOnce,
            Decision::Deny => Given::RejectOnce,
            decision => {
                if let Some((before, allow)) = self.repeated(me, &request.tool).await {
                    let given = again(&before, allow, &request.offers);
                    if let Some((opening, line)) = admits.as_ref().filter(|_| allow) {
                        self.tickets.admit(line, opening);
                    }
                    if engines::offers::answer(&given, &request.offers).is_some() {
                        return self.answer_now(me, request, given, ANSWERED_BEFORE, None).await;
                    }
                }
                if decision == Decision::Allow {
                    why = format!("{why}, but the engine has no one-time approval, so you decide");
                }
                let kind = if request.tool.kind == ToolKind::SwitchMode { "plan" } else { "permission" };
                let ask = self.ask(&request.id, kind, records::json(request), why, ruling.proposed);
                self.requests.insert(request.id.clone(), request.clone());
                if let Some(admits) = admits {
                    self.openings.insert(request.id.clone(), admits);
                }
                let engine_event =
                    EngineEvent::Asked { id: request.id.clone(), asks: supervisor::state::RequestKind::Permission };
                return (engine_event, ExtraWrites { ask: Some(ask), ..ExtraWrites::default() });
            }
        };
        self.answer_now(me, request, given, &why, ruling.rule).await
    }

    /// Answers a request that the user doesn't have to answer now, and records the reason.
    pub(super) async fn answer_now(
        &mut self,
        me: &Shared,
        request: &PermissionRequest,
        given: Given,
        why: &str,
        rule: Option<String>,
    ) -> (EngineEvent, ExtraWrites) {
        let is_allowed = !matches!(given, Given::RejectOnce);
        let verdict = if is_allowed { "allowed" } else { "refused" };
        let mut entry = json!({"entry": "answer", "id": request.id, "verdict": verdict, "why": why});
        if let Some(rule) = rule {
            entry["rule"] = rule.into();
        }
        if why == ANSWERED_BEFORE {
            entry["isRepeat"] = true.into();
        }
        self.append_entry(me, &entry).await;
        self.flush(false).await;
        if let Some(conn) = &self.conn {
            let _ = conn.decide(own_name(&request.id), given).await;
        }
        (EngineEvent::Alive, ExtraWrites::default())
    }

    /// The request that the user answered while its process was gone and that the engine now makes again, with its
    /// answer. The answer counts for it once.
    pub(crate) async fn repeated(&mut self, me: &Shared, tool: &ToolUse) -> Option<(Ask, bool)> {
        for (id, allow) in self.record.life.decided.clone() {
            let Ok(ask) = self.stored_ask(&id).await else { continue };
            let Ok(request) = serde_json::from_str::<PermissionRequest>(&ask.request) else { continue };
            // The stored request doesn't contain the values provided for the session.
            let hidden = serde_json::from_str::<ToolUse>(&self.given_env.hide(records::json(tool))).ok()?;
            if supervisor::rules::is_repeat(&request.tool, &hidden, &self.record.cwd) {
                self.apply(me, Input::Repeated { id }, ExtraWrites::default()).await.ok()?;
                return Some((ask, allow));
            }
        }
        None
    }

    /// Records that the user already answered about the hook's tool while its process was gone.
    pub(crate) async fn repeated_in_hook(&mut self, me: &Shared, tool: &ToolUse) -> Option<bool> {
        let (_, allow) = self.repeated(me, tool).await?;
        let what = tool.command.as_deref().unwrap_or(&tool.title);
        let verdict = if allow { "allowed" } else { "refused" };
        let entry =
            json!({"entry": "hook", "verdict": verdict, "tool": tool.name, "what": what, "why": ANSWERED_BEFORE});
        self.append_entry(me, &entry).await;
        Some(allow)
    }

    /// Makes the hook's tool wait for the user. Returns the request to store, and the receiver of the answer.
    pub(crate) fn hold_tool(
        &mut self,
        id: &str,
        tool: ToolUse,
        ruling: Ruling,
    ) -> (ExtraWrites, oneshot::Receiver<bool>) {
        let offer = |id: &str, name: &str, kind| Offer { id: id.into(), name: name.into(), kind };
        let offers = vec![offer("yes", "Allow", OfferKind::AllowOnce), offer("no", "Deny", OfferKind::RejectOnce)];
        let request = PermissionRequest { id: id.to_owned(), tool, offers };
        let ask = self.ask(id, "permission", records::json(&request), ruling.why, ruling.proposed);
        self.requests.insert(id.to_owned(), request);
        let (answer, answered) = oneshot::channel();
        self.held.insert(id.to_owned(), answer);
        (ExtraWrites { ask: Some(ask), ..ExtraWrites::default() }, answered)
    }

    pub(super) fn ask(&self, id: &str, kind: &str, request: String, why: String, rule: Option<Pattern>) -> Ask {
        let rule = rule.map(|rule| records::json(&rule)).unwrap_or_default();
        // A rule must not contain a secret, and without it, it would cover other commands.
        let is_clear = self.given_env.hide(rule.clone()) == rule;
        Ask {
            id: id.to_owned(),
            kind: kind.to_owned(),
            request: self.given_env.hide(request),
            why,
            asked_ms: self.common.ctx.now_ms(),
            answered_ms: 0,
            answer: String::new(),
            answered_by: String::new(),
            said: String::new(),
            rule: if is_clear { rule } else { String::new() },
        }
    }

    /// Answers a request or question of the session, once. With `always`, an approval also creates a rule, which is
    /// returned.
    pub(crate) async fn answer(
        &mut self,
        me: &Shared,
        ask: &str,
        said: UserAnswer,
        always: Option<Scope>,
        caller: &Caller,
    ) -> Result<Option<Rule>> {
        let Some(open) = self.record.life.open.iter().find(|open| open.id == ask) else {
            return Err(records::answered_before());
        };
        let is_lost = open.is_lost;
        let asked = self.stored_ask(ask).await?;
        let (said, rule) = match (said, always) {
            // An engine may apply a permanent approval more widely than intended, so it's told to allow only this time.
            (UserAnswer::Verdict(Given::AllowAlways), Some(scope)) if asked.kind == "permission" => {
                let now_ms = self.common.ctx.now_ms();
                let rule = rules::new(scope, &self.record, &asked, (now_ms, caller))?;
                let (account, new) = (self.key.account.clone(), rule.clone());
                let same = self.common.ctx.db().read(move |tx| rules::same(tx, &account, &new)).await?;
                let rule = same.unwrap_or(rule);
                (UserAnswer::Verdict(Given::AllowOnce), Some(rule))
            }
            (UserAnswer::Value(Some(value)), _) if asked.kind == "question" => {
                let question: Value = serde_json::from_str(&asked.request).unwrap_or_default();
                (UserAnswer::Value(Some(form::fill(&question["schema"], &value)?)), None)
            }
            (said, _) => (said, None),
        };
        let (allow, words) = match &said {
            UserAnswer::Verdict(given) => {
                let offers = self.offers(&asked);
                expect_once(given, &offers, &asked)?;
                allows(given, &offers, is_lost, &asked)?
            }
            UserAnswer::Value(value) => (value.is_some(), value.as_ref().map(filled_in).unwrap_or_default()),
        };
        let outcome = messages::verdict(if allow { Verdict::Allowed } else { Verdict::Denied });
        if let Some((opening, line)) = self.openings.remove(ask).filter(|_| allow) {
            self.tickets.admit(&line, &opening);
        }
        self.given.insert(ask.to_owned(), said);
        let answer = Answer { ask: ask.to_owned(), answer: outcome, said: words, by: caller.kind.name().to_owned() };
        let made = rule.clone().map(|rule| (rule, caller.clone()));
        let extra = ExtraWrites {
            answer: Some(answer),
            rule: made,
            by: Some((caller.clone(), "answer")),
            ..ExtraWrites::default()
        };
        let applied = self.apply(me, Input::Answered { id: ask.to_owned(), allow }, extra).await;
        // If the process is gone, its successor is told in a message.
        self.given.remove(ask);
        applied.map(|()| rule)
    }

    /// Puts what the session asks for into its state's reason, as in the queue of what needs the user. `new` is the
    /// request that this step makes.
    pub(super) async fn name_request(&self, next: &mut SessionRecord, new: Option<&Ask>) {
        let life = &mut next.life;
        let is_new = life.evidence.why != self.record.life.evidence.why;
        let is_waiting = matches!(life.state, State::AwaitingPermission | State::AwaitingInput);
        let Some(open) = life.open.first().filter(|_| is_new && is_waiting) else { return };
        let ask = match new.filter(|ask| ask.id == open.id) {
            Some(ask) => Ok(ask.clone()),
            None => self.stored_ask(&open.id).await,
        };
        if let Ok(ask) = ask {
            life.evidence.why = reasons::state_reason(&ask);
        }
    }

    /// Puts the engine's name into the state's reason, such as "Starting the engine".
    pub(super) fn name_engine(&self, next: &mut SessionRecord) {
        if let Some(doing) = next.life.evidence.why.strip_suffix(" the engine")
            && let Some(engine) = self.common.engine(&self.key.account, &next.engine)
        {
            next.life.evidence.why = format!("{doing} {}", engine.name());
        }
    }

    /// Reads a request from the database.
    pub(super) async fn stored_ask(&self, ask: &str) -> Result<Ask> {
        let (key, id) = (self.key.clone(), ask.to_owned());
        let read = move |tx: &mut store::Tx<'_>| records::ask(tx, (&key.account, &key.session), &id);
        self.common.ctx.db().read(read).await
    }

    /// The offers of a request, even if its process is gone.
    pub(super) fn offers(&self, ask: &Ask) -> Vec<Offer> {
        if let Some(request) = self.requests.get(&ask.id) {
            return request.offers.clone();
        }
        // Questions have no offers.
        serde_json::from_str::<PermissionRequest>(&ask.request).map(|request| request.offers).unwrap_or_default()
    }
}

/// Whether an answer is an approval, and the name of its offer. An answer that the engine doesn't accept is rejected,
/// so nothing is shown as allowed that isn't. If the process is gone, the answer is sent as text, which every engine
/// accepts.
fn allows(given: &Given, offers: &[Offer], is_lost: bool, ask: &Ask) -> Result<(bool, String)> {
    let offer = engines::offers::answer(given, offers);
    let is_yes = match (given, offer) {
        (Given::Offer(_), None) => return Err(CONFLICT.error("The request doesn't offer this answer.")),
        (Given::Offer(_), Some(offer)) => matches!(offer.kind, OfferKind::AllowOnce | OfferKind::AllowAlways),
        (given, _) => matches!(given, Given::AllowOnce | Given::AllowAlways),
    };
    if is_yes && offer.is_none() && !is_lost && ask.kind == "question" {
        return Err(CONFLICT.error("This request is a question. Answer with `value`."));
    }
    if is_yes && offer.is_none() && !is_lost {
        let names: Vec<String> = offers.iter().map(|offer| format!("{:?}", offer.name)).collect();
        let detail = format!(
            "The engine has no one-time approval. Answer with `always`, or with one of its offers: {}.",
            names.join(", ")
        );
        return Err(CONFLICT.error(detail.trim_end_matches('.')));
    }
    // Only a chosen offer says more than yes or no.
    let words = offer.filter(|_| matches!(given, Given::Offer(_))).map(|offer| offer.name.clone());
    Ok((is_yes, words.unwrap_or_default()))
}

/// Rejects an engine's own permanent approval of a tool if there is another answer: the engine alone would decide what
/// it covers, without asking again.
fn expect_once(given: &Given, offers: &[Offer], ask: &Ask) -> Result<()> {
    let Given::Offer(id) = given else { return Ok(()) };
    let is_lasting = offers.iter().any(|offer| offer.id == *id && offer.kind == OfferKind::AllowAlways);
    let has_once = offers.iter().any(|offer| offer.kind == OfferKind::AllowOnce);
    if ask.kind == "permission" && is_lasting && has_once {
        let detail =
            "Pilothouse manages permission rules itself. Answer with `always: true` and a `scope`, or allow it once.";
        return Err(CONFLICT.error(detail));
    }
    Ok(())
}

/// Why a request that is made again after an interruption needs no answer.
const ANSWERED_BEFORE: &str = "You answered this before the session was interrupted";

/// The answer to a request that was answered before: the same offer, if the request has one with that name.
fn again(before: &Ask, allow: bool, offers: &[Offer]) -> Given {
    let is_yes = |offer: &&Offer| matches!(offer.kind, OfferKind::AllowOnce | OfferKind::AllowAlways);
    match offers.iter().filter(is_yes).find(|offer| !before.said.is_empty() && offer.name == before.said) {
        _ if !allow => Given::RejectOnce,
        Some(offer) => Given::Offer(offer.id.clone()),
        None => Given::AllowOnce,
    }
}

/// Maximum characters of submitted values as stored text.
const FILLED_IN_CHARS_MAX: usize = 4_000;

fn filled_in(value: &Value) -> String {
    value.to_string().chars().take(FILLED_IN_CHARS_MAX).collect()
}
