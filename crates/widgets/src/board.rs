//! A board as the engine holds it, made from its Arrow stream.

use crate::column::{Coded, CodedBuilder, Data, Entry, NO_DAY, Numbers, Texts, stamp};
use crate::dates::{DAY_MAX, DAY_MIN};
use crate::derived::Derived;
use crate::error::EngineError;
use crate::family::Family;
use crate::fold::fold_case;
use crate::ipc::{Array, Event, Kind, Stream};
use crate::linked::{self, Shown};
use crate::meaning::{Category, MeantLabel, categories};
use crate::row_test::Test;
use crate::selection::Selection;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;

pub(crate) mod overlay;

/// Items of one board at most.
pub const ROWS_MAX: usize = 20_000_000;

/// The type of columns whose cells are computed; their settings say what from, and the type of what is there.
const FORMULA: &str = "formula";

/// What the metadata says beside the items.
#[derive(Deserialize)]
pub(crate) struct Head {
    pub board: HeadBoard,
    #[serde(default)]
    groups: Vec<HeadGroup>,
    #[serde(default)]
    columns: Vec<HeadColumn>,
    #[serde(default)]
    members: Vec<HeadBoard>,
    #[serde(default)]
    linked: Vec<Shown>,
}

#[derive(Deserialize)]
pub(crate) struct HeadBoard {
    pub id: String,
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
pub(crate) struct HeadGroup {
    id: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    color: Option<String>,
}

/// A column. A computed one is of the type that it gives: nothing here is different for it.
#[derive(Clone, PartialEq, Deserialize)]
#[serde(from = "SentColumn")]
pub(crate) struct HeadColumn {
    pub id: String,
    title: String,
    pub type_name: String,
    pub settings: Option<Settings>,
}

/// A column as it is sent.
#[derive(Deserialize)]
struct SentColumn {
    id: String,
    #[serde(default)]
    title: String,
    #[serde(rename = "type")]
    type_name: String,
    #[serde(default)]
    settings: Option<Settings>,
}

impl From<SentColumn> for HeadColumn {
    fn from(sent: SentColumn) -> HeadColumn {
        let SentColumn { id, title, mut type_name, mut settings } = sent;
        if type_name == FORMULA {
            let result = settings.as_mut().and_then(|settings| settings.result.take());
            type_name = result.unwrap_or_else(|| "text".to_owned());
        }
        HeadColumn { id, title, type_name, settings }
    }
}

/// The settings that the engine reads; the rest is the pages'.
#[derive(Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Settings {
    #[serde(default)]
    pub labels: Option<Vec<Label>>,
    #[serde(default)]
    pub unit: Option<String>,
    #[serde(default)]
    pub currency: Option<String>,
    #[serde(default)]
    pub decimals: Option<u8>,
    #[serde(default)]
    pub percent: Option<bool>,
    /// Of a formula: the type of its results.
    #[serde(default)]
    pub result: Option<String>,
    /// Of links the board that they lead to.
    #[serde(default)]
    pub board_id: Option<String>,
    /// Of mirrors the link, and what of the linked items they show.
    #[serde(default)]
    pub link_column: Option<String>,
    #[serde(default)]
    pub source_column: Option<String>,
}

#[derive(Clone, PartialEq, Deserialize)]
pub(crate) struct Label {
    pub id: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    color: Option<String>,
    #[serde(default)]
    done: Option<bool>,
    /// Nothing from earlier versions.
    #[serde(default)]
    category: Option<String>,
}

/// One of a board's own columns.
pub(crate) struct Column {
    pub id: String,
    pub title: String,
    pub title_folded: String,
    pub type_name: String,
    pub family: Family,
    pub settings: Settings,
    pub data: Data,
    /// Of links, those to items that are no more among them: they may come back.
    pub links: Option<Coded>,
    /// Another one whenever the cells are.
    pub stamp: u64,
}

impl Column {
    fn new(column: &HeadColumn, family: Family, data: Data) -> Column {
        let settings = column.settings.clone().unwrap_or_default();
        let (data, links) = match (family, data) {
            (Family::Links, Data::Coded(links)) => (Data::Opaque, Some(links)),
            (_, data) => (data, None),
        };
        let (id, title, type_name) = (column.id.clone(), column.title.clone(), column.type_name.clone());
        Column { id, title_folded: fold_case(&title), title, type_name, family, settings, data, links, stamp: stamp() }
    }
    /// The labels that its cells can have.
    pub fn labels(&self) -> &[Entry] {
        match &self.data {
            Data::Coded(coded) if self.family == Family::Label => &coded.entries,
            _ => &[],
        }
    }
}

