use crate::feature;
use futures_core::future::BoxFuture;
use kit::lookup::{ActiveSession, Hubs, Lookup, NameWork, ReadActivity, SessionActivity, WorkNames, WorkTitles};
use kit::{Caller, Ctx, Feature, Kind, SettingsSource};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, refused};

/// The hubs `h1` and `h2`, and the session `s1` in the first account.
struct Others;

fn ready<T: Send + 'static>(value: T) -> BoxFuture<'static, kit::Result<T>> {
    Box::pin(std::future::ready(Ok(value)))
}

impl Lookup for Others {
    fn missing(&self, account: &str, ids: Vec<String>) -> BoxFuture<'static, kit::Result<Vec<String>>> {
        let is_known = |id: &String| account == ACCOUNT && ["h1", "h2"].contains(&id.as_str());
        ready(ids.into_iter().filter(|id| !is_known(id)).collect())
    }
}

impl NameWork for Others {
    fn titles(
        &self,
        account: &str,
        sessions: Vec<String>,
        _: Vec<String>,
    ) -> BoxFuture<'static, kit::Result<WorkTitles>> {
        let known = sessions.into_iter().filter(|id| account == ACCOUNT && id == "s1");
        ready(WorkTitles { sessions: known.map(|id| (id, "Fix".to_owned())).collect(), ..WorkTitles::default() })
    }
}

impl ReadActivity for Others {
    fn accounts(&self, _: i64, _: i64) -> BoxFuture<'static, kit::Result<Vec<String>>> {
        ready(Vec::new())
    }
    fn between(&self, _: &str, _: i64, _: i64, _: usize) -> BoxFuture<'static, kit::Result<Vec<ActiveSession>>> {
        ready(Vec::new())
    }
    fn named(&self, _: &str, sessions: Vec<String>) -> BoxFuture<'static, kit::Result<Vec<ActiveSession>>> {
        let session = |id| ActiveSession {
            id,
            title: "Fix".into(),
            hub: "One".into(),
            state: "Finished".into(),
            needs_you: false,
            is_archived: false,
            turns: 1,
            cost_usd: None,
            changed_ms: 0,
        };
        ready(sessions.into_iter().filter(|id| id == "s1").map(session).collect())
    }
    fn last_words(&self, _: &str, sessions: Vec<String>) -> BoxFuture<'static, kit::Result<Vec<String>>> {
        ready(sessions.iter().map(|_| "All fixed.".to_owned()).collect())
    }
}

struct Stored(&'static str, Value);

impl SettingsSource for Stored {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        (key == self.0).then(|| self.1.clone())
    }
}

struct Place(Program);

impl Place {
    async fn start() -> Place {
        Place(
            Program::start(|| {
                let others = Feature {
                    start: |ctx: Ctx| {
                        ctx.provide(Arc::new(Hubs(Box::new(Others))));
                        ctx.provide(Arc::new(WorkNames(Box::new(Others))));
                        ctx.provide(Arc::new(SessionActivity(Box::new(Others))));
                        Box::pin(std::future::ready(Ok(())))
                    },
                    ..Feature::named("others")
                };
                vec![others, feature()]
            })
            .await,
        )
    }

    async fn ask(&self, op: &str, input: Value) -> Value {
        self.0.owner(op, input).await.unwrap_or_else(|error| panic!("{op}: {error:?}"))
    }

    async fn refused(&self, op: &str, input: Value, code: &str) -> kit::Error {
        refused(self.0.owner(op, input).await, code)
    }

    /// Adds a task; its ID.
    async fn add(&self, input: Value) -> String {
        self.ask("tasks.add", input).await["id"].as_str().unwrap().to_owned()
    }

    async fn below(&self, parent: &str, text: &str) -> String {
        self.add(json!({"text": text, "parentId": parent})).await
    }

    async fn get(&self, id: &str) -> Value {
        self.ask("tasks.get", json!({"taskId": id})).await
    }

    /// The outline as text: each task with its state's first letter, indented below its parent.
    async fn outline(&self, filter: Value) -> Vec<String> {
        let tasks = self.ask("tasks.list", filter).await["items"].as_array().unwrap().clone();
        let mut levels: Vec<(String, usize)> = Vec::new();
        let mut lines = Vec::new();
        for task in &tasks {
            let parent = task["parentId"].as_str().unwrap_or_default();
            let level = levels.iter().find(|(id, _)| id == parent).map_or(0, |(_, level)| level + 1);
            levels.push((task["id"].as_str().unwrap().to_owned(), level));
            let state = &task["state"].as_str().unwrap()[..1];
            lines.push(format!("{}{state} {}", "-".repeat(level), task["text"].as_str().unwrap()));
        }
        lines
    }

