//! Errors of this feature.

kit::error_codes! {
    NOT_SHOWN = 409 "notification-not-shown" "Notification not shown" : "The system's notification service isn't available. The detail says why. Open windows still show notifications.";
    FOCUS_DISABLED = 403 "focus-disabled" "Focus Mode is off" : "The setting focusModeFeatureEnabled is off. Turn it on to use Focus Mode.";
}
