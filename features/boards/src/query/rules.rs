//! Rules of a query: parses the app's stored form and a shorter one, with helpful errors.

use super::text::Written;
use super::{Asked, Coverage, RuleInert, RuleReach};
use crate::cells::Column;
use crate::directory::{self, Named};
use crate::errors::INVALID_FILTER;
use crate::tables::Loaded;
use crate::{fault, zones};
use column_types::ColumnType;
use jiff::tz::TimeZone;
use kit::error::{FieldError, Result, invalid};
use kit::{Ctx, Fault, Kind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use widgets::{ColRef, InertRule, Locale, RuleOrGroup, Selected};

/// Rules of one query.
pub const RULES_MAX: usize = 200;
/// The type of people columns, which is also the name of their operator family.
pub(crate) const PEOPLE: &str = ColumnType::People.name();
/// Values for the caller and for nobody in every account.
pub(crate) const STANDING_FOR: [&str; 2] = ["me", "none"];
/// Item authors that aren't members.
const NO_MEMBERS: [Kind; 3] = [Kind::Owner, Kind::Cli, Kind::Agent];
/// Labels and columns that one message names.
const NAMED_MAX: usize = 30;
/// A property that every item has.
pub(super) const BUILTIN: [(&str, &str); 5] =
    [("name", "text"), ("group", "status"), ("board", "status"), ("created", "date"), ("updated", "date")];

/// A filter.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(
    rename = "QueryFilters",
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = r#"an object such as {"all": [{"col": "Status", "op": "anyOf", "value": ["Done"]}]}, or rules as text in where"#
)]
pub(crate) struct Filters {
    /// Version of the format: 1.
    #[schemars(range(min = 1, max = 1))]
    v: Option<u32>,
    /// Only items with any of these in a people column.
    people: Option<People>,
    /// Rules that must all match, up to 200 in total.
    #[serde(default)]
    all: Vec<Entry>,
}

/// Members.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename = "QueryPeople", deny_unknown_fields)]
struct People {
    /// Members by ID or unique name; `me` is the caller, `none` is nobody.
    #[serde(default)]
    ids: Vec<String>,
    /// Teams aren't supported; only an empty list is accepted.
    #[serde(default)]
    teams: Vec<String>,
}

/// A rule, or several of which one must match.
#[derive(Deserialize, JsonSchema)]
#[serde(rename = "QueryEntry", deny_unknown_fields)]
struct Entry {
    /// Rules, at least one of which must match. Excludes the other members.
    any: Option<Vec<Rule>>,
    /// Name of the rule in the result. Default: its position in the request.
    id: Option<String>,
    /// The column: its ID or title; `name`, `group`, `board`, `created`, or `updated`; or a reference as the app stores it.
    col: Option<Col>,
    /// The operator; each column type has its own.
    op: Option<String>,
    /// The value to compare with.
    value: Option<Value>,
    /// Disables the rule.
    off: Option<bool>,
}

/// A condition on one column.
#[derive(Deserialize, JsonSchema)]
#[serde(rename = "QueryRule", deny_unknown_fields)]
struct Rule {
    /// Name of the rule in the result. Default: its position in the request.
    id: Option<String>,
    /// The column: its ID or title; `name`, `group`, `board`, `created`, or `updated`; or a reference as the app stores it.
    col: Col,
    /// The operator; each column type has its own.
    op: String,
    /// The value to compare with.
    value: Option<Value>,
    /// Disables the rule.
    off: Option<bool>,
}

/// The column to compare.
#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "Value")]
#[schemars(rename = "QueryColumn", untagged)]
enum Col {
    /// An ID, a title, or a property that every item has.
    Named(String),
    /// As the app stores it.
    Reference(Reference),
}

/// A reference to a column as the app stores it.
#[derive(Deserialize, JsonSchema)]
#[serde(rename = "QueryReference", tag = "by", rename_all = "lowercase")]
enum Reference {
    /// Columns with this title and a type of the same family, on every board.
    Title {
        /// The title.
        title: String,
        /// The column's type.
        #[serde(rename = "type")]
        type_name: String,
    },
    /// These columns of each board.
    Ids {
        /// Column IDs by board ID.
        ids: BTreeMap<String, Vec<String>>,
    },
    /// A property that every item has.
    Builtin {
        /// The property.
        name: String,
    },
}

impl TryFrom<Value> for Col {
    type Error = String;
    fn try_from(value: Value) -> Result<Col, String> {
        match value {
            Value::String(name) => Ok(Col::Named(name)),
            value @ Value::Object(_) => serde_json::from_value(value).map(Col::Reference).map_err(|e| e.to_string()),
            _ => Err("a column is an ID, a title, or a reference as the app stores it".to_owned()),
        }
    }
}

