//! Operations as commands: the words of each, and what its members are called on the command line.

use crate::argument_names::{ArgumentNames, long_of};
use crate::members::{self, Kind};
use crate::options::text;
use crate::override_table;
use crate::overrides::Override;
use crate::text::{clean, kebab};
use crate::transport::plain;
use clap::ArgMatches;
use kit::op::Takes;
use kit::{Kind as Caller, Method, Op};
use serde_json::{Map, Value};

/// One command and the operation behind it.
pub(crate) struct Entry<'a> {
    /// `["settings", "get"]`.
    pub words: Vec<String>,
    pub op: &'a Op,
    pub overrides: Option<&'static Override>,
}

impl Entry<'_> {
    /// Whether the member is an argument without an option.
    pub(crate) fn is_positional(&self, member: &str) -> bool {
        let promoted = self.overrides.is_some_and(|overrides| overrides.promote.contains(&member));
        promoted || self.op.path_params().any(|param| param == member)
    }

    /// The member that may stand last without its option.
    pub(crate) fn last(&self) -> &'static str {
        self.overrides.map_or("", |overrides| overrides.last)
    }
    /// What the members of this input are called on the command line.
    pub(crate) fn argument_names(&self, input: &Map<String, Value>, matches: &ArgMatches) -> ArgumentNames {
        let mut names = ArgumentNames::default();
        let in_one_piece = text(matches, "input").is_some();
        // A secret is no argument, so no place is one of it.
        for member in members::list(self.op).into_iter().filter(|member| member.kind != Kind::Secret) {
            let name = member.name;
            let is_given = |place: &str| matches.try_contains_id(&format!("{place}:{name}")).unwrap_or(false);
            let is_derived = self.overrides.is_none_or(|overrides| overrides.custom.is_none());
            let word = match (is_given("path") || is_derived && self.is_positional(&name), is_given("in")) {
                (true, _) => name.to_uppercase(),
                (_, true) => format!("--{}", long_of(&name)),
                // What stands in the document of `--input` has the document's own name.
                _ if in_one_piece || !is_derived => continue,
                _ => format!("--{}", long_of(&name)),
            };
            names.counts.extend(input.get(&name).and_then(Value::as_array).map(|list| (name.clone(), list.len())));
            let is_id = self.op.path_params().any(|param| param == name) || name == "id" || name.ends_with("Id");
            if let Some(value) = input.get(&name).filter(|value| is_id && value.is_string()) {
                names.ids.push((word.clone(), clean(&plain(value))));
            }
            names.words.push((name, word));
        }
        names
    }
}

/// What operations are called: the name, and the method and path, each with the command.
pub(crate) fn command_names(entries: &[Entry]) -> Vec<(String, String)> {
    let names = entries.iter().flat_map(|entry| {
        let (command, op) = (entry.words.join(" "), entry.op);
        [(op.name.to_owned(), command.clone()), (format!("{} {}", op.method.name(), op.path), command)]
    });
    names.collect()
}

/// Commands that are no operation's, and keep their names.
const OWN: [&str; 4] = ["open", "mcp", "completion", "help"];

/// Every command that a holder of a command-line token can use, in the order of the operations.
pub(crate) fn entries(ops: &[Op]) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry> = Vec::new();
    let usable = |op: &&Op| {
        let own = op.name.split('.').next().is_some_and(|word| OWN.contains(&word));
        !own && [Caller::Cli, Caller::Agent, Caller::Member].iter().any(|kind| op.callers.has(*kind))
    };
    for op in ops.iter().filter(usable) {
        let overrides = override_table::find(op);
        let words = match overrides {
            Some(overrides) => overrides.command.iter().map(|word| word.to_string()).collect(),
            None => op.name.split('.').map(kebab).collect(),
        };
        entries.push(Entry { words, op, overrides });
        if let Some(overrides) = overrides.filter(|overrides| !overrides.also.is_empty()) {
            let words = overrides.also.iter().map(|word| word.to_string()).collect();
            entries.push(Entry { words, op, overrides: Some(overrides) });
        }
    }
    entries
}

/// Whether the input beyond the path travels as a JSON body.
pub(crate) fn takes_json_body(op: &Op) -> bool {
    op.takes == Takes::Json && matches!(op.method, Method::Post | Method::Patch | Method::Put)
}
