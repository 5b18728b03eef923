//! The record of changes: every operation that writes leaves something in it, by whom it was, and nothing secret; and what
//! stands in it stays.

use super::isolation::{account, exchange, own_input};
use super::{program, serve};
use crate::features;
use accounts::Tokens;
use kit::{Authenticator, Method};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use store::{HasDb, params};
use testkit::Program;

/// Operations that are sent like writes and leave nothing in the record, each with the reason.
const RECORD_NOTHING: &[(&str, &str)] = &[
    ("alarms.understand", "it reads; its sentence is too long for an address"),
    ("analytics.watched", "how long an agent was watched is no change of what there is"),
    ("analytics.rowTime", "how long a row was looked at is no change of what there is"),
    ("app.restart", "nothing is changed"),
    ("boards.import.cancel", "an import that is cancelled has changed nothing"),
    ("bookmarks.launch", "it only opens a page"),
    ("boards.query", "it reads; its rules are too long for an address"),
    ("calendar.accounts.sync", "it sends and reads what is recorded where it was changed"),
    ("dashboards.check", "it reads; its config is too long for an address"),
    ("dashboards.close", "which windows are open is in memory alone"),
    ("dashboards.items", "it reads; the part of a widget is an object"),
    ("dashboards.open", "which windows are open is in memory alone"),
    ("digests.create", "a report on what there is"),
    ("engines.check", "it looks what is there"),
    ("inbox.read", "what a person has read is no change of what there is"),
    ("inbox.readAll", "what a person has read is no change of what there is"),
    ("messages.understand", "it reads; its text is too long for an address"),
    ("inbox.unread", "what a person has read is no change of what there is"),
    ("login.code", "the code is in memory alone; its use is recorded"),
    ("models.test", "it only asks; what that costs is in the usage"),
    ("mcp.message", "each operation that it calls records for itself"),
    ("navigation.ask", "it only asks for another view"),
    ("navigation.take", "it only changes a view"),
    ("notifications.test", "it only shows something"),
    ("presence.renew", "which windows are open is in memory alone"),
    ("query", "it reads; its rules are too long for an address"),
    ("rooms.join", "when a room was last joined is no change of what there is"),
    ("sessions.cancel", "what a turn came to stands in its transcript"),
    ("sessions.seen", "what a person has looked at is no change of what there is"),
    ("tasks.caught.dismiss", "a suggestion isn't yours before you accept it"),
    ("tasks.caught.restore", "a suggestion waits again; the task that it became is recorded as deleted"),
    ("calendar.conflicts.dismiss", "the version that it drops was replaced before, which is recorded"),
    ("notes.place", "where a window is is no change of what there is"),
    ("tasks.files.accept", "what it deletes is recorded with each task"),
    ("tasks.files.keep", "it only writes the file again"),
    ("tasks.understand", "it reads; its text is too long for an address"),
    ("terminals.resize", "the size of a terminal is in memory alone"),
    ("terminals.write", "what is typed into a terminal is never stored"),
    ("app.quit", "what it interrupts is recorded by the sessions"),
    ("window.hidden", "the program posts its row, which says it all"),
    ("window.raise", "it only shows the window; what becomes an inbox row is recorded with it"),
    ("window.session", "it only opens a window"),
    ("window.startAtLogin", "it's a setting of the computer"),
];

/// How the texts of tokens begin; the hashes of tokens are secrets too.
const SECRETS: [&str; 4] = ["ph_own_", "ph_mem_", "ph_ses_", "ph_cli_"];

/// An operation's example; that of an import only looks ahead.
fn input(op: &str, own: &Value) -> Value {
    match op {
        "boards.import" => json!({"workspaceId": own["workspaceId"], "name": "Imported"}),
        op => own_input(op, own),
    }
}

/// A recorded change, as it stands in the table.
#[derive(Debug, Clone, PartialEq)]
struct Recorded {
    account: String,
    actor: String,
    actor_id: String,
    text: String,
}

/// Everything that is recorded, of all accounts, by its key.
async fn recorded(program: &Program) -> BTreeMap<String, Recorded> {
    const ALL: &str = "SELECT account_id, change_id, actor, actor_id, at_ms, session_id, subject, subject_id, field, \
                       before_json, after_json, prior_id FROM changes";
    let read = |tx: &mut store::Tx<'_>| {
        tx.query(ALL, params![], |row| {
            let mut text = row.get::<i64>(4)?.to_string();
            for index in 5..12 {
                text += &format!("|{}", row.get::<Option<&str>>(index)?.unwrap_or("-"));
            }
            let (account, id): (String, String) = (row.get(0)?, row.get(1)?);
            Ok((format!("{account} {id}"), Recorded { account, actor: row.get(2)?, actor_id: row.get(3)?, text }))
        })
    };
    program.ctx.db().read(read).await.expect("the record is read").into_iter().collect()
}

async fn hashes(program: &Program) -> Vec<String> {
    let read = |tx: &mut store::Tx<'_>| tx.query("SELECT hash FROM tokens", params![], |row| row.get(0));
    program.ctx.db().read(read).await.expect("the tokens are read")
}

