//! Full-text search of all transcripts, in its own database: `search.db` in the data directory.
//!
//! Invariants: the index is built only from transcripts and can be rebuilt at any time, so a missing or damaged one is;
//! it's updated in the background, and nothing waits for it; a query is a list of words, whatever it contains.
//! Deliberately not here: the program's database. An index doesn't have to be preserved.

use crate::records;
use crate::transcript::{Entry, PAGE_ENTRIES_MAX, Part, SessionKey, Transcripts};
use kit::Ctx;
use kit::error::{INTERNAL, Result};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{DerivedDb, DerivedTx, HasDb, params};
use supervisor::final_message::without_markers;

/// The version of the file's schema; any other version is rebuilt.
const VERSION: i64 = 1;
/// Pages of transcripts that are indexed per run; the rest follows in later runs.
const PAGES_AT_ONCE: usize = 20;
/// Maximum bytes of an indexed text; a longer message is several texts.
const TEXT_BYTES: usize = 8 * 1024;
/// Maximum words of a query; more are ignored.
const WORDS_MAX: usize = 16;
/// Maximum bytes of a message in the end of a transcript.
const MESSAGE_BYTES: usize = 4_000;
/// Words of a snippet.
const SNIPPET_WORDS: i64 = 24;
/// Characters around a snippet's matches; texts contain neither.
const MARKS: (char, char) = ('\u{2}', '\u{3}');

const SCHEMA: &str = "
CREATE TABLE upto (account TEXT, session TEXT, entry INTEGER, PRIMARY KEY (account, session)) WITHOUT ROWID;
CREATE TABLE texts (id INTEGER PRIMARY KEY, account TEXT, session TEXT, entry INTEGER, at_ms INTEGER, who TEXT, text TEXT);
CREATE VIRTUAL TABLE words USING fts5 (text, content = 'texts', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2');
";

/// The index.
pub(crate) struct Search {
    index: DerivedDb,
    waiting: Arc<Mutex<Waiting>>,
}

/// Sessions to index.
#[derive(Default)]
struct Waiting {
    queue: VecDeque<SessionKey>,
    known: HashSet<SessionKey>,
    /// All sessions are to be checked, because it isn't known what is indexed.
    is_all: bool,
}

/// A search result.
pub(crate) struct Found {
    pub(crate) session: String,
    pub(crate) entry: i64,
    pub(crate) at_ms: i64,
    pub(crate) who: String,
    pub(crate) snippet: String,
    /// Positions of the matches in the snippet: start and end, in UTF-16 units.
    pub(crate) marks: Vec<(usize, usize)>,
}

/// A text of a transcript.
struct Text {
    entry: i64,
    at_ms: i64,
    who: &'static str,
    text: String,
}

impl Search {
    pub(crate) fn new(data_dir: &Path) -> Search {
        let waiting = Arc::new(Mutex::new(Waiting { is_all: true, ..Waiting::default() }));
        let all = waiting.clone();
        let when_new = move || lock(&all).is_all = true;
        Search { index: DerivedDb::new(&data_dir.join("search.db"), VERSION, SCHEMA, when_new), waiting }
    }

    /// The transcript has more entries.
    pub(crate) fn grew(&self, key: &SessionKey) {
        let mut waiting = lock(&self.waiting);
        if waiting.known.insert(key.clone()) {
            waiting.queue.push_back(key.clone());
        }
    }

    /// Number of transcripts to index; at least one while it isn't known yet.
    pub(crate) fn pending(&self) -> usize {
        let waiting = lock(&self.waiting);
        waiting.queue.len() + usize::from(waiting.is_all)
    }

    /// Indexes the next transcripts in the queue.
    pub(crate) async fn catch_up(&self, ctx: &Ctx, transcripts: &Transcripts) -> Result<()> {
        let is_all = std::mem::take(&mut lock(&self.waiting).is_all);
        if is_all {
            for (account, session) in ctx.db().read(records::every).await? {
                self.grew(&SessionKey { account: account.into(), session: session.into() });
            }
        }
        let mut pages = 0;
        // Each once: one with new entries comes again in the next run.
        for _ in 0..self.pending() {
            let next = {
                let mut waiting = lock(&self.waiting);
                let next = waiting.queue.pop_front();
                if let Some(key) = &next {
                    waiting.known.remove(key);
                }
                next
            };
            let Some(key) = next else { break };
            while pages < PAGES_AT_ONCE && self.take_in(transcripts, &key).await? {
                pages += 1;
            }
            if pages >= PAGES_AT_ONCE {
                self.grew(&key);
                break;
            }
        }
        Ok(())
    }

    /// Indexes a page of a transcript. Returns whether there may be more.
    async fn take_in(&self, transcripts: &Transcripts, key: &SessionKey) -> Result<bool> {
        let read_key = key.clone();
        let from = self.run(move |tx| upto(tx, &read_key)).await?;
        let entries = transcripts.page(key, Part::After(from), PAGE_ENTRIES_MAX).await?;
        let is_full = entries.len() == PAGE_ENTRIES_MAX;
        let (texts, to) = texts_of(&entries, from, is_full);
        if to > from {
            let key = key.clone();
            self.run(move |tx| add(tx, &key, &texts, to)).await?;
        }
        Ok(to > from && !entries.is_empty())
    }

    /// The texts that contain all words of a query, by rank or newest first, after the first `skip`.
    pub(crate) async fn find(
        &self,
        account: &str,
        query: &str,
        by_rank: bool,
        (skip, limit): (i64, i64),
    ) -> Result<Vec<Found>> {
        let Some(query) = words_of(query) else { return Ok(Vec::new()) };
        let account = account.to_owned();
        self.run(move |tx| find(tx, &account, &query, by_rank, (skip, limit))).await
    }

    /// Runs a task on the index. A damaged index is rebuilt.
    async fn run<T: Send + 'static>(&self, work: impl Fn(&DerivedTx<'_>) -> Result<T> + Send + 'static) -> Result<T> {
        let ran = self.index.run(work).await;
        ran.map_err(|why| INTERNAL.error("The transcript index isn't available.").caused_by(why))
    }
}

