//! What an agent changes of a dashboard that a person has open is a proposal: stored, shown on the page in words, and laid
//! onto the dashboard once it is accepted.
//!
//! A page says that it has a dashboard open and renews that; it is held in memory alone, so that nothing is left of a page
//! that went away for longer than one lease.

use crate::access::{self, Need};
use crate::config;
use crate::errors::{PROPOSAL_CHANGED, PROPOSAL_DECIDED, TOO_MANY_PROPOSALS};
use crate::merge::{Doc, describe_changes, laid_onto};
use crate::record::{self, Dashboard, ProposalRef, ProposalState};
use events::{Bus, Event, HasEvents};
use kit::error::INTERNAL;
use kit::op::Answer;
use kit::text::{CURSOR, NAME};
use kit::{Call, Caller, Ctx, Done, Page, Part, Reply, Result, new_id, rfc3339};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use store::{Change, HasDb, Row, Tx, params};

/// Interval at which a page reports again that it has a dashboard open.
const RENEW_MS: i64 = 30_000;
/// How long a report is valid. Browsers run hidden pages once a minute.
pub(crate) const LEASE_MS: i64 = 150_000;
/// Maximum stored windows. Those that end first are removed first.
const WINDOWS_MAX: usize = 50;
/// Maximum open proposals of a dashboard.
const OPEN_MAX: usize = 10;
/// Maximum stored decided proposals of a dashboard.
const DECIDED_MAX: i64 = 100;

/// Windows with an open dashboard, with the time until which the report is valid.
#[derive(Default)]
pub(crate) struct Opened(Mutex<HashMap<WindowKey, i64>>);

/// Identifies a window: account, dashboard, token, and the page's ID. Others can't close it.
type WindowKey = (String, String, Arc<str>, String);

impl Opened {
    fn hold(&self, key: WindowKey, until_ms: i64, now_ms: i64) {
        let mut held = self.0.lock().expect("no panic while held");
        held.retain(|_, until| *until > now_ms);
        held.insert(key.clone(), until_ms);
        // Only windows of this dashboard count.
        let of: Vec<_> = held.iter().filter(|((account, id, ..), _)| *account == key.0 && *id == key.1).collect();
        if of.len() > WINDOWS_MAX
            && let Some(first) = of.into_iter().min_by_key(|(_, until)| **until).map(|(key, _)| key.clone())
        {
            held.remove(&first);
        }
    }
    fn release(&self, key: &WindowKey) {
        self.0.lock().expect("no panic while held").remove(key);
    }
    fn is_open(&self, account: &str, dashboard: &str, now_ms: i64) -> bool {
        let held = self.0.lock().expect("no panic while held");
        held.iter().any(|((of, id, ..), until)| of == account && id == dashboard && *until > now_ms)
    }
}

/// Identifies a page's window.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Window {
    dashboard_id: String,
    /// ID that the page chooses, different in each window.
    #[schemars(length(min = 1, max = 64), regex(pattern = NAME))]
    window_id: String,
}

/// When to report it again.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HeldWindow")]
pub(crate) struct Held {
    /// Milliseconds until the next report.
    renew_ms: i64,
}

fn key_of(call: &Call, input: &Window) -> Result<WindowKey> {
    kit::text::expect_name(&input.window_id, 64, "/windowId")?;
    let opener = call.caller.token_id.clone();
    Ok((call.account().to_owned(), input.dashboard_id.clone(), opener, input.window_id.clone()))
}

pub(crate) async fn open(ctx: Ctx, call: Call, input: Window) -> Result<Held> {
    let key = key_of(&call, &input)?;
    let may_decide = ctx
        .db()
        .read(move |tx| {
            record::read(tx, &call.caller, &input.dashboard_id, Need::Read)?;
            Ok(access::expect(tx, &call.caller, &input.dashboard_id, Need::Write).is_ok())
        })
        .await?;
    // A viewer couldn't accept proposals.
    if !may_decide {
        return Ok(Held { renew_ms: RENEW_MS });
    }
    ctx.service::<Opened>().hold(key, ctx.now_ms() + LEASE_MS, ctx.now_ms());
    Ok(Held { renew_ms: RENEW_MS })
}

pub(crate) async fn close(ctx: Ctx, call: Call, input: Window) -> Result<Done> {
    let key = key_of(&call, &input)?;
    ctx.db().read(move |tx| record::read(tx, &call.caller, &input.dashboard_id, Need::Read)).await?;
    ctx.service::<Opened>().release(&key);
    Ok(Done)
}

