//! Comments on items: Markdown text, stored as sent.
//!
//! Boards are read without comments. So comments don't raise the board's revision and have their own. `changes` records
//! who did what and when, but never the text: deleted comments can't be restored.

use crate::actor::name_of_kind;
use crate::behind::Behind;
use crate::bulk::{ID, ID_FORM};
use crate::change::Edit;
use crate::directory::{self, Named};
use crate::errors::{BOARD_LIMIT, NOT_YOUR_COMMENT};
use crate::inputs::{PAGE_MAX, page};
use crate::item::expect_item;
use crate::{board, fault, ids};
use events::{Actor, Bus, Event, HasEvents};
use kit::error::{self, Error, NAMED_NOT_FOUND, Result, invalid, not_found};
use kit::text::{TEXT, number_cursor};
use kit::{Call, Caller, CreatedPart, Ctx, Done, Kind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashSet;
use std::ops::Range;
use store::{HasDb, Row, Tx, params};

/// Comments of an item, with those that were deleted.
pub const COMMENTS_MAX: i64 = 10_000;
/// Maximum characters of a comment.
pub const COMMENT_CHARS_MAX: usize = 10_000;
/// Members that one comment may mention.
pub const MENTIONS_MAX: usize = 100;
/// Bytes of a request with a comment: the longest text, each character written as two `\u` escapes, fits.
pub(crate) const REQUEST_BYTES_MAX: usize = 256 * 1024;
/// Maximum characters of a name in a mention, the same as for member names.
const NAMED_CHARS_MAX: usize = 255;
/// Maximum unknown mentions that an error lists.
const UNKNOWN_SHOWN_MAX: usize = 5;

const SHOWN: &str = "shown";
const DELETED: &str = "deleted";

/// The author of a comment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename = "CommentAuthor", rename_all = "camelCase")]
pub(crate) struct Author {
    /// `owner`, `cli`, `agent`, or `member`.
    kind: String,
    /// Name of the member at that time, or the kind of caller.
    name: String,
    /// The session, if written by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
}

/// A comment on an item.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename = "CommentRecord", rename_all = "camelCase")]
pub(crate) struct Comment {
    id: String,
    item_id: String,
    author: Author,
    /// Markdown as sent; empty if deleted. Show it as text or with a renderer that blocks HTML.
    text: String,
    /// IDs of the mentioned members, each once.
    mentions: Vec<String>,
    /// Whether it was deleted.
    deleted: bool,
    /// Whether the caller wrote it and can edit it.
    own: bool,
    /// RFC 3339 in UTC.
    created_at: String,
    /// RFC 3339 in UTC.
    updated_at: String,
    /// Increases with every change. Use it with `If-Match`.
    revision: i64,
}

/// A comment with its internal fields.
struct Stored {
    comment: Comment,
    place: i64,
}

const FIELDS: &str = "comment_id, item_id, place, author_kind, author_name, author_key, session_id, body, mentions_json, state, \
     revision, created_ms, updated_ms";

fn stored(row: &dyn Row, reader: &Caller) -> Result<Stored> {
    let comment = Comment {
        id: row.get(0)?,
        item_id: row.get(1)?,
        author: Author { kind: row.get(3)?, name: row.get(4)?, session_id: reader.sessions_seen().named(row.get(6)?) },
        own: row.get::<&str>(5)? == author_key(reader),
        text: row.get(7)?,
        mentions: serde_json::from_str(row.get(8)?).map_err(board::damaged)?,
        deleted: row.get::<&str>(9)? == DELETED,
        revision: row.get(10)?,
        created_at: kit::rfc3339(row.get(11)?),
        updated_at: kit::rfc3339(row.get(12)?),
    };
    Ok(Stored { comment, place: row.get(2)? })
}

/// Stands for whoever writes: what comes with the same key is of the same hand. The page and the command line are the
/// person's both.
fn author_key(caller: &Caller) -> String {
    match (caller.kind, &caller.session, &caller.member) {
        (Kind::Owner | Kind::Cli, ..) => "person".to_owned(),
        (_, Some(session), _) => format!("session/{session}"),
        (_, None, Some(member)) => format!("member/{member}"),
        (_, None, None) => format!("token/{}", caller.token_id),
    }
}

async fn author(ctx: &Ctx, caller: &Caller) -> Result<Author> {
    let kind = caller.kind.name();
    let name = match &caller.member {
        Some(member) => directory::member_name(ctx, &caller.account, member).await?,
        None => None,
    };
    let name = name.unwrap_or_else(|| name_of_kind(kind).to_owned());
    Ok(Author { kind: kind.to_owned(), name, session_id: caller.session.as_deref().map(str::to_owned) })
}

fn expect_text(text: &str) -> Result<()> {
    kit::text::expect_text(text, COMMENT_CHARS_MAX, "/text")
}

/// Each `@[…]` in a text, with the range of its brackets. A readable one is a mention if a member has that name and an
/// error otherwise, but stays text if it's clearly something else, such as a link after an `@`.
fn brackets_in(text: &str) -> Vec<Bracket<'_>> {
    let is_id = |inner: &str| inner.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    let mut found = Vec::new();
    for (at, _) in text.match_indices("@[") {
        let Some((inner, behind)) = text[at + 2..].split_once(']') else { break };
        let named = inner.trim();
        if named.is_empty() || named.chars().count() > NAMED_CHARS_MAX || named.contains(['[', '<', '>', '\n', '\r']) {
            continue;
        }
        let is_in_word = text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        let may_be_text = !is_id(inner) && (is_in_word || behind.starts_with('('));
        found.push(Bracket { named, inside: at + 2..at + 2 + inner.len(), may_be_text });
    }
    found
}

