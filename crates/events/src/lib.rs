//! Domain events: what happened, as data. What passes between features is one of these or a type of `kit`.
//!
//! Invariant: the enum is closed and holds data only; whoever needs an event reads it here, never from another feature.
//! Deliberately not here: durable queues. Events tell pages and features that something changed; what must survive is a row.

use kit::{Caller, Ctx, Kind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex};
use tokio::sync::{Notify, broadcast};

// Names of their own, because serde would take a reference for one into what it reads.
/// The kind of an actor.
pub type ActorKind = &'static str;
/// A step of an import.
pub type ImportPhase = &'static str;
/// The key of a setting.
pub type SettingKey = &'static str;

/// Who did something, so that nobody is told of what is their own.
#[allow(missing_docs)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Actor {
    /// `owner`, `cli`, `agent`, `member`, or `program` for Pilothouse itself.
    #[serde(deserialize_with = "actor_kind")]
    pub kind: ActorKind,
    /// The member that a member's token speaks for.
    pub member_id: Option<String>,
    pub session_id: Option<String>,
}

/// Reads the kind of an actor; an unknown one, of another version, is the program.
fn actor_kind<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<&'static str, D::Error> {
    let name = String::deserialize(deserializer)?;
    let kinds = [Kind::Owner, Kind::Cli, Kind::Agent, Kind::Member].map(Kind::name);
    Ok(kinds.into_iter().find(|kind| *kind == name).unwrap_or(PROGRAM))
}

/// The kind of actor that Pilothouse itself is.
pub const PROGRAM: &str = "program";

impl Actor {
    /// Pilothouse itself, for a session where one is named.
    pub const fn program(session_id: Option<String>) -> Actor {
        Actor { kind: PROGRAM, member_id: None, session_id }
    }
}

impl From<&Caller> for Actor {
    fn from(caller: &Caller) -> Actor {
        let text = |id: &Option<Arc<str>>| id.as_deref().map(str::to_owned);
        Actor { kind: caller.kind.name(), member_id: text(&caller.member), session_id: text(&caller.session) }
    }
}

