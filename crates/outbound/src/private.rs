//! Addresses that content must not lead to.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Whether an address belongs to this computer, its network, or another range that isn't the public internet.
pub(crate) fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => is_private_v4(four),
        IpAddr::V6(six) => six.to_ipv4().map_or_else(|| is_private_v6(six), is_private_v4),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (18..20).contains(&b))
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let first = address.segments()[0];
    address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        || (first & 0xfe00) == 0xfc00
        || (first & 0xffc0) == 0xfe80
        // Documentation, tunnels, and translations, which can carry a private IPv4 address.
        || (first == 0x2001 && address.segments()[1] < 0x0200)
        || (first == 0x2001 && address.segments()[1] == 0x0db8)
        || first == 0x2002
        || (first == 0x0064 && address.segments()[1] == 0xff9b)
}

/// Resolves names to public addresses only. The connection uses just these, so a name can't change in between.
pub(crate) struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<SocketAddr> = found.filter(|address| !is_private(address.ip())).collect();
            if public.is_empty() {
                return Err(PRIVATE.into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

/// The text of the error for a name without a public address.
pub(crate) const PRIVATE: &str = "no public address";
