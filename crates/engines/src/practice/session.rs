//! A session of the practice agent, and the file that it is kept in.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The modes, as the default assistant calls them.
pub const MODES: &[(&str, &str)] = &[("default", "Ask first"), ("acceptEdits", "Accept edits"), ("plan", "Plan")];
/// The models that may be chosen; they are all alike.
pub const MODELS: &[(&str, &str)] = &[("practice", "Practice"), ("practice-mini", "Practice mini")];

/// What a session remembers.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct State {
    pub id: String,
    pub cwd: PathBuf,
    pub mode: String,
    pub model: String,
    pub title: Option<String>,
    pub instructions: String,
    /// What was said, by whom.
    pub said: Vec<Said>,
    /// Kinds of tools that it may use without asking again.
    pub allowed: BTreeSet<String>,
    #[serde(skip)]
    pub servers: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Said {
    pub by_person: bool,
    pub text: String,
}

/// A session that is open.
pub struct Session {
    state: Mutex<State>,
    /// Goes up with every cancel.
    pub cancels: watch::Sender<u64>,
    /// One turn runs at a time; the next one waits here.
    pub turn: tokio::sync::Mutex<()>,
    /// Messages to the turn that runs.
    pub steered: Mutex<VecDeque<String>>,
    home: Option<PathBuf>,
}

impl Session {
    pub fn new(state: State, home: Option<PathBuf>) -> Session {
        Session {
            state: Mutex::new(state),
            cancels: watch::Sender::new(0),
            turn: tokio::sync::Mutex::default(),
            steered: Mutex::default(),
            home,
        }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn steered(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.steered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps it, so that it can be gone on with after the agent has ended in whatever way.
    pub fn keep(&self) -> std::io::Result<()> {
        let Some(home) = &self.home else { return Ok(()) };
        let state = self.state();
        std::fs::create_dir_all(home)?;
        let file = file(home, &state.id);
        let new = file.with_extension("new");
        platform::write_private(&new, &serde_json::to_vec(&*state)?)?;
        std::fs::rename(new, file)
    }
}

/// Takes up a session that was kept.
pub fn kept(home: &Path, id: &str) -> Option<State> {
    let is_name = !id.is_empty() && id.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '-');
    if !is_name {
        return None;
    }
    serde_json::from_slice(&std::fs::read(file(home, id)).ok()?).ok()
}

fn file(home: &Path, id: &str) -> PathBuf {
    home.join(format!("practice-{id}.json"))
}
