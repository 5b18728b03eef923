//! Analysis of how sessions go, and what it may cost.

use kit::setting::{int, number, toggle};

kit::settings! {
    /// Limits what the loop that sorts out friction may spend in any 24 hours. At the cap its next run does not start; fixers already at work go on. 0 is no limit.
    frictionTriageCostCapUsd: f64 = number(0.0, f64::INFINITY, 5.0).unit("USD");
    /// Starts the deep analysis every Monday morning, as a paid session within the daily limit.
    sessionForensicsAutoWeeklyEnabled: bool = toggle(false);
    /// Limits what the deep analysis may spend in a day; a run beyond it is refused.
    sessionForensicsDailyCostCapUsd: f64 = number(0.05, 20.0, 2.0).unit("USD");
    /// Sets how often the free scan for friction runs. It calls no model.
    sessionForensicsScanIntervalHours: i64 = int(1..=168, 24).unit("h");
}
