//! What is published, to whom, and for how long.

use crate::publish::{DAY_MS, EXPIRED_KEPT_MS, OpensPublicDoor, PUBLICATIONS_MAX, PublicDoor, Publications};
use crate::tests::show::{widget, with_boards};
use events::{Event, HasEvents};
use kit::lookup::{BoardData, Boards, Members};
use kit::{Caller, Ctx, Kind};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use store::HasDb;
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, refused};

/// A door that opens, or does not.
pub(super) struct Door(Mutex<Result<String, String>>);

impl OpensPublicDoor for Arc<Door> {
    fn open(&self) -> futures_core::future::BoxFuture<'static, Result<String, String>> {
        Box::pin(std::future::ready(self.0.lock().unwrap().clone()))
    }
}

const ORIGIN: &str = "http://127.0.0.1:19520/p/";

/// A program with a dashboard of two boards; its id, and the door.
pub(super) async fn with_dashboard() -> (Program, String, Arc<Door>) {
    let program = with_boards().await;
    let door = Arc::new(Door(Mutex::new(Ok(ORIGIN.into()))));
    program.ctx.provide(Arc::new(PublicDoor(Box::new(door.clone()))));
    let widgets = json!([
        widget("n", "numbers", json!({"function": "count"})),
        widget("b", "chart", json!({"x": {"by": "board"}})),
        widget("t", "table", json!({})),
    ]);
    let config = json!({"boardIds": ["alpha", "beta"], "widgets": widgets});
    let create = json!({"workspaceId": "w1", "name": "Team", "config": config});
    let dashboard = program.owner("dashboards.create", create).await.unwrap();
    let id = dashboard["id"].as_str().unwrap().to_owned();
    (program, id, door)
}

pub(super) async fn ask(program: &Program, verb: &str, id: &str, more: Value) -> kit::Result<Value> {
    let mut input = json!({"dashboardId": id});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    program.owner(&format!("dashboards.publication.{verb}"), input).await
}

pub(super) fn seen(ctx: &Ctx, publication: &Value) -> Option<String> {
    let address = publication["address"].as_str()?.strip_prefix(ORIGIN)?;
    let page = ctx.service::<Publications>().page(address, ctx.now_ms())?;
    Some(String::from_utf8(page.html.to_vec()).unwrap())
}

#[tokio::test]
async fn what_was_previewed_is_published_and_stays_as_it_is_until_it_is_published_again() {
    let (program, id, _) = with_dashboard().await;
    let preview = ask(&program, "preview", &id, json!({})).await.unwrap();
    assert_eq!(preview["leftOut"], json!([{"title": "Table", "why": "shows-items"}]));
    assert_eq!(preview["holds"], json!(["board-names"]));
    assert_eq!(ask(&program, "get", &id, json!({})).await.unwrap()["published"], false);
    let mut published = ask(&program, "publish", &id, json!({"digest": preview["digest"]})).await.unwrap();
    // Who publishes without a preview is told too.
    let left_out = published.as_object_mut().unwrap().remove("leftOut");
    assert_eq!(left_out.as_ref(), Some(&preview["leftOut"]));
    let page = seen(&program.ctx, &published).unwrap();
    // The same page, but for when it was published.
    let told = page.split_once("<p class=\"when\">").unwrap();
    let without = format!("{}{}", told.0, told.1.split_once("</p>").unwrap().1);
    assert_eq!(without, preview["html"].as_str().unwrap());
    assert_eq!(ask(&program, "get", &id, json!({})).await.unwrap(), published);

    let renamed = json!({"dashboardId": id, "name": "Renamed"});
    program.owner("dashboards.update", renamed).await.unwrap();
    assert_eq!(seen(&program.ctx, &published).unwrap(), page, "the page does not follow the draft");
    let stale = ask(&program, "publish", &id, json!({"digest": preview["digest"]})).await;
    refused(stale, "preview-stale");
    let again = ask(&program, "publish", &id, json!({})).await.unwrap();
    assert_eq!(again["address"], published["address"]);
    assert!(seen(&program.ctx, &again).unwrap().contains("<h1 dir=\"auto\">Renamed</h1>"));
}

