//! A whole board in one answer, as JSON or as an Arrow stream, kept in memory ready to send.

use crate::board::{self, Board, BoardRecord, ColumnRecord, GroupRecord};
use crate::cells::{Column, ColumnType};
use crate::items::Record;
use crate::scan::list_end;
use crate::{arrow, ids};
use bytes::Bytes;
use kit::error::{self, Result};
use kit::{Body, Call, Ctx, Media, Raw, Reply};
use rustc_hash::FxHashSet;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};
use store::{HasDb, Tx, params};

/// Media type of the Arrow form.
pub const ARROW: &str = "application/vnd.apache.arrow.stream";
const JSON: &str = "application/json";
/// Bytes of full boards kept in memory; the ones that were not asked for the longest go first.
pub const KEPT_BYTES_MAX: usize = 512 * 1024 * 1024;
/// Largest answer of either form; a board past it is read in pages.
pub const FULL_BYTES_MAX: usize = 1024 * 1024 * 1024;

/// The two forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    Json,
    Arrow,
}

impl Form {
    /// The form that an `Accept` header prefers: the higher quality, then the more exact range, then JSON.
    pub(crate) fn preferred(accept: Option<&str>) -> Form {
        let Some(accept) = accept else { return Form::Json };
        let (mut json, mut arrow) = ((0, 0), (0, 0));
        for range in accept.split(',') {
            let mut parts = range.split(';').map(str::trim);
            let media = parts.next().unwrap_or_default().to_ascii_lowercase();
            let quality = parts.find_map(|p| p.strip_prefix("q=").or(p.strip_prefix("Q="))).unwrap_or("1");
            let quality = quality.parse::<f32>().map_or(0, |q| (q.clamp(0.0, 1.0) * 1000.0) as u32);
            let exactness = match media.as_str() {
                "*/*" => 1,
                "application/*" => 2,
                _ => 3,
            };
            let general = exactness < 3;
            for (form, name) in [(&mut json, JSON), (&mut arrow, ARROW)] {
                // The most exact range that names a form decides its quality.
                if (general || media == name) && exactness > form.1 {
                    *form = (quality, exactness);
                }
            }
        }
        if arrow.0 > 0 && arrow > json { Form::Arrow } else { Form::Json }
    }

    fn media(self) -> &'static str {
        match self {
            Form::Json => JSON,
            Form::Arrow => ARROW,
        }
    }
}

/// A board ready to send.
#[derive(Clone)]
pub(crate) struct Ready {
    revision: i64,
    /// Members that it names, and a hash of what they were named when it was built.
    members: Arc<BTreeSet<String>>,
    members_hash: u64,
    etag: Arc<str>,
    pub(crate) body: Bytes,
}

type Key = (String, String, Form);

/// Full boards in memory, by account, board and form.
#[derive(Default)]
pub(crate) struct Kept {
    boards: Mutex<Boards>,
    building: Mutex<HashMap<Key, Arc<tokio::sync::Mutex<()>>>>,
}

#[derive(Default)]
struct Boards {
    ready: HashMap<Key, (Ready, u64)>,
    bytes: usize,
    asked: u64,
}

impl Kept {
    fn get(&self, key: &Key) -> Option<Ready> {
        let mut boards = self.boards.lock().expect("no panic while held");
        boards.asked += 1;
        let now = boards.asked;
        let (ready, asked) = boards.ready.get_mut(key)?;
        *asked = now;
        Some(ready.clone())
    }

    fn put(&self, key: Key, ready: Ready) {
        if ready.body.len() > KEPT_BYTES_MAX {
            return;
        }
        let mut boards = self.boards.lock().expect("no panic while held");
        boards.asked += 1;
        boards.bytes += ready.body.len();
        let entry = (ready, boards.asked);
        if let Some((old, _)) = boards.ready.insert(key, entry) {
            boards.bytes -= old.body.len();
        }
        while boards.bytes > KEPT_BYTES_MAX {
            let oldest = boards.ready.iter().min_by_key(|(_, (_, asked))| *asked).map(|(key, _)| key.clone());
            let Some((old, _)) = oldest.and_then(|key| boards.ready.remove(&key)) else { break };
            boards.bytes -= old.body.len();
        }
    }

    /// Lets go of a board that is no more.
    pub(crate) fn forget(&self, account: &str, board_id: &str) {
        let mut boards = self.boards.lock().expect("no panic while held");
        for form in [Form::Json, Form::Arrow] {
            if let Some((old, _)) = boards.ready.remove(&(account.to_owned(), board_id.to_owned(), form)) {
                boards.bytes -= old.body.len();
            }
        }
    }

