//! `cargo xtask`: builds, starts, and checks the whole product.
//!
//! Installs missing tools where that needs no special rights (npm, pip, and cargo packages into folders of this checkout),
//! and names what else to install.

mod bench;
#[cfg(target_os = "linux")]
mod dist;
mod engines;
mod licenses;
mod release;
mod scaffold;
mod steps;
mod systems;
mod tools;
mod wasm;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask run [-- ARGS]       Build the page, the engine, and the program, start it, and open it
cargo xtask test                Check everything: formatting, lints, licenses, and all tests
cargo xtask test NAME           Check one feature or crate: its Rust, page, and browser tests
cargo xtask gen                 Rewrite the generated files
cargo xtask bench               Measure beside the yardsticks and print the figures
cargo xtask dist                Pack a release for other machines: tar.gz, .deb, and AppImage
cargo xtask engines [NAME...]   Check the program with real engines, and write docs/engines-table.md
cargo xtask wasm                Build the widget engine for the browser
cargo xtask new-feature NAME    Make a feature that builds, has tests, and shows up in the page
cargo xtask release VERSION     Join the fragments in changes/ into CHANGELOG.md";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next().unwrap_or_default();
    let rest: Vec<String> = args.filter(|arg| arg != "--").collect();
    if let Err(e) = std::env::set_current_dir(tools::root()) {
        println!("xtask: Can't open the checkout: {e}");
        return ExitCode::FAILURE;
    }
    let outcome = match command.as_str() {
        "run" => steps::start(&rest),
        "test" => match rest.first() {
            Some(name) => steps::test_one(name),
            None => steps::test(),
        },
        "new-feature" => rest.first().ok_or_else(|| USAGE.to_owned()).and_then(|name| scaffold::new_feature(name)),
        "release" => rest.first().ok_or_else(|| USAGE.to_owned()).and_then(|version| release::join(version)),
        "gen" => steps::generate(),
        "bench" => bench::run_all(&rest),
        #[cfg(target_os = "linux")]
        "dist" => dist::build(),
        #[cfg(not(target_os = "linux"))]
        "dist" => {
            Err("Packages are made on Linux only. Here, `cargo xtask run` builds Pilothouse and starts it.".into())
        }
        "engines" => engines::check(&rest),
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
    fn a_machine_without_rust_gets_the_install_command() {
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
