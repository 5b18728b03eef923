//! What a column of each type holds: its settings, and which values its cells take.

use crate::directory::Named;
use crate::fault;
use crate::files::{self, OfItem, Refused};
use crate::formula::FormulaResult;
use crate::{INVALID_CELL, READ_ONLY_COLUMN, links};
use kit::Fault;
use kit::error::{self, FieldError, NAMED_NOT_FOUND, Result, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::HashSet;
use store::Tx;
use widgets::{Category, MeantLabel};

/// Labels of a column.
pub const LABELS_MAX: usize = 500;
/// Characters of a name, a title or a label.
pub const NAME_CHARS_MAX: usize = 255;
/// Characters of a cell of text.
pub const TEXT_CHARS_MAX: usize = 20_000;
/// Entries of one cell of tags or people.
pub const ENTRIES_MAX: usize = 100;
/// Largest rating that a column may be set to.
pub const RATING_MAX: i64 = 10;
/// Decimals that a column of numbers may show.
pub(crate) const DECIMALS_MAX: u8 = 10;
const UNIT_CHARS_MAX: usize = 16;
const EMAIL_CHARS_MAX: usize = 320;
pub(crate) const LINK_BYTES_MAX: usize = 2_048;
const PHONE_CHARS_MAX: usize = 40;

/// For schemas: a name that is not only spaces, without control characters.
pub(crate) const NOT_BLANK: &str = kit::text::NAME;
/// For schemas: a colour as it is sent, or empty.
pub(crate) const COLOR: &str = "^(#[0-9a-fA-F]{6})?$";
/// What a label that means "done" gets when no colour is given: people expect green.
const DONE_COLOR: &str = "#00a86b";
/// What one that means "canceled" gets: the palette's grey.
const CANCELED_COLOR: &str = "#7a7a7a";
/// Colours that other labels and groups get in turn when none is given.
pub const PALETTE: [&str; 11] = [
    "#4a7fd4", "#e8a33d", "#8e5bd0", "#d9455f", "#2aa5b5", "#c76b98", "#6b7f8f", "#9aad3b", "#b5763a", "#5560c9",
    "#7a7a7a",
];

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)]
pub enum ColumnType {
    Text,
    LongText,
    Number,
    Status,
    Dropdown,
    Tags,
    People,
    Date,
    Timeline,
    Checkbox,
    Link,
    Email,
    Phone,
    Rating,
    Progress,
    CreatedAt,
    CreatedBy,
    UpdatedAt,
    UpdatedBy,
    ItemLink,
    Sprint,
    Mirror,
    Formula,
    File,
}

