//! Errors of this feature.

kit::error_codes! {
    WINDOW_IS_OPEN = 409 "window-is-open" "Window is already open" : "An account has one desktop window. Bring that one to the front with `pilothouse window raise`.";
    NOT_AT_LOGIN = 409 "not-at-login" "Can't start at login" : "The system doesn't let Pilothouse start at login; the detail says why. Nothing was changed.";
    NO_WINDOW = 409 "no-window" "No desktop window" : "The desktop window isn't open, or the system doesn't let it do this; the detail says which. Open it with `pilothouse`.";
}
