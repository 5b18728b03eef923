//! The conversation that a fork continues: as a copy of the engine's session where that ends at the same message, else
//! as text before the first message.
//!
//! Invariant: however long the conversation is, a bounded part of it is read and sent, the newest.

use crate::common::Common;
use crate::records::{self, Fork, SessionRecord};
use crate::transcript::{Entry, Part, SessionKey};
use crate::write::{Form, Writer};
use kit::{Result, rfc3339};
use serde_json::Value;
use std::sync::Arc;
use store::HasDb;

/// Maximum characters of the earlier conversation that are sent.
const CHARS_MAX: usize = 100_000;
/// Maximum bytes of entries that are read for it.
const BYTES_MAX: usize = 8 * 1024 * 1024;
/// Entries read at once.
const ENTRIES: usize = 1_000;
/// Maximum forks of forks whose conversations are sent.
const GENERATIONS_MAX: usize = 20;

/// The note in the transcript about the earlier conversation.
pub(crate) const SENT_AS_TEXT: &str = "Sent with the earlier conversation.";

/// The number of the last message up to an entry; 0 if it's too far back.
pub(crate) async fn message_at(common: &Common, key: &SessionKey, entry: i64) -> Result<i64> {
    let entries = up_to(common, key, entry).await?;
    let number = |entry: &Entry| {
        let body = Some(&entry.body).filter(|body| body.contains(r#""entry":"prompt""#))?;
        let body: Value = serde_json::from_str(body).ok()?;
        body["prompt"].as_i64().filter(|_| body["entry"] == "prompt")
    };
    Ok(entries.iter().rev().find_map(number).unwrap_or_default())
}

/// The engine's id of the session to copy, if the copy is the same conversation: nothing was said since, no turn is in
/// progress, and it works in the same folder.
pub(crate) async fn engine_session(common: &Common, account: &Arc<str>, new: &SessionRecord) -> Option<String> {
    let fork = new.fork.as_ref()?;
    let source = source(common, account, fork).await.ok().flatten()?;
    let is_same = source.engine == new.engine && source.cwd == new.cwd && !source.engine_session.is_empty();
    if !is_same || source.life.state.is_working() {
        return None;
    }
    let key = SessionKey { account: account.clone(), session: fork.session.as_str().into() };
    let later = common.transcripts.page(&key, Part::After(fork.entry), ENTRIES).await.ok()?;
    (later.len() < ENTRIES && !later.iter().any(is_message)).then_some(source.engine_session)
}

/// Whether the conversation goes on with an entry.
fn is_message(entry: &Entry) -> bool {
    let Ok(body) = serde_json::from_str::<Value>(&entry.body) else { return true };
    let is_said = matches!(body["told"]["event"].as_str(), Some("said" | "tool" | "thought"));
    is_said || matches!(body["entry"].as_str(), Some("prompt" | "nudge"))
}

/// The earlier conversation as text, the newest part if it's long. A fork of a fork has that one's before its own.
pub(crate) async fn text(common: &Common, account: &Arc<str>, fork: &Fork) -> Result<String> {
    let (mut whole, mut is_cut, mut next) = (String::new(), false, Some(fork.clone()));
    let mut title = None;
    for _ in 0..GENERATIONS_MAX {
        let Some(fork) = next.take() else { break };
        let Some(source) = source(common, account, &fork).await? else { break };
        let key = SessionKey { account: account.clone(), session: fork.session.as_str().into() };
        let entries = up_to(common, &key, fork.entry).await?;
        is_cut = entries.first().is_some_and(|entry| entry.number > 1);
        let mut writer = Writer::new(Form::Markdown, &source.title, &rfc3339(source.created_ms));
        let mut text = String::new();
        entries.iter().for_each(|entry| writer.entry(&mut text, &rfc3339(entry.at_ms), &entry.body));
        writer.end(&mut text);
        whole = format!("{text}\n{whole}");
        title.get_or_insert(source.title);
        if is_cut || whole.chars().count() > CHARS_MAX {
            break;
        }
        next = source.fork;
    }
    let left_out = whole.chars().count().saturating_sub(CHARS_MAX);
    let from = whole.char_indices().nth(left_out).map_or(whole.len(), |(at, _)| at);
    let older = if is_cut || left_out > 0 { " Older parts are left out." } else { "" };
    Ok(format!(
        "[Pilothouse: this session continues an earlier conversation, {:?}. Its transcript follows as a record: don't repeat \
         its work.{older}]\n\n{}\n\n[Pilothouse: end of the earlier conversation. The new message follows.]",
        title.unwrap_or_default(),
        whole[from..].trim(),
    ))
}

async fn source(common: &Common, account: &Arc<str>, fork: &Fork) -> Result<Option<SessionRecord>> {
    let (account, id) = (account.clone(), fork.session.clone());
    common.ctx.db().read(move |tx| Ok(records::one(tx, &account, &id).ok())).await
}

/// The newest entries up to a number, in order.
pub(crate) async fn up_to(common: &Common, key: &SessionKey, entry: i64) -> Result<Vec<Entry>> {
    let (mut pages, mut bytes, mut before) = (Vec::new(), 0, entry + 1);
    while before > 1 && bytes < BYTES_MAX {
        let page = common.transcripts.page(key, Part::Before(before), ENTRIES).await?;
        let Some(first) = page.first() else { break };
        before = first.number;
        bytes += page.iter().map(|entry| entry.body.len()).sum::<usize>();
        pages.push(page);
    }
    Ok(pages.into_iter().rev().flatten().collect())
}
