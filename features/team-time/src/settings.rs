//! Settings of this feature.

use kit::setting::toggle;

kit::settings! {
    /// Adds a page with the local times and working hours of your team, and a meeting planner.
    teamTimeEnabled: bool = toggle(false);
}
