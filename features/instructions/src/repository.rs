//! What git does with copies: hides them, or commits them.
//!
//! Invariants: of an exclude list only lines in the marked block are ours, and the rest stays byte for byte; a commit has
//! the copies alone, and the user's index keeps everything else that is staged; the repository's hooks don't run.

use crate::disk::identity_of;
use crate::rows::{self, Copy, State};
use crate::settings::GitMode;
use engines::port::Machine;
use engines::world::RealSleep;
use git::{Failed, Git};
use kit::{Ctx, Result, SpareDir};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::HasDb;

const BEGIN: &str = "# BEGIN Pilothouse instruction files";
const END: &str = "# END Pilothouse instruction files";
/// Maximum bytes of an exclude list that is changed.
const EXCLUDE_BYTES_MAX: u64 = 1024 * 1024;
const MESSAGE: &str = "Update copies of the instruction file";

/// What came of it, besides the notes and lines of the copies.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// What git couldn't do.
    pub(crate) problem: String,
    /// Whether it's to be tried again later.
    pub(crate) is_pending: bool,
}

/// The repository around a folder.
struct Repository {
    git: Git,
    exclude: PathBuf,
    /// The folder below the repository's top, with `/` at the end unless empty.
    prefix: String,
}

impl Repository {
    /// None if the folder is in no repository.
    async fn open(folder: &Path) -> std::result::Result<Option<Repository>, Failed> {
        let is_repository = folder.ancestors().any(|above| above.join(".git").symlink_metadata().is_ok());
        if !is_repository {
            return Ok(None);
        }
        let git = Git::open(&Machine::here(), folder, Arc::new(RealSleep)).await?;
        let asked = ["rev-parse", "--path-format=absolute", "--git-common-dir", "--show-prefix"];
        let (is_done, said) = git.try_run(&asked).await?;
        if !is_done {
            // Such as a folder of another user, or a `.git` that is none.
            return if said.contains("not a git repository") { Ok(None) } else { Err(Failed(said)) };
        }
        let mut lines = said.lines();
        // Not asked from git, which would follow a link.
        let exclude = PathBuf::from(lines.next().unwrap_or_default()).join("info/exclude");
        let prefix = lines.next().unwrap_or_default().to_owned();
        Ok(Some(Repository { git, exclude, prefix }))
    }

    /// Which of these files git tracks, also under a name that differs only in case.
    async fn tracked(&self, names: &[&str]) -> std::result::Result<Vec<String>, Failed> {
        let specs: Vec<String> = names.iter().map(|name| format!(":(icase){name}")).collect();
        let args: Vec<&str> = ["ls-files", "-z", "--"].into_iter().chain(specs.iter().map(String::as_str)).collect();
        let (listed, _) = self.git.records(&args, 100, |_| true).await?;
        let folder = self.git.folder();
        let is_tracked = |name: &&&str| {
            listed.iter().any(|one| {
                one == **name
                    || one.eq_ignore_ascii_case(name)
                        && identity_of(&folder.join(one)).is_some()
                        && identity_of(&folder.join(one)) == identity_of(&folder.join(name))
            })
        };
        Ok(names.iter().filter(is_tracked).map(|name| (*name).to_owned()).collect())
    }

    /// The line that hides a file.
    fn line(&self, name: &str) -> String {
        let mut line = "/".to_owned();
        for c in self.prefix.chars().chain(name.chars()) {
            if "\\*?[".contains(c) {
                line.push('\\');
            }
            line.push(c);
        }
        line
    }

