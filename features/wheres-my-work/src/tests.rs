//! Branches of real repositories in temporary folders, with a `gh` that tests write.

use crate::service::OtherMachine;
use crate::{feature, reviews};
use engines::port::Machine;
use engines::world::{Boxed, Sleep};
use futures_core::future::BoxFuture;
use kit::lookup::{
    BranchSession, FindFolders, HubFolder, Hubs, LandBranches, Landing, Lookup, MergingAll, SessionBranches,
    WorkFolder, WorkFolders,
};
use kit::{Caller, Feature, Kind};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, refused};

/// Only `gh` runs out of time, at once.
struct OnlyGh;

impl Sleep for OnlyGh {
    fn sleep(&self, how_long: Duration) -> Boxed<()> {
        match how_long == reviews::GH_WITHIN {
            true => Box::pin(std::future::ready(())),
            false => Box::pin(std::future::pending()),
        }
    }
}

struct Never;

impl Sleep for Never {
    fn sleep(&self, _: Duration) -> Boxed<()> {
        Box::pin(std::future::pending())
    }
}

/// What sessions provide, as the test says.
#[derive(Clone, Default)]
struct Others {
    hubs: Arc<Mutex<Vec<HubFolder>>>,
    sessions: Arc<Mutex<Vec<BranchSession>>>,
    /// What comes of a session's branch, by session.
    landings: Arc<Mutex<Vec<(String, Landing)>>>,
    merged: Arc<Mutex<Vec<String>>>,
    /// Merges wait for this one.
    gate: Arc<tokio::sync::Mutex<()>>,
}

impl FindFolders for Others {
    fn of_session(&self, _: &str, _: &str) -> BoxFuture<'static, kit::Result<Option<WorkFolder>>> {
        Box::pin(std::future::ready(Ok(None)))
    }
    fn of_hub(&self, _: &str, _: &str) -> BoxFuture<'static, kit::Result<Option<WorkFolder>>> {
        Box::pin(std::future::ready(Ok(None)))
    }
    fn hubs(&self) -> BoxFuture<'static, kit::Result<Vec<HubFolder>>> {
        let hubs = self.hubs.lock().unwrap().clone();
        Box::pin(std::future::ready(Ok(hubs)))
    }
}

impl Lookup for Others {
    fn missing(&self, _: &str, ids: Vec<String>) -> BoxFuture<'static, kit::Result<Vec<String>>> {
        let hubs = self.hubs.lock().unwrap().clone();
        let missing = ids.into_iter().filter(|id| hubs.iter().all(|hub| hub.id != *id)).collect();
        Box::pin(std::future::ready(Ok(missing)))
    }
}

impl Others {
    fn landing(&self, session: &str) -> Landing {
        let landings = self.landings.lock().unwrap();
        let found = landings.iter().find(|(id, _)| id == session).map(|(_, landing)| landing.clone());
        found.unwrap_or(Landing::Ready { into: "main".into() })
    }
}

impl LandBranches for Others {
    fn all(&self, account: &str) -> BoxFuture<'static, kit::Result<Vec<BranchSession>>> {
        let sessions = if account == ACCOUNT { self.sessions.lock().unwrap().clone() } else { Vec::new() };
        Box::pin(std::future::ready(Ok(sessions)))
    }
    fn check(&self, _: &Caller, session: &str) -> BoxFuture<'static, kit::Result<Landing>> {
        Box::pin(std::future::ready(Ok(self.landing(session))))
    }
    fn merge(&self, _: &Caller, session: &str) -> BoxFuture<'static, kit::Result<Landing>> {
        let (others, session) = (self.clone(), session.to_owned());
        Box::pin(async move {
            let _gate = others.gate.lock().await;
            others.merged.lock().unwrap().push(session.clone());
            Ok(match others.landing(&session) {
                Landing::Ready { into } => Landing::Merged { into, commit: "c".into() },
                other => other,
            })
        })
    }
}

/// What a program of a test is given.
type Hands = (Machine, Arc<dyn Sleep>, Others);

thread_local! {
    /// Each test has a thread of its own.
    static HANDS: std::cell::RefCell<Option<Hands>> = const { std::cell::RefCell::new(None) };
}

