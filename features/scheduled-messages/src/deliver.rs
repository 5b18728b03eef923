//! Messages on their way to a session. The timer of a delivery is set in the transaction that ends the message's own, and
//! sessions do nothing twice for its id, so that each message arrives once.

use crate::message::Message;
use crate::{inbox_kinds, rows};
use events::Actor;
use inbox_rows::{NewRow, Severity};
use kit::error::INTERNAL;
use kit::ids::short_id;
use kit::lookup::{ScheduledPrompt, ScheduledWork};
use kit::{Ctx, Result, TimerKind};
use schedule::{HasSchedule, Timer, effect};
use serde::{Deserialize, Serialize};
use store::{HasDb, Tx, params};

/// The timers of deliveries, by the delivery's id.
const DELIVERY: &str = "scheduled-messages.delivery";

/// A delivery. Its text is in its own row: a payload is small.
#[derive(Debug, Serialize, Deserialize)]
struct Delivery {
    message: String,
    title: String,
    target: String,
    target_id: String,
}

/// Has a message delivered, in the transaction of what causes it.
pub(crate) fn set(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, message: &Message) -> Result<()> {
    let (target, target_id) = message.target.parts();
    let delivery = Delivery {
        message: message.id.clone(),
        title: message.title.clone(),
        target: target.to_owned(),
        target_id: target_id.to_owned(),
    };
    let key = short_id();
    let sql = "INSERT INTO scheduled_deliveries (account_id, delivery_id, body) VALUES ($1, $2, $3)";
    tx.execute(sql, params![account, &key, &message.body])?;
    let payload = serde_json::to_string(&delivery).map_err(|why| INTERNAL.error("Unreadable.").caused_by(why))?;
    let timer = Timer { account: account.to_owned(), kind: DELIVERY, key, due_ms: ctx.now_ms(), payload };
    schedule::set(tx, &ctx.schedule(), &timer)
}

pub(crate) fn timers() -> TimerKind {
    schedule::prepared_timers(DELIVERY, "couldn't deliver a scheduled message", |ctx, timer| {
        Box::pin(async move {
            let delivery: Delivery = serde_json::from_str(&timer.payload)
                .map_err(|why| INTERNAL.error("A delivery can't be read.").caused_by(why))?;
            let problem = match deliver(&ctx, &timer, &delivery).await {
                Ok(()) => None,
                // Limits and faults pass: the timer tries again.
                Err(error) if matches!(error.code().status, 429 | 500..) => return Err(error),
                Err(error) => Some(error.detail().to_owned()),
            };
            Ok(effect(move |tx| settle(tx, &ctx, &timer, &delivery, problem)))
        })
    })
}

async fn deliver(ctx: &Ctx, timer: &Timer, delivery: &Delivery) -> Result<()> {
    let (account, id) = (timer.account.clone(), timer.key.clone());
    let sql = "SELECT body FROM scheduled_deliveries WHERE account_id = $1 AND delivery_id = $2";
    let text = ctx.db().read(move |tx| tx.query_one(sql, params![&account, &id], |row| row.get::<String>(0))).await?;
    let work = ctx.find_service::<ScheduledWork>().ok_or_else(|| INTERNAL.error("Sessions aren't available."))?;
    let prompt = ScheduledPrompt { id: timer.key.clone(), text, title: delivery.title.clone() };
    match delivery.target.as_str() {
        "hub" => work.0.start(&timer.account, &delivery.target_id, prompt).await,
        _ => work.0.send(&timer.account, &delivery.target_id, prompt).await,
    }
}

fn settle(tx: &mut Tx<'_>, ctx: &Ctx, timer: &Timer, delivery: &Delivery, problem: Option<String>) -> Result<()> {
    let account = &timer.account;
    let sql = "DELETE FROM scheduled_deliveries WHERE account_id = $1 AND delivery_id = $2";
    tx.execute(sql, params![account, &timer.key])?;
    let Some(problem) = problem else { return Ok(()) };
    let (key, title) =
        (format!("scheduled-message:{}", delivery.message), format!("Couldn't send: {}", delivery.title));
    let row = NewRow {
        key: Some(&key),
        body: &problem,
        severity: Severity::Warning,
        link: Some("/app/scheduled-messages"),
        ..NewRow::new(&inbox_kinds::PROBLEM, &title, Actor::program(None))
    };
    inbox_rows::post(tx, ctx, account, &row)?;
    if let Some(mut message) = rows::find(tx, account, &delivery.message)? {
        message.problem = problem;
        rows::store(tx, ctx, account, &message)?;
    }
    Ok(())
}