    async fn all(&self) -> Vec<String> {
        self.outline(json!({})).await
    }
}

#[tokio::test]
async fn a_day_and_a_priority_in_the_text_are_understood() {
    let place = Place::start().await;
    let task = place.ask("tasks.add", json!({"text": "call Anna tomorrow 9 !1"})).await;
    assert_eq!(
        (&task["text"], &task["due"], &task["priority"]),
        (&json!("call Anna"), &json!("2026-03-02T09:00"), &json!(1))
    );
    let plain = place.ask("tasks.add", json!({"text": "call Anna tomorrow 9 !1", "plain": true})).await;
    assert_eq!((&plain["text"], plain.get("due")), (&json!("call Anna tomorrow 9 !1"), None));
    let named = place.ask("tasks.add", json!({"text": "rest today", "due": "friday", "priority": 2})).await;
    assert_eq!((&named["text"], &named["due"], &named["priority"]), (&json!("rest"), &json!("2026-03-06"), &json!(2)));
    for (text, left, due) in [
        ("tomorrow", "tomorrow", Value::Null),
        ("!2", "!2", Value::Null),
        ("Pay, by friday", "Pay", json!("2026-03-06")),
        ("Send it!", "Send it!", Value::Null),
        ("today ship (the build)", "ship (the build)", json!("2026-03-01")),
    ] {
        let understood = place.ask("tasks.understand", json!({"text": text})).await;
        assert_eq!((&understood["text"], &understood["due"]), (&json!(left), &due), "{text}");
    }
}

#[tokio::test]
async fn an_outline_is_nested_moved_and_kept_in_order() {
    let place = Place::start().await;
    let a = place.add(json!({"text": "a", "hubId": "h1"})).await;
    let b = place.add(json!({"text": "b", "hubId": "h1"})).await;
    let c = place.add(json!({"text": "c", "afterId": a})).await;
    let d = place.below(&b, "d").await;
    place.add(json!({"text": "none"})).await;
    assert_eq!(place.all().await, ["o none", "o a", "o c", "o b", "-o d"]);
    assert_eq!(place.get(&c).await["hubId"], "h1");
    // Indent, outdent, to the front.
    place.ask("tasks.move", json!({"taskId": c, "parentId": a})).await;
    place.ask("tasks.move", json!({"taskId": d, "afterId": b})).await;
    place.ask("tasks.move", json!({"taskId": b, "afterId": ""})).await;
    assert_eq!(place.outline(json!({"hubId": "h1"})).await, ["o b", "o a", "-o c", "o d"]);
    // To another hub, with all below it.
    place.ask("tasks.move", json!({"taskId": a, "parentId": "", "hubId": "h2"})).await;
    assert_eq!(place.outline(json!({"hubId": "h2"})).await, ["o a", "-o c"]);
    assert_eq!(place.outline(json!({"hubId": ""})).await, ["o none"]);
}

#[tokio::test]
async fn many_tasks_typed_at_one_place_keep_their_order() {
    let place = Place::start().await;
    let first = place.add(json!({"text": "first"})).await;
    place.add(json!({"text": "last"})).await;
    let edits: Vec<Value> =
        (0..60).map(|n| json!({"action": "add", "text": n.to_string(), "afterId": first, "plain": true})).collect();
    let edited = place.ask("tasks.edit", json!({"edits": edits})).await;
    assert!(edited["tasks"].as_array().unwrap().len() >= 60);
    let expected: Vec<String> = std::iter::once("o first".to_owned())
        .chain((0..60).rev().map(|n| format!("o {n}")))
        .chain(["o last".to_owned()])
        .collect();
    assert_eq!(place.all().await, expected);
}

