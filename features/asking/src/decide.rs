//! The user's decisions about requests: review, provide or decline a value, save or dismiss a key.

use crate::ask::expect_secret_name;
use crate::errors::{DECIDED, SECRETS_UNAVAILABLE};
use crate::keep::{Keeper, Named, sealed_for};
use crate::rows::{ASKS, AskKind, AskRecord, SECRET_NAME, Status, Target, decide, expect_waiting, one, record};
use kit::{Call, Caller, CallerSet, Ctx, Method, Op, Page, Part, Result, Secret};
use schemars::JsonSchema;
use secrets::Unkept;
use serde::{Deserialize, Serialize, Serializer};
use store::{HasDb, Tx, params};

/// Default number of requests in an answer.
const PAGE_ASKS: i64 = 200;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "asks.list",
            Method::Get,
            "/asks",
            CallerSet::PERSON,
            "List input requests and key proposals, newest first.",
            list,
        )
        .columns(&["id", "kind", "name", "sessionId", "status", "createdAt"]),
        Op::new(
            "asks.get",
            Method::Get,
            "/asks/{askId}",
            CallerSet::PERSON,
            "Get an input request or key proposal.",
            get,
        )
        .example(r#"{"askId": "{askId}"}"#),
        Op::new(
            "asks.answer",
            Method::Post,
            "/input-requests/{askId}/answer",
            CallerSet::PERSON,
            "Submit the requested value. The session learns only that it was provided.",
            answer,
        )
        .example(r#"{"askId": "{askId}", "value": "V"}"#)
        .errors([&DECIDED, &SECRETS_UNAVAILABLE]),
        Op::new(
            "asks.decline",
            Method::Post,
            "/input-requests/{askId}/decline",
            CallerSet::PERSON,
            "Decline an input request. The session is notified.",
            decline,
        )
        .example(r#"{"askId": "{spareAskId}"}"#)
        .errors([&DECIDED]),
        Op::new(
            "asks.proposedValue",
            Method::Get,
            "/key-proposals/{askId}/value",
            CallerSet::PERSON,
            "Get a proposed key, to review it before saving.",
            proposed_value,
        )
        .example(r#"{"askId": "{keyAskId}"}"#)
        .errors([&DECIDED, &SECRETS_UNAVAILABLE]),
        Op::new(
            "asks.saveKey",
            Method::Post,
            "/key-proposals/{askId}/save",
            CallerSet::PERSON,
            "Save a proposed key in the system keychain. It replaces a secret with the same name.",
            save_key,
        )
        .example(r#"{"askId": "{spareKeyAskId}", "value": "V"}"#)
        .errors([&DECIDED, &SECRETS_UNAVAILABLE]),
        Op::new(
            "asks.dismissKey",
            Method::Post,
            "/key-proposals/{askId}/dismiss",
            CallerSet::PERSON,
            "Dismiss a key proposal. Nothing is stored.",
            dismiss_key,
        )
        .example(r#"{"askId": "{keyAskId}"}"#)
        .errors([&DECIDED]),
    ]
}

/// Filters for requests.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct List {
    /// Only with this status.
    status: Option<Status>,
    /// Only requests of this session.
    session: Option<String>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = kit::text::CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: 200.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<AskRecord>> {
    let part = Part { cursor: input.cursor, limit: Some(input.limit.unwrap_or(PAGE_ASKS)) };
    let before = part.after()?.unwrap_or("~").to_owned();
    let read = move |tx: &mut Tx<'_>| {
        let sql = format!(
            "{ASKS} AND a.ask_id < $2 AND ($3 = '' OR a.status = $3) AND ($4 = '' OR a.session_id = $4) \
             ORDER BY a.ask_id DESC LIMIT $5"
        );
        let status = input.status.map_or("", Status::name);
        let session = input.session.as_deref().unwrap_or_default();
        let asks = tx.query(&sql, params![call.account(), &before, status, session, part.to_read()], record)?;
        part.first_page(asks, |ask| (&ask.id).into())
    };
    ctx.db().read(read).await
}

/// Identifies a request.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct AskId {
    ask_id: String,
}

async fn get(ctx: Ctx, call: Call, input: AskId) -> Result<AskRecord> {
    let sql = format!("{ASKS} AND a.ask_id = $2");
    let read = move |tx: &mut Tx<'_>| tx.query_one(&sql, params![call.account(), &input.ask_id], record);
    ctx.db().read(read).await
}

/// The answer to an input request.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Answer {
    ask_id: String,
    /// The value.
    value: Secret,
}

async fn answer(ctx: Ctx, call: Call, input: Answer) -> Result<AskRecord> {
    input.value.expect("/value")?;
    let ask = read(&ctx, &call.caller, AskKind::Input, &input.ask_id).await?;
    expect_waiting(&ask)?;
    let (kind, name) = ask.target.parts();
    let session = Some(kind).filter(|kind| *kind == "env").and(ask.session_id.clone()).unwrap_or_default();
    let named = Named { kind, session, name: name.to_owned() };
    keep(&ctx, call.caller, (AskKind::Input, Status::Provided), ask.id, named, input.value).await
}

/// A key to save.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SaveKey {
    ask_id: String,
    /// The key to store.
    value: Secret,
    /// The secret's name. Default: the proposed name.
    #[schemars(regex(pattern = SECRET_NAME))]
    name: Option<String>,
}

