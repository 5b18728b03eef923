//! Checks the program for other systems: Windows so far.
//!
//! Warnings count as errors, because code that only one system compiles is seen by nobody else. What the machine lacks is
//! named, and counts as a failure.

use crate::tools::{self, Failure, command, run};
use std::path::PathBuf;

const WINDOWS: &str = "x86_64-pc-windows-gnu";

/// Compiles the whole program for Windows.
pub fn windows() -> Result<(), Failure> {
    add_target(WINDOWS)?;
    if !tools::has("x86_64-w64-mingw32-gcc") {
        return Err("Windows: x86_64-w64-mingw32-gcc isn't installed. Debian: apt install gcc-mingw-w64-x86-64.".into());
    }
    let mut check = command("cargo check --quiet --package app --target");
    run("Windows: check", check.args([WINDOWS, "--target-dir"]).arg(folder()).env("RUSTFLAGS", "--deny warnings"))
}

/// Where other systems' programs are built.
fn folder() -> PathBuf {
    tools::target_dir().join("systems")
}

fn add_target(target: &str) -> Result<(), Failure> {
    run(target, command("rustup target add").arg(target))
        .map_err(|e| format!("{e} Its standard library couldn't be added; without it, {target} can't be checked."))
}
