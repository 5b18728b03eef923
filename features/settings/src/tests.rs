//! What the tests of settings share: the feature with a first account, and values for every shape.

mod batch;
mod bounds;
mod interface;
mod model;
mod rows;
mod stored;

use crate::feature;
use kit::lookup::FirstAccount;
use kit::setting::{Shape, Spec, canonical};
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

/// An accepted value that is not the default.
fn another(shape: &Shape, default: &Value) -> Value {
    match *shape {
        Shape::Toggle => json!(default != true),
        Shape::Int { min, max, .. } => json!(if default == min { max } else { min }),
        Shape::Number { min, .. } => canonical(&json!(if default.as_f64() == Some(min) { min + 1.0 } else { min })),
        Shape::Text { format: kit::setting::Format::TimeOfDay, .. } => json!("12:34"),
        Shape::Text { format: kit::setting::Format::TimeZone, .. } => json!("Europe/Paris"),
        Shape::Text { format: kit::setting::Format::Digits, .. } => json!("123"),
        Shape::Text { .. } => json!("something"),
        Shape::Select(choices) => json!(choices.iter().find(|c| default != c.value).unwrap().value),
        Shape::OneOf(choices) => json!(choices.iter().find(|c| default != **c).unwrap()),
        Shape::List { of, .. } => json!([another(of, &default[0])]),
        Shape::Map { of } => json!({"one": another(of, &Value::Null)}),
        Shape::Object(fields) => {
            let wanted = fields.iter().enumerate().filter(|(place, field)| *place == 0 || field.required);
            wanted.map(|(_, field)| (field.name.to_owned(), another(&field.shape, &Value::Null))).collect()
        }
    }
}

/// A value of another type.
fn wrong(shape: &Shape) -> Value {
    match shape {
        Shape::Toggle => json!("true"),
        Shape::List { .. } => json!({}),
        Shape::Map { .. } | Shape::Object(_) => json!([]),
        Shape::Int { .. } | Shape::Number { .. } | Shape::OneOf(_) => json!("1"),
        Shape::Text { .. } | Shape::Select(_) => json!(1),
    }
}
