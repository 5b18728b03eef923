//! The end of a session, as other features are told of it.

use super::practice::{Begun, begin_on, machine};
use crate::feature;
use events::{Event, HasEvents};
use kit::Feature;
use kit::lookup::SessionActivity;
use serde_json::json;
use std::sync::Mutex;
use testkit::ACCOUNT;

static ENDED: Mutex<Vec<(String, i64)>> = Mutex::new(Vec::new());

/// A feature that reacts to ends of sessions.
fn listener() -> Feature {
    let reaction = reactions::reaction("listener.ended", "couldn't listen", &["session-ended"], |_, _, event| {
        Box::pin(std::future::ready(Ok(reactions::effect(move |_| {
            if let Event::SessionEnded { session_id, turns, .. } = event {
                ENDED.lock().unwrap().push((session_id, turns));
            }
            Ok(())
        }))))
    });
    Feature { reactions: vec![reaction], ..Feature::named("listener") }
}

async fn ends(place: &Begun, id: &str) -> Vec<i64> {
    place.program.fire_timers().await;
    let ended = ENDED.lock().unwrap();
    ended.iter().filter(|(session, _)| session == id).map(|(_, turns)| *turns).collect()
}

#[tokio::test]
async fn an_end_is_reported_with_its_turns_and_its_transcript_ends_with_what_was_said() {
    let place = begin_on(|| vec![machine(), listener(), feature()]).await;
    let (_, mut told) = place.program.ctx.events().listen(None);
    let id = place.start("practice: say I postponed the docs.").await;
    place.until(&id, "idle").await;
    assert_eq!(ends(&place, &id).await, [0; 0], "a turn's end isn't the session's");
    place.program.owner("sessions.stop", json!({"sessionId": id})).await.unwrap();
    place.until(&id, "stopped").await;
    assert_eq!(ends(&place, &id).await, [1]);
    place.program.owner("sessions.archive", json!({"sessionId": id})).await.unwrap();
    place.until(&id, "archived").await;
    assert_eq!(ends(&place, &id).await, [1, 1]);
    let hub = place.hub["id"].as_str().unwrap().to_owned();
    let event = Event::SessionEnded { session_id: id.clone(), hub_id: hub, turns: 1 };
    let mut is_told = false;
    while let Ok(numbered) = told.try_recv() {
        is_told |= numbered.event == event;
    }
    assert!(is_told);

    let activity = place.program.ctx.service::<SessionActivity>();
    let ending = async |bytes: usize| activity.0.ending(ACCOUNT, &id, bytes).await.unwrap();
    let whole = ending(10_000).await;
    assert!(whole.starts_with("User: practice: say I postponed the docs.\n"), "{whole}");
    assert!(whole.contains("\nAgent: I postponed the docs."), "{whole}");
    let short = ending(45).await;
    assert!(short.len() <= 45 && whole.ends_with(&short) && !short.contains("User"), "{short}");
    assert_eq!(activity.0.ending("other", &id, 10_000).await.unwrap(), "", "another account reads nothing");
}

#[tokio::test]
async fn a_session_that_is_stopped_within_its_first_turn_ended_too() {
    let place = begin_on(|| vec![machine(), listener(), feature()]).await;
    let id = place.start("practice: wait 600").await;
    place.until(&id, "running").await;
    place.program.owner("sessions.stop", json!({"sessionId": id})).await.unwrap();
    place.until(&id, "stopped").await;
    assert_eq!(ends(&place, &id).await, [1]);
}