/// Context of a query apart from the boards.
pub(crate) struct Given<'a> {
    pub(crate) now_ms: i64,
    pub(crate) zone: &'a TimeZone,
    pub(crate) me: Option<&'a str>,
    /// The first day of the week: 0 Monday, 6 Sunday.
    pub(crate) week_start: u8,
}

/// A rule as it was sent; the engine knows it by its place.
pub(crate) struct Sent {
    pointer: String,
    id: Option<String>,
    col: ColRef,
    named: String,
    op: String,
    value: Value,
}

/// The engine's query over boards, and its rules as they were sent.
pub(crate) fn read(
    filters: &Filters,
    written: &[Written],
    asked: &[Asked],
    given: &Given<'_>,
) -> Result<(widgets::Query, Vec<Sent>)> {
    if filters.v.is_some_and(|v| v != 1) {
        return Err(invalid("/filters/v", fault::UNKNOWN_VERSION, "Only version 1 is supported."));
    }
    let mut sent = Vec::new();
    let mut all = Vec::new();
    for (index, entry) in filters.all.iter().enumerate() {
        let pointer = format!("/filters/all/{index}");
        all.push(match entry {
            Entry { any: Some(rules), id: None, col: None, op: None, value: None, off: None } => {
                let rule = |(at, rule): (usize, &Rule)| {
                    let Rule { id, col, op, value, off } = rule;
                    take(&mut sent, asked, format!("{pointer}/any/{at}"), id, col, op, value.as_ref(), *off)
                };
                RuleOrGroup::Any { any: rules.iter().enumerate().map(rule).collect() }
            }
            Entry { any: None, id, col: Some(col), op: Some(op), value, off } => {
                RuleOrGroup::Rule(take(&mut sent, asked, pointer, id, col, op, value.as_ref(), *off))
            }
            _ => {
                return Err(invalid(
                    &pointer,
                    fault::ONE_OF,
                    "Use either a rule (`col`, `op`, and `value` if the operator takes one) or only `any`.",
                ));
            }
        });
    }
    for Written { pointer, column, op, value } in written {
        let column = Col::Named(column.clone());
        let rule = take(&mut sent, asked, pointer.clone(), &None, &column, op, Some(value), None);
        all.push(RuleOrGroup::Rule(rule));
    }
    if sent.len() > RULES_MAX {
        return Err(invalid("/filters/all", fault::TOO_MANY, format!("A query can have up to {RULES_MAX} rules.")));
    }
    if let Some(team) = filters.people.as_ref().and_then(|people| people.teams.first()) {
        let detail = format!("Team {team} not found. {NO_TEAMS}");
        return Err(invalid("/filters/people/teams", fault::UNKNOWN_TEAM, detail));
    }
    let people = filters.people.as_ref().map(|p| widgets::People { ids: p.ids.clone(), teams: Vec::new() });
    let offset = zones::offset_minutes(given.zone, given.now_ms);
    let query = widgets::Query {
        boards: asked.iter().map(|board| board.id.clone()).collect(),
        failed: Vec::new(),
        history: None,
        filters: widgets::Filters { v: 1, people, all },
        include_subitems: false,
        widgets: Vec::new(),
        now: given.now_ms,
        utc_offset_minutes: offset,
        week_start: given.week_start,
        locale: Locale::default(),
        me: given.me.map(str::to_owned),
        members: None,
        teams: BTreeMap::new(),
    };
    Ok((query, sent))
}

#[allow(clippy::too_many_arguments, reason = "the members of a rule")]
fn take(
    sent: &mut Vec<Sent>,
    asked: &[Asked],
    pointer: String,
    id: &Option<String>,
    col: &Col,
    op: &str,
    value: Option<&Value>,
    off: Option<bool>,
) -> widgets::Rule {
    let (named, col) = match col {
        Col::Named(name) => (name.clone(), by_name(name, asked)),
        Col::Reference(Reference::Title { title, type_name }) => {
            (title.clone(), ColRef::Title { title: title.clone(), type_name: type_name.clone() })
        }
        Col::Reference(Reference::Ids { ids }) => {
            (ids.values().flatten().next().cloned().unwrap_or_default(), ColRef::Ids { ids: ids.clone() })
        }
        Col::Reference(Reference::Builtin { name }) => (name.clone(), ColRef::Builtin { name: name.clone() }),
    };
    let rule = widgets::Rule {
        id: pointer.clone(),
        col: col.clone(),
        op: op.to_owned(),
        value: value.cloned().unwrap_or_default(),
        off: off.unwrap_or(false),
    };
    let value = rule.value.clone();
    sent.push(Sent { pointer, id: id.clone(), col, named, op: op.to_owned(), value });
    rule
}

