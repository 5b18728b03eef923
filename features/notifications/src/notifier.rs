//! The system's notifications.

use platform::notifications::Desktop;
use std::sync::Arc;

/// The system's notifications, or in tests a recorder; provided by the app. Without it, only open pages show notifications.
pub struct Notifier(pub Arc<dyn Desktop>);
