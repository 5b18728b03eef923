//! Runs in a whole program. Tests start on Sunday 2026-03-01 at 12:00 UTC.

use crate::feature;
use futures_core::future::BoxFuture;
use kit::lookup::{ControlFocus, ControlWindow, DesktopWindow, FocusBlocks, NoteWindow};
use kit::{Caller, Ctx, Kind, Result, SettingsSource};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, refused};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

struct Stored(HashMap<&'static str, Value>);

impl SettingsSource for Stored {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        self.0.get(key).cloned()
    }
}

/// Focus Mode as notifications keep it, as far as runs can tell.
#[derive(Clone, Default)]
struct Focus(Arc<Mutex<FocusState>>);

#[derive(Default)]
struct FocusState {
    is_default: bool,
    toggles: i64,
    until_ms: Option<i64>,
}

impl ControlFocus for Focus {
    fn is_default(&self, _: &Ctx, _: &str) -> bool {
        self.0.lock().unwrap().is_default
    }
    fn toggles(&self, _: Ctx, _: &str) -> BoxFuture<'static, Result<i64>> {
        let toggles = self.0.lock().unwrap().toggles;
        Box::pin(std::future::ready(Ok(toggles)))
    }
    fn set(&self, _: Ctx, _: &str, until_ms: Option<i64>, toggles: i64) -> BoxFuture<'static, Result<bool>> {
        let mut state = self.0.lock().unwrap();
        let is_same = state.toggles == toggles;
        if is_same {
            state.until_ms = until_ms;
        }
        Box::pin(std::future::ready(Ok(is_same)))
    }
}

#[derive(Clone, Default)]
struct Window(Arc<Mutex<usize>>);

impl ControlWindow for Window {
    fn raise(&self, account: &str, page: Option<&str>) -> bool {
        assert_eq!((account, page), (ACCOUNT, Some("/app/pomodoro")));
        *self.0.lock().unwrap() += 1;
        true
    }
    fn obstacle(&self, _: &str) -> Option<String> {
        None
    }
    fn open_note(&self, _: &str, _: NoteWindow) {}
    fn close_note(&self, _: &str, _: &str) {}
}

struct Place {
    program: Program,
    focus: Focus,
    window: Window,
}

