//! Rows of the inbox, and notifications.

use kit::setting::{number, toggle};

kit::settings! {
    /// Hides sender, subject, and text in phone notifications.
    contentFreeMobilePush: bool = toggle(false);
    /// Notifies you when the mobile page doesn't finish loading on a phone. The row disappears when it loads again.
    mobileReliabilityAlertsEnabled: bool = toggle(true);
    /// Time before model vendor A's balance is expected to run out at which you are notified.
    vendorABalanceAlertLeadHours: f64 = number(0.0, 720.0, 24.0).unit("h");
    /// Watches the balance at model vendor B and shows a card with a recharge button before it runs out.
    vendorBBalanceMonitorEnabled: bool = toggle(false);
    /// Balance below which the card appears.
    vendorBBalanceThresholdUSD: f64 = number(0.0, 10_000.0, 5.0).unit("USD").requires(&vendorBBalanceMonitorEnabled);
}