#[tokio::test]
async fn finishing_a_parent_finishes_what_is_below_it_and_reopening_opens_what_is_above() {
    let place = Place::start().await;
    let a = place.add(json!({"text": "a"})).await;
    let b = place.below(&a, "b").await;
    let c = place.below(&b, "c").await;
    place.ask("tasks.update", json!({"taskId": c, "state": "dropped"})).await;
    let done = place.ask("tasks.done", json!({"taskId": a})).await;
    assert_eq!((&done["state"], &done["others"]), (&json!("done"), &json!(1)));
    assert_eq!(place.all().await, ["d a", "-d b", "--d c"]);
    assert_eq!(place.get(&c).await["state"], "dropped");
    place.ask("tasks.reopen", json!({"taskId": c})).await;
    assert_eq!(place.all().await, ["o a", "-o b", "--o c"]);
    assert_eq!(place.get(&a).await.get("finishedAt"), None);
    place.ask("tasks.update", json!({"taskId": b, "state": "done", "only": true})).await;
    assert_eq!(place.all().await, ["o a", "-d b", "--o c"]);
    place.below(&b, "new").await;
    assert_eq!(place.get(&b).await["state"], "open", "an open task isn't below a finished one");
}

#[tokio::test]
async fn a_deleted_task_is_restored_with_all_below_it_and_swept_after_30_days() {
    let place = Place::start().await;
    let a = place.add(json!({"text": "a"})).await;
    let b = place.below(&a, "b").await;
    place.below(&b, "c").await;
    place.ask("tasks.delete", json!({"taskId": b})).await;
    assert_eq!(place.all().await, ["o a"]);
    place.refused("tasks.done", json!({"taskId": b}), "task-deleted").await;
    place.refused("tasks.restore", json!({"taskId": a}), "task-not-deleted").await;
    place.ask("tasks.restore", json!({"taskId": b})).await;
    assert_eq!(place.all().await, ["o a", "-o b", "--o c"]);
    // Its parent is gone by then.
    place.ask("tasks.delete", json!({"taskId": b})).await;
    place.ask("tasks.delete", json!({"taskId": a})).await;
    place.ask("tasks.restore", json!({"taskId": b})).await;
    assert_eq!(place.all().await, ["o b", "-o c"]);
    let seen = place.ask("tasks.changes", json!({})).await["revision"].clone();
    place.0.clock.advance_ms(31 * kit::clock::DAY_MS);
    place.0.do_chores().await;
    place.refused("tasks.get", json!({"taskId": a}), "not-found").await;
    let later = place.ask("tasks.changes", json!({"since": seen})).await;
    assert_eq!((&later["all"], later["tasks"].as_array().unwrap().len()), (&json!(false), 0));
    let much_later = place.ask("tasks.changes", json!({"since": 1})).await;
    assert_eq!((&much_later["all"], much_later["tasks"].as_array().unwrap().len()), (&json!(true), 2));
}

#[tokio::test]
async fn a_reader_follows_by_revisions_and_is_sent_only_what_changed() {
    let place = Place::start().await;
    let edits: Vec<Value> = (0..25).map(|n| json!({"action": "add", "text": n.to_string(), "plain": true})).collect();
    place.ask("tasks.edit", json!({"edits": edits})).await;
    let (mut seen, mut since) = (0, json!(0));
    loop {
        let answer = place.ask("tasks.changes", json!({"since": since, "limit": 10})).await;
        seen += answer["tasks"].as_array().unwrap().len();
        since = answer["revision"].clone();
        if answer["more"] == false {
            break;
        }
    }
    assert_eq!(seen, 25);
    let id = place.add(json!({"text": "one more"})).await;
    let answer = place.ask("tasks.changes", json!({"since": since})).await;
    assert_eq!(
        answer["tasks"].as_array().unwrap().iter().map(|task| task["id"].clone()).collect::<Vec<_>>(),
        [json!(id)]
    );
    place.ask("tasks.delete", json!({"taskId": id})).await;
    let answer = place.ask("tasks.changes", json!({"since": answer["revision"]})).await;
    assert!(answer["tasks"][0]["deletedAt"].is_string());
}

