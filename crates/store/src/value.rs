//! What goes into a statement and comes out of a row, the same for every driver.

use kit::error::{self, Result};
use std::borrow::Cow;

/// A parameter. Instants are milliseconds as `Int`, truth is `Int` 0 or 1 in a BIGINT column.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum Value<'a> {
    Null,
    Int(i64),
    Real(f64),
    // Most texts are at hand for as long as the statement runs, so that none of them is copied for it.
    Text(Cow<'a, str>),
}

impl From<i64> for Value<'_> {
    fn from(n: i64) -> Self {
        Value::Int(n)
    }
}
impl From<bool> for Value<'_> {
    fn from(b: bool) -> Self {
        Value::Int(b.into())
    }
}
impl From<f64> for Value<'_> {
    fn from(n: f64) -> Self {
        Value::Real(n)
    }
}
impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::Text(Cow::Borrowed(text))
    }
}
impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Value::Text(Cow::Owned(text))
    }
}
impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Value::Text(Cow::Borrowed(text))
    }
}
impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

/// Builds a parameter list: `params![account, id, 3]`.
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$($crate::Value::from($value)),*] };
}

/// One value of a row, borrowed from the driver.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs)]
pub enum Cell<'a> {
    Null,
    Int(i64),
    Real(f64),
    Text(&'a str),
}

/// A row as a driver hands it out.
pub trait Row {
    /// The value at a position, counted from 0.
    fn cell(&self, index: usize) -> Result<Cell<'_>>;
}

impl dyn Row + '_ {
    /// The value at a position as a Rust type; another type in the column is a fault of the statement.
    pub fn get<'a, T: FromCell<'a>>(&'a self, index: usize) -> Result<T> {
        let cell = self.cell(index)?;
        T::from_cell(cell)
            .ok_or_else(|| error::INTERNAL.error(format!("Column {index} holds {cell:?}, which was not expected.")))
    }
}

/// A Rust type that a cell can be read as.
pub trait FromCell<'a>: Sized {
    /// `None` where the cell is of another type.
    fn from_cell(cell: Cell<'a>) -> Option<Self>;
}

impl<'a> FromCell<'a> for i64 {
    fn from_cell(cell: Cell<'a>) -> Option<Self> {
        if let Cell::Int(n) = cell { Some(n) } else { None }
    }
}
impl<'a> FromCell<'a> for bool {
    fn from_cell(cell: Cell<'a>) -> Option<Self> {
        i64::from_cell(cell).map(|n| n != 0)
    }
}
impl<'a> FromCell<'a> for f64 {
    fn from_cell(cell: Cell<'a>) -> Option<Self> {
        match cell {
            Cell::Real(n) => Some(n),
            Cell::Int(n) => Some(n as f64),
            _ => None,
        }
    }
}
impl<'a> FromCell<'a> for &'a str {
    fn from_cell(cell: Cell<'a>) -> Option<Self> {
        if let Cell::Text(text) = cell { Some(text) } else { None }
    }
}
impl<'a> FromCell<'a> for String {
    fn from_cell(cell: Cell<'a>) -> Option<Self> {
        <&str>::from_cell(cell).map(str::to_owned)
    }
}
impl<'a, T: FromCell<'a>> FromCell<'a> for Option<T> {
    fn from_cell(cell: Cell<'a>) -> Option<Self> {
        if cell == Cell::Null { Some(None) } else { T::from_cell(cell).map(Some) }
    }
}
