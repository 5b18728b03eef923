//! What `run` and `test` do, step by step.

use crate::tools::{self, Failure, command, run, run_read};
use crate::{licenses, release, systems, wasm};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The program of the desktop window.
const WINDOW: &str = "pilothouse-desktop";

/// Builds the page with its engine into `ui/dist`, which the program embeds.
pub fn build_page() -> Result<(), Failure> {
    wasm::build(true).map_err(|e| e.to_string())?;
    tools::npm_packages()?;
    run("page", &mut command("npm run --silent build"))
}

/// Builds everything and starts the program.
pub fn start(args: &[String]) -> Result<(), Failure> {
    build_page()?;
    run("program", &mut command("cargo build --release --package app"))?;
    build_window()?;
    let program = tools::target_dir().join("release/pilothouse");
    let status = Command::new(&program).args(args).status().map_err(|e| format!("{}: {e}", program.display()))?;
    if status.success() { Ok(()) } else { Err(format!("the program ended with {status}.")) }
}

/// Builds the desktop window beside the program, if the packages that it needs are there.
pub fn build_window() -> Result<(), Failure> {
    match tools::desktop_packages(&[]) {
        Ok(()) => {
            let target = tools::target_dir().join("desktop");
            run("desktop window", desktop("build").arg("--release").arg("--target-dir").arg(&target))?;
            let (built, beside) =
                (target.join("release").join(WINDOW), tools::target_dir().join("release").join(WINDOW));
            // Under another name first: the window that runs keeps its file.
            let fresh = beside.with_extension("new");
            std::fs::copy(&built, &fresh)
                .and_then(|_| std::fs::rename(&fresh, &beside))
                .map_err(|e| format!("{WINDOW}: {e}"))?;
        }
        Err(missing) => println!("{missing} Until then, Pilothouse opens in your browser."),
    }
    Ok(())
}

/// A cargo command for the desktop window, which is a workspace of its own.
fn desktop(word: &str) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([word, "--manifest-path", "crates/desktop/Cargo.toml"]);
    cargo
}

/// How many tests passed and failed, over all runners, and which failed.
#[derive(Default)]
struct Count {
    passed: u64,
    failed: u64,
    names: Vec<String>,
}

/// More names than this say that something broke them all.
const NAMES_MAX: usize = 30;

impl Count {
    /// Reads a runner's closing line: `Summary [1s] 6 tests run: 5 passed, 1 failed`, `Tests  5 passed | 1 failed`, `5 passed (3s)`.
    fn read(&mut self, line: &str) {
        let plain = without_color(line);
        let line = plain.trim();
        if let Some(name) = failed_test(line)
            && self.names.len() < NAMES_MAX
            && !self.names.contains(&name)
        {
            self.names.push(name);
        }
        let closes = ["Summary [", "Tests "].iter().any(|start| line.starts_with(start));
        if !closes && !starts_with_count(line) {
            return;
        }
        let words: Vec<&str> = line.split([' ', ';', '|', ',', '.']).filter(|w| !w.is_empty()).collect();
        for pair in words.windows(2) {
            match (pair[0].parse::<u64>(), pair[1]) {
                (Ok(n), "passed") => self.passed += n,
                (Ok(n), "failed") => self.failed += n,
                _ => {}
            }
        }
    }
}

/// The test that a line says has failed: `FAIL [ 1s] package test`, `FAIL  file > test`, `✘  3 file › test (5s)`.
fn failed_test(line: &str) -> Option<String> {
    let rest = ["FAIL ", "TIMEOUT ", "✘ "].iter().find_map(|mark| line.strip_prefix(mark))?.trim_start();
    // The time or the number that stands in front of the name.
    let name = match rest.strip_prefix('[') {
        Some(time) => time.split_once(']')?.1,
        None => rest.trim_start_matches(|c: char| c.is_ascii_digit()),
    };
    // The same test is named twice, with the time that it took and without.
    Some(name.trim_start().rsplit_once(" (").map_or(name, |(name, _)| name).trim().to_owned())
}

/// Playwright's closing lines are a number and a word, and nothing before them.
fn starts_with_count(line: &str) -> bool {
    let mut words = line.split(' ');
    words.next().is_some_and(|n| n.parse::<u64>().is_ok()) && matches!(words.next(), Some("passed" | "failed"))
}

fn without_color(line: &str) -> String {
    let mut plain = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            plain.push(c);
        } else if chars.next() == Some('[') {
            chars.by_ref().find(char::is_ascii_alphabetic);
        }
    }
    plain
}

/// Runs all steps, so that one run shows everything that fails.
#[derive(Default)]
struct Steps {
    count: Count,
    failures: Vec<Failure>,
}

