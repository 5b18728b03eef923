//! Keeps the machine from sleeping, while its display may turn off.

use super::Hold;
use std::io;

pub(super) use os::keep_awake;

/// What the system shows as the reason.
#[cfg(not(target_os = "macos"))]
const WHY: &str = "Sessions are running";

#[cfg(target_os = "linux")]
mod os {
    use super::{Hold, WHY, io};
    use std::collections::HashMap;
    use std::time::Duration;
    use zbus::export::serde::Serialize;
    use zbus::proxy::CacheProperties;
    use zbus::zvariant::{DynamicDeserialize, DynamicType, OwnedFd, OwnedObjectPath, Value};
    use zbus::{Connection, Proxy, proxy};

    /// Time for a service to answer.
    const WITHIN: Duration = Duration::from_secs(5);
    /// The portal's flag for suspending.
    const SUSPEND: u32 = 4;

    /// Asks logind, else the desktop's portal, else its power manager.
    pub(in crate::resources) async fn keep_awake() -> io::Result<Hold> {
        let system = tokio::time::timeout(WITHIN, Connection::system()).await.ok().and_then(Result::ok);
        if let Some(hold) = with_logind(system.as_ref()).await {
            return Ok(hold);
        }
        let session = tokio::time::timeout(WITHIN, Connection::session()).await.ok().and_then(Result::ok);
        with_session_bus(session).await.ok_or_else(|| {
            io::Error::new(io::ErrorKind::Unsupported, "neither logind nor the desktop offers to keep it awake")
        })
    }

    async fn with_logind(system: Option<&Connection>) -> Option<Hold> {
        let manager =
            of(system?, "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager");
        let manager = manager.await?;
        // The lock lasts as long as its file is open.
        let file: OwnedFd = ask(&manager, &("sleep:idle", "Pilothouse", WHY, "block")).await?;
        Some(Box::new(file))
    }

    /// Both release the lock when the connection that asked for it closes, so the connection is what is held.
    pub(super) async fn with_session_bus(session: Option<Connection>) -> Option<Hold> {
        let session = session?;
        let options = HashMap::from([("reason", Value::from(WHY))]);
        let portal = of(
            &session,
            "org.freedesktop.portal.Desktop",
            "/org/freedesktop/portal/desktop",
            "org.freedesktop.portal.Inhibit",
        );
        if let Some(portal) = portal.await
            && ask::<_, OwnedObjectPath>(&portal, &("", SUSPEND, options)).await.is_some()
        {
            return Some(Box::new(session));
        }
        let power = of(
            &session,
            "org.freedesktop.PowerManagement",
            "/org/freedesktop/PowerManagement/Inhibit",
            "org.freedesktop.PowerManagement.Inhibit",
        );
        ask::<_, u32>(&power.await?, &("Pilothouse", WHY)).await?;
        Some(Box::new(session))
    }

    async fn ask<B, R>(service: &Proxy<'_>, arguments: &B) -> Option<R>
    where
        B: Serialize + DynamicType,
        R: for<'d> DynamicDeserialize<'d>,
    {
        tokio::time::timeout(WITHIN, service.call::<_, B, R>("Inhibit", arguments)).await.ok()?.ok()
    }

    async fn of<'a>(bus: &Connection, name: &'a str, path: &'a str, interface: &'a str) -> Option<Proxy<'a>> {
        let proxy = proxy::Builder::<Proxy<'a>>::new(bus).destination(name).ok()?.path(path).ok()?.interface(interface);
        proxy.ok()?.cache_properties(CacheProperties::No).build().await.ok()
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::sync::{Arc, Mutex};
        use tokio::net::UnixStream;
        use zbus::{Guid, connection::Builder, fdo, interface};

        type Asked = Arc<Mutex<Vec<String>>>;

        struct Portal(Asked, bool);
        #[interface(name = "org.freedesktop.portal.Inhibit")]
        impl Portal {
            fn inhibit(
                &self,
                _window: &str,
                flags: u32,
                _options: HashMap<String, Value<'_>>,
            ) -> fdo::Result<OwnedObjectPath> {
                if !self.1 {
                    return Err(fdo::Error::NotSupported("no".into()));
                }
                self.0.lock().unwrap().push(format!("portal {flags}"));
                Ok(OwnedObjectPath::try_from("/request/1").unwrap())
            }
        }

        struct Power(Asked);
        #[interface(name = "org.freedesktop.PowerManagement.Inhibit")]
        impl Power {
            fn inhibit(&self, app: &str, why: &str) -> u32 {
                self.0.lock().unwrap().push(format!("{app}: {why}"));
                1
            }
        }

        async fn bus(asked: &Asked, has_portal: bool, has_power: bool) -> (Connection, Connection) {
            let (ours, theirs) = UnixStream::pair().unwrap();
            let mut server = Builder::unix_stream(theirs).server(Guid::generate()).unwrap().p2p();
            server = server.serve_at("/org/freedesktop/portal/desktop", Portal(asked.clone(), has_portal)).unwrap();
            if has_power {
                server = server.serve_at("/org/freedesktop/PowerManagement/Inhibit", Power(asked.clone())).unwrap();
            }
            let (server, client) = tokio::join!(server.build(), Builder::unix_stream(ours).p2p().build());
            (server.unwrap(), client.unwrap())
        }

        #[tokio::test]
        async fn a_desktop_without_logind_keeps_it_awake() {
            for (portal, power, expected) in [
                (true, true, &["portal 4"] as &[_]),
                (false, true, &["Pilothouse: Sessions are running"]),
                (false, false, &[]),
            ] {
                let asked = Asked::default();
                let (_server, client) = bus(&asked, portal, power).await;
                assert_eq!(with_session_bus(Some(client)).await.is_some(), portal || power);
                assert_eq!(*asked.lock().unwrap(), expected);
            }
            assert!(with_session_bus(None).await.is_none(), "no session bus");
        }
    }
}

#[cfg(target_os = "macos")]
mod os {
    use super::{Hold, io};
    use std::process::{Child, Command, Stdio};

    /// Ends the system's program, and with it the assertion.
    struct Held(Child);

    impl Drop for Held {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    /// The system's own program holds the assertion, and ends with this program should that end first.
    pub(in crate::resources) async fn keep_awake() -> io::Result<Hold> {
        let mut command = Command::new("/usr/bin/caffeinate");
        command.args(["-i", "-w", &std::process::id().to_string()]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Box::new(Held(command.spawn()?)))
    }
}

#[cfg(windows)]
mod os {
    use super::{Hold, WHY, io};

    pub(in crate::resources) async fn keep_awake() -> io::Result<Hold> {
        crate::resources::windows::keep_awake(WHY)
    }
}
