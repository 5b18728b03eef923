//! Queries for items that match a filter, evaluated by the same engine as in the app.

mod reference;
mod rules;
mod text;

use crate::board::{self, GroupRecord};
use crate::cells::Column;
use crate::columns::COLUMNS_MAX;
use crate::errors::QUERY_TOO_LONG;
use crate::inputs::page;
use crate::item::{Item, find};
use crate::tables::{self, Loaded};
use crate::{fault, links, outward, zones};
use kit::error::{Result, invalid};
use kit::text::{number_cursor, unknown_cursor};
use kit::{Call, Ctx};
pub(crate) use reference::list as operators;
pub use reference::{filters_md, filters_ts};
use rules::{Filters, Given};
pub(crate) use rules::{PEOPLE, STANDING_FOR, people_in};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{HasDb, Tx};
use widgets::{Selected, Sort};

/// Boards of one query.
pub const QUERY_BOARDS_MAX: usize = 50;
/// What evaluating and ordering one query may take, with every try: two hundred rules on texts of 100,000 items stay below it.
const SELECTING_MAX: Duration = Duration::from_secs(30);
/// How often a query that a change overtook is evaluated again.
const TRIES_MAX: usize = 3;

/// Query inputs with the field that names the boards. A macro, because flattening would lose the position of errors.
macro_rules! asked {
    ($(#[$of:meta])* $name:ident as $called:literal, $(#[$of_boards:meta])* $boards:ident : $type:ty) => {
        $(#[$of])*
        #[derive(Deserialize, JsonSchema)]
        #[serde(rename = $called, rename_all = "camelCase", deny_unknown_fields)]
        pub(crate) struct $name {
            $(#[$of_boards])*
            $boards: $type,
            /// Filter rules as JSON, such as `{"all": [{"col": "Status", "op": "anyOf", "value": ["Done"]}]}`; for
            /// alternatives, `{"all": [{"any": [RULE, RULE]}]}`. `boards.filters` lists the operators. `where`
            /// takes rules as text. Default: none.
            #[serde(default)]
            #[schemars(extend("x-of-pages" = true))]
            filters: Filters,
            /// Filter rules as text: column, operator, value, such as `Status anyOf Done, Closed`, `Due before 2026-12-01`,
            /// `"Due date" isEmpty`, or `Amount between 1..10`. `boards.filters` lists the operators.
            #[serde(rename = "where", default)]
            #[schemars(length(max = text::TEXTS_MAX))]
            wheres: Vec<String>,
            /// Sort columns in order, such as `Due` or `Amount desc`; empty cells last.
            #[serde(default)]
            #[schemars(length(max = text::TEXTS_MAX))]
            sort: Vec<String>,
            /// IDs or titles of columns to return. Default: all.
            #[schemars(length(max = COLUMNS_MAX))]
            columns: Option<Vec<String>>,
            /// Page size, 1 to 1,000. Default: 100.
            #[schemars(range(min = 1, max = crate::inputs::PAGE_MAX))]
            limit: Option<i64>,
            /// `nextCursor` of the previous page.
            #[schemars(regex(pattern = "^[0-9]{1,9}-"))]
            cursor: Option<String>,
            /// Time zone for "today", such as America/New_York. Default: yours.
            #[schemars(length(max = 64))]
            time_zone: Option<String>,
            /// Reject invalid rules. Default: true. When false, invalid rules have no effect, and unknown members match no
            /// items.
            strict: Option<bool>,
            /// Include matching subitems; each has `parentId`.
            #[serde(default)]
            include_subitems: bool,
        }
    };
}

asked! {
    /// A query of one board.
    OfOne as "BoardQuery",
    /// ID, not the name.
    board_id: String
}

asked! {
    /// A query of several boards.
    OfMany as "BoardsQuery",
    /// Up to 50 boards, in the order of the result.
    #[schemars(length(min = 1, max = QUERY_BOARDS_MAX))]
    board_ids: Vec<String>
}

/// An item with its board.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Found {
    board_id: String,
    #[serde(flatten)]
    item: Item,
}

/// Coverage of a rule.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RuleReach {
    /// The rule's ID, or its position in the request.
    rule: String,
    /// Number of boards with its column.
    boards: usize,
    /// Number of boards.
    of: usize,
}

/// A rule that has no effect or names an unknown member, label, or column.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RuleInert {
    /// The rule's ID, or its position in the request.
    rule: String,
    /// The reason as a code.
    reason: String,
    /// For `lost-label`, the missing labels; for `lost-column`, the boards without the column. The rule applies to the
    /// others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lost: Vec<String>,
}

