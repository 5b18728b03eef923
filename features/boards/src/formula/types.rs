//! The types of the parts of a formula.

use column_types::FormulaResult;

/// Type of a formula's part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Number,
    Text,
    Date,
    Truth,
    /// A list of texts, which can be written as one.
    Tags,
    /// A list of anything else.
    List,
    /// A first and a last day.
    Span,
    /// The creator or editor of an item.
    Person,
}

impl Type {
    /// Its name in error messages.
    pub(super) const fn called(self) -> &'static str {
        match self {
            Type::Number => "a number",
            Type::Text => "a text",
            Type::Date => "a date",
            Type::Truth => "yes or no",
            Type::Tags => "a list of tags",
            Type::List => "a list",
            Type::Span => "a timeline",
            Type::Person => "a person",
        }
    }
    /// Whether it can be written as a text.
    pub(super) const fn is_written(self) -> bool {
        self.result().is_some()
    }
    /// The type as which it is compared.
    pub(super) const fn compared(self) -> Type {
        if let Type::Tags = self { Type::Text } else { self }
    }
    /// The type of a result cell, if it can be a result.
    pub(super) const fn result(self) -> Option<FormulaResult> {
        match self {
            Type::Number => Some(FormulaResult::Number),
            Type::Text | Type::Tags => Some(FormulaResult::Text),
            Type::Date => Some(FormulaResult::Date),
            Type::Truth => Some(FormulaResult::Checkbox),
            Type::List | Type::Span | Type::Person => None,
        }
    }
    /// Why a cell cannot hold it, and what can be made of it.
    pub(super) const fn no_result(self) -> &'static str {
        match self {
            Type::Span => "A formula can't return a timeline. Use START or END for its days.",
            Type::Person => "A formula can't return a person. You can compare two with = and <>.",
            _ => "A formula can't return people, files, or links. Use COUNT for their number.",
        }
    }
    /// The type of a formula column when another formula uses it.
    pub(super) const fn from_result(result: FormulaResult) -> Type {
        match result {
            FormulaResult::Number => Type::Number,
            FormulaResult::Text => Type::Text,
            FormulaResult::Date => Type::Date,
            FormulaResult::Checkbox => Type::Truth,
        }
    }
}
