//! What cells link to: the linked items' names, and columns that mirror what those items hold.
//!
//! A mirror has no values of its own in the stream. It is made from the codes of its link column, once for each set of linked
//! items, whatever the number of rows, and then is of the source column's family like any other column.

use crate::board::{Column, HeadColumn, Settings, labels_of};
use crate::column::{Coded, CodedBuilder, Data, Entry, NO_DAY, Numbers, Texts, stamp};
use crate::dates;
use crate::family::Family;
use crate::fold::fold_case;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

/// The type of columns that show what linked items hold.
pub(crate) const MIRROR: &str = "mirror";

// Whoever sends boards writes these types, and the engine reads the same ones: a member that one side renames doesn't compile
// on the other.

/// Data shown from a linked board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "LinkedBoard", rename_all = "camelCase")]
pub struct Linked<Column> {
    /// The board.
    pub board_id: String,
    /// Its mirrored columns.
    pub columns: Vec<Column>,
    /// Linked items that still exist, by ID.
    pub items: Vec<LinkedItem>,
}

/// A linked item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkedItem {
    /// The item.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its sprint dates, by sprint column: each column has its own date settings.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub days: BTreeMap<String, SprintDays>,
    /// Its values in the mirrored columns, by column ID.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub cells: Map<String, Value>,
}

/// The dates of a sprint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SprintDays {
    /// The first day, YYYY-MM-DD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The last day, YYYY-MM-DD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
}

/// A linked board as the engine holds it.
pub(crate) type Shown = Linked<HeadColumn>;

/// Names of the items of a board that cells link to; none where the board is not there.
fn names<'a>(linked: &'a [Shown], board: Option<&str>) -> HashMap<&'a str, &'a str> {
    let items = find_shown(linked, board).into_iter().flat_map(|linked| &linked.items);
    items.map(|item| (item.id.as_str(), item.name.as_str())).collect()
}

/// First and last day of the items that a column links to, as far as they have days.
pub(crate) fn days<'a>(linked: &'a [Shown], column: &Column) -> HashMap<&'a str, (Option<i32>, Option<i32>)> {
    let day = |text: &Option<String>| text.as_deref().and_then(dates::parse);
    let items = find_shown(linked, column.settings.board_id.as_deref()).into_iter().flat_map(|linked| &linked.items);
    let dated = items.filter_map(|item| Some((item.id.as_str(), item.days.get(&column.id)?)));
    dated.map(|(id, days)| (id, (day(&days.start), day(&days.end)))).collect()
}

fn find_shown<'a>(linked: &'a [Shown], board: Option<&str>) -> Option<&'a Shown> {
    linked.iter().find(|linked| Some(linked.board_id.as_str()) == board)
}

/// Gives columns that link to items those that are there, and mirrors what they hold.
pub(crate) fn fill(columns: &mut [Column], linked: &[Shown], members: &HashMap<&str, &str>) {
    for column in columns.iter_mut() {
        let Some(links) = &column.links else { continue };
        column.data = Data::Coded(there(links, &names(linked, column.settings.board_id.as_deref())));
        column.stamp = stamp();
    }
    fill_mirrors(columns, linked, members);
}

/// Links without the items that are no more.
fn there(links: &Coded, names: &HashMap<&str, &str>) -> Coded {
    let mut builder = CodedBuilder::new(Vec::new(), true);
    let mut list = |code: usize| {
        let ids = links.entries_of(code).iter().map(|entry| &links.entries[*entry as usize].id);
        let ids: Vec<String> = ids.filter(|id| names.contains_key(id.as_str())).cloned().collect();
        builder.set(&ids, |id| Entry::named(id, names[id]))
    };
    let codes: Vec<u32> = (0..links.code_count()).map(&mut list).collect();
    link_rows(links).for_each(|code| builder.push(codes[code]));
    builder.finish()
}

/// Gives every mirror among the columns what it mirrors; one whose link or source is no more stays without values.
fn fill_mirrors(columns: &mut [Column], linked: &[Shown], members: &HashMap<&str, &str>) {
    for at in 0..columns.len() {
        let filled = (columns[at].type_name == MIRROR).then(|| mirrored(&columns[at], columns, linked, members));
        if let Some((source, family, data)) = filled.flatten() {
            let column = &mut columns[at];
            (column.type_name, column.family, column.data) = (source.type_name.clone(), family, data);
            column.stamp = stamp();
            // That it is a mirror, and of what, is still known.
            let Settings { link_column, source_column, .. } = std::mem::take(&mut column.settings);
            column.settings = Settings { link_column, source_column, ..source.settings.clone().unwrap_or_default() };
        }
    }
}

