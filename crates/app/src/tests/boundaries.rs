//! Who may know whom. A failure says what to do instead.

use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

/// Names of our packages with their folder and the names of ours that they depend on (not for tests).
fn packages() -> BTreeMap<String, (String, Vec<String>)> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let names: Vec<&str> = packages.iter().filter_map(|p| p["name"].as_str()).collect();
    let one = |p: &Value| {
        let folder = p["manifest_path"].as_str().unwrap_or_default().rsplit('/').nth(2).unwrap_or_default().to_owned();
        let ours = p["dependencies"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|d| d["kind"].is_null())
            .filter_map(|d| d["name"].as_str());
        let ours = ours.filter(|name| names.contains(name)).map(str::to_owned).collect();
        (p["name"].as_str().unwrap_or_default().to_owned(), (folder, ours))
    };
    packages.iter().map(one).collect()
}

#[test]
fn features_know_only_the_platform() {
    for (name, (folder, ours)) in packages() {
        if folder == "features" {
            let allowed = [
                "kit",
                "events",
                "store",
                "widgets",
                "guide",
                "ical",
                "inbox-rows",
                "ledger",
                "links",
                "models",
                "notify",
                "outbound",
                "proxy",
                "reactions",
                "schedule",
                "engines",
                "git",
                "supervisor",
                "platform",
                "secrets",
                "sound",
                "column-types",
                "table-import",
                "when",
            ];
            let others: Vec<_> = ours.iter().filter(|o| !allowed.contains(&o.as_str())).collect();
            assert!(
                others.is_empty(),
                "{name} depends on {others:?}: declare an event in crates/events or a hook in crates/kit/src/lookup.rs instead"
            );
        }
    }
}

#[test]
fn the_platform_points_one_way() {
    let packages = packages();
    for (name, allowed) in [
        ("kit", vec![]),
        ("widgets", vec![]),
        ("platform", vec!["kit"]),
        ("events", vec!["kit"]),
        ("store", vec!["kit"]),
        ("column-types", vec!["kit", "widgets"]),
        ("table-import", vec!["kit", "column-types", "platform", "store", "widgets"]),
        ("inbox-rows", vec!["kit", "events", "store"]),
        ("when", vec!["kit", "schedule"]),
        ("guide", vec![]),
        ("ical", vec![]),
        ("ledger", vec!["kit", "store"]),
        ("links", vec!["kit", "store"]),
        ("models", vec!["kit", "ledger", "outbound", "secrets", "store"]),
        ("notify", vec!["kit"]),
        ("outbound", vec!["kit"]),
        ("proxy", vec![]),
        ("reactions", vec!["kit", "events", "schedule", "store"]),
        ("schedule", vec!["kit", "store"]),
        ("engines", vec!["kit", "platform"]),
        ("git", vec!["engines"]),
        ("secrets", vec!["kit"]),
        ("sound", vec![]),
        ("supervisor", vec!["engines"]),
        ("server", vec!["kit", "events"]),
        ("cli", vec!["kit"]),
        ("supervisor", vec!["engines"]),
    ] {
        let (_, ours) = &packages[name];
        let wrong: Vec<_> = ours.iter().filter(|o| !allowed.contains(&o.as_str())).collect();
        assert!(
            wrong.is_empty(),
            "{name} depends on {wrong:?}: what it needs of them belongs into kit, or the caller hands it in"
        );
    }
}

#[test]
fn only_the_app_names_the_features() {
    let packages = packages();
    let features: Vec<_> =
        packages.iter().filter(|(_, (folder, _))| folder == "features").map(|(name, _)| name.clone()).collect();
    for (name, (_, ours)) in packages.iter().filter(|(name, _)| *name != "app") {
        assert!(ours.iter().all(|o| !features.contains(o)), "{name} knows a feature; only crates/app may");
    }
}
