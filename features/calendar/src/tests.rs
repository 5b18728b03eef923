//! The calendar over its operations, with servers of the test's own.

use crate::feature;
use crate::service::Calendars;
use events::{Event, HasEvents};
use kit::lookup::{Notices, ShowNotices};
use kit::{Caller, Ctx, DataDir, Feature, InboxKind, Kind, SettingsSource};
use secrets::Vaults;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::{HasDb, Tx, params};
use testkit::stub::{Asked, Reply, Stub};
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, refused};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const PASSWORD: &str = "fake-app-password";

static CARD: InboxKind = InboxKind::new("calendar", "Calendar", "calendar");
static KINDS: &[&InboxKind] = &[&CARD];

struct Set(HashMap<&'static str, Value>);

impl SettingsSource for Set {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        self.0.get(key).cloned()
    }
}

/// Notifications that were shown.
#[derive(Clone, Default)]
struct Shown(Arc<Mutex<Vec<String>>>);

impl ShowNotices for Shown {
    fn show(
        &self,
        _: Ctx,
        _: &str,
        title: &str,
        body: &str,
        _: &str,
    ) -> futures_core::future::BoxFuture<'static, kit::Result<()>> {
        self.0.lock().unwrap().push(format!("{title}: {body}"));
        Box::pin(std::future::ready(Ok(())))
    }
}

struct Place {
    program: Program,
    shown: Shown,
}