impl ColumnType {
    /// Every type.
    pub const ALL: [ColumnType; 24] = [
        ColumnType::Text,
        ColumnType::LongText,
        ColumnType::Number,
        ColumnType::Status,
        ColumnType::Dropdown,
        ColumnType::Tags,
        ColumnType::People,
        ColumnType::Date,
        ColumnType::Timeline,
        ColumnType::Checkbox,
        ColumnType::Link,
        ColumnType::Email,
        ColumnType::Phone,
        ColumnType::Rating,
        ColumnType::Progress,
        ColumnType::CreatedAt,
        ColumnType::CreatedBy,
        ColumnType::UpdatedAt,
        ColumnType::UpdatedBy,
        ColumnType::ItemLink,
        ColumnType::Sprint,
        ColumnType::Mirror,
        ColumnType::Formula,
        ColumnType::File,
    ];
    /// As stored and sent.
    pub const fn name(self) -> &'static str {
        match self {
            ColumnType::Text => "text",
            ColumnType::LongText => "longText",
            ColumnType::Number => "number",
            ColumnType::Status => "status",
            ColumnType::Dropdown => "dropdown",
            ColumnType::Tags => "tags",
            ColumnType::People => "people",
            ColumnType::Date => "date",
            ColumnType::Timeline => "timeline",
            ColumnType::Checkbox => "checkbox",
            ColumnType::Link => "link",
            ColumnType::Email => "email",
            ColumnType::Phone => "phone",
            ColumnType::Rating => "rating",
            ColumnType::Progress => "progress",
            ColumnType::CreatedAt => "createdAt",
            ColumnType::CreatedBy => "createdBy",
            ColumnType::UpdatedAt => "updatedAt",
            ColumnType::UpdatedBy => "updatedBy",
            ColumnType::ItemLink => "itemLink",
            ColumnType::Sprint => "sprint",
            ColumnType::Mirror => "mirror",
            ColumnType::Formula => "formula",
            ColumnType::File => "file",
        }
    }
    /// The type of this name; `None` for one that a newer version wrote.
    pub fn named(name: &str) -> Option<ColumnType> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
    /// Whether its cells come from elsewhere, so that none is written.
    pub const fn is_derived(self) -> bool {
        use ColumnType::{CreatedAt, CreatedBy, Formula, Mirror, UpdatedAt, UpdatedBy};
        matches!(self, CreatedAt | CreatedBy | UpdatedAt | UpdatedBy | Mirror | Formula)
    }
    /// Whether its cells hold a list.
    pub const fn holds_list(self) -> bool {
        matches!(self, ColumnType::Tags | ColumnType::People) || self.is_link()
    }
    /// Whether its cells hold ids of items.
    pub const fn is_link(self) -> bool {
        matches!(self, ColumnType::ItemLink | ColumnType::Sprint)
    }
    /// Whether its cells hold the id of one of the column's labels.
    pub const fn has_labels(self) -> bool {
        matches!(self, ColumnType::Status | ColumnType::Dropdown)
    }
}

/// One choice of a status or dropdown column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Label {
    /// The value stored in cells; assigned by the server if omitted.
    #[serde(default)]
    pub id: String,
    /// Displayed text, 1 to 255 characters.
    pub text: String,
    /// `#rrggbb`. Default: the next palette color.
    #[serde(default)]
    pub color: String,
    /// How far an item with this label is. Where it is left out, `done` decides; of a new label without both the text does, such as
    /// Backlog, Closed, Erledigt or Won't do. Canceled items aren't part of a sprint or a battery, and are neither due nor overdue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Category")]
    pub category: Option<Category>,
    /// Whether an item with this label counts as finished: true where `category` is `done`. Sent alone, it sets the category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub done: Option<bool>,
}

impl Label {
    /// A new label, which gets its id when its column's settings are settled.
    pub(crate) fn new(text: &str, color: &str, category: Category) -> Label {
        let done = Some(category == Category::Done);
        Label { id: String::new(), text: text.to_owned(), color: color.to_owned(), category: Some(category), done }
    }

    pub(crate) fn set_category(&mut self, category: Category) {
        (self.category, self.done) = (Some(category), Some(category == Category::Done));
    }

    /// What it says of its category by itself: nothing where the column's other labels decide. `before` is the label as it was.
    fn said(&self, before: Option<&Label>) -> std::result::Result<Option<Category>, &'static str> {
        let was = before.and_then(|before| before.category);
        let open = || match was {
            Some(was) if was != Category::Done => was,
            _ => Category::open(&self.text),
        };
        let by_done = |done: bool| if done { Category::Done } else { open() };
        match (self.category, self.done) {
            (Some(category), Some(done)) if (category == Category::Done) != done => {
                // Who sends what was read with one of the two changed means the change.
                match (was == Some(category), before.is_some_and(|before| before.done == Some(done))) {
                    (true, _) => Ok(Some(by_done(done))),
                    (false, true) => Ok(Some(category)),
                    (false, false) => Err(DONE_IS_CATEGORY),
                }
            }
            (Some(category), _) => Ok(Some(category)),
            (None, Some(done)) => Ok(Some(by_done(done))),
            (None, None) if before.is_some() => Ok(was),
            (None, None) => Ok(None),
        }
    }
}

