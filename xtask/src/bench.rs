//! `cargo xtask bench`: the program as it ships beside its yardsticks.

use crate::tools::{self, Failure, command, run};
use std::process::Command;

/// Builds both and prints the figures; `-- NAME` runs only the divan benches of that crate.
pub fn run_all(only: &[String]) -> Result<(), Failure> {
    if let Some(package) = only.first() {
        return run(package, &mut command(&format!("cargo bench --package {package}")));
    }
    let chromium = tools::chromium()?;
    crate::steps::build_page()?;
    run("program", &mut command("cargo build --release --package app --package bench"))?;
    let built = tools::target_dir().join("release");
    run("side by side", Command::new(built.join("side-by-side")).arg(built.join("pilothouse")))?;
    for felt in ["page", "dashboard"] {
        let mut node = Command::new("node");
        run(felt, node.arg(format!("benches/{felt}.mjs")).arg(built.join("pilothouse")).env("CHROMIUM", &chromium))?;
    }
    for package in ["store", "boards", "widgets", "schedule"] {
        run(package, &mut command(&format!("cargo bench --package {package}")))?;
    }
    Ok(())
}