#[tokio::test]
async fn of_two_windows_the_last_wins_by_field_and_is_told_what_it_replaced() {
    let place = Place::start().await;
    let task = place.ask("tasks.add", json!({"text": "draft"})).await;
    let (id, seen) = (task["id"].clone(), task["revision"].clone());
    let change = |more: Value| {
        let mut input = json!({"taskId": id, "seen": seen});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    place.ask("tasks.update", change(json!({"text": "from window one"}))).await;
    let other = place.ask("tasks.update", change(json!({"priority": 1}))).await;
    assert_eq!((&other["text"], &other["conflicts"]), (&json!("from window one"), &json!([])));
    let same = place.ask("tasks.update", change(json!({"text": "from window two"}))).await;
    assert_eq!(same["conflicts"], json!([{"taskId": id, "field": "text", "was": "from window one"}]));
    assert_eq!(place.get(id.as_str().unwrap()).await["text"], "from window two");
}

#[tokio::test]
async fn views_show_what_is_due_and_what_is_snoozed() {
    let place = Place::start().await;
    for (text, more) in [
        ("overdue", json!({"due": "yesterday"})),
        ("today", json!({"due": "today 6pm"})),
        ("later", json!({"due": "in 3 weeks"})),
        ("asleep", json!({"due": "today", "snoozedUntil": "tomorrow"})),
        ("someday", json!({})),
    ] {
        let mut input = json!({"text": text, "plain": true});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        place.add(input).await;
    }
    let view = async |name: &str| place.outline(json!({"view": name})).await;
    assert_eq!(view("today").await, ["o overdue", "o today"]);
    assert_eq!(view("upcoming").await, ["o later"]);
    assert_eq!(view("snoozed").await, ["o asleep"]);
    assert_eq!(place.outline(json!({"q": "DAY"})).await, ["o today", "o someday"]);
    place.0.clock.advance_ms(kit::clock::DAY_MS);
    assert_eq!(view("today").await, ["o overdue", "o today", "o asleep"]);
    assert_eq!(view("snoozed").await, [""; 0]);
}

#[tokio::test]
async fn completed_tasks_are_hidden_by_the_setting_and_nothing_works_while_tasks_are_off() {
    let place = Place::start().await;
    let a = place.add(json!({"text": "a"})).await;
    place.add(json!({"text": "b"})).await;
    place.ask("tasks.done", json!({"taskId": a})).await;
    assert_eq!(place.all().await, ["d a", "o b"]);
    place.0.ctx.provide_settings(Arc::new(Stored("tasksV2HideCompleted", json!(true))));
    assert_eq!(place.all().await, ["o b"]);
    assert_eq!(place.outline(json!({"state": "done"})).await, ["d a"]);
    place.0.ctx.provide_settings(Arc::new(Stored("tasksEnabled", json!(false))));
    place.refused("tasks.list", json!({}), "tasks-disabled").await;
    place.refused("tasks.add", json!({"text": "c"}), "tasks-disabled").await;
}

#[tokio::test]
async fn bad_input_is_refused_with_its_reason_and_changes_nothing() {
    let place = Place::start().await;
    let a = place.add(json!({"text": "a", "hubId": "h1"})).await;
    let b = place.below(&a, "b").await;
    let before = place.all().await;
    for (op, input, pointer, code) in [
        ("tasks.add", json!({"text": "x".repeat(100_000)}), "/text", "wrong-length"),
        ("tasks.add", json!({"text": " "}), "/text", "wrong-length"),
        ("tasks.add", json!({"text": "two\nlines"}), "/text", "control-character"),
        ("tasks.add", json!({"text": "x", "parentId": a, "hubId": "h2"}), "/hubId", "other-hub"),
        ("tasks.add", json!({"text": "x", "afterId": b, "parentId": ""}), "/afterId", "not-a-sibling"),
        ("tasks.add", json!({"text": "x", "due": "soonish"}), "/due", "not-a-day"),
        ("tasks.add", json!({"text": "x", "priority": 5}), "/priority", "out-of-range"),
        ("tasks.move", json!({"taskId": b, "afterId": b}), "/afterId", "not-a-sibling"),
        ("tasks.edit", json!({"edits": [{"action": "set"}]}), "/edits/0/taskId", "missing"),
        (
            "tasks.edit",
            json!({"edits": [{"action": "add", "text": "x", "taskId": "short"}]}),
            "/edits/0/taskId",
            "wrong-format",
        ),
        ("tasks.edit", json!({"edits": []}), "/edits", "wrong-length"),
    ] {
        let error = place.refused(op, input.clone(), "invalid-input").await;
        assert_eq!((error.fields()[0].pointer.as_str(), error.fields()[0].code.name()), (pointer, code), "{input}");
    }
    for (op, input, pointer) in [
        ("tasks.add", json!({"text": "x", "hubId": "h9"}), "/hubId"),
        ("tasks.add", json!({"text": "x", "parentId": "nobody"}), "/parentId"),
        ("tasks.update", json!({"taskId": a, "sessionId": "s9"}), "/sessionId"),
    ] {
        let error = self::refused(place.0.owner(op, input.clone()).await, "named-not-found");
        assert_eq!(error.fields()[0].pointer, pointer, "{input}");
    }
    for parent in [&a, &b] {
        place.refused("tasks.move", json!({"taskId": a, "parentId": parent}), "task-cycle").await;
    }
    // All or none.
    let edits =
        json!({"edits": [{"action": "add", "text": "x"}, {"action": "set", "taskId": "nobody", "priority": 1}]});
    place.refused("tasks.edit", edits, "not-found").await;
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "other");
    for (op, input) in [("tasks.get", json!({"taskId": a})), ("tasks.delete", json!({"taskId": a}))] {
        refused(place.0.as_caller(other.clone(), op, input).await, "not-found");
    }
    let input = json!({"text": "x", "parentId": a});
    refused(place.0.as_caller(other, "tasks.add", input).await, "named-not-found");
    assert_eq!(place.all().await, before);
}