const DONE_IS_CATEGORY: &str =
    "done is true where the category is done, and false where it is another: send the category alone.";

/// Settings of a column. Each type accepts only its own members.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Settings {
    /// number: the unit, such as `h`, up to 16 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// number: ISO 4217 code, such as `EUR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// number: digits shown after the decimal point, 0 to 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimals: Option<u8>,
    /// number: whether to show 45 as 45%.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<bool>,
    /// status, dropdown: the choices, up to 500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<Label>>,
    /// status, dropdown: the highest number that the id of a label had, where that label is gone; the server's own. No label gets
    /// such an id again: items in the trash and in the archive may hold it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_label: Option<usize>,
    /// tags: suggested texts. Cells can have others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<String>>,
    /// rating: the maximum rating, 1 to 10. Default: 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// itemLink, sprint: the linked board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board_id: Option<String>,
    /// itemLink, sprint: the group of that board that new links must be in. Default: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_id: Option<String>,
    /// itemLink, sprint: whether a cell can have several items. Default for sprint: one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub many: Option<bool>,
    /// sprint: that board's timeline column with the sprint dates. Default if all three are omitted: its first timeline column or first two date columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline_column: Option<String>,
    /// sprint: that board's date column for the sprint start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_column: Option<String>,
    /// sprint: that board's date column for the sprint end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_column: Option<String>,
    /// mirror: this board's itemLink or sprint column to mirror through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_column: Option<String>,
    /// mirror: the linked board's column to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_column: Option<String>,
    /// formula: the formula, up to 1,000 characters. Columns are in braces, by title or ID.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// formula: the result type, derived by the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<FormulaResult>,
}

impl Settings {
    /// Checks against the type, and gives new labels their ids and colours. Ids that `before` used and has no more are not used
    /// again, whoever asks.
    pub fn settle(mut self, kind: ColumnType, before: Option<&Settings>) -> Result<Settings> {
        self.last_label = None;
        let number =
            self.unit.is_some() || self.currency.is_some() || self.decimals.is_some() || self.percent.is_some();
        let link = self.board_id.is_some() || self.group_id.is_some() || self.many.is_some();
        let days = self.timeline_column.is_some() || self.start_column.is_some() || self.end_column.is_some();
        let mirror = self.link_column.is_some() || self.source_column.is_some();
        let foreign = [
            (link && !kind.is_link(), "boardId, groupId and many", "itemLink and sprint"),
            (days && kind != ColumnType::Sprint, "timelineColumn, startColumn and endColumn", "sprint"),
            (mirror && kind != ColumnType::Mirror, "linkColumn and sourceColumn", "mirror"),
            (
                number && !matches!(kind, ColumnType::Number | ColumnType::Formula),
                "unit, currency, decimals and percent",
                "number and formula",
            ),
            (self.labels.is_some() && !kind.has_labels(), "labels", "status and dropdown"),
            (self.options.is_some() && kind != ColumnType::Tags, "options", "tags"),
            (self.max.is_some() && kind != ColumnType::Rating, "max", "rating"),
            (self.formula.is_some() && kind != ColumnType::Formula, "a formula", "formula"),
            (self.result.is_some() && kind != ColumnType::Formula, "result", "formula"),
        ];
        if let Some((_, what, owner)) = foreign.into_iter().find(|(wrong, ..)| *wrong) {
            return Err(refuse("", format!("{what} are settings of {owner} columns; this one is {}.", kind.name())));
        }
        if self.unit.as_ref().is_some_and(|unit| unit.chars().count() > UNIT_CHARS_MAX) {
            return Err(refuse("/unit", format!("A unit can have up to {UNIT_CHARS_MAX} characters.")));
        }
        if self.unit.as_ref().is_some_and(|unit| unit.contains(char::is_control)) {
            return Err(refuse("/unit", "A unit holds no control characters."));
        }
        let is_code = |code: &String| code.len() == 3 && code.bytes().all(|b| b.is_ascii_uppercase());
        if self.currency.as_ref().is_some_and(|code| !is_code(code)) {
            return Err(refuse("/currency", "A currency is its ISO 4217 code, three capital letters such as EUR."));
        }
        if self.decimals.is_some_and(|decimals| decimals > DECIMALS_MAX) {
            return Err(refuse("/decimals", format!("decimals is 0 to {DECIMALS_MAX}.")));
        }
        if self.max.is_some_and(|max| !(1..=RATING_MAX).contains(&max)) {
            return Err(refuse("/max", format!("max is 1 to {RATING_MAX}.")));
        }
        if self.options.as_ref().is_some_and(|o| o.len() > LABELS_MAX || o.iter().any(|text| !name_fits(text))) {
            return Err(refuse(
                "/options",
                format!("options holds at most {LABELS_MAX} texts of 1 to {NAME_CHARS_MAX} characters."),
            ));
        }
        if kind == ColumnType::Formula && self.formula.is_none() {
            return Err(refuse("/formula", "A formula column needs its formula."));
        }
        if kind.has_labels() {
            self.settle_labels(before)?;
        }
        Ok(self)
    }