fn lock(waiting: &Mutex<Waiting>) -> MutexGuard<'_, Waiting> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

fn upto(tx: &DerivedTx<'_>, key: &SessionKey) -> Result<i64> {
    let sql = "SELECT entry FROM upto WHERE account = $1 AND session = $2";
    let found = tx.query(sql, params![&*key.account, &*key.session], |row| row.get(0))?;
    Ok(found.first().copied().unwrap_or_default())
}

fn add(tx: &DerivedTx<'_>, key: &SessionKey, texts: &[Text], to: i64) -> Result<()> {
    for text in texts {
        let id = tx.insert(
            "INSERT INTO texts (account, session, entry, at_ms, who, text) VALUES ($1, $2, $3, $4, $5, $6)",
            params![&*key.account, &*key.session, text.entry, text.at_ms, text.who, &text.text],
        )?;
        tx.execute("INSERT INTO words (rowid, text) VALUES ($1, $2)", params![id, &text.text])?;
    }
    let sql = "INSERT OR REPLACE INTO upto (account, session, entry) VALUES ($1, $2, $3)";
    tx.execute(sql, params![&*key.account, &*key.session, to]).map(drop)
}

fn find(
    tx: &DerivedTx<'_>,
    account: &str,
    query: &str,
    by_rank: bool,
    (skip, limit): (i64, i64),
) -> Result<Vec<Found>> {
    let order = if by_rank { "rank, texts.id DESC" } else { "texts.at_ms DESC, texts.id DESC" };
    let sql = format!(
        "SELECT session, entry, at_ms, who, snippet(words, 0, char(2), char(3), '…', {SNIPPET_WORDS}) FROM words \
         JOIN texts ON texts.id = words.rowid WHERE words MATCH $1 AND account = $2 ORDER BY {order} LIMIT $3 OFFSET $4"
    );
    tx.query(&sql, params![query, account, limit, skip], |row| {
        let (snippet, marks) = marked(row.get(4)?);
        Ok(Found { session: row.get(0)?, entry: row.get(1)?, at_ms: row.get(2)?, who: row.get(3)?, snippet, marks })
    })
}

/// The query as quoted words, the last one as a prefix. None if there are no words.
fn words_of(query: &str) -> Option<String> {
    let words = query.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    let quoted: Vec<String> = words.take(WORDS_MAX).map(|word| format!("\"{word}\"")).collect();
    (!quoted.is_empty()).then(|| format!("{}*", quoted.join(" ")))
}

/// A snippet without its marks, and their positions.
fn marked(snippet: &str) -> (String, Vec<(usize, usize)>) {
    let (mut text, mut marks, mut at, mut from) = (String::new(), Vec::new(), 0, 0);
    for sign in snippet.chars() {
        if sign == MARKS.0 {
            from = at;
        } else if sign == MARKS.1 {
            marks.push((from, at));
        } else {
            text.push(sign);
            at += sign.len_utf16();
        }
    }
    (text, marks)
}

