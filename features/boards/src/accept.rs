//! Which values a column accepts for its cells, with ids in place of the names of labels and members.

use crate::attachments::{self, OfItem, Refused};
use crate::cell_names::CellNames;
use crate::cells::{Column, is_empty};
use crate::errors::{INVALID_CELL, READ_ONLY_COLUMN};
use crate::{fault, links};
use column_types::{
    ColumnType, ENTRIES_MAX, Label, NAME_CHARS_MAX, TEXT_CHARS_MAX, is_email, is_link, is_phone, name_fits,
};
use kit::Fault;
use kit::error::{FieldError, NAMED_NOT_FOUND, Result};
use serde_json::{Map, Value};
use store::Tx;
impl Column {
    /// Validates a value for this column and returns its stored form, with IDs for names of labels, members, and items.
    /// `None` clears the cell. `at` is the cell's item unless it's being created; `pointer` is the value's position in
    /// the request. Former members and deleted items are accepted if the cell already holds them.
    pub(crate) fn accept(
        &self,
        tx: &mut Tx<'_>,
        account: &str,
        at: Option<OfItem<'_>>,
        value: &Value,
        pointer: &str,
        names: &CellNames,
    ) -> Result<Option<Value>> {
        let Some(kind) = self.kind else {
            return Err(self.refuse(pointer, "no value, because its type is unknown to this version"));
        };
        if kind.is_derived() {
            let detail = format!("The column {} ({}, {}) is read-only.", self.title, self.id, kind.name());
            return Err(READ_ONLY_COLUMN.error(detail.clone()).at(pointer, READ_ONLY_COLUMN.fault(), detail));
        }
        if is_empty(value) {
            let fits = match value {
                Value::Array(_) => kind.holds_list(),
                Value::Object(_) => kind == ColumnType::Timeline,
                _ => true,
            };
            if fits {
                return Ok(None);
            }
            let takes =
                if kind == ColumnType::File { Some(attachments::takes()) } else { self.check(kind, value).err() };
            return Err(self.refuse(pointer, &format!("{}, or null to empty it", takes.unwrap_or_default())));
        }
        if kind == ColumnType::File {
            return match attachments::accept(tx, account, self, at, value)? {
                Ok(stored) => Ok(Some(stored)),
                Err(Refused::Value(accepted)) => Err(self.refuse(pointer, &accepted)),
                Err(Refused::Unknown(places)) => {
                    let places = places.iter().map(|index| format!("{pointer}/{index}/id"));
                    Err(self.unknown(fault::UNKNOWN_FILE, &attachments::takes(), places))
                }
            };
        }
        let listed = match kind {
            ColumnType::People => ids_in(value, |text| names.members.get(text)),
            kind if kind.is_link() => ids_in(value, |_| None),
            _ => None,
        };
        let is_single = value.is_string();
        let value = listed.as_ref().unwrap_or(value);
        let stored = self.check(kind, value).map_err(|accepted| self.refuse(pointer, &accepted))?;
        let held = at.and_then(|at| at.cells.get(&self.id)?.as_array());
        let named = value.as_array().into_iter().flatten().enumerate();
        let news: Vec<(usize, &Value)> = named.filter(|(_, id)| held.is_none_or(|held| !held.contains(id))).collect();
        let (code, takes, unknown) = match kind {
            ColumnType::People => {
                let is_member = |id: &Value| id.as_str().is_some_and(|id| names.members.contains_key(id));
                let strangers = news.iter().filter(|(_, id)| !is_member(id)).map(|(index, _)| *index).collect();
                (
                    fault::UNKNOWN_MEMBER,
                    "members of this account, by ID or unique name; one of these isn't a member",
                    strangers,
                )
            }
            kind if kind.is_link() => {
                let takes = "items on the linked board, by ID or unique name; one of these isn't on it";
                let others = links::unknown(tx, account, self, &news)?;
                if others.is_empty() {
                    return Ok(Some(stored));
                }
                let (mut found, mut unknown) = (value.clone(), Vec::new());
                for index in others {
                    match names.item(tx, account, self, value[index].as_str().unwrap_or_default())? {
                        Some(id) => found[index] = id.into(),
                        None => unknown.push(index),
                    }
                }
                if unknown.is_empty() {
                    return Ok(entries(&found, is_opaque));
                }
                (fault::UNKNOWN_ITEM, takes, unknown)
            }
            _ => return Ok(Some(stored)),
        };
        if unknown.is_empty() {
            return Ok(Some(stored));
        }
        let place = |index| if is_single { pointer.to_owned() } else { format!("{pointer}/{index}") };
        Err(self.unknown(code, takes, unknown.iter().map(place)))
    }

