//! Cells derived from other data: names and mirrored cells of linked items, and when and by whom an item was created
//! and changed.

use super::rows::{Shown, Table};
use crate::actor::name_of_kind;
use crate::cells::Column;
use crate::links::{self, Linked};
use crate::{board, named, scan};
use column_types::ColumnType;
use kit::error::Result;
use std::collections::HashMap;
use store::Tx;

/// Data of linked boards that the rows need.
#[derive(Default)]
pub(super) struct Derived {
    pub(super) linked: Vec<Linked>,
    /// Members that cells, linked cells and records name.
    pub(super) members: std::collections::BTreeSet<String>,
    /// Names of linked items by id, by the place of the column.
    names: HashMap<usize, HashMap<String, String>>,
    mirrors: Vec<Mirror>,
    /// Columns that show a part of the record.
    of_record: Vec<(usize, ColumnType)>,
}

/// A column that mirrors another.
struct Mirror {
    at: usize,
    /// The place of the column whose links it follows.
    link: usize,
    source: Column,
    /// Each linked item's value, as a member of a record's cells.
    cells: HashMap<String, String>,
}

impl Derived {
    pub(super) fn read(tx: &mut Tx<'_>, account: &str, board_id: &str, columns: &[Column]) -> Result<Derived> {
        let named = named::named_on(tx, account, board_id, columns)?;
        let (linked, _) = links::linked(tx, account, columns, &named.items)?;
        let mut derived = Derived { members: named.members, ..Derived::default() };
        derived.members.extend(links::members(&linked));
        for (at, column) in columns.iter().enumerate() {
            match column.kind {
                Some(ColumnType::ItemLink | ColumnType::Sprint) => {
                    let there = linked.iter().find(|linked| Some(linked.board_id.as_str()) == column.links_to());
                    let items = there.into_iter().flat_map(|linked| &linked.items);
                    let names = items.map(|item| (item.id.clone(), item.name.clone()));
                    derived.names.insert(at, names.collect());
                }
                Some(ColumnType::Mirror) => derived.mirrors.extend(mirror(tx, account, columns, at, &linked)?),
                Some(kind) if kind.is_derived() && kind != ColumnType::Formula => derived.of_record.push((at, kind)),
                _ => {}
            }
        }
        derived.linked = linked;
        Ok(derived)
    }

    /// The column that the one at a place mirrors.
    pub(super) fn source(&self, at: usize) -> Option<&Column> {
        self.mirrors.iter().find(|mirror| mirror.at == at).map(|mirror| &mirror.source)
    }

    /// The names of linked items that are still there.
    pub(super) fn names(&self, at: usize, list: &str) -> Option<Shown> {
        let ids: Vec<String> = serde_json::from_str(list).ok()?;
        let names: Vec<&str> = ids.iter().filter_map(|id| Some(self.names.get(&at)?.get(id)?.as_str())).collect();
        Some(if names.is_empty() { Shown::Nothing } else { Shown::Text(names.join(", ")) })
    }

    /// Whether rows have no derived cells.
    pub(super) fn is_empty(&self) -> bool {
        self.mirrors.is_empty() && self.of_record.is_empty()
    }

    /// Adds the values of columns without stored cells.
    pub(super) fn add(&self, table: &Table, record: &scan::Record<'_>, shown: &mut [Shown]) -> Option<()> {
        for (at, kind) in &self.of_record {
            let by = |by: Option<&str>| {
                let by = by.unwrap_or("owner");
                Shown::Text(table.people.findable(by).map_or_else(|| name_of_kind(by).to_owned(), str::to_owned))
            };
            shown[*at] = match kind {
                ColumnType::CreatedAt => Shown::Text(record.created_at.to_owned()),
                ColumnType::UpdatedAt => Shown::Text(record.updated_at.to_owned()),
                ColumnType::CreatedBy => by(record.created_by),
                _ => by(record.updated_by),
            };
        }
        if self.mirrors.is_empty() {
            return Some(());
        }
        let mut lists = vec![None; table.columns.len()];
        let by_number = &table.by_number;
        scan::members(record.cells, |number, raw| {
            if let (Some(at), scan::Raw::List(list)) = (by_number.get(number).copied().flatten(), raw) {
                lists[at] = Some(list);
            }
            Some(())
        })?;
        for mirror in &self.mirrors {
            let Some(list) = lists[mirror.link] else { continue };
            let ids: Vec<String> = serde_json::from_str(list).ok()?;
            let mut all = Vec::new();
            for cell in ids.iter().filter_map(|id| mirror.cells.get(id)) {
                scan::members(cell, |_, raw| {
                    all.push(table.shown(mirror.at, &mirror.source, raw)?);
                    Some(())
                })?;
            }
            shown[mirror.at] = together(all);
        }
        Some(())
    }
}

/// A mirror whose link and source are still there.
fn mirror(tx: &mut Tx<'_>, account: &str, columns: &[Column], at: usize, linked: &[Linked]) -> Result<Option<Mirror>> {
    let settings = &columns[at].settings;
    let link = columns.iter().position(|column| Some(&column.id) == settings.link_column.as_ref());
    let there =
        link.and_then(|link| linked.iter().find(|linked| Some(linked.board_id.as_str()) == columns[link].links_to()));
    let (Some(link), Some(there)) = (link, there) else { return Ok(None) };
    let of_target = board::columns(tx, account, &there.board_id)?;
    let Some(source) = of_target.into_iter().find(|c| Some(&c.id) == settings.source_column.as_ref()) else {
        return Ok(None);
    };
    let cell = |value: &serde_json::Value| format!("{{\"{}\":{value}}}", source.id);
    let cells = there.items.iter().filter_map(|item| Some((item.id.clone(), cell(item.cells.get(&source.id)?))));
    Ok(Some(Mirror { at, link, cells: cells.collect(), source }))
}

/// Combines the values of several linked items in one cell: numbers are summed, others joined.
fn together(mut all: Vec<Shown>) -> Shown {
    if all.len() == 1 {
        return all.remove(0);
    }
    let numbers: Option<Vec<f64>> =
        all.iter().map(|s| if let Shown::Number(n) = s { Some(*n) } else { None }).collect();
    if all.is_empty() {
        return Shown::Nothing;
    }
    if let Some(numbers) = numbers {
        let sum: f64 = numbers.iter().sum();
        // Beyond what a number holds there is none to write.
        return if sum.is_finite() { Shown::Number(sum) } else { Shown::Nothing };
    }
    if all.iter().all(|shown| matches!(shown, Shown::Truth(_))) {
        return Shown::Truth(all.contains(&Shown::Truth(true)));
    }
    let texts: Vec<String> = all
        .into_iter()
        .filter_map(|s| match s {
            Shown::Text(text) | Shown::Date(text) => Some(text),
            _ => None,
        })
        .collect();
    Shown::Text(texts.join(", "))
}
