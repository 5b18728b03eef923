//! Apps: a page of somebody else's, shown in a frame that is closed off. No board is read for it, and nothing is told to it:
//! what is computed is only whether its address is one that may be shown, and where it leads.

use super::input::{Input, Outcome};
use super::kind::{Kind, Widget};
use super::mapping::Role;
use super::schema::server_only;
use crate::raw_result::RawResult;
use crate::reading::said;
use crate::selection::Selection;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::net::Ipv4Addr;

pub(super) const KIND: Kind = Kind { name: "apps", schema: server_only(schema), roles: &[], parts: &[], keys: 0, read };

/// Bytes of an address at most.
pub const ADDRESS_BYTES_MAX: usize = 2_000;
/// Letters of a host's name, and of each of its parts, at most.
const HOST_CHARS_MAX: usize = 253;
const PART_CHARS_MAX: usize = 63;
/// The names of this computer itself. Not `[::1]`: no policy of a page can allow a host that is written so, and nothing would load.
const LOOPBACK: [&str; 2] = ["localhost", "127.0.0.1"];
/// Signs that are in no address; browsers take some of them for others.
const NO_SIGNS: &[u8] = b"\"<>\\^`{|}";

/// An address that may be shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct App {
    /// The whole of it, as it is loaded.
    pub address: String,
    /// Its scheme, host and port.
    pub origin: String,
    /// Whether it is of this computer.
    pub is_local: bool,
}

#[derive(Deserialize)]
struct Config {
    address: String,
}

fn schema() -> Value {
    json!({"type": "object", "required": ["address"], "properties": {
        "address": {"type": "string", "maxLength": ADDRESS_BYTES_MAX, "description":
            "Address of the page to show: https, or http on this computer, without a user name. It loads after you allow it on the page and can't read boards."}}})
}

fn read(config: &Value) -> Result<Box<dyn Widget>, String> {
    let Config { address } = Config::deserialize(config).map_err(|e| said(&e.to_string()))?;
    Ok(Box::new(app(&address)?))
}

impl Widget for App {
    fn roles(&self) -> Vec<Role> {
        Vec::new()
    }
    fn alone(&self) -> Option<RawResult> {
        RawResult::new(self)
    }
    fn compute(&self, _: &Input<'_>) -> Outcome {
        Outcome::default()
    }
    fn pick(&self, _: &Input<'_>, _: &Value) -> Result<Vec<Selection>, String> {
        Ok(Vec::new())
    }
}

/// Reads an address, or says why its page is not shown; what it says itself is not repeated.
pub fn app(text: &str) -> Result<App, String> {
    let refuse = |why: &str| Err(why.to_owned());
    if text.is_empty() {
        return refuse("no address is set");
    }
    if text.len() > ADDRESS_BYTES_MAX {
        return Err(format!("the address is longer than {ADDRESS_BYTES_MAX} characters"));
    }
    if !text.bytes().all(|sign| sign.is_ascii_graphic() && !NO_SIGNS.contains(&sign)) {
        return refuse("the address has invalid characters; encode them as % and two digits");
    }
    let Some((scheme, rest)) = text.split_once("://") else {
        return refuse("the address must begin with https://");
    };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    if authority.contains('@') {
        return refuse("the address has a user name or password");
    }
    let scheme = scheme.to_ascii_lowercase();
    let usual = match scheme.as_str() {
        "https" => 443,
        "http" => 80,
        _ => return refuse("the address must begin with https://"),
    };
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let host = host.to_ascii_lowercase();
    let is_local = LOOPBACK.contains(&host.as_str());
    if !is_local && !is_host(&host) {
        return refuse("the host of the address is invalid");
    }
    let port = match port {
        None => usual,
        Some(digits) if digits.bytes().all(|digit| digit.is_ascii_digit()) => digits.parse::<u16>().unwrap_or(0),
        Some(_) => 0,
    };
    if port == 0 {
        return refuse("the port must be a number from 1 to 65535");
    }
    if scheme == "http" && !is_local {
        return refuse("http is only accepted on this computer; use https");
    }
    let origin = if port == usual { format!("{scheme}://{host}") } else { format!("{scheme}://{host}:{port}") };
    let root = if path.starts_with('/') { "" } else { "/" };
    Ok(App { address: format!("{origin}{root}{path}"), origin, is_local })
}

/// Whether browsers take it for the same host as it reads: a name, or four whole numbers.
fn is_host(host: &str) -> bool {
    let is_part = |part: &str| {
        let edges = [part.as_bytes().first(), part.as_bytes().last()];
        part.len() <= PART_CHARS_MAX
            && part.bytes().all(|sign| sign.is_ascii_alphanumeric() || sign == b'-')
            && edges.into_iter().all(|edge| edge.is_some_and(u8::is_ascii_alphanumeric))
    };
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_number = last.starts_with(|sign: char| sign.is_ascii_digit());
    host.len() <= HOST_CHARS_MAX && host.split('.').all(is_part) && (!is_number || host.parse::<Ipv4Addr>().is_ok())
}
