//! Approved commands: what a person's yes opens for one command, and what stays closed.

use super::hook::{Hooked, hooked};
use super::practice::{Hands, begin_with, start_here};
use super::real_engines::{Real, real};
use super::script::{is, scripted, text_of};
use crate::approved::{Call, Ended, What, ask};
use engines::engine::{Claude, Codex};
use serde_json::{Value, json};
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// A home with keys, a remote repository that's reached over SSH with them, and a session's repository.
struct Place {
    at: Hooked,
    home: TempDir,
    remote: TempDir,
}

fn write(file: &Path, text: &str) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

fn program(file: &Path, text: &str) {
    write(file, text);
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn git(folder: &Path, args: &[&str]) -> String {
    let who = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];
    let done = Command::new("git").current_dir(folder).args(who).args(args).output().unwrap();
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// Gives a machine this home, with keys, and makes the remote repository.
fn prepare(hands: &mut Hands, home: &Path, remote: &Path) {
    write(&home.join(".ssh/id"), "the key");
    write(&home.join(".aws/credentials"), "the cloud key");
    git(remote, &["init", "--quiet", "--bare"]);
    // In place of ssh: it needs the key, and runs the command here instead of there.
    let ssh = home.join("bin/ssh");
    program(&ssh, "#!/bin/sh\ngrep -q 'the key' \"$HOME/.ssh/id\" || { echo 'no key' >&2; exit 255; }\neval \"$2\"\n");
    let config = home.join("gitconfig");
    write(&config, &format!("[core]\n\tsshCommand = {}\n[safe]\n\tdirectory = *\n", ssh.display()));
    hands.machine.home = home.into();
    for (name, value) in [("HOME", home), ("GIT_CONFIG_GLOBAL", &config)] {
        hands.machine.env.insert(name.into(), value.to_str().unwrap().into());
    }
}

/// A repository with this remote.
fn repository(folder: &Path, remote: &Path) {
    git(folder, &["init", "--quiet", "--initial-branch=main"]);
    write(&folder.join("a.txt"), "a");
    git(folder, &["add", "."]);
    git(folder, &["commit", "--quiet", "-m", "First"]);
    git(folder, &["remote", "add", "origin", &format!("git@example.org:{}", remote.display())]);
}

async fn place(engine: impl engines::Engine + 'static) -> Place {
    let (home, remote) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let mut hands = Hands::new(Arc::new(start_here));
    prepare(&mut hands, home.path(), remote.path());
    let at = hooked(engine, begin_with(hands).await).await;
    repository(at.begun.folder.path(), remote.path());
    Place { at, home, remote }
}

impl Place {
    /// The words of the command that replaces this one after approval.
    async fn approved(&self, line: &str) -> Vec<String> {
        let waits = self.at.asks("Bash", json!({"command": line, "description": "Publish it"}));
        self.at.answer(true).await;
        let answer = waits.await.unwrap();
        assert_eq!(
            (&answer["permissionDecision"], &answer["updatedInput"]["description"]),
            (&json!("allow"), &json!("Publish it"))
        );
        let line = answer["updatedInput"]["command"].as_str().unwrap();
        line.split_whitespace().map(|word| word.trim_matches('\'').to_owned()).collect()
    }

    /// Runs it in the session's folder, as the engine does. Returns how it ended, and what it printed.
    async fn run(&self, words: &[String]) -> (Ended, String) {
        self.run_in(words, self.at.begun.folder.path()).await
    }

    async fn run_in(&self, words: &[String], cwd: &Path) -> (Ended, String) {
        assert_eq!(words[..2], ["/bin/pilothouse", "approved"]);
        let (socket, ticket, cwd) = (PathBuf::from(&words[2]), words[3].clone(), cwd.to_owned());
        let run = move || {
            let (mut output, printed) = std::io::pipe().unwrap();
            let input = std::fs::File::open("/dev/null").unwrap();
            let call = Call { what: What::Ticket(ticket), cwd };
            let ended = ask(&socket, &call, &[input.as_fd(), printed.as_fd(), printed.as_fd()]).unwrap();
            drop(printed);
            let mut text = String::new();
            output.read_to_string(&mut text).unwrap();
            (ended, text)
        };
        tokio::task::spawn_blocking(run).await.unwrap()
    }

    async fn asked(&self) -> Value {
        let asks = self.at.begun.program.owner("sessions.asks", json!({"sessionId": self.at.id})).await.unwrap();
        asks["items"].as_array().unwrap().last().unwrap().clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approved_push_uses_the_keys_and_nothing_else_and_runs_once() {
    let place = place(Claude).await;
    let line = "git push origin main 2>&1; cat \"$(echo ~/.a)ws/credentials\" 2>&1";
    let words = place.approved(line).await;
    let why = place.asked().await["why"].as_str().unwrap().to_owned();
    assert!(why.contains("may use SSH keys (~/.ssh)") && why.contains("outside the sandbox"), "{why}");
    let (ended, printed) = place.run(&words).await;
    assert!(matches!(ended, Ended::Code(code) if code != 0), "cat failed: {ended:?}");
    assert!(!printed.contains("the cloud key"), "{printed}");
    assert_eq!(git(place.remote.path(), &["log", "--format=%s", "main"]).trim(), "First", "{printed}");
    let (again, _) = place.run(&words).await;
    assert!(matches!(&again, Ended::NotStarted(why) if why.contains("already used")), "{again:?}");
    let entries = place.at.begun.entries_once(&place.at.id, |entry| entry["entry"] == "note").await;
    let note = entries.iter().find(|entry| entry["entry"] == "note").unwrap()["why"].as_str().unwrap();
    assert!(note.starts_with("Ran outside the sandbox with your approval, with access to SSH keys (~/.ssh)"), "{note}");
    assert!(!json!(entries).to_string().contains(&words[3]), "no ticket in the transcript");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_session_wrote_into_its_repository_gets_nothing_of_it() {
    let place = place(Codex).await;
    let folder = place.at.begun.folder.path();
    let stolen = folder.join("stolen");
    let steal = format!("#!/bin/sh\ncat $HOME/.ssh/id > {}\n", stolen.display());
    program(&folder.join(".git/hooks/pre-push"), &steal);
    let words = place.approved("git push origin main").await;
    let (ended, printed) = place.run(&words).await;
    assert_eq!((ended, stolen.exists()), (Ended::Code(0), false), "{printed}");
    program(&folder.join("steal.sh"), &steal);
    let settings: [&[&str]; 4] = [
        &["config", "core.sshCommand", "./steal.sh"],
        &["config", "credential.helper", "!./steal.sh"],
        &["config", "http.proxy", "http://127.0.0.1:1"],
        &["config", "remote.origin.receivepack", "./steal.sh"],
    ];
    for args in settings {
        let words = place.approved("git push origin main").await;
        // After the approval, as a session could.
        git(folder, args);
        let (ended, _) = place.run(&words).await;
        let named = args[1].to_ascii_lowercase();
        assert!(matches!(&ended, Ended::NotStarted(why) if why.contains(&named)), "{args:?}: {ended:?}");
        git(folder, &["config", "--unset-all", args[1]]);
    }
    assert!(!stolen.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_counts_for_its_folder_only() {
    let place = place(Claude).await;
    let words = place.approved("git push origin main").await;
    let (ended, _) = place.run_in(&words, place.home.path()).await;
    assert!(matches!(&ended, Ended::NotStarted(why) if why.contains("but started in")), "{ended:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_commands_that_need_what_is_hidden_ask_for_it() {
    let place = place(Claude).await;
    place.at.begun.set(&[("agentPermissionLevel", json!("autonomous"))]);
    assert_eq!(place.at.answered("Bash", json!({"command": "git commit --allow-empty -m x"})).await, "pass");
    assert_eq!(place.at.answered("Bash", json!({"command": "npm ci"})).await, "pass", "no login for npm exists");
    // A remote in a folder needs no login.
    let folder = place.at.begun.folder.path();
    git(folder, &["remote", "set-url", "origin", place.remote.path().to_str().unwrap()]);
    assert_eq!(place.at.answered("Bash", json!({"command": "git push origin main"})).await, "pass");
    write(&place.home.path().join(".npmrc"), "//registry.example.org/:_authToken=t\n");
    let words = place.approved("npm --version; cat \"$(echo ~/.n)pmrc\"").await;
    let why = place.asked().await["why"].as_str().unwrap().to_owned();
    assert!(why.starts_with("Your logins and keys need approval below the full level (agentPermissionLevel)"), "{why}");
    assert!(place.run(&words).await.1.contains("_authToken=t"));
    place.at.begun.set(&[("agentPermissionLevel", json!("full"))]);
    assert_eq!(place.at.answered("Bash", json!({"command": "npm ci"})).await, "pass", "full has no sandbox");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_always_allowed_command_opens_the_same_again_and_a_denied_one_nothing() {
    let place = place(Claude).await;
    let waits = place.at.asks("Bash", json!({"command": "git push origin main"}));
    place.at.answer(false).await;
    assert_eq!(waits.await.unwrap()["permissionDecision"], "deny");
    let waits = place.at.asks("Bash", json!({"command": "git push origin main"}));
    let ask = place.at.begun.asked(&place.at.id).await;
    let input = json!({"sessionId": place.at.id, "askId": ask, "allow": true, "always": true, "scope": "hub"});
    place.at.begun.program.owner("sessions.answer", input).await.unwrap();
    assert_eq!(waits.await.unwrap()["permissionDecision"], "allow");
    let answer = place.at.answered("Bash", json!({"command": "git push origin main"})).await;
    assert!(answer["updatedInput"]["command"].as_str().unwrap().contains("approved"), "{answer}");
}

/// Runs a program as its stand-in on the session's `PATH` does.
async fn stand_in(path: &str, cwd: &Path, args: &[&str]) -> (Ended, String) {
    let socket = Path::new(path.split(':').next().unwrap()).with_file_name("r");
    assert!(std::fs::read_to_string(path.split(':').next().unwrap().to_owned() + "/git").unwrap().contains("stand-in"));
    let args = args.iter().map(|arg| (*arg).to_owned()).collect();
    let call = Call { what: What::Program("git".into(), args), cwd: cwd.to_owned() };
    let run = move || {
        let (mut output, printed) = std::io::pipe().unwrap();
        let input = std::fs::File::open("/dev/null").unwrap();
        let ended = ask(&socket, &call, &[input.as_fd(), printed.as_fd(), printed.as_fd()]).unwrap();
        drop(printed);
        let mut text = String::new();
        output.read_to_string(&mut text).unwrap();
        (ended, text)
    };
    tokio::task::spawn_blocking(run).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_external_engine_pushes_with_the_keys_after_a_yes_and_gets_nothing_else() {
    let (home, remote) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let path: Arc<Mutex<String>> = Arc::default();
    let line = "git push origin main 2>&1 && cat notes";
    let mut hands = scripted(move |heard| {
        let tool = json!({"toolCallId": "t", "title": line, "kind": "execute", "rawInput": {"command": line}});
        let offers = ["allow_once", "reject_once"].map(|kind| json!({"optionId": kind, "name": kind, "kind": kind}));
        let params = json!({"sessionId": "s", "toolCall": tool, "options": offers});
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "session/request_permission", "params": params});
        // The turn goes on until the test ends.
        (is(heard, "session/prompt") && text_of(heard).contains("push")).then(|| vec![request])
    });
    let (launch, seen) = (hands.start.clone(), path.clone());
    hands.start = Arc::new(move |plan| {
        *seen.lock().unwrap() = plan.env["PATH"].clone();
        launch(plan)
    });
    prepare(&mut hands, home.path(), remote.path());
    let Real { begun, id, _bin } = real("opencode", "1.18.0", hands).await;
    let folder = begun.folder.path();
    repository(folder, remote.path());
    begun.until(&id, "idle").await;
    begun.program.owner("sessions.message", json!({"sessionId": id, "prompt": "push it"})).await.unwrap();
    let ask = begun.asked(&id).await;
    let path = path.lock().unwrap().clone();
    let push = ["push", "origin", "main"];
    let is_admitted = async |args: &[&str]| stand_in(&path, folder, args).await.0 != Ended::NotAdmitted;
    assert!(!is_admitted(&push).await, "not before the answer");
    let asks = begun.program.owner("sessions.asks", json!({"sessionId": id})).await.unwrap();
    let why = asks["items"][0]["why"].as_str().unwrap();
    assert!(
        why.contains("only its git, gh, and npm commands run outside the sandbox") && why.contains("SSH keys"),
        "{why}"
    );
    begun.program.owner("sessions.answer", json!({"sessionId": id, "askId": ask, "allow": true})).await.unwrap();
    assert!(!is_admitted(&["push", "origin", "other"]).await, "only the approved command");
    let (ended, printed) = stand_in(&path, folder, &push).await;
    assert_eq!(ended, Ended::Code(0), "{printed}");
    assert_eq!(git(remote.path(), &["log", "--format=%s", "main"]).trim(), "First");
    assert!(!is_admitted(&push).await, "only once");
}