/// A program that begins on Sunday 2026-03-01 at 12:00 UTC.
async fn place(settings: &[(&'static str, Value)]) -> Place {
    let program = Program::start(|| {
        let inbox = Feature { migrations: inbox_rows::MIGRATIONS, inbox_kinds: KINDS, ..Feature::named("inbox") };
        vec![inbox, feature()]
    })
    .await;
    let vaults = Arc::new(Vaults::in_files(&program.ctx.service::<DataDir>().0));
    program.ctx.provide(Arc::new(Calendars::new(vaults, Duration::from_millis(400))));
    let shown = Shown::default();
    program.ctx.provide(Arc::new(Notices(Box::new(shown.clone()))));
    let place = Place { program, shown };
    place.set(settings);
    place
}

impl Place {
    fn set(&self, settings: &[(&'static str, Value)]) {
        let all = [("calendarEnabled", json!(true))].into_iter().chain(settings.iter().cloned()).collect();
        self.program.ctx.provide_settings(Arc::new(Set(all)));
    }

    async fn ask(&self, op: &str, input: Value) -> Value {
        self.program.owner(op, input).await.unwrap_or_else(|why| panic!("{op}: {why:?}"))
    }

    async fn calendar(&self) -> Value {
        self.ask("calendar.calendars.create", json!({"name": "Private"})).await["id"].clone()
    }

    async fn week(&self) -> Vec<Value> {
        let period = json!({"from": "2026-03-01T00:00:00Z", "to": "2026-03-09T00:00:00Z"});
        self.ask("calendar.events.list", period).await["items"].as_array().unwrap().clone()
    }

    async fn titles(&self) -> Vec<String> {
        self.week().await.iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect()
    }

    async fn starts(&self) -> Vec<String> {
        self.week().await.iter().map(|one| one["start"].as_str().unwrap().to_owned()).collect()
    }

    async fn rows(&self) -> Vec<(String, String)> {
        let read = |tx: &mut Tx<'_>| {
            let sql = "SELECT title, body FROM inbox_rows WHERE account_id = $1 ORDER BY row_id";
            tx.query(sql, params![ACCOUNT], |row| Ok((row.get(0)?, row.get(1)?)))
        };
        self.program.ctx.db().read(read).await.unwrap()
    }

    async fn after(&self, ms: i64) {
        self.program.clock.advance_ms(ms);
        self.program.fire_timers().await;
    }

    /// Adds the account of a server.
    async fn account(&self, url: &str) -> Value {
        let new = json!({"url": url, "username": "ada@example.com", "password": PASSWORD});
        self.ask("calendar.accounts.create", new).await
    }
}

fn event(calendar: &Value, title: &str, start: &str, end: &str) -> Value {
    json!({"calendarId": calendar, "title": title, "start": start, "end": end})
}

#[tokio::test]
async fn an_event_is_created_changed_deleted_and_restored() {
    let place = place(&[]).await;
    let calendar = place.calendar().await;
    let mut bus = place.program.ctx.events().listen(None).1;
    let made = place
        .ask("calendar.events.create", event(&calendar, "Lunch", "2026-03-02T12:00:00Z", "2026-03-02T13:00:00Z"))
        .await;
    assert_eq!(
        (&made["title"], &made["start"], &made["isRecurring"]),
        (&json!("Lunch"), &json!("2026-03-02T12:00:00.000Z"), &json!(false))
    );
    assert_eq!(bus.try_recv().map(|told| told.event), Ok(Event::CalendarChanged));
    let id = &made["eventId"];
    let moved = place
        .ask("calendar.events.update", json!({"eventId": id, "start": "2026-03-03T15:00:00Z", "location": "Hall"}))
        .await;
    assert_eq!(
        (&moved["end"], &moved["location"]),
        (&json!("2026-03-03T16:00:00.000Z"), &json!("Hall")),
        "as long as before"
    );
    let day = place
        .ask(
            "calendar.events.update",
            json!({"eventId": id, "start": "2026-03-04", "end": "2026-03-06", "allDay": true}),
        )
        .await;
    assert_eq!(
        (&day["start"], &day["end"], &day["allDay"]),
        (&json!("2026-03-04"), &json!("2026-03-06"), &json!(true))
    );
    let undo = place.ask("calendar.events.delete", json!({"eventId": id})).await;
    assert!(place.week().await.is_empty());
    place.ask("calendar.events.restore", undo.clone()).await;
    assert_eq!(place.titles().await, ["Lunch"]);
    refused(place.program.owner("calendar.events.restore", undo).await, "not-found");
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    refused(place.program.as_caller(other, "calendar.events.get", json!({"eventId": id})).await, "not-found");
}

#[tokio::test]
async fn a_series_is_changed_in_one_occurrence_in_those_after_it_or_whole() {
    let place = place(&[]).await;
    let calendar = place.calendar().await;
    let mut new = event(&calendar, "Standup", "2026-03-02T09:00:00Z", "2026-03-02T09:15:00Z");
    new["repeat"] = json!({"frequency": "daily", "until": "2026-03-06"});
    new["timeZone"] = json!("Europe/Berlin");
    let made = place.ask("calendar.events.create", new).await;
    assert_eq!(made["repeat"], json!({"frequency": "daily", "interval": 1, "until": "2026-03-06"}));
    assert_eq!((place.week().await.len(), &made["timeZone"]), (5, &json!("Europe/Berlin")));
    let key = |week: &[Value], at: usize| week[at]["occurrence"].clone();
    let (id, week) = (&made["eventId"], place.week().await);
    let one = json!({"eventId": id, "occurrence": key(&week, 1), "scope": "this", "title": "Late", "start": "2026-03-03T11:00:00Z"});
    let changed = place.ask("calendar.events.update", one).await;
    assert_eq!((&changed["title"], &changed["start"]), (&json!("Late"), &json!("2026-03-03T11:00:00.000Z")));
    let from = json!({"eventId": id, "occurrence": key(&week, 3), "scope": "following", "title": "New"});
    let later = place.ask("calendar.events.update", from).await;
    assert_ne!(later["eventId"], *id);
    assert_eq!(place.titles().await, ["Standup", "Late", "Standup", "New", "New"]);
    place
        .ask(
            "calendar.events.update",
            json!({"eventId": id, "occurrence": key(&week, 0), "scope": "all", "location": "Hall"}),
        )
        .await;
    let undo =
        place.ask("calendar.events.delete", json!({"eventId": id, "occurrence": key(&week, 0), "scope": "this"})).await;
    assert_eq!(place.titles().await, ["Late", "Standup", "New", "New"]);
    place.ask("calendar.events.restore", undo).await;
    place
        .ask("calendar.events.delete", json!({"eventId": id, "occurrence": key(&week, 1), "scope": "following"}))
        .await;
    assert_eq!(place.titles().await, ["Standup", "New", "New"]);
    place.ask("calendar.events.update", json!({"eventId": id, "repeat": null})).await;
    assert_eq!(place.titles().await, ["Standup", "New", "New"]);
    let gone = json!({"eventId": later["eventId"], "occurrence": "20300101T000000Z", "title": "X"});
    refused(place.program.owner("calendar.events.update", gone).await, "not-found");
}

#[tokio::test]
async fn bad_input_is_rejected_and_off_means_off() {
    let place = place(&[]).await;
    let calendar = place.calendar().await;
    let good = event(&calendar, "A", "2026-03-02T12:00:00Z", "2026-03-02T13:00:00Z");
    for (field, value, pointer) in [
        ("end", json!("2026-03-02T11:00:00Z"), "/end"),
        ("start", json!("soon"), "/start"),
        ("timeZone", json!("Mars/Base"), "/timeZone"),
        ("reminderMinutes", json!(-1), "/reminderMinutes"),
        ("repeat", json!({"frequency": "daily", "until": "never"}), "/repeat/until"),
        ("repeat", json!({"frequency": "daily", "interval": 0}), "/repeat/interval"),
    ] {
        let mut wrong = good.clone();
        wrong[field] = value;
        let error = refused(place.program.owner("calendar.events.create", wrong).await, "invalid-input");
        assert_eq!(error.fields()[0].pointer, pointer);
    }
    for (op, input, code) in [
        ("calendar.events.list", json!({"from": "2026-03-02", "to": "2026-03-01"}), "invalid-input"),
        ("calendar.events.list", json!({"from": "2026-03-02", "to": "2029-03-01"}), "invalid-input"),
        ("calendar.import", json!({"calendarId": calendar, "text": "<html>"}), "invalid-input"),
        ("calendar.accounts.create", json!({"url": "ftp://a", "username": "u", "password": "p"}), "invalid-input"),
        (
            "calendar.accounts.create",
            json!({"url": "http://127.0.0.1:9/", "username": "u", "password": "p"}),
            "calendar-server",
        ),
        ("calendar.agenda", json!({"date": "someday"}), "invalid-input"),
        ("calendar.calendars.get", json!({"calendarId": "none"}), "not-found"),
    ] {
        refused(place.program.owner(op, input).await, code);
    }
    place.set(&[("calendarEnabled", json!(false))]);
    refused(place.program.owner("calendar.events.create", good).await, "calendar-disabled");
}

#[tokio::test]
async fn a_file_is_imported_again_and_exported() {
    let place = place(&[]).await;
    let calendar = place.calendar().await;
    let file = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nSUMMARY:One\nX-OWN:kept\nDTSTART;TZID=W. Europe Standard Time:20260302T090000\nEND:VEVENT\n\
        BEGIN:VEVENT\nSUMMARY:No name\nDTSTART;VALUE=DATE:20260303\nEND:VEVENT\nBEGIN:VEVENT\nUID:c\nSUMMARY:Broken\nDTSTART:never\nEND:VEVENT\nEND:VCALENDAR";
    let first = place.ask("calendar.import", json!({"calendarId": calendar, "text": file})).await;
    assert_eq!(
        (&first["imported"], &first["updated"], &first["skipped"][0]["title"]),
        (&json!(2), &json!(0), &json!("Broken"))
    );
    let again = place.ask("calendar.import", json!({"calendarId": calendar, "text": file.replace("One", "Two")})).await;
    assert_eq!((&again["imported"], &again["updated"]), (&json!(0), &json!(1)));
    let week = place.week().await;
    assert_eq!(
        (&week[0]["title"], &week[0]["start"], &week[0]["zoneUnknown"]),
        (&json!("Two"), &json!("2026-03-02T08:00:00.000Z"), &json!(false))
    );
    let call = kit::Call::new(Caller::new(Kind::Owner, ACCOUNT, "o"));
    let reply = place.program.call(call, "calendar.export", json!({"calendarId": calendar})).await.unwrap();
    let kit::Body::Whole(bytes) = reply.body else { panic!("a whole body") };
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    assert!(
        text.contains("X-OWN:kept")
            && text.contains("TZID:W. Europe Standard Time\r\n")
            && reply.content_type == "text/calendar",
        "{text}"
    );
    place.ask("calendar.calendars.delete", json!({"calendarId": calendar})).await;
    assert!(place.week().await.is_empty());
    place.ask("calendar.calendars.restore", json!({"calendarId": calendar})).await;
    assert_eq!(place.week().await.len(), 2);
    place.ask("calendar.calendars.update", json!({"calendarId": calendar, "isShown": false})).await;
    assert!(place.week().await.is_empty());
}

#[tokio::test]
async fn a_reminder_is_sent_once_for_each_occurrence_and_moves_with_the_event() {
    let place = place(&[("calendarReminderMinutes", json!(15))]).await;
    let calendar = place.calendar().await;
    let mut new = event(&calendar, "Standup", "2026-03-01T13:00:00Z", "2026-03-01T13:15:00Z");
    new["repeat"] = json!({"frequency": "daily", "count": 3});
    let made = place.ask("calendar.events.create", new).await;
    place.after(44 * MINUTE_MS).await;
    assert!(place.rows().await.is_empty());
    place.after(MINUTE_MS).await;
    assert_eq!(place.rows().await, [("Standup".into(), "Starts in 15 minutes, 13:00".into())]);
    place.ask("calendar.events.update", json!({"eventId": made["eventId"], "title": "Standup"})).await;
    place.after(MINUTE_MS).await;
    assert_eq!(place.rows().await.len(), 1, "once");
    place.after(24 * HOUR_MS).await;
    assert_eq!(place.rows().await.len(), 2);
    let week = place.week().await;
    let moved = json!({"eventId": made["eventId"], "occurrence": week[2]["occurrence"], "start": "2026-03-03T16:00:00Z", "end": "2026-03-03T17:00:00Z"});
    place.ask("calendar.events.update", moved).await;
    place.after(24 * HOUR_MS).await;
    assert_eq!(place.rows().await.len(), 2, "it moved to 16:00");
    place.after(3 * HOUR_MS).await;
    assert_eq!(place.rows().await.len(), 3);
}

#[tokio::test]
async fn reminders_are_delivered_as_set_and_none_is_sent_for_what_is_canceled() {
    let place = place(&[("calendarNotificationDelivery", json!("toast")), ("calendarReminderMinutes", json!(0))]).await;
    let calendar = place.calendar().await;
    place.ask("calendar.events.create", event(&calendar, "Now", "2026-03-01T12:10:00Z", "2026-03-01T12:20:00Z")).await;
    let canceled =
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nSTATUS:CANCELLED\nDTSTART:20260301T121000Z\nEND:VEVENT\nEND:VCALENDAR";
    place.ask("calendar.import", json!({"calendarId": calendar, "text": canceled})).await;
    place.after(9 * MINUTE_MS).await;
    assert!(place.shown.0.lock().unwrap().is_empty());
    place.after(MINUTE_MS).await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(*place.shown.0.lock().unwrap(), ["Now: Starts now, 12:10"]);
    assert!(place.rows().await.is_empty());
    let mut own = event(&calendar, "Own", "2026-03-01T18:00:00Z", "2026-03-01T18:20:00Z");
    own["reminderMinutes"] = json!(30);
    place.ask("calendar.events.create", own).await;
    place.set(&[("calendarNotificationDelivery", json!("inbox"))]);
    place.after(5 * HOUR_MS + 20 * MINUTE_MS).await;
    assert_eq!(place.rows().await, [("Own".into(), "Starts in 30 minutes, 18:00".into())]);
    // Off: what is due is left out.
    place.ask("calendar.events.create", event(&calendar, "Off", "2026-03-01T20:00:00Z", "2026-03-01T20:20:00Z")).await;
    place.set(&[("calendarEnabled", json!(false))]);
    place.after(3 * HOUR_MS).await;
    assert_eq!(place.rows().await.len(), 1);
}

#[tokio::test]
async fn the_agenda_lists_the_day_and_the_card_comes_only_on_a_day_with_events() {
    let place = place(&[]).await;
    let calendar = place.calendar().await;
    crate::agenda::post_all(place.program.ctx.clone()).await.unwrap();
    assert!(place.rows().await.is_empty());
    place.ask("calendar.events.create", event(&calendar, "Late", "2026-03-01T15:00:00Z", "2026-03-01T16:00:00Z")).await;
    place
        .ask("calendar.events.create", event(&calendar, "Early", "2026-03-01T09:00:00Z", "2026-03-01T10:00:00Z"))
        .await;
    place.ask("calendar.events.create", event(&calendar, "Trip", "2026-03-01", "2026-03-02")).await;
    crate::agenda::post_all(place.program.ctx.clone()).await.unwrap();
    assert_eq!(place.rows().await, [("Today's agenda".into(), "All day  Trip\n09:00  Early\n15:00  Late".into())]);
    let agenda = place.ask("calendar.agenda", json!({})).await;
    assert_eq!((&agenda["date"], agenda["items"].as_array().unwrap().len()), (&json!("2026-03-01"), 3));
    assert_eq!(place.ask("agenda", json!({"date": "2026-03-05"})).await["items"], json!([]));
    let free = json!({"from": "2026-03-01T08:00:00Z", "to": "2026-03-01T18:00:00Z", "minutes": 61});
    let free = place.ask("calendar.free", free).await;
    assert_eq!(
        free["items"],
        json!([
            {"start": "2026-03-01T10:00:00.000Z", "end": "2026-03-01T15:00:00.000Z"},
            {"start": "2026-03-01T16:00:00.000Z", "end": "2026-03-01T18:00:00.000Z"},
        ])
    );
    place.set(&[("calendarDailyAgendaEnabled", json!(false))]);
    place.program.clock.advance_ms(24 * HOUR_MS);
    crate::agenda::post_all(place.program.ctx.clone()).await.unwrap();
    assert_eq!(place.rows().await.len(), 1);
}

/// A small CalDAV server.
#[derive(Default)]
struct Server {
    files: BTreeMap<String, (u32, String)>,
    /// Versions so far.
    version: u32,
    /// What was removed, with the version.
    removed: Vec<(u32, String)>,
    /// Answers everything with this.
    broken: Option<Reply>,
    has_tokens: bool,
    drops_tokens: bool,
}

fn ics(uid: &str, title: &str) -> String {
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:{uid}\r\nSUMMARY:{title}\r\nX-OWN:1\r\nDTSTART:20260302T090000Z\r\nDTEND:20260302T100000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
}

impl Server {
    fn put(&mut self, name: &str, text: &str) {
        self.version += 1;
        self.files.insert(format!("/cal/work/{name}.ics"), (self.version, text.to_owned()));
    }

    fn remove(&mut self, path: &str) {
        self.version += 1;
        self.files.remove(path);
        self.removed.push((self.version, path.to_owned()));
    }

    fn answer(&mut self, asked: &Asked) -> Reply {
        if let Some(broken) = &self.broken {
            return broken.clone();
        }
        let multistatus = |inner: &str| {
            let body = format!(
                "<?xml version=\"1.0\"?><multistatus xmlns=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\">{inner}</multistatus>"
            );
            Reply::Status(207, "content-type: application/xml\r\n".into(), body.into_bytes())
        };
        let response = |href: &str, props: &str| {
            format!(
                "<response><href>{href}</href><propstat><prop>{props}</prop><status>HTTP/1.1 200 OK</status></propstat></response>"
            )
        };
        let (method, path) = asked.line.split_once(' ').unwrap();
        if !asked.headers.contains("authorization: basic ") {
            return Reply::Status(401, String::new(), Vec::new());
        }
        match (method, path) {
            ("PROPFIND", "/.well-known/caldav") => Reply::Status(301, "location: /dav/\r\n".into(), Vec::new()),
            ("PROPFIND", "/dav/") => {
                multistatus(&response("/dav/", "<current-user-principal><href>/me/</href></current-user-principal>"))
            }
            ("PROPFIND", "/me/") => multistatus(&response(
                "/me/",
                "<C:calendar-home-set><href>/cal/</href></C:calendar-home-set><C:calendar-user-address-set><href>mailto:ada@work.example</href></C:calendar-user-address-set>",
            )),
            ("PROPFIND", "/cal/") => multistatus(
                &(response("/cal/", "<resourcetype><collection/></resourcetype>")
                    + &response(
                        "/cal/work/",
                        "<resourcetype><collection/><C:calendar/></resourcetype><displayname>Work &amp; more</displayname><calendar-color xmlns=\"http://apple.com/ns/ical/\">#FF8800FF</calendar-color>",
                    )
                    + &response(
                        "/cal/todo/",
                        "<resourcetype><collection/><C:calendar/></resourcetype><C:supported-calendar-component-set><C:comp name=\"VTODO\"/></C:supported-calendar-component-set>",
                    )),
            ),
            ("PROPFIND", "/cal/work/") => {
                let all: String = self
                    .files
                    .iter()
                    .map(|(href, (tag, _))| response(href, &format!("<getetag>\"{tag}\"</getetag><resourcetype/>")))
                    .collect();
                multistatus(&(response("/cal/work/", "<resourcetype><collection/></resourcetype>") + &all))
            }
            ("REPORT", _) if asked.body.contains("sync-collection") => {
                let token =
                    asked.body.split("sync-token>").nth(1).and_then(|rest| rest.split('<').next()).unwrap_or_default();
                if !self.has_tokens || (self.drops_tokens && !token.is_empty()) {
                    return Reply::Status(
                        403,
                        String::new(),
                        b"<error xmlns=\"DAV:\"><valid-sync-token/></error>".to_vec(),
                    );
                }
                let since: u32 = token.parse().unwrap_or(0);
                let changed: String = self
                    .files
                    .iter()
                    .filter(|(_, (tag, _))| *tag > since)
                    .map(|(href, (tag, _))| response(href, &format!("<getetag>\"{tag}\"</getetag>")))
                    .collect();
                let gone: String = self
                    .removed
                    .iter()
                    .filter(|(at, _)| *at > since)
                    .map(|(_, href)| {
                        format!("<response><href>{href}</href><status>HTTP/1.1 404 Not Found</status></response>")
                    })
                    .collect();
                multistatus(&format!("{changed}{gone}<sync-token>{}</sync-token>", self.version))
            }
            ("REPORT", _) => {
                let wanted = |href: &str| asked.body.contains(&format!(">{href}<"));
                let all: String = self
                    .files
                    .iter()
                    .filter(|(href, _)| wanted(href))
                    .map(|(href, (tag, text))| {
                        response(
                            href,
                            &format!(
                                "<getetag>\"{tag}\"</getetag><C:calendar-data><![CDATA[{text}]]></C:calendar-data>"
                            ),
                        )
                    })
                    .collect();
                multistatus(&all)
            }
            ("GET", path) => match self.files.get(path) {
                Some((tag, text)) => Reply::Status(200, format!("etag: \"{tag}\"\r\n"), text.clone().into_bytes()),
                None => Reply::Status(404, String::new(), Vec::new()),
            },
            ("PUT" | "DELETE", path) => {
                let tag = self.files.get(path).map(|(tag, _)| format!("if-match: \"{tag}\""));
                let fits = match (&tag, asked.headers.contains("if-none-match: *")) {
                    (None, is_new) => is_new,
                    (Some(tag), _) => asked.headers.contains(tag.as_str()),
                };
                if !fits {
                    return Reply::Status(412, String::new(), Vec::new());
                }
                if method == "DELETE" {
                    self.remove(path);
                    return Reply::Status(204, String::new(), Vec::new());
                }
                self.version += 1;
                self.files.insert(path.to_owned(), (self.version, asked.body.clone()));
                Reply::Status(201, format!("etag: \"{}\"\r\n", self.version), Vec::new())
            }
            _ => Reply::Status(405, String::new(), Vec::new()),
        }
    }
}

type Shared = Arc<Mutex<Server>>;

async fn server(has_tokens: bool) -> (Shared, Stub) {
    let server: Shared = Arc::new(Mutex::new(Server { has_tokens, ..Server::default() }));
    server.lock().unwrap().put("a", &ics("a", "First"));
    let shared = server.clone();
    let stub = Stub::start(move |asked| shared.lock().unwrap().answer(asked)).await;
    (server, stub)
}

#[tokio::test]
async fn a_server_is_found_read_and_followed_with_and_without_tokens() {
    for (has_tokens, drops_tokens) in [(true, false), (false, false), (true, true)] {
        let (place, (server, stub)) = (place(&[]).await, server(has_tokens).await);
        let account = place.account(&stub.url).await;
        let calendar = &account["calendars"][0];
        assert_eq!(
            (&calendar["name"], &calendar["color"], &calendar["problem"]),
            (&json!("Work & more"), &json!("#ff8800"), &Value::Null)
        );
        assert_eq!(account["calendars"].as_array().unwrap().len(), 1, "no list of tasks");
        assert_eq!(place.titles().await, ["First"]);
        {
            let mut server = server.lock().unwrap();
            server.drops_tokens = drops_tokens;
            server.put("a", &ics("a", "Changed"));
            server.put("b", &ics("b", "Second"));
        }
        let sync = json!({"accountId": account["id"]});
        place.ask("calendar.accounts.sync", sync.clone()).await;
        assert_eq!(place.titles().await, ["Changed", "Second"], "{has_tokens} {drops_tokens}");
        server.lock().unwrap().remove("/cal/work/b.ics");
        place.ask("calendar.accounts.sync", sync).await;
        assert_eq!(place.titles().await, ["Changed"]);
        let all = place.ask("calendar.accounts.list", json!({})).await;
        assert!(!all.to_string().contains(PASSWORD));
        let before = stub.count();
        place.set(&[("calendarEnabled", json!(false))]);
        crate::sync::all(place.program.ctx.clone()).await.unwrap();
        assert_eq!(stub.count(), before, "off: no request");
        place.set(&[]);
        place.ask("calendar.accounts.delete", json!({"accountId": account["id"]})).await;
        assert!(place.week().await.is_empty());
    }
}

#[tokio::test]
async fn edits_wait_for_the_server_and_nothing_is_lost_in_a_conflict() {
    let (place, (server, stub)) = (place(&[]).await, server(true).await);
    let account = place.account(&stub.url).await;
    let (calendar, sync) = (&account["calendars"][0]["id"], json!({"accountId": account["id"]}));
    let made = place
        .ask("calendar.events.create", event(calendar, "Mine", "2026-03-03T12:00:00Z", "2026-03-03T13:00:00Z"))
        .await;
    assert_eq!(made["isPending"], false);
    assert_eq!(server.lock().unwrap().files.len(), 2);
    let first = place.week().await[0]["eventId"].clone();
    // The server is away: the edits wait, and are sent later.
    server.lock().unwrap().broken = Some(Reply::Status(503, String::new(), Vec::new()));
    let edited = place.ask("calendar.events.update", json!({"eventId": first, "title": "Edited"})).await;
    assert_eq!((&edited["title"], &edited["isPending"]), (&json!("Edited"), &json!(true)));
    place.ask("calendar.events.delete", json!({"eventId": made["eventId"]})).await;
    assert_eq!(place.titles().await, ["Edited"]);
    server.lock().unwrap().broken = None;
    place.ask("calendar.accounts.sync", sync.clone()).await;
    assert_eq!(
        (place.week().await[0]["isPending"].clone(), place.titles().await),
        (json!(false), vec!["Edited".to_owned()])
    );
    let sent = server.lock().unwrap().files.values().map(|(_, text)| text.clone()).collect::<String>();
    assert!(sent.contains("SUMMARY:Edited") && sent.contains("X-OWN:1") && !sent.contains("Mine"), "{sent}");
    // The server was changed first.
    server.lock().unwrap().put("a", &ics("a", "Theirs"));
    let refusal = refused(
        place.program.owner("calendar.events.update", json!({"eventId": first, "title": "Yours"})).await,
        "calendar-conflict",
    );
    assert_eq!(place.titles().await, ["Theirs"]);
    let undo = refusal.member("undo").unwrap().clone();
    let conflicts = async || place.ask("calendar.conflicts.list", json!({})).await["items"].clone();
    assert_eq!(conflicts().await[0]["title"], "Yours");
    assert_eq!(conflicts().await[0]["undo"], undo);
    place.ask("calendar.events.restore", json!({"undo": undo})).await;
    assert_eq!(place.titles().await, ["Yours"]);
    assert_eq!(conflicts().await, json!([]), "restored");
    assert!(server.lock().unwrap().files["/cal/work/a.ics"].1.contains("SUMMARY:Yours"));
    // Restored after the server was told of the deletion: it's new there.
    assert_eq!(conflicts().await, json!([]), "what the user deletes is no conflict");
    let undo = place.ask("calendar.events.delete", json!({"eventId": first})).await;
    assert!(server.lock().unwrap().files.is_empty());
    place.ask("calendar.events.restore", undo).await;
    assert_eq!(server.lock().unwrap().files.len(), 1);
    assert_eq!(place.titles().await, ["Yours"]);
}

#[tokio::test]
async fn a_server_in_trouble_is_named_on_its_calendars_and_nothing_goes() {
    let (place, (server, stub)) = (place(&[]).await, server(true).await);
    let account = place.account(&stub.url).await;
    let html = Reply::Status(200, "content-type: text/html\r\n".into(), b"<!doctype html><p>Log in".to_vec());
    for (broken, said) in [
        (Reply::Status(401, String::new(), Vec::new()), "(401)"),
        (Reply::Status(507, String::new(), Vec::new()), "(507)"),
        (Reply::Status(503, String::new(), Vec::new()), "(503)"),
        (html, "web page"),
        (Reply::Cut, "interrupted"),
        (Reply::Hang, "No answer within"),
    ] {
        server.lock().unwrap().broken = Some(broken);
        let refusal = refused(
            place.program.owner("calendar.accounts.sync", json!({"accountId": account["id"]})).await,
            "calendar-server",
        );
        assert!(refusal.detail().contains(said), "{said}: {}", refusal.detail());
        let calendars = place.ask("calendar.calendars.list", json!({})).await;
        assert!(calendars["items"][0]["problem"].as_str().unwrap().contains(said));
        assert_eq!(place.titles().await, ["First"]);
    }
    server.lock().unwrap().broken = None;
    place.ask("calendar.accounts.sync", json!({"accountId": account["id"]})).await;
    assert_eq!(place.ask("calendar.calendars.list", json!({})).await["items"][0]["problem"], Value::Null);
}

#[tokio::test]
async fn an_invitation_is_answered_and_a_declined_one_has_no_reminder() {
    let (place, (server, stub)) = (place(&[]).await, server(true).await);
    let invitation = ics("i", "Party").replace(
        "X-OWN:1",
        "ORGANIZER;CN=Bob:mailto:bob@work.example\r\nATTENDEE;PARTSTAT=NEEDS-ACTION;CN=Ada:mailto:ada@work.example",
    );
    server.lock().unwrap().put("i", &invitation);
    place.account(&stub.url).await;
    let week = place.week().await;
    let party = week.iter().find(|one| one["title"] == "Party").unwrap();
    assert_eq!((&party["myResponse"], &party["organizer"]), (&json!("needsAction"), &json!("Bob")));
    let answered =
        place.ask("calendar.events.respond", json!({"eventId": party["eventId"], "response": "declined"})).await;
    assert_eq!(
        (&answered["myResponse"], &answered["attendees"][0]["response"]),
        (&json!("declined"), &json!("declined"))
    );
    assert!(server.lock().unwrap().files["/cal/work/i.ics"].1.contains("PARTSTAT=DECLINED"));
    let first = week.iter().find(|one| one["title"] == "First").unwrap();
    refused(
        place
            .program
            .owner("calendar.events.respond", json!({"eventId": first["eventId"], "response": "accepted"}))
            .await,
        "invalid-input",
    );
    place.after(20 * HOUR_MS + 50 * MINUTE_MS).await;
    assert_eq!(place.rows().await.len(), 1, "{:?}", place.rows().await);
}

#[tokio::test]
async fn a_subscription_is_read_again_each_hour_and_cant_be_changed() {
    let place = place(&[]).await;
    let text = Arc::new(Mutex::new(ics("a", "Holiday")));
    let shared = text.clone();
    let stub =
        Stub::start(move |_| Reply::Status(200, String::new(), shared.lock().unwrap().clone().into_bytes())).await;
    let made =
        place.ask("calendar.subscriptions.create", json!({"url": format!("{}/x.ics", stub.url), "name": "Team"})).await;
    assert_eq!(
        (&made["kind"], &made["isWritable"], &made["name"]),
        (&json!("subscription"), &json!(false), &json!("Team"))
    );
    let id = place.week().await[0]["eventId"].clone();
    refused(
        place.program.owner("calendar.events.update", json!({"eventId": id, "title": "X"})).await,
        "calendar-read-only",
    );
    *text.lock().unwrap() = ics("b", "Other");
    crate::sync::all(place.program.ctx.clone()).await.unwrap();
    assert_eq!((place.titles().await, stub.count()), (vec!["Holiday".to_owned()], 1));
    place.program.clock.advance_ms(HOUR_MS);
    crate::sync::all(place.program.ctx.clone()).await.unwrap();
    assert_eq!(place.titles().await, ["Other"]);
    *text.lock().unwrap() = "<html>".into();
    place.program.clock.advance_ms(HOUR_MS);
    crate::sync::all(place.program.ctx.clone()).await.unwrap();
    assert_eq!(place.titles().await, ["Other"], "what was read stays");
    let calendars = place.ask("calendar.calendars.list", json!({})).await;
    assert!(calendars["items"][0]["problem"].as_str().unwrap().contains(".ics"));
    let starts = place.starts().await;
    assert_eq!(starts.len(), 1);
}
