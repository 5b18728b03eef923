use crate::feature;
use futures_core::future::BoxFuture;
use kit::lookup::{Lookup, MemberDirectory, Members};
use kit::{Feature, SettingsSource};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::{Program, refused};

/// The members of the tests: Ada in Berlin, Bo in New York, and Cy without a time zone.
struct Directory;

impl Lookup for Directory {
    fn missing(&self, _: &str, ids: Vec<String>) -> BoxFuture<'static, kit::Result<Vec<String>>> {
        Box::pin(std::future::ready(Ok(ids)))
    }
}

impl MemberDirectory for Directory {
    fn all(&self, _: &str) -> BoxFuture<'static, kit::Result<Vec<(String, String, String)>>> {
        let of = |id: &str, name: &str| (id.to_owned(), name.to_owned(), String::new());
        Box::pin(std::future::ready(Ok(vec![of("b", "Bo"), of("a", "Ada"), of("c", "Cy")])))
    }
    fn zones(&self, _: &str) -> BoxFuture<'static, kit::Result<Vec<(String, String)>>> {
        let of = |id: &str, zone: &str| (id.to_owned(), zone.to_owned());
        Box::pin(std::future::ready(Ok(vec![of("a", "Europe/Berlin"), of("b", "America/New_York"), of("c", "")])))
    }
}

/// Team time is on or off.
struct Switch(bool);

impl SettingsSource for Switch {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        (key == "teamTimeEnabled").then(|| json!(self.0))
    }
}

async fn start() -> Program {
    Program::start(|| {
        let directory = Feature {
            start: |ctx| {
                ctx.provide(Arc::new(Members(Box::new(Directory))));
                ctx.provide_settings(Arc::new(Switch(true)));
                Box::pin(std::future::ready(Ok(())))
            },
            ..Feature::named("directory")
        };
        vec![directory, feature()]
    })
    .await
}

fn ms(text: &str) -> i64 {
    text.parse::<jiff::Timestamp>().unwrap().as_millisecond()
}

async fn at(program: &Program, text: &str) -> Vec<String> {
    program.clock.advance_ms(ms(text) - program.ctx.now_ms());
    let team = program.owner("team.get", json!({})).await.unwrap();
    assert_eq!(team["membersWithoutTimeZone"], json!(["Cy"]));
    let line = |one: &Value| {
        let of = |name: &str| one[name].as_str().unwrap_or("-").to_owned();
        format!("{} {} {} {} {}", of("name"), of("day"), of("time"), of("status"), of("changesAt"))
    };
    team["items"].as_array().unwrap().iter().map(line).collect()
}

#[tokio::test]
async fn local_times_and_working_hours_are_right_across_a_change_of_clocks() {
    let program = start().await;
    // New York has changed its clocks already, Berlin not yet.
    assert_eq!(
        at(&program, "2026-03-16T13:30:00Z").await,
        [
            "Ada 2026-03-16 14:30 working 2026-03-16T16:00:00.000Z",
            "Bo 2026-03-16 09:30 working 2026-03-16T21:00:00.000Z"
        ]
    );
    assert_eq!(
        at(&program, "2026-03-30T15:00:00Z").await,
        [
            "Ada 2026-03-30 17:00 outside 2026-03-31T07:00:00.000Z",
            "Bo 2026-03-30 11:00 working 2026-03-30T21:00:00.000Z"
        ]
    );
    assert_eq!(
        at(&program, "2026-03-29T22:30:00Z").await,
        [
            "Ada 2026-03-30 00:30 outside 2026-03-30T07:00:00.000Z",
            "Bo 2026-03-29 18:30 dayOff 2026-03-30T13:00:00.000Z"
        ]
    );
}

