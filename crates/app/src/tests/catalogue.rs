//! The settings of all features together: the whole catalogue, whichever feature declares a row.

use crate::features;
use kit::Catalogue;
use kit::setting::Shape;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn every_section_has_its_settings() {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let all = features::catalogue();
    for spec in &all {
        *counts.entry((spec.area, spec.section)).or_default() += 1;
    }
    let expected = BTreeMap::from([
        (("Getting Started", "getting started"), 1),
        (("Sessions & Agents", "agent control"), 33),
        (("Sessions & Agents", "prompts and presentation"), 32),
        (("Sessions & Agents", "project-board module display and inbox"), 12),
        (("Sessions & Agents", "resilience, restart and revive"), 17),
        (("Sessions & Agents", "cloud"), 4),
        (("Sessions & Agents", "performance and resources"), 14),
        (("Sessions & Agents", "analysis and cost"), 4),
        (("Inbox & Notifications", "alarms"), 13),
        (("Inbox & Notifications", "inbox behaviour and notices"), 37),
        (("Inbox & Notifications", "calendar"), 8),
        (("Inbox & Notifications", "mail, files, documents and feeds"), 32),
        (("Inbox & Notifications", "messaging, spam and mail client"), 28),
        (("Inbox & Notifications", "diagnostics and bugs"), 5),
        (("Projects & Tasks", "tasks"), 7),
    ]);
    assert_eq!(counts, expected);
    assert_eq!(all.len(), 247);
    assert_eq!(all.iter().map(|s| s.key).collect::<BTreeSet<_>>().len(), 247, "every key once");
}

#[test]
fn rows_of_different_features_are_told_apart_and_described() {
    let (mut titles, mut docs) = (BTreeSet::new(), BTreeSet::new());
    for spec in features::catalogue() {
        assert_eq!(spec.check(&spec.default_json()), Ok(()), "{}", spec.key);
        assert!(titles.insert(spec.title()), "{}: another is {} too", spec.key, spec.title());
        let doc = spec.doc.trim();
        assert!(doc.starts_with(char::is_uppercase) && doc.ends_with('.'), "{}: {doc}", spec.key);
        assert!(docs.insert(doc), "{} repeats another's description", spec.key);
        let Shape::Select(choices) = spec.shape else { continue };
        assert!(choices.iter().all(|choice| choice.doc.trim().ends_with('.')), "{}", spec.key);
    }
}

/// A row leaves `awaiting` together with its feature being built.
#[test]
fn what_awaits_its_feature_is_declared_and_what_boards_obey_is_not_among_it() {
    let catalogue = Catalogue::of(&features::all());
    assert!(catalogue.awaiting.iter().all(|key| catalogue.find(key).is_some()));
    for key in ["projectBoardsEnabled", "pmBoardDensity", "pmColorMode", "pmSetupPreset"] {
        assert!(catalogue.find(key).is_some() && !catalogue.awaiting.contains(key), "{key}");
    }
}