/// Result of a change: applied or proposed.
pub(crate) enum Outcome<T, const STATUS: u16> {
    Done(T),
    Proposed(T),
}

impl<T: Serialize + JsonSchema, const STATUS: u16> Answer for Outcome<T, STATUS> {
    const STATUS: u16 = STATUS;
    const ALSO: &'static [u16] = &[202];
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<T>())
    }
    fn reply(self) -> Reply {
        match self {
            Outcome::Done(answer) => Reply { status: STATUS, ..answer.reply() },
            Outcome::Proposed(answer) => Reply { status: 202, ..answer.reply() },
        }
    }
}

/// A proposal.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Proposal {
    id: String,
    state: ProposalState,
    /// The session that proposes it, if any.
    session_id: Option<String>,
    /// Proposed changes, as sentences.
    changes: Vec<String>,
    /// Identifies the proposed changes. Differs once the session changes them.
    digest: String,
    /// RFC 3339 in UTC.
    created_at: String,
    /// RFC 3339 in UTC; null while it is open.
    decided_at: Option<String>,
    /// Resulting config. Only for a single open proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<Map<String, Value>>,
}

/// A stored proposal.
struct Stored {
    proposal: Proposal,
    proposer: String,
    base: String,
    proposed: String,
}

const READ: &str = "SELECT proposal_id, state, session_id, changes_json, created_ms, decided_ms, proposer, base_json, proposed_json \
     FROM dashboard_proposals WHERE account_id = $1 AND dashboard_id = $2";

fn damaged(e: serde_json::Error) -> kit::Error {
    INTERNAL.error("Couldn't read a stored proposal.").caused_by(e)
}

impl Proposal {
    /// Without the name of a session that the caller doesn't see.
    fn visible_to(self, caller: &Caller) -> Proposal {
        Proposal { session_id: caller.sessions_seen().named(self.session_id), ..self }
    }
}

fn stored(row: &dyn Row) -> Result<Stored> {
    let state = match row.get::<&str>(1)? {
        "accepted" => ProposalState::Accepted,
        "declined" => ProposalState::Declined,
        _ => ProposalState::Open,
    };
    let decided_ms: i64 = row.get(5)?;
    let proposal = Proposal {
        id: row.get(0)?,
        state,
        session_id: row.get(2)?,
        changes: serde_json::from_str(row.get(3)?).map_err(damaged)?,
        digest: digest_of(row.get(8)?),
        created_at: rfc3339(row.get(4)?),
        decided_at: (state != ProposalState::Open).then(|| rfc3339(decided_ms)),
        config: None,
    };
    Ok(Stored { proposal, proposer: row.get(6)?, base: row.get(7)?, proposed: row.get(8)? })
}

/// 16 hexadecimal digits.
fn digest_of(proposed: &str) -> String {
    kit::ids::hex(&Sha256::digest(proposed.as_bytes())[..8])
}

fn all(tx: &mut Tx<'_>, account: &str, dashboard: &str) -> Result<Vec<Stored>> {
    tx.query(&format!("{READ} ORDER BY proposal_id"), params![account, dashboard], stored)
}

fn one(tx: &mut Tx<'_>, account: &str, dashboard: &str, id: &str) -> Result<Stored> {
    tx.query_one(&format!("{READ} AND proposal_id = $3"), params![account, dashboard, id], stored)
}

fn doc_of(text: &str) -> Result<Doc> {
    serde_json::from_str(text).map_err(damaged)
}

fn text_of(doc: &Doc) -> String {
    json!(doc).to_string()
}

/// Identifies the proposer: a session by ID, so that its new token continues the proposal.
fn proposer_of(call: &Call) -> String {
    let session = call.caller.session.as_deref().or(call.source_session.as_deref());
    session.map_or_else(|| format!("token {}", call.caller.token_id), |session| format!("session {session}"))
}

/// Whether this caller's change becomes a proposal: an agent's, while a person has the dashboard open.
pub(crate) fn is_to_propose(ctx: &Ctx, call: &Call, dashboard: &str) -> bool {
    call.is_of_agent() && ctx.service::<Opened>().is_open(call.account(), dashboard, ctx.now_ms())
}

