//! The append-only record of who changed what: audit, activity log and history of settings in one table.

use crate::params;
use crate::tx::Tx;
use crate::value::{Row, Value};
use kit::caller::Caller;
use kit::error::Result;
use kit::ids::short_id;

/// A change about to be recorded. Nothing secret belongs in it.
#[derive(Debug, Clone)]
pub struct Change<'a> {
    /// Kind of thing: `setting`, `board`, `item`, `dashboard`, `token`.
    pub subject: &'static str,
    /// Which one.
    pub subject_id: &'a str,
    /// Which part of it; empty for the whole.
    pub field: &'a str,
    /// Value before, where there was one.
    pub before: Option<&'a serde_json::Value>,
    /// Value after, where there is one.
    pub after: Option<&'a serde_json::Value>,
}

/// A recorded change.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct ChangeRow {
    pub change_id: String,
    pub at_ms: i64,
    pub actor: String,
    pub actor_id: String,
    pub session_id: Option<String>,
    pub member_id: Option<String>,
    pub subject: String,
    pub subject_id: String,
    pub field: String,
    pub before: Option<serde_json::Value>,
    pub after: Option<serde_json::Value>,
}

/// The subject of which there are so many that what happened to one is found along a chain: each change names the one before
/// it, and `item_changes` the newest. To everything else an index leads.
const ITEM: &str = "item";

/// The account's changes, as [`change_row`] reads them.
const READ: &str = "SELECT change_id, at_ms, actor, actor_id, session_id, subject, subject_id, field, before_json, after_json, \
     member_id FROM changes WHERE account_id = $1";
/// Where the chain of an item begins: at its newest change.
const NEWEST: &str = "SELECT newest_id FROM item_changes WHERE account_id = $1 AND item_id = $2";
/// The same before the change `$4`, where one is named.
pub(crate) const BEFORE: &str = "SELECT newest_id FROM item_changes WHERE account_id = $1 AND item_id = $2 AND $4 = '' UNION ALL \
     SELECT prior_id FROM changes WHERE account_id = $1 AND change_id = $4 AND subject = 'item' AND subject_id = $2";

impl Tx<'_> {
    /// Records a change in this transaction; the change's id, which sorts by time.
    pub fn record(&mut self, caller: &Caller, at_ms: i64, change: Change<'_>) -> Result<String> {
        let id = short_id();
        let json = |value: Option<&serde_json::Value>| value.map(|v| v.to_string());
        let row: &[Value<'_>] = params![
            &*caller.account,
            &id,
            at_ms,
            caller.kind.name(),
            &*caller.token_id,
            caller.session.as_deref(),
            change.subject,
            change.subject_id,
            change.field,
            json(change.before),
            json(change.after),
            caller.member.as_deref(),
        ];
        self.execute(
            "INSERT INTO changes (account_id, change_id, at_ms, actor, actor_id, session_id, subject, subject_id, field, before_json, \
             after_json, member_id, prior_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, \
             (SELECT newest_id FROM item_changes WHERE account_id = $1 AND item_id = $8))",
            row,
        )?;
        if change.subject == ITEM {
            self.execute(
                "INSERT INTO item_changes (account_id, item_id, newest_id) VALUES ($1, $2, $3) \
                 ON CONFLICT (account_id, item_id) DO UPDATE SET newest_id = excluded.newest_id",
                params![&*caller.account, change.subject_id, &id],
            )?;
        }
        Ok(id)
    }

    /// Recorded changes of the account, newest first: of one kind of thing (all where empty), of one thing (all where
    /// empty), older than `before_id` where given.
    pub fn changes(
        &mut self,
        account: &str,
        subject: &str,
        subject_id: &str,
        before_id: Option<&str>,
        limit: i64,
    ) -> Result<Vec<ChangeRow>> {
        if subject == ITEM && !subject_id.is_empty() {
            let params = params![account, subject_id, limit, before_id.unwrap_or_default()];
            return self.query(&of_item(BEFORE, "place < $3", ""), params, change_row);
        }
        let params = params![account, before_id.unwrap_or("~"), limit, subject, subject_id];
        self.query(&newest(subject, subject_id), params, change_row)
    }

    /// The newest change of the same part of the same thing that came after this one and altered it.
    pub fn later_change(&mut self, account: &str, than: &ChangeRow) -> Result<Option<ChangeRow>> {
        const ALTERED: &str = "COALESCE(before_json, '') <> COALESCE(after_json, '')";
        if than.subject == ITEM {
            let sql = of_item(NEWEST, "id <> $3", &format!("AND id <> $3 AND field = $4 AND {ALTERED}")) + " LIMIT 1";
            let of = params![account, &than.subject_id, &than.change_id, &than.field];
            return self.query_opt(&sql, of, change_row);
        }
        let sql = format!(
            "{READ} AND subject = $2 AND subject <> '{ITEM}' AND subject_id = $3 AND field = $4 AND change_id > $5 \
             AND {ALTERED} ORDER BY change_id DESC LIMIT 1"
        );
        let of = params![account, &than.subject, &than.subject_id, &than.field, &than.change_id];
        self.query_opt(&sql, of, change_row)
    }

    /// Recorded changes of the account from one to another, with both, oldest first; but for those of a field where one is
    /// named.
    pub fn changes_between(
        &mut self,
        account: &str,
        first_id: &str,
        last_id: &str,
        without: Option<&str>,
        limit: i64,
    ) -> Result<Vec<ChangeRow>> {
        let which = if without.is_some() { "AND field <> $5" } else { "AND $5 = ''" };
        let sql = format!("{READ} AND change_id >= $2 AND change_id <= $3 {which} ORDER BY change_id LIMIT $4");
        self.query(&sql, params![account, first_id, last_id, limit, without.unwrap_or_default()], change_row)
    }

    /// One recorded change of the account.
    pub fn change(&mut self, account: &str, change_id: &str) -> Result<ChangeRow> {
        self.query_one(&format!("{READ} AND change_id = $2"), params![account, change_id], change_row)
    }
}