struct Bracket<'a> {
    /// An id or a name.
    named: &'a str,
    /// Its range without the brackets.
    inside: Range<usize>,
    may_be_text: bool,
}

fn too_many_mentions() -> Error {
    invalid("/text", fault::TOO_MANY_MENTIONS, format!("A comment can mention up to {MENTIONS_MAX} members."))
}

/// Error for mentions of unknown members.
fn no_such_member(named: &[&str]) -> Error {
    let shown: Vec<String> = named.iter().take(UNKNOWN_SHOWN_MAX).map(|named| format!("@[{named}]")).collect();
    let shown = match shown.split_last() {
        Some((last, others)) if !others.is_empty() && named.len() == shown.len() => {
            format!("{} and {last}", others.join(", "))
        }
        _ if named.len() > shown.len() => format!("{} and {} more", shown.join(", "), named.len() - shown.len()),
        _ => shown.join(", "),
    };
    let detail = format!("Mention a member by ID or unique name: `@[Anna Berg]`. Member not found: {shown}.");
    NAMED_NOT_FOUND.error(detail.clone()).at("/text", fault::UNKNOWN_MEMBER, detail)
}

/// The members that a text names.
async fn named_in(ctx: &Ctx, account: &str, text: &str) -> Result<Named> {
    expect_text(text)?;
    let brackets = brackets_in(text);
    let named =
        |sure: bool| brackets.iter().filter(move |one| !(sure && one.may_be_text)).map(|one| one.named.to_owned());
    if named(true).collect::<HashSet<_>>().len() > MENTIONS_MAX {
        return Err(too_many_mentions());
    }
    directory::called(ctx, account, named(false).collect()).await
}

/// A text as it is stored, with ids in the place of the names that it mentions members by, and those ids, each once, in their
/// order. Whom the comment mentioned `before` may have left.
fn mentioning(text: &str, members: &Named, before: &[String]) -> Result<(String, Vec<String>)> {
    let (mut stored, mut from, mut mentions) = (String::with_capacity(text.len()), 0, Vec::new());
    let mut unknown = Vec::new();
    for Bracket { named, inside, may_be_text } in brackets_in(text) {
        let Some(id) = members.get(named).or_else(|| before.iter().find(|id| *id == named)) else {
            if !may_be_text && !unknown.contains(&named) {
                unknown.push(named);
            }
            continue;
        };
        stored.push_str(&text[from..inside.start]);
        stored.push_str(id);
        from = inside.end;
        if !mentions.contains(id) {
            mentions.push(id.clone());
        }
    }
    if !unknown.is_empty() {
        return Err(no_such_member(&unknown));
    }
    if mentions.len() > MENTIONS_MAX {
        return Err(too_many_mentions());
    }
    stored.push_str(&text[from..]);
    expect_text(&stored)?;
    Ok((stored, mentions))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "CommentsOf", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct List {
    /// ID, not the name.
    board_id: String,
    /// The item's ID.
    item_id: String,
    /// Page size, 1 to 1,000. Default: 100.
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<i64>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = "^[0-9]{1,18}$"))]
    cursor: Option<String>,
}

