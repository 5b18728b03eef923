//! The types of the parts of a formula.

use column_types::FormulaResult;

/// What a part of a formula gives.
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
    /// Who made or changed an item.
    Person,
}

impl Type {
    /// What it is called in refusals.
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
    /// What it is compared as.
    pub(super) const fn compared(self) -> Type {
        if let Type::Tags = self { Type::Text } else { self }
    }
    /// What a cell holds of it, where one can.
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
    /// What the results of a formula are to those that use them.
    pub(super) const fn from_result(result: FormulaResult) -> Type {
        match result {
            FormulaResult::Number => Type::Number,
            FormulaResult::Text => Type::Text,
            FormulaResult::Date => Type::Date,
            FormulaResult::Checkbox => Type::Truth,
        }
    }
}
