//! Operations on the items of a drip queue.

use crate::errors::{DRIP_DISABLED, DRIP_RELEASED};
use crate::queue::{Item, Kind, State};
use crate::rows;
use crate::settings::dripEnabled;
use kit::error::TOO_MANY;
use kit::ids::short_id;
use kit::text::{CURSOR, NAME, TEXT, expect_name, expect_text};
use kit::{Call, CallerSet, Created, Ctx, Done, Method, Op, Page, Part, Result, fault, invalid, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Change, HasDb, Tx};

/// Items of a queue at most.
const ITEMS_MAX: usize = 1_000;
/// Maximum characters of a title.
const TITLE_MAX: usize = 200;
/// Maximum characters of a content.
const CONTENT_MAX: usize = 100_000;

const ALL: &str = "/drip/{queueId}/items";
const ONE: &str = "/drip/{queueId}/items/{itemId}";

pub(crate) fn ops() -> Vec<Op> {
    let person = CallerSet::PERSON;
    [
        Op::new("drip.items.list", Method::Get, ALL, person, "List the items of a queue in order.", list)
            .example(r#"{"queueId": "{queueId}"}"#)
            .columns(&["id", "title", "kind", "state", "releasedAt"]),
        Op::new("drip.items.get", Method::Get, ONE, person, "Get an item with its content.", get)
            .example(r#"{"queueId": "{queueId}", "itemId": "{dripItemId}"}"#),
        Op::new("drip.items.add", Method::Post, ALL, person, "Add an item to the end of a queue.", add)
            .example(r#"{"queueId": "{queueId}", "content": "Chapter **one**"}"#),
        Op::new("drip.items.update", Method::Patch, ONE, person, "Change an item that wasn't released.", update)
            .example(r#"{"queueId": "{queueId}", "itemId": "{dripItemId}", "title": "T"}"#)
            .errors([&DRIP_RELEASED])
            .synonyms("edit"),
        Op::new(
            "drip.items.reorder",
            Method::Post,
            "/drip/{queueId}/items/{itemId}/reorder",
            person,
            "Move an item before another one, or to the end. Others stay in order.",
            reorder,
        )
        .example(r#"{"queueId": "{queueId}", "itemId": "{dripItemId}"}"#)
        .synonyms("move sort"),
        Op::new(
            "drip.items.skip",
            Method::Post,
            "/drip/{queueId}/items/{itemId}/skip",
            person,
            "Skip an item, or let it wait again.",
            skip,
        )
        .example(r#"{"queueId": "{queueId}", "itemId": "{dripItemId}"}"#)
        .errors([&DRIP_RELEASED]),
        Op::new("drip.items.delete", Method::Delete, ONE, person, "Delete an item.", delete)
            .example(r#"{"queueId": "{queueId}", "itemId": "{spareDripItemId}"}"#)
            .permanent(),
    ]
    .map(|op| op.switch(&dripEnabled, &DRIP_DISABLED))
    .into()
}

/// An item of a drip queue.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DripItem")]
#[serde(rename_all = "camelCase")]
pub(crate) struct ItemRecord {
    id: String,
    title: String,
    kind: Kind,
    state: State,
    content: String,
    /// When it was released; RFC 3339 in UTC. Null if it wasn't.
    released_at: Option<String>,
    /// RFC 3339 in UTC.
    created_at: String,
}

impl From<&Item> for ItemRecord {
    fn from(item: &Item) -> ItemRecord {
        ItemRecord {
            id: item.id.clone(),
            title: item.title.clone(),
            kind: item.kind,
            state: item.state,
            content: item.content.clone(),
            released_at: Some(item.released_ms).filter(|ms| *ms > 0).map(rfc3339),
            created_at: rfc3339(item.created_ms),
        }
    }
}

/// An item in a list, without its content.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DripItemEntry")]
#[serde(rename_all = "camelCase")]
struct Entry {
    id: String,
    title: String,
    kind: Kind,
    state: State,
    /// When it was released; RFC 3339 in UTC. Null if it wasn't.
    released_at: Option<String>,
}

/// A page of items.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ListDripItems")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct List {
    queue_id: String,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: the whole list.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<Entry>> {
    let read = move |tx: &mut Tx<'_>| {
        rows::expect(tx, call.account(), &input.queue_id)?;
        rows::items(tx, call.account(), &input.queue_id)
    };
    let items = ctx.db().read(read).await?;
    let entry = |item: Item| Entry {
        id: item.id,
        title: item.title,
        kind: item.kind,
        state: item.state,
        released_at: Some(item.released_ms).filter(|ms| *ms > 0).map(rfc3339),
    };
    let part = Part { cursor: input.cursor, limit: input.limit };
    part.page(items.into_iter().map(entry).collect(), |entry| (&entry.id).into())
}

/// Names an item.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "DripItemId")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct One {
    queue_id: String,
    item_id: String,
}

async fn get(ctx: Ctx, call: Call, input: One) -> Result<ItemRecord> {
    // Also of a deleted queue: its rows are still in the inbox.
    let read = move |tx: &mut Tx<'_>| rows::item(tx, call.account(), &input.queue_id, &input.item_id);
    Ok(ItemRecord::from(&ctx.db().read(read).await?))
}

/// An item to add.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AddDripItem")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Add {
    queue_id: String,
    #[schemars(length(min = 1, max = CONTENT_MAX), regex(pattern = TEXT))]
    content: String,
    /// Default: the start of the content.
    #[schemars(length(min = 1, max = TITLE_MAX), regex(pattern = NAME))]
    title: Option<String>,
    /// Default: `markdown`.
    #[serde(default)]
    kind: Kind,
}

/// A title made of the start of a content.
fn title_of(content: &str, kind: Kind) -> String {
    if kind == Kind::Html {
        return "HTML item".to_owned();
    }
    let marks = ['#', '>', '*', '-', '_', '`', ' '];
    let mut lines = content.lines().map(|line| line.trim_matches(marks).trim());
    let line = lines.find(|line| expect_name(line, CONTENT_MAX, "").is_ok()).unwrap_or("Item");
    line.chars().take(80).collect::<String>().trim().to_owned()
}

async fn add(ctx: Ctx, call: Call, input: Add) -> Result<Created<ItemRecord>> {
    expect_text(&input.content, CONTENT_MAX, "/content")?;
    input.title.iter().try_for_each(|title| expect_name(title.trim(), TITLE_MAX, "/title"))?;
    let again = ctx.clone();
    let queue = input.queue_id.clone();
    let write = move |tx: &mut Tx<'_>| {
        rows::expect(tx, call.account(), &input.queue_id)?;
        let items = rows::items(tx, call.account(), &input.queue_id)?;
        if items.len() >= ITEMS_MAX {
            return Err(TOO_MANY.error(format!("The queue has {ITEMS_MAX} items. Delete some first.")));
        }
        let title = input.title.map(|title| title.trim().to_owned());
        let item = Item {
            id: short_id(),
            place: items.last().map_or(0, |last| last.place + 1),
            kind: input.kind,
            title: title.unwrap_or_else(|| title_of(&input.content, input.kind)),
            content: input.content,
            state: State::Waiting,
            released_ms: 0,
            created_ms: again.now_ms(),
        };
        rows::put(tx, &again, call.account(), &input.queue_id, &item)?;
        record(tx, &again, &call, &item.id, "", None, Some(json!(item.title)))?;
        Ok(item)
    };
    let item = ctx.db().write(write).await?;
    Ok(Created { location: format!("/drip/{queue}/items/{}", item.id), record: ItemRecord::from(&item) })
}

/// Records a change of an item.
pub(crate) fn record(
    tx: &mut Tx<'_>,
    ctx: &Ctx,
    call: &Call,
    id: &str,
    field: &str,
    before: Option<Value>,
    after: Option<Value>,
) -> Result<()> {
    let change = Change { subject: "drip-item", subject_id: id, field, before: before.as_ref(), after: after.as_ref() };
    tx.record(&call.caller, ctx.now_ms(), change).map(drop)
}

/// Changes to an item. Omitted fields stay unchanged.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "UpdateDripItem")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Update {
    queue_id: String,
    item_id: String,
    #[schemars(length(min = 1, max = CONTENT_MAX), regex(pattern = TEXT))]
    content: Option<String>,
    #[schemars(length(min = 1, max = TITLE_MAX), regex(pattern = NAME))]
    title: Option<String>,
    kind: Option<Kind>,
}

/// An item that can still be changed.
pub(crate) fn unreleased(tx: &mut Tx<'_>, account: &str, queue: &str, id: &str) -> Result<Item> {
    rows::expect(tx, account, queue)?;
    let item = rows::item(tx, account, queue, id)?;
    match item.state {
        State::Released => Err(DRIP_RELEASED.error("The item was released. Add another one.")),
        State::Waiting | State::Skipped => Ok(item),
    }
}

async fn update(ctx: Ctx, call: Call, input: Update) -> Result<ItemRecord> {
    input.content.iter().try_for_each(|content| expect_text(content, CONTENT_MAX, "/content"))?;
    input.title.iter().try_for_each(|title| expect_name(title.trim(), TITLE_MAX, "/title"))?;
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let before = unreleased(tx, call.account(), &input.queue_id, &input.item_id)?;
        let item = Item {
            title: input.title.map_or_else(|| before.title.clone(), |title| title.trim().to_owned()),
            content: input.content.unwrap_or_else(|| before.content.clone()),
            kind: input.kind.unwrap_or(before.kind),
            ..before.clone()
        };
        rows::put(tx, &again, call.account(), &input.queue_id, &item)?;
        record(tx, &again, &call, &item.id, "", Some(json!(before.title)), Some(json!(item.title)))?;
        Ok(item)
    };
    Ok(ItemRecord::from(&ctx.db().write(write).await?))
}

/// Moves an item.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ReorderDripItem")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Reorder {
    queue_id: String,
    item_id: String,
    /// The item to put it before. Default: the end.
    before: Option<String>,
}

