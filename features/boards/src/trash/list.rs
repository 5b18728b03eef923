//! Lists of Archive and Trash.

use super::boards::{self, KeptBoard};
use super::{FIELDS, Kind, Place, TRASH_KEPT_MS, TrashEntry, due_before, kept_row};
use crate::actor::Actor;
use crate::board::{self, BoardRecord};
use crate::fault;
use crate::inputs::{PAGE_MAX, page};
use column_types::NAME_CHARS_MAX;
use kit::error::{Result, invalid};
use kit::lookup::Workspaces;
use kit::text::{CURSOR, id_cursor, unknown_cursor};
use kit::{Call, Caller, Ctx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{HasDb, Tx, params};

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "TrashOf", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct List {
    /// ID, not the name.
    board_id: String,
    /// `trash` or `archive`.
    #[serde(default)]
    place: Place,
    /// Only entries whose name contains this, ignoring case.
    #[schemars(length(max = NAME_CHARS_MAX))]
    search: Option<String>,
    /// Page size, 1 to 1,000. Default: 100.
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<i64>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = "^[0-9]{1,15}-(item|group|column)-[0-9a-z]{1,40}$"))]
    cursor: Option<String>,
}

/// A deleted or archived part of a board.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "TrashEntry", rename_all = "camelCase")]
struct Entry {
    /// The kind of entry.
    #[schemars(with = "Kind")]
    kind: String,
    /// Its ID, kept when restored.
    id: String,
    name: String,
    /// The item's group.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    group_id: String,
    /// Number of items deleted or archived with it.
    item_count: i64,
    /// When it was deleted or archived.
    at: String,
    /// The member, session, or token that deleted or archived it.
    actor: Actor,
    /// When it's permanently deleted; never for Archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<String>,
}

/// A page of deleted or archived entries, newest first.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "Trash", rename_all = "camelCase")]
pub(crate) struct Entries {
    items: Vec<Entry>,
    /// Cursor of the next page; null on the last.
    next_cursor: Option<String>,
}

/// Escapes wildcards for LIKE.
fn pattern(search: Option<&str>) -> String {
    let mut pattern = String::from("%");
    for letter in search.unwrap_or_default().trim().to_lowercase().chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern + "%"
}

fn expect_search(search: Option<&str>) -> Result<()> {
    if search.is_some_and(|search| search.chars().count() > NAME_CHARS_MAX) {
        let detail = format!("search can have up to {NAME_CHARS_MAX} characters.");
        return Err(invalid("/search", fault::WRONG_LENGTH, detail));
    }
    Ok(())
}

fn place_in(cursor: &str) -> Option<(i64, String, String)> {
    let mut parts = cursor.splitn(3, '-');
    let (ms, kind, id) = (parts.next()?, parts.next()?, parts.next()?);
    let is_ms = (1..=15).contains(&ms.len()) && ms.bytes().all(|b| b.is_ascii_digit());
    let is_kind = [Kind::Item, Kind::Group, Kind::Column].iter().any(|known| known.name() == kind);
    let is_id = (1..=40).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase());
    if is_ms && is_kind && is_id { Some((ms.parse().ok()?, kind.to_owned(), id.to_owned())) } else { None }
}

pub(crate) async fn list(ctx: Ctx, call: Call, input: List) -> Result<Entries> {
    let limit = page(input.limit)?;
    expect_search(input.search.as_deref())?;
    let before = match input.cursor.as_deref() {
        None => (i64::MAX, String::new(), String::new()),
        Some(cursor) => place_in(cursor).ok_or_else(unknown_cursor)?,
    };
    let now_ms = ctx.now_ms();
    let read = move |tx: &mut Tx<'_>| {
        let board = board::load(tx, call.account(), &input.board_id)?;
        let sql = format!(
            "SELECT {FIELDS} FROM board_kept WHERE account_id = $1 AND board_id = $2 AND state = $3 AND with_thing = '' \
             AND kept_ms > $4 AND lower(name_lower) LIKE $5 ESCAPE '\\' AND kept_ms <= $6 \
             AND (kept_ms < $6 OR kind < $7 OR (kind = $7 AND thing_id < $8)) \
             ORDER BY kept_ms DESC, kind DESC, thing_id DESC LIMIT $9"
        );
        let after = if input.place == Place::Trash { due_before(now_ms) } else { -1 };
        let (ms, kind, id) = before;
        let pattern = pattern(input.search.as_deref());
        let of = params![call.account(), &board.id, input.place.name(), after, pattern, ms, kind, id, limit + 1];
        let mut kept = tx.query(&sql, of, kept_row)?;
        let more = kept.len() as i64 > limit;
        kept.truncate(limit as usize);
        let next_cursor =
            kept.last().filter(|_| more).map(|last| format!("{}-{}-{}", last.kept_ms, last.kind, last.id));
        let items = kept.into_iter().map(|kept| entry(tx, &call.caller, &board.id, kept)).collect::<Result<_>>()?;
        Ok(Entries { items, next_cursor })
    };
    ctx.db().read(read).await
}

