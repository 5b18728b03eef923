//! A machine for tests: the practice agent runs in this process, and nothing happens because time passes.

use crate::engine_host::{EngineHost, OwnAgent};
use engines::practice::{Place, serve};
use engines::world::{Boxed, Sleep, World};
use engines::{LaunchPlan, Machine, Streams};
use kit::Ctx;
use kit::clock::FixedClock;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Sleeps forever.
pub struct Never;

impl Sleep for Never {
    fn sleep(&self, _: Duration) -> Boxed<()> {
        Box::pin(std::future::pending())
    }
}

/// The practice agent, in this process instead of its own. Its sessions are stored in the plan's folder.
pub fn start_here(plan: &LaunchPlan) -> io::Result<Streams> {
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (input, output) = tokio::io::split(theirs);
    let home = plan.env.get(engines::engine::PRACTICE_HOME).map(PathBuf::from);
    tokio::spawn(serve(input, output, Place { home, sleep: Arc::new(Never) }));
    let (input, output) = tokio::io::split(ours);
    Ok(Streams { input: Box::new(input), output: Box::new(output), errors: None, process: None })
}

/// An engine host whose every engine is the practice agent, on an otherwise empty machine.
pub fn engine_host(ctx: &Ctx) -> EngineHost {
    let clock = Arc::new(FixedClock::at(ctx.now_ms()));
    EngineHost {
        machine: Machine { home: "/home/tester".into(), ..Machine::default() },
        world: World { clock, zone: jiff::tz::TimeZone::UTC, sleep: Arc::new(Never) },
        practice: OwnAgent { program: "/practice".into(), args: Vec::new() },
        start: Arc::new(start_here),
        sandbox: Ok(()),
        memory: Arc::new(|| None),
        end_left_behind: Arc::new(|_: &str| ()),
    }
}
