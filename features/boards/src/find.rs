//! `GET /boards/items/find`: items by name, over all boards.
//!
//! Invariants: what is found is on the account's boards as they are now; cached names never exceed their limit. The
//! names of a board are read whole once, and afterwards only those that changed.

use crate::board::{self, BOARDS_MAX, Board};
use crate::item;
use crate::scan;
use kit::error::Result;
use kit::lookup::Workspaces;
use kit::page::expect_within;
use kit::words::{Match, QUERY_CHARS_MAX, folded};
use kit::{Call, Ctx, Words};
use memchr::memmem;
use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::sync::{Arc, Mutex, MutexGuard};
use store::{HasDb, Row, Tx, params};

/// Maximum results.
const FOUND_MAX: usize = 20;
/// Maximum bytes of cached names. The names of a board that doesn't fit are read for each search.
const NAMES_BYTES_MAX: usize = 128 * 1024 * 1024;
/// Maximum changes that are merged into cached names; with more, they are read again.
const CHANGES_MAX: i64 = 10_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Query {
    /// Words that must all occur in the name.
    #[schemars(length(min = 1, max = QUERY_CHARS_MAX))]
    q: String,
    /// Only on boards of this workspace.
    workspace_id: Option<String>,
    /// 1 to 20. Default: 20.
    #[schemars(range(min = 1, max = FOUND_MAX))]
    limit: Option<usize>,
}

/// Items with matching names.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FoundItems {
    /// Best match first, then by the last change of the board and the item.
    items: Vec<FoundItem>,
}

/// An item with a matching name.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FoundItem {
    id: String,
    name: String,
    board_id: String,
    /// The board's name.
    board: String,
    /// The item that it's a subitem of; null for others.
    parent_id: Option<String>,
    updated_at: String,
}

pub(crate) async fn find(ctx: Ctx, call: Call, input: Query) -> Result<FoundItems> {
    let words = Words::expect(&input.q, "/q")?;
    let limit = expect_within(input.limit.unwrap_or(FOUND_MAX), 1..=FOUND_MAX, "/limit")?;
    if let Some(workspace) = &input.workspace_id {
        ctx.service::<Workspaces>().expect(call.account(), workspace).await?;
    }
    let names = ctx.service::<Names>();
    let read = move |tx: &mut Tx<'_>| {
        let account = call.account();
        let boards = board::load_many(tx, account, "", "", BOARDS_MAX)?;
        names.keep_only(account, &boards);
        let is_wanted = |board: &&Board| input.workspace_id.as_ref().is_none_or(|id| *id == board.workspace_id);
        let mut hits = Vec::new();
        for board in boards.iter().filter(is_wanted) {
            let found = names.search(tx, account, board, &words, limit)?;
            hits.extend(found.into_iter().map(|hit| (hit.how, Reverse(board.updated_ms), hit.revision, hit.id, board)));
            hits.sort_by_key(|hit| (hit.0, hit.1, hit.2));
            hits.truncate(limit);
        }
        let mut items = Vec::with_capacity(hits.len());
        for (.., id, board) in hits {
            items.extend(item::find(tx, account, &board.id, &id)?.map(|item| FoundItem {
                id,
                name: item.record.name,
                board_id: board.id.clone(),
                board: board.name.clone(),
                parent_id: item.record.parent_id,
                updated_at: item.record.updated_at,
            }));
        }
        Ok(FoundItems { items })
    };
    ctx.db().read(read).await
}

/// An item that matches.
struct Hit {
    how: Match,
    revision: Reverse<i64>,
    id: String,
}

/// The cached names, by account and board.
#[derive(Default)]
pub(crate) struct Names(Mutex<Boards>);

type Boards = FxHashMap<(String, String), Slot>;

#[derive(Default)]
struct Slot {
    names: Arc<Mutex<BoardNames>>,
    bytes: usize,
}

impl Names {
    fn boards(&self) -> MutexGuard<'_, Boards> {
        self.0.lock().expect("no panic while held")
    }

    /// Drops the names of boards that the account doesn't have anymore.
    fn keep_only(&self, account: &str, boards: &[Board]) {
        let there: FxHashSet<&str> = boards.iter().map(|board| board.id.as_str()).collect();
        self.boards().retain(|(owner, board), _| owner != account || there.contains(board.as_str()));
    }

    /// The best matches of a board, in order. Updates its names first.
    fn search(&self, tx: &mut Tx<'_>, account: &str, board: &Board, words: &Words, limit: usize) -> Result<Vec<Hit>> {
        let key = (account.to_owned(), board.id.clone());
        let slot = self.boards().entry(key.clone()).or_default().names.clone();
        let mut names = slot.lock().expect("no panic while held");
        if names.refresh(tx, account, board)? {
            let (bytes, mut boards) = (names.bytes(), self.boards());
            if let Some(slot) = boards.get_mut(&key) {
                slot.bytes = bytes;
            }
            if boards.values().map(|slot| slot.bytes).sum::<usize>() > NAMES_BYTES_MAX {
                boards.remove(&key);
            }
        }
        Ok(names.search(words, limit))
    }
}