/// A loaded board.
pub(crate) struct Board {
    pub id: String,
    pub name: String,
    pub rows: usize,
    /// Ids of the items; nothing in what is laid above a board.
    pub ids: Texts,
    pub columns: Vec<Column>,
    /// Columns that a patch took away, with what they hold: they may come back.
    away: Vec<Column>,
    /// What it shows of other boards.
    linked: Vec<Shown>,
    pub names: Texts,
    pub groups: Coded,
    pub created: Vec<i64>,
    pub updated: Vec<i64>,
    /// Which of its items are subitems; nothing where none are.
    pub subitems: Option<Subitems>,
    /// What queries have derived from its columns.
    pub derived: Derived,
}

/// The subitems among a board's items.
pub(crate) struct Subitems {
    /// Each row's as a checkbox has it.
    pub coded: Coded,
    /// The rows that are none.
    others: Selection,
}

impl Subitems {
    /// Of what a checkbox would hold in each row; nothing where none is checked.
    fn from_builder(builder: CodedBuilder) -> Option<Subitems> {
        let coded = builder.finish();
        let is_none = coded.table(|members| members.iter().all(|member| coded.entries[*member as usize].id != "true"));
        let others = Test::Codes(&coded.codes, is_none).select(coded.codes.len());
        (others.count() < coded.codes.len()).then_some(Subitems { coded, others })
    }
}

/// What stands for the instants that every item has where columns have their stamps.
pub(crate) const CREATED: u64 = u64::MAX;
pub(crate) const UPDATED: u64 = u64::MAX - 1;

/// The code of a subitem, and that of an item.
const IS_SUBITEM: u32 = 1;
const IS_ITEM: u32 = 2;

impl Board {
    /// Those of a selection that are not subitems.
    pub fn without_subitems(&self, selection: Selection) -> Selection {
        match &self.subitems {
            Some(subitems) => selection.and(&subitems.others),
            None => selection,
        }
    }
    /// How many items it has, subitems not counted.
    pub fn items(&self) -> usize {
        self.subitems.as_ref().map_or(self.rows, |subitems| subitems.others.count())
    }
    /// First and last day of the items that a column links to.
    pub fn linked_days(&self, column: &Column) -> HashMap<&str, (Option<i32>, Option<i32>)> {
        linked::days(&self.linked, column)
    }
    /// Whether a row is a subitem's.
    pub fn is_subitem(&self, row: usize) -> bool {
        self.subitems.as_ref().is_some_and(|subitems| subitems.coded.codes.get(row) == IS_SUBITEM)
    }
    /// A column by its id.
    pub fn column(&self, id: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.id == id)
    }
}

/// What is known of a board after loading it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BoardInfo {
    /// The board's id, by which queries name it.
    pub id: String,
    /// Its name.
    pub name: String,
    /// How many items it has.
    pub items: usize,
    /// How many columns of its own.
    pub columns: usize,
}

fn damaged(what: impl Into<String>) -> EngineError {
    EngineError::Damaged(what.into())
}

/// Texts of a dictionary as they stand now, and the codes that a column gave them.
#[derive(Default)]
struct Dictionary<'a> {
    values: Vec<&'a str>,
    /// Rises when the values are replaced.
    revision: u32,
}

/// A column while its batches come in.
struct Incoming {
    family: Family,
    kind: Kind,
    builder: Builder,
    /// Board codes of the dictionary's values, and the dictionary's revision that they belong to.
    codes: Vec<u32>,
    revision: u32,
    /// Codes of the lists that were met, where cells come as JSON.
    by_list: HashMap<String, u32>,
}

enum Builder {
    Texts(Texts),
    Files(Texts),
    Numbers(Vec<f64>),
    Days(Vec<i32>),
    Spans(Vec<i32>, Vec<i32>),
    Instants(Vec<i64>),
    Coded(CodedBuilder),
    /// Parents, of which only is kept whether there is one.
    Parents(CodedBuilder),
    Skipped,
}

