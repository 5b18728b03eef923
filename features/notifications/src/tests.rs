use crate::deliver::{deliver, follow_buttons};
use crate::{Notifier, feature};
use events::{Actor, Event, HasEvents};
use inbox_rows::NewRow;
use kit::lookup::{AnswerRequests, FirstAccount, FocusBlocks, OpenPage, RowSnoozes, SessionAnswers, SnoozeRows};
use kit::{Feature, InboxKind, Job, Need, SettingsSource, Urgency};
use platform::notifications::{Desktop, Note, Pressed};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::{HasDb, Tx};
use testkit::{ACCOUNT, Program, refused};

static APPROVAL: InboxKind = InboxKind::new("approval", "Request", "info").asking(Need::Answer);
static DONE: InboxKind = InboxKind::new("done", "Done", "info").done();
static PLAIN: InboxKind = InboxKind::new("plain", "Plain", "info");
static OF_BOARD: InboxKind = InboxKind::new("status", "Status", "info").urgency(Urgency::OfBoard);
static OVERDUE: InboxKind = InboxKind::new("overdue", "Overdue", "info").urgency(Urgency::Always);
static NOTICE: InboxKind = InboxKind::new("notice", "Notice", "info").urgency(Urgency::Notice);
static KINDS: &[&InboxKind] = &[&APPROVAL, &DONE, &PLAIN, &OF_BOARD, &OVERDUE, &NOTICE];

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A screen that records what it shows, and fails while told to.
#[derive(Default)]
struct Screen {
    shown: Mutex<Vec<Note>>,
    withdrawn: Mutex<Vec<u32>>,
    fails: Mutex<bool>,
    /// What it waits for before it shows anything.
    gate: Mutex<Option<Arc<tokio::sync::Semaphore>>>,
    do_not_disturb: Mutex<Option<bool>>,
}

impl Desktop for Screen {
    fn show(&self, note: Note) -> Boxed<'_, Result<u32, String>> {
        let mut shown = self.shown.lock().unwrap();
        if *self.fails.lock().unwrap() {
            return Box::pin(async { Err("No service.".to_owned()) });
        }
        shown.push(note);
        let (id, gate) = (shown.len() as u32, self.gate.lock().unwrap().clone());
        Box::pin(async move {
            if let Some(gate) = gate {
                gate.acquire().await.unwrap().forget();
            }
            Ok(id)
        })
    }
    fn withdraw(&self, id: u32) -> Boxed<'_, ()> {
        self.withdrawn.lock().unwrap().push(id);
        Box::pin(async {})
    }
    fn set_count(&self, _: i64) -> Boxed<'_, ()> {
        Box::pin(async {})
    }
    fn do_not_disturb(&self) -> Boxed<'_, Option<bool>> {
        let is_on = *self.do_not_disturb.lock().unwrap();
        Box::pin(async move { is_on })
    }
    fn sound_problem(&self) -> Boxed<'_, Option<String>> {
        let is_silent = *self.fails.lock().unwrap();
        Box::pin(async move { is_silent.then(|| "No service.".to_owned()) })
    }
}

/// A loudspeaker that records what it plays.
#[derive(Default)]
struct Loudspeaker(Mutex<Vec<String>>);

impl sound::Play for Loudspeaker {
    fn play(&self, playback: sound::Playback, _: sound::Report) -> sound::Playing {
        assert!(playback.plays_once);
        self.0.lock().unwrap().push(playback.sound);
        sound::Playing::new(())
    }
    fn problem(&self) -> Option<sound::Problem> {
        self.0.lock().unwrap().is_empty().then_some(sound::Problem::NoPlayer)
    }
}

/// Records answers.
#[derive(Default)]
struct Answers(Mutex<Vec<(String, bool)>>);

struct Answering(Arc<Answers>);

impl AnswerRequests for Answering {
    fn answer(&self, _: &str, session: &str, ask: &str, allow: bool) -> Boxed<'static, kit::Result<()>> {
        self.0.0.lock().unwrap().push((format!("{session} {ask}"), allow));
        Box::pin(async { Ok(()) })
    }
}

