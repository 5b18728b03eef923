//! What shells are offered.

use super::support::{ALL, World, ops, spec};
use crate::complete::{key_candidates, value_candidates};
use crate::{EXIT_OK, EXIT_USAGE};
use clap_complete::engine::{CompletionCandidate, complete};
use std::ffi::{OsStr, OsString};

fn words(candidates: Vec<CompletionCandidate>) -> Vec<String> {
    candidates.iter().map(|c| c.get_value().to_str().unwrap().to_owned()).collect()
}

#[test]
fn keys_are_offered_with_their_first_sentence() {
    let found = key_candidates(ALL, OsStr::new("no"));
    assert_eq!(found[0].get_help().unwrap().to_string(), "A note, or none");
    assert_eq!(words(found), ["note"]);
    assert_eq!(key_candidates(ALL, OsStr::new("")).len(), ALL.len());
}

#[test]
fn values_are_offered_by_the_key_before_them() {
    let values = |key: &str, typed: &str| {
        let line: Vec<OsString> =
            ["pilothouse", "--", "pilothouse", "settings", "set", key, typed].map(Into::into).into();
        words(value_candidates(ALL, &line, OsStr::new(typed)))
    };
    assert_eq!(values("toasts", ""), ["true", "false"]);
    assert_eq!(values("agentLevel", "f"), ["full"]);
    assert_eq!(values("levels", "full,r"), ["full,read_only"]);
    assert_eq!(values("cpuCap", ""), [""; 0]);
    assert_eq!(values("nickname", ""), [""; 0]);
    assert_eq!(values("unknown", ""), [""; 0]);
    assert_eq!(spec("levels").key, "levels");
}

#[test]
fn the_command_line_is_completed_at_each_place() {
    let ops = ops();
    let program = super::support::program(&ops);
    let at = |line: &[&str]| {
        let args: Vec<OsString> = ["pilothouse"].iter().chain(line).map(Into::into).collect();
        let found = complete(&mut program.command(), args, line.len(), None).unwrap();
        words(found)
    };
    assert_eq!(at(&["settings", "i"]), ["import"]);
    for verb in ["get", "set", "reset", "history"] {
        assert_eq!(at(&["settings", verb, "toa"]), ["toasts"], "{verb}");
    }
    assert_eq!(at(&["boards", "items", "create", "b", "--kind", "r"]), ["risk"]);
    assert_eq!(at(&["boards", "get", "b"]), [""; 0]);
}

#[test]
fn names_of_files_are_offered_where_a_file_is_named() {
    let ops = ops();
    let program = super::support::program(&ops);
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("later.csv"), "").unwrap();
    std::fs::create_dir(dir.path().join("latest")).unwrap();
    let at = |line: &[&str]| {
        let args: Vec<OsString> = ["pilothouse"].iter().chain(line).map(Into::into).collect();
        words(complete(&mut program.command(), args, line.len(), Some(dir.path())).unwrap())
    };
    for line in [
        &["boards", "import", "la"][..],
        &["settings", "import", "la"],
        &["things", "attach", "t", "la"],
        &["boards", "export", "b", "--output", "la"],
        &["boards", "list", "--token-file", "la"],
    ] {
        assert_eq!(at(line), ["later.csv", "latest/"], "{line:?}");
    }
    assert_eq!(at(&["boards", "list", "--data-dir", "la"]), ["latest/"]);
    // After the @ that names a file of JSON; the completer is told no other directory than the process's own.
    let named = |name: &str| format!("@{}", dir.path().join(name).display());
    for option in ["--input", "--cells"] {
        assert_eq!(at(&["boards", "items", "create", "b", option, &named("later")]), [named("later.csv")]);
        assert_eq!(at(&["boards", "items", "create", "b", option, "{"]), [""; 0]);
    }
    assert_eq!(at(&["things", "cell", "b", "--value", &named("later")]), [named("later.csv")]);
}

#[test]
fn a_script_is_printed_for_each_shell() {
    for shell in ["bash", "zsh", "fish"] {
        let ran = World::default().run(&["completion", shell]);
        assert_eq!(ran.code, EXIT_OK);
        assert!(ran.out.contains("pilothouse") && ran.out.contains("COMPLETE"), "{}", ran.out);
    }
    let bash = World::default().run(&["completion", "bash"]).out;
    assert_eq!(bash.matches("complete -o nospace -o bashdefault -o default ").count(), 2, "{bash}");
    assert_eq!(World::default().run(&["completion", "cmd"]).code, EXIT_USAGE);
}