#[tokio::test]
async fn no_text_of_a_board_leaves_unless_it_is_ticked_and_the_tick_is_kept() {
    let (program, id, door) = with_dashboard().await;
    let notes = |role: &str| json!({role: {"alpha": ["alpha-t"], "beta": ["beta-t"]}});
    let chart = |id: &str, variant: &str, by: &str| {
        widget(id, "chart", json!({"variant": variant, "x": {"by": by}, "cols": notes("x")}))
    };
    let sprints = |kind: &str| widget(kind, kind, json!({"cols": notes("sprint")}));
    let stack = json!({"x": {"by": "board"}, "z": {"by": "column"}, "cols": notes("z")});
    let widgets = [
        chart("a", "bar", "name"),
        chart("b", "pie", "column"),
        widget("c", "chart", stack),
        sprints("velocity"),
        sprints("planned"),
        sprints("burndown"),
    ];
    let config = json!({"boardIds": ["alpha", "beta"], "widgets": widgets});
    program.owner("dashboards.update", json!({"dashboardId": id, "config": config})).await.unwrap();
    let hidden = ask(&program, "preview", &id, json!({"names": true})).await.unwrap();
    let shown = ask(&program, "preview", &id, json!({"texts": true})).await.unwrap();
    assert_eq!(hidden["holds"], json!(["board-names", "sprint-names", "item-names", "cell-texts"]));
    assert_eq!((hidden["leftOut"].clone(), hidden["holds"].clone()), (json!([]), shown["holds"].clone()));
    for word in ["Task", "Straße", "日本", "xxxx"] {
        assert!(shown["html"].as_str().unwrap().contains(word), "{word} is there to be hidden");
        for part in ["document", "html"] {
            assert!(!hidden[part].to_string().contains(word), "{word} in {part}");
        }
    }
    assert_ne!(hidden["digest"], shown["digest"]);
    let refusal = ask(&program, "publish", &id, json!({"digest": shown["digest"]})).await;
    refused(refusal, "preview-stale");
    let mut ticked = ask(&program, "publish", &id, json!({"digest": shown["digest"], "texts": true})).await.unwrap();
    assert_eq!(ticked.as_object_mut().unwrap().remove("leftOut"), Some(json!([])));
    assert_eq!((&ticked["names"], &ticked["texts"]), (&json!(false), &json!(true)));
    let program = program.restart().await;
    program.ctx.provide(Arc::new(PublicDoor(Box::new(door.clone()))));
    assert_eq!(ask(&program, "get", &id, json!({})).await.unwrap(), ticked);
    // What was published before there was a choice stays as it is, and is not taken for ticked.
    let forget = "UPDATE dashboard_publications SET texts = 0 WHERE account_id = $1";
    program.ctx.db().write(move |tx| tx.execute(forget, store::params![ACCOUNT])).await.unwrap();
    let program = program.restart().await;
    program.ctx.provide(Arc::new(PublicDoor(Box::new(door))));
    assert_eq!(ask(&program, "get", &id, json!({})).await.unwrap()["texts"], false);
    assert!(seen(&program.ctx, &ticked).unwrap().contains("Task 1"));
}

#[tokio::test]
async fn an_address_is_random_and_gone_for_good_once_revoked_expired_or_deleted() {
    let (program, id, _) = with_dashboard().await;
    let mut before: Vec<Value> = Vec::new();
    for end in ["revoke", "expire", "delete"] {
        let published = ask(&program, "publish", &id, json!({"expiresInDays": 2})).await.unwrap();
        let address = published["address"].as_str().unwrap().strip_prefix(ORIGIN).unwrap();
        assert!(address.len() == 32 && address.bytes().all(|digit| digit.is_ascii_hexdigit()), "{address}");
        assert!(seen(&program.ctx, &published).is_some());
        assert!(before.iter().all(|old| *old != published["address"]), "{end}: no address comes back");
        before.push(published["address"].clone());
        match end {
            "revoke" => drop(ask(&program, "revoke", &id, json!({})).await.unwrap()),
            "expire" => program.clock.advance_ms(2 * DAY_MS),
            _ => drop(program.owner("dashboards.delete", json!({"dashboardId": id})).await.unwrap()),
        }
        assert_eq!(seen(&program.ctx, &published), None, "{end}");
        if end == "expire" {
            let told = ask(&program, "get", &id, json!({})).await.unwrap();
            assert_eq!((&told["published"], &told["address"]), (&json!(false), &Value::Null));
        }
    }
    assert_eq!(program.ctx.service::<Publications>().in_force(program.ctx.now_ms()), (false, None));
}