/// A program with hubs on a real disk, and programs of the test's own on `PATH`.
struct Place {
    program: Program,
    others: Others,
    dir: TempDir,
}

impl Place {
    async fn start() -> Place {
        Place::start_with(Arc::new(Never)).await
    }

    async fn start_with(sleep: Arc<dyn Sleep>) -> Place {
        let dir = TempDir::new().unwrap();
        let bin = dir.path().join("bin");
        std::fs::create_dir(&bin).unwrap();
        let others = Others::default();
        // It counts the processes of git, and finds no other program than the test's.
        let git = real_git();
        let counting =
            format!("#!/bin/sh\necho \"$*\" >> '{}'\nexec '{git}' \"$@\"\n", dir.path().join("count").display());
        script(&bin.join("git"), &counting);
        let mut machine = Machine { home: dir.path().to_owned(), ..Machine::default() };
        for (name, value) in
            [("PATH", &*bin.to_string_lossy()), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")]
        {
            machine.env.insert(name.to_owned(), value.to_owned());
        }
        HANDS.set(Some((machine, sleep, others.clone())));
        let program = Program::start(|| {
            let provided = Feature {
                start: |ctx| {
                    let (machine, sleep, others) = HANDS.with_borrow(|hands| hands.clone().unwrap());
                    ctx.provide(Arc::new(OtherMachine(machine, sleep)));
                    ctx.provide(Arc::new(WorkFolders(Box::new(others.clone()))));
                    ctx.provide(Arc::new(Hubs(Box::new(others.clone()))));
                    ctx.provide(Arc::new(SessionBranches(Box::new(others))));
                    Box::pin(std::future::ready(Ok(())))
                },
                ..Feature::named("sessions")
            };
            vec![provided, feature()]
        })
        .await;
        Place { program, others, dir }
    }

    /// A hub's folder.
    fn hub(&self, name: &str) -> PathBuf {
        let folder = self.dir.path().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let hub = HubFolder {
            account: ACCOUNT.into(),
            id: format!("hub-{name}"),
            name: name.into(),
            path: folder.to_str().unwrap().into(),
        };
        self.others.hubs.lock().unwrap().push(hub);
        folder
    }

    /// A hub that is a repository with two commits on `main`.
    fn repository(&self, name: &str) -> PathBuf {
        let folder = self.hub(name);
        git(&folder, &["init", "--quiet", "--initial-branch=main"]);
        commit(&folder, "read.me", "one\n");
        commit(&folder, "other.txt", "other\n");
        folder
    }

    /// What `gh` prints, or how it fails.
    fn gh(&self, text: &str) {
        script(&self.dir.path().join("bin/gh"), &format!("#!/bin/sh\n{text}\n"));
    }

    async fn list(&self, input: Value) -> Value {
        self.program.owner("work.list", input).await.unwrap()
    }

    /// The branches by group, in the order of the list.
    async fn groups(&self) -> Vec<(String, String)> {
        let listed = self.list(json!({"refresh": true})).await;
        assert_eq!(listed["progress"]["isDone"], true);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let items = listed["items"].as_array().unwrap();
        items.iter().map(|row| (text(&row["group"]), text(&row["branch"]))).collect()
    }

    async fn row(&self, branch: &str) -> Value {
        let listed = self.list(json!({"limit": 10_000})).await;
        listed["items"].as_array().unwrap().iter().find(|row| row["branch"] == branch).unwrap().clone()
    }

    /// The processes of git since the last call.
    fn processes(&self) -> Vec<String> {
        let file = self.dir.path().join("count");
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let _ = std::fs::remove_file(&file);
        text.lines().map(str::to_owned).collect()
    }

    fn session(&self, id: &str, folder: &Path, branch: &str) -> BranchSession {
        BranchSession {
            id: id.into(),
            title: format!("Session {id}"),
            folder: folder.to_str().unwrap().into(),
            branch: branch.into(),
            base: "main".into(),
            state: "Ready".into(),
            ..BranchSession::default()
        }
    }

    fn add_session(&self, session: BranchSession) {
        self.others.sessions.lock().unwrap().push(session);
    }
}

fn script(file: &Path, text: &str) {
    std::fs::write(file, text).unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn real_git() -> String {
    let machine = Machine::here();
    engines::probe::find("git", &machine).expect("git is installed").to_string_lossy().into_owned()
}

fn command(folder: &Path) -> Command {
    let mut command = Command::new(real_git());
    command.env_clear().env("HOME", "/nonexistent").current_dir(folder);
    for name in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
        command.env(name, "/dev/null");
    }
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "tester").env(format!("GIT_{who}_EMAIL"), "tester");
    }
    command
}

