//! Notifications of the system, with buttons, and the count on the program's icon.
//!
//! On Linux over D-Bus (`org.freedesktop.Notifications`, and `com.canonical.Unity.LauncherEntry` for the count). On Windows
//! and macOS a notification has no buttons yet and there is no count.

use futures_core::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// How long the system's service is waited for. One that hangs must hold up nothing.
pub const WITHIN: Duration = Duration::from_secs(5);

/// A notification to show.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Note {
    /// One line of plain text.
    pub title: String,
    /// Plain text; may be empty.
    pub body: String,
    /// Whether it stays until the user closes it.
    pub stays: bool,
    /// The system's number of the notification that it replaces; 0 for none.
    pub replaces: u32,
    /// Buttons: an id, and the label. The id `default` is a click on the notification itself.
    pub actions: Vec<(String, String)>,
    /// The freedesktop name of its sound; empty for silence.
    pub sound: &'static str,
}

/// A button that the user pressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pressed {
    /// The system's number of the notification.
    pub id: u32,
    /// The button's id.
    pub action: String,
}

/// Shows notifications. Texts of errors are for people.
pub trait Desktop: Send + Sync {
    /// Shows one; the system's number of it.
    fn show(&self, note: Note) -> BoxFuture<'_, Result<u32, String>>;
    /// Takes one from the screen. One that's gone is no error.
    fn withdraw(&self, id: u32) -> BoxFuture<'_, ()>;
    /// Shows the count on the program's icon; 0 removes it.
    fn set_count(&self, count: i64) -> BoxFuture<'_, ()>;
    /// Whether the system's Do Not Disturb is on; `None` if that can't be read.
    fn do_not_disturb(&self) -> BoxFuture<'_, Option<bool>>;
    /// Why sounds that notifications name aren't heard; `None` if they are, as far as the system says.
    fn sound_problem(&self) -> BoxFuture<'_, Option<String>>;
}