async fn reorder(ctx: Ctx, call: Call, input: Reorder) -> Result<ItemRecord> {
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let (account, queue) = (call.account(), &input.queue_id);
        rows::expect(tx, account, queue)?;
        let moved = rows::item(tx, account, queue, &input.item_id)?;
        let mut items = rows::items(tx, account, queue)?;
        items.retain(|item| item.id != moved.id);
        let at = match &input.before {
            None => items.len(),
            Some(before) => {
                let at = items.iter().position(|item| item.id == *before);
                at.ok_or_else(|| invalid("/before", fault::NOT_A_CHOICE, "Name another item of the queue."))?
            }
        };
        items.insert(at, moved.clone());
        for (place, item) in (0..).zip(&items) {
            if item.place != place {
                rows::put(tx, &again, account, queue, &Item { place, ..item.clone() })?;
            }
        }
        record(tx, &again, &call, &moved.id, "place", Some(json!(moved.place)), Some(json!(at)))?;
        Ok(moved)
    };
    Ok(ItemRecord::from(&ctx.db().write(write).await?))
}

/// Skips an item.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "SkipDripItem")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Skip {
    queue_id: String,
    item_id: String,
    /// False lets it wait again. Default: true.
    skipped: Option<bool>,
}

async fn skip(ctx: Ctx, call: Call, input: Skip) -> Result<ItemRecord> {
    let again = ctx.clone();
    let state = if input.skipped.unwrap_or(true) { State::Skipped } else { State::Waiting };
    let write = move |tx: &mut Tx<'_>| {
        let before = unreleased(tx, call.account(), &input.queue_id, &input.item_id)?;
        let item = Item { state, ..before.clone() };
        rows::put(tx, &again, call.account(), &input.queue_id, &item)?;
        record(tx, &again, &call, &item.id, "state", Some(json!(before.state)), Some(json!(state)))?;
        Ok(item)
    };
    Ok(ItemRecord::from(&ctx.db().write(write).await?))
}

async fn delete(ctx: Ctx, call: Call, input: One) -> Result<Done> {
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        rows::expect(tx, call.account(), &input.queue_id)?;
        let item = rows::item(tx, call.account(), &input.queue_id, &input.item_id)?;
        rows::remove(tx, &again, call.account(), &input.queue_id, &item.id)?;
        record(tx, &again, &call, &item.id, "", Some(json!(item.title)), None)
    };
    ctx.db().write(write).await?;
    Ok(Done)
}
