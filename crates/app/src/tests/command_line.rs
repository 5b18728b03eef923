//! The command line of the whole program: what stands in its help, and what it takes where nothing is said.

use crate::{command, features, port};
use clap::Command;
use kit::Op;
use kit::setting::Spec;

fn program<'a>(ops: &'a [Op], settings: &'a [&'static Spec]) -> cli::Program<'a> {
    cli::Program { ops, settings, version: "0", default_data_dir: None, offline: None, opener: &|_| Ok(()) }
}

fn untold(command: &Command, path: &str, found: &mut Vec<String>) {
    for group in command.get_subcommands().filter(|command| command.has_subcommands()) {
        let path = format!("{path} {}", group.get_name());
        let about = group.get_about().map(ToString::to_string).unwrap_or_default();
        if about.is_empty() || about.starts_with("Commands: ") {
            found.push(path.clone());
        }
        untold(group, &path, found);
    }
}

#[test]
fn help_says_what_each_group_of_commands_is_for() {
    let (ops, catalogue) = (features::ops(), features::catalogue());
    let mut found = Vec::new();
    untold(&program(&ops, &catalogue).command(), "pilothouse", &mut found);
    assert!(found.is_empty(), "A line in cli/src/groups.rs is missing: {found:?}");
}

#[test]
fn the_port_is_19519_unless_another_is_named() {
    let (ops, catalogue) = (features::ops(), features::catalogue());
    let line = program(&ops, &catalogue);
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
    assert!(help.contains("[default: 19519]") && help.contains("PILOTHOUSE_LOG"), "{help}");
}
