//! Apps: who allows an address, for how long and where that holds, and the page that frames it.

use super::show::{widget, with_boards};
use super::*;
use crate::apps::Apps;
use events::Event;

const ADDRESS: &str = "https://apps.example/board?key=s3cret&b=%3C#x";

async fn allow(program: &Program, address: &str) -> Result<Value> {
    program.owner("dashboards.apps.allow", json!({"address": address})).await
}

async fn addresses(program: &Program) -> Vec<String> {
    let listed = program.owner("dashboards.apps.list", json!({})).await.unwrap();
    listed["items"].as_array().unwrap().iter().map(|one| one["address"].as_str().unwrap().to_owned()).collect()
}

fn framed(program: &Program, allowed: &Value) -> Option<crate::FramePage> {
    let id = crate::framed_by(allowed["frame"].as_str().unwrap()).unwrap();
    program.ctx.service::<Apps>().page(id)
}

#[tokio::test]
async fn an_allowed_address_is_framed_until_it_is_forbidden() {
    let program = start().await;
    let allowed = allow(&program, ADDRESS).await.unwrap();
    assert_eq!(allowed["address"], ADDRESS);
    assert_eq!(allowed["id"].as_str().unwrap().len(), 32);
    let page = framed(&program, &allowed).unwrap();
    assert_eq!(page.origin, "https://apps.example");
    assert!(page.html.contains("src=\"https://apps.example/board?key=s3cret&amp;b=%3C#x\""), "{}", page.html);
    for said in
        ["sandbox=\"allow-scripts allow-forms\"", "allow=\"\"", "referrerpolicy=\"no-referrer\"", "credentialless"]
    {
        assert!(page.html.contains(said), "{said}");
    }
    assert!(!page.html.contains("<script") && page.style.starts_with("sha256-"));
    assert_eq!(allow(&program, "HTTPS://APPS.example:443/board?key=s3cret&b=%3C#x").await.unwrap(), allowed, "once");
    let other = allow(&program, "https://apps.example/").await.unwrap();
    assert_ne!(other["frame"], allowed["frame"], "another address of the same origin is allowed by itself");
    assert_eq!(page.tag, crate::publish::content_hash(&page.html), "a browser keeps it as long as it is this one");
    assert_eq!(addresses(&program).await, ["https://apps.example/", ADDRESS]);

    let program = program.restart().await;
    assert!(framed(&program, &allowed).is_some());
    program.owner("dashboards.apps.forbid", json!({"appId": allowed["id"]})).await.unwrap();
    assert!(framed(&program, &allowed).is_none() && framed(&program, &other).is_some());
    refused(program.owner("dashboards.apps.forbid", json!({"appId": allowed["id"]})).await, "not-found");
    let program = program.restart().await;
    assert!(framed(&program, &allowed).is_none());
    let changes = program.ctx.db().read(|tx| tx.changes(ACCOUNT, "dashboardApp", "", None, 9)).await.unwrap();
    assert_eq!(changes.len(), 3);
    assert!(!format!("{changes:?}").contains("s3cret"), "what the page is protected by is not recorded");
}

#[tokio::test]
async fn the_account_hears_what_is_allowed_and_what_no_more_and_its_members_do_not() {
    let program = start().await;
    let bus = program.ctx.events();
    let heard = |after: u64| bus.listen(Some(after)).0.unwrap();
    let before = bus.newest();
    let allowed = allow(&program, ADDRESS).await.unwrap();
    allow(&program, ADDRESS).await.unwrap();
    program.owner("dashboards.apps.forbid", json!({"appId": allowed["id"]})).await.unwrap();
    let told = heard(before);
    assert_eq!(told.iter().map(|one| &one.event).collect::<Vec<_>>(), [&Event::DashboardAppsChanged; 2], "once each");
    for (kind, account, hears) in
        [(Kind::Owner, ACCOUNT, true), (Kind::Member, ACCOUNT, false), (Kind::Owner, OTHER_ACCOUNT, false)]
    {
        assert_eq!(told[0].is_for(&Caller::new(kind, account, "t")), hears, "{kind:?} of {account}");
    }
}

