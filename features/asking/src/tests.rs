mod refusals;

use super::*;
use events::HasEvents;
use kit::lookup::SessionEnv;
use kit::{Call, Caller, Kind, Secret, SettingsSource};
use secrets::{Place, Unkept, Vault};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Waker};
use store::{HasDb, params};
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, json_of, refused};

const VALUE: &str = "sk-live-Zq8xWv7Tn6Rb5Yc4";

/// A keychain in memory, which may be out of order.
#[derive(Default)]
struct Memory {
    held: Mutex<BTreeMap<String, String>>,
    is_broken: AtomicBool,
}

struct Shared(Arc<Memory>);

impl Vault for Shared {
    fn put(&self, account: &str, slot: &str, value: &Secret) -> Result<(), Unkept> {
        self.0.held.lock().unwrap().insert(format!("{account}/{slot}"), value.reveal().to_owned());
        Ok(())
    }
    fn get(&self, account: &str, slot: &str) -> Result<Option<Secret>, Unkept> {
        Ok(self.0.held.lock().unwrap().get(&format!("{account}/{slot}")).cloned().map(Secret::new))
    }
    fn forget(&self, account: &str, slot: &str) -> Result<(), Unkept> {
        if self.0.is_broken.load(Ordering::Relaxed) {
            return Err(Unkept("the keychain is locked".into()));
        }
        self.0.held.lock().unwrap().remove(&format!("{account}/{slot}"));
        Ok(())
    }
}

/// Brings the table of the inbox.
fn inbox_table() -> Feature {
    Feature { migrations: inbox_rows::MIGRATIONS, ..Feature::named("inbox") }
}

/// The same, with a keychain.
fn keychain() -> Feature {
    Feature { start: |ctx| Box::pin(async move { provide_keychain(&ctx) }), ..inbox_table() }
}

fn provide_keychain(ctx: &Ctx) -> Result<()> {
    let memory = Arc::new(Memory::default());
    ctx.provide(memory.clone());
    let open = move || Some(Box::new(Shared(memory.clone())) as Box<dyn Vault>);
    ctx.provide(Arc::new(Vaults::with(&ctx.service::<DataDir>().0, Box::new(open))));
    Ok(())
}

async fn with_files() -> Program {
    Program::start(|| vec![inbox_table(), feature()]).await
}

async fn with_keychain() -> Program {
    Program::start(|| vec![keychain(), feature()]).await
}

fn agent_of(account: &str, session: &str) -> Caller {
    let scopes = ["asks:write", "asks:read"].map(str::to_owned).to_vec();
    Caller { session: Some(session.into()), scopes, ..Caller::new(Kind::Agent, account, "t") }
}

fn agent(session: &str) -> Caller {
    agent_of(ACCOUNT, session)
}

fn env_request(name: &str) -> Value {
    json!({"name": "Mail key", "purpose": "Sends the report", "target": {"env": name}})
}

async fn asked(program: &Program, session: &str, input: Value) -> String {
    let made = program.as_caller(agent(session), "asks.requestInput", input).await.expect("a request");
    assert_eq!(made["status"], "waiting");
    made["id"].as_str().unwrap().to_owned()
}

async fn offered(program: &Program, session: &str, input: Value) -> String {
    let made = program.as_caller(agent(session), "asks.proposeKey", input).await.expect("a proposal");
    made["id"].as_str().unwrap().to_owned()
}

async fn answer(program: &Program, id: &str, value: &str) -> Result<Value> {
    program.owner("asks.answer", json!({"askId": id, "value": value})).await
}

async fn env(program: &Program, account: &str, session: &str) -> Vec<(String, String)> {
    let given = program.ctx.service::<SessionEnv>().0.variables(account, session).await.unwrap();
    given.into_iter().map(|(name, value)| (name, value.reveal().to_owned())).collect()
}

/// The rows of the inbox: kind, title, body, link, outcome.
async fn inbox(program: &Program) -> Vec<[String; 5]> {
    let read = |tx: &mut store::Tx<'_>| {
        let sql = "SELECT kind, title, body, link, outcome FROM inbox_rows ORDER BY row_id";
        tx.query(sql, params![], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?]))
    };
    program.ctx.db().read(read).await.unwrap()
}

