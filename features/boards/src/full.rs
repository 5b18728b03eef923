//! A whole board in one answer, as JSON or an Arrow stream, cached in memory.

use crate::board::{self, BoardRecord, ColumnRecord, GroupRecord};
use crate::cells::Column;
use crate::directory::{self, MemberRecord};
use crate::form::{ARROW, Form, Head, JSON};
use crate::image::Image;
use crate::item::Record;
use crate::links::{self, Linked, Marks};
use crate::{named, sessions};
use bytes::Bytes;
use kit::error::Result;
use kit::lookup::AGENT_SESSIONS;
use kit::{Body, Call, Ctx, Media, Raw, Reply, SessionsSeen};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard};
use store::{HasDb, Tx, params};

/// Maximum bytes of cached boards; the least recently used are evicted first.
pub const KEPT_BYTES_MAX: usize = 512 * 1024 * 1024;

/// A board ready to send.
#[derive(Clone)]
pub(crate) struct Ready {
    pub(crate) revision: i64,
    /// When the board, or one that it shows cells of, changed last.
    pub(crate) changed_ms: i64,
    /// Referenced members, and a hash of their names at build time.
    members: Arc<BTreeSet<String>>,
    members_hash: u64,
    /// Boards that cells link to, and the revisions that they had.
    sources: Arc<Sources>,
    pub(crate) etag: Arc<str>,
    pub(crate) parts: Vec<Bytes>,
    pub(crate) bytes: usize,
}

/// Ids of boards, and the revisions of those that are there.
type Sources = (Vec<String>, Vec<Option<i64>>);

impl Ready {
    /// A board that isn't cached and references no members.
    pub(crate) fn unkept(revision: i64, changed_ms: i64, etag: Arc<str>, parts: Vec<Bytes>) -> Ready {
        let bytes = parts.iter().map(Bytes::len).sum();
        let (members, sources) = (Arc::default(), Arc::default());
        Ready { revision, changed_ms, members, members_hash: 0, sources, etag, parts, bytes }
    }
}

type Key = (String, String, Form);
/// Source of the next [`Ready`]; the lock's holder builds it while others wait.
type Slot = Arc<tokio::sync::Mutex<Option<Image>>>;

/// Full boards in memory, by account, board and form.
#[derive(Default)]
pub(crate) struct Kept(Mutex<Boards>);

#[derive(Default)]
struct Boards {
    ready: HashMap<Key, (Ready, u64)>,
    slots: HashMap<Key, Slot>,
    bytes: usize,
    asked: u64,
}

impl Boards {
    fn remove(&mut self, key: &Key) {
        self.slots.remove(key);
        if let Some((old, _)) = self.ready.remove(key) {
            self.bytes -= old.bytes;
        }
    }
}

impl Kept {
    fn get(&self, key: &Key) -> Option<Ready> {
        let mut boards = self.boards();
        boards.asked += 1;
        let now = boards.asked;
        let (ready, asked) = boards.ready.get_mut(key)?;
        *asked = now;
        Some(ready.clone())
    }

    fn put(&self, key: Key, ready: Ready) {
        let mut boards = self.boards();
        boards.asked += 1;
        boards.bytes += ready.bytes;
        let entry = (ready, boards.asked);
        if let Some((old, _)) = boards.ready.insert(key, entry) {
            boards.bytes -= old.bytes;
        }
        while boards.bytes > KEPT_BYTES_MAX {
            let oldest = boards.ready.iter().min_by_key(|(_, (_, asked))| *asked).map(|(key, _)| key.clone());
            let Some(oldest) = oldest else { break };
            boards.remove(&oldest);
        }
    }

    /// Removes a deleted board from the cache.
    pub(crate) fn forget(&self, account: &str, board_id: &str) {
        let mut boards = self.boards();
        for form in [Form::Json, Form::Arrow] {
            boards.remove(&(account.to_owned(), board_id.to_owned(), form));
        }
    }

    fn slot(&self, key: &Key) -> Slot {
        let mut boards = self.boards();
        let Boards { ready, slots, .. } = &mut *boards;
        // Of boards that are no more, or never were, nothing stays.
        slots.retain(|key, slot| ready.contains_key(key) || Arc::strong_count(slot) > 1);
        slots.entry(key.clone()).or_default().clone()
    }

