//! Computes one formula for one item.

use super::check::{Node, Operation};
use super::functions::Takes;
use super::types::Type;
use super::value::{Value, Why, Work};
use std::borrow::Cow;
use std::cmp::Ordering;

/// Each node is computed once: how long it takes is bounded by the size of the formula and the texts that are counted in `work`.
pub(super) fn eval<'a>(node: &'a Node, fields: &[Value<'a>], work: &mut Work) -> Value<'a> {
    if work.is_over() {
        return Value::Nothing(Why::TooMuch);
    }
    match node {
        Node::Number(number) => Value::number(*number),
        Node::Text(text) => Value::Text(Cow::Borrowed(text)),
        Node::Truth(truth) => Value::Truth(*truth),
        Node::Field(at) => fields[*at].clone(),
        Node::Negate(inner) => over(eval(inner, fields, work), |number| Value::number(-number)),
        Node::Percent(inner) => over(eval(inner, fields, work), |number| Value::number(number / 100.0)),
        Node::Binary(operation, sides) => {
            let left = eval(&sides[0], fields, work);
            let right = eval(&sides[1], fields, work);
            binary(*operation, left, right, work)
        }
        Node::Call(function, nodes) => {
            let mut values = Vec::with_capacity(nodes.len());
            for (at, node) in nodes.iter().enumerate() {
                let mut value = eval(node, fields, work);
                if function.argument(at) == Some(Takes::One(Type::Text)) {
                    value = empty_as_text(value);
                }
                match value {
                    Value::Nothing(why) if !function.sees_nothing => return Value::Nothing(why),
                    value => values.push(value),
                }
            }
            (function.run)(work, &values)
        }
    }
}

fn over<'a>(value: Value<'a>, run: impl Fn(f64) -> Value<'a>) -> Value<'a> {
    match value {
        Value::Nothing(why) => Value::Nothing(why),
        value => run(value.as_number()),
    }
}

/// Where a text is wanted, an empty cell is the empty text.
fn empty_as_text(value: Value<'_>) -> Value<'_> {
    match value {
        Value::Nothing(Why::Empty(_) | Why::NotChosen) => Value::Text("".into()),
        value => value,
    }
}

fn binary<'a>(operation: Operation, left: Value<'a>, right: Value<'a>, work: &mut Work) -> Value<'a> {
    use Operation as O;
    let (left, right) = match operation {
        O::Concat => (empty_as_text(left), empty_as_text(right)),
        _ => (left, right),
    };
    if let Value::Nothing(why) = left {
        return Value::Nothing(why);
    }
    if let Value::Nothing(why) = right {
        return Value::Nothing(why);
    }
    let numbers = || (left.as_number(), right.as_number());
    match operation {
        O::Add => Value::number(numbers().0 + numbers().1),
        O::Subtract => Value::number(numbers().0 - numbers().1),
        O::Multiply => Value::number(numbers().0 * numbers().1),
        O::Divide if right.as_number() == 0.0 => Value::Nothing(Why::DivisionByZero),
        O::Divide => Value::number(numbers().0 / numbers().1),
        O::Power => Value::number(numbers().0.powf(numbers().1)),
        O::Later => Value::date(f64::from(left.as_day()) + right.as_number()),
        O::Earlier => Value::date(f64::from(left.as_day()) - right.as_number()),
        O::Between => Value::number(f64::from(left.as_day()) - f64::from(right.as_day())),
        O::Concat => {
            let (left, right) = (left.as_text(), right.as_text());
            if left.len() + right.len() > Work::TEXT_BYTES_MAX {
                return Value::Nothing(Why::TooLong);
            }
            work.text([left, right].concat())
        }
        O::Equal => Value::Truth(order(&left, &right, work) == Ordering::Equal),
        O::NotEqual => Value::Truth(order(&left, &right, work) != Ordering::Equal),
        O::Less => Value::Truth(order(&left, &right, work) == Ordering::Less),
        O::LessOrEqual => Value::Truth(order(&left, &right, work) != Ordering::Greater),
        O::Greater => Value::Truth(order(&left, &right, work) == Ordering::Greater),
        O::GreaterOrEqual => Value::Truth(order(&left, &right, work) != Ordering::Less),
    }
}

/// Compares two values of one type, ignoring case.
fn order(left: &Value<'_>, right: &Value<'_>, work: &mut Work) -> Ordering {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.total_cmp(right),
        (Value::Date(left), Value::Date(right)) => left.cmp(right),
        (Value::Truth(left), Value::Truth(right)) => left.cmp(right),
        (left, right) => {
            let (left, right) = (left.as_text().to_lowercase(), right.as_text().to_lowercase());
            work.count_bytes(left.len() + right.len());
            left.cmp(&right)
        }
    }
}
