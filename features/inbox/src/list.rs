//! Which rows there are: filters, pages of rows, groups, and counts.

use crate::kinds::{self, NoParams};
use crate::rows::{ROWS, RowRecord, RowState, record};
use inbox_rows::Severity;
use kit::page::{PAGE_MAX, expect_within};
use kit::text::CURSOR;
use kit::{Call, CallerSet, Catalog, Ctx, Kind, Method, Op, Page, Part, Result, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use store::{HasDb, Tx, Value, params};

/// Default number of rows in an answer.
const PAGE_ROWS: i64 = 200;
/// Maximum characters of a search.
const SEARCH_CHARS_MAX: usize = 200;
/// Maximum rows that `skip` passes over.
const SKIP_MAX: i64 = 10_000_000;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "inbox.list",
            Method::Get,
            "/inbox",
            CallerSet::PERSON_AND_AGENTS,
            "List inbox rows, newest first. A session sees its own.",
            list,
        )
        .example(r#"{"projectId": "{hubId}", "boardId": "{boardId}", "sessionId": "{sessionId}"}"#)
        .scope("inbox:read")
        .columns(&["id", "kind", "severity", "title", "body", "createdAt"]),
        Op::new(
            "inbox.groups",
            Method::Get,
            "/inbox/groups",
            CallerSet::PERSON_AND_AGENTS,
            "Count inbox rows by hub or board, the group with the newest row first.",
            groups,
        )
        .example(r#"{"projectId": "{hubId}", "boardId": "{boardId}", "sessionId": "{sessionId}"}"#)
        .scope("inbox:read")
        .columns(&["id", "rows", "unread"]),
        Op::new(
            "inbox.count",
            Method::Get,
            "/inbox/count",
            CallerSet::PERSON_AND_AGENTS,
            "Count open inbox rows: all, unread, and waiting for an answer.",
            count,
        )
        .scope("inbox:read"),
    ]
}

