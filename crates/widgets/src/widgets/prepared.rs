//! Widgets as far as no item has to be looked at: made once for many queries.

use super::answer::{Coverage, Fixed, Skipped, State};
use super::kind::Widget;
use super::mapping::{Cols, Mapped, NUMBER_TYPES, Role, auto_map, columns};
use super::sprints::SPRINT;
use super::{kind_of, present};
use crate::board::Board;
use crate::column::{Data, NO_DAY};
use crate::query::{Query, RuleOrGroup};
use crate::reading::read_as;
use serde::Deserialize;
use serde_json::{Value, json};
use std::any::Any;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// The members that every configuration has.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Common {
    /// Only these of the dashboard's boards.
    #[serde(default)]
    boards: Option<Vec<String>>,
    #[serde(default)]
    cols: Cols,
    /// The widget's own rules, beside the shared ones.
    #[serde(default)]
    rules: Vec<RuleOrGroup>,
    /// Takes subitems for items. Left out, it does where sprints are made of subitems alone.
    #[serde(default)]
    include_subitems: Option<bool>,
}

/// A widget as far as no item has to be looked at, with the boards that are loaded: made once for many queries.
pub(crate) struct Prepared {
    pub fixed: Arc<Fixed>,
    /// What is known of it beforehand.
    pub(super) coverage: Coverage,
    /// Or why there is nothing to compute.
    pub(super) ready: Result<Ready, State>,
}

/// What there is to compute.
pub(super) struct Ready {
    pub(super) widget: Box<dyn Widget>,
    /// Which widgets are computed first: what adds up numbers also counts items, which others can read off.
    pub(super) turn: (bool, u8),
    pub(super) parts: &'static [(&'static str, &'static [&'static str])],
    pub(super) rules: Vec<RuleOrGroup>,
    pub(super) include_subitems: bool,
    /// The boards that the widget is connected to, by their places among the loaded ones.
    pub(super) boards: Vec<usize>,
    /// Those that contribute.
    pub(super) mapped: Vec<Mapped>,
    /// How many items these have.
    pub(super) items: u64,
    /// Where none does: the roles for which columns are missing.
    pub(super) unmapped: Option<State>,
    /// What the kind keeps of it.
    pub(super) model: OnceLock<Arc<dyn Any + Send + Sync>>,
}

impl Prepared {
    /// Reads a configuration; `boards` are those of the query that are loaded.
    pub fn new(config: &Value, query: &Query, boards: &[&Board]) -> Prepared {
        let text = |name: &str| config.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut fixed = Fixed { id: text("id"), kind: text("kind"), ..Fixed::default() };
        let mut coverage = Coverage::default();
        let ready = Ready::new(config, query, boards, &mut fixed, &mut coverage);
        Prepared { fixed: Arc::new(fixed), coverage, ready }
    }
}

