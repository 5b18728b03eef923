//! Notifications without inbox rows.

use crate::deliver::{BODY_CHARS_MAX, TITLE_CHARS_MAX, beginning};
use crate::notifier::Notifier;
use crate::situation;
use events::{AboutSession, Event, HasEvents};
use futures_core::future::BoxFuture;
use kit::lookup::ShowNotices;
use kit::{Ctx, Need, Result};
use notify::{Decision, Row, Subject, decide};
use platform::notifications::Note;
use store::{HasDb, Tx};

/// Shows notifications that have no row to come back to: what is held now is left out.
pub(crate) struct Shower;

impl ShowNotices for Shower {
    fn show(&self, ctx: Ctx, account: &str, title: &str, body: &str, link: &str) -> BoxFuture<'static, Result<()>> {
        let (account, title, body, link) =
            (account.to_owned(), beginning(title, TITLE_CHARS_MAX), beginning(body, BODY_CHARS_MAX), link.to_owned());
        Box::pin(async move {
            let (again, of) = (ctx.clone(), account.clone());
            let now = ctx.db().read(move |tx: &mut Tx<'_>| situation::read(tx, &again, &of)).await?;
            let row =
                Row { need: Need::Nothing, is_critical: false, of_board: false, is_overdue: false, is_hidden: false };
            if matches!(decide(&Subject::Row(row), &now).0, Decision::Drop | Decision::Hold { .. }) {
                return Ok(());
            }
            let about = AboutSession { id: "".into(), parent: None };
            let event = Event::NotificationShown { row_id: String::new(), title: title.clone(), link: Some(link) };
            ctx.events().emit_about(&account, about, event);
            if let Some(notifier) = ctx.find_service::<Notifier>() {
                let actions = vec![("default".to_owned(), "Open".to_owned())];
                if let Err(why) = notifier.0.show(Note { title, body, actions, ..Note::default() }).await {
                    tracing::warn!("{why}");
                }
            }
            Ok(())
        })
    }
}
