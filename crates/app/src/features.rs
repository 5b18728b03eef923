//! The list of features: the only place to add a new one.

use kit::setting::Spec;
use kit::{Catalog, Code, Feature, Migration, Op};

/// Every feature, in the order in which they start.
pub fn all() -> Vec<Feature> {
    // Accounts start first, then settings, because other features can read both when they start.
    vec![
        accounts::feature(),
        settings::feature(),
        boards::feature(),
        dashboards::feature(),
        inbox::feature(),
        model_providers::feature(),
        notifications::feature(),
        asking::feature(),
        sessions::feature(),
        terminals::feature(),
        running_apps::feature(),
        alarms::feature(),
        bookmarks::feature(),
        meeting_rooms::feature(),
        instructions::feature(),
        analytics::feature(),
        digests::feature(),
        resources::feature(),
        sticky_notes::feature(),
        scheduled_messages::feature(),
        drip::feature(),
        pomodoro::feature(),
        team_time::feature(),
        wheres_my_work::feature(),
        tasks::feature(),
        calendar::feature(),
        developer_messages::feature(),
        docs::feature(),
        window::feature(),
    ]
}

/// Every operation, the server's own included.
pub fn ops() -> Vec<Op> {
    all().into_iter().flat_map(|f| f.ops).chain(server::ops()).collect()
}

/// Every setting and scope.
pub fn catalog() -> Catalog {
    Catalog::from_features(&all()).with_ops(&server::ops())
}

/// Every setting.
pub fn settings() -> Vec<&'static Spec> {
    catalog().rows
}

/// Groups of commands, with descriptions.
pub fn groups() -> Vec<(&'static str, &'static str)> {
    all().into_iter().flat_map(|f| f.groups).chain(server::GROUPS).copied().collect()
}

/// Every error code, sorted.
pub fn codes() -> Vec<&'static Code> {
    let own = [kit::error::CODES, store::CODES, server::CODES];
    let mut codes: Vec<_> =
        own.into_iter().chain(all().iter().flat_map(|f| f.errors).copied()).flatten().copied().collect();
    codes.sort_by_key(|code| code.name);
    codes
}

/// Every code of single fields.
#[cfg(test)]
pub fn faults() -> Vec<kit::Fault> {
    let own = [kit::fault::FAULTS, links::FAULTS, server::FAULTS];
    own.into_iter().chain(all().iter().flat_map(|f| f.faults).copied()).flatten().copied().collect()
}

/// All migrations, by feature.
pub fn migrations() -> Vec<(&'static str, &'static [Migration])> {
    // First, because migrations of features move rows there.
    let tables =
        [(schedule::NAME, schedule::MIGRATIONS), (ledger::NAME, ledger::MIGRATIONS), (links::NAME, links::MIGRATIONS)];
    tables.into_iter().chain(all().iter().map(|f| (f.name, f.migrations))).collect()
}