impl Steps {
    fn add(&mut self, outcome: Result<(), Failure>) {
        if let Err(failure) = outcome {
            println!("{failure}");
            self.failures.push(failure);
        }
    }

    /// Runs a command that ends with the number of its tests.
    fn count(&mut self, what: &str, command: &mut Command) {
        let count = &mut self.count;
        let outcome = run_read(what, command, &mut |line| count.read(line));
        self.add(outcome);
    }

    /// Builds the program and runs its browser tests, those in one folder if it is named.
    fn browser(&mut self, specs: Option<&Path>) {
        // With the same features of libraries as the Rust tests, which have built most or all of it.
        self.add(run("program", &mut command("cargo build --workspace --tests")));
        let chromium = match tools::chromium() {
            Ok(chromium) => chromium,
            Err(failure) => return self.add(Err(failure)),
        };
        let radicale = match tools::radicale() {
            Ok(radicale) => radicale,
            Err(failure) => return self.add(Err(failure)),
        };
        let mut tests = command("npm run --silent e2e --");
        tests.args(specs).env("CHROMIUM", chromium).env("RADICALE", radicale).env("PILOTHOUSE_BIN", program());
        self.count("browser tests", &mut tests);
    }

    /// Checks the desktop window and runs its tests in front of the built program.
    fn desktop(&mut self) {
        if let Err(missing) = tools::desktop_packages(&tools::DESKTOP_TESTS) {
            return self.add(Err(missing));
        }
        // Its libraries are built beside those of the program, in a folder of their own.
        let target = tools::target_dir().join("desktop");
        let mut clippy = desktop("clippy");
        clippy.args(["--all-targets", "--quiet", "--target-dir"]).arg(&target).args(["--", "--deny", "warnings"]);
        self.add(run("desktop window: clippy", &mut clippy));
        let format = ["--check", "--manifest-path", "crates/desktop/Cargo.toml"];
        self.add(run("desktop window: formatting", command("cargo fmt").args(format)));
        let mut tests = match nextest() {
            Ok(tests) => tests,
            Err(failure) => return self.add(Err(failure)),
        };
        tests.args(["--manifest-path", "crates/desktop/Cargo.toml", "--target-dir"]).arg(&target);
        self.count("desktop window", tests.env("PILOTHOUSE_BIN", program()));
    }

    fn finish(self) -> Result<(), Failure> {
        println!("\n{}", if self.failures.is_empty() { "Everything passed." } else { "What failed:" });
        for failure in self.failures.iter().chain(&self.count.names) {
            println!("- {failure}");
        }
        // A step without tests of its own, such as a lint, counts as one.
        let failed = self.count.failed.max(self.failures.len() as u64);
        println!("\ntests: {} passed, {failed} failed", self.count.passed);
        if self.failures.is_empty() { Ok(()) } else { Err(format!("{} of the steps failed.", self.failures.len())) }
    }
}

/// Checks everything.
pub fn test() -> Result<(), Failure> {
    build_page()?;
    let mut steps = Steps::default();
    steps.add(run("formatting", &mut command("cargo fmt --all --check")));
    steps.add(run("clippy", &mut command("cargo clippy --workspace --all-targets --quiet -- --deny warnings")));
    steps.add(licenses::check());
    steps.add(release::check());
    let mut nextest = nextest()?;
    steps.count("Rust tests", nextest.arg("--workspace"));
    steps.add(run("page: format", &mut command("npm run --silent format:check")));
    steps.add(run("page: lint", &mut command("npm run --silent lint")));
    steps.add(run("page: types", &mut command("npm run --silent typecheck")));
    steps.count("page: unit tests", &mut command("npm run --silent test"));
    steps.browser(None);
    steps.desktop();
    steps.add(systems::windows());
    steps.add(systems::macos());
    steps.add(check_interface(&program()));
    steps.finish()
}

/// Checks one feature or crate: what is fast enough to run after every edit.
pub fn test_one(name: &str) -> Result<(), Failure> {
    let folder =
        ["features", "crates"].map(|parent| format!("{parent}/{name}")).into_iter().find(|f| Path::new(f).is_dir());
    let Some(folder) = folder else {
        return Err(format!("There is no features/{name} and no crates/{name}. Name a folder in features or crates."));
    };
    tools::npm_packages()?;
    let mut steps = Steps::default();
    let mut nextest = nextest()?;
    // `--package` would build the libraries once more, with fewer features.
    steps.count("Rust tests", nextest.args(["--workspace", "--filterset", &format!("package({name})")]));
    if Path::new(&folder).join("ui").is_dir() {
        steps.count("page: unit tests", command("npm run --silent test --").arg(&folder));
    }
    let specs = Path::new(&folder).join("e2e");
    if specs.is_dir() {
        build_page()?;
        steps.browser(Some(&specs));
    }
    steps.finish()
}

