mod ring;
mod settings;

use crate::feature;
use kit::lookup::{FocusNow, ReadFocus};
use kit::{Ctx, Feature, SettingsSource};
use serde_json::{Value, json};
use sound::{Play, Playback, Playing, Problem, Report};
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use store::{HasDb, Tx};
use testkit::{ACCOUNT, Program};

const MINUTE_MS: i64 = 60_000;

/// Settings by key.
struct Stored(HashMap<&'static str, Value>);

impl SettingsSource for Stored {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        self.0.get(key).cloned()
    }
}

/// Focus Mode that ends when the test says.
#[derive(Clone, Default)]
struct Focus(Arc<Mutex<Option<i64>>>);

impl ReadFocus for Focus {
    fn until_ms(&self, _: Ctx, _: &str) -> Pin<Box<dyn Future<Output = kit::Result<Option<i64>>> + Send>> {
        let until_ms = *self.0.lock().unwrap();
        Box::pin(std::future::ready(Ok(until_ms)))
    }
}

/// Records what plays, and what stopped.
#[derive(Default)]
struct Recorder {
    played: Mutex<Vec<Playback>>,
    stopped: Arc<Mutex<usize>>,
    fails: Mutex<Option<Problem>>,
}

struct Counted(Arc<Mutex<usize>>);

impl Drop for Counted {
    fn drop(&mut self) {
        *self.0.lock().unwrap() += 1;
    }
}

impl Play for Recorder {
    fn play(&self, playback: Playback, report: Report) -> Playing {
        self.played.lock().unwrap().push(playback);
        if let Some(problem) = *self.fails.lock().unwrap() {
            report(problem);
        }
        Playing::new(Counted(self.stopped.clone()))
    }
}

/// A program with alarms, its Focus Mode, and what is heard.
struct Place {
    program: Program,
    focus: Focus,
    heard: Arc<Recorder>,
}

impl Place {
    async fn start() -> Place {
        let program = Program::start(|| {
            let inbox = Feature { migrations: inbox_rows::MIGRATIONS, ..Feature::named("inbox") };
            let models = Feature { migrations: models::MIGRATIONS, ..Feature::named("models") };
            vec![inbox, models, feature()]
        })
        .await;
        Place::of(program).await
    }

    async fn of(program: Program) -> Place {
        let (focus, heard) = (Focus::default(), Arc::new(Recorder::default()));
        program.ctx.provide(Arc::new(FocusNow(Box::new(focus.clone()))));
        crate::play_with(&program.ctx, heard.clone()).await.unwrap();
        Place { program, focus, heard }
    }

    fn set(&self, values: &[(&'static str, Value)]) {
        self.program.ctx.provide_settings(Arc::new(Stored(values.iter().cloned().collect())));
    }

    async fn ask(&self, op: &str, input: Value) -> Value {
        self.program.owner(op, input).await.unwrap_or_else(|error| panic!("{op}: {error:?}"))
    }

    /// Creates an alarm; its id.
    async fn create(&self, input: Value) -> String {
        self.ask("alarms.create", input).await["id"].as_str().unwrap().to_owned()
    }

    async fn get(&self, id: &str) -> Value {
        self.ask("alarms.get", json!({"alarmId": id})).await
    }

    async fn state(&self, id: &str) -> String {
        self.get(id).await["state"].as_str().unwrap().to_owned()
    }

    /// Turns the clock, and does what is due then.
    async fn advance(&self, ms: i64) {
        self.program.clock.advance_ms(ms);
        self.program.fire_timers().await;
    }

    fn played(&self) -> usize {
        self.heard.played.lock().unwrap().len()
    }

    fn stopped(&self) -> usize {
        *self.heard.stopped.lock().unwrap()
    }

    /// Titles of open inbox rows.
    async fn rows(&self) -> Vec<String> {
        let read = |tx: &mut Tx<'_>| {
            let sql =
                "SELECT title FROM inbox_rows WHERE account_id = $1 AND settled_ms = 0 ORDER BY created_ms, row_id";
            tx.query(sql, store::params![ACCOUNT], |row| row.get(0))
        };
        self.program.ctx.db().read(read).await.unwrap()
    }
}
