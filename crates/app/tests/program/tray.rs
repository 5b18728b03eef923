//! The tray icon of the real program, with a session bus and a tray of the test's own.

use crate::running::{Running, cli_token};
use futures_util::StreamExt;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use tokio::sync::mpsc;
use zbus::interface;
use zbus::proxy::SignalStream;
use zbus::zvariant::{OwnedValue, Value};
use zbus::{Connection, Proxy, connection};

/// A session bus that ends with the test.
struct Bus {
    daemon: Child,
    address: String,
}

impl Bus {
    fn start() -> Bus {
        let mut daemon = Command::new("dbus-daemon")
            .args(["--session", "--nofork", "--nopidfile", "--print-address=1"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("dbus-daemon runs; install the package dbus");
        let mut address = String::new();
        BufReader::new(daemon.stdout.take().expect("its output")).read_line(&mut address).expect("an address");
        Bus { daemon, address: address.trim().to_owned() }
    }

    async fn connect(&self) -> Connection {
        let builder = connection::Builder::address(self.address.as_str()).expect("an address");
        builder.build().await.expect("the bus answers")
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

/// A desktop's tray.
struct Watcher(mpsc::UnboundedSender<String>);

#[interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    fn register_status_notifier_item(&self, service: String) {
        let _ = self.0.send(service);
    }
    fn register_status_notifier_host(&self, _service: String) {}
    #[zbus(property)]
    fn registered_status_notifier_items(&self) -> Vec<String> {
        Vec::new()
    }
    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }
    #[zbus(property)]
    fn protocol_version(&self) -> i32 {
        0
    }
}

/// A menu item: its number, its label, and the items below it.
#[derive(Debug)]
struct MenuItem {
    id: i32,
    label: String,
    children: Vec<MenuItem>,
}

/// As `com.canonical.dbusmenu` sends it; the children are of this type too.
type Layout = (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>);

fn menu_item((id, properties, children): Layout) -> MenuItem {
    let label = properties.get("label").and_then(|label| label.downcast_ref::<String>().ok()).unwrap_or_default();
    let child = |child: OwnedValue| menu_item(child.try_into().expect("a menu item"));
    MenuItem { id, label, children: children.into_iter().map(child).collect() }
}

async fn menu(proxy: &Proxy<'_>) -> MenuItem {
    let reply = proxy.call_method("GetLayout", &(0_i32, -1_i32, Vec::<String>::new())).await.expect("a layout");
    let (_, layout): (u32, Layout) = reply.body().deserialize().expect("a layout");
    menu_item(layout)
}

async fn click(proxy: &Proxy<'_>, item: i32) {
    proxy.call_method("Event", &(item, "clicked", Value::I32(0), 0_u32)).await.expect("clicked");
}

async fn status(signals: &mut SignalStream<'_>) -> String {
    signals.next().await.expect("a signal").body().deserialize().expect("a status")
}

fn labels(menu: &MenuItem) -> Vec<&str> {
    menu.children.iter().map(|item| item.label.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tray_says_what_needs_you_and_answers_it() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let bus = Bus::start();
    let (registered, mut items) = mpsc::unbounded_channel();
    let tray = bus.connect().await;
    tray.object_server().at("/StatusNotifierWatcher", Watcher(registered)).await.expect("served");
    tray.request_name("org.kde.StatusNotifierWatcher").await.expect("the name");

    let dir = place.path().join("data");
    let address = OsStr::new(&bus.address);
    let program = Running::start_with(&[("DBUS_SESSION_BUS_ADDRESS", address)], &dir, &place.path().join("log"));
    let page = program.page_token(&cli_token(&dir));
    let name = items.recv().await.expect("the tray icon");
    let client = bus.connect().await;
    let icon = Proxy::new(&client, name.clone(), "/StatusNotifierItem", "org.kde.StatusNotifierItem").await;
    let icon = icon.expect("the icon");
    let items = Proxy::new(&client, name, "/MenuBar", "com.canonical.dbusmenu").await.expect("a menu");
    let mut statuses = icon.receive_signal("NewStatus").await.expect("signals");
    let shown = menu(&items).await;
    assert_eq!(labels(&shown), ["Nothing needs you", "", "Open Pilothouse", "Cancel all turns", "Quit Pilothouse"]);

    program.session_with(&page, "practice: run echo hi");
    assert_eq!(status(&mut statuses).await, "NeedsAttention");
    let shown = menu(&items).await;
    assert!(labels(&shown)[0].starts_with("1 needs you"), "{shown:?}");
    let request = &shown.children[2];
    assert!(request.label.contains("echo hi"), "{shown:?}");
    assert_eq!(labels(request), ["Allow", "Deny", "Open"]);
    click(&items, request.children[0].id).await;
    assert_eq!(status(&mut statuses).await, "Active");
    assert!(!labels(&menu(&items).await)[0].starts_with("1 needs"));

    // It can cancel every turn that is under way.
    let waits = program.session_with(&page, "practice: wait 600");
    let state = |session: &str| program.ask(&page, "GET", &format!("/sessions/{session}"), None).1["state"].clone();
    while state(&waits) != "running" {}
    let cancel = loop {
        let shown = menu(&items).await;
        if labels(&shown)[0].contains("1 running") {
            break shown.children.iter().find(|item| item.label == "Cancel all turns").expect("it is there").id;
        }
    };
    click(&items, cancel).await;
    while state(&waits) != "idle" {}

    let quit = menu(&items).await.children.pop().expect("Quit").id;
    click(&items, quit).await;
    program.ended();
}
