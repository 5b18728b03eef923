//! One request a day, and the rows that follow from its answer.

use crate::message::{self, Message};
use crate::{Address, developerMessagesEnabled};
use events::Actor;
use inbox_rows::NewRow;
use kit::clock::DAY_MS;
use kit::lookup::FirstAccount;
use kit::{Ctx, Result};
use outbound::{Limits, Outbound, Request};
use std::time::Duration;
use store::{HasDb, Tx, params};

/// What a request may take. It isn't repeated on the same day.
const LIMITS: Limits =
    Limits { time: Duration::from_secs(20), bytes: 128 * 1024, attempts: 1, wait: Duration::from_secs(1) };
/// How long a message is remembered.
const REMEMBERED_MS: i64 = 400 * DAY_MS;

/// The way out.
pub(crate) struct Way(pub(crate) Outbound);

/// Fetches the messages, if the user wants them and it's known where they are. A server that fails is asked again tomorrow.
pub(crate) async fn run(ctx: Ctx) -> Result<()> {
    let (Some(account), Some(address)) = (ctx.find_service::<FirstAccount>(), ctx.find_service::<Address>()) else {
        return Ok(());
    };
    if !ctx.setting(&account.0, &developerMessagesEnabled) {
        return Ok(());
    }
    let headers = vec![("accept", "application/json".to_owned())];
    let request = Request { body: None, url: address.0.clone(), headers, key: None };
    let messages = match ctx.service::<Way>().0.send(&request, LIMITS).await {
        Ok(answer) if answer.status == 200 => message::read(&answer.body),
        Ok(answer) => {
            tracing::info!("messages from the developers: the server answered {}", answer.status);
            return Ok(());
        }
        Err(failure) => {
            tracing::info!("messages from the developers: {failure}");
            return Ok(());
        }
    };
    let Some(messages) = messages else {
        tracing::info!("messages from the developers: the answer isn't a document of messages");
        return Ok(());
    };
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let account = &*account.0;
        let oldest_ms = again.now_ms() - REMEMBERED_MS;
        let sql = "DELETE FROM developer_messages WHERE account_id = $1 AND shown_ms < $2";
        tx.execute(sql, params![account, oldest_ms])?;
        messages.iter().try_for_each(|message| show(tx, &again, account, message))
    };
    ctx.db().write(write).await
}

/// Posts a message as a row, unless it was shown before.
fn show(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, message: &Message) -> Result<()> {
    let sql = "INSERT INTO developer_messages (account_id, message_id, shown_ms) VALUES ($1, $2, $3) \
               ON CONFLICT (account_id, message_id) DO NOTHING";
    if tx.execute(sql, params![account, &message.id, ctx.now_ms()])? == 0 {
        return Ok(());
    }
    let row = NewRow {
        body: &message.body,
        link: message.link.as_deref(),
        // It can wait until you look at the inbox.
        is_silent: true,
        ..NewRow::new(message.kind, &message.title, Actor::program(None))
    };
    inbox_rows::post(tx, ctx, account, &row).map(drop)
}
