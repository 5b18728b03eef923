//! Reading digests.

use crate::content::Content;
use crate::due::Kind;
use crate::rows::{self, Digest};
use crate::write::write_now;
use kit::text::CURSOR;
use kit::{Call, CallerSet, Created, Ctx, Method, Op, Page, Part, Result, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::HasDb;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new("digests.list", Method::Get, "/digests", CallerSet::PERSON, "List digests, newest first.", list)
            .columns(&["id", "label", "createdAt", "line"]),
        Op::new("digests.get", Method::Get, "/digests/{digestId}", CallerSet::PERSON, "Get a digest.", get)
            .example(r#"{"digestId": "{digestId}"}"#),
        Op::new(
            "digests.create",
            Method::Post,
            "/digests",
            CallerSet::PERSON,
            "Write a digest now: of the last 24 hours, or for `weekly` of the last 7 days.",
            create,
        )
        .example(r#"{"kind": "daily"}"#),
    ]
}

/// A digest in a list.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DigestEntry {
    id: String,
    /// `daily`, `weekly`, or `archive`.
    kind: String,
    /// The kind in words.
    label: String,
    /// RFC 3339 in UTC.
    created_at: String,
    /// The digest in one line.
    line: String,
    /// Whether the spending limit kept a model from writing it so far.
    paused: bool,
}

/// A digest.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Digest")]
#[serde(rename_all = "camelCase")]
struct Record {
    id: String,
    /// `daily`, `weekly`, or `archive`.
    kind: String,
    /// The kind in words.
    label: String,
    /// The start of its period; RFC 3339 in UTC.
    from: String,
    /// The end of its period; RFC 3339 in UTC.
    to: String,
    /// RFC 3339 in UTC.
    created_at: String,
    /// Whether the spending limit kept a model from writing it so far.
    paused: bool,
    content: Content,
}

impl From<Digest> for Record {
    fn from(digest: Digest) -> Record {
        Record {
            label: label(&digest.kind),
            id: digest.id,
            kind: digest.kind,
            from: rfc3339(digest.from_ms),
            to: rfc3339(digest.to_ms),
            created_at: rfc3339(digest.created_ms),
            paused: digest.is_paused,
            content: digest.content,
        }
    }
}

fn label(kind: &str) -> String {
    let all = [Kind::Daily, Kind::Weekly, Kind::Archive];
    all.into_iter().find(|one| one.name() == kind).map_or_else(|| kind.to_owned(), |one| one.label().to_owned())
}

impl From<Digest> for DigestEntry {
    fn from(digest: Digest) -> DigestEntry {
        DigestEntry {
            label: label(&digest.kind),
            line: digest.content.line(),
            id: digest.id,
            kind: digest.kind,
            created_at: rfc3339(digest.created_ms),
            paused: digest.is_paused,
        }
    }
}

/// A page of digests.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "DigestsParams")]
#[serde(deny_unknown_fields)]
struct List {
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: 50.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

/// Digests in a page unless another number is asked for.
const PAGE: i64 = 50;

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<DigestEntry>> {
    let part = Part { cursor: input.cursor, limit: Some(input.limit.unwrap_or(PAGE)) };
    let before = part.after()?.unwrap_or("~").to_owned();
    let read = move |tx: &mut store::Tx<'_>| {
        let digests = rows::list(tx, call.account(), &before, part.to_read())?;
        let entries = digests.into_iter().map(DigestEntry::from).collect();
        part.first_page(entries, |entry| (&entry.id).into())
    };
    ctx.db().read(read).await
}

/// Identifies a digest.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct DigestId {
    digest_id: String,
}

async fn get(ctx: Ctx, call: Call, input: DigestId) -> Result<Record> {
    let read = move |tx: &mut store::Tx<'_>| rows::one(tx, call.account(), &input.digest_id);
    ctx.db().read(read).await.map(Record::from)
}

/// The digest to write.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "NewDigest")]
#[serde(deny_unknown_fields)]
struct New {
    kind: Kind,
}

async fn create(ctx: Ctx, call: Call, input: New) -> Result<Created<Record>> {
    let account = call.caller.account;
    let digest = write_now(&ctx, &account, input.kind).await?;
    Ok(Created { location: format!("/digests/{}", digest.id), record: digest.into() })
}