    fn settle_labels(&mut self, before: Option<&Settings>) -> Result<()> {
        let known = before.map_or(0, Settings::highest_label);
        let labels = self.labels.get_or_insert_default();
        if labels.len() > LABELS_MAX {
            return Err(refuse("/labels", format!("A column can have up to {LABELS_MAX} labels.")));
        }
        let mut next = known.max(highest(labels)) + 1;
        // What the server gave is taken back, whatever its number.
        let given = before.and_then(|before| before.labels.as_deref()).unwrap_or_default();
        let known_labels = given;
        let given: HashSet<&String> = given.iter().map(|label| &label.id).collect();
        let (mut taken, mut was_chosen) = (HashSet::new(), false);
        for (index, label) in labels.iter_mut().enumerate() {
            let at = |member| format!("/labels/{index}/{member}");
            if !name_fits(&label.text) {
                return Err(refuse(&at("text"), format!("A label's text has 1 to {NAME_CHARS_MAX} characters.")));
            }
            if label.id.is_empty() {
                label.id = format!("l{next}");
                next += 1;
            } else if !given.contains(&label.id) {
                match crate::ids::label_number(&label.id) {
                    Some(number) if number <= known => return Err(refuse(&at("id"), OLD_LABEL)),
                    Some(number) if number <= OWN_LABEL_MAX => {}
                    _ => return Err(refuse(&at("id"), LABEL_ID)),
                }
            }
            if !taken.insert(label.id.clone()) {
                return Err(refuse(&at("id"), format!("The id {} stands twice.", label.id)));
            }
            let before = known_labels.iter().find(|known| known.id == label.id);
            was_chosen |= label.category.is_some() || label.done == Some(true);
            let said = label.said(before).map_err(|why| refuse(&at("done"), why))?;
            label.set_category(said.unwrap_or_else(|| Category::of_words(&label.text)));
        }
        // Where nothing was chosen the words count.
        let is_done = |label: &Label| label.category == Some(Category::Done);
        if !was_chosen && !labels.iter().any(is_done) {
            let called_done = labels.iter_mut().filter(|label| Category::of_words(&label.text) == Category::Done);
            called_done.for_each(|label| label.set_category(Category::Done));
        }
        for (index, label) in labels.iter_mut().enumerate() {
            let own = match label.category {
                Some(Category::Done) => DONE_COLOR,
                Some(Category::Canceled) => CANCELED_COLOR,
                _ => "",
            };
            if label.color.is_empty() {
                label.color = own.to_owned();
            }
            let refused = || refuse(&format!("/labels/{index}/color"), COLOR_ACCEPTED);
            label.color = settle_color(&label.color, index).ok_or_else(refused)?;
        }
        self.remember_labels(before);
        Ok(())
    }

