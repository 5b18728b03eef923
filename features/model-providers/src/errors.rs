//! Errors of this feature.

kit::error_codes! {
    PROVIDER_LIMIT = 409 "model-provider-limit" "Provider limit reached" : "An account has at most 50 providers. Delete one first.";
    PROVIDER_NAME_TAKEN = 409 "model-provider-name-taken" "Provider name is taken" : "Names of providers are unique. Choose another name.";
    KEY_NOT_STORED = 503 "model-key-not-stored" "Couldn't store key" : "The system keychain or the folder `secrets` of the data directory can't be used; the detail says why. Nothing was changed.";
    MODEL_FAILED = 502 "model-failed" "Model didn't answer" : "The detail says what happened and what to change.";
}
