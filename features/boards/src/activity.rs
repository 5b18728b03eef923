//! What happened to an item, as the record of changes has it, and taking one change of it back.

use crate::board::{self, edit};
use crate::boards::{PAGE_MAX, page};
use crate::change_names::Parts;
use crate::comments::{expect_item, name_of_kind};
use crate::fault;
use crate::items::{self, Record};
use crate::revert::{self, Reverted};
use crate::{NOT_UNDOABLE, ids, subitems, undo};
use kit::error::{self, NOT_FOUND, Result, invalid, not_found};
use kit::lookup::{Holder, Members};
use kit::text::{CURSOR, id_cursor};
use kit::{Call, Caller, Ctx, SessionsSeen};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashMap;
use store::{Change, ChangeRow, HasDb, Tx};

/// What changes of items are recorded as.
const ITEM: &str = "item";
const BOARD: &str = "board";
pub(crate) const NAME: &str = "name";
pub(crate) const GROUP: &str = "groupId";

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "ActivityOf", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct List {
    /// The board.
    board_id: String,
    /// The item.
    item_id: String,
    /// Page size, 1 to 1,000. Default: 100.
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<i64>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
}

/// Who made a change.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "ActivityActor", rename_all = "camelCase")]
pub(crate) struct Actor {
    /// `owner`, `cli`, `agent` or `member`.
    kind: String,
    /// Name of the member, or the kind of caller.
    name: String,
    /// The member, if made with a member's token.
    #[serde(skip_serializing_if = "Option::is_none")]
    member_id: Option<String>,
    /// The session, if made by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// Name of the token used, while it's valid; none for the app and the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

impl Actor {
    /// As a caller who sees these sessions is told.
    pub(crate) fn of(kind: String, session_id: Option<String>, seen: &SessionsSeen) -> Actor {
        let session_id = seen.named(session_id);
        Actor { name: name_of_kind(&kind).to_owned(), kind, session_id, member_id: None, token: None }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// In words, on one line: `Anna Berg (Nightly script)`, `Session 4f2a`.
    fn in_words(&self) -> String {
        let mut words = self.name.clone();
        for (before, what, after) in [(" ", &self.session_id, ""), (" (", &self.token, ")")] {
            if let Some(what) = what {
                words.extend([before, what, after]);
            }
        }
        words
    }
}

/// What the account's members and tokens are called.
struct Names {
    members: HashMap<String, String>,
    tokens: HashMap<String, Holder>,
    seen: SessionsSeen,
}

impl Names {
    /// Asked only where a change names one.
    async fn of(ctx: &Ctx, caller: &Caller, rows: &[ChangeRow]) -> Result<Names> {
        let (account, seen) = (&*caller.account, caller.sessions_seen());
        if !rows.iter().any(|row| row.member_id.is_some() || matches!(row.actor.as_str(), "member" | "agent")) {
            return Ok(Names { members: HashMap::new(), tokens: HashMap::new(), seen });
        }
        let directory = ctx.service::<Members>();
        let members = directory.0.all(account).await?.into_iter().map(|(id, name, _)| (id, name)).collect();
        Ok(Names { members, tokens: directory.0.holders(account).await?, seen })
    }

