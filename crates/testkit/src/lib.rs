//! What tests of features share: a whole program without a network, a fixed clock, and one `check`.
//!
//! Invariant: nothing here sleeps or reads the machine's clock, and only [`stub`] opens a port, a loopback one. Dev-dependency only.

pub mod stub;
pub mod values;
pub mod workbook;

use events::Bus;
use kit::clock::FixedClock;
use kit::lookup::Served;
use kit::{Body, Call, Caller, Catalog, Ctx, DataDir, Feature, Kind, Migration, Op, Reply, SpareDir};
use schedule::{HasSchedule, Schedule};
use serde_json::{Map, Value};
use std::sync::Arc;
use store::{Db, HasDb};
use tempfile::TempDir;

/// The instant at which every test begins: 2026-03-01 12:00:00 UTC.
pub const START_MS: i64 = 1_772_366_400_000;
/// The first account of a test.
pub const ACCOUNT: &str = "account-1";
/// A second account, which must see nothing of the first.
pub const OTHER_ACCOUNT: &str = "account-2";

/// Some features over a database of their own.
pub struct Program {
    /// What handlers are handed.
    pub ctx: Ctx,
    /// The clock, to be turned by hand.
    pub clock: Arc<FixedClock>,
    ops: Vec<Op>,
    dir: Arc<TempDir>,
    spare: Arc<TempDir>,
    features: fn() -> Vec<Feature>,
}

/// The tables of features, and of what every program has.
pub fn migrations(features: &[Feature]) -> Vec<(&'static str, &'static [Migration])> {
    let tables =
        [(schedule::NAME, schedule::MIGRATIONS), (ledger::NAME, ledger::MIGRATIONS), (links::NAME, links::MIGRATIONS)];
    tables.into_iter().chain(features.iter().map(|feature| (feature.name, feature.migrations))).collect()
}

impl Program {
    /// Starts the features on an empty database.
    pub async fn start(features: fn() -> Vec<Feature>) -> Program {
        let folder = || Arc::new(TempDir::new().expect("a temporary folder"));
        Self::start_in(folder(), folder(), Arc::new(FixedClock::at(START_MS)), features).await
    }

    /// Ends the features in order and starts them again on the same database.
    pub async fn restart(self) -> Program {
        for feature in (self.features)() {
            (feature.stop)(self.ctx.clone()).await;
        }
        self.crash().await
    }

    /// Starts the features again on the same database, as after a crash.
    pub async fn crash(self) -> Program {
        let Program { dir, spare, clock, features, ctx, .. } = self;
        ctx.db().close().await;
        Self::start_in(dir, spare, clock, features).await
    }

    /// Restores the newest backup, and starts the features again.
    pub async fn restore(self) -> Program {
        let Program { dir, spare, clock, features, ctx, .. } = self;
        ctx.db().close().await;
        store::restore(dir.path(), None, &migrations(&features())).expect("the backup is restored");
        Self::start_in(dir, spare, clock, features).await
    }

    async fn start_in(
        dir: Arc<TempDir>,
        spare: Arc<TempDir>,
        clock: Arc<FixedClock>,
        features: fn() -> Vec<Feature>,
    ) -> Program {
        let all = features();
        let migrations = migrations(&all);
        let ctx = Ctx::new(clock.clone());
        ctx.provide(Arc::new(Db::open(&dir.path().join("pilothouse.db"), &migrations).expect("the database opens")));
        ctx.provide(Arc::new(Bus::default()));
        ctx.provide(Arc::new(DataDir(dir.path().to_owned())));
        ctx.provide(Arc::new(SpareDir(spare.path().to_owned())));
        ctx.provide(Arc::new(Catalog::from_features(&all)));
        ctx.provide(Arc::new(Schedule::new(&all)));
        // Nothing listens: what is started is told an address all the same.
        ctx.provide(Arc::new(Served(Box::new(|| Box::pin(std::future::ready("http://127.0.0.1:9".into()))))));
        for feature in &all {
            (feature.start)(ctx.clone()).await.expect("the feature starts");
        }
        ctx.schedule().load(&ctx).await.expect("the schedule is read");
        let ops = all.into_iter().flat_map(|f| f.ops).collect();
        Program { ctx, clock, ops, dir, spare, features }
    }

    /// Runs every job of the features once, due or not.
    pub async fn do_chores(&self) {
        for job in (self.features)().into_iter().flat_map(|feature| feature.jobs) {
            (job.run)(self.ctx.clone()).await.unwrap_or_else(|e| panic!("{}: {e}", job.what));
        }
    }

    /// Runs the jobs and fires the timers that are due by the test's clock.
    pub async fn run_due(&self) {
        self.ctx.schedule().run_due(&self.ctx).await.expect("the program isn't ending");
    }

    /// Fires the timers that are due by the test's clock.
    pub async fn fire_timers(&self) {
        self.ctx.schedule().fire_due(&self.ctx).await.expect("the program isn't ending");
    }

    /// The folder that the database is in.
    pub fn dir(&self) -> &std::path::Path {
        self.dir.path()
    }

    /// Calls an operation by its name through the one door.
    pub async fn call(&self, call: Call, op: &str, input: Value) -> Result<Reply, kit::Error> {
        let op = self.ops.iter().find(|o| o.name == op).unwrap_or_else(|| panic!("there is no operation {op}"));
        let input = match input {
            Value::Object(members) => members,
            Value::Null => Map::new(),
            other => panic!("an input is an object, not {other}"),
        };
        kit::call(&self.ctx, op, call, input).await
    }

    /// Calls as the first account's owner; the JSON of the answer, or the error's code and detail.
    pub async fn owner(&self, op: &str, input: Value) -> Result<Value, kit::Error> {
        self.as_caller(Caller::new(Kind::Owner, ACCOUNT, "test"), op, input).await
    }

    /// Calls as any caller.
    pub async fn as_caller(&self, caller: Caller, op: &str, input: Value) -> Result<Value, kit::Error> {
        self.call(Call::new(caller), op, input).await.map(|reply| json_of(&reply))
    }
}

/// The JSON body of a reply, or null where it has none.
pub fn json_of(reply: &Reply) -> Value {
    match &reply.body {
        Body::Whole(bytes) if bytes.is_empty() => Value::Null,
        Body::Whole(bytes) => serde_json::from_slice(bytes).expect("the body is JSON"),
        Body::Parts(parts) => serde_json::from_slice(&parts.concat()).expect("the body is JSON"),
        Body::Stream(_) => panic!("the answer is a stream"),
    }
}

/// Asserts that an operation was refused with this code.
#[track_caller]
pub fn refused<T>(outcome: Result<T, kit::Error>, code: &str) -> kit::Error {
    match outcome {
        Ok(_) => panic!("expected {code}, but it succeeded"),
        Err(e) if e.code().name == code => e,
        Err(e) => panic!("expected {code}, but got {e}"),
    }
}
