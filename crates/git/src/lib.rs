//! The user's own git, run in folders that agents work in.
//!
//! Invariants: git gets only a few variables of the program's environment; the repository's configuration can't run
//! hooks, filters, merge drivers, editors, or signing, and git never prompts; every command ends after [`WITHIN`]; names are checked
//! first, and placed where git can't read them as options.

use engines::launch;
use engines::port::{Env, Machine};
use engines::probe::find;
use engines::world::Sleep;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt};
use tokio::process::{ChildStdout, Command};

/// Maximum duration of a command: some write a large folder.
const WITHIN: Duration = Duration::from_secs(300);
/// Maximum bytes read of a command's output.
pub const ANSWER_BYTES: u64 = 1024 * 1024;
/// Maximum bytes of a record in a list; longer ones are skipped.
const RECORD_BYTES: u64 = 64 * 1024;
/// Maximum characters of git's error message that are shown.
const SAID_CHARS: usize = 500;
/// Maximum bytes of a branch name.
const BRANCH_BYTES_MAX: usize = 200;

/// Variables with which the user's own commands log in to a host.
const LOGINS: &[&str] = &[
    "SSH_AUTH_SOCK",
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "GH_HOST",
    "GH_CONFIG_DIR",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
];

/// Settings that keep a repository from running programs of its choice.
const SAFE: &[(&str, &str)] = &[
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.editor", "true"),
    ("core.pager", "cat"),
    ("core.askPass", "true"),
    ("commit.gpgSign", "false"),
    ("credential.helper", ""),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("protocol.ext.allow", "never"),
    ("submodule.recurse", "false"),
];

/// Settings that keep a repository from changing the form of what is read here.
const PLAIN: &[(&str, &str)] = &[
    ("color.ui", "false"),
    ("color.diff", "false"),
    ("color.status", "false"),
    ("diff.noprefix", "false"),
    ("diff.mnemonicPrefix", "false"),
    ("diff.srcPrefix", "a/"),
    ("diff.dstPrefix", "b/"),
    ("diff.relative", "false"),
    ("diff.submodule", "short"),
    ("diff.interHunkContext", "0"),
    ("diff.suppressBlankEmpty", "false"),
    ("apply.ignoreWhitespace", "no"),
];

/// Compares only which commit a submodule is on. Git would look into it with the submodule's own configuration, which
/// names programs to run: see [`Git::submodule`].
pub const POINTERS: &str = "--ignore-submodules=dirty";

/// A failed git command, with git's message.
#[derive(Debug)]
pub struct Failed(pub String);

type Done<T> = Result<T, Failed>;

/// Git in one folder.
pub struct Git {
    program: PathBuf,
    folder: PathBuf,
    env: Env,
    config: Vec<(String, String)>,
    sleep: Arc<dyn Sleep>,
}

