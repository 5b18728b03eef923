//! Type checker: turns a syntax tree into a typed tree, and rejects formulas that can't be computed when they're
//! written.

use super::functions::{self, Function, Gives, Takes};
use super::parse::{self, Outcome, Problem, Tree};
use super::types::Type::{self, Date, Number, Text, Truth};
use crate::cells::Column;
use crate::item::Record;
use column_types::ColumnType;
use formualizer_parse::{ASTNode, ASTNodeType, BinaryOperator, LiteralValue, UnaryOperator};
use std::collections::HashMap;

/// Arguments of one call.
const ARGUMENTS_MAX: usize = 50;

/// A formula's tree.
#[derive(Debug)]
pub(super) enum Node {
    Number(f64),
    Text(String),
    Truth(bool),
    /// One of the formula's fields, by its place among them.
    Field(usize),
    Negate(Box<Node>),
    Percent(Box<Node>),
    Binary(Operation, Box<[Node; 2]>),
    Call(&'static Function, Vec<Node>),
}

/// A binary operator.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Concat,
    /// A date and days, or two dates.
    Later,
    Earlier,
    Between,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A field that a formula reads.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) title: String,
    pub(super) source: Source,
    pub(super) kind: Type,
}

/// Where a field's value comes from.
#[derive(Debug, PartialEq)]
pub(super) enum Source {
    /// The item's name.
    Name,
    /// A cell.
    Cell(String),
    /// A label cell, with the texts of its labels by ID.
    Label(String, HashMap<String, String>),
    /// The result of a formula that comes earlier in the order of computing.
    Result(usize),
    /// The day, in UTC, on which the item was made or changed.
    Day(Moment),
    /// The creator or last editor.
    Person(Moment),
    /// The linked items of a cell that are still there; the column, and the board that it links to.
    Linked(String, String),
}

/// Something that every item has had happen to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Moment {
    Created,
    Updated,
}

impl Moment {
    pub(super) fn instant(self, record: &Record) -> &str {
        match self {
            Moment::Created => &record.created_at,
            Moment::Updated => &record.updated_at,
        }
    }
    pub(super) fn by(self, record: &Record) -> Option<&str> {
        match self {
            Moment::Created => record.created_by.as_deref(),
            Moment::Updated => record.updated_by.as_deref(),
        }
    }
}

/// Makes the fields of a formula.
pub(super) struct Scope<'a> {
    pub(super) columns: &'a [Column],
    /// Formulas that were already checked: their indexes and result types.
    pub(super) results: &'a HashMap<&'a str, (usize, Type)>,
    pub(super) fields: Vec<Field>,
}

impl Scope<'_> {
    fn field(&mut self, id: &str) -> Result<usize, String> {
        let made = self.made(id)?;
        if let Some(at) = self.fields.iter().position(|field| field.source == made.source) {
            return Ok(at);
        }
        self.fields.push(made);
        Ok(self.fields.len() - 1)
    }

    fn made(&self, id: &str) -> Result<Field, String> {
        if id == parse::NAME {
            return Ok(Field { title: "The name".to_owned(), source: Source::Name, kind: Text });
        }
        let Some(column) = self.columns.iter().find(|column| column.id == id) else {
            return Err("A column used by the formula was deleted.".to_owned());
        };
        let title = column.title.clone();
        let field = |source, kind| Ok(Field { title: title.clone(), source, kind });
        let cell = |kind| field(Source::Cell(id.to_owned()), kind);
        match column.kind {
            Some(
                ColumnType::Text | ColumnType::LongText | ColumnType::Link | ColumnType::Email | ColumnType::Phone,
            ) => cell(Text),
            Some(ColumnType::Number | ColumnType::Rating | ColumnType::Progress) => cell(Number),
            Some(ColumnType::Date) => cell(Date),
            Some(ColumnType::Checkbox) => cell(Truth),
            Some(ColumnType::Tags) => cell(Type::Tags),
            Some(ColumnType::People | ColumnType::File) => cell(Type::List),
            Some(ColumnType::Timeline) => cell(Type::Span),
            Some(ColumnType::ItemLink | ColumnType::Sprint) => {
                let board_id = column.links_to().unwrap_or_default().to_owned();
                field(Source::Linked(id.to_owned(), board_id), Type::List)
            }
            Some(ColumnType::CreatedAt) => field(Source::Day(Moment::Created), Date),
            Some(ColumnType::UpdatedAt) => field(Source::Day(Moment::Updated), Date),
            Some(ColumnType::CreatedBy) => field(Source::Person(Moment::Created), Type::Person),
            Some(ColumnType::UpdatedBy) => field(Source::Person(Moment::Updated), Type::Person),
            Some(ColumnType::Status | ColumnType::Dropdown) => {
                let labels = column.settings.labels.iter().flatten();
                let texts = labels.map(|label| (label.id.clone(), label.text.clone())).collect();
                Ok(Field { title, source: Source::Label(id.to_owned(), texts), kind: Text })
            }
            Some(ColumnType::Formula) => match self.results.get(id) {
                Some((place, kind)) => Ok(Field { title, source: Source::Result(*place), kind: *kind }),
                None => Err(format!("“{title}” refers back to this formula.")),
            },
            _ => Err(format!("You can't use “{title}” in a formula.")),
        }
    }
}

