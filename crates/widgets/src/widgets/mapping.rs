//! Which columns of each board play which part in a widget: the chosen ones, and those that are found.

use crate::board::{Board, Column};
use crate::meaning::has_word;
use serde::Serialize;
use std::collections::BTreeMap;

/// Types of columns that hold numbers.
pub(super) const NUMBER_TYPES: &[&str] = &["number", "currency", "rating", "progress"];

/// A part that a column of each board plays in a widget.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Role {
    /// Its name in a configuration's `cols`.
    pub name: &'static str,
    /// What it is for, which only the server tells.
    #[serde(skip)]
    pub about: &'static str,
    /// Types of columns that can play it.
    pub types: &'static [&'static str],
    /// Whether a board without such a column contributes nothing.
    pub required: bool,
    /// Words in the titles of columns that most often play it.
    #[serde(skip)]
    pub called: &'static [&'static str],
    /// Types whose columns play it without being called so, the likeliest first.
    #[serde(skip)]
    pub likely: &'static [&'static str],
    /// Words in the titles of columns that play it where no column is of a likely type.
    #[serde(skip)]
    pub called_else: &'static [&'static str],
    /// The same, of columns that never play it where none is chosen.
    #[serde(skip)]
    pub never: &'static [&'static [&'static str]],
    /// Whether all columns of a board play it where none is chosen.
    #[serde(skip)]
    pub all: bool,
}

/// Whether a title has these words, separated by spaces, in any order.
fn has_words(title: &str, words: &str) -> bool {
    words.split(' ').all(|word| has_word(title, |w| w == word))
}

impl Role {
    pub(super) const fn new(
        name: &'static str,
        about: &'static str,
        types: &'static [&'static str],
        required: bool,
    ) -> Role {
        let about = if cfg!(target_arch = "wasm32") { "" } else { about };
        Role { name, about, types, required, called: &[], likely: types, called_else: &[], never: &[], all: false }
    }
    fn is_never(&self, column: &Column) -> bool {
        self.never.iter().copied().flatten().any(|words| has_words(&column.title_folded, words))
    }
    fn fitting<'a>(&'a self, board: &'a Board) -> impl Iterator<Item = &'a Column> {
        board.columns.iter().filter(|column| self.types.contains(&column.type_name.as_str()) && !self.is_never(column))
    }
    /// The first column of a board that is called by one of these words, the first of them first.
    fn called<'a>(&'a self, words: &[&str], board: &'a Board) -> Option<&'a Column> {
        words.iter().find_map(|word| self.fitting(board).find(|c| has_words(&c.title_folded, word)))
    }
}

/// Column ids by role and board id. A board that is not named has its column found for it; one with none named has none.
pub type Cols = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// The places of a board's columns that the configuration names for each role, those of a type that can play it.
pub(super) fn columns(roles: &[Role], cols: &Cols, board: &Board) -> Vec<(&'static str, Vec<usize>)> {
    let of_role = |role: &Role| {
        let ids = cols.get(role.name).and_then(|by_board| by_board.get(&board.id)).map_or(&[][..], Vec::as_slice);
        let place = |id: &String| board.columns.iter().position(|column| column.id == *id);
        let fits = |place: &usize| role.types.contains(&board.columns[*place].type_name.as_str());
        (role.name, ids.iter().filter_map(place).filter(fits).collect::<Vec<_>>())
    };
    roles.iter().map(of_role).filter(|(_, places)| !places.is_empty()).collect()
}

/// The columns that a widget's roles get on boards that are not named for them yet: by the title of the column that plays the
/// role on another board; else one that is called as such columns mostly are; else the board's only column of a likely type;
/// else one that is called as some are. Where nothing says which, the first column of the likeliest type is taken, but for roles
/// that have words of their own.
pub(crate) fn auto_map(roles: &[Role], cols: &Cols, boards: &[&Board]) -> Cols {
    let mut mapped = cols.clone();
    for role in roles {
        let by_board = mapped.entry(role.name.to_owned()).or_default();
        let open: Vec<&Board> = boards.iter().copied().filter(|board| !by_board.contains_key(&board.id)).collect();
        if role.all {
            by_board
                .extend(open.iter().map(|b| (b.id.clone(), role.fitting(b).map(|column| column.id.clone()).collect())));
            continue;
        }
        let chosen = boards.iter().find_map(|board| by_board.get(&board.id)?.iter().find_map(|id| board.column(id)));
        // A board without items has nothing to show of its columns.
        let filled: Vec<&Board> = open.iter().copied().filter(|board| board.rows > 0).collect();
        let Some(example) = chosen.or_else(|| example(role, &filled)).or_else(|| example(role, &open)) else {
            continue;
        };
        for board in open {
            let of_type = || role.fitting(board).filter(|column| column.type_name == example.type_name);
            let same = |column: &&Column| column.title_folded == example.title_folded;
            let only = || match role.likely.contains(&example.type_name.as_str()) && of_type().count() == 1 {
                true => of_type().next(),
                false => None,
            };
            let titled = of_type().find(same).or_else(|| role.fitting(board).find(same));
            if let Some(column) = titled
                .or_else(|| role.called(role.called, board))
                .or_else(only)
                .or_else(|| role.called(role.called_else, board))
            {
                by_board.insert(board.id.clone(), vec![column.id.clone()]);
            }
        }
    }
    mapped.retain(|_, by_board| !by_board.is_empty());
    mapped
}

/// The column that those of other boards are matched with, where none is chosen.
fn example<'a>(role: &'a Role, boards: &[&'a Board]) -> Option<&'a Column> {
    let of = |board: &'a Board, name: &'static str| role.fitting(board).filter(move |c| c.type_name == name);
    let likely = |name: &&'static str| {
        let only = boards.iter().copied().find(|board| of(board, name).count() == 1);
        let any = boards.iter().copied().find(|board| role.called.is_empty() && of(board, name).next().is_some());
        of(only.or(any)?, name).next()
    };
    let called = |words: &[&str]| boards.iter().find_map(|board| role.called(words, board));
    called(role.called).or_else(|| role.likely.iter().find_map(likely)).or_else(|| called(role.called_else))
}

/// A board that contributes, by its place among the loaded ones, and the places of its columns by role.
pub(super) struct Mapped {
    pub(super) board: usize,
    pub(super) columns: Vec<(&'static str, Vec<usize>)>,
}
