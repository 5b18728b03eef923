//! A feature's parts. `crates/app` has the list of features.

use crate::ctx::Ctx;
use crate::error::{Code, Result};
use crate::fault::Fault;
use crate::job::{Job, Reaction, TimerKind};
use crate::op::Op;
use crate::setting::{Setting, Spec};
use futures_core::future::BoxFuture;
use std::collections::{BTreeSet, HashSet};

/// One step of a feature's tables, never changed once released.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// Counts from 1 within its feature.
    pub number: u32,
    /// Statements separated by `;`, valid in both kinds of databases.
    pub sql: &'static str,
}

/// Every setting and scope of the program: the union of what its features declare. Provided as a service before they start.
#[derive(Debug, Default)]
pub struct Catalog {
    /// By area and section, in the order of the specification.
    pub rows: Vec<&'static Spec>,
    /// Keys of settings that aren't implemented yet.
    pub awaiting: HashSet<&'static str>,
    /// Scopes that operations require of a session's token.
    pub scopes: BTreeSet<&'static str>,
    /// Kinds of inbox rows.
    pub inbox_kinds: Vec<&'static InboxKind>,
    /// What features spend money for.
    pub purposes: Vec<&'static Purpose>,
    /// What keeps settings from having an effect here.
    pub obstacles: Vec<&'static Obstacle>,
    /// The names of reactions, with the names of the events that concern each.
    pub reactions: Vec<(&'static str, &'static [&'static str])>,
}

impl Catalog {
    /// The kind of inbox rows of this name.
    pub fn inbox_kind(&self, name: &str) -> Option<&'static InboxKind> {
        self.inbox_kinds.iter().find(|kind| kind.name == name).copied()
    }

    /// Collects the declarations of these features.
    pub fn from_features(features: &[Feature]) -> Catalog {
        let mut rows: Vec<&'static Spec> = features.iter().flat_map(|f| &f.settings).copied().collect();
        rows.sort_by_key(|spec| spec.position);
        let awaiting = features.iter().flat_map(|f| &f.awaiting).map(|spec| spec.key).collect();
        let purposes = features.iter().flat_map(|f| f.purposes).copied().collect();
        let inbox_kinds = features.iter().flat_map(|f| f.inbox_kinds).copied().collect();
        let reactions = features.iter().flat_map(|f| &f.reactions).map(|one| (one.timer.name, one.events)).collect();
        let obstacles = features.iter().flat_map(|f| f.obstacles).collect();
        let all = Catalog { rows, awaiting, scopes: BTreeSet::new(), inbox_kinds, purposes, obstacles, reactions };
        features.iter().fold(all, |all, f| all.with_ops(&f.ops))
    }

    /// Adds operations of no feature: the server's own.
    pub fn with_ops(mut self, ops: &[Op]) -> Catalog {
        self.scopes.extend(ops.iter().flat_map(Op::scopes));
        self
    }

    /// The row with this key.
    pub fn find(&self, key: &str) -> Option<&'static Spec> {
        self.rows.iter().find(|spec| spec.key == key).copied()
    }
}

/// What an inbox row asks of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Nothing: it informs.
    Nothing,
    /// A look, because something can't go on without the user.
    Attention,
    /// An answer that somebody waits for. Such a row can't be dismissed.
    Answer,
}

/// A kind of inbox row. The feature that posts such rows declares it.
#[derive(Debug)]
pub struct InboxKind {
    /// As stored and sent.
    pub name: &'static str,
    /// What the page calls it.
    pub label: &'static str,
    /// The page's icon of it.
    pub icon: &'static str,
    /// What it asks of the user.
    pub need: Need,
    /// The setting that hides its rows while off; `None` if they always show.
    pub shown_by: Option<&'static Setting<bool>>,
    /// How quiet hours and Focus Mode treat its notifications.
    pub urgency: Urgency,
    /// Whether its rows report that work is done, which sounds different.
    pub is_done: bool,
}