/// The columns of this id or title; where no board has one, what every item has.
fn by_name(name: &str, asked: &[Asked]) -> ColRef {
    let ids = |board: &Asked| (board.id.clone(), board.named(name).map(|c| c.id.clone()).collect::<Vec<_>>());
    let ids: BTreeMap<_, _> = asked.iter().map(ids).filter(|(_, columns)| !columns.is_empty()).collect();
    match BUILTIN.iter().find(|(builtin, _)| ids.is_empty() && name.eq_ignore_ascii_case(builtin)) {
        Some((builtin, _)) => ColRef::Builtin { name: (*builtin).to_owned() },
        None => ColRef::Ids { ids },
    }
}

/// The members that a rule names, where it is about people.
pub(crate) fn people_in(value: &Value) -> impl Iterator<Item = &str> {
    let list = value.get("ids").unwrap_or(value);
    let several = list.as_array().into_iter().flatten();
    several.chain(list.is_string().then_some(list)).filter_map(Value::as_str)
}

/// The members that the query names, by ID or unique name. Former members are included while an item holds their ID, as
/// in the app.
pub(crate) async fn members(
    ctx: &Ctx,
    account: &str,
    query: &widgets::Query,
    rules: &[Sent],
    asked: &[Asked],
    loaded: &[Loaded],
) -> Result<Named> {
    let mut named = Named::new();
    let mut texts: HashSet<&str> = query.filters.people.iter().flat_map(|p| &p.ids).map(String::as_str).collect();
    for rule in rules {
        for type_name in types_of(rule, asked).filter(|name| widgets::family(name) == PEOPLE) {
            texts.extend(people_in(&rule.value));
            if type_name != PEOPLE {
                named.extend(NO_MEMBERS.map(|kind| (kind.name().to_owned(), kind.name().to_owned())));
            }
        }
    }
    texts.retain(|text| !STANDING_FOR.contains(text));
    named.extend(directory::called(ctx, account, texts.iter().map(|text| (*text).to_owned()).collect()).await?);
    for text in texts {
        if !named.contains_key(text) && loaded.iter().any(|board| board.table.has_member(text)) {
            named.insert(text.to_owned(), text.to_owned());
        }
    }
    Ok(named)
}

/// Rejects rules that have no effect or name unknown members; each error lists the accepted values.
pub(crate) fn expect_understood(
    filters: &Filters,
    rules: &[Sent],
    selected: &Selected,
    asked: &[Asked],
    members: &Named,
) -> Result<()> {
    let mut wrong: Vec<FieldError> = Vec::new();
    let mut say = |pointer: String, code: Fault, detail: String| {
        wrong.push(FieldError { pointer, code, detail });
    };
    // A rule that has other labels goes on with those; the coverage names the lost ones.
    for InertRule { id, reason, .. } in selected.inert.iter().filter(|rule| rule.reason != "lost-label") {
        match rules.iter().find(|rule| rule.pointer == *id) {
            Some(rule) => {
                let (code, detail) = match reason.as_str() {
                    "unknown-member" => (fault::UNKNOWN_MEMBER, unknown_member(people_in(&rule.value), members)),
                    reason => explain(rule, reason, asked),
                };
                say(rule.pointer.clone(), code, detail);
            }
            None => {
                let ids = filters.people.iter().flat_map(|people| &people.ids).map(String::as_str);
                say("/filters/people".to_owned(), fault::UNKNOWN_MEMBER, unknown_member(ids, members));
            }
        }
    }
    for reach in selected.reach.iter().filter(|reach| reach.boards == 0) {
        if let Some(rule) = rules.iter().find(|rule| rule.pointer == reach.rule) {
            let (code, detail) = match columns_of(rule, asked).first() {
                Some(_) => explain(rule, "unknown-operator", asked),
                None => explain(rule, "unknown-column", asked),
            };
            say(rule.pointer.clone(), code, detail);
        }
    }
    match wrong.first() {
        None => Ok(()),
        Some(first) => Err(INVALID_FILTER.error(first.detail.clone()).at_all(wrong)),
    }
}

const NO_TEAMS: &str = "Teams aren't supported. Use member IDs.";

/// Leaves out the sent texts, so that another account's member and an unknown one get identical answers.
fn unknown_member<'a>(named: impl Iterator<Item = &'a str>, members: &Named) -> String {
    let named: Vec<&str> = named.collect();
    let is_none = |text: &&str| !STANDING_FOR.contains(text) && !members.contains_key(*text);
    let Some(at) = named.iter().position(is_none) else {
        return "`me` needs a member's token, which this caller doesn't have. Use the member's name or ID.".to_owned();
    };
    let which = if named.len() > 1 { format!("number {} of these", at + 1) } else { "this one".to_owned() };
    format!("Member not found: {which}. Name members by ID or unique name; `me` is the caller, `none` is nobody.")
}