fn git(folder: &Path, args: &[&str]) -> String {
    let done = command(folder).args(args).output().unwrap();
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

fn commit(folder: &Path, file: &str, text: &str) -> String {
    std::fs::write(folder.join(file), text).unwrap();
    git(folder, &["add", "."]);
    git(folder, &["commit", "--quiet", "-m", &format!("Change {file}")]);
    git(folder, &["rev-parse", "HEAD"])
}

/// A branch with one commit of its own, from `main`.
fn branch(folder: &Path, name: &str, file: &str, text: &str) -> String {
    git(folder, &["checkout", "--quiet", "-b", name, "main"]);
    let made = commit(folder, file, text);
    git(folder, &["checkout", "--quiet", "main"]);
    made
}

fn pull(number: u64, branch: &str, state: &str, commit: &str) -> Value {
    json!({"number": number, "url": format!("https://github.com/o/r/pull/{number}"), "state": state,
        "headRefName": branch, "headRefOid": commit, "isCrossRepository": false})
}

fn said(pulls: &[Value]) -> String {
    // `PATH` has no other programs, so only the shell's own.
    format!("printf '%s' '{}'", json!(pulls))
}

fn named(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(group, branch)| ((*group).to_owned(), (*branch).to_owned())).collect()
}

#[tokio::test]
async fn one_branch_of_each_kind_is_in_its_list() {
    let place = Place::start().await;
    let folder = place.repository("r");
    git(&folder, &["remote", "add", "origin", "https://github.invalid/o/r.git"]);
    branch(&folder, "landed", "a.txt", "a\n");
    let review = branch(&folder, "review", "b.txt", "b\n");
    let turned_down = branch(&folder, "turned-down", "c.txt", "c\n");
    branch(&folder, "stranded", "d.txt", "d\n");
    branch(&folder, "in-work", "e.txt", "e\n");
    git(&folder, &["merge", "--quiet", "--squash", "landed"]);
    git(&folder, &["commit", "--quiet", "-m", "Land it"]);
    let pulls = [pull(1, "review", "OPEN", &review), pull(2, "turned-down", "CLOSED", &turned_down)];
    place.gh(&said(&pulls));
    let worktree = place.dir.path().join("worktree");
    git(&folder, &["worktree", "add", "--quiet", worktree.to_str().unwrap(), "in-work"]);
    place.add_session(BranchSession { is_working: true, ..place.session("s1", &worktree, "in-work") });
    let expected = [
        ("stranded", "stranded"),
        ("inWork", "in-work"),
        ("review", "review"),
        ("turnedDown", "turned-down"),
        ("landed", "landed"),
    ];
    assert_eq!(place.groups().await, named(&expected));
    let listed = place.list(json!({})).await;
    assert_eq!(listed["counts"], json!({"stranded": 1, "inWork": 1, "review": 1, "turnedDown": 1, "landed": 1}));
    assert_eq!(listed["progress"], json!({"isDone": true, "checked": 5, "total": 5}));
    let [repository] = &listed["repositories"].as_array().unwrap()[..] else { panic!("{listed}") };
    assert_eq!((&repository["base"], &repository["hasPullRequests"]), (&json!("main"), &json!(true)));
    assert_eq!(repository["notes"], json!([]));
    let row = place.row("in-work").await;
    assert_eq!((&row["sessionId"], &row["ahead"], &row["behind"]), (&json!("s1"), &json!(1), &json!(1)));
    assert_eq!((&row["subject"], &row["hubId"]), (&json!("Change e.txt"), &json!("hub-r")));
    assert_eq!(place.row("review").await["pullRequest"], "https://github.com/o/r/pull/1");
    // One repository, one group, and pages of the whole list.
    let count = async |input: Value| place.list(input).await["counts"]["landed"].clone();
    assert_eq!(count(json!({"repositoryId": repository["id"]})).await, 1);
    assert_eq!(count(json!({"repositoryId": "nope"})).await, 0);
    assert_eq!(place.list(json!({"group": "landed"})).await["items"].as_array().unwrap().len(), 1);
    let mut all = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let page = place.list(json!({"limit": 2, "cursor": cursor})).await;
        all.extend(page["items"].as_array().unwrap().iter().map(|row| row["branch"].clone()));
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(all, expected.map(|(_, branch)| json!(branch)));
    // Sessions see branches, but not other sessions.
    let mut agent = Caller::new(Kind::Agent, ACCOUNT, "a");
    (agent.session, agent.scopes) = (Some("s2".into()), vec!["sessions:read".into()]);
    let seen = place.program.as_caller(agent, "work.list", json!({"group": "inWork"})).await.unwrap();
    assert_eq!((&seen["items"][0]["sessionId"], &seen["items"][0]["worktree"]), (&Value::Null, &Value::Null));
    // Another account has no repositories.
    let other = place.program.as_caller(Caller::new(Kind::Owner, OTHER_ACCOUNT, "o"), "work.list", json!({})).await;
    assert_eq!(other.unwrap()["items"], json!([]));
}