    fn actor(&self, row: &mut ChangeRow) -> Actor {
        let token = self.tokens.get(&row.actor_id);
        let member_id = row.member_id.take().or_else(|| token?.member.clone());
        let mut actor = Actor::of(std::mem::take(&mut row.actor), row.session_id.take(), &self.seen);
        if let Some(name) = member_id.as_ref().and_then(|id| self.members.get(id)) {
            actor.name.clone_from(name);
        }
        Actor { member_id, token: token.map(|token| token.name.clone()), ..actor }
    }
}

/// One change of an item.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "ActivityEntry", rename_all = "camelCase")]
struct Entry {
    /// ID for `boards.undo`.
    change_id: String,
    /// RFC 3339 in UTC.
    at: String,
    actor: Actor,
    /// The actor in words, on one line.
    by: String,
    /// `name`, `groupId`, `position`, `parentId` where it became a subitem or an item again, the id of a column, `comments/` and the id of a comment, `kept` for the archive and
    /// the trash, or empty for the whole item.
    field: String,
    /// Title of the field, such as a column's, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    field_name: Option<String>,
    /// The value before; null if none. For a comment, everything except its text.
    before: Value,
    /// The value after; null if none.
    after: Value,
    /// `before` with the names of labels, members, and groups, where it has their ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    before_named: Option<Value>,
    /// `after` with names.
    #[serde(skip_serializing_if = "Option::is_none")]
    after_named: Option<Value>,
    /// Whether `boards.undo` supports this kind of change.
    undoable: bool,
}

/// A page of changes of an item.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Activity {
    items: Vec<Entry>,
    /// Cursor of the next page; null on the last.
    next_cursor: Option<String>,
}

pub(crate) async fn list(ctx: Ctx, call: Call, input: List) -> Result<Activity> {
    let limit = page(input.limit)?;
    let caller = call.caller.clone();
    let read = move |tx: &mut Tx<'_>| {
        let board = board::load(tx, call.account(), &input.board_id)?;
        expect_item(tx, call.account(), &board.id, &input.item_id)?;
        let rows = tx.changes(call.account(), ITEM, &input.item_id, id_cursor(input.cursor.as_deref())?, limit + 1)?;
        Ok((rows, Parts::load(tx, call.account(), board)?))
    };
    let (mut rows, parts) = ctx.db().read(read).await?;
    let more = rows.len() as i64 > limit;
    rows.truncate(limit as usize);
    let next_cursor = rows.last().filter(|_| more).map(|row| row.change_id.clone());
    let names = Names::of(&ctx, &caller, &rows).await?;
    let members = match rows.iter().any(|row| parts.is_people(&row.field)) {
        true => ctx.service::<Members>().0.all(&caller.account).await?.into_iter().map(|m| (m.0, m.1)).collect(),
        false => HashMap::new(),
    };
    Ok(Activity { items: rows.into_iter().map(|row| entry(row, &names, &parts, &members)).collect(), next_cursor })
}

fn entry(mut row: ChangeRow, names: &Names, parts: &Parts, members: &HashMap<String, String>) -> Entry {
    let actor = names.actor(&mut row);
    let named = |value: &Option<Value>| parts.value(&row.field, value.as_ref()?, members);
    Entry {
        field_name: parts.title(&row.field),
        before_named: named(&row.before),
        after_named: named(&row.after),
        undoable: is_value(&row.field) || undo::takes(&row),
        at: kit::rfc3339(row.at_ms),
        by: actor.in_words(),
        actor,
        change_id: row.change_id,
        field: row.field,
        before: row.before.unwrap_or_default(),
        after: row.after.unwrap_or_default(),
    }
}

/// Whether a part of an item is its name, its group or a cell.
pub(crate) fn is_value(field: &str) -> bool {
    field == NAME || field == GROUP || crate::ids::number_in(field, b'c').is_some()
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "UndoChange", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Undo {
    /// The board.
    board_id: String,
    /// A change of the board or one of its items, as `changes.list` and `boards.items.activity` name it; or send `revision`.
    change_id: Option<String>,
    /// A board revision, as returned by every change. Undoes all of its changes, or none.
    #[schemars(range(min = 1))]
    revision: Option<i64>,
}

/// Result of an undo of one change or a whole revision.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "UndoAnswer", untagged)]
pub(crate) enum Answer {
    /// One change was undone.
    One(Box<Undone>),
    /// A revision was undone.
    Whole(Reverted),
}

/// What an undo restored.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Undone {
    /// The item; omitted for a group, column, view, or the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) item_id: Option<String>,
    /// The changed field, as in the change log.
    pub(crate) field: String,
    /// The restored value; null if none.
    pub(crate) value: Value,
    /// ID of the undo's change; undo it to redo.
    pub(crate) change_id: String,
    /// The board's revision after the change.
    pub(crate) board_revision: i64,
}

pub(crate) async fn undo(ctx: Ctx, call: Call, input: Undo) -> Result<Answer> {
    match (input.change_id, input.revision) {
        (Some(change_id), None) => Ok(Answer::One(Box::new(undo_change(ctx, call, input.board_id, change_id).await?))),
        (None, Some(revision)) => Ok(Answer::Whole(revert::revision(ctx, call, input.board_id, revision).await?)),
        _ => Err(invalid("/changeId", fault::ONE_OF, "Send either a changeId or a revision.")),
    }
}