fn deleted_at(state: &str, kept_ms: i64) -> Option<String> {
    (state == Place::Trash.name()).then(|| kit::rfc3339(kept_ms + TRASH_KEPT_MS))
}

fn entry(tx: &mut Tx<'_>, caller: &Caller, board_id: &str, kept: TrashEntry) -> Result<Entry> {
    let sql = "SELECT count(*) FROM board_kept WHERE account_id = $1 AND board_id = $2 AND with_thing = $3";
    let with = format!("{}/{}", kept.kind, kept.id);
    let item_count = tx.query_one(sql, params![&*caller.account, board_id, with], |row| row.get(0))?;
    Ok(Entry {
        item_count,
        at: kit::rfc3339(kept.kept_ms),
        actor: Actor::new(kept.actor, kept.session_id, &caller.sessions_seen()),
        deleted_at: deleted_at(&kept.state, kept.kept_ms),
        kind: kept.kind,
        id: kept.id,
        name: kept.name,
        group_id: kept.group_id,
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "TrashOfBoards", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ListBoards {
    /// Only boards of this workspace.
    workspace_id: Option<String>,
    /// `trash` or `archive`.
    #[serde(default)]
    place: Place,
    /// Only boards whose name contains this, ignoring case.
    #[schemars(length(max = NAME_CHARS_MAX))]
    search: Option<String>,
    /// Page size, 1 to 1,000. Default: 100.
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<i64>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
}

/// A deleted or archived board.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "TrashBoard", rename_all = "camelCase")]
struct BoardEntry {
    #[serde(flatten)]
    board: BoardRecord,
    /// When it was deleted or archived.
    at: String,
    /// When it's permanently deleted; never for Archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<String>,
}

/// A page of deleted or archived boards, newest first.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "TrashBoards", rename_all = "camelCase")]
pub(crate) struct BoardEntries {
    items: Vec<BoardEntry>,
    /// Cursor of the next page; null on the last.
    next_cursor: Option<String>,
}

pub(crate) async fn boards(ctx: Ctx, call: Call, input: ListBoards) -> Result<BoardEntries> {
    let limit = page(input.limit)? as usize;
    id_cursor(input.cursor.as_deref())?;
    expect_search(input.search.as_deref())?;
    let workspace = input.workspace_id.unwrap_or_default();
    if !workspace.is_empty() {
        ctx.service::<Workspaces>().expect(call.account(), &workspace).await?;
    }
    let now_ms = ctx.now_ms();
    let read = move |tx: &mut Tx<'_>| boards::all(tx, call.account(), input.place, now_ms);
    let mut all = ctx.db().read(read).await?;
    let search = input.search.unwrap_or_default().trim().to_lowercase();
    all.retain(|kept| {
        (workspace.is_empty() || kept.board.workspace_id == workspace)
            && kept.board.name.to_lowercase().contains(&search)
    });
    all.sort_by(|a, b| (b.kept_ms, &b.board.id).cmp(&(a.kept_ms, &a.board.id)));
    // The cursor is the last board of the page before; where it was brought back meanwhile, the list begins again.
    let from = input.cursor.and_then(|last| all.iter().position(|kept| kept.board.id == last)).map_or(0, |at| at + 1);
    let more = all.len() > from + limit;
    let shown = all.into_iter().skip(from).take(limit);
    let items: Vec<_> = shown.map(board_entry).collect();
    let next_cursor = items.last().filter(|_| more).map(|last| last.board.id.clone());
    Ok(BoardEntries { items, next_cursor })
}

fn board_entry(kept: KeptBoard) -> BoardEntry {
    BoardEntry {
        board: kept.board.record(),
        at: kit::rfc3339(kept.kept_ms),
        deleted_at: deleted_at(&kept.state, kept.kept_ms),
    }
}