    fn boards(&self) -> MutexGuard<'_, Boards> {
        self.0.lock().expect("no panic while held")
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Which {
    /// ID, not the name.
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
    /// Members referenced by cells.
    members: Vec<MemberRecord>,
    /// Data of linked boards; omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    linked: Vec<Linked>,
    /// Marks of the linked boards, to send as `linkedAt` to `boards.changed`.
    #[serde(skip_serializing_if = "Marks::is_empty")]
    linked_at: Marks,
    /// Every item in the board's order.
    items: Vec<Record>,
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
    let ready = ready(&ctx, call.account(), input.board_id, &call.caller.sessions_seen(), form).await?;
    if call.holds(&ready.etag) {
        return Ok(Reply::not_modified(&ready.etag).header("vary", "accept").into());
    }
    let reply = Reply { status: 200, content_type: form.media(), headers: Vec::new(), body: Body::Parts(ready.parts) };
    Ok(reply.header("etag", &*ready.etag).header("vary", "accept").header("cache-control", "private, no-cache").into())
}

/// The current board in one form, from the cache if it's up to date.
pub(crate) async fn ready(
    ctx: &Ctx,
    account: &str,
    board_id: String,
    seen: &SessionsSeen,
    form: Form,
) -> Result<Ready> {
    if board_id == AGENT_SESSIONS {
        return sessions::ready(ctx, account, seen, form).await;
    }
    let key = (account.to_owned(), board_id, form);
    let kept = ctx.service::<Kept>();
    if let Some(ready) = current(ctx, kept.get(&key), &key).await? {
        return Ok(ready);
    }
    let slot = kept.slot(&key);
    let mut image = slot.lock().await;
    if let Some(ready) = current(ctx, kept.get(&key), &key).await? {
        return Ok(ready);
    }
    let (next, built) = build(ctx, &key, image.take()).await?;
    *image = Some(next);
    kept.put(key, built.clone());
    Ok(built)
}

/// The cached board if it's up to date. Always checks that the board belongs to the account.
async fn current(ctx: &Ctx, kept: Option<Ready>, key: &Key) -> Result<Option<Ready>> {
    let Some(ready) = kept else { return Ok(None) };
    let (account, board_id) = (key.0.clone(), key.1.clone());
    let sources = ready.sources.clone();
    let read = move |tx: &mut Tx<'_>| {
        let sql = "SELECT revision FROM boards WHERE account_id = $1 AND board_id = $2 AND state = 'ready'";
        let revision = tx.query_one(sql, params![&account, board_id], |row| row.get::<i64>(0))?;
        Ok((revision, links::revisions(tx, &account, &sources.0)? == sources.1))
    };
    if ctx.db().read(read).await? != (ready.revision, true) {
        return Ok(None);
    }
    let same = hash(&directory::named(ctx, &key.0, &ready.members).await?) == ready.members_hash;
    Ok(same.then_some(ready))
}

fn hash(members: &[MemberRecord]) -> u64 {
    let mut hasher = DefaultHasher::new();
    members.iter().for_each(|member| (&member.id, &member.name).hash(&mut hasher));
    hasher.finish()
}

fn hash_of(linked: &[Linked]) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    serde_json::to_vec(linked).map_err(board::damaged)?.hash(&mut hasher);
    Ok(hasher.finish())
}

/// Updates a cached board or reads it whole, and prepares it for sending.
async fn build(ctx: &Ctx, key: &Key, kept: Option<Image>) -> Result<(Image, Ready)> {
    let (account, board_id, form) = key.clone();
    let read = move |tx: &mut Tx<'_>| {
        let board = board::load(tx, &account, &board_id)?;
        let columns = board::columns(tx, &account, &board_id)?;
        let image = Image::refresh(tx, &account, &board, &columns, form, kept)?;
        let targets = named::targets(&columns);
        let revisions = links::revisions(tx, &account, &targets)?;
        let changed_ms = board.updated_ms.max(links::changed_ms(tx, &account, &targets)?.unwrap_or_default());
        let (linked, linked_at) = links::linked(tx, &account, &columns, &image.links())?;
        let head = Head {
            board: board.record(),
            groups: board::groups(tx, &account, &board_id)?,
            columns: columns.iter().map(Column::record).collect::<Result<_>>()?,
            members: Vec::new(),
            linked,
            linked_at,
        };
        Ok((board, image, head, (targets, revisions), changed_ms))
    };
    let (board, image, mut head, sources, changed_ms) = ctx.db().read(read).await?;
    let mut members = image.members();
    members.extend(links::members(&head.linked));
    head.members = directory::named(ctx, &key.0, &members).await?;
    let members_hash = hash(&head.members);
    let suffix = if form == Form::Json { 'j' } else { 'a' };
    // What is shown of linked boards changes without this one's revision.
    let linked_hash = if head.linked.is_empty() { String::new() } else { format!("{:016x}", hash_of(&head.linked)?) };
    // With the time of the last change: after a backup was restored, revisions come once more with other contents.
    let etag = format!("\"{}-{:x}-{members_hash:016x}{linked_hash}{suffix}\"", board.revision, board.updated_ms);
    let parts = image.parts(&head)?;
    let bytes = parts.iter().map(Bytes::len).sum();
    let (members, sources, etag) = (Arc::new(members), Arc::new(sources), etag.into());
    Ok((image, Ready { revision: board.revision, changed_ms, members, members_hash, sources, etag, parts, bytes }))
}
