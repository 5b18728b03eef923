//! tasks.md both ways, with real files.

use super::tick;
use futures_core::future::BoxFuture;
use kit::lookup::{FindFolders, HubFolder, Hubs, Lookup, WorkFolder, WorkFolders};
use kit::{Ctx, Feature};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use testkit::{ACCOUNT, Program, refused};

thread_local! {
    /// The folder of the hub `h1`, for the feature that provides it.
    static FOLDER: RefCell<PathBuf> = RefCell::default();
}

/// The hub `h1` with its folder.
struct Place {
    program: Program,
    folder: PathBuf,
    _dir: tempfile::TempDir,
}

struct Folders(PathBuf);

impl FindFolders for Folders {
    fn of_session(&self, _: &str, _: &str) -> BoxFuture<'static, kit::Result<Option<WorkFolder>>> {
        Box::pin(std::future::ready(Ok(None)))
    }
    fn of_hub(&self, _: &str, _: &str) -> BoxFuture<'static, kit::Result<Option<WorkFolder>>> {
        Box::pin(std::future::ready(Ok(None)))
    }
    fn hubs(&self) -> BoxFuture<'static, kit::Result<Vec<HubFolder>>> {
        let path = self.0.display().to_string();
        let hub = HubFolder { account: ACCOUNT.into(), id: "h1".into(), name: "One".into(), path };
        Box::pin(std::future::ready(Ok(vec![hub])))
    }
}

impl Lookup for Folders {
    fn missing(&self, _: &str, ids: Vec<String>) -> BoxFuture<'static, kit::Result<Vec<String>>> {
        Box::pin(std::future::ready(Ok(ids.into_iter().filter(|id| id != "h1").collect())))
    }
}

impl Place {
    async fn start() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("hub");
        fs::create_dir(&folder).unwrap();
        FOLDER.set(folder.clone());
        let program = Program::start(|| {
            let folders = Feature {
                start: |ctx: Ctx| {
                    let folder = FOLDER.with_borrow(Clone::clone);
                    ctx.provide(Arc::new(Hubs(Box::new(Folders(folder.clone())))));
                    ctx.provide(Arc::new(WorkFolders(Box::new(Folders(folder)))));
                    Box::pin(std::future::ready(Ok(())))
                },
                ..Feature::named("folders")
            };
            vec![folders, crate::feature()]
        })
        .await;
        Place { program, folder, _dir: dir }
    }

    /// Looks at the file and the tasks, once as after each change and once as after a while.
    async fn sync(&self) {
        tick(self.program.ctx.clone()).await.unwrap();
        tick(self.program.ctx.clone()).await.unwrap();
    }

    fn path(&self) -> PathBuf {
        self.folder.join("tasks.md")
    }

    fn write(&self, text: &str) {
        fs::write(self.path(), text).unwrap();
    }

    fn read(&self) -> String {
        fs::read_to_string(self.path()).unwrap_or_default()
    }

    /// The file without IDs.
    fn plain(&self) -> String {
        let lines = self.read();
        let without = |line: &str| line.split_once(" 🆔 ").map_or(line, |(line, _)| line).to_owned() + "\n";
        lines.lines().map(without).collect()
    }

    /// The tasks in outline order: levels, states, and texts.
    async fn tasks(&self) -> Vec<String> {
        let list = self.program.owner("tasks.list", json!({})).await.unwrap();
        let items = list["items"].as_array().unwrap().clone();
        let of = |task: &Value, name: &str| task[name].as_str().unwrap_or_default().to_owned();
        let level = |task: &Value| {
            let mut level = 0;
            let mut parent = of(task, "parentId");
            while let Some(above) = items.iter().find(|one| of(one, "id") == parent) {
                (level, parent) = (level + 1, of(above, "parentId"));
            }
            level
        };
        items
            .iter()
            .map(|task| format!("{}{} {}", "-".repeat(level(task)), of(task, "state"), of(task, "text")))
            .collect()
    }

    async fn add(&self, text: &str, more: Value) -> String {
        let mut input = json!({"text": text, "hubId": "h1", "plain": true});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.program.owner("tasks.add", input).await.unwrap()["id"].as_str().unwrap().to_owned()
    }

    async fn change(&self, op: &str, input: Value) {
        self.program.owner(op, input).await.unwrap();
    }

    async fn file(&self) -> Value {
        self.program.owner("tasks.files.list", json!({})).await.unwrap()["items"][0].clone()
    }
}

