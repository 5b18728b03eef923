//! The log on standard error: how much of it a person chooses, and what no choice lets in.

use crate::features;
use std::io::{self, Write};
use tracing::{Level, Metadata};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

/// Says what is logged; documented in the help.
pub const VARIABLE: &str = "PILOTHOUSE_LOG";
/// What is logged unless the variable says otherwise.
const USUAL: &str = "warn";
/// Our crates beside the features. They log what happened, never what was sent, so they may log as much as is asked for.
const OURS: [&str; 14] = [
    "pilothouse",
    "cli",
    "column_types",
    "engines",
    "events",
    "inbox_rows",
    "kit",
    "platform",
    "secrets",
    "server",
    "store",
    "supervisor",
    "table_import",
    "widgets",
];

/// Begins to log.
pub fn begin() {
    let ours: Vec<&str> = OURS.into_iter().chain(features::all().iter().map(|feature| feature.name)).collect();
    let asked = match std::env::var(VARIABLE) {
        Err(_) => USUAL.into(),
        Ok(text) => EnvFilter::try_new(&text).unwrap_or_else(|e| {
            let _ = writeln!(io::stderr(), "pilothouse: {VARIABLE} is invalid, so only warnings are logged: {e}.");
            USUAL.into()
        }),
    };
    let lines = fmt::layer()
        .with_writer(io::stderr)
        // A line that cannot be written, as to a file on a full disk, must not end the thread that wrote it.
        .log_internal_errors(false);
    // The cap stands apart from what is asked for: in one filter, whoever names a library's module would go before it.
    let cap = filter_fn(move |line: &Metadata<'_>| *line.level() <= most(&ours, line.target()));
    tracing_subscriber::registry().with(lines.with_filter(asked)).with(cap).init();
}

/// The most that a crate may log. Libraries tell below a warning what they send and receive, tokens and bodies among it, and
/// the MCP library warns of every mistake of a caller, who is told.
fn most(ours: &[&str], target: &str) -> Level {
    match target.split("::").next().unwrap_or_default() {
        name if ours.contains(&name) => Level::TRACE,
        "rmcp" => Level::ERROR,
        _ => Level::WARN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_crate_of_ours_may_log_and_no_library_may_tell_what_it_carries() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folders = |of: &str| -> Vec<String> {
            let entries = std::fs::read_dir(root.join(of)).expect("a folder");
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
        };
        let listed = features::all();
        let mut features: Vec<&str> = listed.iter().map(|feature| feature.name).collect();
        let mut of_features = folders("features");
        features.sort_unstable();
        of_features.sort();
        assert_eq!(features, of_features, "a feature is called as its folder and crate are");
        let mut crates: Vec<String> = folders("crates")
            .into_iter()
            // What is only used by tests logs nothing; `app` is the program itself.
            .filter(|name| name != "testkit" && name != "app")
            .map(|name| name.replace('-', "_"))
            .chain(["pilothouse".to_owned()])
            .collect();
        crates.sort();
        let mut ours = OURS.map(str::to_owned).to_vec();
        ours.sort();
        assert_eq!(ours, crates);
        for (target, expected) in [
            ("server::serve", Level::TRACE),
            ("pilothouse", Level::TRACE),
            ("rmcp", Level::ERROR),
            ("rmcp::service", Level::ERROR),
            ("hyper::proto::h1::role", Level::WARN),
            ("servers::serve", Level::WARN),
            ("", Level::WARN),
        ] {
            assert_eq!(most(&OURS, target), expected, "{target}");
        }
    }
}
