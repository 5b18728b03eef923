//! `cargo xtask release VERSION`: joins the changelog fragments of `changes/` into `CHANGELOG.md`.

use crate::tools::{self, Failure};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Sections of Keep a Changelog, in their order.
const SECTIONS: [&str; 5] = ["Added", "Changed", "Fixed", "Removed", "Security"];
/// Longest line of a fragment, in characters.
const LINE_MAX: usize = 120;
const UNRELEASED: &str = "## [Unreleased]\n";

/// Moves everything that is unreleased under a version's heading.
pub fn join(version: &str) -> Result<(), Failure> {
    if version.split('.').count() != 3 || !version.split('.').all(|part| part.parse::<u32>().is_ok()) {
        return Err(format!("`{version}` isn't a version. Use three numbers, such as 1.4.0."));
    }
    let root = tools::root();
    let fragments = read(&root.join("changes"))?;
    let path = root.join("CHANGELOG.md");
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let date = date()?;
    fs::write(&path, joined(&text, version, &date, &fragments)?).map_err(|e| format!("{}: {e}", path.display()))?;
    for fragment in fragments {
        fs::remove_file(&fragment.path).map_err(|e| format!("{}: {e}", fragment.path.display()))?;
    }
    Ok(())
}

/// Checks all fragments, as part of `cargo xtask test`.
pub fn check() -> Result<(), Failure> {
    read(&tools::root().join("changes")).map(drop)
}

struct Fragment {
    path: PathBuf,
    section: &'static str,
    text: String,
}

fn read(folder: &Path) -> Result<Vec<Fragment>, Failure> {
    let mut fragments = Vec::new();
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.file_name().is_some_and(|name| name == "README.md") || path.extension().is_none_or(|e| e != "md") {
            continue;
        }
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let (section, text) = parse(&text).map_err(|why| format!("{}: {why}", path.display()))?;
        fragments.push(Fragment { path, section, text });
    }
    Ok(fragments)
}

fn parse(text: &str) -> Result<(&'static str, String), Failure> {
    let line = text.trim_end();
    let (section, change) = line.split_once(": ").unwrap_or(("", line));
    let Some(section) = SECTIONS.iter().find(|name| **name == section) else {
        return Err(format!("Begin the line with a section and a colon: {}.", SECTIONS.join(", ")));
    };
    if change.trim().is_empty() || change.contains('\n') || change.chars().count() > LINE_MAX {
        return Err(format!("Describe one change in one line of at most {LINE_MAX} characters."));
    }
    Ok((section, change.to_owned()))
}

fn joined(changelog: &str, version: &str, date: &str, fragments: &[Fragment]) -> Result<String, Failure> {
    let (before, after) = changelog.split_once(UNRELEASED).ok_or("CHANGELOG.md has no `## [Unreleased]` heading.")?;
    let mut sections: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for fragment in fragments {
        let place = SECTIONS.iter().position(|name| *name == fragment.section).unwrap_or_default();
        sections.entry(place).or_default().push(&fragment.text);
    }
    let new: String = sections
        .into_iter()
        .map(|(place, lines)| {
            let list: String = lines.into_iter().map(|line| format!("- {line}\n")).collect();
            format!("\n### {}\n{list}", SECTIONS[place])
        })
        .collect();
    Ok(format!("{before}{UNRELEASED}\n## [{version}] - {date}\n{new}{after}"))
}

/// Today in the form YYYY-MM-DD.
fn date() -> Result<String, Failure> {
    let output = std::process::Command::new("date").arg("+%F").output().map_err(|e| format!("date: {e}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_stand_under_their_sections_and_the_version() {
        let fragment = |section, text: &str| Fragment { path: PathBuf::new(), section, text: text.into() };
        let fragments =
            [fragment("Fixed", "A fix."), fragment("Added", "A feature."), fragment("Fixed", "Another fix.")];
        let text = "# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - 2026-01-01\n";
        let joined = joined(text, "1.1.0", "2026-02-03", &fragments).unwrap();
        assert_eq!(
            joined,
            "# Changelog\n\n## [Unreleased]\n\n## [1.1.0] - 2026-02-03\n\n### Added\n- A feature.\n\n### Fixed\n- A fix.\n- Another fix.\n\n## [1.0.0] - 2026-01-01\n"
        );
    }

    #[test]
    fn a_fragment_is_one_short_line_with_a_section() {
        assert_eq!(parse("Added: Export as PDF.\n").unwrap(), ("Added", "Export as PDF.".to_owned()));
        for (text, why) in [
            ("Export as PDF.", "Begin the line"),
            ("New: Export as PDF.", "Begin the line"),
            ("Added: ", "Begin the line"),
            ("Added: One.\nTwo.", "one line"),
        ] {
            assert!(parse(text).unwrap_err().contains(why), "{text}");
        }
        assert!(parse(&format!("Fixed: {}", "x".repeat(121))).is_err());
    }
}
