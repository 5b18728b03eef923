//! The desktop window of each account: a program that follows commands as long as its stream is open.
//!
//! Invariants: an account has at most one; what is sent while there is none is dropped, never kept for later.

use crate::commands::Command;
use kit::lookup::{ControlWindow, NoteWindow};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Commands that a window program may lag behind.
const WAITING_MAX: usize = 64;

/// Why nothing can be raised without the window.
pub(crate) const NOT_OPEN: &str = "Open the desktop window first: only it can be brought to the front.";

/// The windows.
#[derive(Clone, Default)]
pub(crate) struct Attached(Arc<Mutex<HashMap<Arc<str>, Window>>>);

struct Window {
    number: u64,
    commands: Sender<Command>,
    about: About,
}

/// What a window program says of itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct About {
    /// Its version.
    pub(crate) version: String,
    /// Why the system doesn't let it come to the front; `None` if it does.
    pub(crate) raise_problem: Option<String>,
    /// Why global keys don't work; `None` if they do.
    pub(crate) keys_problem: Option<String>,
}

/// Detaches the window when it's dropped, which is when its stream ends.
pub(crate) struct Lease {
    attached: Attached,
    account: Arc<str>,
    number: u64,
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut windows = self.attached.0.lock().expect("no panic while held");
        if windows.get(&self.account).is_some_and(|window| window.number == self.number) {
            windows.remove(&self.account);
        }
    }
}

impl Attached {
    /// Attaches a window; `None` if the account has one that follows.
    pub(crate) fn attach(&self, account: Arc<str>, about: About) -> Option<(Lease, Receiver<Command>)> {
        let mut windows = self.0.lock().expect("no panic while held");
        let number = windows.values().map(|window| window.number).max().unwrap_or_default() + 1;
        if windows.get(&account).is_some_and(|window| !window.commands.is_closed()) {
            return None;
        }
        let (commands, receiver) = channel(WAITING_MAX);
        windows.insert(account.clone(), Window { number, commands, about });
        Some((Lease { attached: self.clone(), account, number }, receiver))
    }

    /// What the account's window says of itself.
    pub(crate) fn about(&self, account: &str) -> Option<About> {
        let windows = self.0.lock().expect("no panic while held");
        windows.get(account).filter(|window| !window.commands.is_closed()).map(|window| window.about.clone())
    }

    /// Sends a command. Returns whether there is a window that follows.
    pub(crate) fn send(&self, account: &str, command: Command) -> bool {
        let windows = self.0.lock().expect("no panic while held");
        windows.get(account).is_some_and(|window| window.commands.try_send(command).is_ok())
    }
}

impl ControlWindow for Attached {
    fn raise(&self, account: &str, page: Option<&str>) -> bool {
        self.obstacle(account).is_none() && self.send(account, Command::Raise { page: page.map(str::to_owned) })
    }

    fn obstacle(&self, account: &str) -> Option<String> {
        match self.about(account) {
            Some(about) => about.raise_problem,
            None => Some(NOT_OPEN.to_owned()),
        }
    }

    fn open_note(&self, account: &str, note: NoteWindow) {
        self.send(account, note.into());
    }

    fn close_note(&self, account: &str, id: &str) {
        self.send(account, Command::CloseNote { id: id.to_owned() });
    }
}