/// Snoozes rows as the inbox does, and records for how long.
struct Snoozing(kit::Ctx, Arc<Mutex<Vec<(String, i64)>>>);

impl SnoozeRows for Snoozing {
    fn snooze(&self, account: &str, row: &str, for_ms: i64) -> Boxed<'static, kit::Result<()>> {
        self.1.lock().unwrap().push((row.to_owned(), for_ms));
        let (ctx, account, row) = (self.0.clone(), account.to_owned(), row.to_owned());
        Box::pin(async move {
            let following = ctx.clone();
            ctx.db().write(move |tx| inbox_rows::snoozed(tx, &following, &account, &row)).await
        })
    }
}

/// Settings by key.
struct Stored(HashMap<&'static str, Value>);

impl SettingsSource for Stored {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        self.0.get(key).cloned()
    }
}

struct Place {
    program: Program,
    screen: Arc<Screen>,
    answers: Arc<Answers>,
}

impl Place {
    async fn start() -> Place {
        let program = Program::start(|| {
            let inbox = Feature { inbox_kinds: KINDS, migrations: inbox_rows::MIGRATIONS, ..Feature::named("inbox") };
            vec![inbox, feature()]
        })
        .await;
        let (screen, answers) = (Arc::new(Screen::default()), Arc::new(Answers::default()));
        program.ctx.provide(Arc::new(Notifier(screen.clone())));
        program.ctx.provide(Arc::new(SessionAnswers(Box::new(Answering(answers.clone())))));
        Place { program, screen, answers }
    }

