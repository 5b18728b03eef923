//! What an agent changes while a person has the dashboard open, and what becomes of it.

use super::show::{widget, with_boards};
use super::*;
use crate::proposals::LEASE_MS;
use events::{Event, HasEvents};

fn agent(session: &str) -> Caller {
    let scopes = vec!["dashboards:read".to_owned(), "dashboards:write".to_owned()];
    Caller { session: Some(session.into()), scopes, ..Caller::new(Kind::Agent, ACCOUNT, "a") }
}

struct Open {
    program: Program,
    id: Value,
}

impl Open {
    async fn start() -> Open {
        let program = with_boards().await;
        let config = json!({"boardIds": ["alpha"], "widgets": [widget("a", "chart", json!({"variant": "bar"}))]});
        let id = made(&program, config).await["id"].clone();
        let open = Open { program, id };
        open.window("dashboards.open", "w1").await;
        open
    }
    fn input(&self, more: Value) -> Value {
        let mut input = json!({"dashboardId": self.id});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    }
    async fn window(&self, op: &str, window: &str) -> Value {
        self.program.owner(op, self.input(json!({"windowId": window}))).await.unwrap()
    }
    async fn agent(&self, op: &str, more: Value) -> (u16, Value) {
        let reply = self.program.call(Call::new(agent("s1")), op, self.input(more)).await.unwrap();
        (reply.status, testkit::json_of(&reply))
    }
    async fn add(&self, title: &str) -> (u16, Value) {
        self.agent(
            "dashboards.widgets.add",
            json!({"kind": "numbers", "title": title, "settings": {"function": "count"}}),
        )
        .await
    }
    async fn read(&self) -> Value {
        self.program.owner("dashboards.get", self.input(json!({}))).await.unwrap()
    }
    async fn proposal(&self, id: &Value) -> Value {
        self.program.owner("dashboards.proposals.get", self.input(json!({"proposalId": id}))).await.unwrap()
    }
    async fn titles(&self) -> Vec<String> {
        let widgets = self.read().await["config"]["widgets"].clone();
        widgets.as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect()
    }
}

#[tokio::test]
async fn a_change_of_an_open_dashboard_waits_until_it_is_accepted() {
    let open = Open::start().await;
    let (status, answer) = open.add("Costs").await;
    assert_eq!((status, &answer["revision"], &answer["proposal"]["state"]), (202, &json!(1), &json!("open")));
    assert_eq!(open.titles().await, [""]);
    let id = &answer["proposal"]["id"];
    let proposal = open.proposal(id).await;
    assert_eq!(proposal["changes"], json!(["Adds the widget Costs (numbers)."]));
    assert_eq!((&proposal["sessionId"], proposal["config"]["widgets"].as_array().unwrap().len()), (&json!("s1"), 2));
    // What the person does meanwhile stays.
    let moved = json!({"widgetId": "a", "title": "Mine", "layout": {"x": 5}});
    open.program.owner("dashboards.widgets.update", open.input(moved)).await.unwrap();
    let accepted =
        open.program.owner("dashboards.proposals.accept", open.input(json!({"proposalId": id}))).await.unwrap();
    assert_eq!(accepted["revision"], 3);
    assert_eq!(open.titles().await, ["Mine", "Costs"]);
    let decided = open.proposal(id).await;
    assert_eq!(
        (&decided["state"], decided["decidedAt"].is_string(), decided.get("config")),
        (&json!("accepted"), true, None)
    );
    let again = open.program.owner("dashboards.proposals.decline", open.input(json!({"proposalId": id}))).await;
    refused(again, "proposal-decided");
}

#[tokio::test]
async fn an_agents_app_waits_as_everything_else_and_accepting_it_allows_no_address() {
    let open = Open::start().await;
    let app = json!({"kind": "apps", "title": "Plan", "settings": {"address": "https://apps.example/"}});
    let (status, answer) = open.agent("dashboards.widgets.add", app).await;
    assert_eq!((status, open.titles().await), (202, vec![String::new()]));
    let id = &answer["proposal"]["id"];
    assert_eq!(open.proposal(id).await["changes"], json!(["Adds the widget Plan (apps)."]));
    open.program.owner("dashboards.proposals.accept", open.input(json!({"proposalId": id}))).await.unwrap();
    assert_eq!(open.titles().await, ["", "Plan"]);
    assert_eq!(open.program.owner("dashboards.apps.list", json!({})).await.unwrap()["items"], json!([]));
}

