//! A feature is a folder that says here what it brings; `crates/app` holds the one list of them.

use crate::ctx::Ctx;
use crate::error::{Code, Result};
use crate::op::Op;
use crate::setting::Spec;
use futures_core::future::BoxFuture;

/// One step of a feature's tables, never changed once released.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// Counts from 1 within its feature.
    pub number: u32,
    /// Statements separated by `;`, each of which both database families take.
    pub sql: &'static str,
}

/// What a feature brings.
pub struct Feature {
    /// Its folder's name.
    pub name: &'static str,
    /// The settings that it declares.
    pub settings: &'static [&'static Spec],
    /// Of those, the keys whose product code is still to be built.
    pub awaiting: &'static [&'static Spec],
    /// Its tables.
    pub migrations: &'static [Migration],
    /// Its error codes.
    pub errors: &'static [&'static Code],
    /// Its operations.
    pub ops: Vec<Op>,
    /// Runs once at start-up, after all migrations: loads what is kept in memory and provides services.
    pub start: fn(Ctx) -> BoxFuture<'static, Result<()>>,
}