/// Changes a dashboard, or proposes the change. `edit` gets the current dashboard and the document to edit: the same,
/// or the caller's open proposal, so that several changes become one proposal.
pub(crate) async fn change<T: Send + 'static>(
    ctx: &Ctx,
    call: Call,
    id: String,
    edit: impl FnOnce(&Doc, &mut Doc) -> Result<T> + Send + 'static,
) -> Result<(Dashboard, T)> {
    let (now_ms, bus) = (ctx.now_ms(), ctx.events());
    let proposes = is_to_propose(ctx, &call, &id);
    ctx.db()
        .write(move |tx| {
            let account = call.account();
            let old = record::read(tx, &call.caller, &id, Need::Write)?;
            call.expects(old.revision)?;
            let now = Doc { name: old.name.clone(), config: old.config.clone() };
            if !proposes {
                let mut doc = now.clone();
                let value = edit(&now, &mut doc)?;
                config::checked(&doc.config)?;
                return Ok((record::store(tx, &call.caller, now_ms, &bus, old, doc)?, value));
            }
            // Later merges identify widgets by ID.
            let now = Doc { config: config::with_ids(&now.config), ..now };
            let open: Vec<Stored> =
                all(tx, account, &id)?.into_iter().filter(|one| one.proposal.state == ProposalState::Open).collect();
            let proposer = proposer_of(&call);
            let count = open.len();
            let mine = open.into_iter().find(|one| one.proposer == proposer);
            let (proposal_id, base, mut doc) = match &mine {
                Some(mine) => (mine.proposal.id.clone(), doc_of(&mine.base)?, doc_of(&mine.proposed)?),
                None if count >= OPEN_MAX => {
                    let detail = format!("{count} proposals are open. The limit is {OPEN_MAX}. Ask the owner to decide one.");
                    return Err(TOO_MANY_PROPOSALS.error(detail));
                }
                None => (new_id(), now.clone(), now.clone()),
            };
            let value = edit(&now, &mut doc)?;
            config::checked(&doc.config)?;
            doc.config = config::with_ids(&doc.config);
            let changes = describe_changes(&base, &doc);
            if changes.is_empty() && mine.is_none() {
                return Ok((old, value));
            }
            let changes = json!(changes).to_string();
            let session = call.caller.session.as_deref().or(call.source_session.as_deref());
            if mine.is_some() {
                tx.execute(
                    "UPDATE dashboard_proposals SET changes_json = $4, proposed_json = $5 \
                     WHERE account_id = $1 AND dashboard_id = $2 AND proposal_id = $3",
                    params![account, &id, &proposal_id, changes, text_of(&doc)],
                )?;
            } else {
                tx.execute(
                    "INSERT INTO dashboard_proposals (account_id, dashboard_id, proposal_id, state, proposer, session_id, changes_json, base_json, proposed_json, created_ms, decided_ms) \
                     VALUES ($1, $2, $3, 'open', $4, $5, $6, $7, $8, $9, 0)",
                    params![account, &id, &proposal_id, proposer, session, changes, text_of(&base), text_of(&doc), now_ms],
                )?;
            }
            note(tx, &call, now_ms, &id, &proposal_id, ProposalState::Open)?;
            announce(tx, &bus, account, &id, &proposal_id)?;
            let proposal = Some(ProposalRef { id: proposal_id, state: ProposalState::Open });
            Ok((Dashboard { proposal, ..old }, value))
        })
        .await
}

/// Records who proposed and who decided. An accepted proposal's changes are recorded like any change.
fn note(tx: &mut Tx<'_>, call: &Call, at_ms: i64, dashboard: &str, proposal: &str, state: ProposalState) -> Result<()> {
    let after = json!({"proposal": proposal, "state": state.name()});
    let change =
        Change { subject: "dashboard", subject_id: dashboard, field: "proposal", before: None, after: Some(&after) };
    tx.record(&call.caller, at_ms, change)?;
    Ok(())
}

fn announce(tx: &mut Tx<'_>, bus: &Arc<Bus>, account: &str, dashboard: &str, proposal: &str) -> Result<()> {
    let (dashboard_id, proposal_id) = (dashboard.to_owned(), proposal.to_owned());
    record::announce_event(tx, bus, account, dashboard, Event::DashboardProposalChanged { dashboard_id, proposal_id })
}

/// A page of a dashboard's proposals.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct List {
    dashboard_id: String,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: the whole list.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

pub(crate) async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<Proposal>> {
    let read = move |tx: &mut Tx<'_>| {
        record::read(tx, &call.caller, &input.dashboard_id, Need::Read)?;
        let all: Vec<Proposal> = all(tx, call.account(), &input.dashboard_id)?
            .into_iter()
            .map(|one| one.proposal.visible_to(&call.caller))
            .collect();
        Part { cursor: input.cursor, limit: input.limit }.page(all, |one| one.id.as_str().into())
    };
    ctx.db().read(read).await
}

