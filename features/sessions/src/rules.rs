//! Permission rules: what you always allow, where each rule applies, and how rules are listed and removed.
//!
//! Invariant: only a user's answer creates a rule, in the transaction of that answer, and it covers what the request
//! showed. `supervisor::rules` decides what a rule can cover.

use crate::{errors, records};
use kit::error::{INTERNAL, Result};
use kit::ids::short_id;
use kit::text::CURSOR;
use kit::{Call, Caller, CallerSet, Ctx, Done, Method, Op, Page, Part, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Change, HasDb, Row, Tx, params};
use supervisor::rules::Pattern;

/// Maximum rules of an account.
const RULES_MAX: i64 = 1_000;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "sessions.rules.list",
            Method::Get,
            "/sessions/rules",
            CallerSet::PERSON,
            "List permission rules with their scope, newest first. Answer a request with `always: true` to create one.",
            list,
        )
        .columns(&["id", "allows", "scope", "sessionTitle", "projectName", "createdAt"]),
        Op::new(
            "sessions.rules.delete",
            Method::Delete,
            "/sessions/rules/{ruleId}",
            CallerSet::PERSON,
            "Remove a permission rule. Requests it covered need approval again.",
            delete,
        )
        .example(r#"{"ruleId": "{ruleId}"}"#),
    ]
}

/// Where a rule applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Scope {
    /// In the session that made the request.
    Session,
    /// In every session of its hub.
    Hub,
    /// In every session.
    Everywhere,
}

impl Scope {
    const ALL: [Scope; 3] = [Scope::Session, Scope::Hub, Scope::Everywhere];

    /// As stored and sent.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Scope::Session => "session",
            Scope::Hub => "hub",
            Scope::Everywhere => "everywhere",
        }
    }
}

/// A rule as stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) scope: Scope,
    /// The session or the hub; empty for everywhere.
    pub(crate) scope_id: String,
    pub(crate) pattern: Pattern,
    pub(crate) created_ms: i64,
    pub(crate) created_by: String,
    /// The session and the request that it was created from.
    pub(crate) session_id: String,
    pub(crate) ask_id: String,
}

/// A permission rule.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PermissionRule")]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    id: String,
    /// What it allows, in words: "Commands that start with `git commit`".
    allows: String,
    /// What it allows, as data: `covers` is `prefix`, `command`, `files`, `host`, or `tool`.
    pattern: Value,
    scope: Scope,
    /// The session it applies to; null if it applies to more.
    session_id: Option<String>,
    /// That session's title.
    session_title: Option<String>,
    /// The hub it applies to; null if it applies to one session or everywhere.
    project_id: Option<String>,
    /// That hub's name.
    project_name: Option<String>,
    /// RFC 3339 in UTC.
    created_at: String,
    /// The kind of caller that created it.
    created_by: String,
    /// The session of the request it was created from.
    from_session_id: String,
    /// The request it was created from.
    from_ask_id: String,
}

impl Rule {
    /// The hub that it applies to, if it applies to one.
    pub(crate) fn hub(&self) -> Option<&str> {
        (self.scope == Scope::Hub).then_some(&*self.scope_id)
    }

    /// As it is sent.
    pub(crate) fn record(self, session_title: Option<String>, project_name: Option<String>) -> Record {
        let scope_id = |scope| Some(self.scope_id.clone()).filter(|_| self.scope == scope);
        Record {
            allows: self.pattern.words(),
            pattern: records::value(&self.pattern),
            session_id: scope_id(Scope::Session),
            project_id: scope_id(Scope::Hub),
            id: self.id,
            scope: self.scope,
            session_title,
            project_name,
            created_at: rfc3339(self.created_ms),
            created_by: self.created_by,
            from_session_id: self.session_id,
            from_ask_id: self.ask_id,
        }
    }
}

const COLUMNS: &str = "r.rule_id, r.scope, r.scope_id, r.pattern, r.created_ms, r.created_by, r.session_id, r.ask_id";

fn rule(row: &dyn Row) -> Result<Rule> {
    let unread = || INTERNAL.error("This version of Pilothouse can't read a permission rule.");
    let scope: &str = row.get(1)?;
    Ok(Rule {
        id: row.get(0)?,
        scope: Scope::ALL.into_iter().find(|one| one.name() == scope).ok_or_else(unread)?,
        scope_id: row.get(2)?,
        pattern: serde_json::from_str(row.get(3)?).map_err(|why| unread().caused_by(why))?,
        created_ms: row.get(4)?,
        created_by: row.get(5)?,
        session_id: row.get(6)?,
        ask_id: row.get(7)?,
    })
}

/// The rules that apply to a session of this hub, the narrowest first.
pub(crate) fn for_session(tx: &mut Tx<'_>, account: &str, (session, hub): (&str, &str)) -> Result<Vec<Rule>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM session_rules r WHERE r.account_id = $1 AND (r.scope = 'everywhere' \
         OR (r.scope = 'session' AND r.scope_id = $2) OR (r.scope = 'hub' AND r.scope_id = $3 AND $3 <> '')) \
         ORDER BY CASE r.scope WHEN 'session' THEN 0 WHEN 'hub' THEN 1 ELSE 2 END, r.rule_id"
    );
    tx.query(&sql, params![account, session, hub], rule)
}

