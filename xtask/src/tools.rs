//! Finding, installing and running the tools that the steps need.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An error message.
pub type Failure = String;

/// The checkout: that of the command, since several may share a target folder and with it one build of this program.
pub fn root() -> PathBuf {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs xtask: `cargo xtask …`");
    Path::new(&folder).parent().expect("xtask lies in the checkout").to_owned()
}

/// Where builds go: `CARGO_TARGET_DIR` where set, so that several checkouts can share one.
pub fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR").filter(|dir| !dir.is_empty()) {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// A command line, split at spaces.
pub fn command(line: &str) -> Command {
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().expect("a program"));
    command.args(words);
    command
}

/// Runs to the end and shows what it prints.
pub fn run(what: &str, command: &mut Command) -> Result<(), Failure> {
    run_read(what, command, &mut |_| {})
}

/// Runs a command to the end, shows everything it prints, and passes on each line.
pub fn run_read(what: &str, command: &mut Command, line_read: &mut dyn FnMut(&str)) -> Result<(), Failure> {
    println!("\n=== {what}");
    let started = std::time::Instant::now();
    let (output, input) = std::io::pipe().map_err(|e| format!("{what}: {e}"))?;
    command.stdout(input.try_clone().map_err(|e| format!("{what}: {e}"))?).stderr(input);
    let child = command.spawn();
    // The command holds the writing end of the pipe, which would keep the loop below waiting.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child.map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => {
            format!("{what} needs `{}`, which is not installed.", command.get_program().to_string_lossy())
        }
        _ => format!("Couldn't start {what}: {e}"),
    })?;
    for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        line_read(&line);
    }
    let _ = std::io::stdout().flush();
    let status = child.wait().map_err(|e| format!("{what}: {e}"))?;
    println!("--- {what}: {} s", started.elapsed().as_secs());
    if status.success() { Ok(()) } else { Err(format!("{what} failed ({status}).")) }
}

/// A cargo subcommand: the installed one, or one built below the target folder.
pub fn cargo_tool(name: &str, version: &str) -> Result<PathBuf, Failure> {
    let installed = PathBuf::from(name);
    if has(name) {
        return Ok(installed);
    }
    let root = target_dir().join("tools");
    let binary = root.join("bin").join(name);
    if !has(&binary.to_string_lossy()) {
        let mut install = command("cargo install --locked --quiet");
        install.args([name, "--version", version, "--root"]).arg(&root);
        // Built once and run for seconds: a fast build matters more than a fast program.
        install.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0").env("CARGO_PROFILE_RELEASE_LTO", "off");
        install.env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
        run(name, &mut install)?;
    }
    Ok(binary)
}

/// Whether a program can be found.
pub fn has(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

/// The first two numbers of a version such as `v20.19.1` or `>=20.19`.
fn version_in(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim().trim_start_matches(|c: char| !c.is_ascii_digit()).split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// Whether Node.js is there, in the version that package.json asks for or a later one; else what is needed.
fn expect_node() -> Result<(), Failure> {
    let package = std::fs::read_to_string("package.json").map_err(|e| format!("package.json: {e}"))?;
    let package: serde_json::Value = serde_json::from_str(&package).map_err(|e| format!("package.json: {e}"))?;
    let least = package["engines"]["node"].as_str().and_then(version_in).ok_or("package.json names no Node.js.")?;
    let output = Command::new("node").arg("--version").output().ok();
    let found = output.and_then(|output| version_in(&String::from_utf8_lossy(&output.stdout)));
    if found.is_some_and(|found| found >= least) && has("npm") {
        return Ok(());
    }
    let (major, minor) = least;
    Err(format!("Node.js {major}.{minor} or later with npm is needed to build the page: https://nodejs.org."))
}

/// Installs the page's packages where the lock file changed since the last time.
pub fn npm_packages() -> Result<(), Failure> {
    expect_node()?;
    let lock = std::fs::read("package-lock.json").map_err(|e| format!("package-lock.json: {e}"))?;
    let stamp = Path::new("node_modules/.pilothouse-lock");
    if std::fs::read(stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    // npm empties the folder behind a link, which other checkouts may use, and then fails.
    if std::fs::symlink_metadata("node_modules").is_ok_and(|about| about.is_symlink()) {
        return Err(
            "node_modules is a link, so npm can't install into it. Remove the link, or run `npm ci` where it leads."
                .into(),
        );
    }
    run("npm packages", &mut command("npm ci --no-fund --no-audit --ignore-scripts"))?;
    std::fs::write(stamp, lock).map_err(|e| format!("{}: {e}", stamp.display()))
}

/// The browser of the browser tests.
pub fn chromium() -> Result<PathBuf, Failure> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].map(PathBuf::from);
    named.into_iter().chain(usual).find(|path| path.exists()).ok_or_else(|| {
        "the browser tests need Chromium: `apt-get install chromium`, or set CHROMIUM to its path.".into()
    })
}

/// What the tests of the desktop window run, with the packages of Debian that have it.
pub const DESKTOP_TESTS: [(&str, &str); 7] = [
    ("Xvfb", "xvfb"),
    ("openbox", "openbox"),
    ("xdotool", "xdotool"),
    ("wmctrl", "wmctrl"),
    ("xev", "x11-utils"),
    ("dbus-daemon", "dbus"),
    ("WebKitWebDriver", "webkit2gtk-driver"),
];

/// Whether the desktop window can be built here, and these programs are installed; otherwise a line that says how to get
/// them.
pub fn desktop_packages(programs: &[(&str, &'static str)]) -> Result<(), Failure> {
    let mut missing = Vec::new();
    // Other systems bring their web view.
    let builds = !cfg!(target_os = "linux")
        || Command::new("pkg-config")
            .args(["--exists", "webkit2gtk-4.1"])
            .status()
            .is_ok_and(|status| status.success());
    if !builds {
        missing.push("libwebkit2gtk-4.1-dev");
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |name: &str| std::env::split_paths(&path).any(|dir| dir.join(name).is_file());
    missing.extend(programs.iter().filter(|(name, _)| !is_there(name)).map(|(_, package)| *package));
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("The desktop window needs more packages: `apt-get install {}`.", missing.join(" ")))
}

/// schemathesis in a virtual environment beside the builds.
pub fn schemathesis() -> Result<PathBuf, Failure> {
    Ok(venv("schemathesis", &["schemathesis==4.32.5"])?.join("bin/schemathesis"))
}

/// radicale, a CalDAV server for tests, in a virtual environment beside the builds.
pub fn radicale() -> Result<PathBuf, Failure> {
    Ok(venv("radicale", &["radicale==3.9.0"])?.join("bin/radicale"))
}

/// A virtual environment beside the builds with these Python packages, the last of which has a program of its name.
pub fn venv(name: &str, packages: &[&str]) -> Result<PathBuf, Failure> {
    let (program, version) = packages.last().and_then(|last| last.split_once("==")).unwrap_or((name, ""));
    let venv = target_dir().join(format!("venv-{name}-{version}"));
    // An environment that was moved is there and does not run: it is made again.
    if !has(&venv.join("bin").join(program).to_string_lossy()) {
        let _ = std::fs::remove_dir_all(&venv);
        if !has("python3") {
            return Err(format!("{name} needs Python 3.10 or later: `apt-get install python3 python3-venv`."));
        }
        run("Python environment", Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        run(name, Command::new(venv.join("bin/pip")).args(["install", "--quiet"]).args(packages))?;
    }
    Ok(venv)
}