#[tokio::test]
async fn only_the_person_at_the_page_allows_an_address() {
    let program = start().await;
    let allowed = allow(&program, ADDRESS).await.unwrap();
    for kind in [Kind::Agent, Kind::Cli, Kind::Member] {
        for (op, input) in [
            ("dashboards.apps.list", json!({})),
            ("dashboards.apps.allow", json!({"address": "https://other.example/"})),
            ("dashboards.apps.forbid", json!({"appId": allowed["id"]})),
        ] {
            let scopes = vec!["dashboards:read".into(), "dashboards:write".into()];
            let caller = Caller { scopes, ..Caller::new(kind, ACCOUNT, "t") };
            refused(program.as_caller(caller, op, input).await, "forbidden-caller");
        }
    }
    let other = || Caller::new(Kind::Owner, OTHER_ACCOUNT, "t");
    let theirs = program.as_caller(other(), "dashboards.apps.list", json!({})).await.unwrap();
    assert_eq!(theirs["items"], json!([]));
    let input = json!({"appId": allowed["id"]});
    refused(program.as_caller(other(), "dashboards.apps.forbid", input).await, "not-found");
    assert!(framed(&program, &allowed).is_some());
    // What a config says allows nothing.
    let settings = json!({"address": "https://other.example/"});
    made(&program, json!({"widgets": [widget("a", "apps", settings)]})).await;
    assert_eq!(addresses(&program).await, [ADDRESS]);
}

#[tokio::test]
async fn what_is_no_address_of_a_page_is_not_allowed_and_there_is_a_limit() {
    let program = start().await;
    for wrong in
        ["", "javascript:alert(1)", "http://apps.example/", "https://a:b@apps.example/", "https://apps.example; *"]
    {
        let refusal = refused(allow(&program, wrong).await, "invalid-input");
        assert_eq!(refusal.fields()[0].pointer, "/address", "{wrong}");
    }
    for number in 0..100 {
        allow(&program, &format!("https://apps.example/{number}")).await.unwrap();
    }
    refused(allow(&program, ADDRESS).await, "too-many-apps");
    allow(&program, "https://apps.example/7").await.unwrap();
}

#[tokio::test]
async fn a_restored_backup_allows_nothing() {
    let program = start().await;
    let allowed = allow(&program, ADDRESS).await.unwrap();
    let folder = program.ctx.service::<kit::DataDir>().0.clone();
    let backup = folder.join("copy.db");
    program.ctx.db().backup(&backup).await.unwrap();
    program.ctx.db().close().await;
    store::restore(&folder, Some(&backup), &testkit::migrations(&[feature()])).unwrap();
    let program = program.restart().await;
    assert!(framed(&program, &allowed).is_none() && addresses(&program).await.is_empty());
    let again = allow(&program, ADDRESS).await.unwrap();
    assert!(again["frame"] != allowed["frame"] && framed(&program, &again).is_some());
}

#[tokio::test]
async fn an_app_is_computed_without_boards_and_a_wrong_address_is_told_to_who_writes_it() {
    let program = with_boards().await;
    let at = |address: &str| widget("a", "apps", json!({"address": address}));
    for boards in [json!([]), json!(["alpha"])] {
        let config = json!({"boardIds": boards, "widgets": [at(ADDRESS)]});
        let checked = program.owner("dashboards.check", json!({"config": config})).await.unwrap();
        assert_eq!((&checked["accepted"], &checked["problems"]), (&json!(true), &json!([])));
        let shown = &checked["widgets"][0];
        assert_eq!(
            (&shown["state"]["name"], &shown["result"]["origin"]),
            (&json!("ok"), &json!("https://apps.example"))
        );
        assert_eq!(shown["coverage"]["boardsTotal"], 0);
    }
    for (widget, pointer, code) in [
        (at("data:text/html,x"), "/config/widgets/0/settings", "wrong-type"),
        (widget("a", "apps", json!({})), "/config/widgets/0/settings", "missing"),
        (widget("a", "apps", json!({"address": 5})), "/config/widgets/0/settings/address", "wrong-type"),
        (
            widget("a", "apps", json!({"address": ADDRESS, "cols": {}})),
            "/config/widgets/0/settings/cols",
            "unknown-field",
        ),
    ] {
        let checked = program.owner("dashboards.check", json!({"config": {"widgets": [widget]}})).await.unwrap();
        let problem = &checked["problems"][0];
        assert_eq!((&problem["pointer"], &problem["code"]), (&json!(pointer), &json!(code)), "{checked}");
    }
}