/// Declares the events below their topics; makes [`Event`] and [`Topic`], so that each is said once.
macro_rules! events {
    ($($(#[$of_topic:meta])* $topic:ident {
        $($(#[$of_event:meta])* $event:ident $({ $($(#[$of_field:meta])* $field:ident : $value:ty),* $(,)? })?,)*
    })*) => {
        /// Everything that can happen.
        #[allow(missing_docs)]
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "event", rename_all = "kebab-case", rename_all_fields = "camelCase")]
        pub enum Event {
            $($($(#[$of_event])* $event $({ $($(#[$of_field])* $field: $value),* })?,)*)*
        }

        /// What events are about.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub enum Topic {
            $($(#[$of_topic])* $topic,)*
        }

        impl Topic {
            /// Every topic.
            pub const ALL: &[Topic] = &[$(Topic::$topic),*];
        }

        impl Event {
            /// The topic that `GET /events?topics=` selects by.
            pub fn topic(&self) -> Topic {
                match self {
                    $($(Event::$event { .. } => Topic::$topic,)*)*
                }
            }
        }
    };
}

events! {
    /// Settings that got another value.
    Settings {
        /// A setting got another value, by its key; `value` is the one in force now. `revision` is that of the account's settings;
        /// a setting of the whole installation, which all accounts hear of, has none.
        SettingChanged {
            // Keys live as long as the program; nothing reads this event back.
            #[serde(skip_deserializing)]
            key: SettingKey,
            value: Value,
            #[serde(skip_serializing_if = "Option::is_none")]
            revision: Option<i64>,
        },
    }
    /// Boards and what is in them.
    Boards {
        /// A board, or something in it, changed; `revision` is the board's new one.
        BoardChanged { board_id: String, revision: i64 },
        /// A view of a board changed, came or went; what the board holds did not.
        BoardViewsChanged { board_id: String },
        /// A board was deleted or archived, or is gone for good.
        BoardDeleted { board_id: String },
        /// An item was commented on; `mentions` are the members that the comment names.
        CommentAdded { board_id: String, item_id: String, comment_id: String, mentions: Vec<String> },
        /// A comment got another text, or was deleted.
        CommentChanged { board_id: String, item_id: String, comment_id: String, deleted: bool },
        /// A comment names a member that it did not name before.
        MemberMentioned { board_id: String, item_id: String, comment_id: String, member_id: String, by: Actor },
        /// Members were added to a people column of an item.
        ItemAssigned { board_id: String, item_id: String, column_id: String, member_ids: Vec<String>, by: Actor },
        /// An item was given another label of a status column; `from` and `to` are the labels' texts, `done` whether the new
        /// one means finished.
        ItemStatusChanged {
            board_id: String,
            item_id: String,
            column_id: String,
            from: Option<String>,
            to: Option<String>,
            done: bool,
            by: Actor,
        },
        /// More of the two above than are told one by one came of one change, which made `revision` of the board. `item_ids` are
        /// the items, the first thousand of `items`; all of them are in `GET /boards/{boardId}/changed?since=` the revision before,
        /// and the activity of an item says what became of it.
        ItemsChanged {
            board_id: String,
            revision: i64,
            assigned: usize,
            status_changed: usize,
            items: usize,
            item_ids: Vec<String>,
            by: Actor,
        },
        /// A board was imported with so many items; what they hold is not told one by one.
        ItemsImported { board_id: String, items: u64, by: Actor },
        /// The day before an item's date has begun for these members (nobody in particular where empty), and it is not done.
        ItemDueSoon { board_id: String, item_id: String, date: String, member_ids: Vec<String> },
        /// The day of an item's date has ended for these members (nobody in particular where empty), and it is not done.
        ItemOverdue { board_id: String, item_id: String, date: String, member_ids: Vec<String> },
        /// More of the two above than are told one by one came about on a board at once. `item_ids` are the items, the first
        /// thousand of `items`; a query by the date finds all.
        ItemsDue { board_id: String, due_soon: usize, overdue: usize, items: usize, item_ids: Vec<String> },
        /// An import moved on; `rows` of about `rows_expected` are in. The last `phase` is `done`, or `cancelled` where nothing of
        /// it was kept: it was refused or given up, also because its caller went away.
        ImportProgress {
            import_id: String,
            #[serde(skip_deserializing)]
            phase: ImportPhase,
            rows: u64,
            rows_expected: u64,
        },
    }
    /// Dashboards.
    Dashboards {
        /// A dashboard changed or was deleted (then `revision` is 0).
        DashboardChanged { dashboard_id: String, revision: i64 },
        /// An agent proposed to change a dashboard that a person has open, went on with it, or a person decided about it.
        DashboardProposalChanged { dashboard_id: String, proposal_id: String },
        /// A dashboard was published, or taken off the web. Pages that expire by themselves are not told of.
        DashboardPublicationChanged { dashboard_id: String },
        /// An address was allowed whose page dashboards may show on this computer, or one is allowed no more. Members do not
        /// hear of it.
        DashboardAppsChanged,
    }
    /// The directory of members.
    Directory {
        /// A member came, got another entry, or went.
        MembersChanged,
    }
    /// Sessions of agents.
    Sessions {
        /// A session came, or what lists show of it changed: its state, title, what it needs, what waits.
        SessionChanged { session_id: String },
        /// A session that had turns ended or was archived; `turns` are all that it had. `hub_id` is empty if its hub was removed.
        SessionEnded { session_id: String, hub_id: String, turns: i64 },
    }
    /// The inbox.
    Inbox {
        /// A row came, changed, was read or dismissed.
        InboxRowChanged { row_id: String },
        /// Somebody wants to show the person another place; the row says which, until a page that has the focus takes it.
        ViewAsked { row_id: String },
        /// The user is notified of a row; a page that is in front shows it for a moment.
        NotificationShown { row_id: String, title: String, link: Option<String> },
        /// Focus Mode began, ended, or got another end.
        FocusChanged,
        /// An alarm came, changed, went, rings, or stopped.
        AlarmChanged { alarm_id: String },
        /// A scheduled message came, changed, was sent, or went.
        ScheduledMessagesChanged,
        /// A drip queue or an item of one came, changed, was released, or went.
        DripChanged { queue_id: String },
        /// The Pomodoro run, a preset, or a rule changed.
        PomodoroChanged,
        /// A sticky note came, changed, or went.
        StickyNoteChanged { note_id: String },
        /// The copies of a hub's instruction file changed, or what is to be decided about them.
        InstructionFilesChanged { hub_id: String },
    }
    /// Tasks.
    Tasks {
        /// Tasks came, changed, or went; `revision` is the account's newest.
        TasksChanged { revision: i64 },
        /// Follow-ups were caught, accepted, dismissed, or restored.
        CaughtTasksChanged,
    }
    /// Running apps.
    Apps {
        /// An app came, went, or changed its state.
        AppsChanged,
    }
    /// Bookmarks.
    Bookmarks {
        /// A bookmark or a folder came, changed, moved, or went.
        BookmarksChanged,
    }
    /// The calendar.
    Calendar {
        /// An event or a calendar came, changed, or went.
        CalendarChanged,
    }
    /// Meeting rooms.
    Rooms {
        /// A meeting room came, changed, moved, was joined, or went.
        RoomsChanged,
    }
    /// The program itself.
    App {
        /// The program is about to restart.
        Restarting,
    }
}

impl Topic {
    /// As sent.
    pub fn name(self) -> String {
        text_of(&self, |value| value.as_str())
    }
    /// The scope that a session needs to hear of it; none for what every session hears.
    pub fn scope(self) -> Option<String> {
        (self != Topic::App).then(|| format!("{}:read", self.name()))
    }
}

impl Event {
    /// Its name on the wire, which its data has too.
    pub fn name(&self) -> String {
        text_of(self, |value| value["event"].as_str())
    }
}

/// Items that one event names.
pub const ITEM_IDS_MAX: usize = 1_000;

/// How many items events of single items are of, and the first of them.
pub fn items_of(events: &[Event]) -> (usize, Vec<String>) {
    let ids = events.iter().filter_map(|event| match event {
        Event::ItemAssigned { item_id, .. }
        | Event::ItemStatusChanged { item_id, .. }
        | Event::ItemDueSoon { item_id, .. }
        | Event::ItemOverdue { item_id, .. } => Some(item_id),
        _ => None,
    });
    let mut seen = HashSet::new();
    let first = ids.filter(|id| seen.insert(*id) && seen.len() <= ITEM_IDS_MAX).cloned().collect();
    (seen.len(), first)
}

/// What serializing makes of a name: it is derived there, and written nowhere else.
fn text_of(named: &impl Serialize, text: impl Fn(&Value) -> Option<&str>) -> String {
    let value = serde_json::to_value(named).expect("events serialize");
    text(&value).expect("events and topics have names").to_owned()
}

/// An event with its number and who may see it.
#[derive(Debug, Clone)]
pub struct Numbered {
    /// Counts up by one from the program's start; `Last-Event-ID` is `INSTANCE-NUMBER`.
    pub number: u64,
    /// Whose it is; `None` is everyone's.
    pub account: Option<Arc<str>>,
    /// Of the account's members only these, where not all of them may see what it is of. Callers that are no members may.
    pub members: Option<Arc<[String]>>,
    /// The session that it is about, where only those who see that session may know of it.
    pub session: Option<AboutSession>,
    /// What happened.
    pub event: Event,
}

/// A session that an event is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AboutSession {
    /// Its id; empty for what is about no session and yet not for any.
    pub id: Arc<str>,
    /// The session that started it.
    pub parent: Option<Arc<str>>,
}

impl Numbered {
    /// Whether a caller may hear of it, as far as that is a matter of whose it is.
    pub fn is_for(&self, caller: &Caller) -> bool {
        let is_invited = |members: &Arc<[String]>| {
            caller.kind != Kind::Member || members.iter().any(|one| Some(one.as_str()) == caller.member.as_deref())
        };
        let is_seen = |about: &AboutSession| caller.sessions_seen().shows(&about.id, about.parent.as_deref());
        self.account.as_ref().is_none_or(|account| *account == caller.account)
            && self.members.as_ref().is_none_or(is_invited)
            && self.session.as_ref().is_none_or(is_seen)
    }

    /// What a caller may hear of it: without the name of a session that the caller doesn't see.
    pub fn told_to(&self, caller: &Caller) -> Value {
        let mut data = serde_json::to_value(&self.event).expect("events serialize");
        if let Some(by) = data.get_mut("by").and_then(|by| by.get_mut("sessionId")) {
            let named = caller.sessions_seen().named(by.as_str().map(str::to_owned));
            *by = named.into();
        }
        data
    }
}

/// How many events are kept for readers that reconnect.
pub const KEPT_MAX: usize = 4096;
/// How many bytes they may come to, as they are sent, with the members who hear them: the value of a setting may be a long
/// text.
pub const KEPT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Hands events to whoever listens in this program.
pub struct Bus {
    kept: Mutex<Kept>,
    live: broadcast::Sender<Numbered>,
    wakers: Mutex<Vec<Waker>>,
}

/// What to call, and for which events.
type Waker = (fn(&Event) -> bool, Box<dyn Fn() + Send + Sync>);

/// The newest events, each with its bytes.
#[derive(Default)]
struct Kept {
    newest: u64,
    bytes: usize,
    events: VecDeque<(usize, Numbered)>,
}

impl Kept {
    fn keep(&mut self, numbered: Numbered) {
        let named: usize = numbered.members.iter().flat_map(|members| members.iter()).map(String::len).sum();
        let bytes = serde_json::to_vec(&numbered.event).map_or(0, |text| text.len()) + named;
        self.bytes += bytes;
        self.events.push_back((bytes, numbered));
        while self.events.len() > KEPT_MAX || self.bytes > KEPT_BYTES_MAX {
            let Some((bytes, _)) = self.events.pop_front() else { return };
            self.bytes -= bytes;
        }
    }
}

impl Default for Bus {
    fn default() -> Self {
        Bus { kept: Mutex::default(), live: broadcast::Sender::new(KEPT_MAX), wakers: Mutex::default() }
    }
}

impl Bus {
    /// Tells everyone who listens, in an account where one is named. Called after the change is on disk.
    pub fn emit(&self, account: Option<&str>, event: Event) {
        self.emit_among(account, None, event);
    }
    /// The same, of what only some of the account's members may see.
    pub fn emit_among(&self, account: Option<&str>, members: Option<Arc<[String]>>, event: Event) {
        self.send(account, members, None, event);
    }
    /// The same, for those who see a session.
    pub fn emit_about(&self, account: &str, session: AboutSession, event: Event) {
        self.send(Some(account), None, Some(session), event);
    }

    fn send(&self, account: Option<&str>, members: Option<Arc<[String]>>, session: Option<AboutSession>, event: Event) {
        for (concerns, call) in &*self.wakers.lock().expect("the lock isn't poisoned") {
            if concerns(&event) {
                call();
            }
        }
        let mut kept = self.kept.lock().expect("the lock isn't poisoned");
        kept.newest += 1;
        let numbered = Numbered { number: kept.newest, account: account.map(Arc::from), members, session, event };
        kept.keep(numbered.clone());
        // Sent while the lock is held, so that numbers arrive in order. Nobody listening is no error.
        let _ = self.live.send(numbered);
    }
    /// What is notified of each event that concerns somebody, for as long as the program runs. Where most events do not, a
    /// listener would still be woken for each, and a change wait meanwhile: waking a thread takes as long as a good part of it.
    pub fn waker(&self, concerns: fn(&Event) -> bool) -> Arc<Notify> {
        let wake = Arc::new(Notify::new());
        let notified = wake.clone();
        self.on(concerns, move || notified.notify_one());
        wake
    }
    /// Calls something short at each event that concerns it, for as long as the program runs. It must not emit events.
    pub fn on(&self, concerns: fn(&Event) -> bool, call: impl Fn() + Send + Sync + 'static) {
        self.wakers.lock().expect("the lock isn't poisoned").push((concerns, Box::new(call)));
    }
    /// The number of the newest event.
    pub fn newest(&self) -> u64 {
        self.kept.lock().expect("the lock isn't poisoned").newest
    }
    /// Listens from now on, with the kept events after `after` first; `None` when they are no longer all kept.
    pub fn listen(&self, after: Option<u64>) -> (Option<Vec<Numbered>>, broadcast::Receiver<Numbered>) {
        let kept = self.kept.lock().expect("the lock isn't poisoned");
        let missed = match after {
            None => Some(Vec::new()),
            Some(after) if after > kept.newest => None,
            Some(after) => {
                let later = kept.events.iter().map(|(_, event)| event).filter(|event| event.number > after);
                let later: Vec<_> = later.cloned().collect();
                (later.len() as u64 == kept.newest - after).then_some(later)
            }
        };
        (missed, self.live.subscribe())
    }
}

/// Adds the bus to the context.
pub trait HasEvents {
    /// The program's one bus.
    fn events(&self) -> Arc<Bus>;
}

impl HasEvents for Ctx {
    fn events(&self) -> Arc<Bus> {
        self.service()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{self, Context};

    fn with_text(length: usize) -> Event {
        Event::SettingChanged { key: "k", value: "x".repeat(length).into(), revision: None }
    }

    fn missed(bus: &Bus, after: u64) -> Option<Vec<u64>> {
        let (missed, _) = bus.listen(Some(after));
        missed.map(|missed| missed.iter().map(|event| event.number).collect())
    }

    #[test]
    fn names_and_topics_are_those_of_the_wire() {
        let board = Event::BoardViewsChanged { board_id: "b".into() };
        assert_eq!((board.name(), board.topic()), ("board-views-changed".into(), Topic::Boards));
        assert_eq!(
            serde_json::to_value(&board).unwrap(),
            serde_json::json!({"event": "board-views-changed", "boardId": "b"})
        );
        assert_eq!((Event::Restarting.name(), Event::Restarting.topic().name()), ("restarting".into(), "app".into()));
        assert_eq!(with_text(1).topic().name(), "settings");
        let heard: Vec<_> = Topic::ALL.iter().filter_map(|topic| topic.scope()).collect();
        assert_eq!(
            heard,
            [
                "settings:read",
                "boards:read",
                "dashboards:read",
                "directory:read",
                "sessions:read",
                "inbox:read",
                "tasks:read",
                "apps:read",
                "bookmarks:read",
                "calendar:read",
                "rooms:read"
            ]
        );
    }

    #[test]
    fn of_what_not_all_members_see_the_others_do_not_hear() {
        let member = |id: &str| Caller { member: Some(id.into()), ..Caller::new(Kind::Member, "a", "t") };
        let [own, foreign] = ["a", "b"].map(|account| Caller::new(Kind::Owner, account, "t"));
        let callers = [member("m1"), member("m2"), Caller::new(Kind::Member, "a", "t"), own, foreign];
        let hear = |account: Option<&str>, members: Option<&[String]>| {
            let (account, members) = (account.map(Arc::from), members.map(Arc::from));
            let told = Numbered { number: 1, account, members, session: None, event: Event::Restarting };
            callers.each_ref().map(|caller| told.is_for(caller))
        };
        assert_eq!(hear(Some("a"), Some(&["m1".into()])), [true, false, false, true, false]);
        assert_eq!(hear(Some("a"), None), [true, true, true, true, false]);
        assert_eq!(hear(None, None), [true; 5]);
    }

    #[test]
    fn woken_is_whom_an_event_concerns_and_of_many_once() {
        let bus = Bus::default();
        let wake = bus.waker(|event| matches!(event, Event::BoardViewsChanged { .. }));
        let is_woken = || pin!(wake.notified()).poll(&mut Context::from_waker(task::Waker::noop())).is_ready();
        bus.emit(None, Event::Restarting);
        assert!(!is_woken());
        for _ in 0..2 {
            bus.emit(None, Event::BoardViewsChanged { board_id: "b".into() });
        }
        assert!(is_woken());
        assert!(!is_woken());
    }

    #[test]
    fn kept_are_the_newest_events_up_to_their_number() {
        let bus = Bus::default();
        assert_eq!(missed(&bus, 0), Some(vec![]));
        for _ in 0..=KEPT_MAX {
            bus.emit(None, Event::Restarting);
        }
        let newest = KEPT_MAX as u64 + 1;
        assert_eq!(missed(&bus, 0), None);
        assert_eq!(missed(&bus, 1), Some((2..=newest).collect()));
        assert_eq!(missed(&bus, newest), Some(vec![]));
        assert_eq!(missed(&bus, newest + 1), None, "no event of this run has that number");
    }

    #[test]
    fn kept_are_the_newest_events_up_to_their_bytes() {
        let bus = Bus::default();
        bus.emit(None, Event::Restarting);
        bus.emit(None, with_text(KEPT_BYTES_MAX / 2));
        assert_eq!(missed(&bus, 0), Some(vec![1, 2]));
        bus.emit(None, with_text(KEPT_BYTES_MAX / 2));
        assert_eq!((missed(&bus, 1), missed(&bus, 2)), (None, Some(vec![3])));
        // One that is too large by itself is told to those who listen, and to nobody later.
        bus.emit(None, with_text(KEPT_BYTES_MAX));
        assert_eq!((missed(&bus, 3), missed(&bus, 4)), (None, Some(vec![])));
        bus.emit(None, Event::Restarting);
        assert_eq!(missed(&bus, 4), Some(vec![5]));
    }
}
