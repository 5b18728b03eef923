//! What other features read of boards, by the hook that `kit` declares for it.

use crate::form::Form;
use crate::{WeekStart, calendarWeekStartDay, full, zones};
use futures_util::future::BoxFuture;
use kit::error::{NOT_FOUND, Result};
use kit::lookup::{BoardStream, Calendar, ReadBoards};
use kit::{Caller, Ctx, SessionsSeen};

/// Reads boards for other features; asks the database each time whether a board is the account's.
pub(crate) struct Reader;

impl ReadBoards for Reader {
    fn stream(
        &self,
        ctx: &Ctx,
        account: &str,
        board_id: &str,
        seen: &SessionsSeen,
    ) -> BoxFuture<'static, Result<Option<BoardStream>>> {
        let (ctx, account, board_id, seen) = (ctx.clone(), account.to_owned(), board_id.to_owned(), seen.clone());
        Box::pin(async move {
            match full::ready(&ctx, &account, board_id, &seen, Form::Arrow).await {
                Ok(ready) => {
                    Ok(Some(BoardStream { tag: ready.etag, changed_ms: ready.changed_ms, parts: ready.parts }))
                }
                Err(error) if error.is(&NOT_FOUND) => Ok(None),
                Err(error) => Err(error),
            }
        })
    }

    fn calendar(&self, ctx: &Ctx, caller: &Caller, time_zone: Option<&str>) -> BoxFuture<'static, Result<Calendar>> {
        let (ctx, caller, time_zone) = (ctx.clone(), caller.clone(), time_zone.map(str::to_owned));
        Box::pin(async move {
            let zone = zones::of_caller(&ctx, &caller, time_zone.as_deref()).await?;
            Ok(Calendar {
                utc_offset_minutes: zones::offset_minutes(&zone, ctx.now_ms()),
                week_start: week_start(&ctx, &caller.account),
            })
        })
    }
}

/// The first day of an account's weeks, as the widget engine counts days.
pub(crate) fn week_start(ctx: &Ctx, account: &str) -> u8 {
    match ctx.setting(account, &calendarWeekStartDay) {
        WeekStart::Monday => 0,
        WeekStart::Sunday => 6,
    }
}