/// Reads a board's stream (its form is described at `Engine::load`).
pub(crate) fn load(bytes: &[u8]) -> Result<Board, EngineError> {
    let mut stream = Stream::open(bytes)?;
    let head: Head =
        crate::reading::read_json(stream.head.as_bytes()).map_err(|e| damaged(format!("the metadata `board`: {e}")))?;
    let names: HashMap<&str, &str> = head.members.iter().map(|m| (m.id.as_str(), m.name.as_str())).collect();
    let mut incoming = Vec::new();
    for (index, name) in ["id", "groupId", "name", "createdAt", "updatedAt"].into_iter().enumerate() {
        let kind = stream.fields.get(index).filter(|f| f.name == name).map(|f| f.kind);
        incoming.push(match (index, kind) {
            (0, Some(Kind::Utf8)) => Incoming::new(Family::Opaque, Kind::Utf8, Builder::Texts(Texts::default())),
            (1, Some(kind @ Kind::Dictionary(_))) => {
                let entries = head.groups.iter().map(group_entry).collect();
                Incoming::new(Family::Label, kind, Builder::Coded(CodedBuilder::new(entries, false)))
            }
            (2, Some(Kind::Utf8)) => Incoming::new(Family::Text, Kind::Utf8, Builder::Texts(Texts::default())),
            (3 | 4, Some(Kind::Int64)) => Incoming::new(Family::Date, Kind::Int64, Builder::Instants(Vec::new())),
            _ => return Err(damaged(format!("the column `{name}` is missing or has another Arrow type"))),
        });
    }
    let parents =
        stream.fields.get(5 + head.columns.len()).is_some_and(|f| f.name == "parentId" && f.kind == Kind::Utf8);
    if stream.fields.len() != 5 + head.columns.len() + usize::from(parents) {
        return Err(damaged("the metadata and the stream name different columns"));
    }
    for (column, field) in head.columns.iter().zip(&stream.fields[5..]) {
        if field.name != column.id {
            return Err(damaged(format!("expected the column `{}`, got `{}`", column.id, field.name)));
        }
        incoming.push(Incoming::from_column(column, field.kind)?);
    }
    incoming.extend(parents.then(Incoming::parents));

    let mut dictionaries: HashMap<i64, Dictionary<'_>> = HashMap::new();
    let mut rows = 0;
    while let Some(event) = stream.next()? {
        match event {
            Event::Dictionary { id, delta, values } => {
                let dictionary = dictionaries.entry(id).or_default();
                if !delta {
                    dictionary.values.clear();
                    dictionary.revision += 1;
                }
                for row in 0..values.rows {
                    dictionary.values.push(values.text(row)?);
                }
            }
            Event::Batch(arrays) => {
                let batch_rows = arrays.first().map_or(0, |a| a.rows);
                if rows + batch_rows > ROWS_MAX {
                    return Err(EngineError::TooLarge(ROWS_MAX));
                }
                for (column, array) in incoming.iter_mut().zip(&arrays) {
                    column.append(array, &dictionaries, &names)?;
                }
                rows += batch_rows;
            }
        }
    }
    finish(head, incoming, rows)
}

/// The last of what came in may be the parents of subitems.
fn finish(head: Head, mut incoming: Vec<Incoming>, rows: usize) -> Result<Board, EngineError> {
    let parents = incoming.pop_if(|last| matches!(last.builder, Builder::Parents(_)));
    let subitems = parents.and_then(|parents| match parents.builder {
        Builder::Parents(builder) => Subitems::from_builder(builder),
        _ => None,
    });
    let mut columns = incoming.into_iter();
    let mut next = || columns.next().expect("as many as fields").builder;
    let (ids, groups, names, created, updated) = (next(), next(), next(), next(), next());
    let (Builder::Coded(groups), Builder::Texts(names), Builder::Instants(created), Builder::Instants(updated)) =
        (groups, names, created, updated)
    else {
        return Err(damaged("its first columns"));
    };
    let ids = if let Builder::Texts(ids) = ids { ids } else { Texts::default() };
    let columns = head.columns.iter().zip(columns);
    let mut columns: Vec<Column> =
        columns.map(|(column, incoming)| Column::new(column, incoming.family, incoming.builder.data())).collect();
    let members = head.members.iter().map(|m| (m.id.as_str(), m.name.as_str())).collect();
    linked::fill(&mut columns, &head.linked, &members);
    Ok(Board {
        id: head.board.id,
        name: head.board.name,
        rows,
        ids,
        columns,
        away: Vec::new(),
        linked: head.linked,
        names,
        groups: groups.finish(),
        created,
        updated,
        subitems,
        derived: Derived::default(),
    })
}