    /// Validates a cell's previous value for an undo. Former members and deleted items are accepted.
    pub(crate) fn accept_back(
        &self,
        tx: &mut Tx<'_>,
        account: &str,
        (board_id, item_id): (&str, &str),
        before: Option<&Value>,
        pointer: &str,
    ) -> Result<Option<Value>> {
        let before = before.unwrap_or(&Value::Null);
        let cells = Map::from_iter([(self.id.clone(), before.clone())]);
        self.accept(
            tx,
            account,
            Some(OfItem { board_id, item_id, cells: &cells }),
            before,
            pointer,
            &CellNames::default(),
        )
    }

    /// Error for a value that names an unknown label, member, or item.
    fn unknown(&self, code: Fault, takes: &str, places: impl Iterator<Item = String>) -> kit::Error {
        let detail = format!("The column {} ({}, {}) accepts {takes}.", self.title, self.id, self.type_name);
        let places = places.map(|pointer| FieldError { pointer, code, detail: detail.clone() });
        NAMED_NOT_FOUND.error(detail.clone()).at_all(places).with("columnId", self.id.clone())
    }

    fn check(&self, kind: ColumnType, value: &Value) -> std::result::Result<Value, String> {
        let same = |fits: bool, accepted: &str| if fits { Ok(value.clone()) } else { Err(accepted.to_owned()) };
        let text = value.as_str().unwrap_or_default();
        match kind {
            ColumnType::Text | ColumnType::LongText => {
                let fits = value.is_string()
                    && text.chars().take(TEXT_CHARS_MAX + 1).count() <= TEXT_CHARS_MAX
                    && !text.contains(kit::text::is_steering);
                let takes = || format!("text of up to {TEXT_CHARS_MAX} characters without control characters");
                if fits { Ok(value.clone()) } else { Err(takes()) }
            }
            ColumnType::Number => same(value.as_f64().is_some_and(f64::is_finite), "a number"),
            ColumnType::Status | ColumnType::Dropdown => {
                let labels = self.settings.labels.as_deref().unwrap_or_default();
                let called: Vec<&Label> = labels.iter().filter(|label| label.text == text).collect();
                let only = if let [label] = called[..] { Some(label) } else { None };
                if let Some(label) = labels.iter().find(|label| label.id == text).or(only).filter(|_| value.is_string())
                {
                    return Ok(label.id.as_str().into());
                }
                let known: Vec<_> = labels.iter().take(20).map(|l| format!("{} ({})", l.id, l.text)).collect();
                Err(format!("the ID or unique name of one of its labels: {}", known.join(", ")))
            }
            ColumnType::Tags => entries(value, name_fits).ok_or_else(|| {
                format!("a list of up to {ENTRIES_MAX} texts of 1 to {NAME_CHARS_MAX} characters, such as [\"urgent\"]")
            }),
            ColumnType::People => entries(value, is_opaque).ok_or_else(|| {
                format!("a list of up to {ENTRIES_MAX} members, by ID or unique name, such as [\"Ana\"]")
            }),
            ColumnType::ItemLink | ColumnType::Sprint if self.holds_many() => {
                entries(value, is_opaque).ok_or_else(|| {
                    format!("a list of up to {ENTRIES_MAX} items, by ID or unique name, such as [\"Sprint 1\"]")
                })
            }
            ColumnType::ItemLink | ColumnType::Sprint => entries(value, is_opaque)
                .filter(|ids| ids.as_array().is_some_and(|ids| ids.len() == 1))
                .ok_or_else(|| "one item, by ID or unique name, such as \"Sprint 1\"".to_owned()),
            ColumnType::Date => same(is_day(text), "a date, such as 2026-03-01"),
            ColumnType::Timeline => {
                same(is_span(value), "{\"from\": a date, \"to\": a date}, such as 2026-03-01, with from not after to")
            }
            ColumnType::Checkbox => same(value.is_boolean(), "true or false"),
            ColumnType::Link => {
                same(is_link(text), "a URL that starts with http://, https://, or mailto:, up to 2,048 characters")
            }
            ColumnType::Email => same(is_email(text), "an email address"),
            ColumnType::Phone => same(is_phone(text), "a phone number"),
            ColumnType::Rating => {
                let max = self.settings.max.unwrap_or(5);
                let fits = value.as_i64().is_some_and(|n| (0..=max).contains(&n));
                if fits { Ok(value.clone()) } else { Err(format!("a whole number from 0 to {max}")) }
            }
            ColumnType::Formula | ColumnType::File => Err("no value".to_owned()),
            ColumnType::Progress => {
                same(value.as_f64().is_some_and(|n| (0.0..=100.0).contains(&n)), "a number from 0 to 100")
            }
            ColumnType::CreatedAt
            | ColumnType::CreatedBy
            | ColumnType::UpdatedAt
            | ColumnType::UpdatedBy
            | ColumnType::Mirror => Err("nothing".to_owned()),
        }
    }

