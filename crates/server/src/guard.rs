//! Checks of a request before anything else. Pure functions of its head.

use crate::codes;
use http::request::Parts;
use http::{HeaderMap, HeaderName, Method, header};
use kit::{Result, error};
use percent_encoding::percent_decode_str;
use std::borrow::Cow;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// Longest token that is looked up, in bytes.
const TOKEN_BYTES_MAX: usize = 512;
/// Query parameters that only ever contain tokens.
const TOKEN_PARAMS: [&str; 9] =
    ["token", "access_token", "auth_token", "api_key", "apikey", "auth", "authorization", "bearer", "cli_token"];
/// Prefix of tokens, and the minimum length of a value with it that counts as one.
const TOKEN_PREFIX: &str = "ph_";
const TOKEN_BYTES_MIN: usize = 16;

/// Host names of this server, with ports.
pub(crate) struct Hosts(Vec<String>);

impl Hosts {
    /// Loopback names with each of the ports.
    pub(crate) fn of_ports(ports: impl IntoIterator<Item = u16>) -> Hosts {
        let mut hosts = Vec::new();
        for port in ports {
            for name in ["127.0.0.1", "localhost", "[::1]"] {
                hosts.push(format!("{name}:{port}"));
                // Clients omit the scheme's default port.
                if port == 80 {
                    hosts.push(name.to_owned());
                }
            }
        }
        Hosts(hosts)
    }
    fn has(&self, host: &str) -> bool {
        self.0.iter().any(|ours| ours == host)
    }
}

/// Whether the path is one of the UI's files, or leads to them.
pub(crate) fn is_page(path: &str) -> bool {
    path == "/" || path == "/app" || path.starts_with("/app/")
}

/// Runs the checks before the token. Returns the host name that the caller used.
pub(crate) fn check<'a>(hosts: &Hosts, head: &'a Parts) -> Result<&'a str> {
    let host = check_host(hosts, head)?;
    check_origin(host, &head.headers)?;
    check_fetch_metadata(head)?;
    // Part of the token's check: a token in the URL gets its own error instead of a missing token's.
    check_query(head.uri.query())?;
    Ok(host)
}

/// Checks the number of headers. Runs after the token and the content type, with the other sizes.
pub(crate) fn check_count(headers_max: usize, headers: &HeaderMap) -> Result<()> {
    if headers.len() > headers_max {
        return Err(
            codes::HEADERS_TOO_LARGE.error(format!("The request has more than {headers_max} headers. Send fewer."))
        );
    }
    Ok(())
}

pub(crate) fn check_host<'a>(hosts: &Hosts, head: &'a Parts) -> Result<&'a str> {
    let wrong = || codes::WRONG_HOST.error("The request's Host isn't this server's.");
    let mut sent = head.headers.get_all(header::HOST).iter();
    let host = sent.next().and_then(|host| host.to_str().ok()).ok_or_else(wrong)?;
    if sent.next().is_some() || !hosts.has(host) {
        return Err(wrong());
    }
    // An absolute URL must have the same host and the served scheme.
    let elsewhere = head.uri.authority().is_some_and(|authority| authority.as_str() != host);
    if elsewhere || head.uri.scheme().is_some_and(|scheme| *scheme != http::uri::Scheme::HTTP) {
        return Err(wrong());
    }
    Ok(host)
}

fn check_origin(host: &str, headers: &HeaderMap) -> Result<()> {
    let mut sent = headers.get_all(header::ORIGIN).iter();
    let Some(origin) = sent.next() else { return Ok(()) };
    let ours = origin.as_bytes().strip_prefix(b"http://").is_some_and(|rest| rest == host.as_bytes());
    if !ours || sent.next().is_some() {
        return Err(codes::FOREIGN_ORIGIN.error("The request's Origin isn't Pilothouse's own page."));
    }
    Ok(())
}

fn check_fetch_metadata(head: &Parts) -> Result<()> {
    let mut sent = head.headers.get_all(FETCH_SITE).iter();
    let Some(site) = sent.next() else { return Ok(()) };
    let typed_in = site == "none" && is_page(head.uri.path()) && matches!(head.method, Method::GET | Method::HEAD);
    if sent.next().is_some() || !(site == "same-origin" || typed_in) {
        return Err(codes::CROSS_SITE.error("The browser reports that another site caused this request."));
    }
    Ok(())
}

