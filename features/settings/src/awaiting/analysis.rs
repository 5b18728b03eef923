//! Analysis of how sessions go, and what it may cost.

use kit::setting::{int, number, toggle};

kit::settings! {
    /// Maximum cost of friction triage in 24 hours; at the cap, no new run starts. 0 removes the cap.
    frictionTriageCostCapUsd: f64 = number(0.0, f64::INFINITY, 5.0).unit("USD");
    /// Starts the deep analysis every Monday morning as a paid session within the daily cap.
    sessionForensicsAutoWeeklyEnabled: bool = toggle(false);
    /// Maximum daily cost of deep analysis. Runs over the cap are rejected.
    sessionForensicsDailyCostCapUsd: f64 = number(0.05, 20.0, 2.0).unit("USD");
    /// Time between free friction scans. They call no model.
    sessionForensicsScanIntervalHours: i64 = int(1..=168, 24).unit("h");
}
