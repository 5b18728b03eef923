//! The command line of the whole program: what stands in its help, and what it takes where nothing is said.

use crate::{command, features, port};
use clap::Command;
use kit::Op;
use kit::setting::Spec;

fn program<'a>(
    ops: &'a [Op],
    groups: &'a [(&'static str, &'static str)],
    settings: &'a [&'static Spec],
) -> cli::Program<'a> {
    cli::Program { ops, groups, settings, version: "0", default_data_dir: None, offline: None, opener: &|_| Ok(()) }
}

/// Groups of commands with what help says of each.
fn groups_of(command: &Command, path: &str, found: &mut Vec<(String, String)>) {
    for group in command.get_subcommands().filter(|command| command.has_subcommands()) {
        let path = format!("{path} {}", group.get_name());
        found.push((path.trim().to_owned(), group.get_about().map(ToString::to_string).unwrap_or_default()));
        groups_of(group, &path, found);
    }
}

#[test]
fn help_says_what_each_group_of_commands_is_for() {
    let (ops, groups, settings) = (features::ops(), features::groups(), features::settings());
    let mut found = Vec::new();
    groups_of(&program(&ops, &groups, &settings).command(), "", &mut found);
    let untold: Vec<_> =
        found.iter().filter(|(_, about)| about.is_empty() || about.starts_with("Commands: ")).collect();
    assert!(untold.is_empty(), "`groups` of the feature, or GROUPS of the server, lacks a line for {untold:?}");
    let idle: Vec<_> =
        groups.iter().filter(|(group, about)| !found.contains(&(group.to_string(), about.to_string()))).collect();
    assert!(idle.is_empty(), "they lead to no group of commands: {idle:?}");
}

#[test]
fn help_of_tokens_lists_every_scope() {
    let ops = features::ops();
    let op = ops.iter().find(|op| op.name == "tokens.create").expect("the operation");
    let doc = op.input_schema()["properties"]["scopes"]["description"].as_str().expect("a description").to_owned();
    let asked = ops.iter().flat_map(|op| op.scopes()).map(str::to_owned);
    for scope in asked.chain(events::Topic::ALL.iter().filter_map(|topic| topic.scope())) {
        assert!(doc.contains(&scope), "{scope} is missing: {doc}");
    }
}

#[test]
fn the_port_is_19519_unless_another_is_named() {
    let (ops, groups, settings) = (features::ops(), features::groups(), features::settings());
    let line = program(&ops, &groups, &settings);
    let of = |words: &[&str]| {
        let matches = command(&line).try_get_matches_from([&["pilothouse"], words].concat()).expect("it is taken");
        match matches.subcommand() {
            Some((_, own)) => port(&[own, &matches]),
            None => port(&[&matches]),
        }
    };
    assert_eq!((of(&[]), of(&["serve"])), (19519, 19519));
    assert_eq!((of(&["--port", "7"]), of(&["serve", "--port", "0"])), (7, 0));
    assert_eq!(of(&["--port", "7", "serve", "--port", "8"]), 8);
    // Wherever its lines break.
    let help = command(&line).render_long_help().to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    let published = |words: &[&str]| {
        let matches = command(&line).try_get_matches_from([&["pilothouse"], words].concat()).expect("it is taken");
        crate::publish_port(&[&matches])
    };
    assert_eq!((published(&[]), published(&["--port", "7"]), published(&["--port", "0"])), (19520, 19520, 0));
    assert_eq!(published(&["--port", "0", "--publish-port", "8"]), 8);
    assert!(help.contains("[default: 19519]") && help.contains("PILOTHOUSE_LOG"), "{help}");
}
