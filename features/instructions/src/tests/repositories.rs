//! What git does with copies, with real repositories.

use super::{HEADER, Place, git_in};
use serde_json::json;

const COMMITTED: (&str, &str) = ("agentInstructionsSyncGitMode", "committed");

fn committed(mirrors: &[&str]) -> [(&'static str, serde_json::Value); 2] {
    [(COMMITTED.0, json!(COMMITTED.1)), ("agentInstructionsSyncMirrors", json!(mirrors))]
}

impl Place {
    fn exclude(&self) -> String {
        self.read(".git/info/exclude")
    }
}

#[tokio::test]
async fn copies_are_hidden_by_anchored_lines_of_their_own() {
    let place = Place::start(&["AGENTS.md", ".github/alt4-instructions.md"]).await;
    place.repository(&[("PRIMARY.md", "One.")]);
    place.write(".git/info/exclude", "*.log\r\n/ALT1.md");
    place.look().await;
    assert_eq!(place.git(&["status", "--porcelain"]), "");
    let block = "# BEGIN Pilothouse instruction files\n/AGENTS.md\n/.github/alt4-instructions.md\n\
         # END Pilothouse instruction files\n";
    assert_eq!(place.exclude(), format!("*.log\r\n/ALT1.md\n{block}"));
    std::fs::create_dir(place.path("docs")).unwrap();
    place.write("docs/AGENTS.md", "Another.");
    assert_eq!(place.git(&["status", "--porcelain"]), "?? docs/\n", "a file of this name elsewhere isn't hidden");
    place.write(".git/info/exclude", &format!("*.log\r\n/ALT1.md\n{block}/mine\n"));
    place.set(&[]);
    place.look().await;
    assert_eq!(place.exclude(), "*.log\r\n/ALT1.md\n/mine\n");
}

#[tokio::test]
async fn a_tracked_copy_cant_be_hidden() {
    let place = Place::start(&["AGENTS.md", "ALT1.md"]).await;
    place.repository(&[("PRIMARY.md", "One."), ("AGENTS.md", "Old.")]);
    place.look().await;
    place.ask("instructions.replace", json!({"hubId": "h1", "name": "AGENTS.md"})).await;
    place.look().await;
    let note = place.file("AGENTS.md").await["note"].clone();
    assert!(note.as_str().unwrap().starts_with("Git tracks this file"), "{note}");
    assert_eq!(place.file("ALT1.md").await["note"], json!(null));
    assert!(!place.exclude().contains("/AGENTS.md") && place.exclude().contains("/ALT1.md"));
    assert_eq!(place.git(&["status", "--porcelain"]), " M AGENTS.md\n");
    assert_eq!(place.read("AGENTS.md"), format!("{HEADER}One."));
}

#[cfg(unix)]
#[tokio::test]
async fn a_tracked_file_whose_name_differs_only_in_case_is_found_by_its_identity() {
    let place = Place::start(&["AGENTS.md"]).await;
    place.repository(&[("PRIMARY.md", "One."), ("agents.md", "Old.")]);
    place.look().await;
    assert_eq!(place.file("AGENTS.md").await["note"], json!(null), "on this disk it's another file");
    let two = Place::start(&["AGENTS.md"]).await;
    two.repository(&[("PRIMARY.md", "One."), ("agents.md", &format!("{HEADER}One."))]);
    std::fs::hard_link(two.path("agents.md"), two.path("AGENTS.md")).unwrap();
    two.look().await;
    assert!(two.file("AGENTS.md").await["note"].as_str().unwrap().starts_with("Git tracks this file"));
}

#[tokio::test]
async fn worktrees_share_the_exclude_list() {
    let place = Place::start(&["AGENTS.md"]).await;
    place.repository(&[("PRIMARY.md", "One.")]);
    let tree = place.dir.path().join("tree");
    place.git(&["worktree", "add", "--quiet", "-b", "other", tree.to_str().unwrap()]);
    place.add_hub("h2", &tree);
    place.look().await;
    assert_eq!(place.exclude().matches("/AGENTS.md").count(), 1);
    assert_eq!(git_in(&tree, &["status", "--porcelain"]), "");
    // One worktree gets the file from git: the other still needs the line.
    std::fs::write(tree.join("AGENTS.md"), "Mine.").unwrap();
    place.look().await;
    assert_eq!(place.exclude().matches("/AGENTS.md").count(), 1);
    place.set(&[]);
    place.look().await;
    assert_eq!(place.exclude().matches("/AGENTS.md").count(), 0);
}

#[tokio::test]
async fn a_hub_below_the_top_of_its_repository_has_lines_with_its_path() {
    let place = Place::start(&["AGENTS.md"]).await;
    place.repository(&[("PRIMARY.md", "One.")]);
    let inner = place.path("packages[1]");
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(inner.join("PRIMARY.md"), "Inner.").unwrap();
    place.git(&["add", "."]);
    place.git(&["commit", "--quiet", "-m", "Inner"]);
    place.add_hub("h2", &inner);
    place.look().await;
    assert!(place.exclude().contains("\n/packages\\[1]/AGENTS.md\n"), "{}", place.exclude());
    assert_eq!(place.git(&["status", "--porcelain"]), "");
}

#[tokio::test]
async fn copies_are_committed_alone_and_what_is_staged_stays_staged() {
    let place = Place::start(&["AGENTS.md", ".altrules3/base.md"]).await;
    place.repository(&[("PRIMARY.md", "One."), ("code", "a\n")]);
    place.look().await;
    place.write("code", "b\n");
    place.git(&["add", "code"]);
    place.write("code", "c\n");
    place.write("PRIMARY.md", "Two.");
    // A hook that would run leaves a file.
    place.write(".git/hooks/pre-commit", "#!/bin/sh\ntouch hooked\n");
    place.write(".git/hooks/post-commit", "#!/bin/sh\ntouch hooked\n");
    place.git(&["config", "core.hooksPath", ".git/hooks"]);
    place.git(&["config", "commit.gpgSign", "true"]);
    place.set(&committed(&["AGENTS.md", ".altrules3/base.md"]));
    place.look().await;
    assert_eq!(place.git(&["status", "--porcelain"]), " M PRIMARY.md\nMM code\n");
    let changed = place.git(&["show", "--name-status", "--format=%an", "HEAD"]);
    assert_eq!(changed, "Pilothouse\n\nA\t.altrules3/base.md\nA\tAGENTS.md\n");
    assert_eq!(place.git(&["rev-list", "--count", "HEAD"]), "2\n");
    assert_eq!(place.git(&["show", "HEAD:AGENTS.md"]), format!("{HEADER}Two."));
    assert!(!place.exclude().contains("Pilothouse") && !place.has("hooked"));

    place.write("PRIMARY.md", "Three.");
    place.look().await;
    place.look().await;
    assert_eq!(place.git(&["rev-list", "--count", "HEAD"]), "3\n", "one commit for each change");
    place.set(&committed(&["AGENTS.md"]));
    place.look().await;
    let changed = place.git(&["show", "--name-status", "--format=", "HEAD"]);
    assert_eq!(changed, "D\t.altrules3/base.md\n");
    assert_eq!(place.git(&["status", "--porcelain"]), " M PRIMARY.md\nMM code\n");
}

#[tokio::test]
async fn nothing_is_committed_without_a_branch_or_during_a_merge() {
    let place = Place::start(&["AGENTS.md"]).await;
    place.repository(&[("PRIMARY.md", "One.")]);
    place.set(&committed(&["AGENTS.md"]));
    place.git(&["checkout", "--quiet", "--detach"]);
    place.look().await;
    assert_eq!(place.file("AGENTS.md").await["note"], "Not committed yet: no branch is checked out.");
    place.git(&["checkout", "--quiet", "main"]);
    std::fs::write(place.path(".git/MERGE_HEAD"), place.git(&["rev-parse", "HEAD"])).unwrap();
    place.program.clock.advance_ms(30_000);
    place.look().await;
    assert_eq!(place.file("AGENTS.md").await["note"], "Not committed yet: a merge or rebase is in progress.");
    std::fs::remove_file(place.path(".git/MERGE_HEAD")).unwrap();
    assert_eq!(place.git(&["rev-list", "--count", "HEAD"]), "1\n");
    place.program.clock.advance_ms(30_000);
    place.look().await;
    assert_eq!(place.git(&["rev-list", "--count", "HEAD"]), "2\n");
    assert_eq!(place.file("AGENTS.md").await["note"], json!(null));
}

#[tokio::test]
async fn the_first_commit_of_a_repository_can_be_ours_and_ignored_files_arent_committed() {
    let place = Place::start(&[]).await;
    place.git(&["init", "--quiet", "--initial-branch=main"]);
    place.write("PRIMARY.md", "One.");
    place.write(".gitignore", "ALT1.md\n");
    place.set(&committed(&["AGENTS.md", "ALT1.md"]));
    place.look().await;
    assert_eq!(place.git(&["show", "--name-status", "--format=", "HEAD"]), "A\tAGENTS.md\n");
    assert_eq!(place.file("ALT1.md").await["note"], "Not committed: a .gitignore file excludes it.");
}

#[tokio::test]
async fn a_restored_file_is_no_longer_hidden() {
    let place = Place::start(&["AGENTS.md"]).await;
    place.repository(&[("PRIMARY.md", "One.")]);
    place.write("AGENTS.md", "Mine.");
    place.ask("instructions.replace", json!({"hubId": "h1", "name": "AGENTS.md"})).await;
    assert_eq!(place.git(&["status", "--porcelain"]), "");
    place.ask("instructions.restore", json!({"hubId": "h1", "name": "AGENTS.md"})).await;
    assert_eq!(place.git(&["status", "--porcelain"]), "?? AGENTS.md\n");
}

#[cfg(unix)]
#[tokio::test]
async fn an_exclude_list_that_is_a_link_isnt_written() {
    let place = Place::start(&["AGENTS.md"]).await;
    place.repository(&[("PRIMARY.md", "One.")]);
    place.write("bashrc", "Mine.");
    std::fs::remove_file(place.path(".git/info/exclude")).unwrap();
    std::os::unix::fs::symlink("../../bashrc", place.path(".git/info/exclude")).unwrap();
    place.look().await;
    assert_eq!(place.read("bashrc"), "Mine.");
    let rows = place.rows().await;
    assert!(rows.len() == 1 && rows[0].2.contains("it's a link"), "{rows:?}");
}
