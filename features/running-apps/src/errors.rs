//! Errors of this feature.

kit::error_codes! {
    APP_NAME_TAKEN = 409 "app-name-taken" "Name is in use" : "A running app has this name. Stop it, or choose another name.";
    APP_LIMIT = 409 "app-limit" "App limit reached" : "The account has as many running apps as allowed. Stop one first.";
    APP_FOLDER = 409 "app-folder" "Folder not found" : "The folder doesn't exist. Restore it, or start the app in another folder.";
    APP_START = 409 "app-start" "Couldn't start app" : "The command couldn't be started. The detail says why.";
}

kit::faults! {
    NOT_A_HOST_NAME = "not-a-host-name" : "The text isn't part of a host name. Use up to 63 of a to z, 0 to 9, and hyphens, without a hyphen at the ends.";
}