/// The names of a board's items.
#[derive(Default)]
struct BoardNames {
    /// The board's revision that they are of; 0 if they weren't read yet.
    revision: i64,
    /// All names in the form that is compared, each with a line end. Outdated ones stay in it.
    text: String,
    /// In the order of the text.
    entries: Vec<Entry>,
}

/// A name's item and position in the text.
struct Entry {
    id: Box<str>,
    revision: i64,
    start: u32,
    end: u32,
}

impl BoardNames {
    fn bytes(&self) -> usize {
        let ids: usize = self.entries.iter().map(|entry| entry.id.len()).sum();
        self.text.capacity() + self.entries.capacity() * size_of::<Entry>() + ids
    }

    fn push(&mut self, id: &str, revision: i64, name: &str) {
        let start = self.text.len() as u32;
        if name.is_ascii() {
            self.text.push_str(name);
            self.text[start as usize..].make_ascii_lowercase();
        } else {
            self.text.push_str(&folded(name));
        }
        let end = self.text.len() as u32;
        self.text.push('\n');
        self.entries.push(Entry { id: id.into(), revision, start, end });
    }

    /// Adds the item of a row: its id, revision, and record. A damaged record has no name to be found by.
    fn add(&mut self, row: &dyn Row, scratch: &mut String) -> Result<()> {
        let name = scan::record(row.get(2)?).and_then(|record| scan::unescape(record.name.0, record.name.1, scratch));
        if let Some(name) = name {
            self.push(row.get(0)?, row.get(1)?, name);
        }
        Ok(())
    }

    /// Brings the names to the board's revision. Returns whether they changed.
    fn refresh(&mut self, tx: &mut Tx<'_>, account: &str, board: &Board) -> Result<bool> {
        if self.revision == board.revision {
            return Ok(false);
        }
        if !self.merge(tx, account, board)? {
            let (mut read, mut scratch) = (BoardNames::default(), String::new());
            let sql = "SELECT item_id, revision, record_json FROM items WHERE account_id = $1 AND board_id = $2";
            tx.each(sql, params![account, &board.id], |row| read.add(row, &mut scratch))?;
            *self = read;
        }
        self.revision = board.revision;
        Ok(true)
    }

    /// Merges what changed since. Returns whether that was possible; if not, the names have to be read again.
    fn merge(&mut self, tx: &mut Tx<'_>, account: &str, board: &Board) -> Result<bool> {
        // A revision that the board hasn't reached is of a database that was replaced by a backup since.
        if self.revision == 0 || self.revision > board.revision || self.revision < board.left_since {
            return Ok(false);
        }
        let since = params![account, &board.id, self.revision, CHANGES_MAX + 1];
        let sql = "SELECT DISTINCT items_left.item_id FROM items_left \
             LEFT JOIN items ON items.account_id = items_left.account_id AND items.board_id = items_left.board_id \
             AND items.item_id = items_left.item_id WHERE items_left.account_id = $1 AND items_left.board_id = $2 \
             AND items_left.revision > $3 AND items.item_id IS NULL LIMIT $4";
        let mut gone: FxHashSet<String> = tx.query(sql, since, |row| row.get(0))?.into_iter().collect();
        let (mut changed, mut scratch) = (BoardNames::default(), String::new());
        let sql = "SELECT item_id, revision, record_json FROM items WHERE account_id = $1 AND board_id = $2 \
             AND revision > $3 LIMIT $4";
        tx.each(sql, since, |row| changed.add(row, &mut scratch))?;
        if (gone.len() + changed.entries.len()) as i64 > CHANGES_MAX {
            return Ok(false);
        }
        gone.extend(changed.entries.iter().map(|entry| String::from(&*entry.id)));
        self.entries.retain(|entry| !gone.contains(&*entry.id));
        for Entry { id, revision, start, end } in &changed.entries {
            self.push(id, *revision, &changed.text[*start as usize..*end as usize]);
        }
        // Outdated names are cleared out once they are most of the text.
        let used: usize = self.entries.iter().map(|entry| (entry.end - entry.start) as usize + 1).sum();
        Ok(used * 2 >= self.text.len())
    }

    /// The best matches, in order.
    fn search(&self, words: &Words, limit: usize) -> Vec<Hit> {
        let (mut hits, mut entries, mut from) = (Vec::new(), self.entries.iter().peekable(), 0);
        let finder = memmem::Finder::new(words.first());
        while let Some(at) = finder.find(&self.text.as_bytes()[from..]).map(|at| from + at) {
            while entries.next_if(|entry| (entry.end as usize) < at).is_some() {}
            let Some(&entry) = entries.peek() else { break };
            let (start, end) = (entry.start as usize, entry.end as usize);
            // Anything before it is outdated.
            if at >= start {
                if let Some(how) = words.matching_at(&self.text[start..end], at - start) {
                    hits.push((how, Reverse(entry.revision), entry));
                }
                from = end + 1;
            } else {
                from = start;
            }
        }
        let order = |(how, revision, entry): &(Match, Reverse<i64>, &Entry)| (*how, *revision, entry.start);
        if hits.len() > limit {
            hits.select_nth_unstable_by_key(limit, order);
            hits.truncate(limit);
        }
        hits.sort_by_key(order);
        hits.into_iter().map(|(how, revision, entry)| Hit { how, revision, id: entry.id.to_string() }).collect()
    }
}