async fn rows_of(program: &Program, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    program.ctx.db().read(move |tx| tx.query_one(&sql, params![], |row| row.get(0))).await.unwrap()
}

/// Every byte below a folder.
fn bytes_in(folder: &Path) -> Vec<u8> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { bytes_in(&path) } else { std::fs::read(path).unwrap() }).collect()
}

#[track_caller]
fn is_nowhere(text: &str, bytes: &[u8]) {
    let encoded = [text.to_owned(), kit::ids::hex(text.as_bytes())];
    for form in encoded {
        assert!(!bytes.windows(form.len()).any(|part| part == form.as_bytes()), "a value is in the clear");
    }
}

/// A setting that somebody changed.
struct Off(&'static str);

impl SettingsSource for Off {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        (key == self.0).then_some(Value::Bool(false))
    }
}

#[tokio::test]
async fn a_value_is_given_after_a_restart_and_goes_to_the_session_that_asked_alone() {
    let program = with_files().await;
    let id = asked(&program, "s1", env_request("MAIL_KEY")).await;
    assert_eq!(
        inbox(&program).await,
        [[
            "input".to_owned(),
            "Input request: Mail key".into(),
            "Sends the report".into(),
            format!("/app/asks/{id}"),
            String::new(),
        ]]
    );
    let program = program.crash().await;
    let ask = program.owner("asks.get", json!({"askId": id})).await.unwrap();
    assert_eq!(
        (&ask["kind"], &ask["name"], &ask["note"], &ask["target"], &ask["sessionId"], &ask["status"], &ask["replaces"]),
        (
            &json!("input"),
            &json!("Mail key"),
            &json!("Sends the report"),
            &json!({"env": "MAIL_KEY"}),
            &json!("s1"),
            &json!("waiting"),
            &json!(false)
        )
    );
    assert_eq!(answer(&program, &id, VALUE).await.unwrap()["status"], "provided");
    let program = program.restart().await;
    assert_eq!(env(&program, ACCOUNT, "s1").await, [("MAIL_KEY".to_owned(), VALUE.to_owned())]);
    assert!(env(&program, ACCOUNT, "s2").await.is_empty() && env(&program, OTHER_ACCOUNT, "s1").await.is_empty());
    let told = program.as_caller(agent("s1"), "asks.inputStatus", json!({"askId": id})).await.unwrap();
    assert_eq!(told, json!({"status": "provided"}), "the session is told that, and no more");
    assert_eq!(inbox(&program).await[0][4], "provided");
}

#[tokio::test]
async fn it_is_answered_once_whoever_comes_first() {
    let program = with_keychain().await;
    let id = asked(&program, "s1", env_request("MAIL_KEY")).await;
    let values = ["one", "two", "three", "four", "five"];
    let all = values.map(|value| answer(&program, &id, value));
    let [a, b, c, d, e] = all;
    let done = tokio::join!(a, b, c, d, e);
    let done = [done.0, done.1, done.2, done.3, done.4];
    let winners: Vec<_> = done.iter().zip(values).filter(|(done, _)| done.is_ok()).map(|(_, value)| value).collect();
    let [winner] = winners[..] else { panic!("{winners:?} were taken") };
    for lost in done.into_iter().filter(Result::is_err) {
        assert_eq!(refused(lost, "already-decided").code().status, 409);
    }
    refused(program.owner("asks.decline", json!({"askId": id})).await, "already-decided");
    assert_eq!(env(&program, ACCOUNT, "s1").await, [("MAIL_KEY".to_owned(), winner.to_owned())]);
    assert_eq!(program.ctx.service::<Memory>().held.lock().unwrap().len(), 1, "no other value stays in the keychain");
    assert_eq!(rows_of(&program, "loose_slots").await, 0);
}

