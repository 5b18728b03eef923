//! A feature's parts. `crates/app` has the list of features.

use crate::ctx::Ctx;
use crate::error::{Code, Result};
use crate::fault::Fault;
use crate::job::{Job, TimerKind};
use crate::op::Op;
use crate::setting::Spec;
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
}

impl Catalog {
    /// Collects the declarations of these features.
    pub fn from_features(features: &[Feature]) -> Catalog {
        let mut rows: Vec<&'static Spec> = features.iter().flat_map(|f| &f.settings).copied().collect();
        rows.sort_by_key(|spec| spec.position);
        let awaiting = features.iter().flat_map(|f| &f.awaiting).map(|spec| spec.key).collect();
        features.iter().fold(Catalog { rows, awaiting, scopes: BTreeSet::new() }, |all, f| all.with_ops(&f.ops))
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
    /// Runs once when Pilothouse quits normally, before the database is closed. Ends what was started and writes
    /// pending data, within a few seconds. [`NOTHING_TO_END`] if there is nothing to do.
    pub stop: Stop,
}

/// A feature's work when Pilothouse quits normally.
pub type Stop = fn(Ctx) -> BoxFuture<'static, ()>;

/// Ends nothing.
pub const NOTHING_TO_END: Stop = |_| Box::pin(std::future::ready(()));