/// A page of comments.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Comments {
    items: Vec<Comment>,
    /// Cursor of the next page; null on the last.
    next_cursor: Option<String>,
}

pub(crate) async fn list(ctx: Ctx, call: Call, input: List) -> Result<Comments> {
    let limit = page(input.limit)?;
    let after: i64 = match input.cursor.as_deref() {
        None => 0,
        Some(cursor) => number_cursor(cursor)?,
    };
    let read = move |tx: &mut Tx<'_>| {
        let board = board::load(tx, call.account(), &input.board_id)?;
        expect_item(tx, call.account(), &board.id, &input.item_id)?;
        let sql = format!(
            "SELECT {FIELDS} FROM item_comments WHERE account_id = $1 AND board_id = $2 AND item_id = $3 AND place > $4 \
             ORDER BY place LIMIT $5"
        );
        let of = params![call.account(), &board.id, &input.item_id, after, limit + 1];
        tx.query(&sql, of, |row| stored(row, &call.caller))
    };
    let mut found = ctx.db().read(read).await?;
    let more = found.len() as i64 > limit;
    found.truncate(limit as usize);
    let next_cursor = found.last().filter(|_| more).map(|last| last.place.to_string());
    Ok(Comments { items: found.into_iter().map(|stored| stored.comment).collect(), next_cursor })
}

/// Runs a change of an item's comments as one transaction.
async fn write<T: Send + 'static>(
    ctx: Ctx,
    call: Call,
    board_id: String,
    item_id: String,
    run: impl FnOnce(&mut Tx<'_>, Change) -> Result<T> + Send + 'static,
) -> Result<T> {
    let (db, bus, now_ms) = (ctx.db(), ctx.events(), ctx.now_ms());
    let behind = Behind::new(&ctx);
    let change = move |tx: &mut Tx<'_>| {
        let account = call.account().to_owned();
        let board = board::load(tx, &account, &board_id)?;
        expect_item(tx, &account, &board_id, &item_id)?;
        let key = author_key(&call.caller);
        let edit = Edit::new(account, call.caller.clone(), now_ms, board, behind);
        run(tx, Change { call, edit, item_id, key, bus })
    };
    db.write(change).await
}

/// A change of an item's comments under way.
struct Change {
    call: Call,
    edit: Edit,
    item_id: String,
    key: String,
    bus: std::sync::Arc<Bus>,
}

impl Change {
    /// The comment of this id that the item has, or had.
    fn find(&self, tx: &mut Tx<'_>, comment_id: &str) -> Result<Option<Comment>> {
        let sql = format!(
            "SELECT {FIELDS} FROM item_comments WHERE account_id = $1 AND board_id = $2 AND item_id = $3 AND comment_id = $4"
        );
        let of = params![self.edit.account.as_str(), &self.edit.board.id, &self.item_id, comment_id];
        Ok(tx.query_opt(&sql, of, |row| stored(row, &self.call.caller))?.map(|stored| stored.comment))
    }

    /// The comment, where it is the item's and was not deleted.
    fn load(&self, tx: &mut Tx<'_>, comment_id: &str) -> Result<Comment> {
        self.find(tx, comment_id)?.filter(|comment| !comment.deleted).ok_or_else(|| not_found().naming(&["comment"]))
    }