    /// Why nothing can be committed now.
    async fn blocked(&self) -> std::result::Result<Option<&'static str>, Failed> {
        let bisect = self.git.run(&["rev-parse", "--path-format=absolute", "--git-path", "BISECT_LOG"]).await?;
        if self.git.in_progress().await?.is_some() || Path::new(bisect.trim_end_matches('\n')).exists() {
            return Ok(Some("Not committed yet: a merge or rebase is in progress."));
        }
        let (is_branch, _) = self.git.try_run(&["symbolic-ref", "--quiet", "HEAD"]).await?;
        Ok((!is_branch).then_some("Not committed yet: no branch is checked out."))
    }

    /// Commits these files, and that others are gone. Notes for files that couldn't be added.
    async fn commit(
        &self,
        ctx: &Ctx,
        names: &[&str],
        gone: &[&str],
    ) -> std::result::Result<Vec<(String, String)>, Failed> {
        let unmade = |why: std::io::Error| Failed(format!("Couldn't make a folder for the index: {why}."));
        let private = tempfile::Builder::new().tempdir_in(&ctx.service::<SpareDir>().0).map_err(unmade)?;
        let git = &self.git;
        let apart = git.at(git.folder()).with("GIT_INDEX_FILE", &private.path().join("index"));
        let (has_head, head) = git.try_run(&["rev-parse", "--verify", "--quiet", "HEAD"]).await?;
        let head = head.trim();
        apart.run(&["read-tree", if has_head { "HEAD" } else { "--empty" }]).await?;
        let mut notes = Vec::new();
        let mut done = Vec::new();
        for name in names {
            let spec = literal(name);
            let (is_added, said) = apart.try_run(&["add", "--", &spec]).await?;
            match is_added {
                true => done.push(spec),
                false if said.contains("ignored") => {
                    notes.push(((*name).to_owned(), "Not committed: a .gitignore file excludes it.".to_owned()));
                }
                false => notes.push(((*name).to_owned(), format!("Not committed: {said}"))),
            }
        }
        for name in gone {
            let spec = literal(name);
            apart.run(&["rm", "--cached", "--quiet", "--ignore-unmatch", "--", &spec]).await?;
            done.push(spec);
        }
        if done.is_empty() {
            return Ok(notes);
        }
        let tree = apart.run(&["write-tree"]).await?;
        let tree = tree.trim();
        let before = match has_head {
            true => git.run(&["rev-parse", "HEAD^{tree}"]).await?.trim().to_owned(),
            false => String::new(),
        };
        if tree != before {
            let mut args = vec!["commit-tree", tree, "-m", MESSAGE];
            if has_head {
                args.extend(["-p", head]);
            }
            let commit = git.run(&args).await?;
            let old = if has_head { head } else { "" };
            git.run(&["update-ref", "-m", MESSAGE, "HEAD", commit.trim(), old]).await?;
        }
        // The index still has these files as they were.
        let args = ["reset", "--quiet", "--no-refresh", "HEAD", "--"].into_iter();
        let known: Vec<&str> = done.iter().map(String::as_str).collect();
        if tree != before || !git.try_run(&with(&["diff", "--cached", "--quiet", "HEAD", "--"], &known)).await?.0 {
            git.run(&args.chain(known).collect::<Vec<_>>()).await?;
        }
        Ok(notes)
    }
}

fn with<'a>(args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    args.iter().chain(more).copied().collect()
}

/// A path that git takes as it is.
fn literal(path: &str) -> String {
    format!(":(literal){path}")
}