    /// The highest number that the id of a label has or had.
    fn highest_label(&self) -> usize {
        highest(self.labels.as_deref().unwrap_or_default()).max(self.last_label.unwrap_or(0))
    }

    /// Remembers which ids the labels had that `before` knew and these settings do not.
    pub(crate) fn remember_labels(&mut self, before: Option<&Settings>) {
        let known = before.map_or(0, Settings::highest_label);
        self.last_label = (known > highest(self.labels.as_deref().unwrap_or_default())).then_some(known);
    }
}

/// The category of each of a column's labels, also of those that an earlier version stored.
fn categories(labels: &[Label]) -> Vec<Category> {
    fn meant(label: &Label) -> MeantLabel<'_> {
        MeantLabel { text: &label.text, category: label.category, is_done: label.done == Some(true) }
    }
    widgets::categories(&labels.iter().map(meant).collect::<Vec<_>>())
}

impl Settings {
    /// Gives labels that an earlier version stored their categories; whether there were any.
    pub(crate) fn give_categories(&mut self) -> bool {
        let labels = self.labels.as_deref_mut().unwrap_or_default();
        let is_old = labels.iter().any(|label| label.category.is_none());
        if is_old {
            let found = categories(labels);
            labels.iter_mut().zip(found).for_each(|(label, category)| label.set_category(category));
        }
        is_old
    }
}

/// What a colour looks like, for refusals.
pub const COLOR_ACCEPTED: &str = "Write a color as #rrggbb.";

const LABEL_ID: &str = "A label's id is l and a number, as the server gave it; leave it out for a new label.";
/// What undo, the activity and filters know by such an id would otherwise become another label.
const OLD_LABEL: &str = "The id is that of a label which the column had, or comes before one: leave it out for a new label. A label that was removed comes back by undoing that.";

/// The highest number of a label that a caller makes up: those that can follow behind it are more than a column comes to.
const OWN_LABEL_MAX: usize = 999_999_999_999;

/// The highest number in the ids of labels.
fn highest(labels: &[Label]) -> usize {
    labels.iter().filter_map(|label| crate::ids::label_number(&label.id)).max().unwrap_or(0)
}

/// The colour itself, or the palette's where empty; `None` where it is none.
pub fn settle_color(color: &str, index: usize) -> Option<String> {
    if color.is_empty() {
        return Some(PALETTE[index % PALETTE.len()].to_owned());
    }
    let hex = color.strip_prefix('#')?;
    (hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit())).then(|| color.to_ascii_lowercase())
}

fn refuse(pointer: &str, detail: impl Into<String>) -> kit::Error {
    invalid(&format!("/settings{pointer}"), fault::INVALID_SETTINGS, detail)
}

/// Whether a label or an entry is taken: of its length, and without control characters but the line ends of imported ones.
pub fn name_fits(name: &str) -> bool {
    kit::text::expect_text(name, NAME_CHARS_MAX, "").is_ok()
}

/// A column, as far as its cells need it.
#[derive(Debug, Clone)]
pub struct Column {
    /// `c1` and so on.
    pub id: String,
    /// Displayed name.
    pub title: String,
    /// Its type as stored.
    pub type_name: String,
    /// Its settings as stored: a JSON object.
    pub settings_json: String,
    /// Its type, unless a newer version wrote one that is unknown here.
    pub kind: Option<ColumnType>,
    /// Its settings, empty where its type is unknown.
    pub settings: Settings,
}

impl Column {
    /// The type that its cells are of: of a formula, the type of its results.
    pub fn holds(&self) -> Option<ColumnType> {
        match self.kind {
            Some(ColumnType::Formula) => Some(self.settings.result.unwrap_or(FormulaResult::Text).like()),
            kind => kind,
        }
    }

    /// Its labels with what they say of how far an item is.
    pub(crate) fn categories(&self) -> impl Iterator<Item = (&Label, Category)> {
        let labels = self.settings.labels.as_deref().unwrap_or_default();
        labels.iter().zip(categories(labels))
    }