impl Builder {
    fn data(self) -> Data {
        match self {
            Builder::Texts(texts) => Data::Text(texts),
            Builder::Files(names) => Data::Files(names),
            Builder::Numbers(numbers) => Data::Numbers(Numbers::new(numbers)),
            Builder::Days(days) => Data::Days(days),
            Builder::Spans(from, to) => Data::Spans(from, to),
            Builder::Instants(instants) => Data::Instants(instants),
            Builder::Coded(coded) => Data::Coded(coded.finish()),
            Builder::Parents(_) | Builder::Skipped => Data::Opaque,
        }
    }
}

/// What a checkbox can hold, in the order of its codes.
pub(crate) fn checkbox_entries() -> Vec<Entry> {
    vec![Entry::named("true", "Checked"), Entry::named("false", "Not checked")]
}

/// The labels of a column in their order.
pub(crate) fn labels_of(column: &HeadColumn) -> Vec<Entry> {
    let labels = column.settings.as_ref().and_then(|s| s.labels.as_deref()).unwrap_or_default();
    let meant = |label: &'_ Label| label.category.as_deref().and_then(Category::named);
    let meant: Vec<MeantLabel<'_>> = labels
        .iter()
        .map(|label| MeantLabel { text: &label.text, category: meant(label), is_done: label.done == Some(true) })
        .collect();
    let entry = |(label, category): (&Label, Category)| Entry {
        color: label.color.clone(),
        done: category == Category::Done,
        canceled: category == Category::Canceled,
        ..Entry::named(&label.id, &label.text)
    };
    labels.iter().zip(categories(&meant)).map(entry).collect()
}

impl Incoming {
    fn new(family: Family, kind: Kind, builder: Builder) -> Incoming {
        Incoming { family, kind, builder, codes: Vec::new(), revision: 0, by_list: HashMap::new() }
    }
    fn parents() -> Incoming {
        let builder = Builder::Parents(CodedBuilder::new(checkbox_entries(), false));
        Incoming::new(Family::Opaque, Kind::Utf8, builder)
    }
    fn from_column(column: &HeadColumn, kind: Kind) -> Result<Incoming, EngineError> {
        let family = Family::from_type_name(&column.type_name);
        let builder = match (family, kind) {
            (Family::Text, Kind::Utf8) => Builder::Texts(Texts::default()),
            (Family::Files, Kind::Utf8) => Builder::Files(Texts::default()),
            (Family::Number, Kind::Float64) => Builder::Numbers(Vec::new()),
            (Family::Date, Kind::Date32) => Builder::Days(Vec::new()),
            (Family::Date, Kind::Int64) => Builder::Instants(Vec::new()),
            (Family::Date, Kind::Span) => Builder::Spans(Vec::new(), Vec::new()),
            (Family::Checkbox, Kind::Bool) => Builder::Coded(CodedBuilder::new(checkbox_entries(), false)),
            (Family::Tags | Family::People | Family::Links, Kind::Dictionary(_)) => {
                Builder::Coded(CodedBuilder::new(Vec::new(), true))
            }
            (Family::Label, Kind::Dictionary(_)) => Builder::Coded(CodedBuilder::new(labels_of(column), false)),
            (Family::Opaque, _) => Builder::Skipped,
            _ => {
                return Err(damaged(format!(
                    "the column `{}` of type {} has another Arrow type",
                    column.id, column.type_name
                )));
            }
        };
        Ok(Incoming::new(family, kind, builder))
    }