#[tokio::test]
async fn the_planner_marks_common_times_of_the_chosen_people() {
    let program = start().await;
    let plan = async |input: Value| program.owner("team.plan", input).await.unwrap();
    let spans = |plan: &Value, name: &str| -> Vec<String> {
        let of = |span: &Value| format!("{} {}", span["start"].as_str().unwrap(), span["end"].as_str().unwrap());
        plan[name].as_array().unwrap().iter().map(of).collect()
    };
    let both = plan(json!({"date": "2026-03-30", "timeZone": "Europe/Berlin"})).await;
    assert_eq!(spans(&both, "common"), ["2026-03-30T13:00:00.000Z 2026-03-30T15:00:00.000Z"]);
    let marked: Vec<&str> = both["slots"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|slot| slot["isCommon"] == true)
        .map(|slot| slot["time"].as_str().unwrap())
        .collect();
    assert_eq!(marked, ["15:00", "15:30", "16:00", "16:30"]);
    assert_eq!(both["slots"][18]["working"], json!(["a"]), "Ada starts at 09:00");
    let long = plan(json!({"date": "2026-03-30", "timeZone": "Europe/Berlin", "minutes": 180})).await;
    assert!(spans(&long, "common").is_empty());
    assert_eq!(spans(&long, "best").len(), 4, "the half hours with both");
    let one = plan(json!({"date": "2026-03-30", "timeZone": "Europe/Berlin", "personIds": ["b"]})).await;
    assert_eq!(spans(&one, "common"), ["2026-03-30T13:00:00.000Z 2026-03-30T21:00:00.000Z"]);
    for (input, code) in [
        (json!({"date": "2026-02-30"}), "wrong-format"),
        (json!({"date": "tomorrow"}), "wrong-format"),
        (json!({"timeZone": "Mars/Base"}), "wrong-format"),
    ] {
        let error = refused(program.owner("team.plan", input).await, "invalid-input");
        assert_eq!(error.problem()["errors"][0]["code"], code);
    }
    refused(program.owner("team.plan", json!({"personIds": ["nobody"]})).await, "named-not-found");
}

#[tokio::test]
async fn hours_of_members_and_other_people_are_kept_over_restarts_and_while_it_is_off() {
    let program = start().await;
    let new =
        json!({"name": " Dee ", "timeZone": "Asia/Tokyo", "days": ["sat", "sun"], "start": "22:00", "end": "06:00"});
    let dee = program.owner("team.people.create", new).await.unwrap();
    assert_eq!((&dee["name"], &dee["days"]), (&json!("Dee"), &json!(["sat", "sun"])));
    program.owner("team.people.update", json!({"personId": "a", "start": "08:00", "end": "12:00"})).await.unwrap();
    program.ctx.provide_settings(Arc::new(Switch(false)));
    refused(program.owner("team.get", json!({})).await, "team-time-disabled");
    let program = program.restart().await;
    let now = at(&program, "2026-03-28T14:00:00Z").await;
    assert_eq!(
        now,
        [
            "Ada 2026-03-28 15:00 dayOff 2026-03-30T06:00:00.000Z",
            "Bo 2026-03-28 10:00 dayOff 2026-03-30T13:00:00.000Z",
            "Dee 2026-03-28 23:00 working 2026-03-28T21:00:00.000Z"
        ]
    );
    program.owner("team.people.delete", json!({"personId": "a"})).await.unwrap();
    let ada = program.owner("team.people.get", json!({"personId": "a"})).await.unwrap();
    assert_eq!(ada["start"], "09:00", "a member stays, with the default");
    program.owner("team.people.delete", json!({"personId": dee["id"]})).await.unwrap();
    refused(program.owner("team.people.get", json!({"personId": dee["id"]})).await, "not-found");
}

#[tokio::test]
async fn what_is_wrong_is_refused_with_its_field() {
    let program = start().await;
    for (input, pointer) in [
        (json!({"name": "", "timeZone": "UTC"}), "/name"),
        (json!({"name": "D", "timeZone": "Nowhere"}), "/timeZone"),
        (json!({"name": "D", "timeZone": "UTC", "days": ["monday"]}), "/days/0"),
        (json!({"name": "D", "timeZone": "UTC", "days": ["mon", "mon"]}), "/days/1"),
        (json!({"name": "D", "timeZone": "UTC", "start": "9:00"}), "/start"),
        (json!({"name": "D", "timeZone": "UTC", "end": "24:00"}), "/end"),
    ] {
        let error = refused(program.owner("team.people.create", input).await, "invalid-input");
        assert_eq!(error.problem()["errors"][0]["pointer"], pointer);
    }
    let renamed = program.owner("team.people.update", json!({"personId": "a", "name": "Eve"})).await;
    assert!(refused(renamed, "invalid-input").problem().to_string().contains("members update"));
}