async fn save_key(ctx: Ctx, call: Call, input: SaveKey) -> Result<AskRecord> {
    input.value.expect("/value")?;
    let ask = read(&ctx, &call.caller, AskKind::Key, &input.ask_id).await?;
    expect_waiting(&ask)?;
    let name = input.name.unwrap_or_else(|| ask.target.parts().1.to_owned());
    expect_secret_name(&name, "/name")?;
    let named = Named { kind: Target::Secret(String::new()).parts().0, session: String::new(), name };
    keep(&ctx, call.caller, (AskKind::Key, Status::Saved), ask.id, named, input.value).await
}

async fn keep(
    ctx: &Ctx,
    caller: Caller,
    (kind, status): (AskKind, Status),
    id: String,
    named: Named,
    value: Secret,
) -> Result<AskRecord> {
    let (account, by) = (caller.account.clone(), caller.clone());
    let (of, which) = (account.clone(), id.clone());
    let check = move |tx: &mut Tx<'_>| expect_waiting(&one(tx, &of, kind, &which)?);
    let (within, which) = (ctx.clone(), id.clone());
    let write = move |tx: &mut Tx<'_>| decide(tx, &within, &by, (kind, &which, status));
    ctx.service::<Keeper>().keep(&account, named, value, check, write).await?;
    read(ctx, &caller, kind, &id).await
}

async fn decline(ctx: Ctx, call: Call, input: AskId) -> Result<AskRecord> {
    refuse(ctx, call, (AskKind::Input, Status::Declined), input.ask_id).await
}

async fn dismiss_key(ctx: Ctx, call: Call, input: AskId) -> Result<AskRecord> {
    refuse(ctx, call, (AskKind::Key, Status::Dismissed), input.ask_id).await
}

async fn refuse(ctx: Ctx, call: Call, (kind, status): (AskKind, Status), id: String) -> Result<AskRecord> {
    let within = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        decide(tx, &within, &call.caller, (kind, &id, status))?;
        one(tx, &call.caller.account, kind, &id)
    };
    ctx.db().write(write).await
}

async fn read(ctx: &Ctx, caller: &Caller, kind: AskKind, id: &str) -> Result<AskRecord> {
    let (account, id) = (caller.account.clone(), id.to_owned());
    ctx.db().read(move |tx| one(tx, &account, kind, &id)).await
}

/// A proposed key.
#[derive(Debug, Serialize, JsonSchema)]
struct ProposedValue {
    /// The key as proposed by the session.
    #[serde(serialize_with = "revealed")]
    #[schemars(with = "String")]
    value: Secret,
}

fn revealed<S: Serializer>(value: &Secret, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value.reveal())
}

async fn proposed_value(ctx: Ctx, call: Call, input: AskId) -> Result<ProposedValue> {
    let (account, id) = (call.caller.account.clone(), input.ask_id.clone());
    let read = move |tx: &mut Tx<'_>| {
        expect_waiting(&one(tx, &account, AskKind::Key, &id)?)?;
        let sql = "SELECT sealed FROM asks WHERE account_id = $1 AND ask_id = $2";
        tx.query_one(sql, params![&*account, &id], |row| row.get::<String>(0))
    };
    let (caller, sealed) = (call.caller, ctx.db().read(read).await?);
    let sealer = ctx.service::<Keeper>().sealer().await?;
    let opened = sealer.open_text(&sealed_for(&caller.account, &input.ask_id), &sealed);
    Ok(ProposedValue { value: opened.map_err(|Unkept(why)| SECRETS_UNAVAILABLE.error(why))? })
}