fn mirrored<'a>(
    mirror: &Column,
    columns: &[Column],
    linked: &'a [Shown],
    members: &HashMap<&str, &str>,
) -> Option<(&'a HeadColumn, Family, Data)> {
    let link = columns.iter().find(|column| Some(&column.id) == mirror.settings.link_column.as_ref())?;
    let Data::Coded(codes) = &link.data else { return None };
    let board = find_shown(linked, link.settings.board_id.as_deref())?;
    let source = board.columns.iter().find(|column| Some(&column.id) == mirror.settings.source_column.as_ref())?;
    let by_id: HashMap<&str, &LinkedItem> = board.items.iter().map(|item| (item.id.as_str(), item)).collect();
    let values = |code: usize| -> Vec<&Value> {
        let items =
            codes.entries_of(code).iter().filter_map(|entry| by_id.get(codes.entries[*entry as usize].id.as_str()));
        items.filter_map(|item| item.cells.get(&source.id)).collect()
    };
    let family = Family::from_type_name(&source.type_name);
    let data = data(family, source, codes, link_rows(codes), values, members)?;
    Some((source, family, data))
}

fn link_rows(codes: &Coded) -> impl Iterator<Item = usize> {
    (0..codes.codes.len()).map(|row| codes.codes.get(row) as usize)
}

fn data<'v>(
    family: Family,
    source: &HeadColumn,
    codes: &Coded,
    rows: impl Iterator<Item = usize>,
    values: impl Fn(usize) -> Vec<&'v Value>,
    members: &HashMap<&str, &str>,
) -> Option<Data> {
    let all = (0..codes.code_count()).map(values);
    Some(match family {
        Family::Text => {
            let joined = |held: Vec<&Value>| held.iter().filter_map(|v| v.as_str()).collect::<Vec<_>>().join(", ");
            let by_code: Vec<String> = all.map(joined).collect();
            let mut texts = Texts::default();
            rows.for_each(|code| texts.push(&by_code[code]));
            Data::Text(texts)
        }
        // The numbers of several linked items add up.
        Family::Number => {
            let sum = |held: Vec<&Value>| held.iter().filter_map(|v| v.as_f64()).reduce(|a, b| a + b);
            let by_code: Vec<f64> = all.map(|held| sum(held).unwrap_or(f64::NAN)).collect();
            Data::Numbers(Numbers::new(rows.map(|code| by_code[code]).collect()))
        }
        // From the first day of any linked item to the last.
        Family::Date => {
            let by_code: Vec<(i32, i32)> = all.map(|held| span(&held)).collect();
            let (from, to) = rows.map(|code| by_code[code]).unzip();
            Data::Spans(from, to)
        }
        Family::Checkbox => {
            let mut builder = CodedBuilder::new(crate::board::checkbox_entries(), false);
            let by_code: Vec<u32> =
                all.map(|held| if held.iter().any(|v| v.as_bool() == Some(true)) { 1 } else { 2 }).collect();
            rows.for_each(|code| builder.push(by_code[code]));
            Data::Coded(builder.finish())
        }
        Family::Label | Family::Tags | Family::People => {
            let labels = if family == Family::Label { labels_of(source) } else { Vec::new() };
            let mut builder = CodedBuilder::new(labels, true);
            let by_code: Vec<u32> = all.map(|held| set(&mut builder, family, &held, members)).collect();
            rows.for_each(|code| builder.push(by_code[code]));
            Data::Coded(builder.finish())
        }
        Family::Links | Family::Files | Family::Opaque => return None,
    })
}

fn span(held: &[&Value]) -> (i32, i32) {
    let day = |value: &Value, part: &str| dates::parse(value.as_str().or_else(|| value[part].as_str())?);
    let first = held.iter().filter_map(|v| day(v, "from")).min();
    let last = held.iter().filter_map(|v| day(v, "to")).max();
    first.zip(last).unwrap_or((NO_DAY, NO_DAY))
}

/// The code of all entries that several cells hold.
fn set(builder: &mut CodedBuilder, family: Family, held: &[&Value], members: &HashMap<&str, &str>) -> u32 {
    let one = |value: &Value| value.as_str().map(str::to_owned);
    let several = |value: &Value| value.as_array().into_iter().flatten().filter_map(one).collect();
    let texts: Vec<String> = held.iter().flat_map(|v| one(v).map_or_else(|| several(v), |text| vec![text])).collect();
    match family {
        Family::Tags => {
            let keys: Vec<String> = texts.iter().map(|tag| fold_case(tag)).collect();
            let written =
                |key: &str| texts.iter().find(|tag| fold_case(tag) == key).map_or(key, String::as_str).to_owned();
            builder.set(&keys, |key| Entry::named("", &written(key)))
        }
        _ => builder.set(&texts, |id| Entry::named(id, members.get(id).copied().unwrap_or(id))),
    }
}