    fn set(&self, values: &[(&'static str, Value)]) {
        self.program.ctx.provide_settings(Arc::new(Stored(values.iter().cloned().collect())));
    }

    /// Posts a row, and shows what is pending.
    async fn post(&self, kind: &'static InboxKind, key: &'static str) -> String {
        let ctx = self.program.ctx.clone();
        let write = move |tx: &mut Tx<'_>| {
            let by = Actor { kind: "program", member_id: None, session_id: None };
            let row = NewRow {
                key: Some(key),
                session_id: key.starts_with("session:").then_some("s1"),
                link: Some("/app/sessions/s1"),
                ..NewRow::new(kind, key, by)
            };
            inbox_rows::post(tx, &ctx, ACCOUNT, &row)
        };
        let id = self.program.ctx.db().write(write).await.unwrap();
        deliver(&self.program.ctx).await.unwrap();
        id
    }

    async fn settle(&self, key: &'static str) {
        let ctx = self.program.ctx.clone();
        let write = move |tx: &mut Tx<'_>| inbox_rows::settle(tx, &ctx, ACCOUNT, key, "answered");
        self.program.ctx.db().write(write).await.unwrap();
        deliver(&self.program.ctx).await.unwrap();
    }

    async fn release(&self) {
        self.program.fire_timers().await;
        deliver(&self.program.ctx).await.unwrap();
    }

    fn titles(&self) -> Vec<String> {
        self.screen.shown.lock().unwrap().iter().map(|note| note.title.clone()).collect()
    }

    /// The decisions with their reasons, oldest first.
    async fn history(&self) -> Vec<(String, String)> {
        let page = self.program.owner("notifications.history", json!({})).await.unwrap();
        let of = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
        page["items"].as_array().unwrap().iter().rev().map(|row| (of(row, "decision"), of(row, "reason"))).collect()
    }

    async fn in_front(&self, is_in_front: bool) {
        let input = json!({"windowId": "w1", "isInFront": is_in_front});
        self.program.owner("presence.renew", input).await.unwrap();
    }
}

#[tokio::test]
async fn a_request_is_shown_with_buttons_and_withdrawn_when_it_is_answered_anywhere() {
    let place = Place::start().await;
    place.post(&APPROVAL, "session:s1:7").await;
    let note = place.screen.shown.lock().unwrap()[0].clone();
    let labels: Vec<&str> = note.actions.iter().map(|(_, label)| &**label).collect();
    assert_eq!((&*note.title, labels), ("session:s1:7", vec!["Open", "Allow", "Deny", "Open"]));
    assert!(note.stays);
    place.settle("session:s1:7").await;
    assert_eq!(*place.screen.withdrawn.lock().unwrap(), [1]);
}

#[tokio::test]
async fn a_button_answers_the_request_unless_it_was_answered_meanwhile() {
    let place = Place::start().await;
    let opened = Arc::new(Mutex::new(Vec::new()));
    let seen = opened.clone();
    let open = move |link: &str| seen.lock().unwrap().push(link.to_owned());
    place.program.ctx.provide(Arc::new(OpenPage(Box::new(open))));
    place.post(&APPROVAL, "session:s1:7").await;
    let (pressed, heard) = tokio::sync::mpsc::channel(4);
    follow_buttons(place.program.ctx.clone(), heard);
    let press = async |action: &str| pressed.send(Pressed { id: 1, action: action.into() }).await.unwrap();
    press("allow").await;
    press("default").await;
    while opened.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(*place.answers.0.lock().unwrap(), [("s1 7".to_owned(), true)]);
    place.settle("session:s1:7").await;
    press("deny").await;
    while opened.lock().unwrap().len() < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(place.answers.0.lock().unwrap().len(), 1, "it was answered meanwhile");
    assert_eq!(*opened.lock().unwrap(), ["/app/sessions/s1", "/app/inbox"]);
}

#[tokio::test]
async fn a_button_snoozes_the_row_for_an_hour_and_withdraws_the_notification() {
    let place = Place::start().await;
    let snoozed = Arc::new(Mutex::new(Vec::new()));
    let snoozing = Snoozing(place.program.ctx.clone(), snoozed.clone());
    place.program.ctx.provide(Arc::new(RowSnoozes(Box::new(snoozing))));
    let row_id = place.post(&APPROVAL, "session:s1:7").await;
    let actions = place.screen.shown.lock().unwrap()[0].actions.clone();
    assert_eq!(actions.last(), Some(&("snooze".to_owned(), "Snooze 1 hour".to_owned())));
    let (pressed, heard) = tokio::sync::mpsc::channel(4);
    follow_buttons(place.program.ctx.clone(), heard);
    for _ in 0..2 {
        pressed.send(Pressed { id: 1, action: "snooze".into() }).await.unwrap();
    }
    drop(pressed);
    while place.screen.withdrawn.lock().unwrap().is_empty() {
        deliver(&place.program.ctx).await.unwrap();
        tokio::task::yield_now().await;
    }
    assert_eq!(*snoozed.lock().unwrap(), [(row_id, 3_600_000)], "once: it's gone from the screen");
    assert_eq!(*place.answers.0.lock().unwrap(), [], "the request waits all the same");
}

#[tokio::test]
async fn the_behavior_decides_and_the_history_says_why() {
    let place = Place::start().await;
    place.post(&PLAIN, "a").await;
    place.in_front(true).await;
    place.post(&PLAIN, "b").await;
    place.set(&[("notificationBehavior", json!("always"))]);
    place.post(&PLAIN, "c").await;
    place.set(&[("notificationBehavior", json!("never"))]);
    place.post(&PLAIN, "d").await;
    place.set(&[]);
    place.program.clock.advance_ms(30_000);
    place.post(&PLAIN, "e").await;
    assert_eq!(place.titles(), ["a", "c", "e"], "a window that doesn't renew its lease isn't in front");
    let reasons: Vec<String> = place.history().await.into_iter().map(|(_, reason)| reason).collect();
    assert_eq!(
        reasons,
        [
            "Shown.",
            "Not shown: Pilothouse was in front.",
            "Shown.",
            "Not shown: notificationBehavior is never.",
            "Shown."
        ]
    );
    place.set(&[("notificationHistoryEnabled", json!(false))]);
    place.post(&PLAIN, "f").await;
    assert_eq!(place.history().await.len(), 5, "no entry while the history is off");
}

#[tokio::test]
async fn focus_mode_collects_and_leaves_out_what_was_answered_meanwhile() {
    let place = Place::start().await;
    let started = place.program.owner("focus.start", json!({"minutes": 25})).await.unwrap();
    assert_eq!((&started["active"], &started["through"]), (&json!(true), &json!("nothing")));
    for key in ["a", "b", "c", "d"] {
        place.post(&PLAIN, key).await;
    }
    place.post(&OVERDUE, "late").await;
    assert_eq!(place.titles(), ["late"], "overdue items always notify");
    assert_eq!(place.program.owner("focus.get", json!({})).await.unwrap()["held"], 4);
    place.settle("d").await;
    place.program.clock.advance_ms(25 * 60_000 - 1);
    place.release().await;
    assert_eq!(place.titles().len(), 1, "it isn't over yet");
    place.program.clock.advance_ms(1);
    place.release().await;
    assert_eq!(place.titles(), ["late", "3 notifications"]);
    assert_eq!(place.screen.shown.lock().unwrap()[1].body, "a\nb\nc");
    place.release().await;
    assert_eq!(place.titles().len(), 2, "nothing is told twice");
    let history = place.history().await;
    assert_eq!(history[0], ("hold".to_owned(), "Held until Focus Mode ends.".to_owned()));
    assert_eq!(history[5..].len(), 3);
}

#[tokio::test]
async fn focus_mode_lets_through_what_was_chosen_and_ends_on_request() {
    let place = Place::start().await;
    place.program.owner("focus.start", json!({"through": "needsYou"})).await.unwrap();
    place.post(&PLAIN, "a").await;
    place.post(&APPROVAL, "session:s1:1").await;
    assert_eq!(place.titles(), ["session:s1:1"]);
    let mut heard = place.program.ctx.events().listen(None).1;
    assert_eq!(place.program.owner("focus.end", json!({})).await.unwrap()["active"], false);
    deliver(&place.program.ctx).await.unwrap();
    assert_eq!(place.titles(), ["session:s1:1", "a"]);
    assert!(std::iter::from_fn(|| heard.try_recv().ok()).any(|event| event.event == Event::FocusChanged));
    for minutes in [0, -1, 1_441] {
        refused(place.program.owner("focus.start", json!({"minutes": minutes})).await, "invalid-input");
    }
    place.set(&[("focusModeFeatureEnabled", json!(false))]);
    let told = refused(place.program.owner("focus.start", json!({})).await, "focus-disabled");
    assert!(told.detail().contains("focusModeFeatureEnabled"));
}

#[tokio::test]
async fn blocks_of_work_turn_focus_mode_on_and_off_until_you_toggle_it() {
    let place = Place::start().await;
    let ctx = place.program.ctx.clone();
    let blocks = ctx.service::<FocusBlocks>();
    assert!(!blocks.0.is_default(&ctx, ACCOUNT));
    place.set(&[("pomodoroAutoEnableFocusModeDefault", json!(true))]);
    assert!(blocks.0.is_default(&ctx, ACCOUNT));
    let set = async |until_ms, toggles| blocks.0.set(ctx.clone(), ACCOUNT, until_ms, toggles).await.unwrap();
    let active = async || place.program.owner("focus.get", json!({})).await.unwrap()["active"].clone();
    let until_ms = Some(ctx.now_ms() + 25 * 60_000);
    let toggles = blocks.0.toggles(ctx.clone(), ACCOUNT).await.unwrap();
    assert!(set(until_ms, toggles).await && set(until_ms, toggles).await);
    place.post(&PLAIN, "a").await;
    assert_eq!((active().await, place.titles().len()), (json!(true), 0));
    assert!(set(None, toggles).await);
    deliver(&ctx).await.unwrap();
    assert_eq!((active().await, place.titles().len()), (json!(false), 1));
    // A toggle by hand is counted, and what the run wants no longer matters.
    set(until_ms, toggles).await;
    place.program.owner("focus.end", json!({})).await.unwrap();
    assert!(!set(until_ms, toggles).await);
    assert_eq!(active().await, json!(false));
    // One that you started before the run stays as it is.
    place.program.owner("focus.start", json!({})).await.unwrap();
    let toggles = blocks.0.toggles(ctx.clone(), ACCOUNT).await.unwrap();
    assert!(set(until_ms, toggles).await && set(None, toggles).await);
    let focus = place.program.owner("focus.get", json!({})).await.unwrap();
    assert_eq!((&focus["active"], &focus["endsAt"]), (&json!(true), &Value::Null));
    place.set(&[("pomodoroAutoEnableFocusModeDefault", json!(true)), ("focusModeFeatureEnabled", json!(false))]);
    assert!(!blocks.0.is_default(&ctx, ACCOUNT));
}

#[tokio::test]
async fn turning_the_feature_off_ends_an_active_focus_mode_for_notifications() {
    let place = Place::start().await;
    place.program.owner("focus.start", json!({})).await.unwrap();
    place.post(&PLAIN, "a").await;
    place.set(&[("focusModeFeatureEnabled", json!(false))]);
    place.post(&PLAIN, "b").await;
    assert_eq!(place.titles(), ["b"]);
}

#[tokio::test]
async fn without_a_service_pages_are_told_and_nothing_is_lost() {
    let place = Place::start().await;
    *place.screen.fails.lock().unwrap() = true;
    let mut heard = place.program.ctx.events().listen(None).1;
    let id = place.post(&PLAIN, "a").await;
    let shown = std::iter::from_fn(|| heard.try_recv().ok()).find_map(|event| match event.event {
        Event::NotificationShown { row_id, title, .. } => Some((row_id, title)),
        _ => None,
    });
    assert_eq!(shown, Some((id, "a".to_owned())));
    let open = |tx: &mut Tx<'_>| inbox_rows::is_open(tx, ACCOUNT, "a");
    assert!(place.program.ctx.db().read(open).await.unwrap());
    let told = refused(place.program.owner("notifications.test", json!({})).await, "notification-not-shown");
    assert_eq!(told.detail(), "No service.");
    *place.screen.fails.lock().unwrap() = false;
    place.program.owner("notifications.test", json!({})).await.unwrap();
    assert_eq!(place.titles(), ["Test notification"]);
}

#[tokio::test]
async fn a_row_that_says_something_new_replaces_its_notification() {
    let place = Place::start().await;
    place.post(&PLAIN, "a").await;
    place.post(&PLAIN, "a").await;
    let shown = place.screen.shown.lock().unwrap();
    assert_eq!(shown.iter().map(|note| note.replaces).collect::<Vec<_>>(), [0, 1]);
}

#[tokio::test]
async fn requests_ends_of_work_and_the_rest_sound_different_and_each_kind_as_chosen() {
    let place = Place::start().await;
    let loudspeaker = Arc::new(Loudspeaker::default());
    crate::play_sounds_with(&place.program.ctx, loudspeaker.clone());
    let choose =
        |kind: &str, sound: Value| place.program.owner("notifications.sound", json!({"kind": kind, "sound": sound}));
    place.post(&APPROVAL, "a").await;
    place.post(&DONE, "b").await;
    place.post(&PLAIN, "c").await;
    choose("done", json!("marimba")).await.unwrap();
    choose("plain", json!("none")).await.unwrap();
    place.post(&DONE, "d").await;
    place.post(&PLAIN, "e").await;
    choose("done", Value::Null).await.unwrap();
    place.post(&DONE, "f").await;
    let sounds = || place.screen.shown.lock().unwrap().iter().map(|note| note.sound).collect::<Vec<_>>();
    assert_eq!(sounds(), ["dialog-question", "complete", "message-new-instant", "", "", "complete"]);
    assert_eq!(*loudspeaker.0.lock().unwrap(), ["marimba"]);
    for (kind, sound) in [("plain", "gong"), ("nothing-such", "bell"), ("plain", "/etc/passwd"), ("plain", "system:x")]
    {
        refused(choose(kind, json!(sound)).await, "invalid-input");
    }
    choose("plain", json!("bell")).await.unwrap();
    place.program.owner("notifications.mute", json!({"muted": true})).await.unwrap();
    place.post(&PLAIN, "g").await;
    place.post(&APPROVAL, "h").await;
    assert_eq!((sounds()[6..].to_vec(), loudspeaker.0.lock().unwrap().len()), (vec!["", ""], 1), "muted");
    place.program.owner("notifications.test", json!({"kind": "plain"})).await.unwrap();
    assert_eq!(*loudspeaker.0.lock().unwrap(), ["marimba", "bell"], "a test is heard all the same");
    let unmuted = place.program.owner("notifications.mute", json!({"muted": false})).await.unwrap();
    assert_eq!(unmuted["muted"], false);
    place.post(&PLAIN, "i").await;
    assert_eq!(loudspeaker.0.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn of_several_notifications_at_once_the_one_that_needs_you_is_heard() {
    let place = Place::start().await;
    let loudspeaker = Arc::new(Loudspeaker::default());
    crate::play_sounds_with(&place.program.ctx, loudspeaker.clone());
    let input = json!({"kind": "approval", "sound": "beep"});
    place.program.owner("notifications.sound", input).await.unwrap();
    place.program.owner("focus.start", json!({})).await.unwrap();
    place.post(&PLAIN, "a").await;
    place.post(&APPROVAL, "b").await;
    place.post(&PLAIN, "c").await;
    place.program.owner("focus.end", json!({})).await.unwrap();
    deliver(&place.program.ctx).await.unwrap();
    assert_eq!(place.titles(), ["3 notifications"]);
    assert_eq!(*loudspeaker.0.lock().unwrap(), ["beep"]);
}

#[tokio::test]
async fn sounds_that_are_not_heard_say_why() {
    let place = Place::start().await;
    let problems = async || {
        let sounds = place.program.owner("notifications.sounds", json!({})).await.unwrap();
        let choices = sounds["choices"].as_array().unwrap().clone();
        ["chime", "system:complete", "none"]
            .map(|name| choices.iter().find(|choice| choice["sound"] == name).unwrap()["problem"].clone())
    };
    assert_eq!(problems().await, [json!("This Pilothouse plays no sounds."), Value::Null, Value::Null]);
    *place.screen.fails.lock().unwrap() = true;
    crate::play_sounds_with(&place.program.ctx, Arc::new(Loudspeaker::default()));
    let [chime, complete, none] = problems().await;
    assert!(chime.as_str().unwrap().contains("pacat"), "{chime}");
    assert_eq!((complete, none), (json!("No service."), Value::Null));
}

#[tokio::test]
async fn do_not_disturb_holds_requests_too_and_sums_up_at_its_end() {
    let place = Place::start().await;
    let turn = |is_on| *place.screen.do_not_disturb.lock().unwrap() = is_on;
    let check = async || {
        crate::do_not_disturb::check(place.program.ctx.clone()).await.unwrap();
        deliver(&place.program.ctx).await.unwrap();
    };
    turn(Some(true));
    place.post(&APPROVAL, "session:s1:1").await;
    place.post(&OVERDUE, "late").await;
    place.post(&PLAIN, "over").await;
    place.settle("over").await;
    check().await;
    assert_eq!(place.titles(), [] as [&str; 0]);
    let held = ("hold".to_owned(), "Held until the system's Do Not Disturb ends.".to_owned());
    assert_eq!(place.history().await, [held.clone(), held.clone(), held], "one reason each");
    turn(Some(false));
    check().await;
    check().await;
    assert_eq!(place.titles(), ["session:s1:1", "late"], "once");
    let shown: Vec<String> = place.history().await.into_iter().skip(3).map(|(_, reason)| reason).collect();
    assert_eq!(shown, ["Shown.", "Shown: overdue items always notify."]);
}

#[tokio::test]
async fn what_do_not_disturb_held_is_shown_after_a_restart() {
    let place = Place::start().await;
    *place.screen.do_not_disturb.lock().unwrap() = Some(true);
    place.post(&APPROVAL, "a").await;
    let program = place.program.restart().await;
    let screen = Arc::new(Screen::default());
    program.ctx.provide(Arc::new(Notifier(screen.clone())));
    crate::do_not_disturb::check(program.ctx.clone()).await.unwrap();
    deliver(&program.ctx).await.unwrap();
    assert_eq!(screen.shown.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn do_not_disturb_that_cannot_be_read_is_off_and_focus_mode_still_holds_after_it() {
    let place = Place::start().await;
    place.post(&PLAIN, "a").await;
    assert_eq!(place.titles(), ["a"], "it can't be read");
    *place.screen.do_not_disturb.lock().unwrap() = Some(true);
    place.post(&PLAIN, "b").await;
    place.program.owner("focus.start", json!({"minutes": 25})).await.unwrap();
    *place.screen.do_not_disturb.lock().unwrap() = None;
    crate::do_not_disturb::check(place.program.ctx.clone()).await.unwrap();
    deliver(&place.program.ctx).await.unwrap();
    assert_eq!(place.titles(), ["a"]);
    place.program.owner("focus.end", json!({})).await.unwrap();
    deliver(&place.program.ctx).await.unwrap();
    assert_eq!(place.titles(), ["a", "b"]);
}

#[tokio::test]
async fn notices_from_pilothouse_are_shown_once_under_its_name_or_only_in_the_inbox() {
    let place = Place::start().await;
    place.post(&NOTICE, "outage").await;
    deliver(&place.program.ctx).await.unwrap();
    assert_eq!(place.titles(), ["Pilothouse: outage"]);
    place.set(&[("traySystemNotificationsEnabled", json!(false))]);
    place.post(&NOTICE, "balance").await;
    place.post(&PLAIN, "plain").await;
    assert_eq!(place.titles(), ["Pilothouse: outage", "plain"], "other rows notify as before");
    let open = |tx: &mut Tx<'_>| inbox_rows::is_open(tx, ACCOUNT, "balance");
    assert!(place.program.ctx.db().read(open).await.unwrap(), "it's in the inbox");
    let history = place.history().await;
    assert_eq!(history[1], ("drop".to_owned(), "Not shown: traySystemNotificationsEnabled is off.".to_owned()));
    assert_eq!(history.len(), 3, "one reason each");
}

#[tokio::test]
async fn a_notice_that_was_held_is_dropped_if_notices_are_off_by_then() {
    let place = Place::start().await;
    place.program.owner("focus.start", json!({})).await.unwrap();
    place.post(&NOTICE, "outage").await;
    place.set(&[("traySystemNotificationsEnabled", json!(false))]);
    place.program.owner("focus.end", json!({})).await.unwrap();
    deliver(&place.program.ctx).await.unwrap();
    let reasons: Vec<String> = place.history().await.into_iter().map(|(_, reason)| reason).collect();
    assert_eq!(reasons, ["Held until Focus Mode ends.", "Not shown: traySystemNotificationsEnabled is off."]);
    assert_eq!(place.titles(), [] as [&str; 0]);
}

/// Whether the job of the test fails.
#[derive(Default)]
struct Broken(AtomicBool);

fn with_a_job() -> Vec<Feature> {
    let inbox = Feature { inbox_kinds: KINDS, migrations: inbox_rows::MIGRATIONS, ..Feature::named("inbox") };
    let water = |ctx: kit::Ctx| -> Boxed<'static, kit::Result<()>> {
        Box::pin(async move {
            let is_broken = ctx.find_service::<Broken>().is_some_and(|broken| broken.0.load(Ordering::Relaxed));
            if is_broken { Err(kit::error::INTERNAL.error("No water.")) } else { Ok(()) }
        })
    };
    let hour = Duration::from_secs(3_600);
    let jobs = vec![Job::every(hour, "plants.water", "couldn't water the plants", water)];
    vec![inbox, Feature { jobs, ..Feature::named("plants") }, feature()]
}

#[tokio::test]
async fn a_job_that_keeps_failing_is_reported_once_until_it_works_again() {
    let program = Program::start(with_a_job).await;
    let screen = Arc::new(Screen::default());
    program.ctx.provide(Arc::new(Notifier(screen.clone())));
    program.ctx.provide(Arc::new(FirstAccount(ACCOUNT.into())));
    let broken = Arc::new(Broken::default());
    program.ctx.provide(broken.clone());
    let run = async |times: usize| {
        for _ in 0..times {
            program.clock.advance_ms(3_600_000);
            program.run_due().await;
            deliver(&program.ctx).await.unwrap();
        }
        screen.shown.lock().unwrap().iter().map(|note| note.title.clone()).collect::<Vec<_>>()
    };
    broken.0.store(true, Ordering::Relaxed);
    assert_eq!(run(4).await, [] as [&str; 0], "a few retries are no problem");
    assert_eq!(run(3).await, ["Pilothouse: Couldn't water the plants"]);
    assert!(screen.shown.lock().unwrap()[0].body.starts_with("plants.water failed 5 times in a row"));
    broken.0.store(false, Ordering::Relaxed);
    assert_eq!(run(1).await.len(), 1);
    assert_eq!(*screen.withdrawn.lock().unwrap(), [1], "it works again");
    broken.0.store(true, Ordering::Relaxed);
    assert_eq!(run(6).await.len(), 2, "another failure is another notice");
}

#[tokio::test]
async fn a_service_that_hangs_holds_up_nothing_else_and_loses_nothing() {
    let place = Place::start().await;
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    *place.screen.gate.lock().unwrap() = Some(gate.clone());
    let post = async |key: &'static str| {
        let ctx = place.program.ctx.clone();
        let by = || Actor { kind: "program", member_id: None, session_id: None };
        let write = move |tx: &mut Tx<'_>| {
            inbox_rows::post(tx, &ctx, ACCOUNT, &NewRow { key: Some(key), ..NewRow::new(&PLAIN, key, by()) })
        };
        place.program.ctx.db().write(write).await.unwrap();
    };
    post("a").await;
    while place.titles().is_empty() {
        tokio::task::yield_now().await;
    }
    post("b").await;
    place.program.owner("focus.start", json!({"minutes": 1})).await.unwrap();
    place.program.owner("focus.end", json!({})).await.unwrap();
    assert_eq!(place.history().await.len(), 2);
    assert_eq!(place.titles(), ["a"], "it still hangs");
    gate.add_permits(2);
    while place.titles().len() < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(place.titles(), ["a", "b"]);
}

#[tokio::test]
async fn huge_texts_are_cut_and_signs_of_control_and_direction_are_spaces() {
    let place = Place::start().await;
    let ctx = place.program.ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let by = Actor { kind: "program", member_id: None, session_id: None };
        let title = format!("<b>T\0\u{1b}[2J\u{202e}</b>{}", "t".repeat(1_000));
        let body = format!("one\ntwo\0\r<script>{}", "x".repeat(1 << 20));
        inbox_rows::post(tx, &ctx, ACCOUNT, &NewRow { body: &body, ..NewRow::new(&PLAIN, &title, by) })
    };
    place.program.ctx.db().write(write).await.unwrap();
    deliver(&place.program.ctx).await.unwrap();
    let note = place.screen.shown.lock().unwrap()[0].clone();
    assert_eq!((note.title.chars().count(), note.body.chars().count()), (200, 300));
    assert!(note.title.starts_with("<b>T  [2J </b>tt"), "{}", note.title);
    assert!(note.body.starts_with("one\ntwo  <script>xx"), "{}", note.body);
}

/// The sessions of a program whose session was deleted.
struct NoSession;

impl AnswerRequests for NoSession {
    fn answer(&self, _: &str, _: &str, _: &str, _: bool) -> Boxed<'static, kit::Result<()>> {
        Box::pin(async { Err(kit::error::NOT_FOUND.error("The session isn't there.")) })
    }
}

#[tokio::test]
async fn a_button_of_a_deleted_session_does_nothing_and_the_next_one_works() {
    let place = Place::start().await;
    place.program.ctx.provide(Arc::new(SessionAnswers(Box::new(NoSession))));
    let opened = Arc::new(Mutex::new(Vec::new()));
    let seen = opened.clone();
    place.program.ctx.provide(Arc::new(OpenPage(Box::new(move |link| seen.lock().unwrap().push(link.to_owned())))));
    place.post(&APPROVAL, "session:s1:7").await;
    let (pressed, heard) = tokio::sync::mpsc::channel(4);
    follow_buttons(place.program.ctx.clone(), heard);
    for action in ["allow", "unheard-of", "open"] {
        pressed.send(Pressed { id: 1, action: action.into() }).await.unwrap();
    }
    pressed.send(Pressed { id: 99, action: "deny".into() }).await.unwrap();
    while opened.lock().unwrap().len() < 3 {
        tokio::task::yield_now().await;
    }
    assert_eq!(*opened.lock().unwrap(), ["/app/sessions/s1", "/app/sessions/s1", "/app/inbox"]);
}
