//! Copies that make a tool load the same text twice.

/// The file that several tools read beside their own.
const SHARED: &str = "AGENTS.md";
/// The primary engine's file. It reads the shared one only where its own is missing.
const PRIMARY: &str = "PRIMARY.md";
/// Files of tools that can read the shared one, too.
const OWN_FILES: &[&str] = &[".altrules2", ".altrules3/base.md", ".github/alt4-instructions.md", ".altrules5"];

/// Why a copy makes a tool load the text twice; empty if it doesn't. `files` are the source and all copies.
pub(crate) fn warning(name: &str, source: &str, text: &str, files: &[&str]) -> String {
    let import = format!("@{name}");
    if text.split_whitespace().any(|word| word == import || word.strip_prefix("@./") == Some(name)) {
        return format!("{source} imports {import}: tools that follow imports load the text twice.");
    }
    let is_shared = files.contains(&SHARED);
    if [SHARED, PRIMARY].contains(&name) && is_shared && files.contains(&PRIMARY) {
        return format!(
            "Tools that read both {SHARED} and {PRIMARY} load the text twice. The primary engine reads only {PRIMARY}."
        );
    }
    if OWN_FILES.contains(&name) && is_shared {
        return format!("If its tool also reads {SHARED}, it loads the text twice. Use only one of the two for it.");
    }
    String::new()
}