fn explain(rule: &Sent, reason: &str, asked: &[Asked]) -> (Fault, String) {
    let columns = columns_of(rule, asked);
    let builtin = match &rule.col {
        ColRef::Builtin { name } => BUILTIN.iter().find(|(builtin, _)| builtin == name),
        _ => None,
    };
    let type_name = match (&rule.col, columns.first(), builtin) {
        (_, Some(column), _) => column.type_name.as_str(),
        (.., Some((_, type_name))) => type_name,
        (ColRef::Title { type_name, .. }, ..) => type_name,
        _ => "",
    };
    let title = columns.first().map_or(rule.named.as_str(), |column| &column.title);
    match reason {
        "unknown-column" | "lost-column" => {
            (fault::UNKNOWN_COLUMN, format!("Column {} not found. {}", rule.named, columns_there_are(asked)))
        }
        "unknown-operator" => {
            let operators: Vec<&str> = widgets::operators(type_name).iter().map(|(name, _)| *name).collect();
            let takes = if operators.is_empty() { "no filter".to_owned() } else { operators.join(", ") };
            (fault::UNKNOWN_OPERATOR, format!("{title} ({type_name}) accepts {takes}, not `{}`.", rule.op))
        }
        "deleted-label" => {
            let mut labels: Vec<&str> = Vec::new();
            for column in &columns {
                labels.extend(column.settings.labels.iter().flatten().map(|label| label.text.as_str()));
            }
            match builtin {
                Some(("group", _)) => labels.extend(asked.iter().flat_map(|b| &b.groups).map(|g| g.name.as_str())),
                Some(("board", _)) => labels.extend(asked.iter().map(|board| board.name.as_str())),
                _ => {}
            }
            labels.truncate(NAMED_MAX);
            (fault::UNKNOWN_LABEL, format!("{title} doesn't have these labels. Available: {}.", labels.join(", ")))
        }
        "unknown-team" => (fault::UNKNOWN_TEAM, NO_TEAMS.to_owned()),
        _ => (fault::WRONG_VALUE, format!("{title} {} accepts {}.", rule.op, value_of(type_name, &rule.op))),
    }
}

/// Describes the accepted `value`.
fn value_of(type_name: &str, op: &str) -> &'static str {
    let operator = widgets::operators(type_name).iter().find(|(name, _)| *name == op);
    operator.map_or("another value", |(_, takes)| takes.described())
}

/// The types of the columns that a rule is about.
fn types_of<'a>(rule: &'a Sent, asked: &'a [Asked]) -> impl Iterator<Item = &'a str> {
    let said = match &rule.col {
        ColRef::Title { type_name, .. } => Some(type_name.as_str()),
        _ => None,
    };
    asked.iter().flat_map(|board| columns_on(rule, board).into_iter().map(|column| board.type_of(column))).chain(said)
}

/// The boards' columns that a rule is about.
fn columns_of<'a>(rule: &Sent, asked: &'a [Asked]) -> Vec<&'a Column> {
    asked.iter().flat_map(|board| columns_on(rule, board)).collect()
}

fn columns_on<'a>(rule: &Sent, board: &'a Asked) -> Vec<&'a Column> {
    match &rule.col {
        ColRef::Ids { ids } => {
            let ids = ids.get(&board.id).map(Vec::as_slice).unwrap_or_default();
            board.columns.iter().filter(|column| ids.contains(&column.id)).collect()
        }
        ColRef::Title { title, .. } => board.named(title).collect(),
        ColRef::Builtin { .. } => Vec::new(),
    }
}

/// Which columns there are, for a message.
pub(crate) fn columns_there_are(asked: &[Asked]) -> String {
    let mut named: Vec<String> = Vec::new();
    for column in asked.iter().flat_map(|board| &board.columns) {
        let name = format!("{} ({})", column.title, column.type_name);
        if !named.contains(&name) {
            named.push(name);
        }
    }
    named.truncate(NAMED_MAX);
    named.extend(BUILTIN.iter().map(|(name, _)| (*name).to_owned()));
    format!("Available: {}.", named.join(", "))
}

/// Effect of the rules, by their IDs in the request.
pub(crate) fn coverage(rules: &[Sent], selected: &Selected) -> Coverage {
    let named = |place: &str| {
        let rule = rules.iter().find(|rule| rule.pointer == place);
        rule.and_then(|rule| rule.id.clone()).unwrap_or_else(|| place.to_owned())
    };
    let reach = |r: &widgets::Reach| RuleReach { rule: named(&r.rule), boards: r.boards, of: r.of };
    let inert = |r: &InertRule| RuleInert { rule: named(&r.id), reason: r.reason.clone(), lost: r.lost.clone() };
    Coverage {
        reach: selected.reach.iter().map(reach).collect(),
        inert_rules: selected.inert.iter().map(inert).collect(),
    }
}