/// An existing rule with the same meaning.
pub(crate) fn same(tx: &mut Tx<'_>, account: &str, new: &Rule) -> Result<Option<Rule>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM session_rules r WHERE r.account_id = $1 AND r.scope = $2 AND r.scope_id = $3 AND r.pattern = $4"
    );
    tx.query_opt(&sql, params![account, new.scope.name(), &new.scope_id, records::json(&new.pattern)], rule)
}

/// Writes an answer's rule, and records it. Returns the existing one if it's the same.
pub(crate) fn insert(tx: &mut Tx<'_>, account: &str, new: Rule, by: &Caller) -> Result<Rule> {
    if let Some(same) = same(tx, account, &new)? {
        return Ok(same);
    }
    let count = "SELECT count(*) FROM session_rules WHERE account_id = $1";
    if tx.query_one(count, params![account], |row| row.get::<i64>(0))? >= RULES_MAX {
        return Err(errors::NO_RULE.error(format!("Permission rule limit reached ({RULES_MAX}). Remove some first.")));
    }
    tx.execute(
        "INSERT INTO session_rules (account_id, rule_id, scope, scope_id, pattern, created_ms, created_by, session_id, ask_id) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        params![
            account,
            &new.id,
            new.scope.name(),
            &new.scope_id,
            records::json(&new.pattern),
            new.created_ms,
            &new.created_by,
            &new.session_id,
            &new.ask_id,
        ],
    )?;
    let after = recorded(&new);
    let change = Change { subject: "session-rule", subject_id: &new.id, field: "", before: None, after: Some(&after) };
    tx.record(by, new.created_ms, change)?;
    Ok(new)
}

fn recorded(rule: &Rule) -> Value {
    json!({"scope": rule.scope.name(), "scopeId": rule.scope_id, "allows": rule.pattern.words()})
}

/// The rule for an answer with `always: true`.
pub(crate) fn new(
    scope: Scope,
    record: &records::SessionRecord,
    ask: &records::Ask,
    (now_ms, by): (i64, &Caller),
) -> Result<Rule> {
    let none = |why: &str| errors::NO_RULE.error(format!("{why} Answer with `always: false` instead."));
    let pattern = proposal(ask).ok_or_else(|| none("No rule can cover this request."))?;
    let scope_id = match scope {
        Scope::Session => record.id.clone(),
        Scope::Hub if record.hub_id.is_empty() => return Err(none("The session isn't in a hub.")),
        Scope::Hub => record.hub_id.clone(),
        Scope::Everywhere => String::new(),
    };
    let (session_id, ask_id) = (record.id.clone(), ask.id.clone());
    let created_by = by.kind.name().to_owned();
    Ok(Rule { id: short_id(), scope, scope_id, pattern, created_ms: now_ms, created_by, session_id, ask_id })
}

/// The name of a hub.
pub(crate) fn hub_name(tx: &mut Tx<'_>, account: &str, hub: Option<&str>) -> Result<Option<String>> {
    let sql = "SELECT name FROM hubs WHERE account_id = $1 AND hub_id = $2";
    tx.query_opt(sql, params![account, hub.unwrap_or_default()], |row| row.get(0))
}

/// The pattern that always allowing a request would cover.
pub(crate) fn proposal(ask: &records::Ask) -> Option<Pattern> {
    serde_json::from_str(&ask.rule).ok()
}

/// Removes the rules of a removed hub.
pub(crate) fn forget_hub(tx: &mut Tx<'_>, account: &str, hub: &str) -> Result<()> {
    let sql = "DELETE FROM session_rules WHERE account_id = $1 AND scope = 'hub' AND scope_id = $2";
    tx.execute(sql, params![account, hub]).map(drop)
}

/// A page of permission rules.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct List {
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: 10000.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<Record>> {
    let read = move |tx: &mut Tx<'_>| {
        let sql = format!(
            "SELECT {COLUMNS}, s.title, h.name FROM session_rules r \
             LEFT JOIN sessions s ON s.account_id = r.account_id AND s.session_id = r.scope_id AND r.scope = 'session' \
             LEFT JOIN hubs h ON h.account_id = r.account_id AND h.hub_id = r.scope_id AND r.scope = 'hub' \
             WHERE r.account_id = $1 ORDER BY r.rule_id DESC"
        );
        let all = tx.query(&sql, params![call.account()], |row| Ok(rule(row)?.record(row.get(8)?, row.get(9)?)))?;
        Part { cursor: input.cursor, limit: input.limit }.page(all, |rule| (&rule.id).into())
    };
    ctx.db().read(read).await
}

/// Identifies a permission rule.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RuleId {
    rule_id: String,
}

async fn delete(ctx: Ctx, call: Call, input: RuleId) -> Result<Done> {
    let now_ms = ctx.now_ms();
    let write = move |tx: &mut Tx<'_>| {
        let one = format!("SELECT {COLUMNS} FROM session_rules r WHERE r.account_id = $1 AND r.rule_id = $2");
        let old = tx.query_one(&one, params![call.account(), &input.rule_id], rule)?;
        let sql = "DELETE FROM session_rules WHERE account_id = $1 AND rule_id = $2";
        tx.execute(sql, params![call.account(), &old.id])?;
        let before = recorded(&old);
        let change =
            Change { subject: "session-rule", subject_id: &old.id, field: "", before: Some(&before), after: None };
        tx.record(&call.caller, now_ms, change)?;
        Ok(Done)
    };
    ctx.db().write(write).await
}
