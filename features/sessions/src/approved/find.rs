//! Finds what a command may use if it's approved: only credentials that exist.

use super::{Opening, git};
use crate::engine_host::EngineHost;
use ::git::Git;
use engines::{Machine, launch};
use std::io::Read;
use std::path::{Path, PathBuf};
use supervisor::opening::{Access, GIT_LOGIN, Need, SIGNING, access_of, discreet, needs};
use supervisor::sensitive::Sensitive;

/// Maximum bytes of a file that are searched for a credential.
const SEARCHED_BYTES: u64 = 256 * 1024;

/// What a command line may use; `None` if that's nothing that the sandbox hides. Git is asked only for lines that run it.
/// With `is_external`, only what discreet commands need.
pub(crate) async fn find(
    line: &str,
    (cwd, is_external): (&str, bool),
    host: &EngineHost,
    sensitive: &Sensitive,
) -> Option<Opening> {
    let line = if is_external { &*discreet_part(line) } else { line };
    let (needs, machine) = (needs(line), host.machine.clone());
    let git = match needs.iter().any(|need| !matches!(need, Need::Access(_))) {
        true => Git::open(&machine, Path::new(cwd), host.world.sleep.clone()).await.ok(),
        false => None,
    };
    let mut all: Vec<&'static Access> = Vec::new();
    let mut add = |access: &'static Access| {
        if !all.contains(&access) {
            all.push(access);
        }
    };
    let mut has_helper = false;
    let mut runs_git = false;
    for need in needs {
        match need {
            Need::Access(access) => add(access),
            Need::Remote(address) => {
                runs_git = true;
                let addresses = match (address, &git) {
                    (Some(address), _) => vec![address],
                    (None, Some(git)) => git::remotes(git).await,
                    (None, None) => Vec::new(),
                };
                addresses.iter().filter_map(|address| access_of(address)).for_each(&mut add);
            }
            Need::Signature => {
                if let Some(git) = &git
                    && git::signs(git).await
                {
                    runs_git = true;
                    add(&SIGNING);
                }
            }
        }
    }
    if all.contains(&&GIT_LOGIN)
        && let Some(git) = &git
    {
        has_helper = git::has_helper(git).await;
    }
    let named: Vec<(String, &str)> = sensitive
        .command(line, cwd)
        .into_iter()
        .filter(|_| !is_external)
        .filter_map(|mention| Some((sensitive.place(&mention.path, cwd)?, mention.what)))
        .collect();
    let found = tokio::task::spawn_blocking(move || {
        let mut opening = Opening { runs_git, ..Opening::default() };
        for access in all {
            open(&mut opening, access, &machine, has_helper);
        }
        for (place, what) in named {
            let place = PathBuf::from(place);
            if place.exists() && !opening.files.contains(&place) {
                opening.words.push(format!("{what} ({})", shown(&place, &machine)));
                opening.files.push(place);
            }
        }
        opening
    });
    found.await.ok().filter(|opening| !opening.words.is_empty())
}

/// The discreet commands of a line, as a line.
fn discreet_part(line: &str) -> String {
    let words = |(program, args): (String, Vec<String>)| launch::shell_line(&[vec![program], args].concat());
    discreet(line).into_iter().map(words).collect::<Vec<_>>().join("; ")
}

/// Adds credentials of a kind, as far as they exist.
fn open(opening: &mut Opening, access: &'static Access, machine: &Machine, has_helper: bool) {
    let files: Vec<PathBuf> =
        access.files.iter().map(|file| machine.home.join(file)).filter(|file| holds(file, access.signs)).collect();
    let vars: Vec<(&str, &str)> = access.vars.iter().filter_map(|name| Some((*name, machine.var(name)?))).collect();
    if files.is_empty() && vars.is_empty() && !(has_helper && access == &GIT_LOGIN) {
        return;
    }
    let what: Vec<String> =
        files.iter().map(|file| shown(file, machine)).chain(vars.iter().map(|(name, _)| (*name).to_owned())).collect();
    opening.words.push(match &what[..] {
        [] => access.words.to_owned(),
        what => format!("{} ({})", access.words, what.join(", ")),
    });
    opening.vars.extend(vars.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())));
    opening.files.extend(files);
    if access.is_in_services {
        // A keyring, and the agent of GnuPG.
        let services = engines::sandbox::services().into_iter();
        let holds_keys = |path: &PathBuf| path.ends_with("bus") || path.ends_with("gnupg") || path.ends_with("keyring");
        opening.files.extend(services.filter(|path| holds_keys(path) && path.exists()));
        for name in ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"] {
            opening.vars.extend(machine.var(name).map(|value| (name.to_owned(), value.to_owned())));
        }
    }
    if access.vars.contains(&"SSH_AUTH_SOCK") {
        opening.files.extend(machine.var("SSH_AUTH_SOCK").map(PathBuf::from));
    }
}

/// Whether a file exists and contains one of these texts. A folder always counts.
fn holds(path: &Path, signs: &[&str]) -> bool {
    if signs.is_empty() || path.is_dir() {
        return path.exists();
    }
    let mut text = String::new();
    let Ok(file) = std::fs::File::open(path) else { return false };
    let _ = file.take(SEARCHED_BYTES).read_to_string(&mut text);
    signs.iter().any(|sign| text.contains(sign))
}

/// A path, with `~` for the home folder.
fn shown(path: &Path, machine: &Machine) -> String {
    match path.strip_prefix(&machine.home) {
        Ok(rest) => format!("~/{}", rest.display()),
        Err(_) => path.display().to_string(),
    }
}