#[tokio::test]
async fn several_changes_of_a_session_are_one_proposal() {
    let open = Open::start().await;
    let (_, first) = open.add("Costs").await;
    let change = json!({"widgetId": first["widget"]["id"], "title": "All costs"});
    let (_, second) = open.agent("dashboards.widgets.update", change).await;
    assert_eq!(first["proposal"]["id"], second["proposal"]["id"]);
    // A whole config, made of what is stored, is laid beside what waits.
    let mut config = open.read().await["config"].clone();
    config["filters"] = json!({"v": 1, "all": []});
    let (status, _) = open.agent("dashboards.update", json!({"config": config})).await;
    assert_eq!(status, 202);
    let proposal = open.proposal(&first["proposal"]["id"]).await;
    assert_eq!(proposal["changes"], json!(["Adds the widget All costs (numbers).", "Changes the filters."]));
    let other = open
        .program
        .call(Call::new(agent("s2")), "dashboards.widgets.remove", open.input(json!({"widgetId": "a"})))
        .await
        .unwrap();
    assert_ne!(testkit::json_of(&other)["proposal"]["id"], first["proposal"]["id"]);
    let list = open.program.owner("dashboards.proposals.list", open.input(json!({}))).await.unwrap();
    assert_eq!(list["items"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn declined_means_that_nothing_changes() {
    let open = Open::start().await;
    let before = open.read().await;
    let (_, answer) = open.add("Costs").await;
    let id = json!({"proposalId": answer["proposal"]["id"]});
    refused(
        open.program.as_caller(agent("s1"), "dashboards.proposals.accept", open.input(id.clone())).await,
        "forbidden-caller",
    );
    open.program.owner("dashboards.proposals.decline", open.input(id.clone())).await.unwrap();
    assert_eq!(open.read().await, before);
    let (_, read) = open.agent("dashboards.proposals.get", id).await;
    assert_eq!(read["state"], "declined");
}

#[tokio::test]
async fn a_change_is_made_at_once_where_nobody_looks() {
    let open = Open::start().await;
    // A person's script changes it as the person would.
    let cli = Caller::new(Kind::Cli, ACCOUNT, "c");
    let input = open.input(json!({"kind": "numbers", "title": "By script"}));
    open.program.as_caller(cli, "dashboards.widgets.add", input).await.unwrap();
    assert_eq!(open.titles().await, ["", "By script"]);
    // Nobody else closes the window of a page.
    let member = Caller { member: Some("ada".into()), ..Caller::new(Kind::Member, ACCOUNT, "m") };
    for other in [member, Caller::new(Kind::Owner, ACCOUNT, "another login")] {
        let input = open.input(json!({"windowId": "w1"}));
        open.program.as_caller(other, "dashboards.close", input).await.unwrap();
        assert_eq!(open.add("Still open").await.0, 202);
    }
    open.window("dashboards.close", "w1").await;
    assert_eq!(open.add("Closed").await.0, 201);
    // A page that went away without a word is believed for one lease.
    open.window("dashboards.open", "w2").await;
    assert_eq!(open.add("Proposed").await.0, 202);
    open.program.clock.advance_ms(LEASE_MS);
    assert_eq!(open.add("Ended").await.0, 201);
    assert_eq!(open.titles().await, ["", "By script", "Closed", "Ended"]);
    // An agent that uses the person's token says that it is one.
    open.window("dashboards.open", "w3").await;
    let call = Call { source_session: Some("s9".into()), ..Call::new(Caller::new(Kind::Cli, ACCOUNT, "c")) };
    let reply = open.program.call(call, "dashboards.update", open.input(json!({"name": "Theirs"}))).await.unwrap();
    assert_eq!(reply.status, 202);
}

#[tokio::test]
async fn each_step_of_a_proposal_is_told_and_there_are_not_too_many() {
    let open = Open::start().await;
    let before = open.program.ctx.events().newest();
    let (_, answer) = open.add("Costs").await;
    open.program
        .owner("dashboards.proposals.decline", open.input(json!({"proposalId": answer["proposal"]["id"]})))
        .await
        .unwrap();
    let told = open.program.ctx.events().listen(Some(before)).0.unwrap();
    let proposals = told.iter().filter(|one| matches!(one.event, Event::DashboardProposalChanged { .. })).count();
    assert_eq!((told.len(), proposals), (2, 2));
    for session in 0..10 {
        let call = Call::new(agent(&format!("s{session}")));
        open.program.call(call, "dashboards.update", open.input(json!({"name": "Other"}))).await.unwrap();
    }
    let one_more =
        open.program.call(Call::new(agent("more")), "dashboards.update", open.input(json!({"name": "Other"}))).await;
    refused(one_more, "too-many-proposals");
}

#[tokio::test]
async fn an_order_of_boards_and_a_widget_without_an_id_are_proposed_too() {
    let open = Open::start().await;
    let mut config = open.read().await["config"].clone();
    config["boardIds"] = json!(["beta", "alpha"]);
    open.agent("dashboards.update", json!({"config": config})).await;
    let mut nameless = widget("", "numbers", json!({"function": "count"}));
    nameless.as_object_mut().unwrap().remove("id");
    config["widgets"].as_array_mut().unwrap().push(nameless);
    let (_, answer) = open.agent("dashboards.update", json!({"config": config})).await;
    let id = &answer["proposal"]["id"];
    let changes = ["Adds a widget (numbers).", "Connects a board.", "Changes the order of the boards."];
    assert_eq!(open.proposal(id).await["changes"], json!(changes));
    let accepted =
        open.program.owner("dashboards.proposals.accept", open.input(json!({"proposalId": id}))).await.unwrap();
    assert_eq!(accepted["config"]["boardIds"], json!(["beta", "alpha"]));
    assert_eq!(accepted["config"]["widgets"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn what_is_accepted_is_what_was_read() {
    let open = Open::start().await;
    let (_, answer) = open.add("Harmless").await;
    let id = answer["proposal"]["id"].clone();
    let read = open.proposal(&id).await;
    open.agent("dashboards.widgets.remove", json!({"widgetId": "a"})).await;
    let accept = |digest: &Value| open.input(json!({"proposalId": id, "digest": digest}));
    let answer = open.program.owner("dashboards.proposals.accept", accept(&read["digest"])).await;
    refused(answer, "proposal-changed");
    assert_eq!(open.titles().await.len(), 1);
    let again = open.proposal(&id).await;
    open.program.owner("dashboards.proposals.accept", accept(&again["digest"])).await.unwrap();
    assert_eq!(open.titles().await, ["Harmless"]);
}

#[tokio::test]
async fn no_session_deletes_what_a_person_has_open() {
    let open = Open::start().await;
    let delete = open.program.call(Call::new(agent("s1")), "dashboards.delete", open.input(json!({}))).await;
    refused(delete, "person-has-it-open");
    open.window("dashboards.close", "w1").await;
    open.program.call(Call::new(agent("s1")), "dashboards.delete", open.input(json!({}))).await.unwrap();
}

#[tokio::test]
async fn widgets_without_ids_are_proposed_and_accepted_too_and_what_changes_nothing_waits_for_nobody() {
    let open = Open::start().await;
    let without = |titles: &[&str]| {
        let widgets = titles
            .iter()
            .map(|title| json!({"kind": "numbers", "title": title, "layout": {"x": 0, "y": 0, "w": 3, "h": 3}}));
        json!({"config": {"boardIds": ["alpha"], "widgets": widgets.collect::<Vec<_>>()}})
    };
    open.program.owner("dashboards.update", open.input(without(&["One"]))).await.unwrap();
    let (status, answer) = open.agent("dashboards.update", without(&["One"])).await;
    assert_eq!((status, answer.get("proposal").is_none_or(Value::is_null)), (200, true));
    let (status, answer) = open.agent("dashboards.update", without(&["First", "Second"])).await;
    assert_eq!(status, 202);
    let id = answer["proposal"]["id"].clone();
    let told = open.proposal(&id).await["changes"].clone();
    assert_eq!(told, json!(["Renames the widget One (numbers) to First.", "Adds the widget Second (numbers)."]));
    open.program.owner("dashboards.proposals.accept", open.input(json!({"proposalId": id}))).await.unwrap();
    assert_eq!(open.titles().await, ["First", "Second"]);
}