/// Coverage of the rules.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Coverage {
    reach: Vec<RuleReach>,
    inert_rules: Vec<RuleInert>,
}

/// Matches on a board.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OfBoard {
    board_id: String,
    /// The board revision that was searched.
    revision: i64,
    /// Matching items.
    total: usize,
    /// Number of items, without subitems.
    items: usize,
    /// Number of subitems; omitted if none.
    #[serde(skip_serializing_if = "Option::is_none")]
    subitems: Option<usize>,
}

/// A page of matching items.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "QueryAnswer", rename_all = "camelCase")]
pub(crate) struct Answer {
    /// In the order of `sort`, then by board and position.
    items: Vec<Found>,
    /// Matching items on all boards.
    total: usize,
    /// Cursor of the next page; null on the last.
    next_cursor: Option<String>,
    boards: Vec<OfBoard>,
    coverage: Coverage,
}

/// A board as named in rules and messages.
pub(crate) struct Asked {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) groups: Vec<GroupRecord>,
    /// Types of the columns that mirrors show, by the mirror's id.
    mirrored: HashMap<String, String>,
}

impl Asked {
    /// The type by which a column of it is filtered.
    pub(crate) fn type_of<'a>(&'a self, column: &'a Column) -> &'a str {
        let own = || column.holds().map_or(column.type_name.as_str(), |kind| kind.name());
        self.mirrored.get(&column.id).map_or_else(own, String::as_str)
    }
    /// Its columns of this id or, without regard to case, title.
    pub(crate) fn named(&self, name: &str) -> impl Iterator<Item = &Column> {
        let by_id = self.columns.iter().any(|column| column.id == name);
        let title = name.trim().to_lowercase();
        self.columns.iter().filter(move |column| match by_id {
            true => column.id == name,
            false => column.title.trim().to_lowercase() == title,
        })
    }
}

pub(crate) async fn of_one(ctx: Ctx, call: Call, input: OfOne) -> Result<Answer> {
    let OfOne { board_id, filters, wheres, sort, columns, limit, cursor, time_zone, strict, include_subitems } = input;
    let board_ids = vec![board_id];
    let many = OfMany { board_ids, filters, wheres, sort, columns, limit, cursor, time_zone, strict, include_subitems };
    ask(ctx, call, many).await
}

pub(crate) async fn of_many(ctx: Ctx, call: Call, input: OfMany) -> Result<Answer> {
    let (account, ids) = (call.account().to_owned(), input.board_ids.clone());
    let expect = move |tx: &mut Tx<'_>| {
        for (index, id) in ids.iter().enumerate().take(QUERY_BOARDS_MAX) {
            board::named(tx, &account, id, &format!("/boardIds/{index}"))?;
        }
        Ok(())
    };
    ctx.db().read(expect).await?;
    ask(ctx, call, input).await
}