#[tokio::test]
async fn what_has_expired_leaves_memory_and_in_time_the_disk() {
    let (program, id, _) = with_dashboard().await;
    let published = ask(&program, "publish", &id, json!({"expiresInDays": 1})).await.unwrap();
    let held = || program.ctx.service::<Publications>().pages.read().unwrap().len();
    let told = async || ask(&program, "get", &id, json!({})).await.unwrap()["publishedAt"].clone();
    crate::sweep::step(&program.ctx).await.unwrap();
    program.clock.advance_ms(DAY_MS - 1);
    crate::sweep::step(&program.ctx).await.unwrap();
    assert!(seen(&program.ctx, &published).is_some(), "until its very end");
    program.clock.advance_ms(1);
    assert_eq!((seen(&program.ctx, &published), held()), (None, 1));
    crate::sweep::step(&program.ctx).await.unwrap();
    assert_eq!((held(), told().await), (0, published["publishedAt"].clone()));
    program.clock.advance_ms(EXPIRED_KEPT_MS);
    crate::sweep::step(&program.ctx).await.unwrap();
    assert_eq!(told().await, Value::Null);
}

#[tokio::test]
async fn what_has_expired_does_not_come_back_with_a_clock_that_is_set_back() {
    let (program, id, _) = with_dashboard().await;
    let published = ask(&program, "publish", &id, json!({"expiresInDays": 1})).await.unwrap();
    program.clock.advance_ms(DAY_MS);
    program.ctx.service::<Publications>().end_expired(&program.ctx).await.unwrap();
    program.clock.advance_ms(-DAY_MS / 2);
    assert_eq!(seen(&program.ctx, &published), None);
    // As at the next start of the program.
    crate::publish::start(&program.ctx).await.unwrap();
    assert_eq!(seen(&program.ctx, &published), None);
    let told = ask(&program, "get", &id, json!({})).await.unwrap();
    assert_eq!((&told["published"], &told["address"]), (&json!(false), &Value::Null));
    let again = ask(&program, "publish", &id, json!({"expiresInDays": 1})).await.unwrap();
    assert_ne!(again["address"], published["address"]);
    assert!(seen(&program.ctx, &again).is_some() && seen(&program.ctx, &published).is_none());
}

#[tokio::test]
async fn what_has_expired_gives_way_where_there_is_too_much() {
    let (program, id, _) = with_dashboard().await;
    let end_ms = program.ctx.now_ms() + 1;
    let fill = move |tx: &mut store::Tx<'_>| {
        for n in 0..PUBLICATIONS_MAX {
            let sql = "INSERT INTO dashboard_publications (account_id, dashboard_id, address, document_json, digest, names, published_ms, expires_ms) \
                 VALUES ($1, $2, $2, '{\"title\":\"T\",\"widgets\":[]}', '', 0, 0, $3)";
            tx.execute(sql, store::params![ACCOUNT, format!("d{n}"), if n == 0 { Some(end_ms) } else { None }])?;
        }
        Ok(())
    };
    program.ctx.db().write(fill).await.unwrap();
    refused(ask(&program, "publish", &id, json!({})).await, "too-many-publications");
    program.clock.advance_ms(1);
    ask(&program, "publish", &id, json!({})).await.unwrap();
}

#[tokio::test]
async fn an_end_stays_where_nothing_else_is_said() {
    let (program, id, _) = with_dashboard().await;
    let end = async |more: Value| ask(&program, "publish", &id, more).await.unwrap()["expiresAt"].clone();
    let first = end(json!({"expiresInDays": 7})).await;
    assert!(first.is_string());
    assert_eq!(end(json!({})).await, first);
    assert_ne!(end(json!({"expiresInDays": 8})).await, first);
    assert_eq!(end(json!({"expiresInDays": 0})).await, Value::Null);
}