    /// Stores the changed comment and records the change.
    fn save(&self, tx: &mut Tx<'_>, before: &Comment, mut after: Comment) -> Result<Comment> {
        after.revision += 1;
        after.updated_at = kit::rfc3339(self.edit.now_ms);
        tx.execute(
            "UPDATE item_comments SET body = $5, mentions_json = $6, state = $7, revision = $8, updated_ms = $9 \
             WHERE account_id = $1 AND board_id = $2 AND item_id = $3 AND comment_id = $4",
            params![
                self.edit.account.as_str(),
                &self.edit.board.id,
                &self.item_id,
                &after.id,
                &after.text,
                json!(after.mentions).to_string(),
                if after.deleted { DELETED } else { SHOWN },
                after.revision,
                self.edit.now_ms,
            ],
        )?;
        self.record(tx, Some(before), (!after.deleted).then_some(&after))?;
        Ok(after)
    }

    fn record(&self, tx: &mut Tx<'_>, before: Option<&Comment>, after: Option<&Comment>) -> Result<()> {
        let id = before.or(after).map(|comment| comment.id.as_str()).unwrap_or_default();
        let shape = |comment: &Comment| json!({"mentions": comment.mentions, "revision": comment.revision});
        let (before, after) = (before.map(shape), after.map(shape));
        self.edit.record(tx, "item", &self.item_id, &format!("{FIELD}{id}"), before.as_ref(), after.as_ref())
    }

    /// Sends the event and notifies newly mentioned members after the commit.
    fn tell(self, tx: &mut Tx<'_>, event: Event, comment_id: &str, mentioned: Vec<String>) -> Result<()> {
        let mention = |member_id| Event::MemberMentioned {
            board_id: self.edit.board.id.clone(),
            item_id: self.item_id.clone(),
            comment_id: comment_id.to_owned(),
            member_id,
            by: Actor::from(&self.edit.caller),
        };
        let mentions: Vec<Event> = mentioned.into_iter().map(mention).collect();
        for event in &mentions {
            reactions::report(tx, &self.edit.behind.ctx, &self.edit.account, event)?;
        }
        let (account, bus) = (self.edit.account, self.bus);
        tx.after_commit(move || {
            for event in std::iter::once(event).chain(mentions) {
                bus.emit(Some(&account), event);
            }
        });
        Ok(())
    }
}

/// Before a comment's id, what changes of it are recorded as: a part of its item.
const FIELD: &str = "comments/";

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "NewComment", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Create {
    /// ID, not the name.
    board_id: String,
    /// The item's ID.
    item_id: String,
    /// Markdown, 1 to 10,000 characters. `@[Anna Berg]` or `@[MEMBER-ID]` mentions a member and is stored with the ID.
    #[schemars(length(min = 1, max = COMMENT_CHARS_MAX), regex(pattern = TEXT))]
    text: String,
    /// Your ID for the comment, so that a retry adds none: it returns the existing one. 16 digits
    /// and lowercase letters without i, l, o, and u. Default: assigned by the server.
    #[schemars(regex(pattern = ID))]
    id: Option<String>,
}

