//! Operations on meeting rooms.

use crate::errors::ROOMS_DISABLED;
use crate::record::{RoomRecord, summary};
use crate::settings::meetingRoomsEnabled;
use events::{Event, HasEvents};
use kit::error::{CONFLICT, FORBIDDEN};
use kit::lookup::{FirstAccount, OpenPage};
use kit::text::NAME;
use kit::{Call, CallerSet, Created, Ctx, Done, Method, Op, Page, Part, Result};
use links::{ADDRESS_CHARS_MAX, Link, List, NewLink, Place, Reach};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use store::{Change, HasDb, Tx};

/// Maximum characters of a name.
const NAME_CHARS_MAX: usize = 100;
/// Maximum characters of a note.
const NOTE_CHARS_MAX: usize = 500;

pub(crate) static ROOMS: List = List {
    name: "rooms",
    things: "meeting rooms",
    links_max: 200,
    name_chars_max: NAME_CHARS_MAX,
    note_chars_max: NOTE_CHARS_MAX,
    depth_max: 0,
    reach: Reach::Web,
};

const ONE: &str = "/rooms/{roomId}";

pub(crate) fn ops() -> Vec<Op> {
    let everyone = CallerSet::PERSON_AND_AGENTS;
    vec![
        Op::new("rooms.list", Method::Get, "/rooms", everyone, "List meeting rooms in order.", list)
            .scope("rooms:read")
            .synonyms("meeting video call zoom meet teams jitsi")
            .columns(&["id", "name", "address", "note", "joinedAt"]),
        Op::new("rooms.get", Method::Get, ONE, everyone, "Get a meeting room.", get)
            .scope("rooms:read")
            .example(r#"{"roomId": "{roomId}"}"#),
        Op::new("rooms.create", Method::Post, "/rooms", everyone, "Create a meeting room.", create)
            .scope("rooms:write")
            .example(r#"{"name": "Stand-up", "address": "https://meet.example.com/standup"}"#)
            .synonyms("add save video call link")
            .switch(&meetingRoomsEnabled, &ROOMS_DISABLED),
        Op::new("rooms.update", Method::Patch, ONE, everyone, "Change a meeting room's name, link, or note.", update)
            .scope("rooms:write")
            .example(r#"{"roomId": "{roomId}", "name": "Weekly"}"#)
            .synonyms("rename edit"),
        Op::new(
            "rooms.delete",
            Method::Delete,
            ONE,
            everyone,
            "Delete a meeting room. It can be restored for 30 days.",
            delete,
        )
        .scope("rooms:write")
        .example(r#"{"roomId": "{spareRoomId}"}"#),
        Op::new(
            "rooms.restore",
            Method::Post,
            "/rooms/{roomId}/restore",
            everyone,
            "Restore a deleted meeting room to its position.",
            restore,
        )
        .scope("rooms:write")
        .example(r#"{"roomId": "{deletedRoomId}"}"#)
        .synonyms("undo undelete"),
        Op::new(
            "rooms.reorder",
            Method::Post,
            "/rooms/{roomId}/reorder",
            everyone,
            "Move a meeting room before another one, or to the end. Others stay in order.",
            reorder,
        )
        .scope("rooms:write")
        .example(r#"{"roomId": "{roomId}", "before": "{otherRoomId}"}"#)
        .synonyms("move sort order position"),
        Op::new(
            "rooms.join",
            Method::Post,
            "/rooms/{roomId}/join",
            CallerSet::PERSON,
            "Join a meeting room: open its link in the browser of this computer.",
            join,
        )
        .example(r#"{"roomId": "{roomId}", "open": false}"#)
        .synonyms("open launch enter call")
        .switch(&meetingRoomsEnabled, &ROOMS_DISABLED),
    ]
}

async fn list(ctx: Ctx, call: Call, input: Part) -> Result<Page<RoomRecord>> {
    let all = ctx.db().read(move |tx| ROOMS.all(tx, call.account())).await?;
    input.page(all.into_iter().map(RoomRecord::from).collect(), |room| (&room.id).into())
}

/// Names a meeting room.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "MeetingRoomId")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct One {
    room_id: String,
}

async fn get(ctx: Ctx, call: Call, input: One) -> Result<RoomRecord> {
    Ok(ctx.db().read(move |tx| ROOMS.expect(tx, call.account(), &input.room_id)).await?.into())
}

/// A new meeting room.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CreateMeetingRoom")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct CreateParams {
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    name: String,
    /// The link of its video call, such as `https://meet.jit.si/our-room`.
    #[schemars(length(min = 1, max = ADDRESS_CHARS_MAX))]
    address: String,
    /// A note about the room, such as its access code.
    #[schemars(length(max = NOTE_CHARS_MAX))]
    note: Option<String>,
    /// The room to put it before. Default: the end.
    before: Option<String>,
}

fn place(before: Option<String>) -> Place {
    before.map_or(Place::EndOf(None), Place::Before)
}

async fn create(ctx: Ctx, call: Call, input: CreateParams) -> Result<Created<RoomRecord>> {
    let place = place(input.before);
    let fields = links::Change { name: Some(input.name), address: Some(input.address), note: input.note };
    let checked = ROOMS.check(&fields)?;
    let new = NewLink {
        name: checked.name.unwrap_or_default(),
        address: checked.address,
        note: checked.note.unwrap_or_default(),
    };
    let record =
        change(ctx, call, move |tx, account, now_ms| Ok((None, Some(ROOMS.create(tx, account, new, &place, now_ms)?))))
            .await?;
    Ok(Created { location: format!("/rooms/{}", record.id), record })
}

/// Changes a meeting room.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "UpdateMeetingRoom")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct UpdateParams {
    room_id: String,
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    name: Option<String>,
    /// The link of its video call.
    #[schemars(length(min = 1, max = ADDRESS_CHARS_MAX))]
    address: Option<String>,
    /// A note about the room. Empty removes it.
    #[schemars(length(max = NOTE_CHARS_MAX))]
    note: Option<String>,
}

async fn update(ctx: Ctx, call: Call, input: UpdateParams) -> Result<RoomRecord> {
    let checked = ROOMS.check(&links::Change { name: input.name, address: input.address, note: input.note })?;
    change(ctx, call, move |tx, account, now_ms| {
        let (before, after) = ROOMS.update(tx, account, &input.room_id, checked, now_ms)?;
        Ok((Some(before), Some(after)))
    })
    .await
}

async fn delete(ctx: Ctx, call: Call, input: One) -> Result<Done> {
    change(ctx, call, move |tx, account, now_ms| Ok((Some(ROOMS.delete(tx, account, &input.room_id, now_ms)?), None)))
        .await?;
    Ok(Done)
}

async fn restore(ctx: Ctx, call: Call, input: One) -> Result<RoomRecord> {
    change(ctx, call, move |tx, account, _| Ok((None, Some(ROOMS.restore(tx, account, &input.room_id)?)))).await
}

/// Moves a meeting room.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ReorderMeetingRoom")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ReorderParams {
    room_id: String,
    /// The room to put it before. Default: the end.
    before: Option<String>,
}

async fn reorder(ctx: Ctx, call: Call, input: ReorderParams) -> Result<RoomRecord> {
    let place = place(input.before);
    change(ctx, call, move |tx, account, _| {
        let (before, after) = ROOMS.place(tx, account, &input.room_id, &place)?;
        Ok((Some(before), Some(after)))
    })
    .await
}

/// Joins a meeting room.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "JoinMeetingRoom")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct JoinParams {
    room_id: String,
    /// False only notes when it was joined, for pages that open the link themselves. Default: true.
    open: Option<bool>,
}

async fn join(ctx: Ctx, call: Call, input: JoinParams) -> Result<RoomRecord> {
    let opener = match input.open.unwrap_or(true) {
        true => Some(opener(&ctx, &call)?),
        false => None,
    };
    let (bus, now_ms) = (ctx.events(), ctx.now_ms());
    let write = move |tx: &mut Tx<'_>| {
        let link = ROOMS.mark_used(tx, call.account(), &input.room_id, now_ms)?;
        let account = call.account().to_owned();
        tx.after_commit(move || bus.emit(Some(&account), Event::RoomsChanged));
        Ok(link)
    };
    let link = ctx.db().write(write).await?;
    if let (Some(opener), Some(address)) = (opener, &link.address) {
        (opener.0)(address);
    }
    Ok(link.into())
}

/// Opens pages on the computer that Pilothouse runs on, whose browser is the first account's.
fn opener(ctx: &Ctx, call: &Call) -> Result<std::sync::Arc<OpenPage>> {
    let first = ctx.find_service::<FirstAccount>();
    if first.is_some_and(|first| *first.0 != *call.account()) {
        return Err(FORBIDDEN.error("Only the first account can open rooms on this computer."));
    }
    // Operations can also be called on the data directory of a stopped program.
    let running = || CONFLICT.error("Pilothouse isn't running. Start it with `pilothouse`.");
    ctx.find_service::<OpenPage>().ok_or_else(running)
}

/// Changes rooms, records what became of one, and tells the pages. Answers with the room as it is or was.
async fn change(
    ctx: Ctx,
    call: Call,
    run: impl FnOnce(&mut Tx<'_>, &str, i64) -> Result<(Option<Link>, Option<Link>)> + Send + 'static,
) -> Result<RoomRecord> {
    let (bus, now_ms) = (ctx.events(), ctx.now_ms());
    let write = move |tx: &mut Tx<'_>| {
        let (before, after) = run(tx, call.account(), now_ms)?;
        let link = after.clone().or_else(|| before.clone()).ok_or_else(kit::not_found)?;
        let [before, after]: [Option<Value>; 2] = [&before, &after].map(|link| link.as_ref().map(summary));
        let change =
            Change { subject: "room", subject_id: &link.id, field: "", before: before.as_ref(), after: after.as_ref() };
        tx.record(&call.caller, now_ms, change)?;
        let account = call.account().to_owned();
        tx.after_commit(move || bus.emit(Some(&account), Event::RoomsChanged));
        Ok(link)
    };
    Ok(ctx.db().write(write).await?.into())
}