    /// Builds one board's form at a time: those who ask meanwhile wait for it instead of building it again.
    fn turn(&self, key: &Key) -> Arc<tokio::sync::Mutex<()>> {
        let mut building = self.building.lock().expect("no panic while held");
        building.retain(|_, turn| Arc::strong_count(turn) > 1);
        building.entry(key.clone()).or_default().clone()
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Which {
    /// The board.
    board_id: String,
}

/// A full board.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "documents the answer, which is written by hand for speed")]
pub(crate) struct FullBoard {
    board: BoardRecord,
    groups: Vec<GroupRecord>,
    columns: Vec<ColumnRecord>,
    /// Members that cells refer to.
    members: Vec<MemberRecord>,
    /// Every item in the board's order.
    items: Vec<Record>,
}

/// A member that cells refer to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct MemberRecord {
    id: String,
    name: String,
}

/// Documents the two forms.
pub(crate) struct Full;
impl Media for Full {
    const TYPES: &'static [&'static str] = &[JSON, ARROW];
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<FullBoard>())
    }
}

pub(crate) async fn get(ctx: Ctx, call: Call, input: Which) -> Result<Raw<Full>> {
    let form = Form::preferred(call.accept.as_deref());
    let key = (call.account().to_owned(), input.board_id, form);
    let kept = ctx.service::<Kept>();
    let mut ready = current(&ctx, kept.get(&key), &key).await?;
    if ready.is_none() {
        let turn = kept.turn(&key);
        let _turn = turn.lock().await;
        ready = current(&ctx, kept.get(&key), &key).await?;
        if ready.is_none() {
            let (account, board_id, form) = key.clone();
            let built = ctx.db().read(move |tx| build(tx, &account, &board_id, form)).await?;
            kept.put(key, built.clone());
            ready = Some(built);
        }
    }
    let ready = ready.expect("found or built");
    if call.holds(&ready.etag) {
        return Ok(Reply::not_modified(&ready.etag).header("vary", "accept").into());
    }
    let reply =
        Reply { status: 200, content_type: form.media(), headers: Vec::new(), body: Body::Whole(ready.body.clone()) };
    Ok(reply.header("etag", &*ready.etag).header("vary", "accept").header("cache-control", "private, no-cache").into())
}

/// What is kept, if it is still what the board is. Asks the database each time whether the board is the account's.
async fn current(ctx: &Ctx, kept: Option<Ready>, key: &Key) -> Result<Option<Ready>> {
    let Some(ready) = kept else { return Ok(None) };
    let (account, board_id) = (key.0.clone(), key.1.clone());
    let read = move |tx: &mut Tx<'_>| {
        let sql = "SELECT revision FROM boards WHERE account_id = $1 AND board_id = $2 AND state = 'ready'";
        let revision: i64 = tx.query_one(sql, params![&account, &board_id], |row| row.get(0))?;
        let same = revision == ready.revision
            && (ready.members.is_empty() || hash(&members(tx, &account, &ready.members)?) == ready.members_hash);
        Ok(same.then_some(ready))
    };
    ctx.db().read(read).await
}

fn hash(members: &[MemberRecord]) -> u64 {
    let mut hasher = DefaultHasher::new();
    members.iter().for_each(|member| (&member.id, &member.name).hash(&mut hasher));
    hasher.finish()
}

/// Those of the account's members that are named, by id.
fn members(tx: &mut Tx<'_>, account: &str, named: &BTreeSet<String>) -> Result<Vec<MemberRecord>> {
    let sql = "SELECT member_id, name FROM members WHERE account_id = $1 ORDER BY member_id";
    let all = tx.query(sql, params![account], |row| Ok(MemberRecord { id: row.get(0)?, name: row.get(1)? }))?;
    Ok(all.into_iter().filter(|member| named.contains(&member.id)).collect())
}

/// What stands beside the items.
#[derive(Serialize)]
pub(crate) struct Head {
    pub(crate) board: BoardRecord,
    pub(crate) groups: Vec<GroupRecord>,
    pub(crate) columns: Vec<ColumnRecord>,
    pub(crate) members: Vec<MemberRecord>,
}

/// Reads and writes out one form of a board.
pub(crate) fn build(tx: &mut Tx<'_>, account: &str, board_id: &str, form: Form) -> Result<Ready> {
    let board = board::load(tx, account, board_id)?;
    let columns = board::columns(tx, account, board_id)?;
    let mut head = Head {
        board: board.record(),
        groups: board::groups(tx, account, board_id)?,
        columns: columns.iter().map(Column::record).collect::<Result<_>>()?,
        members: Vec::new(),
    };
    let (named, body) = match form {
        Form::Json => json(tx, account, &board, &columns, &mut head)?,
        Form::Arrow => arrow::table(tx, account, &board, &columns, &mut head)?,
    };
    if body.len() > FULL_BYTES_MAX {
        return Err(too_large());
    }
    let members_hash = hash(&head.members);
    let suffix = if form == Form::Json { 'j' } else { 'a' };
    // With the time of the last change: after a backup was restored, revisions come once more with other contents.
    let etag = format!("\"{}-{:x}-{members_hash:016x}{suffix}\"", board.revision, board.updated_ms);
    let members = Arc::new(named);
    Ok(Ready { revision: board.revision, members, members_hash, etag: etag.into(), body: body.into() })
}

