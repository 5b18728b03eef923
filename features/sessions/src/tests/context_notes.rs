//! The notes in a transcript when the context fills up.

use super::practice::{Begun, begin};
use serde_json::json;

/// The percentages of the notes about the context.
async fn notes(begun: &Begun, id: &str) -> Vec<String> {
    let entries = begun.entries(id).await;
    let whys = entries.iter().filter(|entry| entry["entry"] == "note").filter_map(|entry| entry["why"].as_str());
    whys.filter_map(|why| Some(why.strip_prefix("Context ")?.split_once(" full")?.0.to_owned())).collect()
}

async fn send(begun: &Begun, id: &str, prompt: &str) {
    let turns = begun.get(id).await["turns"].as_i64().unwrap();
    begun.program.owner("sessions.message", json!({"sessionId": id, "prompt": prompt})).await.unwrap();
    begun.holds("the turn's end", async || begun.get(id).await["turns"] == turns + 1).await;
    begun.until(id, "idle").await;
}

/// Uses one after another: what is reported at once counts once.
fn uses(percents: &[u64]) -> String {
    let steps: Vec<String> = percents.iter().map(|used| format!("usage {used} 100; say ok")).collect();
    format!("practice: {}", steps.join("; "))
}

#[tokio::test]
async fn each_note_comes_once_a_fill_and_a_jump_over_both_marks_brings_both() {
    let begun = begin().await;
    begun.set(&[("contextWarning75Enabled", json!(true)), ("contextWarning90Enabled", json!(true))]);
    let id = begun.start(&uses(&[70, 95, 96])).await;
    begun.until(&id, "idle").await;
    assert_eq!(notes(&begun, &id).await, ["75%", "90%"]);
    send(&begun, &id, &uses(&[95, 80, 95])).await;
    assert_eq!(notes(&begun, &id).await, ["75%", "90%", "90%"]);
    send(&begun, &id, "/compact").await;
    send(&begun, &id, &uses(&[74, 75])).await;
    assert_eq!(notes(&begun, &id).await, ["75%", "90%", "90%", "75%"]);
    let entries = begun.entries(&id).await;
    let note = entries.iter().find(|entry| entry["entry"] == "note" && entry["why"].as_str().unwrap().contains("90%"));
    let why = "Context 90% full: 95 of 100 tokens. Compact the context or start a new session.";
    assert_eq!(note.unwrap()["why"], why);
}

#[tokio::test]
async fn a_note_whose_setting_is_off_never_comes() {
    let begun = begin().await;
    let id = begun.start(&uses(&[95])).await;
    begun.until(&id, "idle").await;
    begun.set(&[("contextWarning90Enabled", json!(true))]);
    send(&begun, &id, &uses(&[10, 95])).await;
    assert_eq!(notes(&begun, &id).await, ["90%"]);
}

#[tokio::test]
async fn no_restart_repeats_a_note_and_none_is_missed_after_one() {
    let begun = begin().await;
    begun.set(&[("contextWarning75Enabled", json!(true)), ("contextWarning90Enabled", json!(true))]);
    let id = begun.start(&format!("{}; wait 30", uses(&[80]))).await;
    begun.holds("a note", async || !notes(&begun, &id).await.is_empty()).await;
    let begun = begun.crash().await;
    begun.later(&id, "idle").await;
    send(&begun, &id, &uses(&[81, 91])).await;
    assert_eq!(notes(&begun, &id).await, ["75%", "90%"]);
    // The use fell before the restart: the next fill has its notes again.
    send(&begun, &id, &uses(&[5])).await;
    let begun = begun.crash().await;
    begun.later(&id, "idle").await;
    send(&begun, &id, &uses(&[92])).await;
    assert_eq!(notes(&begun, &id).await, ["75%", "90%", "75%", "90%"]);
}