#[tokio::test]
async fn tasks_are_written_and_changes_of_the_file_come_back() {
    let place = Place::start().await;
    place.sync().await;
    assert!(!place.path().exists(), "without tasks there is no file");
    let parent = place.add("Ship it", json!({"due": "2026-05-01", "priority": 1})).await;
    place.add("Test it", json!({"parentId": parent})).await;
    place.sync().await;
    assert_eq!(place.plain(), "- [ ] Ship it 🔺 📅 2026-05-01\n  - [ ] Test it\n");

    let edited = place
        .read()
        .replace("- [ ] Test it", "- [x] Test it well")
        .replace("🔺 📅 2026-05-01", "⏫ 📅 2026-05-02 09:30");
    place.write(&format!("# Plan\n\n{edited}- [ ] New one ⏳ 2026-06-01\n    note of it\n"));
    place.sync().await;
    assert_eq!(place.tasks().await, ["open Ship it", "-done Test it well", "open New one"]);
    let list = place.program.owner("tasks.list", json!({})).await.unwrap();
    assert_eq!((&list["items"][0]["due"], &list["items"][0]["priority"]), (&json!("2026-05-02T09:30"), &json!(2)));
    assert_eq!(list["items"][2]["snoozedUntil"], "2026-06-01");
    assert_eq!(
        place.plain(),
        "# Plan\n\n- [ ] Ship it ⏫ 📅 2026-05-02 09:30\n  - [x] Test it well\n- [ ] New one ⏳ 2026-06-01\n    note of it\n",
        "what is no task stays, and the new one has an ID"
    );
    assert_eq!(place.read().matches('🆔').count(), 3);

    // Another order and another parent.
    let lines: Vec<String> = place.read().lines().map(str::to_owned).collect();
    place.write(&format!("{}\n{}\n  {}\n", lines[4], lines[2], lines[3].trim()));
    place.sync().await;
    assert_eq!(place.tasks().await, ["open New one", "open Ship it", "-done Test it well"]);
    assert_eq!(place.file().await["state"], "synced");
}

#[tokio::test]
async fn both_sides_change_at_once_and_nothing_is_lost() {
    let place = Place::start().await;
    let (a, b) = (place.add("a", json!({})).await, place.add("b", json!({})).await);
    place.add("c", json!({})).await;
    place.sync().await;
    // The file changes a and deletes b and c; the tasks change a and b, and get one below c.
    let text = place.read();
    let line = text.lines().next().unwrap().replace("- [ ] a", "- [ ] a of the file");
    let c = place.program.owner("tasks.list", json!({})).await.unwrap()["items"][2]["id"].clone();
    place.change("tasks.update", json!({"taskId": a, "text": "a of the page", "priority": 2})).await;
    place.change("tasks.update", json!({"taskId": b, "text": "b changed"})).await;
    place.add("below c", json!({"parentId": c})).await;
    place.write(&format!("{line}\n- [ ] d\n"));
    place.sync().await;
    assert_eq!(place.tasks().await, ["open a of the file", "open d", "open b changed", "open below c"]);
    assert_eq!(
        place.plain(),
        "- [ ] a of the file ⏫\n- [ ] d\n- [ ] b changed\n- [ ] below c\n",
        "the file's text wins, and the page's priority stays"
    );
}

#[tokio::test]
async fn an_editor_that_saves_an_older_text_duplicates_nothing() {
    let place = Place::start().await;
    place.write("- [ ] one\n- [ ] two\n");
    place.sync().await;
    let before = place.read();
    // Without the IDs that were written meanwhile.
    place.write("- [ ] one\n- [ ] two\n- [ ] three\n");
    place.sync().await;
    assert_eq!(place.tasks().await, ["open one", "open two", "open three"]);
    assert!(place.read().starts_with(&before), "with the same IDs: {}", place.read());
    // A line that was copied with its ID is another task.
    let first = place.read().lines().next().unwrap().to_owned();
    place.write(&format!("{}{first}\n", place.read()));
    place.sync().await;
    assert_eq!(place.tasks().await, ["open one", "open two", "open three", "open one"]);
}

