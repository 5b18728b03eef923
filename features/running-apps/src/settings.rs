//! The setting of this feature.

use kit::setting::toggle;

kit::settings! {
    /// Shows Running apps: development servers started with `pilothouse run` and their .localhost URLs. When off, they stay reachable.
    runningAppsEnabled: bool = toggle(true);
}
