//! Which windows are open, and whether one is in front: leases that pages renew. In memory only.

use kit::text::{NAME, expect_name};
use kit::{Call, CallerSet, Ctx, Method, Op, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// How long a window counts without renewing its lease. Pages renew it at half that time, and at each change.
const LEASE_MS: i64 = 30_000;
/// Maximum windows of an account.
const WINDOWS_MAX: usize = 100;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "presence.renew",
            Method::Post,
            "/presence",
            CallerSet::PERSON,
            "Report that a window is open, and whether it's in front. Counts for 30 seconds.",
            renew,
        )
        .example(r#"{"windowId": "w1", "isInFront": true}"#),
    ]
}

/// The windows of each account.
#[derive(Default)]
pub(crate) struct Presence(Mutex<HashMap<(Arc<str>, String), Window>>);

struct Window {
    is_in_front: bool,
    until_ms: i64,
}

impl Presence {
    /// Whether a window of the account is in front.
    pub(crate) fn is_in_front(&self, account: &str, now_ms: i64) -> bool {
        let windows = self.0.lock().expect("no panic while held");
        windows.iter().any(|((of, _), window)| **of == *account && window.is_in_front && now_ms < window.until_ms)
    }

    fn renew(&self, account: Arc<str>, input: Renewal, now_ms: i64) {
        let mut windows = self.0.lock().expect("no panic while held");
        windows.retain(|_, window| now_ms < window.until_ms);
        let of_account = windows.keys().filter(|(of, _)| *of == account).count();
        let key = (account, input.window_id);
        if of_account < WINDOWS_MAX || windows.contains_key(&key) {
            windows.insert(key, Window { is_in_front: input.is_in_front, until_ms: now_ms + LEASE_MS });
        }
    }
}

/// A window's report.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Renewal {
    /// A name that the window chose for itself.
    #[schemars(length(min = 1, max = 40), regex(pattern = NAME))]
    window_id: String,
    /// Whether it has the focus.
    is_in_front: bool,
}

/// Nothing to tell.
#[derive(Serialize, JsonSchema)]
struct Renewed {
    /// Seconds for which the report counts.
    seconds: i64,
}

async fn renew(ctx: Ctx, call: Call, input: Renewal) -> Result<Renewed> {
    expect_name(&input.window_id, 40, "/windowId")?;
    ctx.service::<Presence>().renew(call.caller.account.clone(), input, ctx.now_ms());
    Ok(Renewed { seconds: LEASE_MS / 1_000 })
}