/// Hides or commits a folder's copies, and sets their notes. `gone` are copies that were deleted.
pub(crate) async fn settle(
    ctx: &Ctx,
    account: &str,
    folder: &Path,
    mode: GitMode,
    copies: &mut [Copy],
    gone: &mut [Copy],
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let repository = match Repository::open(folder).await {
        Ok(repository) => repository,
        Err(Failed(why)) => {
            outcome.problem = format!("Git: {why}");
            return Ok(outcome);
        }
    };
    for copy in copies.iter_mut() {
        copy.note.clear();
    }
    let Some(repository) = repository else {
        return Ok(outcome);
    };
    let names: Vec<String> =
        copies.iter().filter(|copy| copy.state == State::InStep).map(|copy| copy.name.clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let tracked = match repository.tracked(&names).await {
        Ok(tracked) => tracked,
        Err(Failed(why)) => {
            outcome.problem = format!("Git: {why}");
            return Ok(outcome);
        }
    };
    let exclude = repository.exclude.to_string_lossy().into_owned();
    let mut added = Vec::new();
    for copy in copies.iter_mut().filter(|copy| copy.state == State::InStep && mode == GitMode::Local) {
        if tracked.contains(&copy.name) {
            copy.note =
                "Git tracks this file, so it can't be hidden. Choose committed, or run `git rm --cached`.".into();
        } else {
            added.push((copy.name.clone(), repository.line(&copy.name)));
        }
    }
    let is_hidden = |copy: &Copy| added.iter().any(|(name, line)| *name == copy.name && *line == copy.exclude.1);
    let mut removed = Vec::new();
    for copy in copies.iter().chain(gone.iter()).filter(|copy| !copy.exclude.1.is_empty() && !is_hidden(copy)) {
        removed.push(copy.exclude.clone());
    }
    let lines: Vec<String> = added.iter().map(|(_, line)| line.clone()).collect();
    if let Err(why) = change_excludes(ctx, account, folder, &repository.exclude, lines, removed).await? {
        outcome.problem = format!("Couldn't change {exclude}: {why}.");
    } else {
        for copy in copies.iter_mut().chain(gone.iter_mut()) {
            let line = added.iter().find(|(name, _)| *name == copy.name).map(|(_, line)| line.clone());
            copy.exclude = line.map_or_else(Default::default, |line| (exclude.clone(), line));
        }
    }
    if mode == GitMode::Committed {
        let gone: Vec<&str> = gone.iter().map(|copy| &*copy.name).collect();
        commit(ctx, &repository, &names, &gone, copies, &mut outcome).await;
    }
    Ok(outcome)
}

async fn commit(
    ctx: &Ctx,
    repository: &Repository,
    names: &[&str],
    gone: &[&str],
    copies: &mut [Copy],
    outcome: &mut Outcome,
) {
    if names.is_empty() && gone.is_empty() {
        return;
    }
    let blocked = repository.blocked().await;
    let noted = match blocked {
        Ok(None) => repository.commit(ctx, names, gone).await,
        Ok(Some(why)) => {
            outcome.is_pending = true;
            Ok(names.iter().map(|name| ((*name).to_owned(), why.to_owned())).collect())
        }
        Err(why) => Err(why),
    };
    match noted {
        Ok(notes) => {
            for copy in copies.iter_mut() {
                if let Some((_, note)) = notes.iter().find(|(name, _)| *name == copy.name) {
                    copy.note.clone_from(note);
                }
            }
        }
        Err(Failed(why)) => {
            outcome.is_pending = true;
            outcome.problem = format!("Couldn't commit the copies: {why}");
        }
    }
}

/// Removes a copy's line from its exclude list, unless another hub needs it.
pub(crate) async fn unhide(ctx: &Ctx, account: &str, folder: &Path, copy: &mut Copy) -> Result<()> {
    if copy.exclude.1.is_empty() {
        return Ok(());
    }
    let (line, file) = (std::mem::take(&mut copy.exclude), PathBuf::new());
    if let Err(why) = change_excludes(ctx, account, folder, &file, Vec::new(), vec![line]).await? {
        copy.note = format!("Couldn't remove its line from git's exclude list: {why}.");
    }
    Ok(())
}

/// Adds lines to an exclude list, and removes others from theirs.
async fn change_excludes(
    ctx: &Ctx,
    account: &str,
    folder: &Path,
    file: &Path,
    added: Vec<String>,
    removed: Vec<(String, String)>,
) -> Result<std::io::Result<()>> {
    let mut ours = Vec::new();
    for line in removed {
        let (account, folder, asked) = (account.to_owned(), folder.to_string_lossy().into_owned(), line.clone());
        if !ctx.db().read(move |tx| rows::is_line_shared(tx, &account, &folder, &asked)).await? {
            ours.push(line);
        }
    }
    let file = file.to_owned();
    let change = move || {
        for (other, line) in ours {
            change_exclude(Path::new(&other), &[], &line)?;
        }
        if added.is_empty() { Ok(()) } else { change_exclude(&file, &added, "") }
    };
    let changed = tokio::task::spawn_blocking(change).await;
    Ok(changed.unwrap_or_else(|fault| Err(std::io::Error::other(fault))))
}

/// Changes the marked block of an exclude list.
fn change_exclude(file: &Path, added: &[String], removed: &str) -> std::io::Result<()> {
    let Some(info) = file.parent() else { return Ok(()) };
    let before = match file.symlink_metadata() {
        // A link could lead to any file of the user's.
        Ok(about) if !about.is_file() || about.len() > EXCLUDE_BYTES_MAX => {
            return Err(std::io::Error::other("it's a link, or too large"));
        }
        Ok(_) => std::fs::read(file)?,
        Err(why) if why.kind() == std::io::ErrorKind::NotFound && added.is_empty() => return Ok(()),
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(why) => return Err(why),
    };
    if info.symlink_metadata().is_ok_and(|about| about.is_symlink()) {
        return Err(std::io::Error::other("its folder is a link"));
    }
    let after = with_lines(&before, added, removed);
    if after == before {
        return Ok(());
    }
    std::fs::create_dir_all(info)?;
    let mut temporary = tempfile::Builder::new().prefix(".pilothouse-").tempfile_in(info)?;
    temporary.write_all(&after)?;
    if let Ok(about) = file.symlink_metadata() {
        temporary.as_file().set_permissions(about.permissions())?;
    }
    temporary.persist(file)?;
    Ok(())
}

/// An exclude list with lines added to its marked block and one removed from it.
fn with_lines(before: &[u8], added: &[String], removed: &str) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = before.split_inclusive(|byte| *byte == b'\n').collect();
    let at = |lines: &[&[u8]], mark: &str| lines.iter().position(|line| line.trim_ascii_end() == mark.as_bytes());
    let block = at(&lines, BEGIN).and_then(|begin| Some((begin, begin + at(&lines[begin..], END)?)));
    let mut ours: Vec<Vec<u8>> = Vec::new();
    let place = match block {
        Some((begin, end)) => {
            ours.extend(lines[begin + 1..end].iter().map(|line| line.trim_ascii_end().to_vec()));
            lines.drain(begin..=end);
            begin
        }
        None => lines.len(),
    };
    ours.retain(|line| line != removed.as_bytes());
    for line in added {
        if !ours.iter().any(|one| one == line.as_bytes()) {
            ours.push(line.clone().into_bytes());
        }
    }
    let mut after = lines[..place].concat();
    if !ours.is_empty() {
        if after.last().is_some_and(|last| *last != b'\n') {
            after.push(b'\n');
        }
        for line in [BEGIN.as_bytes()].into_iter().chain(ours.iter().map(Vec::as_slice)).chain([END.as_bytes()]) {
            after.extend_from_slice(line);
            after.push(b'\n');
        }
    }
    after.extend_from_slice(&lines[place..].concat());
    after
}
