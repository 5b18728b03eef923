//! Validates a view's filter and its references. References that a view of the board already had are accepted, so a
//! filter with former members or deleted parts can still be changed and duplicated.

use super::Edit;
use crate::directory;
use crate::fault;
use crate::query::{self, Asked};
use crate::tables;
use crate::{board, ids};
use kit::Ctx;
use kit::error::{Result, invalid};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use store::Tx;
use widgets::{ColRef, Filters, RuleOrGroup};

const AT: &str = "/settings/filter";

/// References of a filter that the account or the view's board doesn't have.
#[derive(Default)]
pub(super) struct Unknown {
    /// Whether the pages' engine could not read it at all.
    is_no_filter: bool,
    members: BTreeSet<String>,
    columns: BTreeSet<String>,
    boards: BTreeSet<String>,
}

/// Finds unknown references of a filter. A former member is known while an item holds the ID.
pub(super) async fn unknown_in(
    ctx: &Ctx,
    account: &str,
    board_id: &str,
    filter: Option<&Map<String, Value>>,
) -> Result<Unknown> {
    let Some(filter) = filter else { return Ok(Unknown::default()) };
    let read = serde_json::from_value::<Filters>(Value::Object(filter.clone())).ok().filter(|read| read.v <= 1);
    let Some(filters) = read else { return Ok(Unknown { is_no_filter: true, ..Unknown::default() }) };
    let asked = query::asked(ctx, account, &[board_id.to_owned()]).await?.remove(0);
    let mut unknown = Unknown::default();
    unknown.members.extend(filters.people.into_iter().flat_map(|people| people.ids));
    for rule in filters.all.iter().flat_map(RuleOrGroup::rules) {
        if is_about_people(&rule.col, &asked) {
            unknown.members.extend(query::people_in(&rule.value).map(str::to_owned));
        }
        let ColRef::Ids { ids } = &rule.col else { continue };
        unknown.boards.extend(ids.keys().filter(|id| *id != board_id).cloned());
        let columns = ids.get(board_id).into_iter().flatten();
        unknown.columns.extend(columns.filter(|id| !asked.columns.iter().any(|column| column.id == **id)).cloned());
    }
    unknown.members.retain(|text| !query::STANDING_FOR.contains(&text.as_str()));
    if unknown.members.is_empty() {
        return Ok(unknown);
    }
    // By id alone: the page that reads this knows no names.
    let members = directory::called(ctx, account, unknown.members.iter().cloned().collect()).await?;
    unknown.members.retain(|text| members.get(text) != Some(text));
    if !unknown.members.is_empty() {
        let loaded = tables::load(ctx, account, board_id).await?;
        unknown.members.retain(|id| !loaded.table.has_member(id));
    }
    Ok(unknown)
}

fn is_about_people(col: &ColRef, asked: &Asked) -> bool {
    let is_people = |type_name: &str| widgets::family(type_name) == query::PEOPLE;
    match col {
        ColRef::Title { type_name, .. } => is_people(type_name),
        ColRef::Ids { ids } => {
            let ids = ids.get(&asked.id).into_iter().flatten();
            let mut columns = ids.filter_map(|id| asked.columns.iter().find(|column| column.id == *id));
            columns.any(|column| is_people(asked.type_of(column)))
        }
        ColRef::Builtin { .. } => false,
    }
}

impl Unknown {
    /// Rejects references that no view's filter had before.
    pub(super) fn refuse(self, tx: &mut Tx<'_>, edit: &Edit) -> Result<()> {
        if self.is_no_filter {
            let detail = "A view's filter is {\"v\": 1, \"people\": {\"ids\": […]} or null, \"all\": […]}, with rules as {\"id\", \"col\", \
                          \"op\", \"value\"} or {\"any\": […]}; their col is {\"by\": \"ids\", \"ids\": {BOARD: [COLUMN]}}, {\"by\": \
                          \"title\", \"title\", \"type\"} or {\"by\": \"builtin\", \"name\"}.";
            return Err(invalid(AT, fault::WRONG_TYPE, detail));
        }
        let mut stood = BTreeSet::new();
        let filters = edit.views.iter().filter_map(|view| view.settings.filter.as_ref());
        filters.flatten().for_each(|(_, value)| texts_in(value, &mut stood));
        let is_new = |text: &&String| !stood.contains(text.as_str());
        if self.members.iter().any(|text| is_new(&text)) {
            return Err(ids::unknown(fault::UNKNOWN_MEMBER, AT));
        }
        if let Some(column) = self.columns.iter().find(is_new) {
            return Err(ids::unknown_column(column, AT));
        }
        for board_id in self.boards.iter().filter(is_new) {
            board::named(tx, &edit.account, board_id, AT)?;
        }
        Ok(())
    }
}

/// All texts in a value, including names of members.
fn texts_in<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    match value {
        Value::String(text) => drop(found.insert(text)),
        Value::Array(values) => values.iter().for_each(|value| texts_in(value, found)),
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            found.insert(name);
            texts_in(value, found);
        }),
        _ => {}
    }
}
