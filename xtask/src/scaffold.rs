//! `cargo xtask new-feature NAME`: makes a folder under `features/` from the templates and registers it in `crates/app`.

use crate::tools::{self, Failure};
use std::fs;
use std::path::Path;

/// Files of a new feature: path in its folder, and template. NAME, TITLE, and TYPE are replaced in both.
const FILES: [(&str, &str); 6] = [
    ("Cargo.toml", include_str!("../templates/Cargo.toml.txt")),
    ("src/lib.rs", include_str!("../templates/lib.rs.txt")),
    ("ui/index.tsx", include_str!("../templates/index.tsx.txt")),
    ("ui/TYPEPage.tsx", include_str!("../templates/Page.tsx.txt")),
    ("ui/page.test.tsx", include_str!("../templates/page.test.tsx.txt")),
    ("e2e/NAME.spec.ts", include_str!("../templates/spec.ts.txt")),
];

/// The line in `crates/app/Cargo.toml` after which features are listed.
const DEPENDENCIES: &str = "sessions = { path = \"../../features/sessions\" }\n";
/// The end of the list in `crates/app/src/features.rs`, before which a feature is listed.
const END_OF_LIST: &str = "    ]\n";

/// Makes the feature in the checkout.
pub fn new_feature(name: &str) -> Result<(), Failure> {
    make(&tools::root(), name)?;
    // Where a line breaks depends on the name.
    tools::run("format", tools::command("cargo fmt --package").arg(name))?;
    println!(
        "features/{name} is ready. Next: `cargo xtask gen`, then `cargo xtask test {name}`. Docs: docs/decisions/005-adding-a-feature.md"
    );
    Ok(())
}

fn make(root: &Path, name: &str) -> Result<(), Failure> {
    let is_name = name.len() <= 30
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    if !is_name {
        return Err(format!(
            "`{name}` isn't a feature name. Use up to 30 lowercase letters and digits, such as `feeds`."
        ));
    }
    let folder = root.join("features").join(name);
    if folder.exists() || root.join("crates").join(name).exists() {
        return Err(format!("`{name}` exists. Choose another name."));
    }
    let title = name[..1].to_uppercase() + &name[1..];
    let fill = |text: &str| text.replace("NAME", name).replace("TITLE", &title).replace("TYPE", &title);
    // The manifest and the list first: nothing is written where they can't be extended.
    let dependency = format!("{name} = {{ path = \"../../features/{name}\" }}\n");
    let manifest = extended(&root.join("crates/app/Cargo.toml"), DEPENDENCIES, &format!("{DEPENDENCIES}{dependency}"))?;
    let list = extended(
        &root.join("crates/app/src/features.rs"),
        END_OF_LIST,
        &format!("        {name}::feature(),\n{END_OF_LIST}"),
    )?;
    for (path, template) in FILES {
        let path = folder.join(fill(path));
        fs::create_dir_all(path.parent().expect("a folder")).map_err(|e| format!("{}: {e}", path.display()))?;
        fs::write(&path, fill(template)).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    for (path, text) in [manifest, list] {
        fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

/// The file with the first place of a line replaced by that line and a new one.
fn extended(path: &Path, place: &str, both: &str) -> Result<(std::path::PathBuf, String), Failure> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    if !text.contains(place) {
        return Err(format!(
            "{}: the line `{}` is missing, so the feature can't be registered.",
            path.display(),
            place.trim()
        ));
    }
    Ok((path.to_owned(), text.replacen(place, both, 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A checkout with the two files that a new feature extends, as they are here.
    fn checkout(name: &str) -> std::path::PathBuf {
        let root = std::env::temp_dir().join(format!("pilothouse-xtask-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        for path in ["crates/app/Cargo.toml", "crates/app/src/features.rs"] {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::copy(tools::root().join(path), root.join(path)).unwrap();
        }
        root
    }

    #[test]
    fn a_new_feature_is_registered_and_complete() {
        let root = checkout("made");
        make(&root, "feeds").unwrap();
        let read = |path: &str| fs::read_to_string(root.join(path)).unwrap();
        assert!(read("crates/app/Cargo.toml").contains("\nfeeds = { path = \"../../features/feeds\" }\n"));
        assert!(read("crates/app/src/features.rs").contains("        feeds::feature(),\n    ]"));
        assert!(read("features/feeds/src/lib.rs").contains("\"feeds.list\", Method::Get, \"/feeds\""));
        assert!(read("features/feeds/ui/FeedsPage.tsx").contains("<Page title=\"Feeds\">"));
        for (path, _) in FILES {
            let path = path.replace("NAME", "feeds").replace("TYPE", "Feeds");
            let text = read(&format!("features/feeds/{path}"));
            assert!(!["NAME", "TITLE", "TYPE"].iter().any(|word| text.contains(word)), "{path}: {text}");
        }
        assert!(make(&root, "feeds").unwrap_err().contains("Choose another name"));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_name_that_is_no_folder_makes_nothing() {
        let root = checkout("refused");
        for name in ["", "Feeds", "my-feeds", "../feeds", "1feed"] {
            assert!(make(&root, name).unwrap_err().contains("isn't a feature name"), "{name}");
        }
        assert!(!root.join("features").exists());
        fs::remove_dir_all(root).unwrap();
    }
}