/// The texts of entries, with streamed pieces joined, and the last entry they cover. An unfinished message is left for
/// later.
fn texts_of(entries: &[Entry], from: i64, is_full: bool) -> (Vec<Text>, i64) {
    let mut texts: Vec<Text> = Vec::new();
    let (mut streams, mut to) = ("", from);
    for entry in entries {
        let body: Value = serde_json::from_str(&entry.body).unwrap_or_default();
        let Some((who, text, is_piece)) = text_of(&body) else {
            // Entries without text don't end a message, except the end of a turn and similar ones.
            if body["told"]["event"] != "used" {
                (streams, to) = ("", entry.number);
            }
            continue;
        };
        let text: String =
            text.chars().map(|sign| if sign.is_control() && sign != '\n' { ' ' } else { sign }).collect();
        match texts.last_mut() {
            Some(last) if is_piece && streams == who && last.text.len() < TEXT_BYTES => last.text.push_str(&text),
            _ => texts.push(Text { entry: entry.number, at_ms: entry.at_ms, who, text }),
        }
        streams = if is_piece { who } else { "" };
        if !is_piece {
            to = entry.number;
        }
    }
    if is_full && to == from {
        // A message that fills a whole page is indexed as far as it goes.
        to = entries.last().map_or(from, |entry| entry.number);
    }
    for text in texts.iter_mut().filter(|text| text.who == "agent") {
        if let Cow::Owned(shown) = without_markers(&text.text) {
            text.text = shown;
        }
    }
    texts.retain(|text| text.entry <= to && !text.text.trim().is_empty());
    (texts, to)
}

/// The start of the agent's last message in these entries; empty if it has none.
pub(crate) fn last_words(entries: &[Entry], bytes: usize) -> String {
    let mut words = String::new();
    let mut is_new = true;
    for entry in entries {
        let body: Value = serde_json::from_str(&entry.body).unwrap_or_default();
        match text_of(&body) {
            Some(("agent", text, _)) => {
                if std::mem::take(&mut is_new) {
                    words.clear();
                }
                if words.len() < bytes {
                    words.push_str(&text);
                }
            }
            _ if body["told"]["event"] == "used" => {}
            _ => is_new = true,
        }
    }
    words.truncate(words.floor_char_boundary(bytes));
    words.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect()
}

/// The end of a transcript as text, up to so many bytes: what the user and the agent said, and titles of tool calls.
pub(crate) fn ending(entries: &[Entry], bytes: usize) -> String {
    let mut parts: Vec<(&'static str, String)> = Vec::new();
    let mut is_open = false;
    for entry in entries {
        let body: Value = serde_json::from_str(&entry.body).unwrap_or_default();
        match text_of(&body) {
            Some(("agent", text, _)) => match parts.last_mut() {
                Some((_, before)) if is_open => before.push_str(&text),
                _ => {
                    parts.push(("Agent", text));
                    is_open = true;
                }
            },
            Some(("person", text, _)) => {
                parts.push(("User", text));
                is_open = false;
            }
            Some(("tool", text, false)) => {
                parts.push(("Tool", text.lines().next().unwrap_or_default().to_owned()));
                is_open = false;
            }
            _ if body["told"]["event"] == "used" => {}
            _ => is_open = false,
        }
    }
    let mut lines = Vec::new();
    let mut left = bytes;
    for (who, text) in parts.iter().rev() {
        // Before it's cut, because half a token isn't recognized.
        let text = without_markers(text);
        let text = kit::ids::without_tokens(&text);
        // What is left to do comes last in a long message.
        let from = text.ceil_char_boundary(text.len().saturating_sub(MESSAGE_BYTES));
        let line = format!("{who}: {}", text[from..].trim());
        if line.len() >= left {
            break;
        }
        left -= line.len() + 1;
        lines.push(line);
    }
    lines.reverse();
    lines.join("\n")
}

/// The author of an entry's text, the text, and whether it's a piece of a longer one.
fn text_of(body: &Value) -> Option<(&'static str, String, bool)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let told = &body["told"];
    match (body["entry"].as_str()?, told["event"].as_str().unwrap_or_default()) {
        ("prompt", _) => {
            let texts = body["content"].as_array()?.iter().filter_map(|chunk| chunk["text"].as_str());
            Some(("person", texts.collect::<Vec<_>>().join("\n"), false))
        }
        (_, "said") => Some(("agent", text(&told["chunk"]["text"])?, true)),
        (_, "thought") => Some(("thinking", text(&told["chunk"]["text"])?, true)),
        // A piece of a command's output.
        (_, "tool") if !matches!(told["state"].as_str(), Some("completed" | "failed")) => {
            Some(("tool", text(&told["more"])?, true))
        }
        (_, "tool") => {
            let tool = &told["tool"];
            let parts = [text(&tool["title"]), text(&tool["command"])].into_iter().flatten();
            let output = told["output"].as_array().into_iter().flatten();
            let output = output.filter_map(|one| text(&one["content"]["text"]).or_else(|| text(&one["path"])));
            let output = output.chain(text(&told["more"]));
            Some(("tool", parts.chain(output).collect::<Vec<_>>().join("\n"), false))
        }
        _ => None,
    }
}
