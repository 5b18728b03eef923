//! The refill governor over whole sessions: each of its settings, from the clock to the transcript.

use super::practice::{Begun, begin};
use crate::service::Sessions;
use crate::transcript::SessionKey;
use kit::{Caller, Kind};
use serde_json::{Value, json};
use supervisor::state::Input;
use testkit::ACCOUNT;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// Settings under which the governor alone brings sessions back.
fn with(more: &[(&'static str, Value)]) -> Vec<(&'static str, Value)> {
    let own = [("autoResumeOnCrash", json!(false)), ("agentDrivenSessionsEnabled", json!(true))];
    own.into_iter().chain(more.iter().cloned()).collect()
}

impl Begun {
    /// A session that was cut off in its work.
    async fn cut_off(&self) -> String {
        let id = self.start("practice: fail crash").await;
        self.until(&id, "interrupted").await;
        id
    }

    /// Has its engine crash on something new.
    async fn cut_off_again(&self, id: &str) {
        let message = json!({"sessionId": id, "prompt": "practice: fail crash"});
        self.program.owner("sessions.message", message).await.unwrap();
        self.until(id, "interrupted").await;
    }

    /// So much later the background tasks run.
    async fn after(&self, ms: i64) {
        self.program.clock.advance_ms(ms);
        self.program.do_chores().await;
    }

    async fn check(&self) {
        self.after(5 * MINUTE_MS).await;
    }

    async fn stands(&self, id: &str) -> String {
        self.get(id).await["state"].as_str().unwrap().to_owned()
    }

    /// Why it was not revived, each time that this is said.
    async fn reasons(&self, id: &str) -> Vec<String> {
        let entries = self.entries(id).await;
        let refill = entries.iter().filter(|entry| entry["entry"] == "refill");
        refill.map(|entry| entry["why"].as_str().unwrap().to_owned()).collect()
    }

    /// Brings the session to the end of what it was revived for.
    async fn revived(&self, id: &str) {
        assert_ne!(self.stands(id).await, "interrupted", "{:?}", self.reasons(id).await);
        for _ in 0..20 {
            if self.stands(id).await == "queued" {
                self.after(3_000).await;
            }
        }
        self.until(id, "idle").await;
    }

    /// What a script has it do; it is no prompt of the person.
    async fn script(&self, id: &str, prompt: &str) {
        let turns = self.get(id).await["turns"].as_i64().unwrap();
        let message = json!({"sessionId": id, "prompt": prompt});
        self.program.as_caller(Caller::new(Kind::Cli, ACCOUNT, "cli"), "sessions.message", message).await.unwrap();
        while self.get(id).await["turns"].as_i64().unwrap() == turns {
            tokio::task::yield_now().await;
        }
        self.until(id, "idle").await;
    }

    async fn apply(&self, id: &str, input: Input) {
        let key = SessionKey { account: ACCOUNT.into(), session: id.into() };
        self.program.ctx.service::<Sessions>().apply(&key, input).await.unwrap();
    }
}

#[tokio::test]
async fn nothing_is_revived_before_five_minutes_and_what_is_goes_on_where_it_was() {
    let place = begin().await;
    place.set(&with(&[]));
    let id = place.cut_off().await;
    place.after(5 * MINUTE_MS - 1).await;
    assert_eq!(place.stands(&id).await, "interrupted");
    place.after(1).await;
    place.revived(&id).await;
    let entries = place.entries(&id).await;
    assert_eq!(entries.iter().filter(|entry| entry["entry"] == "nudge").count(), 1, "{entries:?}");
    assert_eq!(entries.iter().filter(|entry| entry["entry"] == "prompt").count(), 1, "no prompt is sent twice");
    let said =
        entries.iter().filter_map(|entry| entry["why"].as_str()).any(|why| why.contains("sessionRefillTargetCount"));
    assert!(said, "the transcript says who brought it back");
}

#[tokio::test]
async fn as_many_run_as_should_and_the_most_recently_active_come_first() {
    let place = begin().await;
    place.set(&with(&[("sessionRefillTargetCount", json!(2)), ("sessionRefillBatch", json!(20))]));
    let running = place.start("practice: wait 30").await;
    place.until(&running, "running").await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        place.program.clock.advance_ms(1_000);
        ids.push(place.cut_off().await);
    }
    place.check().await;
    place.revived(&ids[2]).await;
    for id in &ids[..2] {
        assert_eq!(place.stands(id).await, "interrupted");
        let reasons = place.reasons(id).await;
        assert!(reasons.len() == 1 && reasons[0].contains("sessionRefillTargetCount"), "{reasons:?}");
    }
    // The same reason again is not said again.
    place.set(&with(&[("sessionRefillTargetCount", json!(1))]));
    place.check().await;
    place.check().await;
    assert_eq!(place.reasons(&ids[0]).await.len(), 2, "the number changed once");
}

#[tokio::test]
async fn no_check_revives_more_than_a_batch() {
    let place = begin().await;
    place.set(&with(&[("sessionRefillBatch", json!(3))]));
    let mut ids = Vec::new();
    for _ in 0..4 {
        place.program.clock.advance_ms(1_000);
        ids.push(place.cut_off().await);
    }
    place.check().await;
    let mut left = 0;
    for id in &ids {
        left += usize::from(place.stands(id).await == "interrupted");
    }
    assert_eq!((left, place.stands(&ids[0]).await.as_str()), (1, "interrupted"));
    assert!(place.reasons(&ids[0]).await[0].contains("sessionRefillBatch"));
    place.check().await;
    place.revived(&ids[0]).await;
}

#[tokio::test]
async fn a_revived_session_is_left_alone_for_the_cooldown_also_across_a_crash() {
    let place = begin().await;
    place.set(&with(&[]));
    let id = place.cut_off().await;
    place.check().await;
    place.revived(&id).await;
    place.cut_off_again(&id).await;
    place.check().await;
    assert_eq!(place.stands(&id).await, "interrupted");
    assert!(place.reasons(&id).await[0].contains("sessionRefillCooldownMinutes"));
    let Begun { program, folder, hub } = place;
    let place = Begun { program: program.crash().await, folder, hub };
    place.after(20 * MINUTE_MS).await;
    assert_eq!(place.stands(&id).await, "interrupted");
    place.check().await;
    place.revived(&id).await;
}

#[tokio::test]
async fn a_session_is_revived_so_often_a_day_and_again_on_the_next() {
    let place = begin().await;
    place.set(&with(&[
        ("sessionRefillMaxRevivesPerSessionPerDay", json!(2)),
        ("sessionRefillCooldownMinutes", json!(1)),
        ("sessionRefillDailySpendCapUSD", json!(0)),
    ]));
    let id = place.cut_off().await;
    for _ in 0..2 {
        place.check().await;
        place.revived(&id).await;
        place.cut_off_again(&id).await;
    }
    place.check().await;
    assert_eq!(place.stands(&id).await, "interrupted");
    assert!(place.reasons(&id).await[0].contains("sessionRefillMaxRevivesPerSessionPerDay"));
    // The test began at noon.
    place.after(12 * HOUR_MS).await;
    place.revived(&id).await;
}

#[tokio::test]
async fn what_revived_sessions_spend_by_use_ends_reviving_until_midnight() {
    let place = begin().await;
    place.set(&with(&[("sessionRefillDailySpendCapUSD", json!(1))]));
    let (first, second) = (place.cut_off().await, place.cut_off().await);
    place.check().await;
    place.revived(&first).await;
    place.revived(&second).await;
    place.script(&first, "practice: usage 1 100 0.6").await;
    place.script(&second, "practice: usage 1 100 0.4").await;
    let next = place.cut_off().await;
    place.check().await;
    assert_eq!(place.stands(&next).await, "interrupted", "exactly the cap is spent");
    let reasons = place.reasons(&next).await;
    assert!(reasons[0].contains("sessionRefillDailySpendCapUSD") && reasons[0].contains("2026-03-02"), "{reasons:?}");
    place.check().await;
    let caps = async || place.rows().await.into_iter().filter(|(kind, _)| kind == "revival-cap").count();
    assert_eq!(caps().await, 1, "one notice a day");
    // Without a cap it is not asked what was spent.
    place.set(&with(&[("sessionRefillDailySpendCapUSD", json!(0))]));
    place.check().await;
    place.revived(&next).await;
    place.set(&with(&[("sessionRefillDailySpendCapUSD", json!(1))]));
    let tomorrow = place.cut_off().await;
    place.check().await;
    assert_eq!(place.stands(&tomorrow).await, "interrupted");
    place.after(12 * HOUR_MS).await;
    place.revived(&tomorrow).await;
}

#[tokio::test]
async fn what_a_person_asks_of_a_revived_session_is_not_what_reviving_cost() {
    let place = begin().await;
    place.set(&with(&[("sessionRefillDailySpendCapUSD", json!(1))]));
    let id = place.cut_off().await;
    place.check().await;
    place.revived(&id).await;
    let own = json!({"sessionId": id, "prompt": "practice: usage 1 100 5"});
    place.program.owner("sessions.message", own).await.unwrap();
    while place.get(&id).await["costUsd"] != 5.0 {
        tokio::task::yield_now().await;
    }
    place.until(&id, "idle").await;
    let next = place.cut_off().await;
    place.check().await;
    place.revived(&next).await;
}

#[tokio::test]
async fn paused_sessions_are_revived_where_the_setting_says_so_and_are_paused_no_longer() {
    let place = begin().await;
    place.set(&with(&[]));
    let id = place.start("practice: wait 30").await;
    place.until(&id, "running").await;
    place.program.owner("sessions.pause", json!({"sessionId": id})).await.unwrap();
    place.until(&id, "paused").await;
    place.check().await;
    assert_eq!(place.stands(&id).await, "paused");
    place.set(&with(&[("sessionRefillIncludePaused", json!(true))]));
    place.check().await;
    place.revived(&id).await;
}

#[tokio::test]
async fn closed_sessions_are_revived_where_the_setting_says_so_and_stopped_ones_never() {
    let place = begin().await;
    place.set(&with(&[]));
    let (closed, stopped) = (place.start("practice: wait 30").await, place.start("practice: wait 30").await);
    place.until(&closed, "running").await;
    place.until(&stopped, "running").await;
    place.apply(&closed, Input::Close).await;
    place.until(&closed, "closed").await;
    place.program.owner("sessions.stop", json!({"sessionId": stopped})).await.unwrap();
    place.until(&stopped, "stopped").await;
    place.apply(&stopped, Input::Close).await;
    place.until(&stopped, "closed").await;
    place.check().await;
    assert_eq!(place.stands(&closed).await, "closed");
    place.set(&with(&[
        ("sessionRefillAllowReopenUserClosed", json!(true)),
        ("sessionRefillIncludePaused", json!(true)),
    ]));
    place.check().await;
    place.revived(&closed).await;
    assert_eq!(place.stands(&stopped).await, "closed");
}

#[tokio::test]
async fn a_session_is_revived_up_to_the_age_that_is_set() {
    for (later_ms, is_revived) in [(HOUR_MS, true), (HOUR_MS + 1, false)] {
        let place = begin().await;
        place.set(&with(&[("sessionRefillMaxCandidateAgeHours", json!(1))]));
        let id = place.cut_off().await;
        place.after(later_ms).await;
        if is_revived {
            place.revived(&id).await;
        } else {
            assert_eq!(place.stands(&id).await, "interrupted");
            assert!(place.reasons(&id).await[0].contains("sessionRefillMaxCandidateAgeHours"));
        }
    }
}

#[tokio::test]
async fn who_finished_or_waits_for_the_person_is_left_alone() {
    let place = begin().await;
    place.set(&with(&[
        ("sessionRefillIncludePaused", json!(true)),
        ("sessionRefillAllowReopenUserClosed", json!(true)),
    ]));
    let waiting = place.start("practice: say Hi").await;
    place.until(&waiting, "idle").await;
    let asking = place.start("practice: run touch x").await;
    place.asked(&asking).await;
    let done = place.start("practice: say Hi").await;
    place.until(&done, "idle").await;
    place.apply(&done, Input::Finish).await;
    place.until(&done, "finished").await;
    place.check().await;
    let stand = (place.stands(&waiting).await, place.stands(&asking).await, place.stands(&done).await);
    assert_eq!(stand, ("idle".into(), "awaitingPermission".into(), "finished".into()));
}
