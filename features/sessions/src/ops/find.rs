//! `GET /sessions/find`: sessions by title.

use super::shared::{Session, listed};
use crate::service::Sessions;
use crate::{needs, records};
use kit::page::expect_within;
use kit::words::QUERY_CHARS_MAX;
use kit::{Call, Ctx, Result, Words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::HasDb;

const LIMIT_MAX: usize = 50;
const LIMIT: usize = 20;

/// A search of titles.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Query {
    /// Words that must all occur in the title.
    #[schemars(length(min = 1, max = QUERY_CHARS_MAX))]
    q: String,
    /// 1 to 50. Default: 20.
    #[schemars(range(min = 1, max = LIMIT_MAX))]
    limit: Option<usize>,
}

/// Sessions with matching titles.
#[derive(Serialize, JsonSchema)]
pub(super) struct FoundSessions {
    /// Newest first. Archived sessions are included only if no other matches.
    items: Vec<Session>,
}

pub(super) async fn find(ctx: Ctx, call: Call, input: Query) -> Result<FoundSessions> {
    let words = Words::expect(&input.q, "/q")?;
    let limit = expect_within(input.limit.unwrap_or(LIMIT), 1..=LIMIT_MAX, "/limit")?;
    let account = call.caller.account.clone();
    let read = move |tx: &mut store::Tx<'_>| {
        let found = records::titled(tx, call.account(), |title| words.matching(title).is_some(), limit)?;
        Ok((found, needs::sessions(tx, call.account())?))
    };
    let (found, needing) = ctx.db().read(read).await?;
    Ok(FoundSessions { items: listed(&ctx.service::<Sessions>(), &account, found, &needing).await })
}
