//! "Always allow": rules that a person's answer makes, and what they answer afterwards.

use super::practice::{Begun, begin, begin_with};
use super::script::{asks, is, scripted};
use super::steering::answers;
use kit::{Call, Caller, Kind};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use testkit::{ACCOUNT, OTHER_ACCOUNT, refused};

impl Begun {
    /// What waits for an answer, as it is listed.
    async fn waits(&self, id: &str) -> Value {
        let ask = self.asked(id).await;
        let all = self.program.owner("sessions.asks", json!({"sessionId": id})).await.unwrap();
        all["items"].as_array().unwrap().iter().find(|one| one["id"] == ask).unwrap().clone()
    }

    async fn always(&self, id: &str, scope: &str) -> Value {
        let ask = self.asked(id).await;
        answers(self, id, &ask, json!({"always": true, "scope": scope})).await.unwrap()["rule"].clone()
    }

    pub(super) async fn once(&self, id: &str, allow: bool) {
        let ask = self.asked(id).await;
        answers(self, id, &ask, json!({ "allow": allow })).await.unwrap();
    }

    async fn rules(&self) -> Vec<Value> {
        let all = self.program.owner("sessions.rules.list", json!({})).await.unwrap();
        all["items"].as_array().unwrap().clone()
    }

    /// What rules answered, as the transcript says it.
    async fn by_rule(&self, id: &str) -> Vec<String> {
        let entries = self.entries(id).await;
        let by_rule = entries.iter().filter(|entry| entry["rule"].is_string());
        by_rule.map(|entry| entry["why"].as_str().unwrap().to_owned()).collect()
    }
}

const ALLOWED: &str = "Allowed by your rule: Commands that start with `git version`";

#[tokio::test]
async fn a_lasting_yes_answers_later_commands_that_begin_the_same_in_this_session_alone() {
    let begun = begin().await;
    let id =
        begun.start("practice: run git version; run git version --build-options; run git version; run git help").await;
    let ask = begun.waits(&id).await;
    assert_eq!(
        (&ask["asked"], &ask["alwaysAllows"]),
        (&json!("git version"), &json!("Commands that start with `git version`"))
    );
    let rule = begun.always(&id, "session").await;
    assert_eq!(
        (&rule["allows"], &rule["scope"], &rule["sessionId"]),
        (&ask["alwaysAllows"], &json!("session"), &json!(id))
    );
    begun.holds("another command", async || begun.waits(&id).await["asked"] == "git help").await;
    assert_eq!(begun.by_rule(&id).await, [ALLOWED, ALLOWED]);
    let other = begun.start("practice: run git version").await;
    assert_eq!(begun.waits(&other).await["asked"], "git version");
    let exported = begun.export(&id, "markdown").await;
    assert!(exported.contains("> Allowed by your rule: Commands that start with"), "{exported}");
}

#[tokio::test]
async fn a_rule_of_a_hub_or_of_everywhere_outlives_its_session_and_the_program() {
    let begun = begin().await;
    let folder = TempDir::new().unwrap();
    let input = json!({"folder": folder.path().to_str().unwrap()});
    let hub = begun.program.owner("hubs.create", input).await.unwrap()["id"].clone();
    let elsewhere = async |begun: &Begun, prompt: &str| {
        let input = json!({"engine": "practice", "prompt": prompt, "projectId": hub});
        begun.program.owner("sessions.create", input).await.unwrap()["id"].as_str().unwrap().to_owned()
    };
    let first = begun.start("practice: run git version").await;
    let rule = begun.always(&first, "hub").await;
    assert_eq!((&rule["projectId"], &rule["sessionId"]), (&begun.hub["id"], &Value::Null));
    let begun = begun.crash().await;
    let second = begun.start("practice: run git version; say done").await;
    begun.until(&second, "idle").await;
    let third = elsewhere(&begun, "practice: run git version").await;
    assert_eq!(begun.always(&third, "everywhere").await["scope"], "everywhere");
    let fourth = elsewhere(&begun, "practice: run git version; say done").await;
    begun.until(&fourth, "idle").await;
    assert_eq!(begun.by_rule(&fourth).await, [ALLOWED]);
    begun.program.owner("hubs.delete", json!({"hubId": begun.hub["id"]})).await.unwrap();
    let scopes: Vec<Value> = begun.rules().await.iter().map(|rule| rule["scope"].clone()).collect();
    assert_eq!(scopes, ["everywhere"], "a hub takes its rules with it");
}