#[tokio::test]
async fn what_is_published_is_there_after_a_restart_and_what_was_revoked_is_not() {
    let (program, id, door) = with_dashboard().await;
    let published = ask(&program, "publish", &id, json!({})).await.unwrap();
    let page = seen(&program.ctx, &published);
    let program = program.restart().await;
    assert_eq!(seen(&program.ctx, &published), page);
    program.ctx.provide(Arc::new(PublicDoor(Box::new(door))));
    ask(&program, "revoke", &id, json!({})).await.unwrap();
    let program = program.restart().await;
    assert_eq!(seen(&program.ctx, &published), None);
}

#[tokio::test]
async fn who_may_see_the_dashboard_hears_that_it_was_published_and_revoked() {
    let (program, id, _) = with_dashboard().await;
    program.ctx.provide(Arc::new(Members(Box::new(crate::tests::Directory))));
    let invited = json!({"dashboardId": id, "memberId": "ada", "role": "viewer"});
    program.owner("dashboards.members.put", invited).await.unwrap();
    let (bus, told) = (program.ctx.events(), Event::DashboardPublicationChanged { dashboard_id: id.clone() });
    let heard = |after: u64| -> Vec<(Event, Option<Vec<String>>)> {
        let told = bus.listen(Some(after)).0.unwrap();
        told.into_iter().map(|one| (one.event, one.members.map(|members| members.to_vec()))).collect()
    };
    for op in ["publish", "revoke"] {
        let before = bus.newest();
        ask(&program, op, &id, json!({})).await.unwrap();
        assert_eq!(heard(before), [(told.clone(), Some(vec!["ada".to_owned()]))], "{op}");
    }
    // Where nothing is published nothing is taken off.
    let before = bus.newest();
    ask(&program, "revoke", &id, json!({})).await.unwrap();
    assert_eq!(heard(before), []);
}

#[tokio::test]
async fn a_restored_backup_publishes_nothing_by_itself() {
    let (program, id, door) = with_dashboard().await;
    let published = ask(&program, "publish", &id, json!({"names": true})).await.unwrap();
    let folder = program.ctx.service::<kit::DataDir>().0.clone();
    let backup = folder.join("copy.db");
    program.ctx.db().backup(&backup).await.unwrap();
    let page = seen(&program.ctx, &published);
    assert!(page.is_some(), "the backup takes nothing off the web");
    ask(&program, "revoke", &id, json!({})).await.unwrap();

    // It may have been on the web for long.
    program.clock.advance_ms(2 * EXPIRED_KEPT_MS);
    program.ctx.db().close().await;
    let feature = crate::feature();
    store::restore(&folder, Some(&backup), &testkit::migrations(&[feature])).unwrap();
    let program = program.restart().await;
    program.ctx.provide(Arc::new(Boards(Box::new(crate::tests::Every))));
    program.ctx.provide(Arc::new(BoardData(Box::new(crate::tests::show::Golden))));
    program.ctx.provide(Arc::new(PublicDoor(Box::new(door.clone()))));
    assert_eq!(seen(&program.ctx, &published), None);
    let told = ask(&program, "get", &id, json!({})).await.unwrap();
    assert_eq!((&told["published"], &told["restored"], &told["address"]), (&json!(false), &json!(true), &Value::Null));
    assert_eq!(told["publishedAt"], published["publishedAt"]);
    crate::sweep::step(&program.ctx).await.unwrap();
    let ended = ask(&program, "get", &id, json!({})).await.unwrap()["expiresAt"].clone();
    assert_eq!(ended, kit::rfc3339(program.ctx.now_ms()));
    program.clock.advance_ms(EXPIRED_KEPT_MS - 1);
    crate::sweep::step(&program.ctx).await.unwrap();
    let told = ask(&program, "get", &id, json!({})).await.unwrap();
    assert_eq!((&told["restored"], &told["expiresAt"]), (&json!(true), &ended), "for a month after it was first seen");
    let again = ask(&program, "publish", &id, json!({})).await.unwrap();
    assert!(seen(&program.ctx, &again).is_some() && again["address"] != published["address"]);
    let program = program.restart().await;
    assert!(seen(&program.ctx, &again).is_some(), "what was published since stays");
}