#[tokio::test]
async fn work_has_landed_however_it_got_into_the_base() {
    let place = Place::start().await;
    let folder = place.repository("r");
    branch(&folder, "merged", "a.txt", "a\n");
    git(&folder, &["checkout", "--quiet", "-b", "squashed", "main"]);
    commit(&folder, "b.txt", "1\n");
    commit(&folder, "b.txt", "1\n2\n");
    git(&folder, &["checkout", "--quiet", "-b", "rebased", "main"]);
    let first = commit(&folder, "c.txt", "1\n");
    let second = commit(&folder, "c.txt", "1\n2\n");
    branch(&folder, "half", "d.txt", "1\n");
    branch(&folder, "reverted", "e.txt", "1\n");
    git(&folder, &["merge", "--quiet", "--no-ff", "-m", "Merge", "merged"]);
    git(&folder, &["merge", "--quiet", "--squash", "squashed"]);
    git(&folder, &["commit", "--quiet", "-m", "Squashed"]);
    // The base changes the same lines afterwards.
    commit(&folder, "b.txt", "1\nthree\n");
    git(&folder, &["cherry-pick", &first, &second]);
    commit(&folder, "c.txt", "one\n2\n");
    commit(&folder, "d.txt", "2\n");
    git(&folder, &["cherry-pick", "reverted"]);
    git(&folder, &["revert", "--no-edit", "HEAD"]);
    let found = place.groups().await;
    let of = |branch: &str| found.iter().find(|(_, name)| name == branch).unwrap().0.clone();
    for name in ["merged", "squashed", "rebased"] {
        assert_eq!(of(name), "landed", "{name}");
    }
    for name in ["half", "reverted"] {
        assert_eq!(of(name), "stranded", "{name}");
    }
    let objects = git(&folder, &["count-objects"]);
    place.groups().await;
    assert_eq!(git(&folder, &["count-objects"]), objects, "looking writes nothing");
}

