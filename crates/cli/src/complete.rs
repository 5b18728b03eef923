//! Completion in shells: keys of settings, the words that a setting takes, and names of files. All of it is known without asking the
//! running program; other identifiers are not completed.

use crate::text::first_sentence;
use clap::Command;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};
use clap_complete::env::{Bash, EnvCompleter, Fish, Zsh};
use kit::setting::{Shape, Spec};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};

/// The variable by which a shell asks the program for completions.
const VARIABLE: &str = "COMPLETE";

/// Answers a shell that asks for completions and ends the process then; does nothing otherwise. `factory` makes the
/// whole command, the app's own parts included. Call it first in `main`, before anything is printed.
pub fn complete(factory: impl Fn() -> Command) {
    clap_complete::CompleteEnv::with_factory(factory).var(VARIABLE).complete();
}

/// Shells whose completion script can be printed.
pub(crate) const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

/// Prints the script that connects a shell with the program.
pub(crate) fn script(shell: &str, out: &mut dyn Write) -> io::Result<()> {
    let completer: &dyn EnvCompleter = match shell {
        "zsh" => &Zsh,
        "fish" => &Fish,
        _ => &Bash,
    };
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, "pilothouse", "pilothouse", "pilothouse", &mut script)?;
    // bash takes the @ of `@FILE` for the end of a word: what is not known here it completes as the name of a file.
    let script = String::from_utf8_lossy(&script).replace("-o bashdefault", "-o bashdefault -o default");
    out.write_all(script.as_bytes())
}

/// Completes a setting's key.
pub(crate) fn keys(settings: &[&'static Spec]) -> ArgValueCompleter {
    let settings = settings.to_vec();
    ArgValueCompleter::new(move |typed: &OsStr| key_candidates(&settings, typed))
}

/// Completes the value after a setting's key.
pub(crate) fn values(settings: &[&'static Spec]) -> ArgValueCompleter {
    let settings = settings.to_vec();
    // A completer is told the word at the cursor only; the words before it stand in the process's own arguments.
    ArgValueCompleter::new(move |typed: &OsStr| {
        value_candidates(&settings, &std::env::args_os().collect::<Vec<_>>(), typed)
    })
}

/// Completes `@FILE` where JSON may stand in a file.
pub(crate) fn json_files() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let Some(name) = typed.to_str().and_then(|typed| typed.strip_prefix('@')) else { return Vec::new() };
        let found = PathCompleter::file().complete(OsStr::new(name)).into_iter();
        found.map(|candidate| candidate.add_prefix("@")).collect()
    })
}

pub(crate) fn key_candidates(settings: &[&'static Spec], typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else { return Vec::new() };
    let fitting = settings.iter().filter(|spec| spec.key.starts_with(typed));
    fitting.map(|spec| candidate(spec.key, spec.doc)).collect()
}

pub(crate) fn value_candidates(
    settings: &[&'static Spec],
    words: &[OsString],
    typed: &OsStr,
) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else { return Vec::new() };
    let spec = words.iter().find_map(|word| settings.iter().find(|spec| word == spec.key));
    let Some(spec) = spec else { return Vec::new() };
    // In a list only the word after the last comma is open.
    let (done, open) = match (&spec.shape, typed.rfind(',')) {
        (Shape::List { .. }, Some(comma)) => typed.split_at(comma + 1),
        _ => ("", typed),
    };
    let words = accepted(&spec.shape).into_iter().filter(|(word, _)| word.starts_with(open));
    words.map(|(word, doc)| candidate(&format!("{done}{word}"), doc)).collect()
}

fn accepted(shape: &Shape) -> Vec<(String, &'static str)> {
    match shape {
        Shape::Toggle => vec![("true".into(), ""), ("false".into(), "")],
        Shape::Select(choices) => choices.iter().map(|choice| (choice.value.to_owned(), choice.doc)).collect(),
        Shape::OneOf(numbers) => numbers.iter().map(|number| (number.to_string(), "")).collect(),
        Shape::List { of, .. } => accepted(of),
        _ => Vec::new(),
    }
}

fn candidate(word: &str, doc: &str) -> CompletionCandidate {
    let help = first_sentence(doc);
    CompletionCandidate::new(word).help((!help.is_empty()).then(|| help.into()))
}