#[tokio::test]
async fn every_operation_that_writes_is_recorded_with_who_did_it_and_nothing_secret() {
    let program = program().await;
    let address = serve(&program).await;
    let (token, own) = account(&program, address, "recorded", 0).await;
    let cli = || std::fs::read_to_string(program.dir().join("cli-token")).expect("the file").trim().to_owned();
    let first_cli = cli();
    let tokens = program.ctx.service::<Tokens>();
    let ops = features::ops();
    let mut secrets: BTreeSet<String> = hashes(&program).await.into_iter().collect();
    secrets.extend([token.clone(), first_cli.clone()]);

    let excepted = |name: &str| RECORD_NOTHING.iter().any(|(op, _)| *op == name);
    for (name, _) in RECORD_NOTHING {
        assert!(ops.iter().any(|op| op.name == *name && !op.method.reads()), "{name} is no operation that writes");
    }
    let mut writing: Vec<_> = ops.iter().filter(|op| !op.method.reads()).collect();
    // What deletes comes last, the innermost first; the token that is used to ask, last of all.
    writing.sort_by_key(|op| {
        let input = own_input(op.name, &own);
        (op.method == Method::Delete, std::cmp::Reverse(op.path_params().count()), input["boardId"].is_null())
    });
    let mut before = recorded(&program).await;
    for op in writing {
        // What belongs to the first account alone is done by its own token; a code stands in place of one.
        let with = match op.name {
            "tokens.rotate" | "app.restart" => cli(),
            _ => token.clone(),
        };
        let mut input = input(op.name, &own);
        if op.name == "login.exchange" {
            let make = ops.iter().find(|op| op.name == "login.code").expect("an operation");
            let code = exchange(address, make, &token, &json!({})).await.json()["code"].clone();
            secrets.insert(code.as_str().expect("a code").to_owned());
            input["code"] = code;
        }
        let caller = tokens.caller(&with).expect("a token that is known");
        let answer = exchange(address, op, &with, &input).await;
        let said = String::from_utf8_lossy(&answer.body).into_owned();
        if !excepted(op.name) {
            assert!(answer.status < 300, "{}: {said}", op.name);
        }
        let after = recorded(&program).await;
        for (id, row) in &before {
            assert_eq!(after.get(id), Some(row), "{} altered what was recorded", op.name);
        }
        let new: Vec<_> = after.iter().filter(|(id, _)| !before.contains_key(*id)).map(|(_, row)| row).collect();
        assert_eq!(new.is_empty(), excepted(op.name), "{}: {} new in the record; {said}", op.name, new.len());

        // Who logs in is known by the token that this gives.
        let logged_in =
            (op.name == "login.exchange").then(|| answer.json()["token"].as_str().map(str::to_owned)).flatten();
        let actor = logged_in.and_then(|token| tokens.caller(&token)).unwrap_or(caller);
        for row in new {
            let by = (row.account.as_str(), row.actor.as_str(), row.actor_id.as_str());
            assert_eq!(by, (&*actor.account, actor.kind.name(), &*actor.token_id), "{}: {row:?}", op.name);
        }
        secrets.extend(hashes(&program).await);
        secrets.extend(
            answer
                .status
                .lt(&300)
                .then(|| said.parse::<Value>().ok())
                .flatten()
                .and_then(|said| Some(said["token"].as_str()?.to_owned())),
        );
        for row in after.values() {
            let secret =
                SECRETS.into_iter().chain(secrets.iter().map(String::as_str)).find(|secret| row.text.contains(secret));
            assert_eq!(secret, None, "{}: {row:?}", op.name);
        }
        before = after;
    }
    let rotated = cli();
    assert_ne!(rotated, first_cli);
    assert!(before.values().all(|row| !row.text.contains(&rotated)), "the new command-line token is recorded");
}

/// The sources below a folder, without tests and what refuses such statements.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())).flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() && !["tests", "ui", "target", "migrations", "node_modules"].contains(&name.as_str()) {
            sources(&path, found);
        } else if name.ends_with(".rs") && !["tests.rs", "portable.rs"].contains(&name.as_str()) {
            found.push(path);
        }
    }
}

/// Nothing is purged from the record: it holds what happened as long as its account is there. The store refuses other
/// statements in development builds; this finds those that no test runs.
#[test]
fn no_source_alters_or_deletes_what_is_recorded() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["crates", "features"] {
        sources(&root.join(folder), &mut found);
    }
    assert!(found.len() > 100, "only {} sources", found.len());
    let mut added = 0;
    for path in found {
        let source = std::fs::read_to_string(&path).expect("a source").to_lowercase();
        let words: Vec<&str> =
            source.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
        for pair in words.windows(3) {
            let [first, second, third] = pair else { continue };
            let alters = *second == "changes" && ["update", "truncate"].contains(first)
                || *third == "changes"
                    && [["delete", "from"], ["drop", "table"], ["alter", "table"], ["replace", "into"]]
                        .contains(&[*first, *second]);
            assert!(!alters, "{} alters the record: {pair:?}", path.display());
            added += usize::from(*first == "insert" && *second == "into" && *third == "changes");
        }
    }
    assert_eq!(added, 1, "one place writes the record");
}
