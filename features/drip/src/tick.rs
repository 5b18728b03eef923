//! Ticks of queues, and the release of an item.

use crate::queue::{Item, Kind, State};
use crate::settings::{dripEnabled, dripGlobalPause};
use crate::{inbox_kinds, rows};
use events::Actor;
use inbox_rows::NewRow;
use kit::{Ctx, Result, TimerKind};
use store::Tx;

/// The timers of queues, by the queue's id.
pub(crate) const TICK: &str = "drip.tick";

pub(crate) fn timers() -> TimerKind {
    schedule::timers(TICK, "couldn't release an item of a drip", |ctx, tx, timer| {
        let account = &timer.account;
        let found = rows::find(tx, account, &timer.key)?.filter(|queue| queue.is_on && queue.deleted_ms == 0);
        let Some(mut queue) = found else { return Ok(()) };
        if ctx.setting(account, &dripEnabled)
            && !ctx.setting(account, &dripGlobalPause)
            && let Some(item) = rows::first(tx, account, &queue.id)?
        {
            release(tx, ctx, account, &queue.id, item)?;
        }
        // The tick has passed, whatever it did.
        queue.next_ms = queue.cadence.next_after(timer.due_ms, ctx.now_ms()).unwrap_or(0);
        rows::store(tx, ctx, account, &queue)
    })
}

/// Releases an item into the inbox.
pub(crate) fn release(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, queue: &str, item: Item) -> Result<Item> {
    let link = format!("/app/drip?item={queue}.{}", item.id);
    // HTML is shown from the item alone, in its frame.
    let body = if item.kind == Kind::Html { "" } else { &item.content };
    let row = NewRow { body, link: Some(&link), ..NewRow::new(&inbox_kinds::ITEM, &item.title, Actor::program(None)) };
    inbox_rows::post(tx, ctx, account, &row)?;
    let item = Item { state: State::Released, released_ms: ctx.now_ms(), ..item };
    rows::put(tx, ctx, account, queue, &item)?;
    Ok(item)
}