/// A recorded change of the board or of an item that it has or had.
fn change_of(tx: &mut Tx<'_>, account: &str, board_id: &str, change_id: &str) -> Result<ChangeRow> {
    let change = tx.change(account, change_id)?;
    if change.subject == BOARD && change.subject_id == board_id {
        return Ok(change);
    }
    if change.subject != ITEM {
        return Err(not_found());
    }
    if undo::takes(&change) || change.field.is_empty() {
        undo::expect_known(tx, account, board_id, &change.subject_id)?;
    } else {
        expect_item(tx, account, board_id, &change.subject_id)?;
    }
    Ok(change)
}

async fn undo_change(ctx: Ctx, call: Call, on: String, change_id: String) -> Result<Undone> {
    let (account, board_id) = (call.account().to_owned(), on.clone());
    // A recorded change stays as it is, so that it can be read before the transaction.
    let read = move |tx: &mut Tx<'_>| {
        let board = board::load(tx, &account, &board_id)?;
        let found = change_of(tx, &account, &board.id, &change_id);
        found.map_err(|e| if e.is(&NOT_FOUND) { ids::unknown(fault::UNKNOWN_CHANGE, "/changeId") } else { e })
    };
    let change = ctx.db().read(read).await?;
    if change.before == change.after {
        return Err(undo::nothing());
    }
    if undo::takes(&change) {
        return undo::undo(ctx, call, on, change).await;
    }
    if change.subject != ITEM || !is_value(&change.field) {
        return Err(NOT_UNDOABLE.error(undo::ONLY));
    }
    edit(ctx, call, on, move |tx, edit| {
        expect_item(tx, &edit.account, &edit.board.id, &change.subject_id)?;
        let wanted = match change.field.as_str() {
            NAME => change.before.clone(),
            GROUP => {
                let groups = board::groups(tx, &edit.account, &edit.board.id)?;
                let is_there = groups.iter().any(|g| change.before.as_ref().is_some_and(|before| *before == g.id));
                let item = items::load(tx, edit, &change.subject_id)?;
                if item.record.parent_id.is_some() {
                    return Err(error::CONFLICT.error("It is now a subitem and follows its parent's group."));
                }
                if !is_there {
                    return Err(error::CONFLICT.error("The item's group was deleted since then."));
                }
                change.before.clone()
            }
            column_id => {
                let columns = board::columns(tx, &edit.account, &edit.board.id)?;
                let column = columns.iter().find(|c| c.id == column_id);
                let column = column.ok_or_else(|| error::CONFLICT.error("The column was deleted since then."))?;
                let at = (&*edit.board.id, &*change.subject_id);
                // What it held may not be accepted any more: a label was left out, a file is gone for good.
                let back = column.accept_back(tx, &edit.account, at, change.before.as_ref(), "/changeId");
                back.map_err(undo::in_the_way)?
            }
        };
        let mut present = None;
        items::change_all(tx, edit, "item_id = $3", &change.subject_id, |record| {
            present = value_of(record, &change.field);
            set(record, &change.field, wanted.clone());
        })?;
        if change.field == GROUP {
            let item = items::load(tx, edit, &change.subject_id)?;
            subitems::follow(tx, edit, &item.record)?;
        }
        // The value counts, not what came between: two steps can be taken back one after the other.
        if present != change.after {
            return Err(undo::changed_since(tx, &edit.caller, &change)?);
        }
        let (subject_id, field) = (&change.subject_id, &change.field);
        let (before, after) = (present.as_ref(), wanted.as_ref());
        let change_id = edit.record_change(tx, Change { subject: ITEM, subject_id, field, before, after })?;
        let change_id = change_id.ok_or_else(undo::nothing)?;
        Ok(Undone {
            item_id: Some(change.subject_id),
            field: change.field,
            value: wanted.unwrap_or_default(),
            change_id,
            board_revision: edit.board.revision,
        })
    })
    .await
}

/// A part of an item: its name, its group or a cell.
pub(crate) fn value_of(record: &Record, field: &str) -> Option<Value> {
    match field {
        NAME => Some(json!(record.name)),
        GROUP => Some(json!(record.group_id)),
        column_id => record.cells.get(column_id).cloned(),
    }
}

/// Sets a part of an item.
pub(crate) fn set(record: &mut Record, field: &str, value: Option<Value>) {
    match (field, value) {
        (NAME, Some(Value::String(name))) => record.name = name,
        (GROUP, Some(Value::String(group_id))) => record.group_id = group_id,
        (NAME | GROUP, _) => {}
        (column_id, Some(value)) => {
            record.cells.insert(column_id.to_owned(), value);
        }
        (column_id, None) => {
            record.cells.remove(column_id);
        }
    }
}
