//! Builds the widget engine, `crates/widgets`, for the browser's worker: `ui/public/engine/widgets.wasm`.
//!
//! The toolchain's own target is used where it is installed or rustup can add it. Where it cannot, Debian's compiler for
//! the web is fetched with apt, extracted beside the builds and never installed. See docs/decisions/001.

use crate::tools;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

/// What went wrong, in words.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const TARGET: &str = "wasm32-unknown-unknown";

/// The page fetches it as `/app/engine/widgets.wasm`.
const OUTPUT: &str = "ui/public/engine/widgets.wasm";

/// `PILOTHOUSE_WASM=rustup` or `debian` takes only that way.
const CHOICE: &str = "PILOTHOUSE_WASM";

/// What has to be present for the engine to be built, said when none of the ways works.
const REMEDY: &str = "Install one of these and run it again:\n\
    1. rustup with the target: `rustup target add wasm32-unknown-unknown`\n\
    2. a distribution's target for its own Rust 1.95 or later: `libstd-rust-dev-wasm32` (Debian), `rust-std-static-wasm32-unknown-unknown` (Fedora), `rust-wasm` (Arch)\n\
    3. on Debian 12 or later with cargo 1.95 or later: `apt-get update`, so that `apt-get download` finds rustc-web, rust-web-src, libstd-rust-web-dev, libllvm22 and lld-22";

/// A compiler that can make WebAssembly.
enum Toolchain {
    /// The one in use, which has the target.
    Own,
    /// Debian's, extracted into this folder.
    Debian(PathBuf),
}

/// Builds the engine where its sources, the lock file or the toolchain changed, and says where it lies.
///
/// `release` makes the small and fast form that ships; without it compiling is quick and the result slow.
pub fn build(release: bool) -> Result<PathBuf> {
    let root = tools::root();
    let toolchain = toolchain()?;
    let output = root.join(OUTPUT);
    let stamp_file = tools::target_dir().join("wasm/stamp");
    let begun = SystemTime::now();
    let stamp = stamp(&root, &toolchain, release, &output)?;
    if output.exists() && fs::read_to_string(&stamp_file).is_ok_and(|last| last == stamp) {
        is_as_of(&output, begun)?;
        return Ok(output);
    }
    let profile = if release { "wasm" } else { "dev" };
    let mut cargo = cargo(&toolchain)?;
    cargo.current_dir(&root).args(["rustc", "--quiet", "--package", "widgets", "--lib", "--crate-type", "cdylib"]);
    cargo.args(["--target", TARGET, "--profile", profile]).env("CARGO_TARGET_DIR", tools::target_dir().join("wasm"));
    tools::run("widget engine for the browser", &mut cargo)?;
    let folder = if release { "wasm" } else { "debug" };
    let built = tools::target_dir().join("wasm").join(TARGET).join(folder).join("widgets.wasm");
    fs::create_dir_all(output.parent().expect("a folder of the checkout"))?;
    fs::copy(&built, &output).map_err(|e| format!("{}: {e}", built.display()))?;
    is_as_of(&output, begun)?;
    // Written last: an interrupted build is done again.
    fs::write(&stamp_file, self::stamp(&root, &toolchain, release, &output)?)?;
    println!("{OUTPUT}: {} bytes", fs::metadata(&output)?.len());
    Ok(output)
}

/// The page's build takes the engine only where no source is younger (ui/vite.config.ts), also where a checkout has only made
/// the sources look so.
fn is_as_of(output: &Path, begun: SystemTime) -> Result<()> {
    Ok(fs::File::options().append(true).open(output)?.set_modified(begun)?)
}

/// The first way that works.
fn toolchain() -> Result<Toolchain> {
    let choice = std::env::var(CHOICE).unwrap_or_default();
    if choice != "debian" && (has_target() || rustup_adds_target()) {
        return Ok(Toolchain::Own);
    }
    if choice == "rustup" {
        return Err(format!("the target {TARGET} is not installed and rustup could not add it. {REMEDY}").into());
    }
    match debian() {
        Ok(folder) => Ok(Toolchain::Debian(folder)),
        Err(e) => Err(format!(
            "the widget engine cannot be built for the browser here: the Rust toolchain has no target {TARGET}, rustup could not add it, and {e}. {REMEDY}"
        )
        .into()),
    }
}

fn has_target() -> bool {
    // Asked in the checkout, whose rust-toolchain file may choose another toolchain than the caller's folder.
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let Some(sysroot) = read(rustc.current_dir(tools::root()).args(["--print", "sysroot"])) else { return false };
    Path::new(sysroot.trim()).join("lib/rustlib").join(TARGET).join("lib").is_dir()
}

fn rustup_adds_target() -> bool {
    let mut rustup = Command::new("rustup");
    rustup.current_dir(tools::root()).args(["target", "add", TARGET]).env("RUSTUP_MAX_RETRIES", "1");
    rustup.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success()) && has_target()
}

/// The cargo that builds with the toolchain.
fn cargo(toolchain: &Toolchain) -> Result<Command> {
    // Our own cargo sets RUSTFLAGS and the like for its children only if the person did: those belong to the host.
    let mut cargo = Command::new("cargo");
    // What inlining at level "s" wins is lost in the noise, and the module is 9 KiB smaller where only the smallest is inlined.
    let mut flags = "-C target-feature=+simd128,+bulk-memory -C llvm-args=-inline-threshold=15".to_owned();
    if let Toolchain::Debian(folder) = toolchain {
        let bin = folder.join("usr/bin");
        let linker = one(&bin, "wasm-ld-")?;
        cargo.env("RUSTC", bin.join("rustc")).env("LD_LIBRARY_PATH", library_path(folder)?);
        cargo.env("RUSTC_BOOTSTRAP", "1").arg("-Zbuild-std=std,panic_abort");
        flags += &format!(" -C linker-flavor=wasm-ld -C linker={}", linker.display());
    }
    cargo.env_remove("CARGO_ENCODED_RUSTFLAGS").env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags);
    Ok(cargo)
}

