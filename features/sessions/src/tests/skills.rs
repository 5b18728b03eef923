//! Skills: those on disk, and those that an engine announces.

use super::practice::{Begun, Hands, begin, begin_with};
use super::script::{answer, is, scripted, update};
use crate::testing::start_here;
use kit::{Caller, Kind};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use testkit::{ACCOUNT, OTHER_ACCOUNT, refused};

async fn with_home() -> (Begun, TempDir) {
    let home = TempDir::new().unwrap();
    let mut hands = Hands::new(Arc::new(start_here));
    hands.machine.home = home.path().canonicalize().unwrap();
    (begin_with(hands).await, home)
}

fn write(folder: &Path, file: &str, text: impl AsRef<[u8]>) {
    let file = folder.join(file);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

impl Begun {
    async fn skills(&self, engine: &str) -> Value {
        let input = json!({"engineId": engine, "hubId": self.hub["id"]});
        self.program.owner("engines.skills", input).await.unwrap()
    }

    async fn calls(&self, engine: &str) -> Vec<String> {
        let listed = self.skills(engine).await;
        let skills = listed["skills"].as_array().unwrap();
        skills.iter().map(|skill| skill["call"].as_str().unwrap().to_owned()).collect()
    }
}

#[tokio::test]
async fn an_engines_skills_are_the_projects_and_your_own() {
    let (begun, home) = with_home().await;
    let hub = begun.folder.path();
    write(hub, ".claude/skills/review/SKILL.md", "---\nname: review\ndescription: \"Reviews a branch\"\n---\nText");
    write(hub, ".claude/skills/folder-name/SKILL.md", "---\ndescription: >\n  On two\n  lines\n---\n");
    write(hub, ".claude/skills/no-file/README.md", "No skill");
    write(hub, ".claude/commands/deep/er/fix.md", "# Fix an issue\nMore");
    write(hub, ".claude/commands/notes.txt", "No command");
    write(home.path(), ".claude/skills/mine/SKILL.md", "---\nname: mine\n---\n\nMy skill");
    write(home.path(), ".claude/skills/review/SKILL.md", "---\nname: review\ndescription: Another\n---\n");
    let skill = |name: &str, description: &str, is_personal: bool| json!({"name": name, "call": format!("/{name}"), "description": description, "isPersonal": is_personal});
    let expected = json!({"skills": [
        skill("folder-name", "On two lines", false), skill("review", "Reviews a branch", false),
        skill("fix", "Fix an issue", false), skill("mine", "My skill", true),
    ], "isComplete": true});
    assert_eq!(begun.skills("claude").await, expected);
    assert_eq!(begun.skills("opencode").await, json!({"skills": [], "isComplete": true}));
    let own = begun.program.owner("engines.skills", json!({"engineId": "claude"})).await.unwrap();
    assert_eq!(own["skills"].as_array().unwrap().len(), 2, "without a hub, your own: {own}");
}

#[tokio::test]
async fn skills_of_codex_are_found_up_to_the_top_of_the_repository() {
    let (begun, home) = with_home().await;
    let above = begun.folder.path().to_owned();
    let hub = above.join("packages/app");
    for (folder, name) in [(&*hub, "near"), (&*above, "top"), (home.path(), "mine")] {
        write(folder, &format!(".agents/skills/{name}/SKILL.md"), "Text");
    }
    fs::create_dir(above.join("packages/app/src")).unwrap();
    let made = begun.program.owner("hubs.create", json!({"folder": hub})).await.unwrap();
    let begun = Begun { hub: made, ..begun };
    assert_eq!(begun.calls("codex").await, ["$near", "$mine"], "no repository");
    fs::create_dir(above.join(".git")).unwrap();
    assert_eq!(begun.calls("codex").await, ["$near", "$top", "$mine"]);
}

#[cfg(unix)]
#[tokio::test]
async fn hostile_skills_are_left_out_or_cut() {
    use std::os::unix::fs::symlink;
    let (begun, _home) = with_home().await;
    let hub = begun.folder.path();
    let outside = TempDir::new().unwrap();
    write(outside.path(), "SKILL.md", "---\nname: stolen\ndescription: secret\n---\n");
    write(outside.path(), "all/stolen/SKILL.md", "secret");
    write(hub, ".claude/skills/good/SKILL.md", format!("---\ndescription: a\u{7}b{}\n---\n", "x".repeat(20_000)));
    write(hub, ".claude/skills/bytes/SKILL.md", b"---\nname: bytes\xff\n---\n");
    write(hub, ".claude/skills/odd/SKILL.md", "---\nname: \"two words\"\n---\nOdd");
    write(hub, &format!(".claude/skills/{}/SKILL.md", "long".repeat(30)), "Long");
    write(hub, ".claude/commands/a/b/c/d/e/deep.md", "Deep");
    symlink(outside.path(), hub.join(".claude/skills/link")).unwrap();
    fs::create_dir(hub.join(".claude/skills/file")).unwrap();
    symlink(outside.path().join("SKILL.md"), hub.join(".claude/skills/file/SKILL.md")).unwrap();
    symlink(outside.path(), hub.join(".claude/commands/link")).unwrap();
    symlink(outside.path().join("SKILL.md"), hub.join(".claude/commands/stolen.md")).unwrap();
    fs::create_dir(hub.join(".claude/skills/pipe")).unwrap();
    let pipe = hub.join(".claude/skills/pipe/SKILL.md");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    let listed = begun.skills("claude").await;
    let skills = listed["skills"].as_array().unwrap();
    let names: Vec<&str> = skills.iter().map(|skill| skill["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["good", "odd"]);
    let description = skills[0]["description"].as_str().unwrap();
    assert_eq!((description.chars().count(), description.starts_with("a bxx")), (500, true), "{description}");
    // A whole folder of skills that leads elsewhere.
    fs::remove_dir_all(hub.join(".claude/skills")).unwrap();
    symlink(outside.path().join("all"), hub.join(".claude/skills")).unwrap();
    assert_eq!(begun.calls("claude").await, [""; 0]);
    fs::remove_file(hub.join(".claude/skills")).unwrap();
    for n in 0..250 {
        write(hub, &format!(".claude/commands/c{n:03}.md"), "One of many");
    }
    let listed = begun.skills("claude").await;
    assert_eq!((listed["skills"].as_array().unwrap().len(), &listed["isComplete"]), (200, &json!(false)));
}

#[tokio::test]
async fn only_you_list_skills_and_only_of_your_own_hubs() {
    let begun = begin().await;
    let input = json!({"engineId": "claude", "hubId": begun.hub["id"]});
    let scopes = vec!["sessions:read".to_owned()];
    let agent = Caller { session: Some("s".into()), scopes, ..Caller::new(Kind::Agent, ACCOUNT, "t") };
    refused(begun.program.as_caller(agent, "engines.skills", input.clone()).await, "forbidden-caller");
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    refused(begun.program.as_caller(other, "engines.skills", input).await, "not-found");
    refused(begun.program.owner("engines.skills", json!({"engineId": "nothing"})).await, "not-found");
}

fn announces(names: &[&str]) -> Value {
    let commands: Vec<Value> = names.iter().map(|name| json!({"name": name, "description": "d"})).collect();
    update(json!({"sessionUpdate": "available_commands_update", "availableCommands": commands}))
}

/// The commands' calls, those that are stale in brackets.
fn shown(session: &Value) -> Vec<String> {
    let commands = session["commands"].as_array().unwrap().iter();
    let show = |one: &Value| match one["isStale"].as_bool().unwrap() {
        true => format!("({})", one["call"].as_str().unwrap()),
        false => one["call"].as_str().unwrap().to_owned(),
    };
    commands.map(show).collect()
}

#[tokio::test]
async fn a_resume_that_announces_fewer_keeps_the_full_list_as_stale() {
    let begun = begin_with(scripted(|heard| {
        if is(heard, "session/new") {
            let all = announces(&["compact", "$deploy", "mine", "mine", "two words", "fix\u{7}"]);
            return Some(vec![answer(heard, json!({"sessionId": "s"})), all]);
        }
        if is(heard, "session/resume") {
            return Some(vec![answer(heard, json!({"sessionId": "s"})), announces(&["compact"])]);
        }
        let more = is(heard, "session/prompt") && super::script::text_of(heard).contains("more");
        let done = answer(heard, json!({"stopReason": "end_turn"}));
        more.then(|| vec![announces(&["compact", "mine", "new", "newer"]), done])
    }))
    .await;
    let id = begun.start("go").await;
    begun.until(&id, "idle").await;
    let once = async |calls: &[&str]| begun.holds("the list", async || shown(&begun.get(&id).await) == calls).await;
    once(&["/compact", "$deploy", "/mine"]).await;
    begun.program.owner("sessions.stop", json!({"sessionId": id})).await.unwrap();
    begun.until(&id, "stopped").await;
    begun.program.owner("sessions.message", json!({"sessionId": id, "prompt": "go on"})).await.unwrap();
    begun.until(&id, "idle").await;
    once(&["/compact", "($deploy)", "(/mine)"]).await;
    begun.program.owner("sessions.message", json!({"sessionId": id, "prompt": "more"})).await.unwrap();
    once(&["/compact", "/mine", "/new", "/newer"]).await;
}

#[tokio::test]
async fn what_a_message_is_to_its_turn_is_in_the_transcript() {
    let begun = begin_with(scripted(|heard| {
        let said = |text: &str, phase: &str| {
            update(json!({
                "sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "text", "text": text},
                "_meta": {"jetbrains": {"air": {"version": 1, "phase": phase}}},
            }))
        };
        let told = ["commentary", "final_answer", "of_a_later_version"].map(|phase| said(phase, phase));
        let done = answer(heard, json!({"stopReason": "end_turn"}));
        is(heard, "session/prompt").then(|| told.into_iter().chain([done]).collect())
    }))
    .await;
    let id = begun.start("go").await;
    begun.until(&id, "idle").await;
    let entries = begun.entries(&id).await;
    let said = entries.iter().filter(|entry| entry["told"]["event"] == "said");
    let phases: Vec<&Value> = said.map(|entry| &entry["told"]["phase"]).collect();
    assert_eq!(phases, [&json!("commentary"), &json!("finalAnswer"), &Value::Null]);
}

#[tokio::test]
async fn the_marker_of_a_final_answer_is_in_no_export_and_not_found() {
    let begun = begin().await;
    let id = begun.start("practice: say Looking; say <!-- final -->; say Sunflower").await;
    begun.until(&id, "idle").await;
    for form in ["markdown", "html"] {
        let file = begun.export(&id, form).await;
        let said = &file[file.rfind("Looking").unwrap()..];
        assert!(said.starts_with("Looking\nSunflower"), "{form}: {said}");
    }
    begun.fill().await;
    let found = begun.find(json!({"q": "sunflower"})).await;
    let items = found["items"].as_array().unwrap();
    let said = items.iter().find(|item| item["who"] == "agent").unwrap();
    assert_eq!(said["snippet"], "Looking\nSunflower\n");
}