pub(crate) fn check_encoding(headers: &HeaderMap) -> Result<()> {
    let encoded = headers.get_all(header::CONTENT_ENCODING).iter().any(|encoding| encoding != "identity");
    if encoded { Err(codes::CONTENT_ENCODED.error("Send the body without Content-Encoding.")) } else { Ok(()) }
}

fn check_query(query: Option<&str>) -> Result<()> {
    let Some(query) = query else { return Ok(()) };
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = percent_decode_str(name).decode_utf8_lossy();
        let value = percent_decode_str(value).decode_utf8_lossy();
        let like_a_token = value.len() >= TOKEN_BYTES_MIN && value.starts_with(TOKEN_PREFIX);
        if like_a_token || TOKEN_PARAMS.iter().any(|param| name.eq_ignore_ascii_case(param)) {
            return Err(codes::TOKEN_IN_URL.error("Don't put a token in the URL. Send Authorization: Bearer TOKEN."));
        }
    }
    Ok(())
}

/// The token of the request, if it has one.
pub(crate) fn bearer(headers: &HeaderMap) -> Result<Option<&str>> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = sent.next() else { return Ok(None) };
    if sent.next().is_some() {
        return Err(codes::BAD_HEADER.error("Authorization is repeated. Send it once."));
    }
    let unreadable = || error::NO_TOKEN.error("Send Authorization in the form: Bearer TOKEN.");
    let (scheme, token) = value.to_str().ok().and_then(|v| v.split_once(' ')).ok_or_else(unreadable)?;
    let token = token.trim_matches(' ');
    let of_token = |c: u8| c.is_ascii_alphanumeric() || b"-._~+/=".contains(&c);
    let readable = !token.is_empty() && token.len() <= TOKEN_BYTES_MAX && token.bytes().all(of_token);
    if !scheme.eq_ignore_ascii_case("bearer") || !readable {
        return Err(unreadable());
    }
    Ok(Some(token))
}

/// Reads a header that can't be repeated.
pub(crate) fn single(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>> {
    let bad = |what: &str| codes::BAD_HEADER.error(format!("{name} {what}."));
    let mut sent = headers.get_all(&name).iter();
    let Some(value) = sent.next() else { return Ok(None) };
    if sent.next().is_some() {
        return Err(bad("is repeated"));
    }
    value.to_str().map(Some).map_err(|_| bad("has characters other than visible ASCII"))
}

/// Joins a header that is a list.
pub(crate) fn listed(headers: &HeaderMap, name: HeaderName) -> Result<Option<String>> {
    let mut whole: Option<String> = None;
    for value in headers.get_all(&name) {
        let value = value
            .to_str()
            .map_err(|_| codes::BAD_HEADER.error(format!("{name} has characters other than visible ASCII.")))?;
        whole = Some(match whole {
            None => value.to_owned(),
            Some(before) => format!("{before}, {value}"),
        });
    }
    Ok(whole)
}

/// The content type without parameters, in lower case. Rejects repeated ones and charsets other than UTF-8.
pub(crate) fn content_type(headers: &HeaderMap) -> Result<Option<Cow<'_, str>>> {
    let Some(value) = single(headers, header::CONTENT_TYPE)? else { return Ok(None) };
    let mut parts = value.split(';');
    let essence = parts.next().unwrap_or_default().trim();
    for param in parts {
        let (name, value) = param.split_once('=').unwrap_or((param, ""));
        let charset = name.trim().eq_ignore_ascii_case("charset");
        if charset && !value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8") {
            return Err(error::WRONG_TYPE_OF_CONTENT.error("Text is taken as UTF-8 only."));
        }
    }
    Ok(Some(if essence.bytes().any(|b| b.is_ascii_uppercase()) {
        essence.to_ascii_lowercase().into()
    } else {
        essence.into()
    }))
}

#[cfg(test)]
mod tests;
