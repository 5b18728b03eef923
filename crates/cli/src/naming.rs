//! Names for the ids in an answer, for people: cells stand under ids of columns, labels and members, so the board and its
//! members are read too. Scripts get the answer as it was sent, and nothing more is read.

use crate::cells;
use crate::lists;
use crate::transport::Transport;
use serde_json::{Map, Value};

/// Replaces ids in an answer about some boards by names.
pub(crate) struct Namer<'a> {
    transport: &'a dyn Transport,
    boards: Vec<String>,
    /// IDs or titles of the columns that were asked for, in their order; empty for all in the board's order.
    asked: Vec<String>,
}

impl<'a> Namer<'a> {
    /// The boards that an operation's input names, each once.
    fn boards(input: &Map<String, Value>) -> Vec<String> {
        let many = input.get("boardIds").and_then(Value::as_array).into_iter().flatten();
        let mut boards: Vec<String> = Vec::new();
        for id in input.get("boardId").into_iter().chain(many).filter_map(Value::as_str) {
            if !boards.iter().any(|board| board == id) {
                boards.push(id.to_owned());
            }
        }
        boards
    }

    /// For the answer to this input.
    pub(crate) fn new(transport: &'a dyn Transport, input: &Map<String, Value>) -> Self {
        let asked = input.get("columns").and_then(Value::as_array).into_iter().flatten();
        let asked = asked.filter_map(|name| name.as_str().map(str::to_lowercase)).collect();
        Namer { transport, boards: Namer::boards(input), asked }
    }

    /// Puts names where an answer has identifiers. What cannot be read stays as it is: the answer itself is there.
    pub(crate) fn replace_ids(&self, answer: &mut Value) {
        if self.boards.is_empty() || answer.get("columns").is_some() {
            return;
        }
        if answer["items"].as_array().is_some_and(|rows| rows.iter().any(|row| row["changeId"].is_string())) {
            return self.name_changes(answer);
        }
        let is_list = answer["items"].is_array();
        let rows = || answer["items"].as_array().map_or(std::slice::from_ref(&*answer), Vec::as_slice);
        let with_cells = rows().iter().any(|row| row["cells"].as_object().is_some_and(|cells| !cells.is_empty()));
        let with_mentions = rows().iter().any(|row| row["mentions"].as_array().is_some_and(|ids| !ids.is_empty()));
        let columns = if with_cells { self.columns() } else { Vec::new() };
        let with_people = columns.iter().any(|column| column["type"] == "people");
        let members = if with_mentions || with_people { self.members() } else { Vec::new() };
        if with_mentions {
            let rows = if is_list { answer["items"].as_array_mut() } else { None };
            match rows {
                Some(rows) => rows.iter_mut().for_each(|row| cells::mention(row, &members)),
                None => cells::mention(answer, &members),
            }
        }
        if !with_cells || columns.is_empty() {
            return;
        }
        if is_list {
            answer["columns"] = columns.into();
            answer["members"] = members.into();
        } else {
            answer["cells"] = cells::texts(&answer["cells"], &columns, &members);
        }
    }

    /// Puts titles and names into the changes of an item.
    fn name_changes(&self, answer: &mut Value) {
        let Some(board) = self.boards.first().and_then(|id| self.board(id)) else { return };
        let list = |name: &str| board[name].as_array().cloned().unwrap_or_default();
        let (columns, groups) = (list("columns"), list("groups"));
        let rows = || answer["items"].as_array().into_iter().flatten();
        let is_of_people = |row: &Value| columns.iter().any(|c| c["id"] == row["field"] && c["type"] == "people");
        let members = if rows().any(is_of_people) { self.members() } else { Vec::new() };
        let rows = answer["items"].as_array_mut().into_iter().flatten();
        rows.for_each(|row| cells::name_change(row, &columns, &groups, &members));
    }

    /// The columns of the boards, each with its board.
    fn columns(&self) -> Vec<Value> {
        let columns = |id: &String| {
            let board = self.board(id)?;
            let mut columns = board["columns"].as_array()?.clone();
            columns.iter_mut().for_each(|column| column["boardId"] = id.as_str().into());
            columns.sort_by_key(|column| self.place(column));
            Some(columns)
        };
        self.boards.iter().filter_map(columns).flatten().collect()
    }

    /// Where a column was asked for; those that weren't are last.
    fn place(&self, column: &Value) -> usize {
        let is_it = |name: &String| {
            ["id", "title"]
                .iter()
                .any(|member| column[*member].as_str().is_some_and(|text| text.to_lowercase() == *name))
        };
        self.asked.iter().position(is_it).unwrap_or(usize::MAX)
    }

    fn members(&self) -> Vec<Value> {
        lists::read(self.transport, "members.list", "/members", &Map::new()).items
    }

    fn board(&self, id: &str) -> Option<Value> {
        let input = Map::from_iter([("boardId".to_owned(), id.into())]);
        lists::get(self.transport, "boards.get", "/boards/{boardId}", &input)
    }
}
