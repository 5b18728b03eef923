//! The log on standard error: its level, and a cap on what libraries log.

use crate::features;
use std::io::{self, Write};
use tracing::{Level, Metadata};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

/// Variable that sets the level; documented in the help.
pub const VARIABLE: &str = "PILOTHOUSE_LOG";
/// The default level.
const USUAL: &str = "warn";
/// Our crates besides the features. They never log sent data, so any level is allowed.
const OURS: [&str; 27] = [
    "pilothouse",
    "cli",
    "column_types",
    "engines",
    "events",
    "git",
    "guide",
    "ical",
    "inbox_rows",
    "kit",
    "ledger",
    "links",
    "models",
    "notify",
    "outbound",
    "proxy",
    "reactions",
    "platform",
    "schedule",
    "secrets",
    "server",
    "sound",
    "store",
    "supervisor",
    "table_import",
    "when",
    "widgets",
];

/// Starts logging.
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
        // An unwritable line, such as on a full disk, must not end its thread.
        .log_internal_errors(false);
    // The cap is a separate filter, because in one filter a named library module would override it.
    let cap = filter_fn(move |line: &Metadata<'_>| *line.level() <= most(&ours, line.target()));
    tracing_subscriber::registry().with(lines.with_filter(asked)).with(cap).init();
}

/// The cap for a crate. Below warnings, libraries log sent and received data with tokens and bodies, and the MCP
/// library warns about every mistake of a caller, who gets an error anyway.
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
            // What is only used by tests logs nothing; `app` is the program itself, and `desktop` is another one.
            .filter(|name| !["testkit", "app", "desktop"].contains(&name.as_str()))
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