/// The debug build.
pub fn program() -> PathBuf {
    tools::target_dir().join("debug/pilothouse")
}

/// Each Rust test in a process of its own, with a time limit that names a test that hangs.
fn nextest() -> Result<Command, Failure> {
    let mut nextest = Command::new(tools::cargo_tool("cargo-nextest", "0.9.143")?);
    nextest.args(["nextest", "run", "--no-fail-fast"]);
    Ok(nextest)
}

/// Writes the files that are derived from the rows: docs and the settings of the page's tests by a Rust test, TypeScript
/// types from docs/openapi.
pub fn generate() -> Result<(), Failure> {
    // The test rewrites the files and fails where they differed; the second run tells whether they hold.
    let write = "cargo test --package app --quiet generated";
    if run("docs", &mut command(write)).is_err() {
        run("docs, again", &mut command(write))?;
    }
    tools::npm_packages()?;
    run("TypeScript types", &mut command("npm run --silent gen"))
}

/// Starts the program on an empty folder and lets schemathesis try its interface.
fn check_interface(program: &Path) -> Result<(), Failure> {
    let schemathesis = tools::schemathesis()?;
    let dir = tools::target_dir().join("schemathesis-data");
    let _ = std::fs::remove_dir_all(&dir);
    let mut server = Command::new(program)
        .args(["serve", "--port", "0", "--data-dir"])
        .arg(&dir)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{}: {e}", program.display()))?;
    let mut ready = String::new();
    let read = BufReader::new(server.stdout.take().expect("piped")).read_line(&mut ready);
    let outcome = match (read, ready.trim().rsplit(' ').next()) {
        (Ok(_), Some(url)) if url.starts_with("http") => {
            let mut check = Command::new(schemathesis);
            let document = tools::target_dir().join("openapi.json");
            check.args(["--config-file", "e2e/schemathesis.toml", "run"]).arg(&document).args(["--url", url]);
            let mut join = Command::new("node");
            join.arg("ui/gen.mjs").arg(&document);
            run("OpenAPI document", &mut join).and_then(|()| tokens(program, &dir)).and_then(|(owner, member)| {
                check.env("PILOTHOUSE_TOKEN", owner).env("PILOTHOUSE_MEMBER", member);
                run("interface (schemathesis)", &mut check)
            })
        }
        _ => Err("the program did not become ready for schemathesis.".to_owned()),
    };
    let _ = server.kill();
    let _ = server.wait();
    outcome
}

/// An owner's token and a member's. Not the command line's: scripts' tokens are held to some writes a second, which would
/// hide every other answer.
fn tokens(program: &Path, dir: &Path) -> Result<(String, String), Failure> {
    let made = |words: &[&str], member: &str| {
        let output = Command::new(program).args(words).args(["--json", "--data-dir"]).arg(dir).output();
        let output = output.map_err(|e| format!("{}: {e}", program.display()))?;
        let record: serde_json::Value =
            serde_json::from_slice(&output.stdout).map_err(|e| format!("{}: {e}", words.join(" ")))?;
        record[member].as_str().map(str::to_owned).ok_or_else(|| format!("{}: {record}", words.join(" ")))
    };
    let owner = made(&["account", "add", "Tester"], "token")?;
    let member = made(&["members", "create", "--name", "Member"], "id")?;
    let token = ["tokens", "create", "--kind", "member", "--name", "Member", "--member-id", &member];
    Ok((owner, made(&token, "token")?))
}

#[cfg(test)]
mod tests {
    use super::Count;

    #[test]
    fn the_closing_lines_of_all_runners_are_counted_and_failed_tests_named_once() {
        let mut count = Count::default();
        for line in [
            "        FAIL [   0.012s] (3/9) boards tests::an_item_moves",
            "     Summary [   1.2s] 9 tests run: 8 passed, 1 failed, 0 skipped",
            "        FAIL [   0.012s] (3/9) boards tests::an_item_moves",
            "\u{1b}[31m FAIL \u{1b}[39m features/boards/ui/Board.test.tsx > moves an item",
            "      Tests  1 failed | 4 passed (5)",
            "  ✘   12 e2e/first-run.spec.ts:4:1 › starts a session (3.0m)",
            "  1 failed",
            "  297 passed (14.9m)",
        ] {
            count.read(line);
        }
        assert_eq!((count.passed, count.failed), (309, 3));
        assert_eq!(
            count.names,
            [
                "(3/9) boards tests::an_item_moves",
                "features/boards/ui/Board.test.tsx > moves an item",
                "e2e/first-run.spec.ts:4:1 › starts a session",
            ]
        );
    }
}
