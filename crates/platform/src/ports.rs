//! Loopback ports that programs of this user listen on.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

pub use os::Listening;

/// The loopback address by which a listener with this address is reached; none if it isn't.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn reached(address: IpAddr) -> Option<IpAddr> {
    match address.to_canonical() {
        IpAddr::V4(v4) if v4.is_unspecified() => Some(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(v6) if v6.is_unspecified() => Some(Ipv6Addr::LOCALHOST.into()),
        other if other.is_loopback() => Some(other),
        _ => None,
    }
}

/// A port on the IPv4 loopback address that nothing listens on now.
pub fn free(preferred: Option<u16>) -> std::io::Result<u16> {
    let bind = |port: u16| std::net::TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let bound = match preferred.map(bind) {
        Some(Ok(bound)) => bound,
        _ => bind(0)?,
    };
    Ok(bound.local_addr()?.port())
}

#[cfg(target_os = "linux")]
mod os {
    use super::reached;
    use std::collections::HashSet;
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

    /// The state of a listening socket in the system's tables.
    const LISTENING: &str = "0A";

    struct Socket {
        address: SocketAddr,
        inode: String,
    }

    /// The listening sockets of this user at one moment.
    pub struct Listening(Vec<Socket>);

    impl Listening {
        /// Reads them.
        pub fn now() -> Listening {
            let own = rustix::process::getuid().as_raw().to_string();
            let mut sockets = Vec::new();
            for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
                for line in std::fs::read_to_string(table).unwrap_or_default().lines().skip(1) {
                    let fields: Vec<&str> = line.split_whitespace().collect();
                    if let [_, local, _, LISTENING, _, _, _, user, _, inode, ..] = fields[..]
                        && user == own
                        && let Some(address) = address(local)
                        && let Some(ip) = reached(address.ip())
                    {
                        let address = SocketAddr::new(ip, address.port());
                        sockets.push(Socket { address, inode: format!("socket:[{inode}]") });
                    }
                }
            }
            Listening(sockets)
        }

        /// A loopback address on which this port answers.
        pub fn at(&self, port: u16) -> Option<SocketAddr> {
            self.0.iter().map(|socket| socket.address).find(|address| address.port() == port)
        }

        /// The lowest port that one of these processes listens on.
        pub fn of_processes(&self, pids: &[u32]) -> Option<SocketAddr> {
            let open: HashSet<String> = pids.iter().flat_map(|pid| open_sockets(*pid)).collect();
            let own = self.0.iter().filter(|socket| open.contains(&socket.inode));
            own.map(|socket| socket.address).min_by_key(SocketAddr::port)
        }
    }

    fn open_sockets(pid: u32) -> impl Iterator<Item = String> {
        let files = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        let names = files.filter_map(|file| std::fs::read_link(file.path()).ok()?.into_os_string().into_string().ok());
        names.filter(|name| name.starts_with("socket:"))
    }

    /// Reads `0100007F:1F90`: the bytes of each 32-bit word are in this machine's order.
    fn address(text: &str) -> Option<SocketAddr> {
        let (ip, port) = text.split_once(':')?;
        let port = u16::from_str_radix(port, 16).ok()?;
        let word = |at: usize| Some(u32::from_str_radix(ip.get(at * 8..at * 8 + 8)?, 16).ok()?.to_ne_bytes());
        let ip: IpAddr = match ip.len() {
            8 => Ipv4Addr::from(word(0)?).into(),
            32 => {
                let mut bytes = [0; 16];
                for at in 0..4 {
                    bytes[at * 4..at * 4 + 4].copy_from_slice(&word(at)?);
                }
                Ipv6Addr::from(bytes).into()
            }
            _ => return None,
        };
        Some(SocketAddr::new(ip, port))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn addresses_are_read_as_the_system_writes_them() {
            let v6 = "00000000000000000000000001000000:0050";
            for (text, expected) in
                [("0100007F:1F90", "127.0.0.1:8080"), ("00000000:0050", "0.0.0.0:80"), (v6, "[::1]:80")]
            {
                assert_eq!(address(text).map(|address| address.to_string()).as_deref(), Some(expected));
            }
            assert_eq!(address("01:zz"), None);
        }

        #[test]
        fn a_listener_is_found_by_its_port_and_by_its_process() {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let address = listener.local_addr().unwrap();
            let listening = Listening::now();
            assert_eq!(listening.at(address.port()), Some(address));
            assert!(listening.of_processes(&[std::process::id()]).is_some());
            assert_eq!(listening.of_processes(&[]), None);
            drop(listener);
            assert_eq!(Listening::now().at(address.port()), None);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod os {
    use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
    use std::time::Duration;

    /// Longer than a loopback connection takes.
    const ANSWERS_WITHIN: Duration = Duration::from_millis(100);

    /// The listening ports: this system isn't asked for them, they are tried.
    pub struct Listening;

    impl Listening {
        /// Reads nothing.
        pub fn now() -> Listening {
            Listening
        }

        /// A loopback address on which this port answers.
        pub fn at(&self, port: u16) -> Option<SocketAddr> {
            let both = [SocketAddr::from((Ipv4Addr::LOCALHOST, port)), SocketAddr::from((Ipv6Addr::LOCALHOST, port))];
            both.into_iter().find(|address| TcpStream::connect_timeout(address, ANSWERS_WITHIN).is_ok())
        }

        /// Not known here.
        pub fn of_processes(&self, _: &[u32]) -> Option<SocketAddr> {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_in_use_is_replaced() {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port();
        assert_ne!(free(Some(port)).unwrap(), port);
        assert_ne!(free(None).unwrap(), 0);
    }
}