/// Declares an input with the filters of inbox rows. Members are repeated because a flattened part can't reject unknown ones.
macro_rules! filtered {
    ($(#[$doc:meta])* struct $name:ident { $($(#[$meta:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Default, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, rename_all = "camelCase")]
        pub(crate) struct $name {
            /// Default: `open`.
            #[serde(default)]
            pub(crate) state: RowState,
            /// Only rows of this kind, one of `inbox kinds`.
            #[schemars(length(min = 1, max = 40))]
            pub(crate) kind: Option<String>,
            /// Only rows of this severity.
            pub(crate) severity: Option<Severity>,
            /// Whether to list only unread rows. Default: false.
            #[serde(default)]
            pub(crate) unread: bool,
            /// Whether to list only rows that need you: requests, and sessions that need attention. Default: false.
            #[serde(default)]
            pub(crate) needs_you: bool,
            /// Only rows of this hub. Empty: only rows without one.
            pub(crate) project_id: Option<String>,
            /// Only rows of this board. Empty: only rows without one.
            pub(crate) board_id: Option<String>,
            /// Only rows of this session.
            pub(crate) session_id: Option<String>,
            /// Only rows whose title or text contains this. The case of a to z doesn't count.
            #[schemars(length(max = SEARCH_CHARS_MAX))]
            pub(crate) q: Option<String>,
            /// Whether to list rows that a setting hides, instead of the others. Default: false.
            #[serde(default)]
            pub(crate) hidden: bool,
            $($(#[$meta])* $field: $type,)*
        }

        impl $name {
            /// The condition that these filters make.
            pub(crate) fn condition(&self, ctx: &Ctx, call: &Call) -> Result<Condition> {
                let Self { state, kind, severity, unread, needs_you, project_id, board_id, session_id, q, hidden, .. } = self;
                let mut of = Condition::new(call.account(), *state, &shown(ctx, call.account(), *hidden));
                expect_kind(ctx, kind.as_deref())?;
                of.also("kind", kind.as_deref());
                of.also("severity", severity.map(Severity::name));
                of.also_or_none("project_id", project_id.as_deref());
                of.also_or_none("board_id", board_id.as_deref());
                of.also("session_id", session_id.as_deref());
                of.also("session_id", Some(only_of(call)).filter(|id| !id.is_empty()).as_deref());
                of.containing(q.as_deref())?;
                if *unread {
                    of.sql.push_str(" AND read_ms = 0");
                }
                if *needs_you {
                    of.sql.push_str(" AND need > 0");
                }
                Ok(of)
            }
        }
    };
}

filtered! {
    /// Filters for inbox rows.
    struct List {
        /// `nextCursor` of the previous page.
        #[schemars(regex(pattern = CURSOR))]
        cursor: Option<String>,
        /// Page size, 1 to 10,000. Default: 200.
        #[schemars(range(min = 1, max = PAGE_MAX))]
        limit: Option<i64>,
        /// Rows to leave out at the start, to read from the middle of a long list. Default: 0.
        #[schemars(range(min = 0, max = SKIP_MAX))]
        skip: Option<i64>,
    }
}

filtered! {
    /// Filters for inbox rows, and how to group them.
    struct Groups {
        /// Default: `none`, one group with all rows.
        #[serde(default)]
        by: GroupBy,
        /// `nextCursor` of the previous page.
        #[schemars(regex(pattern = CURSOR))]
        cursor: Option<String>,
        /// Page size, 1 to 10,000. Default: all.
        #[schemars(range(min = 1, max = PAGE_MAX))]
        limit: Option<i64>,
    }
}

filtered! {
    /// Filters for inbox rows.
    struct Filter {}
}

/// What rows are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum GroupBy {
    /// One group.
    #[default]
    None,
    /// By hub.
    Hub,
    /// By board.
    Board,
}

/// The SQL condition of filters, and its parameters: the account is `$1`.
pub(crate) struct Condition {
    pub(crate) sql: String,
    pub(crate) texts: Vec<String>,
}

impl Condition {
    fn new(account: &str, state: RowState, shown: &str) -> Condition {
        let of_state = match state {
            RowState::Open => "settled_ms = 0 AND snoozed_until_ms = 0",
            RowState::Snoozed => "settled_ms = 0 AND snoozed_until_ms > 0",
            RowState::Dismissed => "settled_ms > 0 AND outcome = 'dismissed'",
            RowState::Settled => "settled_ms > 0 AND outcome <> 'dismissed'",
        };
        let sql = format!("account_id = $1 AND {of_state}{shown}");
        Condition { sql, texts: vec![account.to_owned()] }
    }

    /// Adds a text; its number as a parameter.
    pub(crate) fn text(&mut self, text: impl Into<String>) -> usize {
        self.texts.push(text.into());
        self.texts.len()
    }

    fn also(&mut self, column: &str, value: Option<&str>) {
        if let Some(value) = value {
            let at = self.text(value);
            self.sql.push_str(&format!(" AND {column} = ${at}"));
        }
    }

    fn also_or_none(&mut self, column: &str, value: Option<&str>) {
        match value {
            Some("") => self.sql.push_str(&format!(" AND {column} IS NULL")),
            value => self.also(column, value),
        }
    }

    fn containing(&mut self, words: Option<&str>) -> Result<()> {
        let words = words.unwrap_or_default().trim();
        if words.chars().nth(SEARCH_CHARS_MAX).is_some() {
            let detail = format!("Use up to {SEARCH_CHARS_MAX} characters.");
            return Err(invalid("/q", kit::fault::TOO_LONG, detail));
        }
        if !words.is_empty() {
            let escaped = words.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
            let at = self.text(format!("%{escaped}%"));
            self.sql.push_str(&format!(
                " AND (lower(title) LIKE lower(${at}) ESCAPE '\\' OR lower(body) LIKE lower(${at}) ESCAPE '\\')"
            ));
        }
        Ok(())
    }

    pub(crate) fn params(&self) -> Vec<Value<'_>> {
        self.texts.iter().map(Value::from).collect()
    }
}

/// The session whose rows the caller may see; empty for all. A script that names a session still acts for the user.
pub(crate) fn only_of(call: &Call) -> String {
    match call.caller.kind {
        Kind::Agent => call.caller.session.as_deref().unwrap_or("-").to_owned(),
        _ => String::new(),
    }
}

/// The condition for rows that no setting hides, or for the others.
fn shown(ctx: &Ctx, account: &str, hidden: bool) -> String {
    match (kinds::hidden(ctx, account), hidden) {
        (none, true) if none.is_empty() => " AND 1 = 0".to_owned(),
        (none, false) if none.is_empty() => String::new(),
        (some, true) => format!(" AND kind IN ({})", kinds::in_sql(&some)),
        (some, false) => format!(" AND kind NOT IN ({})", kinds::in_sql(&some)),
    }
}

/// Rejects a kind that no feature declares.
fn expect_kind(ctx: &Ctx, kind: Option<&str>) -> Result<()> {
    let known: Vec<&str> = ctx.service::<Catalog>().inbox_kinds.iter().map(|kind| kind.name).collect();
    if kind.is_none_or(|kind| known.contains(&kind)) {
        return Ok(());
    }
    Err(invalid("/kind", kit::fault::NOT_A_CHOICE, format!("Use one of: {}.", known.join(", "))))
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<RowRecord>> {
    let mut of = input.condition(&ctx, &call)?;
    let part = Part { cursor: input.cursor, limit: Some(input.limit.unwrap_or(PAGE_ROWS)) };
    let skip = expect_within(input.skip.unwrap_or(0), 0..=SKIP_MAX, "/skip")?;
    if let Some(before) = part.after()? {
        let at = of.text(before);
        of.sql.push_str(&format!(" AND place < ${at}"));
    }
    ctx.db()
        .read(move |tx| {
            let next = of.texts.len() + 1;
            let sql = format!("{ROWS} WHERE {} ORDER BY place DESC LIMIT ${next} OFFSET ${}", of.sql, next + 1);
            let values = [of.params(), vec![part.to_read().into(), skip.into()]].concat();
            let rows = tx.query(&sql, &values, record)?;
            part.first_page(rows, |row| (&row.place).into())
        })
        .await
}

/// A group of rows.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InboxGroup")]
struct Group {
    /// Its hub or board; empty for rows without one, and if rows aren't grouped.
    id: String,
    /// Its number of rows.
    rows: i64,
    /// Unread ones.
    unread: i64,
}

async fn groups(ctx: Ctx, call: Call, input: Groups) -> Result<Page<Group>> {
    let of = input.condition(&ctx, &call)?;
    let part = Part { cursor: input.cursor, limit: input.limit };
    const COUNTS: &str = "count(*), COALESCE(CAST(sum(CASE WHEN read_ms = 0 THEN 1 ELSE 0 END) AS BIGINT), 0)";
    let sql = match input.by {
        GroupBy::None => format!("SELECT '', {COUNTS} FROM inbox_rows WHERE {}", of.sql),
        by => {
            let column = if by == GroupBy::Hub { "project_id" } else { "board_id" };
            format!(
                "SELECT COALESCE({column}, ''), {COUNTS} FROM inbox_rows WHERE {} GROUP BY {column} \
                 ORDER BY max(place) DESC",
                of.sql
            )
        }
    };
    let read = move |tx: &mut Tx<'_>| {
        tx.query(&sql, &of.params(), |row| Ok(Group { id: row.get(0)?, rows: row.get(1)?, unread: row.get(2)? }))
    };
    let mut all = ctx.db().read(read).await?;
    all.retain(|group| group.rows > 0);
    part.page(all, |group| if group.id.is_empty() { Cow::Borrowed("none") } else { Cow::Borrowed(&group.id) })
}

/// Counts of open rows that no setting hides.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Count {
    open: i64,
    /// Unread ones.
    unread: i64,
    /// Ones that need your answer.
    waiting: i64,
    /// Ones that need you: requests, and sessions that need attention.
    needs_you: i64,
    /// Snoozed rows, which aren't in the other counts.
    snoozed: i64,
    /// Requests that wait for your answer and that a setting hides. `hidden=true` lists them.
    hidden_waiting: i64,
}

