//! Sentences that the built-in grammar doesn't understand, put into its words by a model.
//!
//! Invariant: the model is asked only after the grammar failed, only for an alarm that you create, and only under the daily cap;
//! what it answers is read by the grammar, so that it can't set anything else.

use crate::settings::alarmNlpDailyCostCap;
use kit::Ctx;
use kit::feature::Purpose;
use ledger::{Cap, Window};
use models::{Models, Question};
use serde_json::json;
use std::time::Duration;
use when::language::understand;

/// Reading sentences about alarms.
pub(crate) static PURPOSE: Purpose = Purpose { name: "alarm", label: "Understanding alarms" };

/// Maximum tokens of an answer.
const OUTPUT_TOKENS: u32 = 128;
/// Time for an answer. The user waits.
const TIME: Duration = Duration::from_secs(15);
const TASK: &str = "Rewrite the sentence, which may be in any language, as one English sentence about an alarm in one of these forms: \
    \"in 20 minutes to LABEL\", \"at 18:30 to LABEL\", \"tomorrow at 9:15 to LABEL\", \"every weekday at 9:30 to LABEL\", \
    \"every monday and friday at 7:00 in Europe/Berlin to LABEL\", \"on 2026-03-01 at 12:00 to LABEL\". Leave out what the sentence \
    doesn't say, and keep LABEL in its language. If it names no time, answer with an empty text.";

/// The sentence in the grammar's words, or as it was.
pub(crate) async fn rephrase(ctx: &Ctx, account: &str, text: &str, home: &str) -> String {
    let is_understood = understand(text, ctx.now_ms(), home).is_some();
    let Some(models) = ctx.find_service::<Models>().filter(|_| !is_understood) else { return text.to_owned() };
    let question = Question {
        account: account.to_owned(),
        purpose: &PURPOSE,
        hub: String::new(),
        session: String::new(),
        task: TASK.into(),
        material: text.to_owned(),
        image: None,
        schema: json!({
            "type": "object", "properties": {"alarm": {"type": "string"}}, "required": ["alarm"],
            "additionalProperties": false
        }),
        output_tokens: OUTPUT_TOKENS,
        model: String::new(),
        cap: Some(Cap { usd: ctx.setting(account, &alarmNlpDailyCostCap), window: Window::Day }),
        time: TIME,
    };
    match models.ask(ctx, &question).await {
        Ok(answer) => answer.value["alarm"].as_str().filter(|said| !said.is_empty()).unwrap_or(text).to_owned(),
        Err(why) => {
            tracing::info!("no model read the sentence of an alarm: {why}");
            text.to_owned()
        }
    }
}
