//! Checks the program for Windows and macOS.
//!
//! Warnings count as errors, because code that only one system compiles is seen by nobody else. What the machine lacks is
//! named, and counts as a failure.

use crate::tools::{self, Failure, command, run};
use std::path::PathBuf;

const WINDOWS: &str = "x86_64-pc-windows-gnu";
const MACOS: &str = "aarch64-apple-darwin";
/// Takes the place of the C compiler and `ar`: a check links nothing, and macOS's C headers are only on macOS. Its output, if
/// any, is an empty file.
const NO_COMPILER: &str = "#!/bin/sh\nwhile [ $# -gt 1 ]; do [ \"$1\" = -o ] && : > \"$2\"; shift; done\n";

/// Compiles all Rust code of the program for macOS; not the C code of libraries.
pub fn macos() -> Result<(), Failure> {
    add_target(MACOS)?;
    let compiler = folder().join("no-compiler");
    let write = || {
        std::fs::create_dir_all(folder())?;
        std::fs::write(&compiler, NO_COMPILER)?;
        std::fs::set_permissions(&compiler, std::os::unix::fs::PermissionsExt::from_mode(0o755))
    };
    write().map_err(|e| format!("{}: {e}", compiler.display()))?;
    let mut check = command("cargo check --quiet --package app --target");
    check.args([MACOS, "--target-dir"]).arg(folder()).env("RUSTFLAGS", "--deny warnings").env("SDKROOT", "/");
    for name in ["CC", "CXX", "AR"] {
        check.env(format!("{name}_{}", MACOS.replace('-', "_")), &compiler);
    }
    run("macOS: check", &mut check)
}

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