impl Ready {
    fn new(
        config: &Value,
        query: &Query,
        loaded: &[&Board],
        fixed: &mut Fixed,
        coverage: &mut Coverage,
    ) -> Result<Ready, State> {
        let mut config = present(config, &mut fixed.settings);
        let mut common: Common = read_as(&config).map_err(wrong)?;
        let kind = kind_of(&config).map_err(wrong)?;
        let widget = (kind.read)(&config).map_err(wrong)?;
        if !kind.reads_boards() {
            return Ok(Ready {
                widget,
                turn: (false, kind.keys),
                parts: kind.parts,
                rules: Vec::new(),
                include_subitems: false,
                boards: Vec::new(),
                mapped: Vec::new(),
                items: 0,
                unmapped: None,
                model: OnceLock::new(),
            });
        }
        fixed.roles = widget.roles();
        let mut wanted: Vec<&String> = Vec::new();
        for id in query.boards.iter().filter(|id| common.boards.as_ref().is_none_or(|only| only.contains(id))) {
            if !wanted.contains(&id) {
                wanted.push(id);
            }
        }
        coverage.boards_total = wanted.len();
        let connected = connected_of(&wanted, query, loaded, coverage)?;
        let boards: Vec<&Board> = connected.iter().map(|at| loaded[*at]).collect();
        // What is stored of boards that left says nothing of those that stay.
        common.cols.values_mut().for_each(|by_board| by_board.retain(|id, _| wanted.contains(&id)));
        config["cols"] = json!(auto_map(&fixed.roles, &common.cols, &boards));
        // Which roles there are may depend on which of them have columns.
        let widget = (kind.read)(&config).map_err(wrong)?;
        fixed.roles = widget.roles();
        let named: Cols = read_as(&config["cols"]).map_err(wrong)?;

        let (mut mapped, mut unmapped, mut found) = (Vec::<Mapped>::new(), Vec::new(), BTreeSet::new());
        for at in &connected {
            let board = loaded[*at];
            let columns = columns(&fixed.roles, &named, board);
            for (role, places) in &columns {
                let ids = places.iter().map(|place| board.columns[*place].id.clone()).collect();
                fixed.cols.entry((*role).to_owned()).or_default().insert(board.id.clone(), ids);
                found.insert(*role);
            }
            let has = |role: &Role| columns.iter().any(|(name, _)| *name == role.name);
            if fixed.roles.iter().any(|role| role.required && !has(role)) {
                unmapped.push(board.id.clone());
                continue;
            }
            mapped.push(Mapped { board: *at, columns });
        }
        coverage.boards_used = mapped.len();
        if !unmapped.is_empty() {
            coverage.skipped_why.push(Skipped { reason: "unmapped", items: None, boards: unmapped });
        }
        let unmapped = mapped.is_empty().then(|| {
            let required: Vec<&'static str> = fixed.roles.iter().filter(|r| r.required).map(|r| r.name).collect();
            let nowhere: Vec<&'static str> = required.iter().copied().filter(|name| !found.contains(name)).collect();
            State::Unmapped { roles: if nowhere.is_empty() { required } else { nowhere } }
        });
        let adds_up = fixed.roles.iter().any(|role| role.types == NUMBER_TYPES && found.contains(role.name));
        let rules = common.rules;
        let only_subitems = || sprints_of_subitems(mapped.iter().map(|mapped| (loaded[mapped.board], mapped)));
        let include_subitems = common.include_subitems.unwrap_or_else(only_subitems);
        let items_of = |board: &Board| if include_subitems { board.rows } else { board.items() };
        let items = mapped.iter().map(|mapped| items_of(loaded[mapped.board]) as u64).sum();
        Ok(Ready {
            widget,
            turn: (adds_up, kind.keys),
            parts: kind.parts,
            rules,
            include_subitems,
            boards: connected,
            mapped,
            items,
            unmapped,
            model: OnceLock::new(),
        })
    }
}

/// Positions among the loaded boards of those that a widget is connected to; or its state while one is missing or all failed.
fn connected_of(
    wanted: &[&String],
    query: &Query,
    loaded: &[&Board],
    coverage: &mut Coverage,
) -> Result<Vec<usize>, State> {
    if wanted.is_empty() {
        return Err(State::NoBoards);
    }
    let (failed, rest): (Vec<&String>, Vec<&String>) = wanted.iter().partition(|id| query.failed.contains(id));
    let copy = |ids: &[&String]| ids.iter().map(|id| (*id).clone()).collect::<Vec<_>>();
    let missing: Vec<&String> = rest.iter().copied().filter(|id| !loaded.iter().any(|b| b.id == **id)).collect();
    if !missing.is_empty() {
        return Err(State::Loading { boards: copy(&missing) });
    }
    if rest.is_empty() {
        return Err(State::Error { boards: copy(&failed), message: None });
    }
    if !failed.is_empty() {
        coverage.skipped_why.push(Skipped { reason: "failed", items: None, boards: copy(&failed) });
    }
    Ok((0..loaded.len()).filter(|at| rest.contains(&&loaded[*at].id)).collect())
}

/// Whether subitems name sprints and no item does, as where a file had its epics as parents of what sprints are made of.
fn sprints_of_subitems<'a>(boards: impl Iterator<Item = (&'a Board, &'a Mapped)>) -> bool {
    let mut is_any = false;
    for (board, mapped) in boards {
        let place = mapped.columns.iter().find(|(role, _)| *role == SPRINT.name).and_then(|(_, places)| places.first());
        let Some(data) = place.map(|place| &board.columns[*place].data) else { continue };
        let is_named = |row: usize| match data {
            Data::Coded(coded) => coded.codes.get(row) != 0,
            Data::Text(texts) => !texts.get(row).trim().is_empty(),
            Data::Spans(from, _) => from[row] != NO_DAY,
            _ => false,
        };
        for row in (0..board.rows).filter(|row| is_named(*row)) {
            if !board.is_subitem(row) {
                return false;
            }
            is_any = true;
        }
    }
    is_any
}

fn wrong(message: String) -> State {
    State::Error { boards: Vec::new(), message: Some(message) }
}
