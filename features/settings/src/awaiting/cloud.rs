//! Sessions on machines in the cloud.

use kit::setting::{Applies::NextCloudLaunch, Applies::NextStart, toggle};

kit::settings! {
    /// Shows the live state of cloud sessions and starts paid machines for them. It is a preview for developers and connects only in a development build with cloud sessions on.
    cloudControlPlaneEnabled: bool = toggle(false).stated().applies(NextStart).installation();
    /// Gives each cloud session a locked-down machine of its own, with a strict firewall and a key that soon expires. It costs extra and counts from the next launch.
    cloudHardenedSessionEnabled: bool = toggle(false).stated().applies(NextCloudLaunch);
    /// Lets the configured reviewers look at the branch that comes back from a cloud session and keeps what they find. The branch can be used meanwhile.
    cloudSessionReviewsEnabled: bool = toggle(true).stated();
    /// Sessions in the cloud may start helpers there. You approve each from a card, and one click stops them all.
    cloudStartedSessionsEnabled: bool = toggle(false).stated();
}