/// Identifies a proposal.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Which {
    dashboard_id: String,
    proposal_id: String,
}

pub(crate) async fn get(ctx: Ctx, call: Call, input: Which) -> Result<Proposal> {
    let read = move |tx: &mut Tx<'_>| {
        record::read(tx, &call.caller, &input.dashboard_id, Need::Read)?;
        let found = one(tx, call.account(), &input.dashboard_id, &input.proposal_id)?;
        let is_open = found.proposal.state == ProposalState::Open;
        let config = if is_open { Some(doc_of(&found.proposed)?.config) } else { None };
        Ok(Proposal { config, ..found.proposal.visible_to(&call.caller) })
    };
    ctx.db().read(read).await
}

/// A proposal to accept.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Accept {
    dashboard_id: String,
    proposal_id: String,
    /// `digest` of the proposal that you read. If the session changed it since then, nothing is accepted.
    #[schemars(length(max = 64))]
    digest: Option<String>,
}

pub(crate) async fn accept(ctx: Ctx, call: Call, input: Accept) -> Result<Dashboard> {
    let Accept { dashboard_id, proposal_id, digest } = input;
    decide(ctx, call, Which { dashboard_id, proposal_id }, digest, ProposalState::Accepted).await
}

pub(crate) async fn decline(ctx: Ctx, call: Call, input: Which) -> Result<Dashboard> {
    decide(ctx, call, input, None, ProposalState::Declined).await
}

async fn decide(ctx: Ctx, call: Call, input: Which, digest: Option<String>, state: ProposalState) -> Result<Dashboard> {
    let (now_ms, bus) = (ctx.now_ms(), ctx.events());
    ctx.db()
        .write(move |tx| {
            let (account, id) = (call.account(), &input.dashboard_id);
            let old = record::read(tx, &call.caller, id, Need::Write)?;
            let found = one(tx, account, id, &input.proposal_id)?;
            if found.proposal.state != ProposalState::Open {
                let detail = format!("The proposal was already {}.", found.proposal.state.name());
                return Err(PROPOSAL_DECIDED.error(detail));
            }
            if digest.is_some_and(|read| read != found.proposal.digest) {
                let detail = "The session changed its proposal since you read it. Check it again.";
                return Err(PROPOSAL_CHANGED.error(detail));
            }
            let changed = if state == ProposalState::Accepted {
                let now = Doc { name: old.name.clone(), config: config::with_ids(&old.config) };
                let merged = laid_onto(&now, &doc_of(&found.base)?, &doc_of(&found.proposed)?);
                config::checked(&merged.config)?;
                record::store(tx, &call.caller, now_ms, &bus, old, merged)?
            } else {
                old
            };
            tx.execute(
                "UPDATE dashboard_proposals SET state = $4, decided_ms = $5, base_json = '', proposed_json = '' \
                 WHERE account_id = $1 AND dashboard_id = $2 AND proposal_id = $3",
                params![account, id, &input.proposal_id, state.name(), now_ms],
            )?;
            forget_old(tx, account, id)?;
            note(tx, &call, now_ms, id, &input.proposal_id, state)?;
            announce(tx, &bus, account, id, &input.proposal_id)?;
            Ok(changed)
        })
        .await
}

/// Removes the oldest decided proposals.
fn forget_old(tx: &mut Tx<'_>, account: &str, dashboard: &str) -> Result<()> {
    let sql = "SELECT proposal_id FROM dashboard_proposals WHERE account_id = $1 AND dashboard_id = $2 AND state <> 'open' \
         ORDER BY proposal_id DESC LIMIT 1 OFFSET $3";
    let oldest: Option<String> = tx.query_opt(sql, params![account, dashboard, DECIDED_MAX], |row| row.get(0))?;
    if let Some(oldest) = oldest {
        tx.execute(
            "DELETE FROM dashboard_proposals WHERE account_id = $1 AND dashboard_id = $2 AND state <> 'open' AND proposal_id <= $3",
            params![account, dashboard, oldest],
        )?;
    }
    Ok(())
}

/// Removes the proposals of a permanently deleted dashboard.
pub(crate) fn forget(tx: &mut Tx<'_>, account: &str, dashboard: &str) -> Result<()> {
    tx.execute(
        "DELETE FROM dashboard_proposals WHERE account_id = $1 AND dashboard_id = $2",
        params![account, dashboard],
    )?;
    Ok(())
}
