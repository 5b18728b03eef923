//! Pages of lists.

use crate::error::{Result, invalid};
use crate::fault;
use crate::text::{CURSOR, id_cursor, unknown_cursor};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Maximum rows per response: as many as an account can have, so that the default is the whole list.
pub const PAGE_MAX: i64 = 10_000;

/// Rejects a number out of its range. `pointer` names its member.
pub fn expect_within<N: PartialOrd + Display>(number: N, accepted: RangeInclusive<N>, pointer: &str) -> Result<N> {
    if accepted.contains(&number) {
        return Ok(number);
    }
    let detail = format!("Use {} to {}.", accepted.start(), accepted.end());
    Err(invalid(pointer, fault::OUT_OF_RANGE, detail))
}

/// One page of a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Page")]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The page's items.
    pub items: Vec<T>,
    /// `cursor` of the next page; null on the last.
    pub next_cursor: Option<String>,
}

/// A page of a list. Inputs with more members repeat these two, because a flattened part can't reject unknown members.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Part {
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    pub cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: the whole list.
    #[schemars(range(min = 1, max = PAGE_MAX))]
    pub limit: Option<i64>,
}

impl Part {
    /// ID of the last record of the previous page.
    pub fn after(&self) -> Result<Option<&str>> {
        id_cursor(self.cursor.as_deref())
    }

    /// Rows to read for the page: one more than fits, to know whether there is another. Limits out of range are
    /// rejected when the page is cut.
    pub fn to_read(&self) -> i64 {
        self.limit.unwrap_or(PAGE_MAX).clamp(0, PAGE_MAX) + 1
    }

    /// Cuts the page out of all records, in the order of the list. If the last record of the previous page is gone, its
    /// position is unknown and the caller has to start over.
    pub fn page<T>(&self, mut all: Vec<T>, id: impl Fn(&T) -> Cow<'_, str>) -> Result<Page<T>> {
        if let Some(last) = self.after()? {
            let at = all.iter().position(|record| id(record) == last).ok_or_else(unknown_cursor)?;
            all.drain(..=at);
        }
        self.first_page(all, id)
    }

    /// Cuts the page out of the records after the previous page.
    pub fn first_page<T>(&self, mut left: Vec<T>, id: impl Fn(&T) -> Cow<'_, str>) -> Result<Page<T>> {
        let limit = expect_within(self.limit.unwrap_or(PAGE_MAX), 1..=PAGE_MAX, "/limit")? as usize;
        let more = left.len() > limit;
        left.truncate(limit);
        let next_cursor = left.last().filter(|_| more).map(|last| id(last).into_owned());
        Ok(Page { items: left, next_cursor })
    }
}
