//! The refusals of the guard and of the wire; those of operations stand with the operations.

kit::error_codes! {
    TOKEN_IN_URL = 400 "token-in-url" "A token in the address" : "A token was sent in the query, where histories and logs keep it. Send it as `Authorization: Bearer TOKEN`, and replace the token.";
    BAD_HEADER = 400 "bad-header" "A header cannot be read" : "A header stands more than once or has bytes that it may not have; the detail names it.";
    BAD_PATH = 400 "bad-path" "The address cannot be read" : "The path or the query is not percent-encoded UTF-8.";
    BODY_NOT_TAKEN = 400 "body-not-taken" "No body is taken here" : "GET, HEAD and DELETE take their input from the path and the query only.";
    BODY_BROKEN_OFF = 400 "body-broken-off" "The body broke off" : "The connection ended or its framing broke before the whole body had arrived.";
    CONTROL_SERVER_OFF = 401 "control-server-off" "The control server is off" : "The setting cliServerEnabled is off, so only the owner's own page is served. The owner can turn it on there, or with `pilothouse settings set cliServerEnabled true --offline`.";
    FOREIGN_ORIGIN = 403 "foreign-origin" "Another page's request" : "The request comes from a page of another origin. Only this program's own page may call it from a browser; scripts send no `Origin`.";
    CROSS_SITE = 403 "cross-site" "Another site's request" : "The browser says (`Sec-Fetch-Site`) that another page or site caused this request.";
    SOURCE_SESSION_FOREIGN = 403 "source-session-foreign" "Not the token's session" : "`X-App-Source-Session-Id` names another session than the one that the token belongs to.";
    BODY_TOO_SLOW = 408 "body-too-slow" "The body came too slowly" : "The body did not arrive within its time: 10 s for JSON, 10 s without a byte for a file.";
    CONTENT_ENCODED = 415 "content-encoded" "The body is encoded" : "Bodies are taken as they are: send them without `Content-Encoding`.";
    WRONG_HOST = 421 "wrong-host" "Not this server's name" : "The `Host` is not one of this server's: 127.0.0.1, localhost or [::1] with its port. Other names are refused because a web page can point them here.";
    CONNECTIONS_OF_TOKEN = 429 "too-many-token-connections" "Too many connections of one token" : "One token may have 32 connections open at once, and the agents and members of one account 128 together. Close some that you don't use, then try again after the seconds in `Retry-After`.";
    TOO_MANY_CONNECTIONS = 503 "too-many-connections" "Too many connections" : "At most 256 connections are open at once. A new one gets the place of one without a token, or of an idle one; here all of them are busy. Try again after the seconds in `Retry-After`.";
    HEADERS_TOO_LARGE = 431 "headers-too-large" "Too many or too large headers" : "A request may have 64 headers and 16 KiB of them.";
}