impl Place {
    async fn start() -> Place {
        let program = Program::start(|| vec![feature()]).await;
        Place { program, focus: Focus::default(), window: Window::default() }.provided()
    }
    fn provided(self) -> Place {
        self.program.ctx.provide(Arc::new(FocusBlocks(Box::new(self.focus.clone()))));
        self.program.ctx.provide(Arc::new(DesktopWindow(Box::new(self.window.clone()))));
        self
    }
    async fn crash(self) -> Place {
        let Place { program, focus, window } = self;
        Place { program: program.crash().await, focus, window }.provided()
    }
    fn set(&self, values: &[(&'static str, Value)]) {
        self.program.ctx.provide_settings(Arc::new(Stored(values.iter().cloned().collect())));
    }
    async fn ask(&self, op: &str, input: Value) -> Value {
        self.program.owner(op, input).await.unwrap_or_else(|error| panic!("{op}: {error:?}"))
    }
    /// Turns the clock, and does what is due then, with what follows from it.
    async fn advance(&self, ms: i64) {
        self.program.clock.advance_ms(ms);
        self.program.fire_timers().await;
        self.program.fire_timers().await;
    }
    /// The phase and the block, or "none".
    async fn phase(&self) -> String {
        let run = &self.ask("pomodoro.get", json!({})).await["run"];
        match run["phase"].as_str() {
            Some(phase) => format!("{phase} {}", run["block"]),
            None => "none".to_owned(),
        }
    }
    fn is_focused(&self) -> bool {
        let until_ms = self.focus.0.lock().unwrap().until_ms;
        until_ms.is_some_and(|until_ms| until_ms > self.program.ctx.now_ms())
    }
    /// You ring the bell by hand.
    fn toggle(&self, until_ms: Option<i64>) {
        let mut state = self.focus.0.lock().unwrap();
        state.toggles += 1;
        state.until_ms = until_ms;
    }
    async fn today(&self) -> (i64, i64) {
        let stats = self.ask("pomodoro.stats", json!({})).await;
        let today = stats["days"].as_array().unwrap().last().unwrap().clone();
        (today["blocks"].as_i64().unwrap(), today["minutes"].as_i64().unwrap())
    }
}

#[tokio::test]
async fn phases_follow_each_other_with_a_long_break_after_four_blocks_across_restarts() {
    let place = Place::start().await;
    place.ask("pomodoro.start", json!({})).await;
    refused(place.program.owner("pomodoro.start", json!({})).await, "pomodoro-running");
    let mut place = place;
    let mut phases = vec![place.phase().await];
    for minutes in [25, 5, 25, 5, 25, 5, 25, 15] {
        place.advance(minutes * MINUTE_MS - 1).await;
        assert_eq!(&place.phase().await, phases.last().unwrap());
        place = place.crash().await;
        place.advance(1).await;
        phases.push(place.phase().await);
    }
    let expected = ["focus 1", "break 1", "focus 2", "break 2", "focus 3", "break 3", "focus 4", "long 4", "focus 5"];
    assert_eq!(phases, expected);
    assert_eq!(place.today().await, (4, 100));
    place.ask("pomodoro.stop", json!({})).await;
    place.advance(HOUR_MS).await;
    assert_eq!((place.phase().await.as_str(), place.today().await), ("none", (4, 100)));
    refused(place.program.owner("pomodoro.skip", json!({})).await, "pomodoro-idle");
}

#[tokio::test]
async fn a_run_is_paused_resumed_and_skipped_and_only_time_of_focus_counts() {
    let place = Place::start().await;
    place.ask("pomodoro.start", json!({})).await;
    place.advance(10 * MINUTE_MS).await;
    let paused = place.ask("pomodoro.pause", json!({})).await;
    assert_eq!((&paused["run"]["leftSeconds"], &paused["run"]["endsAt"]), (&json!(900), &Value::Null));
    refused(place.program.owner("pomodoro.pause", json!({})).await, "pomodoro-idle");
    let place = place.crash().await;
    place.advance(5 * HOUR_MS).await;
    let resumed = place.ask("pomodoro.resume", json!({})).await;
    assert_eq!(resumed["run"]["endsAt"], "2026-03-01T17:25:00.000Z");
    refused(place.program.owner("pomodoro.resume", json!({})).await, "pomodoro-idle");
    place.advance(2 * MINUTE_MS).await;
    assert_eq!(place.ask("pomodoro.skip", json!({})).await["run"]["phase"], "break");
    assert_eq!(place.today().await, (0, 12));
    assert_eq!(place.ask("pomodoro.skip", json!({})).await["run"]["phase"], "focus");
    place.ask("pomodoro.skip", json!({})).await;
    assert_eq!(place.today().await, (0, 12), "a block of no time isn't counted");
}

#[tokio::test]
async fn a_phase_that_ended_long_ago_while_the_program_was_closed_ends_the_run() {
    let place = Place::start().await;
    place.ask("pomodoro.start", json!({})).await;
    place.program.clock.advance_ms(55 * MINUTE_MS);
    let place = place.crash().await;
    place.advance(0).await;
    assert_eq!(place.phase().await, "break 1", "it goes on where you are back");
    place.program.clock.advance_ms(3 * HOUR_MS);
    let place = place.crash().await;
    place.advance(0).await;
    assert_eq!((place.phase().await.as_str(), place.today().await), ("none", (1, 25)));
}

#[tokio::test]
async fn focus_mode_follows_the_blocks_until_you_toggle_it() {
    let place = Place::start().await;
    place.focus.0.lock().unwrap().is_default = true;
    place.ask("pomodoro.start", json!({})).await;
    place.advance(0).await;
    assert!(place.is_focused());
    place.advance(25 * MINUTE_MS).await;
    assert!(!place.is_focused());
    place.advance(5 * MINUTE_MS).await;
    assert!(place.is_focused());
    place.ask("pomodoro.pause", json!({})).await;
    place.advance(0).await;
    assert!(!place.is_focused(), "a pause lets notifications through");
    place.ask("pomodoro.resume", json!({})).await;
    let place = place.crash().await;
    place.advance(0).await;
    assert!(place.is_focused(), "also after a crash in between");
    // You turn it off by hand: the run leaves it alone from now on.
    place.toggle(None);
    place.advance(25 * MINUTE_MS).await;
    assert_eq!(place.ask("pomodoro.get", json!({})).await["run"]["managesFocus"], false);
    place.advance(5 * MINUTE_MS).await;
    assert_eq!((place.phase().await.as_str(), place.is_focused()), ("focus 3", false));
    place.toggle(Some(i64::MAX));
    place.ask("pomodoro.stop", json!({})).await;
    place.advance(0).await;
    assert!(place.is_focused(), "what you started stays");
    // The next run manages it again, and stopping ends it.
    place.toggle(None);
    place.ask("pomodoro.start", json!({})).await;
    place.advance(0).await;
    assert!(place.is_focused());
    place.ask("pomodoro.stop", json!({})).await;
    place.advance(0).await;
    assert!(!place.is_focused());
}

#[tokio::test]
async fn a_presets_own_choice_about_focus_mode_wins() {
    let place = Place::start().await;
    for (is_default, mode, is_on) in [(false, "on", true), (true, "off", false), (true, "default", true)] {
        place.focus.0.lock().unwrap().is_default = is_default;
        let preset = json!({"name": "Mine", "focusMinutes": 10, "breakMinutes": 2, "longEvery": 0, "focusMode": mode});
        let id = place.ask("pomodoro.presets.create", preset).await["id"].clone();
        place.ask("pomodoro.start", json!({"presetId": id})).await;
        place.advance(0).await;
        assert_eq!(place.is_focused(), is_on, "{mode}");
        place.ask("pomodoro.stop", json!({})).await;
        place.advance(0).await;
    }
}

#[tokio::test]
async fn each_change_of_phase_raises_the_window_only_while_the_setting_is_on() {
    let place = Place::start().await;
    for (is_on, times) in [(false, 0), (true, 2)] {
        place.set(&[("pomodoroPhaseForeground", json!(is_on))]);
        place.ask("pomodoro.start", json!({})).await;
        place.advance(25 * MINUTE_MS).await;
        place.advance(5 * MINUTE_MS).await;
        place.ask("pomodoro.stop", json!({})).await;
        assert_eq!(*place.window.0.lock().unwrap(), times);
    }
}

#[tokio::test]
async fn a_rule_starts_a_run_at_its_time_if_none_is_active() {
    let place = Place::start().await;
    let preset = json!({"name": "Deep", "focusMinutes": 90, "breakMinutes": 20});
    let preset = place.ask("pomodoro.presets.create", preset).await["id"].clone();
    let rule = json!({"time": "09:00", "days": ["mon", "tue", "wed"], "presetId": preset});
    let rule = place.ask("pomodoro.rules.create", rule).await;
    assert_eq!(rule["nextAt"], "2026-03-02T09:00:00.000Z");
    let id = rule["id"].clone();
    place.advance(21 * HOUR_MS).await;
    let run = place.ask("pomodoro.get", json!({})).await;
    assert_eq!((&run["run"]["name"], &run["run"]["phaseSeconds"]), (&json!("Deep"), &json!(5400)));
    // On Tuesday a run is active: it goes on.
    place.ask("pomodoro.stop", json!({})).await;
    place.advance(23 * HOUR_MS + 50 * MINUTE_MS).await;
    place.ask("pomodoro.start", json!({})).await;
    place.advance(10 * MINUTE_MS).await;
    assert_eq!(place.ask("pomodoro.get", json!({})).await["run"]["name"], "Classic");
    place.ask("pomodoro.stop", json!({})).await;
    // On Wednesday the setting is off. The rule stays.
    place.set(&[("pomodoroScheduleEnabled", json!(false))]);
    place.advance(24 * HOUR_MS).await;
    assert_eq!(place.phase().await, "none");
    let rule = place.ask("pomodoro.rules.get", json!({"ruleId": id})).await;
    assert_eq!((&rule["on"], &rule["nextAt"]), (&json!(true), &json!("2026-03-09T09:00:00.000Z")));
    // A preset that is gone is the built-in one; what was due hours ago starts nothing.
    place.set(&[]);
    place.ask("pomodoro.presets.delete", json!({"presetId": preset})).await;
    place.advance(5 * 24 * HOUR_MS).await;
    assert_eq!(place.ask("pomodoro.get", json!({})).await["run"]["name"], "Classic");
    place.ask("pomodoro.stop", json!({})).await;
    place.program.clock.advance_ms(25 * HOUR_MS);
    let place = place.crash().await;
    place.advance(0).await;
    assert_eq!(place.phase().await, "none");
    place.ask("pomodoro.rules.update", json!({"ruleId": id, "on": false})).await;
    place.advance(14 * 24 * HOUR_MS).await;
    assert_eq!(place.phase().await, "none");
    place.ask("pomodoro.rules.delete", json!({"ruleId": id})).await;
    refused(place.program.owner("pomodoro.rules.get", json!({"ruleId": id})).await, "not-found");
}

#[tokio::test]
async fn presets_are_checked_and_the_built_in_one_stays() {
    let place = Place::start().await;
    let list = place.ask("pomodoro.presets.list", json!({})).await;
    assert_eq!((&list["items"][0]["id"], &list["items"][0]["longEvery"]), (&json!("classic"), &json!(4)));
    refused(place.program.owner("pomodoro.presets.delete", json!({"presetId": "classic"})).await, "conflict");
    for bad in [json!({"focusMinutes": 0}), json!({"breakMinutes": 241}), json!({"longEvery": 21}), json!({"name": ""})]
    {
        let mut input = json!({"name": "N", "focusMinutes": 10, "breakMinutes": 2});
        input.as_object_mut().unwrap().extend(bad.as_object().unwrap().clone());
        refused(place.program.owner("pomodoro.presets.create", input).await, "invalid-input");
    }
    refused(place.program.owner("pomodoro.rules.create", json!({"time": "09:00", "days": []})).await, "invalid-input");
    let unknown = json!({"time": "09:00", "days": ["mon"], "presetId": "none"});
    refused(place.program.owner("pomodoro.rules.create", unknown).await, "not-found");
    let own = place.ask("pomodoro.presets.create", json!({"name": "N", "focusMinutes": 10, "breakMinutes": 2})).await;
    let update = json!({"presetId": own["id"], "focusMinutes": 12});
    assert_eq!(place.ask("pomodoro.presets.update", update).await["focusMinutes"], 12);
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "test");
    refused(place.program.as_caller(other, "pomodoro.presets.get", json!({"presetId": own["id"]})).await, "not-found");
}
