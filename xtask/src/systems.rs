//! Checks the program for Windows and macOS, and runs what can be run of it under Wine.
//!
//! Warnings count as errors, because code that only one system compiles is seen by nobody else. What the machine lacks is
//! named, and counts as a failure.

use crate::tools::{self, Failure, command, run};
use std::path::{Path, PathBuf};
use std::process::Command;

const WINDOWS: &str = "x86_64-pc-windows-gnu";
const MACOS: &str = "aarch64-apple-darwin";
/// Brings the C headers of macOS, which libraries in C are compiled with.
const ZIG: [&str; 2] = ["ziglang==0.17.1", "cargo-zigbuild==0.24.1"];
/// Crates with tests that run under Wine.
const RUN: [&str; 2] = ["platform", "store"];
/// What Wine 8 lacks and Rust's standard library imports: it fills a buffer with random bytes.
const STUB: &str = "#include <windows.h>\n\
    BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);\n\
    __declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) { return SystemFunction036(data, (ULONG)length); }\n";

/// Compiles the whole program for macOS.
pub fn macos() -> Result<(), Failure> {
    add_target(MACOS)?;
    let venv = tools::venv("zig", &ZIG)?;
    let mut check = Command::new(venv.join("bin/cargo-zigbuild"));
    check.args(["check", "--quiet", "--target", MACOS, "--package", "app", "--target-dir"]).arg(folder());
    let path = std::env::var("PATH").unwrap_or_default();
    check.env("PATH", format!("{}:{path}", venv.join("bin").display())).env("RUSTFLAGS", "--deny warnings");
    run("macOS: check", &mut check)
}

/// Compiles the whole program for Windows, with the tests that run under Wine.
pub fn windows() -> Result<(), Failure> {
    add_target(WINDOWS)?;
    if !tools::has("x86_64-w64-mingw32-gcc") {
        return Err("Windows: x86_64-w64-mingw32-gcc isn't installed. Debian: apt install gcc-mingw-w64-x86-64.".into());
    }
    run("Windows: build", windows_cargo("build").args(["--package", "app"]))
}

fn windows_cargo(word: &str) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([word, "--quiet", "--target", WINDOWS, "--target-dir"]).arg(folder());
    cargo.env("RUSTFLAGS", "--deny warnings");
    cargo
}

/// The tests of the system's half under Wine.
pub fn wine_tests() -> Result<Command, Failure> {
    let wine = wine()?;
    let mut tests = windows_cargo("test");
    tests.arg("--lib");
    for package in RUN {
        tests.args(["--package", package]);
    }
    tests.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", &wine).envs(prefix()?);
    stub(&folder().join(WINDOWS).join("debug/deps"))?;
    Ok(tests)
}

/// Starts the program under Wine, changes a setting, and has the practice agent finish a session.
pub fn wine_session() -> Result<(), Failure> {
    println!("\n=== Windows: a session under Wine");
    let wine = wine()?;
    let programs = folder().join(WINDOWS).join("debug");
    stub(&programs)?;
    let data = folder().join("wine-data");
    let _ = std::fs::remove_dir_all(&data);
    let line = |words: &[&str]| {
        let mut command = Command::new(&wine);
        command.arg(programs.join("pilothouse.exe")).args(words).arg("--data-dir").arg(&data);
        command.env("PILOTHOUSE_KEYCHAIN", "off");
        prefix().map(|prefix| {
            command.envs(prefix);
            command
        })
    };
    let mut server = line(&["serve", "--port", "0"])?.spawn().map_err(|e| format!("wine: {e}"))?;
    let outcome = (|| {
        let told = |words: &[&str]| -> Result<String, Failure> {
            let output = line(words)?.output().map_err(|e| format!("wine: {e}"))?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let problem = || format!("{}: {text}{}", words.join(" "), String::from_utf8_lossy(&output.stderr));
            output.status.success().then_some(text.clone()).ok_or_else(problem)
        };
        let ready = data.join("instance.json");
        wait("the program under Wine", || ready.is_file())?;
        told(&["settings", "set", "pmBoardDensity", "compact"])?;
        let created = told(&["sessions", "create", "--engine", "practice", "--prompt", "practice: say hi", "--json"])?;
        let record: serde_json::Value = serde_json::from_str(&created).map_err(|e| format!("{created}: {e}"))?;
        let id = record["id"].as_str().ok_or_else(|| created.clone())?.to_owned();
        wait("the end of a turn", || {
            told(&["sessions", "transcript", &id, "--json"]).is_ok_and(|text| text.contains("hi"))
        })?;
        println!("started, changed a setting, and ran a session");
        Ok(())
    })();
    let _ = server.kill();
    let _ = server.wait();
    outcome
}

fn wait(what: &str, is_so: impl Fn() -> bool) -> Result<(), Failure> {
    let started = std::time::Instant::now();
    while started.elapsed().as_secs() < 120 {
        if is_so() {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    Err(format!("Waited in vain for {what}."))
}

/// Where other systems' programs are built.
fn folder() -> PathBuf {
    tools::target_dir().join("systems")
}

fn add_target(target: &str) -> Result<(), Failure> {
    let mut add = command("rustup target add --quiet");
    run(target, add.arg(target))
        .map_err(|e| format!("{e} Its standard library couldn't be added; without it, {target} can't be checked."))
}

fn wine() -> Result<PathBuf, Failure> {
    // Debian's `wine` asks for a 32-bit half that isn't needed.
    let debian = PathBuf::from("/usr/lib/wine/wine64");
    let found = Some(debian).filter(|file| file.is_file());
    let found = found.or_else(|| ["wine64", "wine"].into_iter().find(|name| tools::has(name)).map(PathBuf::from));
    found.ok_or_else(|| "Windows: Wine isn't installed. Debian: apt install wine64.".to_owned())
}

/// A folder of Wine's own, so that nothing of the user's is touched.
fn prefix() -> Result<[(&'static str, String); 3], Failure> {
    let home = folder().join("wine");
    std::fs::create_dir_all(&home).map_err(|e| format!("{}: {e}", home.display()))?;
    let home = home.canonicalize().map_err(|e| format!("{}: {e}", home.display()))?;
    Ok([
        ("WINEPREFIX", home.display().to_string()),
        ("WINEDEBUG", "-all".to_owned()),
        ("WINEDLLOVERRIDES", "mscoree,mshtml=".to_owned()),
    ])
}

/// Puts the library that Wine lacks beside programs.
fn stub(beside: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(beside).map_err(|e| format!("{}: {e}", beside.display()))?;
    let source = folder().join("prng.c");
    std::fs::write(&source, STUB).map_err(|e| format!("{}: {e}", source.display()))?;
    let mut compile = Command::new("x86_64-w64-mingw32-gcc");
    compile.args(["-shared", "-o"]).arg(beside.join("bcryptprimitives.dll")).arg(&source).arg("-ladvapi32");
    run("Windows: random numbers for Wine", &mut compile)
}