pub(crate) async fn count(ctx: Ctx, call: Call, _: NoParams) -> Result<Count> {
    let session = only_of(&call);
    let hidden: Vec<&str> = kinds::hidden(&ctx, call.account()).into_iter().map(|kind| kind.name).collect();
    // Grouped as the index is ordered, so that nothing is sorted.
    let of_session = if session.is_empty() { "$2 = ''" } else { "session_id = $2" };
    let sql = format!(
        "SELECT kind, need, count(*), CAST(sum(CASE WHEN snoozed_until_ms > 0 THEN 1 ELSE 0 END) AS BIGINT), \
         CAST(sum(CASE WHEN snoozed_until_ms = 0 AND read_ms = 0 THEN 1 ELSE 0 END) AS BIGINT) FROM inbox_rows \
         WHERE account_id = $1 AND settled_ms = 0 AND {of_session} GROUP BY kind, need"
    );
    let read = move |tx: &mut Tx<'_>| {
        tx.query(&sql, params![call.account(), &session], |row| {
            let number = |at: usize| row.get::<i64>(at);
            Ok((row.get::<String>(0)?, number(1)?, number(2)?, number(3)?, number(4)?))
        })
    };
    let mut count = Count::default();
    for (kind, need, rows, snoozed, unread) in ctx.db().read(read).await? {
        let open = rows - snoozed;
        if hidden.contains(&&*kind) {
            count.hidden_waiting += if need == 2 { open } else { 0 };
            continue;
        }
        count.open += open;
        count.unread += unread;
        count.snoozed += snoozed;
        count.waiting += if need == 2 { open } else { 0 };
        count.needs_you += if need > 0 { open } else { 0 };
    }
    Ok(count)
}
