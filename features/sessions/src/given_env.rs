//! Environment variables that a user provided for a session, and hiding their values in stored data.

use crate::transcript::SessionKey;
use engines::port::Env;
use kit::ids::without_tokens;
use kit::lookup::SessionEnv;
use kit::{Ctx, Secret};
use serde_json::Value;
use std::borrow::Cow;

/// Minimum characters of a value to be hidden: a shorter one occurs in many unrelated words.
const HIDDEN_CHARS_MIN: usize = 6;
/// Replaces a hidden value.
const HIDDEN: &str = "…";

/// The secret values that a session was started with.
#[derive(Default)]
pub(crate) struct GivenEnv(Vec<Secret>);

/// Adds a session's variables to its environment. Variables that the program sets itself don't change. `hidden` are
/// secret values of its engine.
pub(crate) async fn add(ctx: &Ctx, key: &SessionKey, env: &mut Env, mut hidden: Vec<Secret>) -> GivenEnv {
    let Some(service) = ctx.find_service::<SessionEnv>() else { return GivenEnv::new(hidden) };
    let given = match service.0.variables(&key.account, &key.session).await {
        Ok(given) => given,
        Err(why) => {
            tracing::warn!("starting session {} without its environment variables: {why}", key.session);
            return GivenEnv::new(hidden);
        }
    };
    for (name, value) in given {
        env.entry(name).or_insert_with(|| value.reveal().to_owned());
        hidden.push(value);
    }
    GivenEnv::new(hidden)
}

impl GivenEnv {
    fn new(mut hidden: Vec<Secret>) -> GivenEnv {
        // One value may contain another.
        hidden.sort_by_key(|value| std::cmp::Reverse(value.reveal().len()));
        GivenEnv(hidden)
    }

    /// A text without the values.
    pub(crate) fn hide_in(&self, text: String) -> String {
        serde_json::from_str(&self.hide(Value::from(text.as_str()).to_string())).unwrap_or(text)
    }

    /// JSON without the values in its texts. A session that prints its environment shows them to its model, which can't
    /// be prevented; here they aren't stored.
    pub(crate) fn hide(&self, mut json: String) -> String {
        for value in self.0.iter().filter(|value| value.reveal().chars().nth(HIDDEN_CHARS_MIN - 1).is_some()) {
            let written = Value::from(value.reveal()).to_string();
            let inside = &written[1..written.len() - 1];
            if json.contains(inside) {
                json = json.replace(inside, HIDDEN);
            }
        }
        // The session's own token, and all others.
        match without_tokens(&json) {
            Cow::Owned(shown) => shown,
            Cow::Borrowed(_) => json,
        }
    }
}
