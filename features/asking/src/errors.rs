//! Errors of this feature.

kit::error_codes! {
    INPUT_REQUESTS_DISABLED = 403 "input-requests-disabled" "Input requests are off" : "The setting agentInputRequestsEnabled is off. Turn it on to let sessions request values.";
    KEY_PROPOSALS_DISABLED = 403 "key-proposals-disabled" "Key proposals are off" : "The setting agentKeyProposalsEnabled is off. Turn it on to let sessions propose keys.";
    DECIDED = 409 "already-decided" "Already decided" : "A request can be answered only once. Nothing was changed; make a new request for another value.";
    SECRETS_UNAVAILABLE = 503 "secrets-unavailable" "Secrets aren't available" : "Couldn't use the system keychain or the folder `secrets` of the data directory; the detail says why. The request stays open.";
}