#[tokio::test]
async fn rules_are_listed_and_removed_by_the_person_alone() {
    let begun = begin().await;
    assert_eq!(begun.rules().await, Vec::<Value>::new());
    let id = begun.start("practice: run git version").await;
    let rule = begun.always(&id, "session").await;
    begun.until(&id, "idle").await;
    let title = begun.get(&id).await["title"].clone();
    let listed = begun.rules().await;
    assert_eq!(listed, std::slice::from_ref(&rule));
    assert_eq!((&listed[0]["sessionTitle"], &listed[0]["createdBy"]), (&title, &json!("owner")));
    let one = json!({"ruleId": rule["id"]});
    for (kind, account) in [(Kind::Agent, ACCOUNT), (Kind::Owner, OTHER_ACCOUNT)] {
        let call = Call::new(Caller::new(kind, account, "test"));
        assert!(begun.program.call(call, "sessions.rules.delete", one.clone()).await.is_err());
    }
    let cli = Call::new(Caller::new(Kind::Cli, ACCOUNT, "test"));
    begun.program.call(cli, "sessions.rules.delete", one.clone()).await.unwrap();
    assert_eq!(begun.rules().await, Vec::<Value>::new());
    refused(begun.program.owner("sessions.rules.delete", one).await, "not-found");
    begun.say(&id, "practice: run git version").await;
    assert_eq!(begun.waits(&id).await["asked"], "git version", "it is asked again");
}

#[tokio::test]
async fn no_rule_covers_what_runs_something_else_or_touches_sensitive_files() {
    let begun = begin().await;
    let id = begun.start("practice: run git version; run git version && ls; run cat .env; plan Look").await;
    begun.always(&id, "everywhere").await;
    begun.holds("the second", async || begun.waits(&id).await["asked"] == "git version && ls").await;
    assert_eq!(begun.waits(&id).await["alwaysAllows"], "The command `git version && ls`");
    begun.once(&id, true).await;
    begun.holds("the third", async || begun.waits(&id).await["asked"] == "cat .env").await;
    let ask = begun.waits(&id).await;
    assert_eq!(ask["alwaysAllows"], Value::Null);
    let told = answers(&begun, &id, ask["id"].as_str().unwrap(), json!({"always": true})).await;
    refused(told, "no-rule");
    assert_eq!(begun.waits(&id).await["id"], ask["id"], "nothing was answered");
    begun.once(&id, false).await;
    begun.holds("the plan", async || begun.waits(&id).await["kind"] == "plan").await;
    assert_eq!(begun.waits(&id).await["alwaysAllows"], Value::Null);
    assert_eq!(begun.rules().await.len(), 1);
}

#[tokio::test]
async fn read_only_asks_for_what_a_rule_covers() {
    let begun = begin().await;
    let id = begun.start("practice: run git version").await;
    begun.always(&id, "everywhere").await;
    begun.until(&id, "idle").await;
    begun.set(&[("agentPermissionLevel", json!("read_only"))]);
    begun.say(&id, "practice: run git version").await;
    assert_eq!(begun.waits(&id).await["alwaysAllows"], Value::Null);
}

#[tokio::test]
async fn an_engine_is_told_of_this_time_alone_and_its_own_lasting_yes_is_not_taken() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hears = heard.clone();
    let begun = begin_with(scripted(move |said| {
        const OFFERS: &[&str] = &["allow_always", "allow_once", "reject_once"];
        if said["result"]["outcome"].is_object() {
            hears.lock().unwrap().push(said["result"].clone());
            return Some(if said["id"] == 1_001 { vec![asks(2, OFFERS)] } else { Vec::new() });
        }
        is(said, "session/prompt").then(|| vec![asks(1, OFFERS)])
    }))
    .await;
    let id = begun.start("go").await;
    let ask = begun.asked(&id).await;
    let told = refused(answers(&begun, &id, &ask, json!({"offer": "o-allow_always"})).await, "not-now");
    assert!(told.detail().contains("always: true"), "{told}");
    let rule = answers(&begun, &id, &ask, json!({"always": true})).await.unwrap()["rule"].clone();
    assert_eq!((&rule["allows"], &rule["scope"]), (&json!("The command `make`"), &json!("session")));
    begun.holds("a second answer", async || heard.lock().unwrap().len() == 2).await;
    let once = json!({"outcome": {"outcome": "selected", "optionId": "o-allow_once"}});
    assert_eq!(*heard.lock().unwrap(), [once.clone(), once]);
}
