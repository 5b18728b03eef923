//! Operations of sticky notes.

use crate::errors::{NOTES_DISABLED, NOTES_FULL};
use crate::rows::{self, Note, SIZE};
use crate::settings::stickyNotesEnabled;
use crate::windows;
use events::{Event, HasEvents};
use kit::text::expect_text;
use kit::{Call, CallerSet, Created, Ctx, Done, Method, Op, Page, Part, Result, new_id, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Change, HasDb, Tx};

/// Maximum characters of a note.
const TEXT_MAX: usize = 10_000;
/// Most notes of an account.
const NOTES_MAX: usize = 200;
/// A place beyond any screen.
const PLACE_MAX: i64 = 100_000;
const SIDE_MIN: i64 = 80;
const SIDE_MAX: i64 = 4_000;

/// A note's color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StickyNoteColor")]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
enum Color {
    #[default]
    Yellow,
    Green,
    Blue,
    Pink,
    Gray,
}

impl Color {
    fn name(self) -> String {
        json!(self).as_str().unwrap_or_default().to_owned()
    }

    fn of(name: &str) -> Color {
        serde_json::from_value(json!(name)).unwrap_or_default()
    }
}

pub(crate) fn ops() -> Vec<Op> {
    [
        Op::new("notes.list", Method::Get, "/notes", CallerSet::PERSON, "List sticky notes, newest first.", list)
            .columns(&["id", "text", "color", "isOpen"]),
        Op::new("notes.get", Method::Get, "/notes/{noteId}", CallerSet::PERSON, "Get a sticky note.", get)
            .example(r#"{"noteId": "{noteId}"}"#),
        Op::new(
            "notes.create",
            Method::Post,
            "/notes",
            CallerSet::PERSON,
            "Create a sticky note and open it in its own window.",
            create,
        )
        .example(r#"{"text": "Call Ada", "color": "blue"}"#)
        .errors([&NOTES_FULL]),
        Op::new(
            "notes.update",
            Method::Patch,
            "/notes/{noteId}",
            CallerSet::PERSON,
            "Change a sticky note. `isOpen` opens or closes its window.",
            update,
        )
        .example(r#"{"noteId": "{noteId}", "text": "Call Ada at 9"}"#),
        Op::new(
            "notes.place",
            Method::Put,
            "/notes/{noteId}/place",
            CallerSet::PERSON,
            "Report where a note's window is, in pixels of the screen.",
            place,
        )
        .example(r#"{"noteId": "{noteId}", "x": 100, "y": 80, "width": 260, "height": 220}"#),
        Op::new("notes.delete", Method::Delete, "/notes/{noteId}", CallerSet::PERSON, "Delete a sticky note.", delete)
            .example(r#"{"noteId": "{goneNoteId}"}"#),
    ]
    .map(|op| op.switch(&stickyNotesEnabled, &NOTES_DISABLED))
    .into()
}

/// A sticky note.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StickyNote")]
#[serde(rename_all = "camelCase")]
struct Record {
    id: String,
    text: String,
    color: Color,
    /// Whether its window is open, or opens with the desktop window.
    is_open: bool,
    /// RFC 3339 in UTC.
    created_at: String,
    /// RFC 3339 in UTC.
    changed_at: String,
}

impl From<Note> for Record {
    fn from(note: Note) -> Record {
        Record {
            color: Color::of(&note.color),
            id: note.id,
            text: note.text,
            is_open: note.is_open,
            created_at: rfc3339(note.created_ms),
            changed_at: rfc3339(note.changed_ms),
        }
    }
}

async fn list(ctx: Ctx, call: Call, part: Part) -> Result<Page<Record>> {
    let notes = ctx.db().read(move |tx| rows::all(tx, call.account())).await?;
    part.page(notes.into_iter().map(Record::from).collect(), |note| (&note.id).into())
}

/// Names a note.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct One {
    note_id: String,
}

async fn get(ctx: Ctx, call: Call, input: One) -> Result<Record> {
    ctx.db().read(move |tx| rows::expect(tx, call.account(), &input.note_id)).await.map(Record::from)
}

/// A new note.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "NewStickyNote")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct New {
    /// Default: empty.
    #[serde(default)]
    #[schemars(length(max = TEXT_MAX))]
    text: String,
    /// Default: yellow.
    #[serde(default)]
    color: Color,
}

/// An empty note is fine.
fn expect_note(text: &str) -> Result<()> {
    if text.is_empty() { Ok(()) } else { expect_text(text, TEXT_MAX, "/text") }
}

async fn create(ctx: Ctx, call: Call, input: New) -> Result<Created<Record>> {
    expect_note(&input.text)?;
    let now_ms = ctx.now_ms();
    let note = Note {
        id: new_id(),
        text: input.text,
        color: input.color.name(),
        is_open: true,
        place: None,
        size: SIZE,
        created_ms: now_ms,
        changed_ms: now_ms,
    };
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        if rows::all(tx, call.account())?.len() >= NOTES_MAX {
            return Err(NOTES_FULL.error(format!("The limit is {NOTES_MAX}. Delete one.")));
        }
        save(tx, &again, &call, None, Some(&note))?;
        Ok(note)
    };
    let note = ctx.db().write(write).await?;
    Ok(Created { location: format!("/notes/{}", note.id), record: note.into() })
}

/// Changes to a note. Omitted fields stay unchanged.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "UpdateStickyNote")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Update {
    note_id: String,
    #[schemars(length(max = TEXT_MAX))]
    text: Option<String>,
    color: Option<Color>,
    /// Opens or closes the note's window.
    is_open: Option<bool>,
}

async fn update(ctx: Ctx, call: Call, input: Update) -> Result<Record> {
    if let Some(text) = &input.text {
        expect_note(text)?;
    }
    let (again, now_ms) = (ctx.clone(), ctx.now_ms());
    let write = move |tx: &mut Tx<'_>| {
        let before = rows::expect(tx, call.account(), &input.note_id)?;
        let note = Note {
            text: input.text.unwrap_or_else(|| before.text.clone()),
            color: input.color.map_or_else(|| before.color.clone(), Color::name),
            is_open: input.is_open.unwrap_or(before.is_open),
            changed_ms: now_ms,
            ..before.clone()
        };
        save(tx, &again, &call, Some(&before), Some(&note))?;
        Ok(note)
    };
    ctx.db().write(write).await.map(Record::from)
}

