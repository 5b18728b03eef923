//! Help says what each group of commands is for.

use crate::features;
use clap::Command;

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
    let program = cli::Program {
        ops: &ops,
        settings: &catalogue,
        version: "0",
        default_data_dir: None,
        offline: None,
        opener: &|_| Ok(()),
    };
    let mut found = Vec::new();
    untold(&program.command(), "pilothouse", &mut found);
    assert!(found.is_empty(), "A line in cli/src/groups.rs is missing: {found:?}");
}
