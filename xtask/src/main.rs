//! `cargo xtask run | test | bench | gen | wasm`: builds, starts and checks the whole product with two commands.
//!
//! Every tool that is missing is installed where that needs no rights of the user (npm and pip packages into folders of
//! this checkout), and named with its remedy where it does.

mod bench;
mod licences;
mod steps;
mod tools;
mod wasm;

use std::process::ExitCode;

/// What went wrong, in words.
pub type Failure = String;

const USAGE: &str = "\
cargo xtask run [-- ARGS]   build the page, the engine and the program, start it and open it
cargo xtask test            check everything: formatting, lints, licences, Rust, page and browser tests, generated files
cargo xtask gen             write the generated files anew
cargo xtask bench           measure beside the yardsticks and print the figures
cargo xtask wasm            build the widget engine for the browser";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next().unwrap_or_default();
    let rest: Vec<String> = args.filter(|arg| arg != "--").collect();
    if let Err(e) = std::env::set_current_dir(tools::root()) {
        println!("xtask: the checkout cannot be entered: {e}");
        return ExitCode::FAILURE;
    }
    let outcome = match command.as_str() {
        "run" => steps::start(&rest),
        "test" => steps::test(),
        "gen" => steps::generate(),
        "bench" => bench::run_all(&rest),
        "wasm" => wasm::build(true).map(drop).map_err(|e| e.to_string()),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            println!("\nxtask {command}: {failure}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::tools;
    use std::process::Command;

    #[test]
    fn a_machine_without_rust_is_told_what_to_install() {
        let script = tools::root().join(".ci/run");
        let output = Command::new("/bin/bash").arg(script).env("PATH", "/no/such/folder").output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert_eq!(
            said.trim_end(),
            "cargo is not found. Install Rust as https://rustup.rs says, open a new shell and run this again."
        );
    }
}