/// Where a window is.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "StickyNotePlace")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Place {
    note_id: String,
    #[schemars(range(min = -PLACE_MAX, max = PLACE_MAX))]
    x: i64,
    #[schemars(range(min = -PLACE_MAX, max = PLACE_MAX))]
    y: i64,
    #[schemars(range(min = SIDE_MIN, max = SIDE_MAX))]
    width: i64,
    #[schemars(range(min = SIDE_MIN, max = SIDE_MAX))]
    height: i64,
}

async fn place(ctx: Ctx, call: Call, input: Place) -> Result<Done> {
    let write = move |tx: &mut Tx<'_>| {
        let note = rows::expect(tx, call.account(), &input.note_id)?;
        let at = |value: i64| value.clamp(-PLACE_MAX, PLACE_MAX);
        let side = |value: i64| value.clamp(SIDE_MIN, SIDE_MAX);
        let place = Some((at(input.x), at(input.y)));
        rows::put(tx, call.account(), &Note { place, size: (side(input.width), side(input.height)), ..note })
    };
    ctx.db().write(write).await.map(|()| Done)
}

async fn delete(ctx: Ctx, call: Call, input: One) -> Result<Done> {
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let before = rows::expect(tx, call.account(), &input.note_id)?;
        save(tx, &again, &call, Some(&before), None)
    };
    ctx.db().write(write).await.map(|()| Done)
}

/// Writes a change, records it, and opens or closes the window once it's committed.
fn save(tx: &mut Tx<'_>, ctx: &Ctx, call: &Call, before: Option<&Note>, after: Option<&Note>) -> Result<()> {
    let Some(note) = after.or(before).cloned() else { return Ok(()) };
    match after {
        Some(note) => rows::put(tx, call.account(), note)?,
        None => rows::delete(tx, call.account(), &note.id)?,
    }
    let summary = |note: &Note| json!({"text": note.text, "color": note.color});
    let (old, new): (Option<Value>, Option<Value>) = (before.map(summary), after.map(summary));
    if old != new {
        let change = Change {
            subject: "sticky-note",
            subject_id: &note.id,
            field: "",
            before: old.as_ref(),
            after: new.as_ref(),
        };
        tx.record(&call.caller, ctx.now_ms(), change)?;
    }
    let (ctx, account) = (ctx.clone(), call.account().to_owned());
    let is_deleted = after.is_none();
    let shows = is_deleted || before.is_none_or(|before| before.is_open != note.is_open);
    tx.after_commit(move || {
        ctx.events().emit(Some(&account), Event::StickyNoteChanged { note_id: note.id.clone() });
        if shows {
            windows::show(&ctx, &account, &note, is_deleted);
        }
    });
    Ok(())
}
