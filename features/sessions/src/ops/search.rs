//! `GET /sessions/search`: search of all transcripts of the account.

use crate::search::Found;
use crate::service::Sessions;
use crate::{fault, records};
use kit::page::expect_within;
use kit::{Call, Ctx, Result, invalid, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::HasDb;
use supervisor::state::State;

const QUERY_CHARS_MAX: usize = 500;
const LIMIT_MAX: i64 = 200;
/// Maximum start of a page.
const SKIP_MAX: i64 = 10_000;

/// A transcript search.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Query {
    /// Words that must all occur. The last one can be a prefix; punctuation is ignored.
    #[schemars(length(min = 1, max = QUERY_CHARS_MAX))]
    q: String,
    /// Include archived sessions.
    #[serde(default)]
    archived: bool,
    /// Sort by newest instead of best match.
    #[serde(default)]
    newest: bool,
    /// Number of results to skip: `next` of the previous page.
    #[schemars(range(min = 0, max = SKIP_MAX))]
    skip: Option<i64>,
    /// 1 to 200. Default: 50. A page can be shorter even if there are more.
    #[schemars(range(min = 1, max = LIMIT_MAX))]
    limit: Option<i64>,
}

/// Search results.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Answer {
    items: Vec<Hit>,
    /// Send it as `skip` for the next page; null on the last.
    next: Option<i64>,
    /// Number of transcripts that aren't fully indexed yet.
    pending: usize,
}

/// A text that matches.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Hit {
    session_id: String,
    /// The session's title.
    title: String,
    /// The transcript entry where the text starts.
    entry: i64,
    /// RFC 3339 in UTC.
    at: String,
    /// `person`, `agent`, `thinking`, or `tool`.
    who: String,
    /// An excerpt in plain text.
    snippet: String,
    /// Positions of the words in the excerpt: start and end, in UTF-16 units.
    marks: Vec<(usize, usize)>,
}

pub(super) async fn search(ctx: Ctx, call: Call, input: Query) -> Result<Answer> {
    if input.q.chars().count() > QUERY_CHARS_MAX {
        return Err(invalid("/q", fault::TOO_LONG, format!("At most {QUERY_CHARS_MAX} characters are allowed.")));
    }
    if !input.q.chars().any(char::is_alphanumeric) {
        return Err(invalid("/q", fault::WRONG_LENGTH, "Enter at least one letter or digit."));
    }
    let skip = expect_within(input.skip.unwrap_or(0), 0..=SKIP_MAX, "/skip")?;
    let limit = expect_within(input.limit.unwrap_or(50), 1..=LIMIT_MAX, "/limit")?;
    let sessions = ctx.service::<Sessions>();
    let mut found = sessions.common.search.find(call.account(), &input.q, !input.newest, (skip, limit + 1)).await?;
    let has_more = found.len() as i64 > limit && skip + limit <= SKIP_MAX;
    found.truncate(limit as usize);
    let ids: Vec<String> = found.iter().map(|one| one.session.clone()).collect();
    let archived = input.archived;
    // Results of deleted or archived sessions aren't shown.
    let titles: HashMap<String, String> = ctx
        .db()
        .read(move |tx| {
            let one = |id: String| records::one(tx, call.account(), &id).ok();
            let shown =
                ids.into_iter().filter_map(one).filter(|record| archived || record.life.state != State::Archived);
            Ok(shown.map(|record| (record.id, record.title)).collect())
        })
        .await?;
    let hit = |one: Found| {
        let title = titles.get(&one.session)?.clone();
        let Found { session, entry, at_ms, who, snippet, marks } = one;
        Some(Hit { session_id: session, title, entry, at: rfc3339(at_ms), who, snippet, marks })
    };
    Ok(Answer {
        items: found.into_iter().filter_map(hit).collect(),
        next: has_more.then_some(skip + limit),
        pending: sessions.common.search.pending(),
    })
}
