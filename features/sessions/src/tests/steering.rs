//! What people and agents do to sessions, and how answers reach engines.

use super::practice::{Begun, agent, begin, begin_with};
use super::script::{asks, error, is, scripted, text_of};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use testkit::{OTHER_ACCOUNT, refused};

pub(super) async fn answers(begun: &Begun, id: &str, ask: &str, more: Value) -> Result<Value, kit::Error> {
    let mut input = json!({"sessionId": id, "askId": ask, "allow": true});
    for (name, value) in more.as_object().unwrap() {
        input[name] = value.clone();
    }
    begun.program.owner("sessions.answer", input).await
}

/// What the agent was told in place of its prompt.
async fn nudged(begun: &Begun, id: &str) -> String {
    loop {
        let entries = begun.entries(id).await;
        if let Some(text) = entries.iter().rev().find_map(|entry| entry["text"].as_str()) {
            return text.to_owned();
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_plan_is_accepted_in_one_of_its_ways_after_a_crash_too() {
    let begun = begin().await;
    let id = begun.start("practice: plan Look|Change").await;
    begun.asked(&id).await;
    let begun = begun.crash().await;
    let ask = begun.asked(&id).await;
    refused(answers(&begun, &id, &ask, json!({"offer": "nothing-such"})).await, "not-now");
    answers(&begun, &id, &ask, json!({"offer": "plan-accept-edits"})).await.unwrap();
    let told = nudged(&begun, &id).await;
    assert!(told.contains("A plan") && told.contains("allowed: Allow edits"), "{told}");
    assert_eq!(begun.rows().await, [("plan".to_owned(), "allowed".to_owned())]);
}

#[tokio::test]
async fn what_was_filled_in_after_a_crash_reaches_the_agent() {
    let begun = begin().await;
    let id = begun.start("practice: ask Which colour?").await;
    begun.until(&id, "awaitingInput").await;
    let begun = begun.crash().await;
    let ask = begun.until(&id, "awaitingInput").await["need"]["id"].as_str().unwrap().to_owned();
    answers(&begun, &id, &ask, json!({"value": {"answer": "green"}})).await.unwrap();
    let told = nudged(&begun, &id).await;
    assert!(told.contains("Which colour?") && told.contains("green"), "{told}");
}

/// An agent that asks with these offers, and what was answered to it.
async fn asking(offers: &'static [&'static str]) -> (Begun, Arc<Mutex<Vec<Value>>>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hears = heard.clone();
    let begun = begin_with(scripted(move |heard| {
        if heard["id"].as_u64() == Some(1_001) {
            hears.lock().unwrap().push(heard["result"].clone());
            return Some(Vec::new());
        }
        is(heard, "session/prompt").then(|| vec![asks(1, offers)])
    }))
    .await;
    (begun, heard)
}

#[tokio::test]
async fn a_yes_that_the_engine_does_not_take_is_refused_and_shown_as_nothing_else() {
    let (begun, heard) = asking(&["allow_always", "reject_once"]).await;
    let id = begun.start("go").await;
    let ask = begun.asked(&id).await;
    let told = refused(answers(&begun, &id, &ask, json!({})).await, "not-now");
    assert!(told.detail().contains("Offer allow_always"), "{told}");
    assert_eq!(begun.get(&id).await["state"], "awaitingPermission");
    let all = begun.program.owner("sessions.asks", json!({"sessionId": id})).await.unwrap();
    assert_eq!(all["items"][0]["answer"], Value::Null);
    refused(answers(&begun, &id, &ask, json!({"always": true})).await, "not-now");
    answers(&begun, &id, &ask, json!({"offer": "o-allow_always"})).await.unwrap();
    begun.holds("an answer", async || !heard.lock().unwrap().is_empty()).await;
    assert_eq!(*heard.lock().unwrap(), [json!({"outcome": {"outcome": "selected", "optionId": "o-allow_always"}})]);
}

#[tokio::test]
async fn what_rules_allow_once_is_not_allowed_for_ever_where_the_engine_knows_nothing_else() {
    let (begun, heard) = asking(&["allow_always", "reject_once"]).await;
    begun.set(&[("agentPermissionLevel", json!("full"))]);
    let id = begun.start("go").await;
    begun.asked(&id).await;
    let all = begun.program.owner("sessions.asks", json!({"sessionId": id})).await.unwrap();
    assert!(all["items"][0]["why"].as_str().unwrap().contains("no one-time approval"), "{all}");
    assert_eq!(*heard.lock().unwrap(), Vec::<Value>::new());
}

#[tokio::test]
async fn an_engine_that_cannot_go_on_with_its_session_says_why_and_begins_anew_when_told_so() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let tells = told.clone();
    let begun = begin_with(scripted(move |heard| {
        if is(heard, "session/prompt") {
            tells.lock().unwrap().push(text_of(heard));
        }
        is(heard, "session/resume").then(|| vec![error(heard, -32603, "EACCES: permission denied")])
    }))
    .await;
    let id = begun.start("go").await;
    begun.until(&id, "idle").await;
    let begun = begun.crash().await;
    let session = begun.later(&id, "failed").await;
    let detail = session["detail"]["detail"].as_str().unwrap();
    assert!(detail.contains("couldn't resume its session") && detail.contains("EACCES"), "{detail}");
    begun.program.owner("sessions.resume", json!({"sessionId": id, "anew": true})).await.unwrap();
    begun.later(&id, "idle").await;
    begun.say(&id, "more").await;
    begun.holds("a second prompt", async || told.lock().unwrap().len() == 2).await;
    assert_eq!(*told.lock().unwrap(), ["go", "more"]);
}

#[tokio::test]
async fn an_answer_that_no_engine_heard_reaches_its_successor() {
    let (begun, _) = asking(&["allow_once", "reject_once"]).await;
    let id = begun.start("go").await;
    let ask = begun.asked(&id).await;
    answers(&begun, &id, &ask, json!({})).await.unwrap();
    let begun = begun.crash().await;
    let told = nudged(&begun, &id).await;
    assert!(told.contains("(make) was allowed"), "{told}");
}

async fn archives(begun: &Begun, by: &str, id: &str) -> Value {
    begun.program.as_caller(agent(by), "sessions.archive", json!({"sessionId": id})).await.unwrap()
}

#[tokio::test]
async fn session_self_archive_without_approval_lets_a_finished_session_put_itself_away() {
    let begun = begin().await;
    begun.set(&[("sessionSelfArchiveWithoutApproval", json!(true))]);
    let (own, other) = (begun.start("practice: say done").await, begun.start("practice: say other").await);
    begun.until(&own, "idle").await;
    begun.until(&other, "idle").await;
    // Another one waits for you, and is named by the command line alone: the session itself does not see it.
    let input = json!({"sessionId": other});
    refused(begun.program.as_caller(agent(&own), "sessions.archive", input.clone()).await, "not-found");
    let by_script = kit::Caller::new(kit::Kind::Cli, testkit::ACCOUNT, "cli");
    let by_script = kit::Call { source_session: Some(own.clone()), ..kit::Call::new(by_script) };
    let asked = begun.program.call(by_script, "sessions.archive", input).await.unwrap();
    assert!(testkit::json_of(&asked)["askId"].is_string());
    assert_eq!(archives(&begun, &own, &own).await["askId"], Value::Null);
    begun.until(&own, "archived").await;
    assert_eq!(begun.get(&other).await["state"], "idle");
    assert_eq!(begun.rows().await, [("approval".to_owned(), String::new())], "of the other one only");
}

#[tokio::test]
async fn session_self_archive_without_approval_waits_for_the_end_of_its_own_turn() {
    let begun = begin().await;
    begun.set(&[("sessionSelfArchiveWithoutApproval", json!(true)), ("agentPermissionLevel", json!("guarded"))]);
    let id = begun.start("practice: run true; say done").await;
    let ask = begun.asked(&id).await;
    assert!(archives(&begun, &id, &id).await["askId"].is_string(), "it waits for the person");
    answers(&begun, &id, &ask, json!({})).await.unwrap();
    begun.until(&id, "idle").await;
    let id = begun.start("practice: wait 30").await;
    begun.until(&id, "running").await;
    let archived = archives(&begun, &id, &id).await;
    assert_eq!((&archived["state"], &archived["askId"]), (&json!("running"), &Value::Null));
}

#[tokio::test]
async fn session_self_archive_without_approval_off_makes_one_row_whose_answer_counts() {
    let begun = begin().await;
    let id = begun.start("practice: say done").await;
    begun.until(&id, "idle").await;
    let first = archives(&begun, &id, &id).await["askId"].as_str().unwrap().to_owned();
    assert_eq!(archives(&begun, &id, &id).await["askId"], json!(first), "once");
    assert_eq!(begun.rows().await, [("approval".to_owned(), String::new())]);
    let begun = begun.crash().await;
    begun.later(&id, "idle").await;
    let no = json!({"sessionId": id, "askId": first, "allow": false});
    begun.program.owner("sessions.answer", no.clone()).await.unwrap();
    refused(begun.program.owner("sessions.answer", no).await, "not-now");
    assert_eq!(begun.get(&id).await["state"], "idle");
    let second = archives(&begun, &id, &id).await["askId"].as_str().unwrap().to_owned();
    assert_ne!(first, second);
    answers(&begun, &id, &second, json!({})).await.unwrap();
    begun.until(&id, "archived").await;
    let outcomes: Vec<String> = begun.rows().await.into_iter().map(|(_, outcome)| outcome).collect();
    assert_eq!(outcomes, ["refused", "allowed"]);
    refused(begun.program.as_caller(agent(&id), "sessions.archive", json!({"sessionId": id})).await, "not-now");
}

#[tokio::test]
async fn a_row_about_putting_away_is_over_when_the_person_puts_it_away() {
    let begun = begin().await;
    let id = begun.start("practice: say done").await;
    begun.until(&id, "idle").await;
    archives(&begun, &id, &id).await;
    begun.program.owner("sessions.archive", json!({"sessionId": id})).await.unwrap();
    begun.until(&id, "archived").await;
    assert_eq!(begun.rows().await, [("approval".to_owned(), "withdrawn".to_owned())]);
}

#[tokio::test]
async fn a_snoozed_session_comes_back_at_its_time_after_a_crash_too() {
    let begun = begin().await;
    let id = begun.start("practice: say Hi").await;
    begun.until(&id, "idle").await;
    for until in ["tomorrow", "2026-03-01T11:59:59Z", "2028-01-01T00:00:00Z"] {
        refused(
            begun.program.owner("sessions.snooze", json!({"sessionId": id, "until": until})).await,
            "invalid-input",
        );
    }
    let until = json!({"sessionId": id, "until": "2026-03-01T14:00:00+01:00"});
    begun.program.owner("sessions.snooze", until).await.unwrap();
    begun.until(&id, "snoozed").await;
    let begun = begun.crash().await;
    begun.pass(3_599_000).await;
    assert_eq!(begun.get(&id).await["state"], "snoozed");
    begun.pass(1_000).await;
    assert_eq!(begun.until(&id, "idle").await["need"]["need"], "awake");
    begun.say(&id, "practice: say Back").await;
    while !begun.said(&id).await.contains("Back") {
        begun.pass(1_000).await;
    }
}

#[tokio::test]
async fn a_session_is_stopped_with_all_that_it_started() {
    let begun = begin().await;
    begun.set(&[("allowAgentTokenSpawn", json!(true)), ("cliSpawnSpacingSeconds", json!(0))]);
    let root = begun.start("practice: wait 30").await;
    let spawn = async |parent: &str| {
        let call = kit::Call { source_session: Some(parent.to_owned()), ..kit::Call::new(agent(parent)) };
        let input = json!({"engine": "practice", "prompt": "practice: wait 30", "projectId": begun.hub["id"]});
        let made = testkit::json_of(&begun.program.call(call, "sessions.create", input).await.unwrap());
        made["id"].as_str().unwrap().to_owned()
    };
    let child = spawn(&root).await;
    let grandchild = spawn(&child).await;
    let alone = begun.start("practice: wait 30").await;
    for id in [&root, &child, &grandchild, &alone] {
        begun.until(id, "running").await;
    }
    let children = begun.get(&root).await["children"].clone();
    assert_eq!(children, json!([{"id": child, "title": "practice: wait 30", "state": "running"}]));
    begun.program.owner("sessions.stop", json!({"sessionId": root, "tree": true})).await.unwrap();
    for id in [&root, &child, &grandchild] {
        begun.until(id, "stopped").await;
    }
    assert_eq!(begun.get(&alone).await["state"], "running");
    refused(begun.program.owner("sessions.stop", json!({"sessionId": root, "tree": true})).await, "not-now");
}

#[tokio::test]
async fn what_is_steered_belongs_to_the_account() {
    let begun = begin().await;
    let id = begun.start("practice: say mine").await;
    begun.until(&id, "idle").await;
    let other = || kit::Caller::new(kit::Kind::Owner, OTHER_ACCOUNT, "o");
    for (op, input) in [
        ("sessions.snooze", json!({"sessionId": id, "until": "2026-03-02T00:00:00Z"})),
        ("sessions.stop", json!({"sessionId": id, "tree": true})),
        ("sessions.resume", json!({"sessionId": id, "anew": true})),
        ("sessions.answer", json!({"sessionId": id, "askId": "archive-1", "allow": true})),
    ] {
        refused(begun.program.as_caller(other(), op, input).await, "not-found");
    }
}

#[tokio::test]
async fn a_session_reads_itself_and_what_it_started_and_no_other() {
    let begun = begin().await;
    let (own, other) = (begun.start("practice: say mine").await, begun.start("practice: say secret").await);
    for id in [&own, &other] {
        begun.until(id, "idle").await;
    }
    let agent = kit::Caller {
        session: Some(own.as_str().into()),
        scopes: vec!["sessions:read".into()],
        ..kit::Caller::new(kit::Kind::Agent, testkit::ACCOUNT, "agent")
    };
    let ask = async |op: &str, id: &str| begun.program.as_caller(agent.clone(), op, json!({"sessionId": id})).await;
    for op in ["sessions.get", "sessions.transcript", "sessions.asks"] {
        ask(op, &own).await.unwrap_or_else(|why| panic!("{op}: {why}"));
        testkit::refused(ask(op, &other).await, "not-found");
    }
    let listed = begun.program.as_caller(agent.clone(), "sessions.list", json!({})).await.unwrap();
    let ids: Vec<_> = listed["items"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
    assert_eq!(ids, [json!(own)]);
}

/// An agent that asks with this form, and what was answered to it.
async fn asking_with(schema: Value) -> (Begun, Arc<Mutex<Vec<Value>>>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hears = heard.clone();
    let begun = begin_with(scripted(move |heard| {
        if heard["id"].as_u64() == Some(1_001) {
            hears.lock().unwrap().push(heard["result"]["content"].clone());
            return Some(Vec::new());
        }
        let params = json!({"mode": "form", "message": "Which?", "requestedSchema": schema});
        let question = json!({"jsonrpc": "2.0", "id": 1_001, "method": "elicitation/create", "params": params});
        is(heard, "session/prompt").then(|| vec![question])
    }))
    .await;
    (begun, heard)
}

async fn next_answer(heard: &Mutex<Vec<Value>>) -> Value {
    loop {
        if let Some(answer) = heard.lock().unwrap().first() {
            return answer.clone();
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_question_with_a_single_field_takes_a_plain_value() {
    let color = json!({"type": "string", "enum": ["red", "blue"], "enumNames": ["Red", "Blue"]});
    let cases = [
        (json!({"color": color}), json!("Blue"), json!({"color": "blue"})),
        (json!({"name": {"type": "string"}}), json!(12), json!({"name": "12"})),
        (json!({"count": {"type": "integer"}}), json!("3"), json!({"count": 3})),
        (json!({"sure": {"type": "boolean"}}), json!("yes"), json!({"sure": true})),
        (json!({"colors": {"type": "array", "items": color}}), json!("red"), json!({"colors": ["red"]})),
        (json!({}), json!("free text"), json!({"answer": "free text"})),
    ];
    for (properties, value, expected) in cases {
        let (begun, heard) = asking_with(json!({"type": "object", "properties": properties})).await;
        let id = begun.start("go").await;
        let ask = begun.until(&id, "awaitingInput").await["need"]["id"].as_str().unwrap().to_owned();
        // No `allow`: a value is an answer.
        let input = json!({"sessionId": id, "askId": ask, "value": value});
        begun.program.owner("sessions.answer", input).await.unwrap();
        assert_eq!(next_answer(&heard).await, expected, "{properties}");
    }
}

#[tokio::test]
async fn a_value_that_does_not_fit_a_question_is_refused_with_what_does() {
    let color = json!({"type": "string", "oneOf": [{"const": "r", "title": "Red"}, {"const": "b", "title": "Blue"}]});
    let one = json!({"color": color});
    let two = json!({"color": color, "size": {"type": "number"}});
    let cases = [
        (&one, json!("Green"), "Field color takes one of: Red, Blue."),
        (&one, json!({"colour": "Red"}), "The question has no field colour. Its fields: color."),
        (&two, json!("Blue"), "The question has several fields. Send an object with: color, size."),
        (&two, json!({"color": "Blue"}), "Required fields are missing: size."),
        (&two, json!({"color": "Blue", "size": "big"}), "Field size needs a number."),
    ];
    for (properties, value, detail) in cases {
        let schema = json!({"type": "object", "properties": properties, "required": ["size"]});
        let schema = if properties == &one { json!({"type": "object", "properties": one}) } else { schema };
        let (begun, heard) = asking_with(schema).await;
        let id = begun.start("go").await;
        let ask = begun.until(&id, "awaitingInput").await["need"]["id"].as_str().unwrap().to_owned();
        let told = refused(answers(&begun, &id, &ask, json!({"value": value})).await, "invalid-input");
        assert_eq!(told.detail(), detail);
        assert_eq!(told.problem()["errors"][0]["pointer"], "/value");
        assert_eq!(begun.get(&id).await["state"], "awaitingInput");
        assert!(heard.lock().unwrap().is_empty());
        let nothing = begun.program.owner("sessions.answer", json!({"sessionId": id, "askId": ask})).await;
        assert_eq!(refused(nothing, "invalid-input").problem()["errors"][0]["pointer"], "/allow");
    }
}
