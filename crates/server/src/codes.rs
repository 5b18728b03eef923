//! Errors of the guard and of HTTP. Operations declare their own.

kit::error_codes! {
    TOKEN_IN_URL = 400 "token-in-url" "Token in the URL" : "A token was sent in the query, where histories and logs store it. Send it as `Authorization: Bearer TOKEN`, and revoke this token.";
    BAD_HEADER = 400 "bad-header" "Unreadable header" : "A header is repeated or has invalid bytes. The detail names it.";
    BAD_PATH = 400 "bad-path" "Unreadable URL" : "The path or the query isn't percent-encoded UTF-8.";
    BODY_NOT_TAKEN = 400 "body-not-taken" "Unexpected body" : "GET, HEAD, and DELETE take their input from the path and the query only.";
    BODY_BROKEN_OFF = 400 "body-broken-off" "Incomplete request body" : "The connection ended before the whole body arrived. Send it again.";
    CONTROL_SERVER_OFF = 401 "control-server-off" "Control server is off" : "The setting cliServerEnabled is off, so only your own page is served. Turn it on in Settings, or with `pilothouse settings set cliServerEnabled true --offline`.";
    FOREIGN_ORIGIN = 403 "foreign-origin" "Request from another page" : "The request comes from a page of another origin. In a browser, only Pilothouse's own page can call it. Scripts: send no `Origin`.";
    CROSS_SITE = 403 "cross-site" "Request from another site" : "The browser reports (`Sec-Fetch-Site`) that another page or site caused this request. Open Pilothouse's own page.";
    SOURCE_SESSION_FOREIGN = 403 "source-session-foreign" "Token of another session" : "`X-App-Source-Session-Id` names a session other than the token's. Send the token's session, or leave the header out.";
    BODY_TOO_SLOW = 408 "body-too-slow" "Request body too slow" : "The body didn't arrive in time: 10 s for JSON, 10 s without a byte for a file. Send it again.";
    CONTENT_ENCODED = 415 "content-encoded" "Encoded request body" : "Send the body without `Content-Encoding`.";
    WRONG_HOST = 421 "wrong-host" "Unknown host name" : "Use 127.0.0.1, localhost, or [::1] with the server's port as `Host`. Other names are rejected because a web page can point them here.";
    CONNECTIONS_OF_TOKEN = 429 "too-many-token-connections" "Too many connections for one token" : "A token can have 32 connections open, and the agents and members of an account 128 together. Close unused ones, then retry after the seconds in `Retry-After`.";
    TOO_MANY_CONNECTIONS = 503 "too-many-connections" "Too many connections" : "All 256 connections are busy. Retry after the seconds in `Retry-After`.";
    HEADERS_TOO_LARGE = 431 "headers-too-large" "Headers too large" : "The limits are 64 headers and 16 KiB. Send fewer or smaller ones.";
}