impl Git {
    /// Git in a folder, with filters from the repository's own configuration disabled.
    pub async fn open(machine: &Machine, folder: &Path, sleep: Arc<dyn Sleep>) -> Done<Git> {
        let missing = || Failed("git isn't installed or isn't on PATH. Install it, then retry.".into());
        let program = find("git", machine).ok_or_else(missing)?;
        let mut env = launch::env(machine, &["GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "XDG_CONFIG_HOME"]);
        for (name, value) in [
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_EDITOR", "true"),
            // Looking at a folder must not make a command of its agent fail on a locked index.
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("LC_ALL", "C"),
        ] {
            env.insert(name.into(), value.into());
        }
        for who in ["AUTHOR", "COMMITTER"] {
            env.insert(format!("GIT_{who}_NAME"), "Pilothouse".into());
            env.insert(format!("GIT_{who}_EMAIL"), "pilothouse@localhost".into());
        }
        let config = SAFE.iter().chain(PLAIN).map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let mut git = Git { program, folder: folder.to_owned(), env, config, sleep };
        git.config.extend(git.filter_overrides().await?);
        Ok(git)
    }

    /// The folder that it runs in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The same git in another folder of the repository.
    pub fn at(&self, folder: &Path) -> Git {
        let (program, env, config, sleep) =
            (self.program.clone(), self.env.clone(), self.config.clone(), self.sleep.clone());
        Git { program, folder: folder.to_owned(), env, config, sleep }
    }

    /// Git in a submodule, with the filters of the submodule's configuration disabled; none if it isn't checked out.
    pub async fn submodule(&self, path: &str) -> Done<Option<Git>> {
        let folder = self.folder.join(path);
        let is_folder = tokio::fs::symlink_metadata(&folder).await.is_ok_and(|found| found.is_dir());
        if !is_folder || !tokio::fs::try_exists(folder.join(".git")).await.unwrap_or(false) {
            return Ok(None);
        }
        let mut git = self.reopened(&folder).await?;
        // It has an index of its own.
        git.env.remove("GIT_INDEX_FILE");
        Ok(Some(git))
    }

    /// The same git in a folder with its own configuration, such as another worktree, with its filters disabled too.
    pub async fn reopened(&self, folder: &Path) -> Done<Git> {
        let mut git = self.at(folder);
        git.config.extend(git.filter_overrides().await?);
        Ok(git)
    }

    /// The same git with another environment variable.
    pub fn with(mut self, name: &str, value: &Path) -> Git {
        self.env.insert(name.into(), value.to_string_lossy().into_owned());
        self
    }

    /// Settings that disable the repository's own filters and merge drivers, since sessions can write its configuration.
    /// Those that the user configured globally stay active. A file of a disabled driver conflicts.
    pub async fn filter_overrides(&self) -> Done<Vec<(String, String)>> {
        let listed = self.try_run(&[
            "config",
            "--null",
            "--show-scope",
            "--name-only",
            "--get-regexp",
            r"^(filter\.|merge\..*\.driver$)",
        ]);
        let (_, listed) = listed.await?;
        let words: Vec<&str> = listed.split('\0').collect();
        let own = words.chunks_exact(2).filter(|pair| matches!(pair[0], "local" | "worktree"));
        let is_false = |name: &str| name.ends_with(".required") || name.starts_with("merge.");
        let off = |name: &str| if is_false(name) { "false" } else { "" }.to_owned();
        Ok(own.map(|pair| (pair[1].to_owned(), off(pair[1]))).collect())
    }

    /// Runs a command. Returns its output if it succeeded.
    pub async fn run(&self, args: &[&str]) -> Done<String> {
        match self.try_run(args).await? {
            (true, said) => Ok(said),
            (false, said) => Err(Failed(format!("git {} failed: {said}", args[0]))),
        }
    }

    /// Runs a command. Returns whether it succeeded, with its output or error message.
    pub async fn try_run(&self, args: &[&str]) -> Done<(bool, String)> {
        let (is_done, out, err) = self.output(args).await?;
        Ok((is_done, if is_done { out } else { err }))
    }

    /// Runs a command. Returns whether it succeeded, its output, and the start of its error message.
    pub async fn output(&self, args: &[&str]) -> Done<(bool, String, String)> {
        self.output_of(&self.program, args, ANSWER_BYTES).await
    }

    /// The same with another maximum of bytes.
    pub async fn output_within(&self, bytes: u64, args: &[&str]) -> Done<(bool, String, String)> {
        self.output_of(&self.program, args, bytes).await
    }

    async fn output_of(&self, program: &Path, args: &[&str], bytes: u64) -> Done<(bool, String, String)> {
        self.reading(program, args, async |out| read(out, bytes).await).await
    }

    /// Runs a command that lists records that end with NUL. Returns the first of those wanted, and how many there are.
    pub async fn records(
        &self,
        args: &[&str],
        max: usize,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Done<(Vec<String>, usize)> {
        let listed = async |out| read_records(out, max, is_wanted).await;
        match self.reading(&self.program, args, listed).await? {
            (true, listed, _) => Ok(listed),
            (false, _, why) => Err(Failed(format!("git {} failed: {why}", args[0]))),
        }
    }

    async fn reading<T>(
        &self,
        program: &Path,
        args: &[&str],
        reader: impl AsyncFnOnce(Option<ChildStdout>) -> T,
    ) -> Done<(bool, T, String)> {
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.folder).env_clear().envs(&self.env);
        command.env("GIT_CONFIG_COUNT", self.config.len().to_string());
        for (at, (key, value)) in self.config.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{at}"), key).env(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().map_err(|why| Failed(format!("Couldn't start git: {why}.")))?;
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let answered = async {
            let (out, err) = tokio::join!(reader(out), read(err, ANSWER_BYTES));
            (out, err, child.wait().await)
        };
        let (out, err, ended) = tokio::select! {
            answered = answered => answered,
            () = self.sleep.sleep(WITHIN) => {
                return Err(Failed(format!("git {} was stopped after {} seconds.", args[0], WITHIN.as_secs())));
            }
        };
        match ended {
            Ok(status) => Ok((status.success(), out, err.trim().chars().take(SAID_CHARS).collect())),
            Err(why) => Err(Failed(format!("git {} didn't finish: {why}.", args[0]))),
        }
    }

    /// Runs another program in the folder with the logins that it needs. Returns its output if it succeeded.
    pub async fn run_other(&self, program: &Path, machine: &Machine, args: &[&str]) -> Done<String> {
        let mut other = self.at(&self.folder);
        other.env.extend(launch::env(machine, LOGINS));
        match other.output_of(program, args, ANSWER_BYTES).await? {
            (true, out, _) => Ok(out),
            (false, _, err) => Err(Failed(err)),
        }
    }

    /// The same git with the user's own credential helpers and SSH agent, for the user's own commands. Helpers of the
    /// repository's configuration stay disabled.
    pub async fn with_credentials(&self, machine: &Machine) -> Done<Git> {
        let mut git = self.at(&self.folder);
        git.env.extend(launch::env(machine, LOGINS));
        git.env.insert("GIT_SSH_COMMAND".into(), "ssh -o BatchMode=yes".into());
        let helpers = git.global("credential.helper").await?;
        git.config.extend(helpers.into_iter().map(|helper| ("credential.helper".to_owned(), helper)));
        Ok(git)
    }

    /// The values of a setting in the user's own configuration.
    pub async fn global(&self, key: &str) -> Done<Vec<String>> {
        let (_, values) = self.try_run(&["config", "--global", "--get-all", key]).await?;
        Ok(values.lines().map(str::to_owned).collect())
    }

    /// An operation in progress in the folder's checkout, such as `rebase`.
    pub async fn in_progress(&self) -> Done<Option<&'static str>> {
        let files = [
            ("MERGE_HEAD", "merge"),
            ("rebase-merge", "rebase"),
            ("rebase-apply", "rebase"),
            ("CHERRY_PICK_HEAD", "cherry-pick"),
            ("REVERT_HEAD", "revert"),
        ];
        let folder = self.run(&["rev-parse", "--path-format=absolute", "--git-dir"]).await?;
        let folder = Path::new(folder.trim_end_matches('\n'));
        Ok(files.into_iter().find(|(file, _)| folder.join(file).exists()).map(|(_, what)| what))
    }

    /// Whether a branch with this name exists.
    pub async fn has_branch(&self, branch: &str) -> Done<bool> {
        Ok(self.try_run(&["show-ref", "--verify", "--quiet", &format!("refs/heads/{branch}")]).await?.0)
    }
}

/// Reads to the end, but keeps only the maximum number of bytes.
async fn read(from: Option<impl AsyncRead + Unpin>, max: u64) -> String {
    let Some(mut from) = from else { return String::new() };
    let mut bytes = Vec::new();
    let _ = (&mut from).take(max).read_to_end(&mut bytes).await;
    let _ = tokio::io::copy(&mut from, &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads records that end with NUL to the end, but keeps only the first ones.
async fn read_records(
    from: Option<impl AsyncRead + Unpin>,
    max: usize,
    is_wanted: impl Fn(&str) -> bool,
) -> (Vec<String>, usize) {
    let (mut kept, mut count) = (Vec::new(), 0);
    let Some(from) = from else { return (kept, count) };
    let mut from = tokio::io::BufReader::with_capacity(64 * 1024, from);
    let mut record = Vec::new();
    // A name has no maximum in git: what is longer than any path is cut.
    while let Ok(1..) = (&mut from).take(RECORD_BYTES).read_until(0, &mut record).await {
        if record.pop_if(|last| *last == 0).is_none() {
            record.clear();
            continue;
        }
        let text = String::from_utf8_lossy(&record);
        if is_wanted(&text) {
            count += 1;
            if kept.len() < max {
                kept.push(text.into_owned());
            }
        }
        record.clear();
    }
    (kept, count)
}

/// Whether git accepts this branch name: by git's own rules, and nothing that could be read as an option or a revision.
pub fn is_branch(name: &str) -> bool {
    let is_sign = |c: char| c.is_control() || c.is_whitespace() || r#"~^:?*[\"'`$;|&<>(){}!#"#.contains(c);
    let is_part = |part: &str| {
        !part.is_empty() && !part.starts_with(['.', '-']) && !part.ends_with('.') && !part.ends_with(".lock")
    };
    name.len() <= BRANCH_BYTES_MAX
        && name.split('/').all(is_part)
        && !name.contains(is_sign)
        && !name.contains("..")
        && !name.contains("@{")
        && !matches!(name, "@" | "HEAD")
        && !name.starts_with("refs/")
}

/// A text as part of a branch or folder name.
pub fn slug(text: &str) -> String {
    const CHARS_MAX: usize = 40;
    let mut slug = String::new();
    for c in text.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => slug.push(c),
            _ if slug.ends_with('-') || slug.is_empty() => {}
            _ => slug.push('-'),
        }
        if slug.len() == CHARS_MAX {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "session".to_owned() } else { slug.to_owned() }
}