    /// Checks a value for this column and returns what is stored, with ids where it names labels or members; `None` empties the
    /// cell. `members` are those of the account, as far as the value names them; `at` is the item that the cell is of, unless it
    /// is only being made; `pointer` is where the value stands in the request. Members who have left and items that are gone stay
    /// where the cell holds them already.
    pub(crate) fn accept(
        &self,
        tx: &mut Tx<'_>,
        account: &str,
        at: Option<OfItem<'_>>,
        value: &Value,
        pointer: &str,
        members: &Named,
    ) -> Result<Option<Value>> {
        let Some(kind) = self.kind else {
            return Err(self.refuse(pointer, "no value, because its type is unknown to this version"));
        };
        if kind.is_derived() {
            let detail = format!("The column {} ({}, {}) is read-only.", self.title, self.id, kind.name());
            return Err(READ_ONLY_COLUMN.error(detail.clone()).at(pointer, READ_ONLY_COLUMN.fault(), detail));
        }
        if is_empty(value) {
            let fits = match value {
                Value::Array(_) => kind.holds_list(),
                Value::Object(_) => kind == ColumnType::Timeline,
                _ => true,
            };
            if fits {
                return Ok(None);
            }
            let takes = if kind == ColumnType::File { Some(files::takes()) } else { self.check(kind, value).err() };
            return Err(self.refuse(pointer, &format!("{}, or null to empty it", takes.unwrap_or_default())));
        }
        if kind == ColumnType::File {
            return match files::accept(tx, account, self, at, value)? {
                Ok(stored) => Ok(Some(stored)),
                Err(Refused::Value(accepted)) => Err(self.refuse(pointer, &accepted)),
                Err(Refused::Unknown(places)) => {
                    let places = places.iter().map(|index| format!("{pointer}/{index}/id"));
                    Err(self.unknown(fault::UNKNOWN_FILE, &files::takes(), places))
                }
            };
        }
        let ids = if kind == ColumnType::People { ids_in(value, members) } else { None };
        let value = ids.as_ref().unwrap_or(value);
        let stored = self.check(kind, value).map_err(|accepted| self.refuse(pointer, &accepted))?;
        let held = at.and_then(|at| at.cells.get(&self.id)?.as_array());
        let named = value.as_array().into_iter().flatten().enumerate();
        let news: Vec<(usize, &Value)> = named.filter(|(_, id)| held.is_none_or(|held| !held.contains(id))).collect();
        let (code, takes, unknown) = match kind {
            ColumnType::People => {
                let is_member = |id: &Value| id.as_str().is_some_and(|id| members.contains_key(id));
                let strangers = news.iter().filter(|(_, id)| !is_member(id)).map(|(index, _)| *index).collect();
                (
                    fault::UNKNOWN_MEMBER,
                    "members of this account, by ID or unique name; one of these isn't a member",
                    strangers,
                )
            }
            kind if kind.is_link() => {
                let takes = "IDs of items on the linked board; one of these isn't on it";
                (fault::UNKNOWN_ITEM, takes, links::unknown(tx, account, self, &news)?)
            }
            _ => return Ok(Some(stored)),
        };
        if unknown.is_empty() {
            return Ok(Some(stored));
        }
        Err(self.unknown(code, takes, unknown.iter().map(|index| format!("{pointer}/{index}"))))
    }

    /// The same of what the cell held before, for an undo: who has left and what was deleted since stay named, as they do in
    /// cells that nobody touched.
    pub(crate) fn accept_back(
        &self,
        tx: &mut Tx<'_>,
        account: &str,
        (board_id, item_id): (&str, &str),
        before: Option<&Value>,
        pointer: &str,
    ) -> Result<Option<Value>> {
        let before = before.unwrap_or(&Value::Null);
        let cells = Map::from_iter([(self.id.clone(), before.clone())]);
        self.accept(tx, account, Some(OfItem { board_id, item_id, cells: &cells }), before, pointer, &Named::new())
    }