async fn ask(ctx: Ctx, call: Call, mut input: OfMany) -> Result<Answer> {
    let limit = page(input.limit)? as usize;
    let cursor = input.cursor.as_deref().map(place).transpose()?;
    let mut seen = std::collections::HashSet::new();
    input.board_ids.retain(|id| seen.insert(id.clone()));
    if !(1..=QUERY_BOARDS_MAX).contains(&input.board_ids.len()) {
        return Err(invalid(
            "/boardIds",
            fault::WRONG_LENGTH,
            format!("boardIds must list 1 to {QUERY_BOARDS_MAX} boards."),
        ));
    }
    for (pointer, texts) in [("/where", &input.wheres), ("/sort", &input.sort)] {
        if texts.len() > text::TEXTS_MAX {
            return Err(invalid(pointer, fault::TOO_MANY, format!("Use up to {} entries.", text::TEXTS_MAX)));
        }
    }
    if input.columns.as_ref().is_some_and(|columns| columns.len() > COLUMNS_MAX) {
        let detail = format!("Use up to {COLUMNS_MAX} columns.");
        return Err(invalid("/columns", fault::TOO_MANY, detail));
    }
    let account = call.account().to_owned();
    let zone = zones::of_caller(&ctx, &call.caller, input.time_zone.as_deref()).await?;
    let (until, mut tries) = (Instant::now() + SELECTING_MAX, 0);
    loop {
        tries += 1;
        let asked = asked(&ctx, &account, &input.board_ids).await?;
        let shown = shown(&asked, input.columns.as_deref())?;
        let week_start = outward::week_start(&ctx, &account);
        let given = Given { now_ms: ctx.now_ms(), zone: &zone, me: call.caller.member.as_deref(), week_start };
        let written = input.wheres.iter().enumerate().map(|(at, rule)| text::rule(rule, at, &asked));
        let written: Vec<text::Written> = written.collect::<Result<_>>()?;
        let (mut query, rules) = rules::read(&input.filters, &written, &asked, &given)?;
        let sort = input.sort.iter().enumerate().map(|(at, step)| text::step(step, at, &asked));
        let sort: Vec<Sort> = sort.collect::<Result<_>>()?;
        query.include_subitems = input.include_subitems;
        let mut loaded = Vec::with_capacity(asked.len());
        for board in &asked {
            loaded.push(tables::load(&ctx, &account, &board.id).await?);
        }
        let named = rules::members(&ctx, &account, &query, &rules, &asked, &loaded).await?;
        query.members = Some(named.clone());
        let (selected, order, loaded) = select(query, sort, loaded, until).await?;
        if input.strict.unwrap_or(true) {
            rules::expect_understood(&input.filters, &rules, &selected, &asked, &named)?;
        }
        let ordered = Ordered { selected: &selected, order: order.as_deref() };
        let start = cursor.as_ref().map_or(0, |(offset, item)| ordered.start(&loaded, *offset, item));
        let wanted: Vec<(usize, String)> = ordered
            .all()
            .skip(start)
            .take(limit)
            .map(|(at, row)| (at, loaded[at].table.item_id(row).to_owned()))
            .collect();
        let total = selected.rows.iter().map(Vec::len).sum::<usize>();
        let end = start + wanted.len();
        let next_cursor = wanted.last().filter(|_| end < total).map(|(_, id)| format!("{end}-{id}"));
        let revisions: Vec<i64> = loaded.iter().map(|board| board.revision).collect();
        let Some(items) =
            records(&ctx, &account, &input.board_ids, revisions, wanted, shown, tries == TRIES_MAX).await?
        else {
            continue;
        };
        let of_board = |(at, board): (usize, &Loaded)| OfBoard {
            board_id: asked[at].id.clone(),
            revision: board.revision,
            total: selected.rows[at].len(),
            items: board.table.items(),
            subitems: Some(board.table.subitems()).filter(|subitems| *subitems > 0),
        };
        let boards = loaded.iter().enumerate().map(of_board).collect();
        return Ok(Answer { items, total, next_cursor, boards, coverage: rules::coverage(&rules, &selected) });
    }
}

/// Start of a page: the number of items before it, and the last of them.
fn place(cursor: &str) -> Result<(usize, String)> {
    let (offset, id) = cursor.split_once('-').ok_or_else(unknown_cursor)?;
    Ok((usize::try_from(number_cursor(offset)?).map_err(|_| unknown_cursor())?, id.to_owned()))
}

/// The items that pass, in the order of the answer.
struct Ordered<'a> {
    selected: &'a Selected,
    /// Sort order, if it isn't the board order.
    order: Option<&'a [(usize, u32)]>,
}

impl Ordered<'_> {
    /// Board and row of each.
    fn all(&self) -> Box<dyn Iterator<Item = (usize, u32)> + '_> {
        match self.order {
            Some(order) => Box::new(order.iter().copied()),
            None => {
                let boards = self.selected.rows.iter().enumerate();
                Box::new(boards.flat_map(|(at, rows)| rows.iter().map(move |row| (at, *row))))
            }
        }
    }

    /// Starts after the previous page's last item at its current position; if it was removed, after as many items as
    /// before.
    fn start(&self, loaded: &[Loaded], offset: usize, last: &str) -> usize {
        let is_last = |(at, row): (usize, u32)| loaded[at].table.item_id(row) == last;
        if offset.checked_sub(1).and_then(|before| self.all().nth(before)).is_some_and(is_last) {
            return offset;
        }
        self.all().position(is_last).map_or(offset, |at| at + 1)
    }
}