pub(crate) async fn create(ctx: Ctx, call: Call, input: Create) -> Result<CreatedPart<Comment>> {
    if input.id.as_ref().is_some_and(|id| !ids::is_short_id(id)) {
        return Err(invalid("/id", fault::WRONG_FORMAT, ID_FORM));
    }
    let named = named_in(&ctx, call.account(), &input.text).await?;
    let author = author(&ctx, &call.caller).await?;
    write(ctx, call, input.board_id, input.item_id, move |tx, change| {
        let id = input.id.unwrap_or_else(ids::short_id);
        match change.find(tx, &id)? {
            Some(known) if known.own => return Ok(CreatedPart(known)),
            Some(_) => return Err(error::CONFLICT.error(format!("The ID {id} was used for someone else's comment."))),
            None => {}
        }
        // Only now: one that is there already may name who has left since.
        let (text, mentions) = mentioning(&input.text, &named, &[])?;
        let of = params![change.edit.account.as_str(), &change.edit.board.id, &change.item_id];
        let sql = "SELECT place FROM item_comments WHERE account_id = $1 AND board_id = $2 AND item_id = $3 ORDER BY place DESC LIMIT 1";
        // Comments keep their rows when they are deleted, so that the last one's place is their number.
        let last = tx.query_opt(sql, of, |row| row.get::<i64>(0))?.unwrap_or(0);
        if last >= COMMENTS_MAX {
            return Err(BOARD_LIMIT.error(format!("An item can have up to {COMMENTS_MAX} comments, including deleted ones.")));
        }
        let now = kit::rfc3339(change.edit.now_ms);
        let comment = Comment {
            id,
            item_id: change.item_id.clone(),
            author,
            text,
            mentions,
            deleted: false,
            own: true,
            created_at: now.clone(),
            updated_at: now,
            revision: 1,
        };
        tx.execute(
            "INSERT INTO item_comments (account_id, board_id, item_id, comment_id, place, author_kind, author_name, author_key, \
             session_id, body, mentions_json, state, revision, created_ms, updated_ms) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)",
            params![
                change.edit.account.as_str(),
                &change.edit.board.id,
                &change.item_id,
                &comment.id,
                last + 1,
                &comment.author.kind,
                &comment.author.name,
                &change.key,
                comment.author.session_id.as_deref(),
                &comment.text,
                json!(comment.mentions).to_string(),
                SHOWN,
                comment.revision,
                change.edit.now_ms,
            ],
        )?;
        change.record(tx, None, Some(&comment))?;
        let (board_id, item_id) = (change.edit.board.id.clone(), change.item_id.clone());
        let mentions = comment.mentions.clone();
        let event = Event::CommentAdded { board_id, item_id, comment_id: comment.id.clone(), mentions };
        change.tell(tx, event, &comment.id, comment.mentions.clone())?;
        Ok(CreatedPart(comment))
    })
    .await
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "CommentUpdate", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Update {
    /// ID, not the name.
    board_id: String,
    /// The item's ID.
    item_id: String,
    /// The comment's ID.
    comment_id: String,
    /// Its new text, 1 to 10,000 characters, with mentions as in a new comment.
    #[schemars(length(min = 1, max = COMMENT_CHARS_MAX), regex(pattern = TEXT))]
    text: String,
}

pub(crate) async fn update(ctx: Ctx, call: Call, input: Update) -> Result<Comment> {
    let named = named_in(&ctx, call.account(), &input.text).await?;
    write(ctx, call, input.board_id, input.item_id, move |tx, change| {
        let before = change.load(tx, &input.comment_id)?;
        if !before.own {
            return Err(NOT_YOUR_COMMENT.error("Only the author can edit a comment."));
        }
        let (text, mentions) = mentioning(&input.text, &named, &before.mentions)?;
        // Sent again since its answer got lost, it is no other change, whatever `If-Match` says.
        if text == before.text {
            return Ok(before);
        }
        change.call.expects(before.revision)?;
        let after = change.save(tx, &before, Comment { text, mentions, ..before.clone() })?;
        let new = after.mentions.iter().filter(|id| !before.mentions.contains(id)).cloned().collect();
        let event = changed(&change, &after);
        change.tell(tx, event, &after.id, new)?;
        Ok(after)
    })
    .await
}

fn changed(change: &Change, comment: &Comment) -> Event {
    let (board_id, item_id) = (change.edit.board.id.clone(), change.item_id.clone());
    Event::CommentChanged { board_id, item_id, comment_id: comment.id.clone(), deleted: comment.deleted }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "WhichComment", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Which {
    /// ID, not the name.
    board_id: String,
    /// The item's ID.
    item_id: String,
    /// The comment's ID.
    comment_id: String,
}

pub(crate) async fn delete(ctx: Ctx, call: Call, input: Which) -> Result<Done> {
    write(ctx, call, input.board_id, input.item_id, move |tx, change| {
        let before = change.load(tx, &input.comment_id)?;
        if !before.own && !matches!(change.call.caller.kind, Kind::Owner | Kind::Cli) {
            return Err(NOT_YOUR_COMMENT.error("Only the author or the owner can delete a comment."));
        }
        change.call.expects(before.revision)?;
        let emptied = Comment { text: String::new(), mentions: Vec::new(), deleted: true, ..before.clone() };
        let after = change.save(tx, &before, emptied)?;
        let event = changed(&change, &after);
        change.tell(tx, event, &after.id, Vec::new())?;
        Ok(Done)
    })
    .await
}
