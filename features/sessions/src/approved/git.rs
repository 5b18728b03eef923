//! Git, as approved commands run it: what it needs, and which of the repository's configuration doesn't count.

use ::git::Git;

/// Settings of a repository that name a program or a server, which git would then use with the user's credentials. As
/// `git config --get-regexp` expects it, in lower case but for names in the middle.
#[cfg(unix)]
const FOREIGN: &str = r"^(http\.|credential\.|gpg\.|alias\.|url\.|include|core\.(sshcommand|gitproxy|askpass|editor|pager|fsmonitor|hookspath|worktree)$|sequence\.editor$|remote\..*\.(uploadpack|receivepack|vcs|proxy)$|submodule\..*\.update$|(merge|diff)\..*\.(driver|command|textconv)$)";

/// The addresses of a repository's remotes.
pub(super) async fn remotes(git: &Git) -> Vec<String> {
    let listed = git.try_run(&["config", "--null", "--get-regexp", r"^remote\..*\.(url|pushurl)$"]).await;
    let listed = listed.map(|(_, listed)| listed).unwrap_or_default();
    listed.split('\0').filter_map(|entry| entry.split_once('\n')).map(|(_, address)| address.to_owned()).collect()
}

/// Whether the user's git signs commits or tags.
pub(crate) async fn signs(git: &Git) -> bool {
    for (scope, key) in [("--global", "commit.gpgsign"), ("--global", "tag.gpgsign"), ("--local", "commit.gpgsign")] {
        let set = git.try_run(&["config", scope, "--type=bool", "--get", key]).await;
        if set.is_ok_and(|(_, value)| value.trim() == "true") {
            return true;
        }
    }
    false
}

/// Whether the user's git asks another program for logins.
pub(super) async fn has_helper(git: &Git) -> bool {
    git.global("credential.helper").await.is_ok_and(|helpers| helpers.iter().any(|helper| !helper.trim().is_empty()))
}

/// The configuration that overrides the repository's own. Fails with the reason if that has settings which can't be
/// overridden.
#[cfg(unix)]
pub(super) async fn overrides(git: &Git) -> Result<Vec<(String, String)>, String> {
    let listed = git.try_run(&["config", "--null", "--show-scope", "--name-only", "--get-regexp", FOREIGN]).await;
    let (_, listed) = listed.map_err(|why| why.0)?;
    let words: Vec<&str> = listed.split('\0').collect();
    if let Some(pair) = words.chunks_exact(2).find(|pair| matches!(pair[0], "local" | "worktree")) {
        return Err(format!(
            "Not run outside the sandbox: the repository's own configuration sets {}, which could misuse your credentials. \
             Remove it (git config --unset-all {}), or run the command yourself.",
            pair[1], pair[1]
        ));
    }
    let global = async |key: &'static str| git.global(key).await.unwrap_or_default();
    let or = |values: Vec<String>, default: &str| values.into_iter().next_back().unwrap_or_else(|| default.to_owned());
    let mut config = vec![
        ("core.hooksPath".to_owned(), or(global("core.hooksPath").await, "/dev/null")),
        ("core.sshCommand".to_owned(), or(global("core.sshCommand").await, "ssh -o BatchMode=yes")),
        ("core.fsmonitor".to_owned(), "false".to_owned()),
        ("core.askPass".to_owned(), "true".to_owned()),
        ("protocol.ext.allow".to_owned(), "never".to_owned()),
        ("http.sslVerify".to_owned(), or(global("http.sslVerify").await, "true")),
        // Clears the repository's own.
        ("credential.helper".to_owned(), String::new()),
    ];
    config.extend(git.filter_overrides().await.map_err(|why| why.0)?);
    config.extend(global("credential.helper").await.into_iter().map(|helper| ("credential.helper".to_owned(), helper)));
    Ok(config)
}