#[tokio::test]
async fn without_a_host_pushed_branches_wait_on_review_and_the_page_says_why() {
    let place = Place::start().await;
    let (remote, folder) = (place.dir.path().join("remote.git"), place.repository("r"));
    git(place.dir.path(), &["init", "--quiet", "--bare", "remote.git"]);
    git(&folder, &["remote", "add", "origin", remote.to_str().unwrap()]);
    branch(&folder, "pushed", "a.txt", "a\n");
    branch(&folder, "local", "b.txt", "b\n");
    git(&folder, &["push", "--quiet", "--set-upstream", "origin", "main", "pushed"]);
    // It follows the base, so nothing of it was pushed.
    git(&folder, &["branch", "--quiet", "--set-upstream-to=origin/main", "local"]);
    let note = async || place.list(json!({"refresh": true})).await["repositories"][0]["notes"][0].clone();
    assert!(note().await.as_str().unwrap().contains("install the GitHub CLI"));
    assert_eq!(place.groups().await, named(&[("stranded", "local"), ("review", "pushed")]));
    assert!(place.row("pushed").await["reason"].as_str().unwrap().contains("Pushed to origin/pushed"));
    place.gh("echo 'To get started with GitHub CLI, please run:  gh auth login' >&2; exit 4");
    assert!(note().await.as_str().unwrap().contains("gh auth login"));
    place.gh("echo nonsense");
    assert!(note().await.as_str().unwrap().contains("isn't understood"));
    // Once the host answers, a pushed branch without a pull request is stranded.
    place.gh(&said(&[]));
    assert_eq!(place.groups().await.iter().filter(|(group, _)| group == "stranded").count(), 2);
    // Of several pull requests the open one counts, and those of forks don't.
    let tip = git(&folder, &["rev-parse", "pushed"]);
    let fork = json!({"number": 9, "url": "u", "state": "CLOSED", "headRefName": "local", "headRefOid": tip, "isCrossRepository": true});
    place.gh(&said(&[pull(3, "pushed", "CLOSED", &tip), pull(2, "pushed", "OPEN", &tip), fork]));
    assert_eq!(place.groups().await, named(&[("stranded", "local"), ("review", "pushed")]));
    // Merged on the host, but not pulled yet: it landed, but isn't deleted before git can tell.
    place.gh(&said(&[pull(3, "pushed", "MERGED", &tip)]));
    assert_eq!(place.groups().await[1], ("landed".to_owned(), "pushed".to_owned()));
    let row = place.row("pushed").await;
    assert_eq!(row["isDeletable"], false);
    refused(place.program.owner("work.delete", json!({"branchId": row["id"]})).await, "branch-not-landed");
    // More commits since then.
    git(&folder, &["checkout", "--quiet", "pushed"]);
    commit(&folder, "a.txt", "more\n");
    git(&folder, &["checkout", "--quiet", "main"]);
    assert_eq!(place.groups().await.iter().filter(|(group, _)| group == "stranded").count(), 2);
}

#[tokio::test]
async fn a_hanging_gh_keeps_nothing_waiting() {
    let place = Place::start_with(Arc::new(OnlyGh)).await;
    let folder = place.repository("r");
    git(&folder, &["remote", "add", "origin", "https://github.invalid/o/r.git"]);
    branch(&folder, "work", "a.txt", "a\n");
    place.gh("exec /bin/sleep 600");
    assert_eq!(place.groups().await, named(&[("stranded", "work")]));
    let listed = place.list(json!({})).await;
    assert!(listed["repositories"][0]["notes"][0].as_str().unwrap().contains("within 15 seconds"), "{listed}");
}