#[tokio::test]
async fn nesting_ends_at_20_levels() {
    let place = Place::start().await;
    let mut above = String::new();
    let mut ids = Vec::new();
    for level in 0..20 {
        above = place.below(&above, &level.to_string()).await;
        ids.push(above.clone());
    }
    place.refused("tasks.add", json!({"text": "x", "parentId": above}), "tasks-too-deep").await;
    let pair = place.add(json!({"text": "pair"})).await;
    place.below(&pair, "of two").await;
    place.refused("tasks.move", json!({"taskId": pair, "parentId": ids[18]}), "tasks-too-deep").await;
    place.ask("tasks.move", json!({"taskId": pair, "parentId": ids[17]})).await;
}

#[tokio::test]
async fn a_task_shows_its_session_and_agents_need_their_scopes() {
    let place = Place::start().await;
    let id = place.add(json!({"text": "fix"})).await;
    place.refused("tasks.session", json!({"taskId": id}), "not-found").await;
    place.ask("tasks.update", json!({"taskId": id, "sessionId": "s1"})).await;
    let session = place.ask("tasks.session", json!({"taskId": id})).await;
    assert_eq!((&session["state"], &session["result"]), (&json!("Finished"), &json!("All fixed.")));
    let agent = |scopes: &[&str]| Caller {
        session: Some("s2".into()),
        scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
        ..Caller::new(Kind::Agent, ACCOUNT, "agent")
    };
    let reader = agent(&["tasks:read"]);
    let seen = place.0.as_caller(reader.clone(), "tasks.get", json!({"taskId": id})).await.unwrap();
    assert_eq!(seen.get("sessionId"), None, "another session isn't named");
    refused(place.0.as_caller(reader, "tasks.add", json!({"text": "x"})).await, "scope-missing");
    let writer = agent(&["tasks:write"]);
    place.0.as_caller(writer.clone(), "tasks.add", json!({"text": "x"})).await.unwrap();
    let input = json!({"taskId": id, "sessionId": "s1"});
    refused(place.0.as_caller(writer, "tasks.update", input).await, "named-not-found");
}

#[tokio::test]
async fn an_edit_of_a_text_understands_what_it_adds_and_reads_no_old_words_again() {
    let place = Place::start().await;
    let was = "report for friday !2";
    let id = place.add(json!({"text": was, "plain": true})).await;
    let edit = async |text: &str, understand: bool| {
        let task = place.ask("tasks.update", json!({"taskId": id, "text": text, "understand": understand})).await;
        let shown = (task["text"].clone(), task["due"].clone(), task["priority"].clone());
        let back = json!({"taskId": id, "text": was, "due": "", "priority": 4});
        place.ask("tasks.update", back).await;
        shown
    };
    let none = Value::Null;
    for (text, left, due, priority) in [
        // Old words stay, also in another place.
        ("the report for friday !2", "the report for friday !2", none.clone(), none.clone()),
        ("report, for Friday !2", "report, for Friday !2", none.clone(), none.clone()),
        ("report !2", "report !2", none.clone(), none.clone()),
        // New ones are read.
        ("report tomorrow !2", "report !2", json!("2026-03-02"), none.clone()),
        ("report for monday !1", "report for", json!("2026-03-02"), json!(1)),
        ("report for friday !1", "report for friday", none.clone(), json!(1)),
    ] {
        let understood = place.ask("tasks.understand", json!({"text": text, "was": was})).await;
        assert_eq!((&understood["text"], &understood["due"]), (&json!(left), &due), "{text}");
        assert_eq!(edit(text, true).await, (json!(left), due, priority), "{text}");
        assert_eq!(edit(text, false).await, (json!(text), none.clone(), none.clone()), "words stay words: {text}");
    }
}
