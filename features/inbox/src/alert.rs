//! Alerts: rows that agents and scripts add.

use crate::attachment::{ATTACHMENTS_MAX, Attachment, LINK_CHARS_MAX, expect_link};
use crate::kinds::Category;
use crate::rows::{RowRecord, one};
use crate::{errors, settings::agentAlertsEnabled};
use events::Actor;
use inbox_rows::{NewRow, Severity, post};
use kit::error::{TOO_MANY, unknown};
use kit::lookup::Hubs;
use kit::text::{NAME, TEXT, expect_name, expect_text};
use kit::{Call, CallerSet, Created, Ctx, Kind, Method, Op, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use store::{Change, HasDb, params};

/// Maximum characters of an alert's title.
const TITLE_CHARS_MAX: usize = 200;
/// Maximum characters of its text.
const BODY_CHARS_MAX: usize = 10_000;
/// Maximum characters of an identifier.
const ID_CHARS_MAX: usize = 100;

pub(crate) fn op() -> Op {
    Op::new(
        "inbox.alert",
        Method::Post,
        "/alert",
        CallerSet::PERSON_AND_AGENTS,
        "Add an alert to the inbox. It replaces an open alert with the same `key`.",
        alert,
    )
    .example(r#"{"title": "T", "projectId": "{hubId}"}"#)
    .scope("alert:write")
    .switch(&agentAlertsEnabled, &errors::ALERTS_DISABLED)
    .common()
    .columns(&["id", "title", "severity", "createdAt"])
}

/// An alert. Its texts are shown as plain text.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Alert {
    /// One line.
    #[schemars(length(min = 1, max = TITLE_CHARS_MAX), regex(pattern = NAME))]
    title: String,
    /// More text.
    #[schemars(length(min = 1, max = BODY_CHARS_MAX), regex(pattern = TEXT))]
    body: Option<String>,
    /// Its kind. Default: `alert`. The settings `inboxShow...` hide the others.
    #[serde(default)]
    category: Category,
    /// How urgent it is. Default: `info`.
    #[serde(default)]
    severity: Severity,
    /// A page path (`/app/...`) or a web address.
    #[schemars(length(min = 1, max = LINK_CHARS_MAX))]
    link: Option<String>,
    /// Replaces an open alert with the same key. It becomes unread; each session has its own
    /// keys.
    #[schemars(length(min = 1, max = TITLE_CHARS_MAX), regex(pattern = NAME))]
    key: Option<String>,
    /// The alert's hub.
    #[schemars(length(min = 1, max = ID_CHARS_MAX))]
    project_id: Option<String>,
    /// More links.
    #[serde(default)]
    #[schemars(length(max = ATTACHMENTS_MAX))]
    attachments: Vec<Attachment>,
}

/// Maximum alerts that a session or token can add at once after a pause.
const BURST: f64 = 20.0;
/// Milliseconds until it can add another.
const REFILL_MS: f64 = 6_000.0;
/// Maximum tracked senders; one that hasn't sent for long gets a new allowance.
const SENDERS_MAX: usize = 1_000;

/// A sender's remaining alerts, and the time of that count.
type Allowance = (f64, i64);

/// Each sender's remaining alerts, by account and sender.
#[derive(Default)]
pub(crate) struct Allowances(Mutex<HashMap<(Arc<str>, String), Allowance>>);

impl Allowances {
    /// Uses one alert of a sender's allowance, or rejects it.
    fn spend(&self, account: &Arc<str>, sender: &str, now_ms: i64) -> Result<()> {
        let left_now = |(left, at_ms): Allowance| (left + (now_ms - at_ms).max(0) as f64 / REFILL_MS).min(BURST);
        let mut all = self.0.lock().expect("no panic while held");
        if all.len() >= SENDERS_MAX {
            all.retain(|_, sender| left_now(*sender) < BURST);
        }
        let sender = all.entry((account.clone(), sender.to_owned())).or_insert((BURST, now_ms));
        let left = left_now(*sender);
        if left < 1.0 {
            let wait_s = ((1.0 - left) * REFILL_MS / 1_000.0).ceil() as u32;
            let detail = format!(
                "A session can add {BURST} alerts at once, then one every {} s. Wait, or combine them into one alert.",
                REFILL_MS / 1_000.0
            );
            return Err(TOO_MANY.error(detail).retry_after(wait_s));
        }
        *sender = (left - 1.0, now_ms);
        Ok(())
    }
}

async fn alert(ctx: Ctx, call: Call, input: Alert) -> Result<Created<RowRecord>> {
    let title = input.title.trim().to_owned();
    expect_name(&title, TITLE_CHARS_MAX, "/title")?;
    if let Some(body) = &input.body {
        expect_text(body, BODY_CHARS_MAX, "/body")?;
    }
    if let Some(key) = &input.key {
        expect_name(key, TITLE_CHARS_MAX, "/key")?;
    }
    if let Some(link) = &input.link {
        expect_link(link, "/link")?;
    }
    Attachment::expect(&input.attachments)?;
    if let Some(hub) = &input.project_id {
        expect_hub(&ctx, call.account(), hub).await?;
    }
    let (now_ms, db, caller) = (ctx.now_ms(), ctx.db(), call.caller.clone());
    // If a script names a session, the row belongs to that session.
    let session = caller.session.as_deref().or(call.source_session.as_deref()).map(str::to_owned);
    if caller.kind != Kind::Owner {
        let sender = session.as_deref().unwrap_or(&caller.token_id);
        ctx.service::<Allowances>().spend(&caller.account, sender, now_ms)?;
    }
    let record = db
        .write(move |tx| {
            let account = &*caller.account;
            let by = Actor { session_id: session.clone(), ..Actor::from(&caller) };
            let key = input.key.as_ref().map(|key| row_key(session.as_deref(), key));
            let row = NewRow {
                key: key.as_deref(),
                body: input.body.as_deref().unwrap_or_default(),
                severity: input.severity,
                link: input.link.as_deref(),
                session_id: session.as_deref(),
                project_id: input.project_id.as_deref(),
                ..NewRow::new(input.category.kind(), &title, by)
            };
            let id = post(tx, &ctx, account, &row)?;
            let sql = "UPDATE inbox_rows SET attachments = $3 WHERE account_id = $1 AND row_id = $2";
            tx.execute(sql, params![account, &id, Attachment::to_stored(&input.attachments)])?;
            let after = json!(title);
            let change =
                Change { subject: inbox_rows::SUBJECT, subject_id: &id, field: "", before: None, after: Some(&after) };
            tx.record(&caller, now_ms, change)?;
            one(tx, account, &id)
        })
        .await?;
    Ok(Created { location: format!("/inbox/{}", record.id), record })
}

/// The key of an alert's row.
pub(crate) fn row_key(session: Option<&str>, key: &str) -> String {
    format!("alert:{}:{key}", session.unwrap_or_default())
}

/// Rejects a hub that isn't one of the account's.
async fn expect_hub(ctx: &Ctx, account: &str, hub: &str) -> Result<()> {
    let is_missing = match ctx.find_service::<Hubs>() {
        Some(hubs) => !hubs.0.missing(account, vec![hub.to_owned()]).await?.is_empty(),
        None => true,
    };
    if is_missing { Err(unknown(kit::fault::UNKNOWN_HUB, "/projectId")) } else { Ok(()) }
}