/// Checks a node; returns the typed nodes and their type.
pub(super) fn check(tree: &Tree, node: &ASTNode, scope: &mut Scope<'_>) -> Outcome<(Node, Type)> {
    let refuse = |says: String| Err(problem(node, says));
    match &node.node_type {
        ASTNodeType::Literal(LiteralValue::Number(number)) if number.is_finite() => Ok((Node::Number(*number), Number)),
        ASTNodeType::Literal(LiteralValue::Int(number)) => Ok((Node::Number(*number as f64), Number)),
        ASTNodeType::Literal(LiteralValue::Text(text)) => Ok((Node::Text(text.clone()), Text)),
        ASTNodeType::Literal(LiteralValue::Boolean(truth)) => Ok((Node::Truth(*truth), Truth)),
        ASTNodeType::Literal(_) => refuse("This number is too large.".to_owned()),
        ASTNodeType::Reference { original, .. } => match tree.column(node, original) {
            Some(id) => match scope.field(id) {
                Ok(at) => Ok((Node::Field(at), scope.fields[at].kind)),
                Err(says) => refuse(says),
            },
            None => refuse(format!(
                "“{original}” is unknown. Put columns in braces, such as {{Effort}}, and text in quotes."
            )),
        },
        ASTNodeType::UnaryOp { op, expr } => {
            let (inner, kind) = check(tree, expr, scope)?;
            if kind != Number {
                return refuse(format!("“{op}” needs a number; this is {}.", kind.called()));
            }
            match op {
                UnaryOperator::Plus => Ok((inner, Number)),
                UnaryOperator::Minus => Ok((Node::Negate(Box::new(inner)), Number)),
                UnaryOperator::Percent => Ok((Node::Percent(Box::new(inner)), Number)),
                _ => refuse("This isn't part of a formula.".to_owned()),
            }
        }
        ASTNodeType::BinaryOp { op, left, right } => {
            let (left, left_kind) = check(tree, left, scope)?;
            let (right, right_kind) = check(tree, right, scope)?;
            match operation(*op, left_kind, right_kind) {
                Ok((operation, gives)) => Ok((Node::Binary(operation, Box::new([left, right])), gives)),
                Err(says) => refuse(says),
            }
        }
        ASTNodeType::Function { name, args } => call(tree, node, name, args, scope),
        _ => refuse("This isn't part of a formula.".to_owned()),
    }
}

fn problem(node: &ASTNode, says: String) -> Problem {
    // What is read begins with a sign that is not the formula's.
    let place = node.source_token.as_ref().map(|token| (token.start.saturating_sub(1), token.end - token.start));
    let (at, length) = place.unwrap_or_default();
    Problem::new(at, length, says)
}