    /// The refusal of a value that names what there is not.
    fn unknown(&self, code: Fault, takes: &str, places: impl Iterator<Item = String>) -> kit::Error {
        let detail = format!("The column {} ({}, {}) accepts {takes}.", self.title, self.id, self.type_name);
        let places = places.map(|pointer| FieldError { pointer, code, detail: detail.clone() });
        NAMED_NOT_FOUND.error(detail.clone()).at_all(places).with("columnId", self.id.clone())
    }

    fn check(&self, kind: ColumnType, value: &Value) -> std::result::Result<Value, String> {
        let same = |fits: bool, accepted: &str| if fits { Ok(value.clone()) } else { Err(accepted.to_owned()) };
        let text = value.as_str().unwrap_or_default();
        match kind {
            ColumnType::Text | ColumnType::LongText => {
                let fits = value.is_string()
                    && text.chars().take(TEXT_CHARS_MAX + 1).count() <= TEXT_CHARS_MAX
                    && !text.contains(kit::text::is_steering);
                let takes = || format!("text of up to {TEXT_CHARS_MAX} characters without control characters");
                if fits { Ok(value.clone()) } else { Err(takes()) }
            }
            ColumnType::Number => same(value.as_f64().is_some_and(f64::is_finite), "a number"),
            ColumnType::Status | ColumnType::Dropdown => {
                let labels = self.settings.labels.as_deref().unwrap_or_default();
                let called: Vec<&Label> = labels.iter().filter(|label| label.text == text).collect();
                let only = if let [label] = called[..] { Some(label) } else { None };
                if let Some(label) = labels.iter().find(|label| label.id == text).or(only).filter(|_| value.is_string())
                {
                    return Ok(label.id.as_str().into());
                }
                let known: Vec<_> = labels.iter().take(20).map(|l| format!("{} ({})", l.id, l.text)).collect();
                Err(format!("the ID or unique name of one of its labels: {}", known.join(", ")))
            }
            ColumnType::Tags => entries(value, name_fits)
                .ok_or_else(|| format!("a list of up to {ENTRIES_MAX} texts of 1 to {NAME_CHARS_MAX} characters")),
            ColumnType::People => entries(value, is_opaque)
                .ok_or_else(|| format!("a list of up to {ENTRIES_MAX} members, by ID or unique name")),
            ColumnType::ItemLink | ColumnType::Sprint if links::holds_many(self) => {
                entries(value, is_opaque).ok_or_else(|| format!("a list of up to {ENTRIES_MAX} item IDs"))
            }
            ColumnType::ItemLink | ColumnType::Sprint => entries(value, is_opaque)
                .filter(|ids| ids.as_array().is_some_and(|ids| ids.len() == 1))
                .ok_or_else(|| "a list with one item ID".to_owned()),
            ColumnType::Date => same(is_day(text), "a date as YYYY-MM-DD of the years 1 to 9999"),
            ColumnType::Timeline => same(
                is_span(value),
                "{\"from\": a date, \"to\": a date}, both as YYYY-MM-DD of the years 1 to 9999 and from not after to",
            ),
            ColumnType::Checkbox => same(value.is_boolean(), "true or false"),
            ColumnType::Link => {
                same(is_link(text), "a URL that starts with http://, https://, or mailto:, up to 2,048 characters")
            }
            ColumnType::Email => same(is_email(text), "an email address"),
            ColumnType::Phone => same(is_phone(text), "a phone number"),
            ColumnType::Rating => {
                let max = self.settings.max.unwrap_or(5);
                let fits = value.as_i64().is_some_and(|n| (0..=max).contains(&n));
                if fits { Ok(value.clone()) } else { Err(format!("a whole number from 0 to {max}")) }
            }
            ColumnType::Formula | ColumnType::File => Err("no value".to_owned()),
            ColumnType::Progress => {
                same(value.as_f64().is_some_and(|n| (0.0..=100.0).contains(&n)), "a number from 0 to 100")
            }
            ColumnType::CreatedAt
            | ColumnType::CreatedBy
            | ColumnType::UpdatedAt
            | ColumnType::UpdatedBy
            | ColumnType::Mirror => Err("nothing".to_owned()),
        }
    }