#[tokio::test]
async fn what_would_delete_many_tasks_waits_for_the_user() {
    let place = Place::start().await;
    for text in ["a", "b", "c", "d", "e", "f"] {
        place.add(text, json!({})).await;
    }
    place.sync().await;
    let whole = place.read();
    let less: String = whole.lines().take(2).map(|line| format!("{line}\n")).collect();
    place.write(&less);
    place.sync().await;
    let file = place.file().await;
    assert_eq!((&file["state"], &file["removes"]), (&json!("held"), &json!(4)));
    assert_eq!(place.tasks().await.len(), 6);
    place.add("g", json!({})).await;
    place.sync().await;
    assert_eq!(place.read(), less, "nothing is written while it waits");

    place.change("tasks.files.keep", json!({"hubId": "h1"})).await;
    assert_eq!(place.tasks().await.len(), 7);
    assert_eq!(place.plain().lines().count(), 7);
    // Deciding again changes nothing.
    place.change("tasks.files.accept", json!({"hubId": "h1"})).await;
    assert_eq!(place.tasks().await.len(), 7);

    fs::remove_file(place.path()).unwrap();
    place.sync().await;
    assert_eq!(place.file().await["detail"], "tasks.md is missing.");
    place.change("tasks.files.accept", json!({"hubId": "h1"})).await;
    assert_eq!(place.tasks().await, [""; 0]);
    refused(place.program.owner("tasks.files.accept", json!({"hubId": "nobody"})).await, "not-found");
}

#[tokio::test]
async fn another_branch_deletes_nothing_by_itself() {
    let place = Place::start().await;
    fs::create_dir(place.folder.join(".git")).unwrap();
    let head = |name: &str| fs::write(place.folder.join(".git/HEAD"), format!("ref: refs/heads/{name}\n")).unwrap();
    head("main");
    for text in ["a", "b", "c", "d", "e"] {
        place.add(text, json!({})).await;
    }
    place.sync().await;
    let whole = place.read();
    let less: String = whole.lines().take(4).map(|line| format!("{line}\n")).collect();
    head("other");
    place.write(&less);
    place.sync().await;
    assert_eq!(place.file().await["state"], "held", "one task of five, but on another branch");
    // Back on the first branch, everything is as before.
    head("main");
    place.write(&whole);
    place.sync().await;
    assert_eq!(place.file().await["state"], "synced");
    assert_eq!(place.tasks().await.len(), 5);
    place.write(&less);
    place.sync().await;
    assert_eq!(place.tasks().await.len(), 4, "on the same branch it's deleted");
}

#[tokio::test]
async fn files_that_cannot_be_used_say_why_and_stay_as_they_are() {
    let place = Place::start().await;
    place.add("a", json!({})).await;
    place.sync().await;
    let good = place.read();
    for (bytes, why) in [
        (b"- [ ] \xff\n".to_vec(), "UTF-8"),
        (format!("<<<<<<< HEAD\n{good}=======\n- [ ] b\n>>>>>>> other\n").into_bytes(), "conflict markers"),
        (vec![b'x'; 5 << 20], "larger than 4 MB"),
    ] {
        fs::write(place.path(), &bytes).unwrap();
        place.program.clock.advance_ms(60_000);
        place.sync().await;
        let file = place.file().await;
        assert_eq!(file["state"], "problem");
        assert!(file["detail"].as_str().unwrap().contains(why), "{file}");
        assert_eq!(fs::read(place.path()).unwrap(), bytes);
    }
    fs::remove_file(place.path()).unwrap();
    fs::create_dir(place.path()).unwrap();
    place.program.clock.advance_ms(60_000);
    place.sync().await;
    assert_eq!(place.file().await["detail"], "tasks.md isn't a file.");
    fs::remove_dir(place.path()).unwrap();
    place.write(&good);
    place.program.clock.advance_ms(60_000);
    place.sync().await;
    assert_eq!(place.file().await["state"], "synced");
    assert_eq!(place.tasks().await, ["open a"]);
}