fn operation(op: BinaryOperator, left: Type, right: Type) -> Result<(Operation, Type), String> {
    use BinaryOperator as B;
    use Operation as O;
    let numbers = (left, right) == (Number, Number);
    let arithmetic = |operation| match numbers {
        true => Ok((operation, Number)),
        false => Err(format!("“{op}” needs two numbers; these are {} and {}.", left.called(), right.called())),
    };
    let comparison = |operation, ordered: bool| {
        let alike = left.compared() == right.compared() && (left.is_written() || left == Type::Person);
        if alike && (!ordered || !matches!(left, Truth | Type::Person)) {
            return Ok((operation, Truth));
        }
        Err(format!("“{op}” can't compare {} and {}.", left.called(), right.called()))
    };
    match op {
        B::Add if (left, right) == (Date, Number) => Ok((O::Later, Date)),
        B::Subtract if (left, right) == (Date, Number) => Ok((O::Earlier, Date)),
        B::Subtract if (left, right) == (Date, Date) => Ok((O::Between, Number)),
        B::Add => arithmetic(O::Add),
        B::Subtract => arithmetic(O::Subtract),
        B::Multiply => arithmetic(O::Multiply),
        B::Divide => arithmetic(O::Divide),
        B::Power => arithmetic(O::Power),
        B::Concat if left.is_written() && right.is_written() => Ok((O::Concat, Text)),
        B::Concat => {
            let kind = if left.is_written() { right } else { left };
            Err(format!("This joins text; {} isn't text.", kind.called()))
        }
        B::Equal => comparison(O::Equal, false),
        B::NotEqual => comparison(O::NotEqual, false),
        B::Less => comparison(O::Less, true),
        B::LessEqual => comparison(O::LessOrEqual, true),
        B::Greater => comparison(O::Greater, true),
        B::GreaterEqual => comparison(O::GreaterOrEqual, true),
        _ => Err("This isn't part of a formula.".to_owned()),
    }
}

fn call(tree: &Tree, node: &ASTNode, name: &str, args: &[ASTNode], scope: &mut Scope<'_>) -> Outcome<(Node, Type)> {
    let refuse = |says: String| Err(problem(node, says));
    let Some(function) = functions::named(name) else {
        return refuse(format!("Function {} not found.", name.to_uppercase()));
    };
    let name = function.name;
    if args.len() > ARGUMENTS_MAX {
        return refuse(format!("{name} accepts up to {ARGUMENTS_MAX} arguments."));
    }
    let (mut nodes, mut kinds) = (Vec::with_capacity(args.len()), Vec::with_capacity(args.len()));
    for (at, arg) in args.iter().enumerate() {
        if matches!(arg.node_type, ASTNodeType::Omitted) {
            return refuse(format!("An argument of {name} is missing."));
        }
        let Some(takes) = function.argument(at) else {
            return refuse(format!("{name} needs {} arguments: {}.", function.takes.len(), function.usage));
        };
        let (inner, kind) = check(tree, arg, scope)?;
        let (fits, wanted) = match takes {
            Takes::One(Text) => (kind.is_written(), "a text"),
            Takes::One(wanted) => (kind == wanted, wanted.called()),
            Takes::List => (matches!(kind, Type::Tags | Type::List), "a column of tags, people, files or links"),
            Takes::Ordered => (matches!(kind, Number | Date), "a number or a date"),
            Takes::Any => (true, "a value"),
        };
        if !fits {
            return Err(problem(arg, format!("{name} needs {wanted} here; this is {}.", kind.called())));
        }
        nodes.push(inner);
        kinds.push(kind);
    }
    if nodes.len() < function.needs {
        return refuse(format!("{name} needs {} arguments: {}.", function.needs, function.usage));
    }
    let gives = match function.gives {
        Gives::One(kind) => kind,
        Gives::Same(from) => {
            let kind = kinds[from].compared();
            if let Some(at) = (from..kinds.len()).find(|at| kinds[*at].compared() != kind) {
                let says =
                    format!("{name} needs values of one type; this is {}, not {}.", kinds[at].called(), kind.called());
                return Err(problem(&args[at], says));
            }
            if kinds[from..].iter().all(|k| *k == kinds[from]) { kinds[from] } else { kind }
        }
    };
    Ok((Node::Call(function, nodes), gives))
}