    fn append(
        &mut self,
        array: &Array<'_>,
        dictionaries: &HashMap<i64, Dictionary<'_>>,
        names: &HashMap<&str, &str>,
    ) -> Result<(), EngineError> {
        let rows = 0..array.rows;
        match &mut self.builder {
            Builder::Skipped => {}
            Builder::Parents(builder) => {
                rows.for_each(|row| builder.push(if array.is_valid(row) { IS_SUBITEM } else { IS_ITEM }));
            }
            Builder::Texts(texts) => {
                texts.reserve(array.rows, array.text_bytes());
                for row in rows {
                    texts.push(array.text(row)?);
                }
            }
            Builder::Files(names) => {
                for row in rows {
                    let list = array.text(row)?;
                    let files: Value = match list {
                        "" => Value::Null,
                        list => serde_json::from_slice(list.as_bytes())
                            .map_err(|e| damaged(format!("a list of files: {e}")))?,
                    };
                    names.push(&file_names(&files));
                }
            }
            Builder::Numbers(numbers) => {
                numbers.extend(rows.map(|row| if array.is_valid(row) { array.f64(row) } else { f64::NAN }));
            }
            Builder::Instants(instants) => instants.extend(rows.map(|row| array.i64(row))),
            Builder::Days(days) => days.extend(rows.map(|row| {
                let day = array.i32(row);
                if array.is_valid(row) && (DAY_MIN..=DAY_MAX).contains(&day) { day } else { NO_DAY }
            })),
            Builder::Spans(from, to) => {
                for row in rows {
                    let known = |day: i32| (DAY_MIN..=DAY_MAX).contains(&day);
                    let (first, last) = (array.i32(row), array.last_day(row));
                    let is_span = array.is_valid(row) && known(first) && known(last);
                    from.push(if is_span { first } else { NO_DAY });
                    to.push(if is_span { last } else { NO_DAY });
                }
            }
            Builder::Coded(builder) if self.kind == Kind::Bool => {
                rows.for_each(|row| builder.push(if array.is_valid(row) && array.bool(row) { 1 } else { 2 }));
            }
            Builder::Coded(builder) => {
                let Kind::Dictionary(id) = self.kind else { return Err(damaged("a column's Arrow type")) };
                let none = Dictionary::default();
                let dictionary = dictionaries.get(&id).unwrap_or(&none);
                if self.revision != dictionary.revision {
                    self.codes.clear();
                    self.revision = dictionary.revision;
                }
                for value in &dictionary.values[self.codes.len()..] {
                    self.codes.push(code_of(builder, self.family, value, names)?);
                }
                builder.reserve(array.rows);
                for row in rows {
                    let code = match array.is_valid(row) {
                        false => 0,
                        true => *usize::try_from(array.i32(row))
                            .ok()
                            .and_then(|key| self.codes.get(key))
                            .ok_or_else(|| damaged("a dictionary key"))?,
                    };
                    builder.push(code);
                }
            }
        }
        Ok(())
    }
}

/// The names of a cell's files, one below the other: no name has a line end in it.
fn file_names(files: &Value) -> String {
    let names = files.as_array().into_iter().flatten().filter_map(|file| file["name"].as_str());
    names.collect::<Vec<_>>().join("\n")
}

fn group_entry(group: &HeadGroup) -> Entry {
    Entry { color: group.color.clone(), ..Entry::named(&group.id, &group.name) }
}

/// What a caller is called who is no member.
fn kind(id: &str) -> &str {
    match id {
        "owner" => "Owner",
        "cli" => "Command line",
        "agent" => "Session",
        other => other,
    }
}

/// The board's code of a dictionary value: a label or group id, or a list of tags or member ids as JSON.
fn code_of(
    builder: &mut CodedBuilder,
    family: Family,
    value: &str,
    names: &HashMap<&str, &str>,
) -> Result<u32, EngineError> {
    if family == Family::Label {
        // A label that the settings no longer have goes by its id.
        return Ok(builder.single(value, || Entry::named(value, value)));
    }
    if family == Family::People && !value.starts_with('[') {
        return Ok(builder.set(&[value.to_owned()], |id| Entry::named(id, names.get(id).copied().unwrap_or(kind(id)))));
    }
    let list: Vec<String> =
        serde_json::from_slice(value.as_bytes()).map_err(|e| damaged(format!("a list in a cell: {e}")))?;
    Ok(match family {
        Family::Links => builder.set(&list, |id| Entry::named(id, "")),
        Family::People => builder.set(&list, |id| Entry::named(id, names.get(id).copied().unwrap_or(id))),
        _ => {
            let keys: Vec<String> = list.iter().map(|tag| fold_case(tag)).filter(|tag| !tag.is_empty()).collect();
            let written =
                |key: &str| list.iter().find(|tag| fold_case(tag) == key).map_or(key, String::as_str).to_owned();
            builder.set(&keys, |key| Entry::named("", &written(key)))
        }
    })
}