    fn refuse(&self, pointer: &str, accepted: &str) -> kit::Error {
        let detail = format!("The column {} ({}, {}) accepts {accepted}.", self.title, self.id, self.type_name);
        INVALID_CELL.error(detail.clone()).at(pointer, INVALID_CELL.fault(), detail).with("columnId", self.id.clone())
    }
}

/// The list with ids in the place of names, of a single text a list of one; `None` where it is neither.
fn ids_in<'a>(value: &Value, id_of: impl Fn(&str) -> Option<&'a String>) -> Option<Value> {
    let entries = if value.is_string() { std::slice::from_ref(value) } else { value.as_array()? };
    let named = |entry: &Value| entry.as_str().and_then(&id_of).map(|id| id.as_str().into());
    Some(entries.iter().map(|entry| named(entry).unwrap_or_else(|| entry.clone())).collect())
}

/// An identifier has no form: whether it is of anything is looked up.
fn is_opaque(_: &str) -> bool {
    true
}

/// The list with repeated entries left out; `None` where it is not a list of texts that fit.
fn entries(value: &Value, fits: impl Fn(&str) -> bool) -> Option<Value> {
    let list = value.as_array().filter(|list| list.len() <= ENTRIES_MAX)?;
    let mut kept: Vec<Value> = Vec::with_capacity(list.len());
    for entry in list {
        if !fits(entry.as_str()?) {
            return None;
        }
        if !kept.contains(entry) {
            kept.push(entry.clone());
        }
    }
    Some(Value::Array(kept))
}

/// Whether it is a day of the years that calendars here can hold; the year 0000 is none.
fn is_day(text: &str) -> bool {
    column_types::dates::parse_iso(text).is_some() && !text.starts_with("0000")
}

/// Whether the value is a date range without other fields.
fn is_span(value: &Value) -> bool {
    let Some(members) = value.as_object() else { return false };
    let day = |name| members.get(name).and_then(Value::as_str).filter(|text| is_day(text));
    // Days written alike are in the order of their texts.
    members.len() == 2 && day("from").zip(day("to")).is_some_and(|(from, to)| from <= to)
}
