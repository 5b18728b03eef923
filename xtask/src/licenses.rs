//! Every dependency's licence must be one of these. Read from what cargo and npm themselves say of the installed packages.

use crate::{Failure, tools};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Licences that a program may be shipped under together with ours. No copyleft that reaches beyond its own file.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BlueOak-1.0.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CC-BY-4.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "OFL-1.1",
    "Python-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Checks crates and npm packages.
pub fn check() -> Result<(), Failure> {
    println!("\n=== licences");
    let mut packages = crates()?;
    packages.extend(npm_packages()?);
    let refused: BTreeMap<_, _> = packages.iter().filter(|(_, licence)| !allowed(licence)).collect();
    if refused.is_empty() {
        println!("{} packages, all of them under an accepted licence", packages.len());
        return Ok(());
    }
    let list: Vec<String> = refused.iter().map(|(name, licence)| format!("{name}: {licence}")).collect();
    Err(format!(
        "packages under a licence that is not accepted (the list is in xtask/src/licences.rs):\n  {}",
        list.join("\n  ")
    ))
}

/// Whether an SPDX expression can be met with accepted licences alone.
fn allowed(expression: &str) -> bool {
    let plain = expression.replace(['(', ')'], " ").replace('/', " OR ");
    let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    // AND binds tighter than OR. Parentheses are rare and only ever group an OR; then each side is asked for by itself.
    if expression.contains(") AND ") || expression.contains(" AND (") {
        return words.split(" AND ").all(|part| part.split(" OR ").any(|one| ALLOWED.contains(&one)));
    }
    words.split(" OR ").any(|part| part.split(" AND ").all(|one| ALLOWED.contains(&one)))
}

fn crates() -> Result<BTreeMap<String, String>, Failure> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--locked"])
        .output()
        .map_err(|e| format!("cargo metadata: {e}"))?;
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata names no packages")?;
    let text = |value: &Value| value.as_str().unwrap_or("none stated").to_owned();
    Ok(packages
        .iter()
        .map(|p| (format!("{} {}", text(&p["name"]), text(&p["version"])), text(&p["license"])))
        .collect())
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
            let licence = package["license"].as_str().or(package["license"]["type"].as_str()).unwrap_or("none stated");
            let name = package["name"].as_str().unwrap_or(&name).to_owned();
            found.insert(format!("npm {name} {}", package["version"].as_str().unwrap_or_default()), licence.to_owned());
        }
        read_modules(&path.join("node_modules"), found);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn expressions_are_met_by_accepted_licences_alone() {
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
            assert_eq!(super::allowed(expression), expected, "{expression}");
        }
    }
}