#[tokio::test]
async fn nothing_of_a_value_is_where_it_does_not_belong() {
    let program = with_files().await;
    let (_, mut heard) = program.ctx.events().listen(None);
    let edited = "sk-edited-Mm3Nn4Bb5Vv6";
    let input = asked(&program, "s1", json!({"name": "K", "target": {"secret": "MAIL"}})).await;
    let note = format!("It is {VALUE}, and was ph_ses_0123456789abcdef.");
    let key = offered(&program, "s1", json!({"name": "OTHER", "value": VALUE, "note": note})).await;
    let dropped = offered(&program, "s1", json!({"name": "DROPPED", "value": VALUE})).await;
    let mut told = Vec::new();
    let mut ask = async |op: &str, input: Value| match program.owner(op, input).await {
        Ok(answer) => told.push(answer.to_string()),
        Err(why) => told.push(format!("{why:?} {}", why.problem())),
    };
    for _ in 0..2 {
        ask("asks.answer", json!({"askId": input, "value": VALUE})).await;
        ask("asks.saveKey", json!({"askId": key, "value": edited})).await;
        ask("asks.dismissKey", json!({"askId": dropped})).await;
        ask("asks.list", json!({})).await;
        ask("secrets.list", json!({})).await;
    }
    for wrong in [json!(VALUE.len()), json!([VALUE]), json!({VALUE: VALUE}), json!(format!("{VALUE}\u{0}"))] {
        ask("asks.answer", json!({"askId": input, "value": wrong})).await;
        ask("asks.saveKey", json!({"askId": key, "value": wrong})).await;
        ask("asks.proposeKey", json!({"name": "N", "value": wrong})).await;
    }
    ask("asks.saveKey", json!({"askId": key, "value": format!("{edited}{}", "x".repeat(10_000))})).await;
    while let Ok(event) = heard.try_recv() {
        told.push(format!("{event:?} {}", serde_json::to_string(&event.event).unwrap()));
    }
    told.extend(inbox(&program).await.into_iter().flatten());
    let before_close = bytes_in(program.dir());
    let dir = program.dir().to_owned();
    program.ctx.db().close().await;
    for text in [VALUE, edited] {
        is_nowhere(text, told.join("\n").as_bytes());
        is_nowhere(text, &before_close);
        is_nowhere(text, &bytes_in(&dir));
    }
    assert!(told.iter().any(|text| text.contains("It is …, and was ph_…")), "{told:?}");
}

#[tokio::test]
async fn an_offered_key_is_shown_to_the_person_corrected_and_kept_only_when_saved() {
    let program = with_keychain().await;
    let memory = program.ctx.service::<Memory>();
    let id = offered(&program, "s1", json!({"name": "MAIL", "value": VALUE, "note": "From the console"})).await;
    assert_eq!(inbox(&program).await[0][..2], ["key".to_owned(), "Key proposal: MAIL".into()]);
    assert!(memory.held.lock().unwrap().is_empty(), "nothing is kept before a person saves it");
    let value = program.owner("asks.proposedValue", json!({"askId": id})).await.unwrap();
    assert_eq!(value, json!({"value": VALUE}));
    for caller in [agent("s1"), Caller { through_mcp: true, ..Caller::new(Kind::Cli, ACCOUNT, "cli") }] {
        let read = program.as_caller(caller, "asks.proposedValue", json!({"askId": id})).await;
        refused(read, "forbidden-caller");
    }
    let saved = program.owner("asks.saveKey", json!({"askId": id, "value": "corrected", "name": "MAIL_2"})).await;
    assert_eq!(saved.unwrap()["status"], "saved");
    assert_eq!(memory.held.lock().unwrap().values().collect::<Vec<_>>(), ["corrected"]);
    let list = program.owner("secrets.list", json!({})).await.unwrap();
    let kept = &list["items"][0];
    assert_eq!(
        (&kept["name"], &kept["kind"], &kept["place"], &kept["sessionId"]),
        (&json!("MAIL_2"), &json!("secret"), &json!("keychain"), &Value::Null)
    );
    let told = program.as_caller(agent("s1"), "asks.keyStatus", json!({"askId": id})).await.unwrap();
    assert_eq!(told, json!({"status": "saved"}));
    refused(program.owner("asks.saveKey", json!({"askId": id, "value": "again"})).await, "already-decided");
    refused(program.owner("asks.proposedValue", json!({"askId": id})).await, "already-decided");
}