/// Boards as rules name them.
pub(crate) async fn asked(ctx: &Ctx, account: &str, board_ids: &[String]) -> Result<Vec<Asked>> {
    let (account, ids) = (account.to_owned(), board_ids.to_vec());
    let read = move |tx: &mut Tx<'_>| {
        let one = |id: String| {
            let board = board::load(tx, &account, &id)?;
            let columns = board::columns(tx, &account, &id)?;
            let groups = board::groups(tx, &account, &board.id)?;
            let mirrored = links::mirrored_types(tx, &account, &columns)?;
            Ok(Asked { id, name: board.name, columns, groups, mirrored })
        };
        ids.into_iter().map(one).collect()
    };
    ctx.db().read(read).await
}

/// For each board the ids of the columns whose cells are answered; `None` is all of them.
fn shown(asked: &[Asked], columns: Option<&[String]>) -> Result<Vec<Option<Vec<String>>>> {
    let Some(columns) = columns else { return Ok(vec![None; asked.len()]) };
    for (index, name) in columns.iter().enumerate() {
        if !asked.iter().any(|board| board.named(name).next().is_some()) {
            let detail = format!("Column {name} not found. {}", rules::columns_there_are(asked));
            return Err(invalid(&format!("/columns/{index}"), fault::UNKNOWN_COLUMN, detail));
        }
    }
    let of = |board: &Asked| Some(columns.iter().flat_map(|name| board.named(name).map(|c| c.id.clone())).collect());
    Ok(asked.iter().map(of).collect())
}

/// The items that pass, and their order where one is asked for.
type Passed = (Selected, Option<Vec<(usize, u32)>>, Vec<Loaded>);

async fn select(query: widgets::Query, sort: Vec<Sort>, loaded: Vec<Loaded>, until: Instant) -> Result<Passed> {
    let waits = Arc::new(());
    let is_waited_for = Arc::downgrade(&waits);
    let run = move || {
        let goes_on = || is_waited_for.strong_count() > 0 && Instant::now() < until;
        let tables: Vec<_> = loaded.iter().map(|board| &*board.table).collect();
        let selected = widgets::select(&tables, &query, &goes_on);
        let order = (!sort.is_empty()).then(|| widgets::sorted(&tables, &selected.rows, &sort, &goes_on));
        if goes_on() {
            return Ok((selected, order, loaded));
        }
        let limit_s = SELECTING_MAX.as_secs();
        let detail = format!("The query took longer than {limit_s} s. Use fewer rules or boards.");
        Err(QUERY_TOO_LONG.error(detail))
    };
    let fault = |e| kit::error::INTERNAL.error("Couldn't evaluate the query.").caused_by(e);
    let passed = tokio::task::spawn_blocking(run).await.map_err(fault)?;
    // Let go of earlier where the caller goes away, which ends the work too.
    drop(waits);
    passed
}

/// The items in the order of `wanted`; `None` where a board has changed since it was asked, unless that is `taken`.
async fn records(
    ctx: &Ctx,
    account: &str,
    board_ids: &[String],
    revisions: Vec<i64>,
    wanted: Vec<(usize, String)>,
    shown: Vec<Option<Vec<String>>>,
    taken: bool,
) -> Result<Option<Vec<Found>>> {
    let (account, board_ids) = (account.to_owned(), board_ids.to_vec());
    let read = move |tx: &mut Tx<'_>| {
        for (id, revision) in board_ids.iter().zip(&revisions) {
            if board::load(tx, &account, id)?.revision != *revision && !taken {
                return Ok(None);
            }
        }
        let mut found = Vec::with_capacity(wanted.len());
        for (at, id) in &wanted {
            // One that was deleted a moment ago is left out.
            let Some(mut item) = find(tx, &account, &board_ids[*at], id)? else { continue };
            if let Some(columns) = &shown[*at] {
                item.record.cells.retain(|column, _| columns.contains(column));
            }
            found.push(Found { board_id: board_ids[*at].clone(), item });
        }
        Ok(Some(found))
    };
    ctx.db().read(read).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_query_that_takes_too_long_says_so() {
        let query = serde_json::json!({"boards": [], "filters": {"v": 1, "all": []}, "now": 0});
        let query: widgets::Query = serde_json::from_value(query).unwrap();
        let now = Instant::now();
        assert!(select(query.clone(), Vec::new(), Vec::new(), now + SELECTING_MAX).await.is_ok());
        let refusal = select(query, Vec::new(), Vec::new(), now).await.err().unwrap();
        assert_eq!(refusal.code().name, "query-too-long");
    }
}
