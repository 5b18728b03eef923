use super::practice::{Begun, begin};
use kit::lookup::{ScheduledPrompt, ScheduledWork};
use serde_json::json;
use testkit::{ACCOUNT, OTHER_ACCOUNT, refused};

fn prompt(id: &str, text: &str) -> ScheduledPrompt {
    ScheduledPrompt { id: id.into(), text: text.into(), title: "Nightly".into() }
}

async fn start(begun: &Begun, prompt: ScheduledPrompt) -> kit::Result<()> {
    let hub = begun.hub["id"].as_str().unwrap().to_owned();
    begun.program.ctx.service::<ScheduledWork>().0.start(ACCOUNT, &hub, prompt).await
}

async fn send(begun: &Begun, account: &str, session: &str, prompt: ScheduledPrompt) -> kit::Result<()> {
    begun.program.ctx.service::<ScheduledWork>().0.send(account, session, prompt).await
}

#[tokio::test]
async fn a_scheduled_message_starts_one_session_and_is_sent_once_also_after_a_crash() {
    let begun = begin().await;
    begun.set(&[("agentDrivenSessionsEnabled", json!(true))]);
    let id = kit::ids::short_id();
    start(&begun, prompt(&id, "practice: say one")).await.unwrap();
    start(&begun, prompt(&id, "practice: say one")).await.unwrap();
    let session = begun.until(&id, "idle").await;
    assert_eq!(session["title"], "Nightly");
    send(&begun, ACCOUNT, &id, prompt("d1", "practice: say two")).await.unwrap();
    begun.until(&id, "idle").await;
    let begun = begun.crash().await;
    send(&begun, ACCOUNT, &id, prompt("d1", "practice: say two")).await.unwrap();
    start(&begun, prompt(&id, "practice: say one")).await.unwrap();
    let all = begun.program.owner("sessions.list", json!({})).await.unwrap();
    assert_eq!(all["items"].as_array().unwrap().len(), 1);
    let entries = begun.entries(&id).await;
    let sent = entries.iter().filter(|entry| entry.to_string().contains("practice: say two")).count();
    assert_eq!(sent, 1, "{entries:?}");
    assert!(send(&begun, OTHER_ACCOUNT, &id, prompt("d2", "practice: say no")).await.is_err());
}

#[tokio::test]
async fn scheduled_work_counts_as_agent_driven_and_needs_no_source_session() {
    let begun = begin().await;
    begun.set(&[("requireSpawnSourceSession", json!(true)), ("agentDrivenSessionsEnabled", json!(true))]);
    let id = kit::ids::short_id();
    start(&begun, prompt(&id, "practice: say one")).await.unwrap();
    begun.until(&id, "idle").await;
    begun.set(&[("agentDrivenSessionsEnabled", json!(false))]);
    refused(start(&begun, prompt(&kit::ids::short_id(), "practice: say no")).await, "agent-driven-disabled");
    refused(send(&begun, ACCOUNT, &id, prompt("d1", "practice: say no")).await, "agent-driven-disabled");
}
