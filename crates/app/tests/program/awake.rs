//! Keeping the computer awake, with a logind of the test's own on a bus of its own.

use crate::running::{Running, cli_token};
use crate::tray::Bus;
use std::ffi::OsStr;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use tokio::sync::mpsc;
use zbus::interface;
use zbus::zvariant::OwnedFd;

/// Gives locks, and tells what for; the other end of each is closed when the lock is.
struct Logind(mpsc::UnboundedSender<(String, UnixStream)>);

#[interface(name = "org.freedesktop.login1.Manager")]
impl Logind {
    fn inhibit(&self, what: &str, who: &str, _why: &str, mode: &str) -> OwnedFd {
        let (held, kept) = UnixStream::pair().expect("a pair");
        let _ = self.0.send((format!("{who} {what} {mode}"), kept));
        let given = held.as_fd().try_clone_to_owned().expect("a copy");
        drop(held);
        given.into()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_computer_is_kept_awake_while_a_session_works() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let bus = Bus::start();
    let (given, mut locks) = mpsc::unbounded_channel();
    let logind = bus.connect().await;
    logind.object_server().at("/org/freedesktop/login1", Logind(given)).await.expect("served");
    logind.request_name("org.freedesktop.login1").await.expect("the name");

    let dir = place.path().join("data");
    let address = OsStr::new(&bus.address);
    let program = Running::start_with(&[("DBUS_SYSTEM_BUS_ADDRESS", address)], &dir, &place.path().join("log"));
    let page = program.page_token(&cli_token(&dir));
    let waits = program.session_with(&page, "practice: wait 600");
    let (asked, mut lock) = locks.recv().await.expect("a lock");
    assert_eq!(asked, "Pilothouse sleep:idle block");
    program.ask(&page, "POST", &format!("/sessions/{waits}/cancel"), None);
    // Ends when the program closes the lock.
    let ended = tokio::task::spawn_blocking(move || lock.read(&mut [0])).await.expect("it ends");
    assert_eq!(ended.expect("the end"), 0);
}