#[tokio::test]
async fn nothing_is_published_that_nobody_could_read() {
    let (program, id, door) = with_dashboard().await;
    *door.0.lock().unwrap() = Err("Port 19520 is taken by another program.".into());
    let refusal = refused(ask(&program, "publish", &id, json!({})).await, "public-door-shut");
    assert_eq!(refusal.detail(), "Port 19520 is taken by another program.");
    assert_eq!(ask(&program, "get", &id, json!({})).await.unwrap()["publishedAt"], Value::Null);
    for days in [-1, 3_651] {
        refused(ask(&program, "publish", &id, json!({"expiresInDays": days})).await, "invalid-input");
    }
}

#[tokio::test]
async fn only_the_person_publishes_and_the_record_does_not_have_the_address() {
    let (program, id, _) = with_dashboard().await;
    for kind in [Kind::Agent, Kind::Member] {
        for verb in ["get", "preview", "publish", "revoke"] {
            let caller = Caller {
                scopes: vec!["dashboards:read".into(), "dashboards:write".into()],
                ..Caller::new(kind, ACCOUNT, "t")
            };
            let refusal =
                program.as_caller(caller, &format!("dashboards.publication.{verb}"), json!({"dashboardId": id})).await;
            refused(refusal, "forbidden-caller");
        }
    }
    let published = ask(&program, "publish", &id, json!({})).await.unwrap();
    for verb in ["get", "preview", "publish", "revoke"] {
        let caller = Caller::new(Kind::Owner, OTHER_ACCOUNT, "t");
        let refusal =
            program.as_caller(caller, &format!("dashboards.publication.{verb}"), json!({"dashboardId": id})).await;
        refused(refusal, "not-found");
    }
    assert!(seen(&program.ctx, &published).is_some(), "another account revokes nothing");
    ask(&program, "revoke", &id, json!({})).await.unwrap();
    let changes = program.ctx.db().read(|tx| tx.changes(ACCOUNT, "dashboard", "", None, 2)).await.unwrap();
    let told: Vec<_> =
        changes.iter().map(|change| (change.field.as_str(), change.before.is_some(), change.after.is_some())).collect();
    assert_eq!(told, [("publication", true, false), ("publication", false, true)]);
    let address = published["address"].as_str().unwrap().strip_prefix(ORIGIN).unwrap();
    assert!(!format!("{changes:?}").contains(address));
}

#[tokio::test]
async fn boards_that_are_gone_are_counted_and_not_named() {
    let (program, id, _) = with_dashboard().await;
    let whole = ask(&program, "preview", &id, json!({})).await.unwrap();
    assert_eq!((&whole["boardsMissing"], whole["document"].get("boardsMissing")), (&json!(0), None));
    let config =
        json!({"boardIds": ["alpha", "gone-1"], "widgets": [widget("n", "numbers", json!({"function": "count"}))]});
    program.owner("dashboards.update", json!({"dashboardId": id, "config": config})).await.unwrap();
    let preview = ask(&program, "preview", &id, json!({})).await.unwrap();
    assert_eq!((&preview["boardsMissing"], &preview["document"]["boardsMissing"]), (&json!(1), &json!(1)));
    let html = preview["html"].as_str().unwrap();
    assert!(html.contains("1 connected board no longer exists") && !html.contains("gone-1"), "{html}");
    let published = ask(&program, "publish", &id, json!({})).await.unwrap();
    assert!(seen(&program.ctx, &published).unwrap().contains("1 connected board no longer exists"));
}

#[tokio::test]
async fn a_session_publishes_nothing_with_the_command_lines_token_either() {
    let (program, id, _) = with_dashboard().await;
    let call =
        kit::Call { source_session: Some("s1".into()), ..kit::Call::new(Caller::new(Kind::Cli, ACCOUNT, "cli")) };
    let answer = program.call(call, "dashboards.publication.publish", json!({"dashboardId": id})).await;
    testkit::refused(answer, "forbidden-caller");
}