pub(crate) fn too_large() -> kit::Error {
    error::TOO_LARGE
        .error(format!("The board is over {FULL_BYTES_MAX} bytes in this form; read its items in pages instead."))
}

/// Every item's record in order.
pub(crate) const SCAN: &str =
    "SELECT record_json FROM items WHERE account_id = $1 AND board_id = $2 ORDER BY position, item_id";

/// What an item takes in the JSON form, at a guess.
const ITEM_BYTES: usize = 400;

fn json(
    tx: &mut Tx<'_>,
    account: &str,
    board: &Board,
    columns: &[Column],
    head: &mut Head,
) -> Result<(BTreeSet<String>, Vec<u8>)> {
    let fault = |e: serde_json::Error| error::INTERNAL.error("A board could not be written out.").caused_by(e);
    let mut out = Vec::with_capacity(board.item_count as usize * ITEM_BYTES + 4096);
    // The members come last, when it is known which are referred to.
    out.extend_from_slice(b"{\"board\":");
    serde_json::to_writer(&mut out, &head.board).map_err(fault)?;
    out.extend_from_slice(b",\"groups\":");
    serde_json::to_writer(&mut out, &head.groups).map_err(fault)?;
    out.extend_from_slice(b",\"columns\":");
    serde_json::to_writer(&mut out, &head.columns).map_err(fault)?;
    out.extend_from_slice(b",\"items\":[");
    let mut people = People::of(columns);
    tx.each(SCAN, params![account, &board.id], |row| {
        let record: &str = row.get(0)?;
        out.extend_from_slice(record.as_bytes());
        out.push(b',');
        people.see(record);
        if out.len() > FULL_BYTES_MAX { Err(too_large()) } else { Ok(()) }
    })?;
    if out.last() == Some(&b',') {
        out.pop();
    }
    let named = people.named()?;
    head.members = members(tx, account, &named)?;
    out.extend_from_slice(b"],\"members\":");
    serde_json::to_writer(&mut out, &head.members).map_err(fault)?;
    out.push(b'}');
    Ok((named, out))
}

/// Finds which members the cells refer to without parsing them: `"c4":[` can stand in a row only as that column's cell,
/// since within a text the quotes would be escaped. Looking for brackets is far quicker than looking for the whole.
struct People {
    members: Vec<String>,
    lists: FxHashSet<String>,
    last: String,
}

impl People {
    fn of(columns: &[Column]) -> People {
        let people = columns.iter().filter(|column| column.kind == Some(ColumnType::People));
        let members = people.map(|column| format!("\"{}\":", column.id)).collect();
        People { members, lists: FxHashSet::default(), last: String::new() }
    }

    fn see(&mut self, cells: &str) {
        if self.members.is_empty() {
            return;
        }
        let mut found = 0;
        for at in memchr::memchr_iter(b'[', cells.as_bytes()) {
            if !self.members.iter().any(|member| cells[..at].ends_with(member.as_str())) {
                continue;
            }
            let Some(end) = list_end(cells.as_bytes(), at) else { return };
            let list = &cells[at..end];
            if self.last != list {
                list.clone_into(&mut self.last);
                if !self.lists.contains(list) {
                    self.lists.insert(list.to_owned());
                }
            }
            found += 1;
            if found == self.members.len() {
                return;
            }
        }
    }

    fn named(self) -> Result<BTreeSet<String>> {
        let mut named = BTreeSet::new();
        for list in self.lists {
            named.extend(serde_json::from_str::<Vec<String>>(&list).map_err(board::damaged)?);
        }
        Ok(named)
    }
}

/// Members named by the distinct lists of people columns.
pub(crate) fn named_members(
    tx: &mut Tx<'_>,
    account: &str,
    lists: impl Iterator<Item = String>,
    head: &mut Head,
) -> Result<BTreeSet<String>> {
    let named = People { members: Vec::new(), lists: lists.collect(), last: String::new() }.named()?;
    head.members = members(tx, account, &named)?;
    Ok(named)
}

/// Position of each column in the board by the number in its id.
pub(crate) fn columns_by_number(columns: &[Column]) -> Vec<Option<usize>> {
    let mut by_number = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        let Some(number) = ids::number_in(&column.id, b'c') else { continue };
        if by_number.len() <= number {
            by_number.resize(number + 1, None);
        }
        by_number[number] = Some(index);
    }
    by_number
}
