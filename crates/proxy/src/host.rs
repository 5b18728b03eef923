//! The host that a request names.

use http::{Request, header};

/// What a host leads to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// A program with this name.
    App(String),
    /// The proxy itself.
    Index,
    /// Another machine: the request came here by a trick of its DNS.
    Elsewhere,
}

/// The host of a request, as sent; the error is a sentence.
pub(crate) fn of<B>(request: &Request<B>) -> Result<String, &'static str> {
    let mut sent = request.headers().get_all(header::HOST).iter();
    let host = sent.next().and_then(|host| host.to_str().ok()).filter(|host| !host.is_empty());
    if sent.next().is_some() {
        return Err("The request has several Host headers. Send one.");
    }
    // A whole URL takes precedence over the header, as RFC 9112 says.
    let host = request.uri().authority().map(|authority| authority.as_str()).or(host);
    host.map(str::to_owned).ok_or("The request has no Host header. Send one such as NAME.localhost.")
}

/// What a host leads to, with or without a port, a dot at the end, and capitals.
pub(crate) fn destination(host: &str) -> Destination {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    if ["localhost", "127.0.0.1", "[::1]"].contains(&name.as_str()) {
        return Destination::Index;
    }
    match name.strip_suffix(".localhost") {
        Some(name) if !name.is_empty() && !name.contains('@') => Destination::App(name.to_owned()),
        _ => Destination::Elsewhere,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_lead_to_their_program_alone() {
        let app = |name: &str| Destination::App(name.into());
        for (host, expected) in [
            ("web.localhost", app("web")),
            ("web.localhost:80", app("web")),
            ("WEB.LocalHost.:19521", app("web")),
            ("fix.web.localhost", app("fix.web")),
            ("localhost:19521", Destination::Index),
            ("127.0.0.1:19521", Destination::Index),
            ("[::1]:19521", Destination::Index),
            ("[::1]", Destination::Index),
            (".localhost", Destination::Elsewhere),
            ("user@web.localhost", Destination::Elsewhere),
            ("web.localhost.evil.example", Destination::Elsewhere),
            ("weblocalhost", Destination::Elsewhere),
            ("evil.example:19521", Destination::Elsewhere),
            ("", Destination::Elsewhere),
        ] {
            assert_eq!(destination(host), expected, "{host}");
        }
    }
}