/// The system's notifications. Buttons are sent to `pressed` as long as that is open.
pub fn desktop(pressed: mpsc::Sender<Pressed>) -> Arc<dyn Desktop> {
    #[cfg(target_os = "linux")]
    return Arc::new(linux::Bus::new(pressed));
    #[cfg(not(target_os = "linux"))]
    {
        drop(pressed);
        Arc::new(others::Plain)
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use super::*;
    use futures_util::StreamExt;
    use std::collections::HashMap;
    use tokio::sync::Mutex;
    use zbus::zvariant::Value;
    use zbus::{Connection, proxy};

    #[proxy(
        interface = "org.freedesktop.Notifications",
        default_service = "org.freedesktop.Notifications",
        default_path = "/org/freedesktop/Notifications"
    )]
    trait Notifications {
        #[expect(clippy::too_many_arguments, reason = "the interface's own")]
        fn notify(
            &self,
            app_name: &str,
            replaces_id: u32,
            app_icon: &str,
            summary: &str,
            body: &str,
            actions: &[&str],
            hints: HashMap<&str, Value<'_>>,
            expire_timeout: i32,
        ) -> zbus::Result<u32>;
        fn close_notification(&self, id: u32) -> zbus::Result<()>;
        fn get_capabilities(&self) -> zbus::Result<Vec<String>>;
        #[zbus(signal)]
        fn action_invoked(&self, id: u32, action_key: String) -> zbus::Result<()>;
        /// Of KDE: whether Do Not Disturb is on.
        #[zbus(property(emits_changed_signal = "false"))]
        fn inhibited(&self) -> zbus::Result<bool>;
    }

    #[proxy(
        interface = "org.dunstproject.cmd0",
        default_service = "org.freedesktop.Notifications",
        default_path = "/org/freedesktop/Notifications"
    )]
    trait Dunst {
        /// Whether notifications are paused.
        #[zbus(property(emits_changed_signal = "false"), name = "paused")]
        fn paused(&self) -> zbus::Result<bool>;
    }

    /// Whether GNOME shows no banners; `None` elsewhere, and without its tool for settings.
    async fn hides_banners() -> Option<bool> {
        let desktop = std::env::var("XDG_CURRENT_DESKTOP").unwrap_or_default();
        if !desktop.split(':').any(|name| name.eq_ignore_ascii_case("gnome")) {
            return None;
        }
        let mut command = tokio::process::Command::new("gsettings");
        command.args(["get", "org.gnome.desktop.notifications", "show-banners"]).kill_on_drop(true);
        command.stdin(std::process::Stdio::null());
        let output = tokio::time::timeout(WITHIN, command.output()).await.ok()?.ok()?;
        banners_off(&output.stdout)
    }

    /// What `gsettings` says of banners.
    fn banners_off(output: &[u8]) -> Option<bool> {
        match output.trim_ascii() {
            b"true" => Some(false),
            b"false" => Some(true),
            _ => None,
        }
    }

    /// The desktop file's name, which the icon's count is of.
    const APP_URI: &str = "application://pilothouse.desktop";
    const LAUNCHER_PATH: &str = "/com/canonical/unity/launcherentry/pilothouse";

    /// What is known of a connected service.
    struct Service {
        connection: Connection,
        notifications: NotificationsProxy<'static>,
        dunst: DunstProxy<'static>,
        takes_markup: bool,
        plays_sounds: bool,
    }

    /// The session bus, connected at first use, and again after it was lost.
    pub(super) struct Bus {
        pressed: mpsc::Sender<Pressed>,
        service: Mutex<Option<Arc<Service>>>,
    }

    impl Bus {
        pub(super) fn new(pressed: mpsc::Sender<Pressed>) -> Bus {
            Bus { pressed, service: Mutex::default() }
        }

        async fn service(&self) -> zbus::Result<Arc<Service>> {
            let mut service = self.service.lock().await;
            if let Some(service) = &*service {
                return Ok(service.clone());
            }
            let connected = Arc::new(connect(Connection::session().await?, self.pressed.clone()).await?);
            *service = Some(connected.clone());
            Ok(connected)
        }

        /// Asks within the time limit; the next call connects again after a failure.
        async fn ask<T>(&self, ask: impl AsyncFnOnce(&Service) -> zbus::Result<T>) -> Result<T, String> {
            let asked = async { ask(&*self.service().await?).await };
            let error = match tokio::time::timeout(WITHIN, asked).await {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(error)) => format!("The system's notification service isn't available: {error}."),
                Err(_) => {
                    format!("The system's notification service didn't answer within {} seconds.", WITHIN.as_secs())
                }
            };
            *self.service.lock().await = None;
            Err(error)
        }
    }

    async fn connect(connection: Connection, pressed: mpsc::Sender<Pressed>) -> zbus::Result<Service> {
        let notifications = NotificationsProxy::new(&connection).await?;
        let dunst = DunstProxy::new(&connection).await?;
        let capabilities = notifications.get_capabilities().await?;
        let can = |what: &str| capabilities.iter().any(|name| name == what);
        let (takes_markup, plays_sounds) = (can("body-markup"), can("sound"));
        let mut invoked = notifications.receive_action_invoked().await?;
        tokio::spawn(async move {
            while let Some(signal) = invoked.next().await {
                let Ok(args) = signal.args() else { continue };
                if pressed.send(Pressed { id: args.id, action: args.action_key.clone() }).await.is_err() {
                    return;
                }
            }
        });
        Ok(Service { connection, notifications, dunst, takes_markup, plays_sounds })
    }

    impl Desktop for Bus {
        fn show(&self, note: Note) -> BoxFuture<'_, Result<u32, String>> {
            Box::pin(self.ask(async move |service: &Service| {
                let actions: Vec<&str> = note.actions.iter().flat_map(|(id, label)| [&**id, &**label]).collect();
                let mut hints = HashMap::from([
                    ("desktop-entry", Value::from("pilothouse")),
                    ("urgency", Value::from(if note.stays { 2_u8 } else { 1_u8 })),
                ]);
                match note.sound {
                    "" => hints.insert("suppress-sound", Value::from(true)),
                    name => hints.insert("sound-name", Value::from(name)),
                };
                // Texts come from agents, and must not be taken for markup.
                let body = if service.takes_markup { without_markup(&note.body) } else { note.body };
                let expires = if note.stays { 0 } else { -1 };
                let proxy = &service.notifications;
                proxy.notify("Pilothouse", note.replaces, "", &note.title, &body, &actions, hints, expires).await
            }))
        }

        fn withdraw(&self, id: u32) -> BoxFuture<'_, ()> {
            Box::pin(async move {
                // Whatever can't be reached shows nothing either.
                let _ =
                    self.ask(async move |service: &Service| service.notifications.close_notification(id).await).await;
            })
        }

        fn set_count(&self, count: i64) -> BoxFuture<'_, ()> {
            Box::pin(async move {
                let emit = async move |service: &Service| {
                    let properties =
                        HashMap::from([("count", Value::from(count)), ("count-visible", Value::from(count > 0))]);
                    let interface = "com.canonical.Unity.LauncherEntry";
                    let body = (APP_URI, properties);
                    service.connection.emit_signal(None::<&str>, LAUNCHER_PATH, interface, "Update", &body).await
                };
                let _ = self.ask(emit).await;
            })
        }

        fn do_not_disturb(&self) -> BoxFuture<'_, Option<bool>> {
            Box::pin(async move {
                // A service that has no such property isn't lost.
                let ask = async |service: &Service| match service.notifications.inhibited().await {
                    Ok(is_inhibited) => Ok(Some(is_inhibited)),
                    Err(_) => Ok(service.dunst.paused().await.ok()),
                };
                let (of_service, of_gnome) = tokio::join!(self.ask(ask), hides_banners());
                match (of_service.ok().flatten(), of_gnome) {
                    (None, None) => None,
                    (one, other) => Some(one.unwrap_or_default() || other.unwrap_or_default()),
                }
            })
        }

        fn sound_problem(&self) -> BoxFuture<'_, Option<String>> {
            Box::pin(async move {
                match self.ask(async |service: &Service| Ok(service.plays_sounds)).await {
                    Ok(true) => None,
                    Ok(false) => Some("The system's notification service plays no sounds.".to_owned()),
                    Err(why) => Some(why),
                }
            })
        }
    }

    fn without_markup(text: &str) -> String {
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::os::unix::net::UnixStream;
        use std::sync::Mutex as Locked;
        use zbus::connection::Builder;
        use zbus::object_server::SignalEmitter;
        use zbus::{Guid, interface};

        /// What the service was asked to show: title, body, buttons, replaced number.
        type Asked = Arc<Locked<Vec<(String, String, Vec<String>, u32)>>>;

        /// A notification service that says that it takes markup.
        struct Fake {
            asked: Asked,
            hangs: bool,
            /// None: it has no such property.
            is_inhibited: Option<bool>,
        }

        /// What dunst has besides.
        struct FakeDunst(bool);

        #[interface(name = "org.dunstproject.cmd0")]
        impl FakeDunst {
            #[zbus(property, name = "paused")]
            async fn paused(&self) -> bool {
                self.0
            }
        }

        #[interface(name = "org.freedesktop.Notifications")]
        impl Fake {
            #[expect(clippy::too_many_arguments, reason = "the interface's own")]
            async fn notify(
                &self,
                _app: &str,
                replaces: u32,
                _icon: &str,
                summary: &str,
                body: &str,
                actions: Vec<String>,
                _hints: HashMap<String, Value<'_>>,
                _expires: i32,
                #[zbus(signal_emitter)] emitter: SignalEmitter<'_>,
            ) -> u32 {
                if self.hangs {
                    std::future::pending::<()>().await;
                }
                self.asked.lock().unwrap().push((summary.into(), body.into(), actions, replaces));
                emitter.action_invoked(7, "allow").await.unwrap();
                7
            }
            async fn close_notification(&self, id: u32) {
                self.asked.lock().unwrap().push((format!("closed {id}"), String::new(), Vec::new(), 0));
            }
            async fn get_capabilities(&self) -> Vec<String> {
                vec!["body-markup".into(), "actions".into()]
            }
            #[zbus(property)]
            async fn inhibited(&self) -> zbus::fdo::Result<bool> {
                self.is_inhibited.ok_or_else(|| zbus::fdo::Error::UnknownProperty("Inhibited".into()))
            }
            #[zbus(signal)]
            async fn action_invoked(emitter: &SignalEmitter<'_>, id: u32, action_key: &str) -> zbus::Result<()>;
        }

        async fn connected(hangs: bool) -> (Bus, Asked, mpsc::Receiver<Pressed>, Connection) {
            connected_to(hangs, None, None).await
        }

        async fn connected_to(
            hangs: bool,
            is_inhibited: Option<bool>,
            dunst: Option<bool>,
        ) -> (Bus, Asked, mpsc::Receiver<Pressed>, Connection) {
            let (ours, theirs) = UnixStream::pair().unwrap();
            let asked = Asked::default();
            let fake = Fake { asked: asked.clone(), hangs, is_inhibited };
            let server = Builder::async_io_unix_stream(theirs).server(Guid::generate()).unwrap().p2p();
            let mut server = server.serve_at("/org/freedesktop/Notifications", fake).unwrap();
            if let Some(is_paused) = dunst {
                server = server.serve_at("/org/freedesktop/Notifications", FakeDunst(is_paused)).unwrap();
            }
            let (server, client) = tokio::join!(server.build(), Builder::async_io_unix_stream(ours).p2p().build());
            let (pressed, heard) = mpsc::channel(8);
            let service = connect(client.unwrap(), pressed.clone()).await.unwrap();
            let bus = Bus { pressed, service: Mutex::new(Some(Arc::new(service))) };
            (bus, asked, heard, server.unwrap())
        }

        #[tokio::test]
        async fn a_notification_is_shown_as_plain_text_with_buttons_and_withdrawn() {
            let (bus, asked, mut heard, _server) = connected(false).await;
            let note = Note {
                title: "Fix tests needs you".into(),
                body: "wants to run <b>rm</b> & more".into(),
                actions: vec![("allow".into(), "Allow".into())],
                replaces: 3,
                ..Note::default()
            };
            assert_eq!(bus.show(note).await, Ok(7));
            assert_eq!(heard.recv().await, Some(Pressed { id: 7, action: "allow".into() }));
            bus.withdraw(7).await;
            let shown = (
                "Fix tests needs you".to_owned(),
                "wants to run &lt;b&gt;rm&lt;/b&gt; &amp; more".to_owned(),
                vec!["allow".to_owned(), "Allow".to_owned()],
                3,
            );
            assert_eq!(*asked.lock().unwrap(), [shown, ("closed 7".to_owned(), String::new(), Vec::new(), 0)]);
            assert_eq!(
                bus.sound_problem().await.as_deref(),
                Some("The system's notification service plays no sounds.")
            );
        }

        #[tokio::test]
        async fn do_not_disturb_is_read_from_kde_and_dunst_and_unknown_elsewhere() {
            for (inhibited, paused, expected) in [
                (Some(true), None, Some(true)),
                (Some(false), None, Some(false)),
                (None, Some(true), Some(true)),
                (None, Some(false), Some(false)),
                (None, None, None),
            ] {
                let (bus, _asked, _heard, _server) = connected_to(false, inhibited, paused).await;
                assert_eq!(bus.do_not_disturb().await, expected, "{inhibited:?} {paused:?}");
                assert!(bus.service.lock().await.is_some(), "the service isn't lost");
            }
        }

        #[test]
        fn the_answer_of_gsettings_is_read() {
            assert_eq!(banners_off(b"true\n"), Some(false));
            assert_eq!(banners_off(b"false\n"), Some(true));
            assert_eq!(banners_off(b"No such schema\n"), None);
        }

        #[tokio::test(start_paused = true)]
        async fn a_service_that_hangs_is_given_up() {
            let (bus, _asked, _heard, _server) = connected(true).await;
            let told = bus.show(Note::default()).await.unwrap_err();
            assert!(told.contains("didn't answer within 5 seconds"), "{told}");
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod others {
    use super::*;

    /// Notifications without buttons.
    pub(super) struct Plain;

    impl Desktop for Plain {
        fn show(&self, note: Note) -> BoxFuture<'_, Result<u32, String>> {
            let show = move || {
                let mut shown = notify_rust::Notification::new();
                shown.appname("Pilothouse").summary(&note.title).body(&note.body);
                shown.show().map(|_| 0).map_err(|error| format!("The system doesn't show notifications: {error}."))
            };
            Box::pin(async move {
                let shown = tokio::time::timeout(WITHIN, tokio::task::spawn_blocking(show)).await;
                shown
                    .map_err(|_| "The system's notification service didn't answer.".to_owned())?
                    .map_err(|e| e.to_string())?
            })
        }
        fn withdraw(&self, _: u32) -> BoxFuture<'_, ()> {
            Box::pin(std::future::ready(()))
        }
        fn set_count(&self, _: i64) -> BoxFuture<'_, ()> {
            Box::pin(std::future::ready(()))
        }
        fn do_not_disturb(&self) -> BoxFuture<'_, Option<bool>> {
            Box::pin(std::future::ready(None))
        }
        fn sound_problem(&self) -> BoxFuture<'_, Option<String>> {
            Box::pin(std::future::ready(Some("Sounds of the system's theme are heard on Linux only.".to_owned())))
        }
    }
}
