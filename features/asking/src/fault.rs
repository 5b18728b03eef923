//! Errors in single inputs of this feature, in addition to those of `kit::fault`.

kit::faults! {
    NO_SESSION = "no-session" : "An environment variable needs a session: use a session's token, or name one in `X-App-Source-Session-Id`.";
    RESERVED_NAME = "reserved-name" : "This variable is reserved because it affects which programs run or where they connect. Choose another name.";
}
