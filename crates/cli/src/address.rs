//! The address of the running program: which ones a token may be sent to.

use crate::failure::Failure;
use std::net::IpAddr;
use ureq::http::Uri;

/// Scheme, host and port, nothing else.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Address {
    https: bool,
    /// Host and port as the `Host` header has them.
    pub host_port: String,
    pub loopback: bool,
}

impl Address {
    /// Reads an address; one that is neither on this machine nor https is refused.
    pub(crate) fn read(url: &str) -> Result<Address, Failure> {
        let wrong = |why: &str| Failure::Usage(format!("Can't use {url} as the program's URL: {why}."));
        let uri: Uri = url.parse().map_err(|_| wrong("it isn't a URL"))?;
        let https = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(wrong("it must begin with http:// or https://")),
        };
        let authority = uri.authority().ok_or_else(|| wrong("the host is missing"))?;
        if authority.as_str().contains('@') {
            return Err(wrong("remove the user name"));
        }
        if !matches!(uri.path(), "" | "/") || uri.query().is_some() {
            return Err(wrong("remove everything after the port"));
        }
        let host = authority.host();
        let loopback = host.eq_ignore_ascii_case("localhost")
            || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        if !loopback && !https {
            return Err(wrong("another machine needs https, so that the token isn't sent in clear text"));
        }
        let port = match authority.port_u16() {
            Some(port) => port,
            None if authority.as_str() == host => {
                if https {
                    443
                } else {
                    80
                }
            }
            None => return Err(wrong("its port must be a number from 1 to 65535")),
        };
        Ok(Address { https, host_port: format!("{host}:{port}"), loopback })
    }

    /// Without a slash at the end.
    pub(crate) fn base(&self) -> String {
        format!("{}://{}", if self.https { "https" } else { "http" }, self.host_port)
    }
}