#[tokio::test]
async fn of_a_dismissed_key_nothing_is_left() {
    let program = with_files().await;
    let id = offered(&program, "s1", json!({"name": "MAIL", "value": VALUE})).await;
    let program = program.restart().await;
    assert_eq!(program.owner("asks.proposedValue", json!({"askId": id})).await.unwrap()["value"], VALUE);
    let done = program.owner("asks.dismissKey", json!({"askId": id})).await.unwrap();
    assert_eq!(done["status"], "dismissed");
    assert_eq!(inbox(&program).await[0][4], "not saved");
    assert_eq!(rows_of(&program, "kept_secrets").await, 0);
    let sealed = |tx: &mut store::Tx<'_>| tx.query("SELECT sealed FROM asks", params![], |row| row.get::<String>(0));
    assert_eq!(program.ctx.db().read(sealed).await.unwrap(), [""]);
    refused(program.owner("asks.saveKey", json!({"askId": id, "value": "x"})).await, "already-decided");
    assert_eq!(rows_of(&program, "kept_secrets").await, 0);
}

#[tokio::test]
async fn a_value_takes_the_place_of_the_one_before_which_is_forgotten() {
    let program = with_keychain().await;
    let memory = program.ctx.service::<Memory>();
    for (value, replaces) in [("first", false), ("second", true)] {
        let id = asked(&program, "s1", env_request("MAIL_KEY")).await;
        assert_eq!(program.owner("asks.get", json!({"askId": id})).await.unwrap()["replaces"], replaces);
        answer(&program, &id, value).await.unwrap();
    }
    assert_eq!(env(&program, ACCOUNT, "s1").await, [("MAIL_KEY".to_owned(), "second".to_owned())]);
    assert_eq!(memory.held.lock().unwrap().values().collect::<Vec<_>>(), ["second"]);
    let list = program.owner("secrets.list", json!({})).await.unwrap();
    memory.is_broken.store(true, Ordering::Relaxed);
    program.owner("secrets.delete", json!({"secretId": list["items"][0]["id"]})).await.unwrap();
    assert!(env(&program, ACCOUNT, "s1").await.is_empty());
    assert_eq!(memory.held.lock().unwrap().len(), 1, "the keychain is locked");
    memory.is_broken.store(false, Ordering::Relaxed);
    program.do_chores().await;
    assert!(memory.held.lock().unwrap().is_empty(), "it is forgotten once the keychain is back");
}

#[tokio::test]
async fn what_a_crash_left_without_a_name_is_forgotten() {
    let program = with_files().await;
    let vaults = || Vaults::in_files(program.dir());
    vaults().put(ACCOUNT, "MAIL-1", &Secret::new(VALUE.into())).unwrap();
    program.ctx.db().write(|tx| keep::loosen(tx, ACCOUNT, ("MAIL-1", ""))).await.unwrap();
    program.do_chores().await;
    assert!(vaults().get(Place::File, ACCOUNT, "MAIL-1").unwrap().is_none());
    assert_eq!(rows_of(&program, "loose_slots").await, 0);
}

#[cfg(unix)]
#[tokio::test]
async fn where_nothing_can_be_kept_the_request_waits_on() {
    use std::os::unix::fs::PermissionsExt;
    let program = with_files().await;
    let id = offered(&program, "s1", json!({"name": "MAIL", "value": VALUE})).await;
    let key = program.dir().join("secrets/key");
    let set = |mode| std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
    set(0o644);
    let save = || program.owner("asks.saveKey", json!({"askId": id, "value": VALUE}));
    let told = refused(save().await, "secrets-unavailable");
    assert!(told.detail().contains("0644") && !told.detail().contains(VALUE), "{told}");
    assert_eq!(program.owner("asks.get", json!({"askId": id})).await.unwrap()["status"], "waiting");
    set(0o600);
    assert_eq!(save().await.unwrap()["status"], "saved");
    program.do_chores().await;
    assert_eq!(rows_of(&program, "loose_slots").await, 0);
}
