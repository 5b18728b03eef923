//! Which windows are open: those of open notes, while the feature is on.

use crate::rows::{self, Note};
use crate::settings::stickyNotesEnabled;
use events::{Event, HasEvents};
use futures_core::future::BoxFuture;
use kit::lookup::{DesktopWindow, ListNoteWindows, NoteWindow};
use kit::{Ctx, Result};
use store::HasDb;
use tokio::sync::broadcast::error::RecvError;

/// The open notes of an account, for a desktop window that starts.
pub(crate) struct OpenNotes(pub(crate) Ctx);

impl ListNoteWindows for OpenNotes {
    fn open(&self, account: &str) -> BoxFuture<'static, Result<Vec<NoteWindow>>> {
        let (ctx, account) = (self.0.clone(), account.to_owned());
        Box::pin(async move {
            if !ctx.setting(&account, &stickyNotesEnabled) {
                return Ok(Vec::new());
            }
            let notes = ctx.db().read(move |tx| rows::all(tx, &account)).await?;
            Ok(notes.iter().filter(|note| note.is_open).map(window_of).collect())
        })
    }
}

fn window_of(note: &Note) -> NoteWindow {
    NoteWindow { id: note.id.clone(), page: format!("/app/note/{}", note.id), place: note.place, size: note.size }
}

/// Opens the window of a note that was opened, and closes that of one that was closed or deleted.
pub(crate) fn show(ctx: &Ctx, account: &str, note: &Note, is_deleted: bool) {
    let Some(window) = ctx.find_service::<DesktopWindow>() else { return };
    if note.is_open && !is_deleted {
        window.0.open_note(account, window_of(note));
    } else {
        window.0.close_note(account, &note.id);
    }
}

/// Opens and closes all windows with the setting, as long as the program lives.
pub(crate) fn follow_setting(ctx: &Ctx) {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
    let (_, mut changes) = ctx.events().listen(None);
    let ctx = ctx.clone();
    runtime.spawn(async move {
        loop {
            let numbered = match changes.recv().await {
                Ok(numbered) => numbered,
                Err(RecvError::Lagged(_)) => continue,
                Err(RecvError::Closed) => return,
            };
            let (Event::SettingChanged { key, .. }, Some(account)) = (&numbered.event, &numbered.account) else {
                continue;
            };
            if *key == stickyNotesEnabled.spec.key
                && let Err(error) = show_all(&ctx, account).await
            {
                tracing::warn!(error = ?error, "couldn't open or close sticky notes");
            }
        }
    });
}

pub(crate) async fn show_all(ctx: &Ctx, account: &str) -> Result<()> {
    let is_on = ctx.setting(account, &stickyNotesEnabled);
    let of = account.to_owned();
    for note in ctx.db().read(move |tx| rows::all(tx, &of)).await? {
        if note.is_open {
            show(ctx, account, &note, !is_on);
        }
    }
    Ok(())
}
