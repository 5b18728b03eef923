//! Sessions on machines in the cloud.

use kit::setting::{Applies::NextCloudLaunch, Applies::NextStart, toggle};

kit::settings! {
    /// Shows live cloud sessions and starts paid machines for them. Developer preview: connects only in a development build with cloud sessions on.
    cloudControlPlaneEnabled: bool = toggle(false).stated().applies(NextStart).installation();
    /// Runs each cloud session on its own locked-down machine with a strict firewall and a short-lived key, at extra cost.
    cloudHardenedSessionEnabled: bool = toggle(false).stated().applies(NextCloudLaunch);
    /// Runs the configured reviewers on the branch that a cloud session returns and stores their findings. You can use the branch right away.
    cloudSessionReviewsEnabled: bool = toggle(true).stated();
    /// Lets cloud sessions start helper sessions. You approve each one, and one click stops all.
    cloudStartedSessionsEnabled: bool = toggle(false).stated();
}
