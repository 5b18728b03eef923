//! What the tests of settings share: the feature with a first account.

mod batch;
mod interface;
mod model;
mod rows;
mod stored;

use crate::feature;
use kit::lookup::FirstAccount;
use kit::setting::Spec;
use kit::{Feature, Result};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::{ACCOUNT, Program};

/// Stands in for accounts: says which account came first.
fn first_account() -> Feature {
    Feature {
        start: |ctx| {
            ctx.provide(Arc::new(FirstAccount(ACCOUNT.into())));
            Box::pin(std::future::ready(Ok(())))
        },
        ..Feature::named("first-account")
    }
}

/// Settings of other features, for what this one has no examples of.
mod samples {
    use kit::setting::Platform::W;
    use kit::setting::{int_step, toggle};

    kit::settings! {
        /// Limits the CPU share.
        sessionCpuCapEnabled: bool = toggle(false).only_on(&[W]).installation();
        /// Maximum CPU share.
        sessionCpuCapPercent: i64 = int_step(25..=90, 5, 60).unit("%").only_on(&[W]).requires(&sessionCpuCapEnabled).installation();
        /// Shows events.
        calendarEnabled: bool = toggle(false);
        /// Shows tasks.
        tasksEnabled: bool = toggle(true);
    }
}

/// A feature that declares the samples.
fn others() -> Feature {
    Feature { settings: samples::ALL.to_vec(), awaiting: samples::ALL.to_vec(), ..Feature::named("others") }
}

async fn start() -> Program {
    Program::start(|| vec![first_account(), others(), feature()]).await
}

async fn get(program: &Program, key: &str) -> Value {
    program.owner("settings.get", json!({"key": key})).await.unwrap()
}

async fn set(program: &Program, key: &str, value: Value) -> Result<Value> {
    program.owner("settings.set", json!({"key": key, "value": value})).await
}

fn rows() -> Vec<&'static Spec> {
    [feature().settings, samples::ALL.to_vec()].concat()
}
