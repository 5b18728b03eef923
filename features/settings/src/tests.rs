//! What the tests of settings share: the feature with a first account.

mod batch;
mod interface;
mod model;
mod rows;
mod stored;

use crate::feature;
use kit::lookup::FirstAccount;
use kit::setting::Spec;
use kit::{Feature, Migration, Result};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::{ACCOUNT, Program};

/// Stands in for accounts: says which account came first.
fn first_account() -> Feature {
    Feature {
        name: "first-account",
        settings: Vec::new(),
        awaiting: Vec::new(),
        migrations: &[] as &[Migration],
        errors: &[],
        faults: &[],
        ops: Vec::new(),
        groups: &[],
        start: |ctx| {
            ctx.provide(Arc::new(FirstAccount(ACCOUNT.into())));
            Box::pin(std::future::ready(Ok(())))
        },
        jobs: Vec::new(),
        timers: Vec::new(),
        stop: kit::NOTHING_TO_END,
    }
}

async fn start() -> Program {
    Program::start(|| vec![first_account(), feature()]).await
}

async fn get(program: &Program, key: &str) -> Value {
    program.owner("settings.get", json!({"key": key})).await.unwrap()
}

async fn set(program: &Program, key: &str, value: Value) -> Result<Value> {
    program.owner("settings.set", json!({"key": key, "value": value})).await
}

fn rows() -> Vec<&'static Spec> {
    feature().settings
}
