//! Operations on bookmarks.

use crate::errors::BOOKMARKS_CLI_DISABLED;
use crate::record::{BookmarkRecord, summary};
use crate::settings::bookmarksCliEnabled;
use events::{Event, HasEvents};
use kit::error::{CONFLICT, FORBIDDEN};
use kit::fault::{MISSING, ONE_OF};
use kit::lookup::{FirstAccount, OpenPage};
use kit::text::NAME;
use kit::{Call, CallerSet, Created, Ctx, Done, Kind, Method, Op, Page, Part, Result, invalid};
use links::{ADDRESS_CHARS_MAX, Link, List, NewLink, Place, Reach};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{Change, HasDb, Tx};

/// Maximum characters of a name.
const NAME_CHARS_MAX: usize = 200;

pub(crate) static BOOKMARKS: List = List {
    name: "bookmarks",
    things: "bookmarks",
    links_max: 1_000,
    name_chars_max: NAME_CHARS_MAX,
    note_chars_max: 0,
    depth_max: 5,
    reach: Reach::WebAndPages,
};

const ONE: &str = "/bookmarks/{bookmarkId}";

pub(crate) fn ops() -> Vec<Op> {
    let everyone = CallerSet::PERSON_AND_AGENTS;
    let ops = vec![
        Op::new(
            "bookmarks.list",
            Method::Get,
            "/bookmarks",
            everyone,
            "List bookmarks in order. Each folder comes before its contents.",
            list,
        )
        .scope("bookmarks:read")
        .synonyms("favorites favourites links saved pages")
        .columns(&["id", "kind", "name", "address", "folderId"]),
        Op::new("bookmarks.get", Method::Get, ONE, everyone, "Get a bookmark.", get)
            .scope("bookmarks:read")
            .example(r#"{"bookmarkId": "{bookmarkId}"}"#),
        Op::new(
            "bookmarks.create",
            Method::Post,
            "/bookmarks",
            everyone,
            "Create a bookmark, or a folder if there is no address.",
            create,
        )
        .scope("bookmarks:write")
        .example(r#"{"name": "Docs", "address": "https://example.com/docs", "folderId": "{bookmarkFolderId}"}"#)
        .synonyms("add favorite save link folder"),
        Op::new("bookmarks.update", Method::Patch, ONE, everyone, "Change a bookmark's name or address.", update)
            .scope("bookmarks:write")
            .example(r#"{"bookmarkId": "{bookmarkId}", "name": "Manual"}"#)
            .synonyms("rename edit"),
        Op::new(
            "bookmarks.delete",
            Method::Delete,
            ONE,
            everyone,
            "Delete a bookmark, or a folder with everything in it. It can be restored for 30 days.",
            delete,
        )
        .scope("bookmarks:write")
        .example(r#"{"bookmarkId": "{spareBookmarkId}"}"#),
        Op::new(
            "bookmarks.restore",
            Method::Post,
            "/bookmarks/{bookmarkId}/restore",
            everyone,
            "Restore a deleted bookmark to its position.",
            restore,
        )
        .scope("bookmarks:write")
        .example(r#"{"bookmarkId": "{deletedBookmarkId}"}"#)
        .synonyms("undo undelete"),
        Op::new(
            "bookmarks.reorder",
            Method::Post,
            "/bookmarks/{bookmarkId}/reorder",
            everyone,
            "Move a bookmark before another one, or to the end of a folder. Others stay in order.",
            reorder,
        )
        .scope("bookmarks:write")
        .example(r#"{"bookmarkId": "{bookmarkId}", "before": "{otherBookmarkId}"}"#)
        .synonyms("move sort order position"),
        Op::new(
            "bookmarks.launch",
            Method::Post,
            "/bookmarks/{bookmarkId}/launch",
            everyone,
            "Open a bookmark on this computer: a page in Pilothouse, a web address in the browser.",
            launch,
        )
        .scope("bookmarks:write")
        .example(r#"{"bookmarkId": "{bookmarkId}"}"#)
        .synonyms("open go visit browser"),
    ];
    ops.into_iter().map(|op| op.errors([&BOOKMARKS_CLI_DISABLED])).collect()
}

/// Rejects scripts and agents while the setting is off. The page always has access.
fn expect_allowed(ctx: &Ctx, call: &Call) -> Result<()> {
    let is_page = call.caller.kind == Kind::Owner && !call.is_of_agent();
    if is_page || ctx.setting(call.account(), &bookmarksCliEnabled) {
        return Ok(());
    }
    let remedy = match call.is_of_agent() {
        true => "Ask the owner to turn it on.",
        false => "Use bookmarks on the page, or turn it on.",
    };
    let detail = format!("The setting bookmarksCliEnabled is off, so scripts and agents can't use bookmarks. {remedy}");
    Err(BOOKMARKS_CLI_DISABLED.error(detail).with("setting", "bookmarksCliEnabled"))
}

async fn list(ctx: Ctx, call: Call, input: Part) -> Result<Page<BookmarkRecord>> {
    expect_allowed(&ctx, &call)?;
    let all = ctx.db().read(move |tx| BOOKMARKS.all(tx, call.account())).await?;
    input.page(all.into_iter().map(BookmarkRecord::from).collect(), |bookmark| (&bookmark.id).into())
}

/// Names a bookmark.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "BookmarkId")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct One {
    bookmark_id: String,
}

async fn get(ctx: Ctx, call: Call, input: One) -> Result<BookmarkRecord> {
    expect_allowed(&ctx, &call)?;
    let link = ctx.db().read(move |tx| BOOKMARKS.expect(tx, call.account(), &input.bookmark_id)).await?;
    Ok(link.into())
}

/// A new bookmark or folder.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CreateBookmark")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct CreateParams {
    /// Default for a bookmark: its address.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    name: Option<String>,
    /// A web address, or the path of a page of Pilothouse such as `/app/inbox`. Omit it for a folder.
    #[schemars(length(min = 1, max = ADDRESS_CHARS_MAX))]
    address: Option<String>,
    /// ID of the folder to add it to, at its end; names aren't accepted. `bookmarks.list` shows it. Default: the top.
    folder_id: Option<String>,
    /// The bookmark to put it before, instead of `folderId`.
    before: Option<String>,
}

/// Where a bookmark goes: `before` and `folder` exclude each other.
fn place(before: Option<String>, folder: Option<String>) -> Result<Place> {
    match (before, folder) {
        (Some(_), Some(_)) => Err(invalid("/before", ONE_OF, "Send either before or folderId.")),
        (Some(before), None) => Ok(Place::Before(before)),
        (None, folder) => Ok(Place::EndOf(folder)),
    }
}

async fn create(ctx: Ctx, call: Call, input: CreateParams) -> Result<Created<BookmarkRecord>> {
    expect_allowed(&ctx, &call)?;
    let place = place(input.before, input.folder_id)?;
    if input.name.is_none() && input.address.is_none() {
        return Err(invalid("/name", MISSING, "Send name for a folder, or address for a bookmark."));
    }
    let checked = BOOKMARKS.check(&links::Change { name: input.name, address: input.address, note: None })?;
    let named_after = checked.address.as_deref().unwrap_or_default().chars().take(NAME_CHARS_MAX).collect();
    let new = NewLink { name: checked.name.unwrap_or(named_after), address: checked.address, note: String::new() };
    let link = change(ctx, call, move |tx, account, now_ms| {
        let link = BOOKMARKS.create(tx, account, new, &place, now_ms)?;
        Ok((None, Some(link)))
    });
    let record = link.await?;
    Ok(Created { location: format!("/bookmarks/{}", record.id), record })
}

/// Changes a bookmark.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "UpdateBookmark")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct UpdateParams {
    bookmark_id: String,
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    name: Option<String>,
    /// A web address, or the path of a page of Pilothouse such as `/app/inbox`. Not for folders.
    #[schemars(length(min = 1, max = ADDRESS_CHARS_MAX))]
    address: Option<String>,
}

async fn update(ctx: Ctx, call: Call, input: UpdateParams) -> Result<BookmarkRecord> {
    expect_allowed(&ctx, &call)?;
    let checked = BOOKMARKS.check(&links::Change { name: input.name, address: input.address, note: None })?;
    change(ctx, call, move |tx, account, now_ms| {
        let (before, after) = BOOKMARKS.update(tx, account, &input.bookmark_id, checked, now_ms)?;
        Ok((Some(before), Some(after)))
    })
    .await
}

async fn delete(ctx: Ctx, call: Call, input: One) -> Result<Done> {
    expect_allowed(&ctx, &call)?;
    change(ctx, call, move |tx, account, now_ms| {
        Ok((Some(BOOKMARKS.delete(tx, account, &input.bookmark_id, now_ms)?), None))
    })
    .await?;
    Ok(Done)
}

async fn restore(ctx: Ctx, call: Call, input: One) -> Result<BookmarkRecord> {
    expect_allowed(&ctx, &call)?;
    change(ctx, call, move |tx, account, _| Ok((None, Some(BOOKMARKS.restore(tx, account, &input.bookmark_id)?)))).await
}

/// Moves a bookmark.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ReorderBookmark")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ReorderParams {
    bookmark_id: String,
    /// The bookmark to put it before, also in another folder.
    before: Option<String>,
    /// ID of the folder to move it to, at its end; names aren't accepted. Without both: the end of the top.
    folder_id: Option<String>,
}

async fn reorder(ctx: Ctx, call: Call, input: ReorderParams) -> Result<BookmarkRecord> {
    expect_allowed(&ctx, &call)?;
    let place = place(input.before, input.folder_id)?;
    change(ctx, call, move |tx, account, _| {
        let (before, after) = BOOKMARKS.place(tx, account, &input.bookmark_id, &place)?;
        Ok((Some(before), Some(after)))
    })
    .await
}

/// The address that was opened.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LaunchedBookmark")]
struct Launched {
    address: String,
}

async fn launch(ctx: Ctx, call: Call, input: One) -> Result<Launched> {
    expect_allowed(&ctx, &call)?;
    let first = ctx.find_service::<FirstAccount>();
    let is_first = first.is_none_or(|first| *first.0 == *call.account());
    let link = ctx.db().read(move |tx| BOOKMARKS.expect(tx, call.account(), &input.bookmark_id)).await?;
    // It opens on the computer that Pilothouse runs on, signed in as the first account.
    if !is_first {
        return Err(FORBIDDEN.error("Only the first account can open bookmarks on this computer."));
    }
    let folder = || invalid("/bookmarkId", links::fault::NO_ADDRESS, "A folder can't be opened. Name a bookmark.");
    let address = link.address.ok_or_else(folder)?;
    // Operations can also be called on the data directory of a stopped program.
    let open = ctx.find_service::<OpenPage>();
    let open = open.ok_or_else(|| CONFLICT.error("Pilothouse isn't running. Start it with `pilothouse`."))?;
    (open.0)(&address);
    Ok(Launched { address })
}

/// Changes bookmarks, records what became of one, and tells the pages. Answers with the bookmark as it is or was.
async fn change(
    ctx: Ctx,
    call: Call,
    run: impl FnOnce(&mut Tx<'_>, &str, i64) -> Result<(Option<Link>, Option<Link>)> + Send + 'static,
) -> Result<BookmarkRecord> {
    let (bus, now_ms) = (ctx.events(), ctx.now_ms());
    let write = move |tx: &mut Tx<'_>| {
        let (before, after) = run(tx, call.account(), now_ms)?;
        let link = after.clone().or_else(|| before.clone()).ok_or_else(kit::not_found)?;
        let [before, after]: [Option<Value>; 2] = [&before, &after].map(|link| link.as_ref().map(summary));
        let change = Change {
            subject: "bookmark",
            subject_id: &link.id,
            field: "",
            before: before.as_ref(),
            after: after.as_ref(),
        };
        tx.record(&call.caller, now_ms, change)?;
        let account = call.account().to_owned();
        tx.after_commit(move || bus.emit(Some(&account), Event::BookmarksChanged));
        Ok(link)
    };
    Ok(ctx.db().write(write).await?.into())
}
