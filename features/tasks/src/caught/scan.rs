//! Reads sessions that ended.

use super::rows::{self, Scan};
use crate::input::TEXT_MAX;
use crate::settings::{tasksEnabled, tasksV2CatchesEnabled, tasksV2CatchesGuidance};
use events::{Event, HasEvents};
use kit::feature::Purpose;
use kit::lookup::SessionActivity;
use kit::{Ctx, Reaction, Result};
use models::{AskError, Models, Question};
use schedule::HasSchedule;
use serde_json::{Value, json};
use std::time::Duration;
use store::{HasDb, Tx};

/// Follow-ups of sessions.
pub(crate) static PURPOSE: Purpose = Purpose { name: "caughtTasks", label: "Catching tasks" };
/// The job that reads sessions.
pub(crate) const SCAN: &str = "tasks.caught";

/// Follow-ups of one reading at most.
const CAUGHT_MAX: usize = 10;
/// Maximum characters of a follow-up.
const CHARS_MAX: usize = 300;
/// Maximum bytes of a transcript that the model reads.
const MATERIAL_BYTES: usize = 16_000;
/// Maximum tokens of an answer.
const OUTPUT_TOKENS: u32 = 800;
/// Time for an answer. Nobody waits for it.
const TIME: Duration = Duration::from_secs(90);
const TASK: &str = "Read the end of a conversation between a person and a coding assistant that has ended. List the follow-ups that \
    are still open and that the person would want on a to-do list: work that was postponed, left unfinished, or proposed but not \
    done, and checks that only the person can make. Leave out what was done, what was rejected, and general advice. Write each as \
    one short instruction in the conversation's language that makes sense without the conversation, without formatting. Usually \
    there are 0 to 3, at most 10. If there are none, answer with an empty list.";

/// Whether follow-ups are caught for this account.
pub(super) fn is_on(ctx: &Ctx, account: &str) -> bool {
    ctx.setting(account, &tasksEnabled) && ctx.setting(account, &tasksV2CatchesEnabled)
}

/// Whether a utility model is chosen.
pub(super) async fn has_model(ctx: &Ctx, account: &str) -> Result<bool> {
    match ctx.find_service::<Models>() {
        Some(models) => models.has_utility(ctx, account).await,
        None => Ok(false),
    }
}

/// A session that ends waits to be read.
pub(crate) fn reaction() -> Reaction {
    let what = "couldn't look for tasks in an ended session";
    reactions::reaction("tasks.session-ended", what, &["session-ended"], |ctx, account, event| {
        Box::pin(std::future::ready(Ok(reactions::effect(move |tx| wait(tx, &ctx, &account, event)))))
    })
}

fn wait(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, event: Event) -> Result<()> {
    let Event::SessionEnded { session_id, hub_id, turns } = event else { return Ok(()) };
    if !is_on(ctx, account) {
        return Ok(());
    }
    rows::wait(tx, account, &session_id, &hub_id, turns)?;
    let ctx = ctx.clone();
    tx.after_commit(move || ctx.schedule().run_soon(&ctx, SCAN, Duration::ZERO));
    Ok(())
}

/// Reads the sessions that wait for it.
pub(crate) async fn scan(ctx: Ctx) -> Result<()> {
    loop {
        let waiting = ctx.db().read(rows::waiting).await?;
        if waiting.is_empty() {
            return Ok(());
        }
        for one in waiting {
            scan_one(&ctx, one).await?;
        }
    }
}

async fn scan_one(ctx: &Ctx, scan: Scan) -> Result<()> {
    if !is_on(ctx, &scan.account) || !has_model(ctx, &scan.account).await? {
        // Read if it ends again, not all at once when a model is chosen.
        return ctx.db().write(move |tx| rows::give_up(tx, &scan)).await;
    }
    let asked = scan.clone();
    // Before the call: a crash costs an answer, never a second call.
    ctx.db().write(move |tx| rows::asked(tx, &asked)).await?;
    let found = match ask(ctx, &scan).await {
        Ok(found) => found,
        Err(why) => {
            tracing::info!("no tasks caught in a session: {why}");
            return Ok(());
        }
    };
    let of = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        if rows::stage(tx, &scan, found, of.now_ms())? > 0 {
            tell(tx, &of, &scan.account);
        }
        Ok(())
    };
    ctx.db().write(write).await
}

/// Notifies pages once the change is stored.
pub(super) fn tell(tx: &mut Tx<'_>, ctx: &Ctx, account: &str) {
    let (bus, account) = (ctx.events(), account.to_owned());
    tx.after_commit(move || bus.emit(Some(&account), Event::CaughtTasksChanged));
}

/// Asks for follow-ups. None if there is nothing to read.
async fn ask(ctx: &Ctx, scan: &Scan) -> std::result::Result<Vec<String>, AskError> {
    let (Some(models), Some(activity)) = (ctx.find_service::<Models>(), ctx.find_service::<SessionActivity>()) else {
        return Ok(Vec::new());
    };
    let material = activity.0.ending(&scan.account, &scan.session, MATERIAL_BYTES).await?;
    if material.is_empty() {
        return Ok(Vec::new());
    }
    let guidance = ctx.setting(&scan.account, &tasksV2CatchesGuidance);
    let task = match guidance.trim() {
        "" => TASK.to_owned(),
        guidance => format!("{TASK}\n\nThe person says which follow-ups are worth listing:\n{guidance}"),
    };
    let question = Question {
        account: scan.account.clone(),
        purpose: &PURPOSE,
        hub: scan.hub.clone(),
        session: scan.session.clone(),
        task,
        material,
        image: None,
        schema: json!({
            "type": "object",
            "properties": {"tasks": {"type": "array", "items": {"type": "string"}}},
            "required": ["tasks"],
            "additionalProperties": false
        }),
        output_tokens: OUTPUT_TOKENS,
        model: String::new(),
        cap: None,
        time: TIME,
    };
    Ok(usable(&models.ask(ctx, &question).await?.value))
}

/// The texts in an answer, as far as they can be tasks.
fn usable(answer: &Value) -> Vec<String> {
    let texts = answer["tasks"].as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.filter_map(plain).take(CAUGHT_MAX).collect()
}

/// A text in one line, without what is invisible or could hide other text.
fn plain(text: &str) -> Option<String> {
    let text = kit::ids::without_tokens(text);
    let signs = text.chars().filter(|sign| !kit::text::is_turning(*sign));
    let line: String = signs.map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.trim_start_matches(['-', '*', '•', ' ']).chars().take(CHARS_MAX.min(TEXT_MAX)).collect();
    line.chars().any(char::is_alphanumeric).then(|| line.trim_end().to_owned())
}