#[tokio::test]
async fn line_ends_marks_and_tabs_of_a_file_stay() {
    let place = Place::start().await;
    place.write("\u{feff}# Plan\r\n\r\n- [ ] a\r\n\t- [ ] b\r\n");
    place.sync().await;
    place.add("c", json!({})).await;
    place.sync().await;
    let text = place.read();
    assert!(text.starts_with("\u{feff}# Plan\r\n\r\n- [ ] a 🆔 "), "{text:?}");
    assert!(
        text.contains("\r\n\t- [ ] b 🆔 ") && text.matches("\r\n").count() == text.matches('\n').count(),
        "{text:?}"
    );
    assert_eq!(place.tasks().await, ["open a", "-open b", "open c"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_stays_a_link() {
    let place = Place::start().await;
    let target = place.folder.parent().unwrap().join("elsewhere.md");
    fs::write(&target, "- [ ] a\n").unwrap();
    std::os::unix::fs::symlink(&target, place.path()).unwrap();
    place.sync().await;
    assert!(place.path().symlink_metadata().unwrap().is_symlink());
    assert!(fs::read_to_string(&target).unwrap().contains('🆔'));
}

/// Numbers that look random and are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most.max(1)
    }
}

/// Random edits of both sides between syncs: whatever one side added, and neither deleted, is on both sides at the end.
#[tokio::test]
async fn ten_thousand_edits_of_both_sides_lose_no_task() {
    let place = Place::start().await;
    let mut random = Random(7);
    let mut alive: Vec<String> = Vec::new();
    let mut number = 0;
    for round in 0..1_000 {
        // The page's edits, of tasks that the file's edits of this round leave alone.
        let list = place.program.owner("tasks.list", json!({})).await.unwrap();
        let items = list["items"].as_array().unwrap().clone();
        for _ in 0..5 {
            number += 1;
            let task = items.get(random.below(items.len() + 1));
            match (random.below(4), task) {
                (0, Some(task)) => {
                    let priority = random.below(4) + 1;
                    place.change("tasks.update", json!({"taskId": task["id"], "priority": priority})).await;
                }
                (1, Some(task)) if task["state"] == "open" => {
                    place.change("tasks.update", json!({"taskId": task["id"], "state": "done", "only": true})).await;
                }
                _ => {
                    let text = format!("page {number}");
                    place.add(&text, json!({})).await;
                    alive.push(text);
                }
            }
        }
        // The file's edits, as an editor with an older text makes them.
        let mut lines: Vec<String> = place.read().lines().map(str::to_owned).collect();
        for _ in 0..5 {
            number += 1;
            let at = random.below(lines.len());
            match (random.below(5), lines.is_empty()) {
                (0, false) => lines[at] = lines[at].replace("- [ ]", "- [x]"),
                (1, false) => {
                    let line = lines.remove(at);
                    let to = random.below(lines.len() + 1);
                    lines.insert(to, line);
                }
                (2, false) if round % 7 == 0 => {
                    // Deleted in the file, and so on both sides, unless the page changed it in this round.
                    let line = lines.remove(at);
                    let text = line.split(']').nth(1).unwrap_or_default();
                    let words: Vec<&str> = text.split_whitespace().take(2).collect();
                    alive.retain(|one| *one != words.join(" "));
                }
                _ => {
                    let text = format!("file {number}");
                    lines.insert(at, format!("- [ ] {text}"));
                    alive.push(text);
                }
            }
        }
        place.write(&lines.iter().map(|line| format!("{line}\n")).collect::<String>());
        tick(place.program.ctx.clone()).await.unwrap();
        // Keeps the outline small enough for as many rounds.
        if items.len() > 60 {
            for task in items.iter().take(40) {
                let text = task["text"].as_str().unwrap().to_owned();
                let _ = place.program.owner("tasks.delete", json!({"taskId": task["id"]})).await;
                alive.retain(|one| *one != text);
            }
            tick(place.program.ctx.clone()).await.unwrap();
        }
    }
    place.sync().await;
    assert_eq!(place.file().await["state"], "synced", "{}", place.file().await);
    let of_page: Vec<String> =
        place.tasks().await.iter().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect();
    let of_file = super::File::parse(&place.read());
    let of_file: Vec<String> = of_file.tasks().iter().map(|task| task.line.fields.text.clone()).collect();
    assert_eq!(of_page, of_file, "both sides have the same tasks in the same order");
    let lost: Vec<&String> = alive.iter().filter(|text| !of_page.contains(text)).collect();
    assert_eq!(lost, [""; 0], "lost");
}