#[tokio::test]
async fn each_repository_is_listed_once_and_each_state_of_one_is_told() {
    let place = Place::start().await;
    let folder = place.repository("r");
    branch(&folder, "work", "a.txt", "a\n");
    branch(&folder, "odd-ü;$(x)'&", "b.txt", "b\n");
    // Two hubs and a worktree of the same repository.
    let worktree = place.hub("worktree");
    git(&folder, &["worktree", "add", "--quiet", "--force", worktree.to_str().unwrap(), "work"]);
    std::fs::create_dir(folder.join("sub")).unwrap();
    place.hub("r/sub");
    place.add_session(place.session("s1", &worktree, "work"));
    let empty = place.hub("empty");
    git(&empty, &["init", "--quiet", "--initial-branch=main"]);
    place.hub("plain");
    std::fs::remove_dir(place.hub("gone")).unwrap();
    // Detached, and without any of the usual names.
    let detached = place.hub("detached");
    git(&detached, &["init", "--quiet", "--initial-branch=odd"]);
    commit(&detached, "a", "a");
    git(&detached, &["checkout", "--quiet", "--detach"]);
    let shallow = place.hub("shallow");
    let from = format!("file://{}", folder.display());
    git(&shallow, &["clone", "--quiet", "--depth=1", "--no-single-branch", &from, "."]);
    git(&shallow, &["branch", "--quiet", "mine", "origin/work"]);
    git(place.dir.path(), &["clone", "--quiet", "--bare", folder.to_str().unwrap(), "bare"]);
    place.hub("bare");
    let listed = place.list(json!({})).await;
    let repositories = listed["repositories"].as_array().unwrap();
    let names: Vec<&str> = repositories.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["r", "empty", "gone", "detached", "shallow", "bare"]);
    for (name, note) in
        [("empty", "no commits yet"), ("gone", "doesn't exist"), ("detached", "no base branch"), ("shallow", "shallow")]
    {
        let of = repositories.iter().find(|one| one["name"] == name).unwrap();
        assert!(of["notes"].to_string().contains(note), "{of}");
    }
    let of = |repository: &str| -> Vec<&str> {
        let rows = listed["items"].as_array().unwrap().iter().filter(|row| row["repository"] == repository);
        let mut names: Vec<&str> = rows.map(|row| row["branch"].as_str().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(of("r"), ["odd-ü;$(x)'&", "work"]);
    assert_eq!(of("bare"), ["odd-ü;$(x)'&", "work"]);
    assert_eq!(of("shallow"), ["mine"]);
    // The session isn't archived.
    let items = listed["items"].as_array().unwrap();
    let work = items.iter().find(|row| row["repository"] == "r" && row["branch"] == "work").unwrap();
    assert_eq!((&work["group"], &work["sessionTitle"]), (&json!("inWork"), &json!("Session s1")));
}

#[tokio::test]
async fn a_session_counts_until_it_is_archived_and_a_new_branch_has_not_landed() {
    let place = Place::start().await;
    let folder = place.repository("r");
    let worktree = place.dir.path().join("worktree");
    git(&folder, &["worktree", "add", "--quiet", "-b", "new", worktree.to_str().unwrap()]);
    let start = git(&folder, &["rev-parse", "main"]);
    let session = BranchSession { base_commit: start, ..place.session("s1", &worktree, "new") };
    place.add_session(session.clone());
    assert_eq!(place.groups().await, named(&[("inWork", "new")]));
    commit(&worktree, "a.txt", "a\n");
    place.others.sessions.lock().unwrap()[0].is_archived = true;
    assert_eq!(place.groups().await, named(&[("stranded", "new")]));
    assert_eq!(place.row("new").await["sessionId"], "s1", "an archived session can be reopened");
    // Merged, the session isn't archived: it landed all the same.
    place.others.sessions.lock().unwrap()[0].is_archived = false;
    git(&folder, &["merge", "--quiet", "new"]);
    assert_eq!(place.groups().await, named(&[("landed", "new")]));
}

#[tokio::test]
async fn a_landed_branch_is_deleted_and_restored_and_no_other_is() {
    let place = Place::start().await;
    let folder = place.repository("r");
    let tip = branch(&folder, "landed", "a.txt", "a\n");
    branch(&folder, "stranded", "b.txt", "b\n");
    branch(&folder, "checked-out", "c.txt", "c\n");
    git(&folder, &["merge", "--quiet", "landed"]);
    git(&folder, &["merge", "--quiet", "checked-out"]);
    let worktree = place.dir.path().join("worktree");
    git(&folder, &["worktree", "add", "--quiet", worktree.to_str().unwrap(), "checked-out"]);
    place.groups().await;
    let delete = async |row: Value| place.program.owner("work.delete", json!({"branchId": row["id"]})).await;
    for name in ["stranded", "checked-out"] {
        let row = place.row(name).await;
        assert_eq!(row["isDeletable"], false, "{name}");
        refused(delete(row).await, "branch-not-landed");
    }
    let row = place.row("landed").await;
    assert_eq!(row["isDeletable"], true);
    let foreign = Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    refused(place.program.as_caller(foreign, "work.delete", json!({"branchId": row["id"]})).await, "not-found");
    // It moved since the list was read.
    git(&folder, &["checkout", "--quiet", "landed"]);
    commit(&folder, "d.txt", "d\n");
    git(&folder, &["checkout", "--quiet", "main"]);
    refused(delete(row.clone()).await, "branch-not-landed");
    git(&folder, &["branch", "--quiet", "--force", "landed", &tip]);
    let deleted = delete(row.clone()).await.unwrap();
    assert_eq!(deleted, json!({"repositoryId": row["repositoryId"], "branch": "landed", "commit": tip}));
    assert_eq!(git(&folder, &["branch", "--list", "landed"]), "");
    refused(delete(row).await, "not-found");
    place.program.owner("work.restore", deleted.clone()).await.unwrap();
    assert_eq!(git(&folder, &["rev-parse", "landed"]), tip);
    refused(place.program.owner("work.restore", deleted.clone()).await, "branch-git");
    let mut unknown = deleted.clone();
    unknown["commit"] = json!("f".repeat(40));
    refused(place.program.owner("work.restore", unknown).await, "named-not-found");
    for (member, value) in [("commit", "HEAD"), ("branch", "-d"), ("branch", "a b")] {
        let mut wrong = deleted.clone();
        wrong[member] = json!(value);
        refused(place.program.owner("work.restore", wrong).await, "invalid-input");
    }
}

#[tokio::test]
async fn nothing_that_a_repository_names_is_run() {
    let place = Place::start().await;
    let folder = place.repository("r");
    let mark = place.dir.path().join("ran");
    let evil = folder.join(".git/evil");
    script(&evil, &format!("#!/bin/sh\n: > '{}'\n", mark.display()));
    let evil = evil.to_str().unwrap();
    branch(&folder, "work", "read.me", "mine\n");
    std::fs::write(folder.join(".gitattributes"), "* filter=evil diff=evil merge=evil\n").unwrap();
    commit(&folder, "read.me", "theirs\n");
    for key in
        ["filter.evil.clean", "filter.evil.process", "diff.evil.textconv", "diff.evil.command", "merge.evil.driver"]
    {
        git(&folder, &["config", key, evil]);
    }
    for key in ["core.fsmonitor", "core.sshCommand", "core.pager", "credential.helper"] {
        git(&folder, &["config", key, evil]);
    }
    for hook in ["reference-transaction", "post-checkout"] {
        std::fs::copy(evil, folder.join(".git/hooks").join(hook)).unwrap();
    }
    assert_eq!(place.groups().await, named(&[("stranded", "work")]));
    assert!(!mark.exists(), "something of the repository's ran");
}

#[tokio::test]
async fn five_thousand_branches_cost_a_few_processes_and_arrive_in_pages() {
    let place = Place::start().await;
    let folder = place.repository("r");
    let tips: Vec<String> =
        (0..20).map(|at| branch(&folder, &format!("own-{at}"), &format!("{at}.txt"), "x\n")).collect();
    let main = git(&folder, &["rev-parse", "main"]);
    let mut updates = String::new();
    for at in 0..5_000 {
        // Every tenth has work, and many have the same.
        let tip = if at % 10 == 0 { &tips[at / 10 % 20] } else { &main };
        updates.push_str(&format!("create refs/heads/many-{at} {tip}\n"));
    }
    let mut update = command(&folder).args(["update-ref", "--stdin"]).stdin(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(update.stdin.as_mut().unwrap(), updates.as_bytes()).unwrap();
    assert!(update.wait().unwrap().success());
    place.processes();
    let listed = place.list(json!({"limit": 50})).await;
    let first = place.processes();
    assert_eq!(listed["progress"], json!({"isDone": true, "checked": 5_020, "total": 5_020}));
    assert_eq!(listed["counts"], json!({"stranded": 520, "inWork": 0, "review": 0, "turnedDown": 0, "landed": 4_500}));
    assert_eq!(listed["items"].as_array().unwrap().len(), 50);
    let count = |all: &[String], what: &str| all.iter().filter(|args| args.starts_with(what)).count();
    // Branches with the same commit are compared once, unless that is happening at the same time.
    assert!((20..=20 * 4).contains(&count(&first, "merge-tree")), "{first:?}");
    assert!(first.len() - count(&first, "merge-tree") <= 10, "{first:?}");
    // A later look compares nothing again, and further pages ask git for nothing.
    place.list(json!({"refresh": true})).await;
    let second = place.processes();
    assert_eq!(count(&second, "merge-tree"), 0);
    assert!(second.len() <= 10, "{second:?}");
    let next = place.list(json!({"limit": 50, "cursor": listed["nextCursor"]})).await;
    assert_eq!(next["items"].as_array().unwrap().len(), 50);
    assert_eq!(place.processes(), Vec::<String>::new());
    // Who doesn't wait is answered at once, with what is known and the progress.
    let at_once = place.list(json!({"refresh": true, "noWait": true, "limit": 1})).await;
    assert_eq!((&at_once["progress"]["isDone"], &at_once["counts"]["landed"]), (&json!(false), &json!(4_500)));
}

#[tokio::test]
async fn ready_branches_are_merged_one_at_a_time_oldest_first() {
    let place = Place::start().await;
    let folder = place.hub("r");
    // Newest first, as sessions list them.
    for id in ["s5", "s4", "s3", "s2", "s1"] {
        let hub = Some("hub-r".to_owned());
        place.add_session(BranchSession { hub, ..place.session(id, &folder, &format!("b-{id}")) });
    }
    place.add_session(BranchSession { is_archived: true, ..place.session("s0", &folder, "b-s0") });
    let conflict = Landing::Conflicts { into: "main".into(), files: vec!["a.txt".into()] };
    let skipped = Landing::Skipped { reason: "The worktree has uncommitted changes.".into() };
    *place.others.landings.lock().unwrap() = vec![("s2".into(), conflict), ("s3".into(), skipped)];
    let states = |value: &Value| -> Vec<(Value, Value)> {
        let all = value.as_array().unwrap().iter();
        all.map(|one| (one["sessionId"].clone(), one["state"].clone())).collect()
    };
    let expected = |all: &[(&str, &str)]| -> Vec<(Value, Value)> {
        all.iter().map(|(id, state)| (json!(id), json!(state))).collect()
    };
    let preview = place.program.owner("work.merges.preview", json!({"hubId": "hub-r"})).await.unwrap();
    let looked = [("s1", "ready"), ("s2", "conflict"), ("s3", "skipped"), ("s4", "ready"), ("s5", "ready")];
    assert_eq!(states(&preview["items"]), expected(&looked));
    refused(place.program.owner("work.merges.create", json!({"hubId": "nope"})).await, "named-not-found");
    refused(place.program.owner("work.merges.create", json!({"sessionIds": ["s0"]})).await, "named-not-found");
    let running = || (place.program.ctx.service::<MergingAll>().0)();
    assert_eq!(running(), None);
    let gate = place.others.gate.clone().lock_owned().await;
    let run = place.program.owner("work.merges.create", json!({"sessionIds": ["s4", "s3", "s2", "s1"]})).await.unwrap();
    assert_eq!(run["endedAt"], Value::Null);
    assert_eq!(running().unwrap().since_ms, testkit::START_MS);
    refused(place.program.owner("work.merges.create", json!({})).await, "merge-running");
    drop(gate);
    let id = json!({"mergeId": run["id"]});
    let ended = async || loop {
        let now = place.program.owner("work.merges.get", id.clone()).await.unwrap();
        if !now["endedAt"].is_null() {
            return now;
        }
        tokio::task::yield_now().await;
    };
    let done = ended().await;
    let became = [("s1", "merged"), ("s2", "conflict"), ("s3", "skipped"), ("s4", "merged")];
    assert_eq!(states(&done["branches"]), expected(&became));
    assert_eq!(done["branches"][1]["files"], json!(["a.txt"]));
    assert_eq!(done["branches"][2]["detail"], "The worktree has uncommitted changes.");
    assert_eq!(*place.others.merged.lock().unwrap(), ["s1", "s2", "s3", "s4"]);
    assert_eq!(running(), None);
    let foreign = Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    refused(place.program.as_caller(foreign, "work.merges.get", id).await, "not-found");
}

#[tokio::test]
async fn a_canceled_merge_leaves_the_branches_that_wait() {
    let place = Place::start().await;
    let folder = place.hub("r");
    for id in ["s2", "s1"] {
        place.add_session(place.session(id, &folder, &format!("b-{id}")));
    }
    let gate = place.others.gate.clone().lock_owned().await;
    let run = place.program.owner("work.merges.create", json!({})).await.unwrap();
    let id = json!({"mergeId": run["id"]});
    let get = async || place.program.owner("work.merges.get", id.clone()).await.unwrap();
    while get().await["branches"][0]["state"] != "merging" {
        tokio::task::yield_now().await;
    }
    place.program.owner("work.merges.cancel", id.clone()).await.unwrap();
    drop(gate);
    let mut now = get().await;
    while now["endedAt"].is_null() {
        tokio::task::yield_now().await;
        now = get().await;
    }
    assert_eq!((&now["branches"][0]["state"], &now["branches"][1]["state"]), (&json!("merged"), &json!("canceled")));
}