/// Changes of an item from the one that `first` selects back, the newest first. `is_followed` is the condition of the change
/// `id` at the `place` (1 for the first) for the one before it to follow; `and` chooses among those that did. The joins are
/// crossed, as that has SQLite find the changes that the chain names instead of looking through all of them.
pub(crate) fn of_item(first: &str, is_followed: &str, and: &str) -> String {
    let named = READ.replace("FROM changes", "FROM chain CROSS JOIN changes");
    format!(
        "WITH RECURSIVE chain (id, earlier, place) AS (\
         SELECT change_id, prior_id, CAST(1 AS BIGINT) FROM changes WHERE account_id = $1 AND change_id = ({first}) \
         UNION ALL SELECT change_id, prior_id, place + 1 FROM chain CROSS JOIN changes \
         WHERE account_id = $1 AND change_id = earlier AND {is_followed}) \
         {named} AND change_id = id {and} ORDER BY place"
    )
}

/// A statement for each filter: with `$2 = '' OR ..` the index by subject would not be used, and the whole log read. Nor would
/// it without saying that it is about no item, as that index holds none.
pub(crate) fn newest(subject: &str, subject_id: &str) -> String {
    let which = match (subject, subject_id) {
        ("", "") => "change_id < $2 AND $4 = $5",
        (ITEM, _) => "change_id < $2 AND subject = $4 AND $5 = ''",
        ("", _) => "change_id < $2 AND subject_id = $5 AND $4 = ''",
        // By their key they would come in order, but from among those of all items.
        (_, "") => {
            "change_id IN (SELECT change_id FROM changes WHERE account_id = $1 AND subject = $4 AND subject <> 'item' AND $5 = '' \
             AND change_id || '' < $2 ORDER BY change_id || '' DESC LIMIT $3)"
        }
        _ => "change_id < $2 AND subject = $4 AND subject <> 'item' AND subject_id = $5",
    };
    format!("{READ} AND {which} ORDER BY change_id DESC LIMIT $3")
}

fn change_row(row: &dyn Row) -> Result<ChangeRow> {
    let json = |index| -> Result<Option<serde_json::Value>> {
        Ok(row.get::<Option<&str>>(index)?.and_then(|text| serde_json::from_str(text).ok()))
    };
    Ok(ChangeRow {
        change_id: row.get(0)?,
        at_ms: row.get(1)?,
        actor: row.get(2)?,
        actor_id: row.get(3)?,
        session_id: row.get(4)?,
        subject: row.get(5)?,
        subject_id: row.get(6)?,
        field: row.get(7)?,
        before: json(8)?,
        after: json(9)?,
        member_id: row.get(10)?,
    })
}
