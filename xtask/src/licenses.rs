//! Licenses of dependencies. npm packages are read here; crates are checked by cargo-deny, with the list in `deny.toml`.

use crate::tools::{self, Failure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const LIST: &str = "deny.toml";
/// How cargo-deny begins its complaint when it can't download the advisories.
const NO_DATABASE: &str = "failed to fetch advisory database";

/// Checks the licenses, sources, and known vulnerabilities of all crates, and the licenses of all npm packages.
pub fn check() -> Result<(), Failure> {
    let deny = tools::cargo_tool("cargo-deny", "0.20.2")?;
    let checked = |what: &str, checks: &[&str]| {
        let mut lines = String::new();
        let outcome =
            tools::run_read(what, Command::new(&deny).args(["--all-features", "check"]).args(checks), &mut |line| {
                lines += line;
            });
        (outcome, lines)
    };
    checked("licenses of crates", &["licenses", "bans", "sources"]).0?;
    let mut window = Command::new(&deny);
    window.args(["--manifest-path", "crates/desktop/Cargo.toml", "--all-features", "--config"]);
    window.arg(tools::root().join(LIST)).args(["check", "licenses", "bans", "sources"]);
    tools::run("licenses of the desktop window", &mut window)?;
    let (advisories, lines) = checked("advisories", &["advisories"]);
    if advisories.is_err() && lines.contains(NO_DATABASE) {
        println!(
            "Advisories weren't checked: can't reach the RustSec database. Run this again with a network connection."
        );
    } else {
        advisories?;
    }
    check_npm()
}

fn check_npm() -> Result<(), Failure> {
    println!("\n=== licenses of npm packages");
    let list = std::fs::read_to_string(LIST).map_err(|e| format!("{LIST}: {e}"))?;
    let allowed_licenses = list_in(&list);
    let packages = npm_packages()?;
    let rejected: BTreeMap<_, _> =
        packages.iter().filter(|(_, license)| !allowed(license, &allowed_licenses)).collect();
    if rejected.is_empty() {
        println!("{} packages, all under allowed licenses", packages.len());
        return Ok(());
    }
    let lines: Vec<String> = rejected.iter().map(|(name, license)| format!("{name}: {license}")).collect();
    Err(format!("npm packages under licenses that aren't allowed (the list is in {LIST}):\n  {}", lines.join("\n  ")))
}

/// The array `allow` of the list; its entries stand one per line.
fn list_in(toml: &str) -> Vec<&str> {
    let entries =
        toml.lines().map(str::trim).skip_while(|line| *line != "allow = [").skip(1).take_while(|line| *line != "]");
    entries.map(|line| line.trim_end_matches(',').trim_matches('"')).collect()
}

/// Whether an SPDX expression can be met with accepted licenses alone.
fn allowed(expression: &str, list: &[&str]) -> bool {
    let plain = expression.replace(['(', ')'], " ").replace('/', " OR ");
    let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    // AND binds tighter than OR. Parentheses are rare and only ever group an OR; then each side is checked alone.
    if expression.contains(") AND ") || expression.contains(" AND (") {
        return words.split(" AND ").all(|part| part.split(" OR ").any(|one| list.contains(&one)));
    }
    words.split(" OR ").any(|part| part.split(" AND ").all(|one| list.contains(&one)))
}

fn npm_packages() -> Result<BTreeMap<String, String>, Failure> {
    let mut found = BTreeMap::new();
    read_modules(&tools::root().join("node_modules"), &mut found);
    if found.is_empty() { Err("node_modules holds no packages to check.".into()) } else { Ok(found) }
}

fn read_modules(dir: &Path, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if name.starts_with('.') || !path.is_dir() {
            continue;
        }
        if name.starts_with('@') {
            read_modules(&path, found);
            continue;
        }
        let package =
            std::fs::read(path.join("package.json")).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        if let Some(package) = package {
            let license = package["license"].as_str().or(package["license"]["type"].as_str()).unwrap_or("none stated");
            let name = package["name"].as_str().unwrap_or(&name).to_owned();
            found.insert(format!("npm {name} {}", package["version"].as_str().unwrap_or_default()), license.to_owned());
        }
        read_modules(&path.join("node_modules"), found);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_expression_needs_allowed_licenses_only() {
        let list = super::list_in(
            "[licenses]\nallow = [\n    \"Apache-2.0\",\n    \"Apache-2.0 WITH LLVM-exception\",\n    \"MIT\",\n    \"Unicode-3.0\",\n]\nother = [\n",
        );
        assert_eq!(list, ["Apache-2.0", "Apache-2.0 WITH LLVM-exception", "MIT", "Unicode-3.0"]);
        for (expression, expected) in [
            ("MIT", true),
            ("MIT OR Apache-2.0", true),
            ("MIT/Apache-2.0", true),
            ("GPL-3.0", false),
            ("GPL-3.0 OR MIT", true),
            ("MIT AND GPL-3.0", false),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("(MIT OR GPL-2.0) AND AGPL-3.0", false),
            ("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT", true),
            ("none stated", false),
        ] {
            assert_eq!(super::allowed(expression, &list), expected, "{expression}");
        }
    }
}
