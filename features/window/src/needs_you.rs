//! autoFocusOnNeedsYou: comes to the front with the notification that a session needs you, so that whatever holds
//! notifications (Focus Mode, quiet hours, Do Not Disturb) holds this too.

use crate::attached::Attached;
use crate::settings::autoFocusOnNeedsYou;
use events::{Event, HasEvents};
use kit::lookup::ControlWindow;
use kit::{Catalog, Ctx, Need};
use store::{HasDb, params};
use tokio::sync::broadcast::error::RecvError;

/// Follows notifications as long as the program lives.
pub(crate) fn start(ctx: &Ctx) {
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
            let (Event::NotificationShown { row_id, link, .. }, Some(account)) = (&numbered.event, &numbered.account)
            else {
                continue;
            };
            if !ctx.setting(account, &autoFocusOnNeedsYou) {
                continue;
            }
            match session_needs(&ctx, account, row_id).await {
                Ok(true) => drop(ctx.service::<Attached>().raise(account, link.as_deref())),
                Ok(false) => {}
                Err(error) => tracing::warn!(error = ?error, "couldn't bring the window to the front"),
            }
        }
    });
}

/// Whether a row says that a session needs the user.
async fn session_needs(ctx: &Ctx, account: &str, row_id: &str) -> kit::Result<bool> {
    let (account, row_id) = (account.to_owned(), row_id.to_owned());
    let sql = "SELECT kind FROM inbox_rows WHERE account_id = $1 AND row_id = $2 AND session_id IS NOT NULL";
    let kind =
        ctx.db().read(move |tx| tx.query_opt(sql, params![&account, &row_id], |row| row.get::<String>(0))).await?;
    let catalog = ctx.service::<Catalog>();
    Ok(kind.and_then(|kind| catalog.inbox_kind(&kind)).is_some_and(|kind| kind.need > Need::Nothing))
}