    fn refuse(&self, pointer: &str, accepted: &str) -> kit::Error {
        let detail = format!("The column {} ({}, {}) accepts {accepted}.", self.title, self.id, self.type_name);
        INVALID_CELL.error(detail.clone()).at(pointer, INVALID_CELL.fault(), detail).with("columnId", self.id.clone())
    }
}

/// An empty text, list or object empties the cell, like null: one way to be empty, so that both forms of a board agree.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// The list with ids of members in the place of their names; `None` where it is none.
fn ids_in(value: &Value, members: &Named) -> Option<Value> {
    let id_of = |entry: &Value| entry.as_str().and_then(|text| members.get(text)).map(|id| id.as_str().into());
    Some(value.as_array()?.iter().map(|entry| id_of(entry).unwrap_or_else(|| entry.clone())).collect())
}

/// An identifier has no form: whether it is of anything is looked up.
fn is_opaque(_: &str) -> bool {
    true
}

/// The refusal of the id of a column that the board has not, with those that it has: people go by titles.
pub(crate) fn no_column(columns: &[Column]) -> kit::Error {
    const SHOWN_MAX: usize = 50;
    let known: Vec<_> =
        columns.iter().take(SHOWN_MAX).map(|column| format!("{} ({})", column.id, column.title)).collect();
    let all = if columns.len() > SHOWN_MAX { "columns such as " } else { "" };
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    error::NOT_FOUND.error(format!("Column not found. The board has {all}{known}."))
}

/// The list with repeated entries left out; `None` where it is not a list of texts that fit.
fn entries(value: &Value, fits: impl Fn(&str) -> bool) -> Option<Value> {
    let list = value.as_array().filter(|list| list.len() <= ENTRIES_MAX)?;
    let mut kept: Vec<Value> = Vec::with_capacity(list.len());
    for entry in list {
        if !fits(entry.as_str()?) {
            return None;
        }
        if !kept.contains(entry) {
            kept.push(entry.clone());
        }
    }
    Some(Value::Array(kept))
}

/// Whether it is a day of the years that calendars here can hold; the year 0000 is none.
fn is_day(text: &str) -> bool {
    crate::dates::parse_iso(text).is_some() && !text.starts_with("0000")
}

/// Whether it is a span of days, with nothing beside them.
fn is_span(value: &Value) -> bool {
    let Some(members) = value.as_object() else { return false };
    let day = |name| members.get(name).and_then(Value::as_str).filter(|text| is_day(text));
    // Days written alike are in the order of their texts.
    members.len() == 2 && day("from").zip(day("to")).is_some_and(|(from, to)| from <= to)
}

/// Whether it is an address that a page may link to.
pub fn is_link(text: &str) -> bool {
    let rest = ["http://", "https://", "mailto:"].iter().find_map(|scheme| text.strip_prefix(scheme));
    rest.is_some_and(|rest| !rest.is_empty())
        && text.len() <= LINK_BYTES_MAX
        && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// Whether it has the form of an e-mail address.
pub fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else { return false };
    !local.is_empty()
        && domain.len() >= 3
        && domain.contains('.')
        && !domain.starts_with('.')
        && !domain.ends_with('.')
        && text.len() <= EMAIL_CHARS_MAX
        && !domain.contains('@')
        && !text.chars().any(|c| c.is_whitespace() || c.is_control() || matches!(c, ',' | ';' | '<' | '>'))
}

/// Whether it has the form of a telephone number.
pub fn is_phone(text: &str) -> bool {
    text.bytes().filter(u8::is_ascii_digit).count() >= 3
        && text.len() <= PHONE_CHARS_MAX
        && text.bytes().all(|b| b.is_ascii_digit() || b"+()-./ xX#*".contains(&b))
}
