//! The page's sign-in: a code that works once, within a minute, is exchanged for an owner token.

use crate::directory::NoParams;
use crate::errors::BAD_LOGIN_CODE;
use crate::tokens::{LOGIN_LIVES_MS, NewToken, Tokens};
use kit::error::READ_ONLY;
use kit::ids::secret;
use kit::{Call, Caller, CallerSet, Ctx, Kind, Method, Op, Result, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use store::{Change, HasDb};

/// Lifetime of a code in milliseconds.
const CODE_LIVES_MS: i64 = 60_000;
/// Maximum unused codes. The oldest is removed first.
const CODES_MAX: usize = 64;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "login.code",
            Method::Post,
            "/login/codes",
            CallerSet::PERSON,
            "Create a sign-in code for the web app. It works once, within 60 seconds.",
            make_code,
        ),
        Op::new(
            "login.exchange",
            Method::Post,
            "/login",
            CallerSet::PUBLIC,
            "Exchange a sign-in code for an owner token.",
            exchange,
        )
        .errors([&BAD_LOGIN_CODE]),
    ]
}

/// Unused sign-in codes.
#[derive(Default)]
pub struct LoginCodes(Mutex<HashMap<String, (Arc<str>, i64)>>);

impl LoginCodes {
    /// Creates a code for the account.
    pub fn make(&self, account: &str, now_ms: i64) -> String {
        let code = secret();
        let mut codes = self.0.lock().expect("no panic while held");
        codes.retain(|_, (_, expires_ms)| *expires_ms > now_ms);
        if codes.len() >= CODES_MAX
            && let Some(oldest) =
                codes.iter().min_by_key(|(_, (_, expires_ms))| *expires_ms).map(|(code, _)| code.clone())
        {
            codes.remove(&oldest);
        }
        codes.insert(code.clone(), (account.into(), now_ms + CODE_LIVES_MS));
        code
    }

    fn take(&self, code: &str, now_ms: i64) -> Option<Arc<str>> {
        let (account, expires_ms) = self.0.lock().expect("no panic while held").remove(code)?;
        (expires_ms > now_ms).then_some(account)
    }
}

/// A sign-in code and its lifetime.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Code {
    code: String,
    expires_in_seconds: i64,
}

async fn make_code(ctx: Ctx, call: Call, _: NoParams) -> Result<Code> {
    let code = ctx.service::<LoginCodes>().make(call.account(), ctx.now_ms());
    Ok(Code { code, expires_in_seconds: CODE_LIVES_MS / 1000 })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Exchange {
    /// Code from the sign-in link.
    code: String,
}

/// An owner token.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LoggedIn {
    /// The page stores it in memory and in the tab's session storage.
    token: String,
    /// RFC 3339 in UTC.
    expires_at: String,
}

async fn exchange(ctx: Ctx, _: Call, input: Exchange) -> Result<LoggedIn> {
    let (now_ms, tokens) = (ctx.now_ms(), ctx.service::<Tokens>());
    let account = ctx.service::<LoginCodes>().take(&input.code, now_ms).ok_or_else(|| {
        BAD_LOGIN_CODE.error("This sign-in link was used or is older than a minute. Run `pilothouse open` for another.")
    })?;
    let (expires_at, of_account) = (rfc3339(now_ms + LOGIN_LIVES_MS), account.clone());
    let (db, all) = (ctx.db(), tokens.clone());
    let name = if ctx.find_service::<PrivatePage>().is_some() { PRIVATE } else { "page" };
    let saved = db.write(move |tx| {
        let (id, token) = all.insert(tx, &account, page_token(name), now_ms)?;
        let owner = Caller::new(Kind::Owner, &account, &id);
        let after = json!({"kind": "owner", "name": name});
        tx.record(
            &owner,
            now_ms,
            Change { subject: "token", subject_id: &id, field: "", before: None, after: Some(&after) },
        )?;
        all.drop_oldest_logins(tx, &owner, now_ms)?;
        Ok(token)
    });
    let token = match saved.await {
        // The page must open to show what is there and why nothing can be changed.
        Err(e) if e.is(&READ_ONLY) => tokens.insert_unsaved(&of_account, page_token(name), now_ms),
        saved => saved?,
    };
    Ok(LoggedIn { token, expires_at })
}

/// What the token of a login is called that was made while only the owner's page was served. It is taken there after a restart
/// as well: no script can have logged in.
pub(crate) const PRIVATE: &str = "private page";

/// Provided where the control server is off and only the owner's page is served.
pub struct PrivatePage;

pub(crate) fn page_token(name: &str) -> NewToken {
    NewToken {
        kind: Kind::Owner,
        name: name.into(),
        session: None,
        member: None,
        scopes: Vec::new(),
        lives_ms: Some(LOGIN_LIVES_MS),
        logged_in: true,
    }
}