/// What the result depends on, and the result itself, so that a file changed by hand is built anew.
fn stamp(root: &Path, toolchain: &Toolchain, release: bool, output: &Path) -> Result<String> {
    let version = match toolchain {
        Toolchain::Own => read(Command::new("rustc").current_dir(root).arg("-vV")).unwrap_or_default(),
        Toolchain::Debian(folder) => folder.display().to_string(),
    };
    let mut hasher = DefaultHasher::new();
    (release, version).hash(&mut hasher);
    for file in ["Cargo.lock", "Cargo.toml", "crates/widgets/Cargo.toml"] {
        fs::read(root.join(file)).map_err(|e| format!("{file}: {e}"))?.hash(&mut hasher);
    }
    hash_folder(&root.join("crates/widgets/src"), &mut hasher)?;
    fs::read(output).unwrap_or_default().hash(&mut hasher);
    Ok(format!("{:016x}", hasher.finish()))
}

fn hash_folder(folder: &Path, hasher: &mut DefaultHasher) -> Result<()> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            hash_folder(&path, hasher)?;
        } else {
            path.file_name().hash(hasher);
            fs::read(&path)?.hash(hasher);
        }
    }
    Ok(())
}

/// Debian's compiler for the web, extracted beside the builds; the folder is named after the versions in it.
fn debian() -> Result<PathBuf> {
    if cfg!(not(target_os = "linux")) || !tools::has("apt-get") || !tools::has("dpkg") {
        return Err("this is not a Debian system".into());
    }
    fetched().or_else(|_| {
        // A fresh machine has no lists yet, and an old list names packages that are gone.
        let _ = Command::new("apt-get").args(["update", "-qq"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
        fetched()
    })
}

fn fetched() -> Result<PathBuf> {
    let packages = packages()?;
    let mut hasher = DefaultHasher::new();
    packages.hash(&mut hasher);
    let folder = tools::target_dir().join(format!("wasm-toolchain/{:016x}", hasher.finish()));
    if folder.join("complete").exists() {
        return Ok(folder);
    }
    println!("fetching Debian's Rust for WebAssembly (140 MB, once)");
    let parcels = folder.join("debs");
    fs::create_dir_all(&parcels)?;
    let quiet = |command: &mut Command| command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !quiet(Command::new("apt-get").current_dir(&parcels).args(["download", "-qq"]).args(&packages))?.success() {
        return Err(format!("`apt-get download {}` failed", packages.join(" ")).into());
    }
    for parcel in fs::read_dir(&parcels)? {
        let parcel = parcel?.path();
        if !Command::new("dpkg").arg("-x").arg(&parcel).arg(&folder).status()?.success() {
            return Err(format!("{} could not be extracted", parcel.display()).into());
        }
    }
    fs::remove_dir_all(&parcels)?;
    fs::write(folder.join("complete"), "")?;
    Ok(folder)
}

/// The packages with their versions, which move with each security upload: `rustc-web=1.96.0+...`.
fn packages() -> Result<Vec<String>> {
    let mut named = Vec::new();
    let compiler = candidate("rustc-web")?;
    for name in ["rustc-web", "rust-web-src", "libstd-rust-web-dev"] {
        named.push(format!("{name}={compiler}"));
    }
    // 1.96.0+dfsg1-1~deb12u2 has its library in libstd-rust-web-1.96.
    let short: Vec<&str> = compiler.split('.').take(2).collect();
    named.push(format!("libstd-rust-web-{}={compiler}", short.join(".")));
    let depends = read(Command::new("apt-cache").args(["depends", &named[3]])).unwrap_or_default();
    let llvm = depends
        .split_whitespace()
        .find(|word| word.starts_with("libllvm"))
        .ok_or("rustc-web's LLVM is not known to apt")?;
    let linker = llvm.replace("libllvm", "lld-");
    for name in [llvm, &linker] {
        named.push(format!("{name}={}", candidate(name)?));
    }
    Ok(named)
}

/// The version that apt would install.
fn candidate(package: &str) -> Result<String> {
    let policy = read(Command::new("apt-cache").args(["policy", package]).env("LC_ALL", "C")).unwrap_or_default();
    let version = policy.lines().find_map(|line| line.trim().strip_prefix("Candidate: ")).filter(|v| *v != "(none)");
    Ok(version.ok_or_else(|| format!("apt knows no package {package}"))?.to_owned())
}

fn library_path(folder: &Path) -> Result<std::ffi::OsString> {
    let lib = folder.join("usr/lib");
    let mut paths = vec![one(&lib, &format!("{}-", std::env::consts::ARCH))?];
    paths.extend(std::env::split_paths(&std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default()));
    Ok(std::env::join_paths(paths)?)
}

/// The entry of a folder whose name begins so.
fn one(folder: &Path, prefix: &str) -> Result<PathBuf> {
    for entry in fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))? {
        let path = entry?.path();
        if path.file_name().and_then(|n| n.to_str()).is_some_and(|name| name.starts_with(prefix)) {
            return Ok(path);
        }
    }
    Err(format!("{} has no {prefix}*", folder.display()).into())
}

/// What a command prints, where it succeeds.
fn read(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}
