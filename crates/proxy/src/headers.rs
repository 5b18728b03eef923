//! Headers that change on the way.

use http::{HeaderMap, HeaderName, HeaderValue, header};
use std::net::IpAddr;

/// This proxy's name in `Via`.
const PSEUDONYM: &str = "pilothouse";
/// Passes after which a request goes around in a circle. Programs may call each other through the proxy.
const PASSES_MAX: usize = 5;
/// Headers about one connection (RFC 9110, 7.6.1).
const HOP_BY_HOP: [HeaderName; 7] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHORIZATION,
    header::TRANSFER_ENCODING,
    header::TE,
    header::UPGRADE,
];

fn tokens<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim).filter(|token| !token.is_empty())
}

/// The protocol that the connection should change to.
pub(crate) fn upgrade_of(headers: &HeaderMap) -> Option<HeaderValue> {
    let is_asked = tokens(headers, &header::CONNECTION).any(|token| token.eq_ignore_ascii_case("upgrade"));
    headers.get(header::UPGRADE).filter(|_| is_asked).cloned()
}

/// Removes what is about one connection; keeps a change of the protocol.
pub(crate) fn remove_hop_by_hop(headers: &mut HeaderMap, upgrade: Option<HeaderValue>) {
    let named: Vec<HeaderName> =
        tokens(headers, &header::CONNECTION).filter_map(|name| HeaderName::try_from(name).ok()).collect();
    for name in named.iter().chain(&HOP_BY_HOP) {
        headers.remove(name);
    }
    if let Some(protocol) = upgrade {
        headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(header::UPGRADE, protocol);
    }
}

/// Tells the program what the caller asked for. What the caller itself sent in their place could be anything.
pub(crate) fn add_forwarded(headers: &mut HeaderMap, host: &str, caller: IpAddr) {
    let values = [
        ("x-forwarded-host", HeaderValue::try_from(host)),
        ("x-forwarded-proto", Ok(HeaderValue::from_static("http"))),
        ("x-forwarded-for", HeaderValue::try_from(caller.to_canonical().to_string())),
    ];
    for (name, value) in values {
        headers.remove(name);
        if let Ok(value) = value {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    headers.remove("forwarded");
    if let Ok(host) = HeaderValue::try_from(host) {
        headers.insert(header::HOST, host);
    }
    headers.append(header::VIA, HeaderValue::from_static("1.1 pilothouse"));
}

/// Whether a request has passed this proxy too often.
pub(crate) fn has_looped(headers: &HeaderMap) -> bool {
    tokens(headers, &header::VIA).filter(|via| via.split(' ').nth(1) == Some(PSEUDONYM)).count() >= PASSES_MAX
}
