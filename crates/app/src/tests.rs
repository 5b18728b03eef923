//! What holds over all features together.

mod abandoned_rows;
mod access;
mod alarm_sound;
mod audit;
mod board_events;
mod boundaries;
mod catalog;
mod changes;
mod command_line;
mod door;
mod every_setting;
mod generated;
mod imported;
mod isolation;
mod models;
mod offline;
mod own_token;
mod permanent;
mod schedule;
mod seen;
mod sessions;
mod snapshots;
mod sprints;
mod switches;
mod tasks;

use crate::features;
use kit::{Authenticator, Caller, Feature, Kind};
use serde_json::Value;
use std::iter;
use std::sync::Arc;
use std::time::Duration;
use testkit::Program;

/// Every feature on an empty database, without a door.
pub(crate) async fn program() -> Program {
    let program = Program::start(|| iter::once(machine()).chain(features::all()).collect()).await;
    // With what the server's own operations declare.
    program.ctx.provide(Arc::new(features::catalog()));
    program.ctx.provide(Arc::new(dashboards::PublicDoor(Box::new(Shown))));
    program
}

/// Sessions run in this process, on a machine without anything.
fn machine() -> Feature {
    Feature {
        start: |ctx| {
            let launched = Arc::new(sessions::Launched::default());
            ctx.provide(launched.clone());
            let spare = ctx.service::<kit::SpareDir>().0.clone();
            ctx.provide(Arc::new(::sessions::PracticeFolder(spare.join("practice"))));
            ctx.provide(Arc::new(::sessions::worktrees::WorkDir(spare.join("work"))));
            let mut host = ::sessions::testing::engine_host(&ctx);
            // Git is the machine's own, without anybody's configuration of it.
            let path = std::env::var("PATH").unwrap_or_default();
            for (name, value) in [("PATH", &*path), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")] {
                host.machine.env.insert(name.to_owned(), value.to_owned());
            }
            let start: ::sessions::engine_host::Start = Arc::new(move |plan| {
                launched.0.lock().expect("the lock isn't poisoned").push(plan.clone());
                ::sessions::testing::start_here(plan)
            });
            ctx.provide(Arc::new(::sessions::engine_host::EngineHost { start, ..host }));
            Box::pin(async { Ok(()) })
        },
        ..Feature::named("machine")
    }
}

/// Published pages are said to be somewhere.
struct Shown;

impl dashboards::OpensPublicDoor for Shown {
    fn open(&self) -> futures_core::future::BoxFuture<'static, Result<String, String>> {
        Box::pin(async { Ok("http://127.0.0.1:1/p/".to_owned()) })
    }
}

/// Calls as the owner of the first account.
pub(crate) async fn owner(program: &Program, op: &str, input: Value) -> kit::Result<Value> {
    let account = program.ctx.service::<accounts::Tokens>().first_account().to_owned();
    program.as_caller(Caller::new(Kind::Owner, &account, "test"), op, input).await
}

/// The program with its door open on a port of its own; its address.
async fn serve(program: &Program) -> std::net::SocketAddr {
    serve_for(program, server::Access::Full).await
}

async fn serve_for(program: &Program, only: server::Access) -> std::net::SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    program.ctx.provide(Arc::new(settings::RestartHook::new(|| Ok(()))));
    let door = server::Door {
        ctx: program.ctx.clone(),
        ops: features::ops(),
        pages: Arc::new(crate::embedded::Embedded(program.ctx.clone())),
        authenticator: program.ctx.service::<accounts::Tokens>() as Arc<dyn Authenticator>,
        instance_id: "test".into(),
        version: "0",
        codes: features::codes(),
        only,
        // Nobody guesses here, so nobody waits.
        limits: server::Limits { unknown_token_delay: Duration::ZERO..Duration::ZERO, ..server::Limits::default() },
    };
    tokio::spawn(door.serve(vec![listener], std::future::pending()));
    address
}
