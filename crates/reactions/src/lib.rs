//! Reactions: what one feature does when another reports an event, exactly once, across crashes.
//!
//! Invariants: an event is written with the change that caused it, once for each reaction that it concerns; it's deleted in
//! the transaction of the reaction's effect. A reaction that fails is retried with growing gaps and shows up in the status.
//! Deliberately not here: events for pages and streams (`crates/events`), which may be lost.

use events::Event;
use futures_core::future::BoxFuture;
use kit::error::Result;
use kit::ids::short_id;
use kit::{Catalog, Ctx, Reaction};
pub use schedule::{Effect, effect};
use schedule::{HasSchedule, PAYLOAD_BYTES_MAX, Timer};
use store::Tx;

/// Items that a reported event names at most; the event still has their number.
const ITEM_IDS_MAX: usize = 100;

/// Declares a reaction to events of these names (`item-assigned`). `prepare` looks things up and changes nothing; the effect
/// runs in the transaction in which the event is deleted.
pub fn reaction(
    name: &'static str,
    what: &'static str,
    events: &'static [&'static str],
    prepare: fn(Ctx, String, Event) -> BoxFuture<'static, Result<Effect>>,
) -> Reaction {
    let timer = schedule::prepared_timers(name, what, move |ctx, timer| match serde_json::from_str(&timer.payload) {
        Ok(event) => prepare(ctx, timer.account, event),
        // Written by another version: nobody knows anymore what to do about it.
        Err(_) => Box::pin(std::future::ready(Ok(effect(|_| Ok(()))))),
    });
    Reaction { events, timer }
}

/// Reports an event in the transaction of the change that caused it.
pub fn report(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, event: &Event) -> Result<()> {
    let Some(catalog) = ctx.find_service::<Catalog>() else { return Ok(()) };
    if catalog.reactions.is_empty() {
        return Ok(());
    }
    let name = event.name();
    for (reaction, events) in &catalog.reactions {
        if events.contains(&&*name) {
            let payload = payload(event);
            let (account, key) = (account.to_owned(), short_id());
            let timer = Timer { account, kind: reaction, key, due_ms: ctx.now_ms(), payload };
            schedule::set(tx, &ctx.schedule(), &timer)?;
        }
    }
    Ok(())
}

/// The event as stored, with fewer items where it names too many.
fn payload(event: &Event) -> String {
    let mut data = serde_json::to_value(event).expect("events serialize");
    if let Some(ids) = data.get_mut("itemIds").and_then(|ids| ids.as_array_mut()) {
        ids.truncate(ITEM_IDS_MAX);
    }
    let text = data.to_string();
    debug_assert!(text.len() <= PAYLOAD_BYTES_MAX, "{} is too large to be reported", event.name());
    text
}
