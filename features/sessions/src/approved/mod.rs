//! Approved commands: with the user's approval, one command line runs outside the session's sandbox, in one of its own
//! that opens the credentials of the programs it runs, such as SSH keys for `git push`.
//!
//! Claude and Codex let the hook replace the command. For other engines, programs of the same names stand before git, gh,
//! and npm on `PATH`: an approved one of them runs outside, in forms that can't show what they log in with; all others
//! run in the sandbox as ever.
//!
//! Invariants: an approval runs exactly the line that was shown, once, in the folder that it was requested for; what
//! isn't needed stays hidden; the repository's configuration, which the session can write, runs no program of its own
//! choice there; nothing that such a command started outlives it.
//! Deliberately not here: which programs need what. That's `supervisor::opening`.

mod find;
pub(crate) mod git;
#[cfg(unix)]
mod run;

pub(crate) use find::find;
#[cfg(unix)]
pub use run::{APPROVED, STAND_IN, approved, stand_in};
#[cfg(all(test, unix))]
pub(crate) use run::{Call, Ended, What, ask};
#[cfg(unix)]
pub(crate) use run::{Outside, serve, write_stand_ins};

use engines::port::Env;
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use supervisor::opening::discreet;

/// Maximum replaced lines that are still restored in the transcript.
const REPLACED_MAX: usize = 100;

/// What an approved command may use.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Opening {
    /// Each credential, in words.
    pub(crate) words: Vec<String>,
    /// Files and folders that the sandbox otherwise hides, and services that it otherwise closes.
    pub(crate) files: Vec<PathBuf>,
    /// Environment variables with their values.
    pub(crate) vars: Env,
    /// Whether it runs git.
    pub(crate) runs_git: bool,
}

impl Opening {
    /// The credentials as a list.
    pub(crate) fn list(&self) -> String {
        match &self.words[..] {
            [] => String::new(),
            [one] => one.clone(),
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
        }
    }
}

/// An approved command that hasn't run yet.
#[cfg_attr(not(unix), expect(dead_code, reason = "without a sandbox, commands run as they are"))]
pub(crate) struct Ticket {
    pub(crate) line: String,
    /// The folder that it was requested for.
    pub(crate) cwd: PathBuf,
    pub(crate) opening: Opening,
}

/// A command of an external engine that may run with the user's logins, as its program gets it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Admitted {
    pub(crate) program: String,
    pub(crate) args: Vec<String>,
    pub(crate) opening: Opening,
}

/// The approved commands of a session.
#[derive(Default)]
pub(crate) struct Tickets {
    open: Mutex<HashMap<String, Ticket>>,
    /// Those of an external engine, until its turn ends.
    admitted: Mutex<Vec<Admitted>>,
    /// Lines that ran, and those that the agent wrote, both as they are within a JSON string.
    replaced: Mutex<VecDeque<(String, String)>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tickets {
    /// Admits a command once. Returns the line that runs it: these words and the ticket's.
    pub(crate) fn issue(&self, ticket: Ticket, words: &[String]) -> String {
        let id = kit::ids::secret()[..32].to_owned();
        let line = engines::launch::shell_line(&[words, std::slice::from_ref(&id)].concat());
        self.restore_later(&line, &ticket.line);
        locked(&self.open).insert(id, ticket);
        line
    }

    /// Has the transcript show the line that the agent wrote in place of the one that ran.
    pub(crate) fn restore_later(&self, ran: &str, written: &str) {
        let in_json = |text: &str| {
            let json = Value::from(text).to_string();
            json[1..json.len() - 1].to_owned()
        };
        let mut replaced = locked(&self.replaced);
        replaced.push_back((in_json(ran), in_json(written)));
        if replaced.len() > REPLACED_MAX {
            replaced.pop_front();
        }
    }

    /// Takes a ticket, which is gone then.
    #[cfg(unix)]
    pub(crate) fn take(&self, id: &str) -> Option<Ticket> {
        locked(&self.open).remove(id)
    }

    /// Admits the commands of a line that an external engine runs itself, each once.
    pub(crate) fn admit(&self, line: &str, opening: &Opening) {
        let admitted = discreet(line).into_iter();
        let admitted = admitted.map(|(program, args)| Admitted { program, args, opening: opening.clone() });
        locked(&self.admitted).extend(admitted);
    }

    /// Takes an admitted command, which is gone then.
    #[cfg(unix)]
    pub(crate) fn take_admitted(&self, program: &str, args: &[String]) -> Option<Admitted> {
        let mut all = locked(&self.admitted);
        let at = all.iter().position(|admitted| admitted.program == program && admitted.args == args)?;
        Some(all.swap_remove(at))
    }

    /// Withdraws what the engine didn't run.
    pub(crate) fn end_turn(&self) {
        locked(&self.open).clear();
        locked(&self.admitted).clear();
    }

    /// JSON with the approved lines in place of those that ran them.
    pub(crate) fn restore(&self, mut json: String) -> String {
        for (ran, approved) in locked(&self.replaced).iter() {
            if json.contains(ran) {
                json = json.replace(ran, approved);
            }
        }
        json
    }
}
