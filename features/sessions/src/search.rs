//! Full text search over all transcripts, in a database of its own: `search.db` in the data directory.
//!
//! Invariants: it is made of the transcripts alone and can be made anew at any time, so that where it is missing or damaged it is;
//! it is filled behind the sessions' backs, and nothing waits for it; what is searched for is words, whatever stands in the query.
//! Deliberately not here: the database of the program. An index is nothing that must survive.

use crate::records;
use crate::transcript::{Entry, PAGE_ENTRIES_MAX, Part, SessionKey, Transcripts};
use kit::Ctx;
use kit::error::{INTERNAL, Result};
use serde_json::Value;
use std::collections::{HashSet, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{DerivedDb, DerivedTx, HasDb, params};

/// What is in the file; another one is made anew.
const VERSION: i64 = 1;
/// Pages of transcripts that are taken in at once; the rest follows at the next time.
const PAGES_AT_ONCE: usize = 20;
/// Bytes of one text that is found as a whole; a longer message is several.
const TEXT_BYTES: usize = 8 * 1024;
/// Words of a query that count.
const WORDS_MAX: usize = 16;
/// Words of a snippet.
const SNIPPET_WORDS: i64 = 24;
/// What a snippet's matches stand between; texts hold neither.
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

/// Sessions that are to be taken in.
#[derive(Default)]
struct Waiting {
    queue: VecDeque<SessionKey>,
    known: HashSet<SessionKey>,
    /// All are to be looked at, as nothing is known of what the index has.
    is_all: bool,
}

/// Something that was found.
pub(crate) struct Found {
    pub(crate) session: String,
    pub(crate) entry: i64,
    pub(crate) at_ms: i64,
    pub(crate) who: String,
    pub(crate) snippet: String,
    /// Where in the snippet what was searched for stands, from and to, in UTF-16 units.
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

    /// A transcript has more entries.
    pub(crate) fn grew(&self, key: &SessionKey) {
        let mut waiting = lock(&self.waiting);
        if waiting.known.insert(key.clone()) {
            waiting.queue.push_back(key.clone());
        }
    }

    /// Transcripts that wait to be taken in; at least one where it is not known yet.
    pub(crate) fn pending(&self) -> usize {
        let waiting = lock(&self.waiting);
        waiting.queue.len() + usize::from(waiting.is_all)
    }

    /// Takes in some of what waits.
    pub(crate) async fn catch_up(&self, ctx: &Ctx, transcripts: &Transcripts) -> Result<()> {
        let is_all = std::mem::take(&mut lock(&self.waiting).is_all);
        if is_all {
            for (account, session) in ctx.db().read(records::every).await? {
                self.grew(&SessionKey { account: account.into(), session: session.into() });
            }
        }
        let mut pages = 0;
        // Each once: one that is at work comes again the next time.
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

    /// Takes in a page of a transcript; whether there may be more.
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

    /// The texts with all words of a query, by rank or the newest first, from the `skip`th on.
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

    /// Works on the index. Where it is damaged it is made anew, and filled again.
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

/// A query of words alone: each is quoted, and the last one may go on. None where there is no word.
fn words_of(query: &str) -> Option<String> {
    let words = query.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    let quoted: Vec<String> = words.take(WORDS_MAX).map(|word| format!("\"{word}\"")).collect();
    (!quoted.is_empty()).then(|| format!("{}*", quoted.join(" ")))
}

/// A snippet without its marks, and where they stood.
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

/// The texts of entries, what streams in pieces as one, and up to which entry they go. A message that may go on is left for later.
fn texts_of(entries: &[Entry], from: i64, is_full: bool) -> (Vec<Text>, i64) {
    let mut texts: Vec<Text> = Vec::new();
    let (mut streams, mut to) = ("", from);
    for entry in entries {
        let body: Value = serde_json::from_str(&entry.body).unwrap_or_default();
        let Some((who, text, is_piece)) = text_of(&body) else {
            // What tells nothing of its own does not end a message either, but for the end of a turn and the like.
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
        // One message of a whole page is taken in as far as it goes.
        to = entries.last().map_or(from, |entry| entry.number);
    }
    texts.retain(|text| text.entry <= to && !text.text.trim().is_empty());
    (texts, to)
}

/// Whose text an entry is, the text, and whether it is a piece of a longer one.
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