impl InboxKind {
    /// A kind of rows that only inform, always show, and notify at any time.
    pub const fn new(name: &'static str, label: &'static str, icon: &'static str) -> InboxKind {
        InboxKind { name, label, icon, need: Need::Nothing, shown_by: None, urgency: Urgency::Normal, is_done: false }
    }
    /// The same kind, of rows that ask this of the user.
    pub const fn asking(self, need: Need) -> InboxKind {
        InboxKind { need, ..self }
    }
    /// The same kind, hidden while this setting is off.
    pub const fn shown_by(self, setting: &'static Setting<bool>) -> InboxKind {
        InboxKind { shown_by: Some(setting), ..self }
    }
    /// The same kind, of rows that report that work is done.
    pub const fn done(self) -> InboxKind {
        InboxKind { is_done: true, ..self }
    }
    /// The same kind, with this urgency.
    pub const fn urgency(self, urgency: Urgency) -> InboxKind {
        InboxKind { urgency, ..self }
    }
}

/// How quiet hours and Focus Mode treat the notifications of a kind of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// Focus Mode holds them.
    Normal,
    /// They are of boards: quiet hours hold them, too.
    OfBoard,
    /// Nothing holds them.
    Always,
    /// They are notices from Pilothouse itself: an outage, a failed job, a limit of costs. A setting turns their
    /// notifications off.
    Notice,
}

/// A feature.
pub struct Feature {
    /// Its folder's name.
    pub name: &'static str,
    /// The settings that it declares.
    pub settings: Vec<&'static Spec>,
    /// Settings that aren't implemented yet.
    pub awaiting: Vec<&'static Spec>,
    /// Its tables.
    pub migrations: &'static [Migration],
    /// Its error codes.
    pub errors: &'static [&'static [&'static Code]],
    /// Its own codes of problems with single fields.
    pub faults: &'static [&'static [Fault]],
    /// The kinds of inbox rows that it posts.
    pub inbox_kinds: &'static [&'static InboxKind],
    /// What it spends money for.
    pub purposes: &'static [&'static Purpose],
    /// What keeps its settings from having an effect on this machine.
    pub obstacles: &'static [Obstacle],
    /// Its operations.
    pub ops: Vec<Op>,
    /// Groups of commands: their words (`boards views`) and a line for help.
    pub groups: &'static [(&'static str, &'static str)],
    /// Runs once at start-up, after all migrations. Loads data into memory and provides services.
    pub start: fn(Ctx) -> BoxFuture<'static, Result<()>>,
    /// Its repeated work.
    pub jobs: Vec<Job>,
    /// Its kinds of timers.
    pub timers: Vec<TimerKind>,
    /// What it does when other features report something.
    pub reactions: Vec<Reaction>,
    /// Runs once when Pilothouse quits normally, before the database is closed. Ends what was started and writes
    /// pending data, within a few seconds. [`NOTHING_TO_END`] if there is nothing to do.
    pub stop: Stop,
}

impl Feature {
    /// A feature of this name that declares nothing yet.
    pub const fn named(name: &'static str) -> Feature {
        Feature {
            name,
            settings: Vec::new(),
            awaiting: Vec::new(),
            migrations: &[],
            errors: &[],
            faults: &[],
            inbox_kinds: &[],
            purposes: &[],
            obstacles: &[],
            ops: Vec::new(),
            groups: &[],
            start: |_| Box::pin(std::future::ready(Ok(()))),
            jobs: Vec::new(),
            timers: Vec::new(),
            reactions: Vec::new(),
            stop: NOTHING_TO_END,
        }
    }
}

/// What money is spent for. The ledger stores its name.
#[derive(Debug)]
pub struct Purpose {
    /// As stored and sent.
    pub name: &'static str,
    /// As shown.
    pub label: &'static str,
}

/// Tells why a setting has no effect on this machine now.
#[derive(Debug)]
pub struct Obstacle {
    /// The setting.
    pub setting: &'static Setting<bool>,
    /// The reason for this account as a sentence; `None` if it has an effect.
    pub why: fn(&Ctx, &str) -> Option<String>,
}

/// A feature's work when Pilothouse quits normally.
pub type Stop = fn(Ctx) -> BoxFuture<'static, ()>;

/// Ends nothing.
pub const NOTHING_TO_END: Stop = |_| Box::pin(std::future::ready(()));
