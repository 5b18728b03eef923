//! Lists in pages: which part a request asks for, and how it is cut out.

use kit::text::{CURSOR, id_cursor, unknown_cursor};
use kit::{Result, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rows of one answer: as many as an account may have of what is listed, so that who asks for no part gets the whole.
const PAGE_MAX: i64 = 10_000;

/// One page of a list.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    /// Pass it as `cursor` for the next page; null on the last.
    pub(crate) next_cursor: Option<String>,
}

/// Which part of a list.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Part {
    /// From an earlier answer.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// 1 to 10000; the whole list where left out.
    #[schemars(range(min = 1, max = 10_000))]
    limit: Option<i64>,
}

impl Part {
    /// The identifier of the last record of the page before.
    pub(crate) fn after(&self) -> Result<Option<&str>> {
        id_cursor(self.cursor.as_deref())
    }

    /// Cuts the page out of all records, which come in the order of the list. Where the last one of the page before is gone
    /// nothing tells its place: the caller begins again.
    pub(crate) fn of<T>(&self, mut all: Vec<T>, id: impl Fn(&T) -> &str) -> Result<Page<T>> {
        if let Some(last) = self.after()? {
            let at = all.iter().position(|record| id(record) == last).ok_or_else(unknown_cursor)?;
            all.drain(..=at);
        }
        self.first_of(all, id)
    }

    /// Cuts the page out of the records behind the page before.
    pub(crate) fn first_of<T>(&self, mut left: Vec<T>, id: impl Fn(&T) -> &str) -> Result<Page<T>> {
        let limit = match self.limit.unwrap_or(PAGE_MAX) {
            limit @ 1..=PAGE_MAX => limit as usize,
            _ => return Err(invalid("/limit", "out-of-range", format!("1 to {PAGE_MAX} is accepted."))),
        };
        let more = left.len() > limit;
        left.truncate(limit);
        let next_cursor = left.last().filter(|_| more).map(|last| id(last).to_owned());
        Ok(Page { items: left, next_cursor })
    }
}
