//! Column types of boards: their settings and cell values. Shared by boards and imports.

pub mod dates;
pub mod fault;
pub mod values;

use kit::error::{Result, invalid};
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use widgets::{Category, MeantLabel};

/// Labels of a column.
pub const LABELS_MAX: usize = 500;
/// Maximum characters of a name, title, or label.
pub const NAME_CHARS_MAX: usize = 255;
/// Maximum characters of a text cell.
pub const TEXT_CHARS_MAX: usize = 20_000;
/// Entries of one cell of tags or people.
pub const ENTRIES_MAX: usize = 100;
/// Maximum rating of a column.
pub const RATING_MAX: i64 = 10;
/// Decimals that a column of numbers may show.
pub const DECIMALS_MAX: u8 = 10;
const UNIT_CHARS_MAX: usize = 16;
const EMAIL_CHARS_MAX: usize = 320;
/// Bytes of the address in a cell of a link.
pub const LINK_BYTES_MAX: usize = 2_048;
const PHONE_CHARS_MAX: usize = 40;

/// For schemas: a name that is not only spaces, without control characters.
pub const NOT_BLANK: &str = kit::text::NAME;
/// For schemas: a color as sent, or empty.
pub const COLOR: &str = "^(#[0-9a-fA-F]{6})?$";
/// Default color of labels that mean "done": green.
const DONE_COLOR: &str = "#00a86b";
/// Default color of labels that mean "canceled": the palette's gray.
const CANCELED_COLOR: &str = "#7a7a7a";
/// Default colors of other labels and of groups, in order.
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
    #[inline]
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
    #[inline]
    pub const fn is_derived(self) -> bool {
        use ColumnType::{CreatedAt, CreatedBy, Formula, Mirror, UpdatedAt, UpdatedBy};
        matches!(self, CreatedAt | CreatedBy | UpdatedAt | UpdatedBy | Mirror | Formula)
    }
    /// Whether its cells hold a list.
    #[inline]
    pub const fn holds_list(self) -> bool {
        matches!(self, ColumnType::Tags | ColumnType::People) || self.is_link()
    }
    /// Whether its cells hold ids of items.
    #[inline]
    pub const fn is_link(self) -> bool {
        matches!(self, ColumnType::ItemLink | ColumnType::Sprint)
    }
    /// Whether its cells hold the id of one of the column's labels.
    #[inline]
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
    /// Progress of an item with this label. Default: derived from `done`, or for a new label from its text, such as
    /// Backlog, Closed, or Won't do. Canceled items aren't part of a sprint or a battery, and are neither due nor overdue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Category")]
    pub category: Option<Category>,
    /// Whether an item with this label counts as finished: true if `category` is `done`. Sent alone, it sets the category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub done: Option<bool>,
}

impl Label {
    /// A new label, which gets its id when its column's settings are settled.
    pub fn new(text: &str, color: &str, category: Category) -> Label {
        let done = Some(category == Category::Done);
        Label { id: String::new(), text: text.to_owned(), color: color.to_owned(), category: Some(category), done }
    }

    /// Sets the category, and `done` with it: both say the same.
    pub fn set_category(&mut self, category: Category) {
        (self.category, self.done) = (Some(category), Some(category == Category::Done));
    }

    /// The category that the label states; none where the column's other labels decide. `before` is the stored label.
    fn stated_category(&self, before: Option<&Label>) -> std::result::Result<Option<Category>, &'static str> {
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

/// Reads labels, of which each may be its text alone.
fn labels_or_texts<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<Vec<Label>>, D::Error> {
    struct LabelOrText(Label);
    impl<'de> Deserialize<'de> for LabelOrText {
        fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<LabelOrText, D::Error> {
            from.deserialize_any(AnyLabel).map(LabelOrText)
        }
    }
    struct AnyLabel;
    impl<'de> Visitor<'de> for AnyLabel {
        type Value = Label;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a label such as \"Low\" or {\"text\": \"Low\"}")
        }
        fn visit_str<E>(self, text: &str) -> std::result::Result<Label, E> {
            Ok(Label { id: String::new(), text: text.to_owned(), color: String::new(), category: None, done: None })
        }
        fn visit_map<A: MapAccess<'de>>(self, members: A) -> std::result::Result<Label, A::Error> {
            Label::deserialize(MapAccessDeserializer::new(members))
        }
    }
    let read = Option::<Vec<LabelOrText>>::deserialize(from)?;
    Ok(read.map(|labels| labels.into_iter().map(|LabelOrText(label)| label).collect()))
}

const DONE_IS_CATEGORY: &str = "`done` must match `category`. Send only `category`.";

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
    /// status, dropdown: the choices, up to 500. A text is short for a label with only a `text`.
    #[serde(default, deserialize_with = "labels_or_texts", skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<Label>>,
    /// status, dropdown: the highest number of a removed label's ID, set by the server. IDs aren't reused, because items in
    /// Trash and Archive may have them.
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
    /// Checks the settings against the type, and assigns IDs and colors to new labels. IDs of labels removed since
    /// `before` are never reused.
    pub fn settle(mut self, kind: ColumnType, before: Option<&Settings>) -> Result<Settings> {
        self.last_label = None;
        let number =
            self.unit.is_some() || self.currency.is_some() || self.decimals.is_some() || self.percent.is_some();
        let link = self.board_id.is_some() || self.group_id.is_some() || self.many.is_some();
        let days = self.timeline_column.is_some() || self.start_column.is_some() || self.end_column.is_some();
        let mirror = self.link_column.is_some() || self.source_column.is_some();
        let foreign = [
            (link && !kind.is_link(), "boardId, groupId, and many", "itemLink and sprint"),
            (days && kind != ColumnType::Sprint, "timelineColumn, startColumn, and endColumn", "sprint"),
            (mirror && kind != ColumnType::Mirror, "linkColumn and sourceColumn", "mirror"),
            (
                number && !matches!(kind, ColumnType::Number | ColumnType::Formula),
                "unit, currency, decimals, and percent",
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
            return Err(refuse("/unit", "A unit can't have control characters."));
        }
        let is_code = |code: &String| code.len() == 3 && code.bytes().all(|b| b.is_ascii_uppercase());
        if self.currency.as_ref().is_some_and(|code| !is_code(code)) {
            return Err(refuse("/currency", "Use an ISO 4217 currency code, such as EUR."));
        }
        if self.decimals.is_some_and(|decimals| decimals > DECIMALS_MAX) {
            return Err(refuse("/decimals", format!("Use 0 to {DECIMALS_MAX} decimals.")));
        }
        if self.max.is_some_and(|max| !(1..=RATING_MAX).contains(&max)) {
            return Err(refuse("/max", format!("Use a max from 1 to {RATING_MAX}.")));
        }
        if self.options.as_ref().is_some_and(|o| o.len() > LABELS_MAX || o.iter().any(|text| !name_fits(text))) {
            return Err(refuse(
                "/options",
                format!("options can have up to {LABELS_MAX} texts of 1 to {NAME_CHARS_MAX} characters."),
            ));
        }
        if kind == ColumnType::Formula && self.formula.is_none() {
            return Err(refuse("/formula", "A formula column needs a formula."));
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
        let stored = before.and_then(|before| before.labels.as_deref()).unwrap_or_default();
        let stored: HashMap<&str, &Label> = stored.iter().map(|label| (label.id.as_str(), label)).collect();
        let (mut taken, mut was_chosen) = (HashSet::new(), false);
        for (index, label) in labels.iter_mut().enumerate() {
            let at = |member| format!("/labels/{index}/{member}");
            if !name_fits(&label.text) {
                return Err(refuse(&at("text"), format!("A label's text must have 1 to {NAME_CHARS_MAX} characters.")));
            }
            if label.id.is_empty() {
                label.id = format!("l{next}");
                next += 1;
            } else if !stored.contains_key(label.id.as_str()) {
                match label_number(&label.id) {
                    Some(number) if number <= known => return Err(refuse(&at("id"), OLD_LABEL)),
                    Some(number) if number <= OWN_LABEL_MAX => {}
                    _ => return Err(refuse(&at("id"), LABEL_ID)),
                }
            }
            if !taken.insert(label.id.clone()) {
                return Err(refuse(&at("id"), format!("The ID {} is used twice.", label.id)));
            }
            let before = stored.get(label.id.as_str()).copied();
            was_chosen |= label.category.is_some() || label.done == Some(true);
            let stated = label.stated_category(before).map_err(|why| refuse(&at("done"), why))?;
            label.set_category(stated.unwrap_or_else(|| Category::of_words(&label.text)));
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
    pub fn remember_labels(&mut self, before: Option<&Settings>) {
        let known = before.map_or(0, Settings::highest_label);
        self.last_label = (known > highest(self.labels.as_deref().unwrap_or_default())).then_some(known);
    }
}

/// The category of each of a column's labels, also of those that an earlier version stored.
pub fn categories(labels: &[Label]) -> Vec<Category> {
    fn meant(label: &Label) -> MeantLabel<'_> {
        MeantLabel { text: &label.text, category: label.category, is_done: label.done == Some(true) }
    }
    widgets::categories(&labels.iter().map(meant).collect::<Vec<_>>())
}

impl Settings {
    /// Gives labels that an earlier version stored their categories; whether there were any.
    pub fn give_categories(&mut self) -> bool {
        let labels = self.labels.as_deref_mut().unwrap_or_default();
        let is_old = labels.iter().any(|label| label.category.is_none());
        if is_old {
            let found = categories(labels);
            labels.iter_mut().zip(found).for_each(|(label, category)| label.set_category(category));
        }
        is_old
    }
}

/// Expected form of a color, for error messages.
pub const COLOR_ACCEPTED: &str = "Write a color as #rrggbb, such as #00a86b; color names aren't accepted.";

const LABEL_ID: &str = "A label's ID is l and a number, assigned by the server. Omit it for a new label.";
/// Undo, activity, and filters reference labels by ID, so a reused ID would change their meaning.
const OLD_LABEL: &str = "The column already used this label ID or a higher one. Omit the ID for a new label. To restore a \
                 removed label, undo its removal.";

/// The highest number of a label that a caller makes up: those that can follow behind it are more than a column comes to.
const OWN_LABEL_MAX: usize = 999_999_999_999;

/// The highest number in the ids of labels.
fn highest(labels: &[Label]) -> usize {
    labels.iter().filter_map(|label| label_number(&label.id)).max().unwrap_or(0)
}

/// The color, or the palette's color if empty; `None` if invalid.
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

/// The result type of a formula column. Its cells behave like this column type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)]
pub enum FormulaResult {
    Number,
    Text,
    Date,
    Checkbox,
}

impl FormulaResult {
    /// The column that it is like.
    #[inline]
    pub const fn like(self) -> ColumnType {
        match self {
            FormulaResult::Number => ColumnType::Number,
            FormulaResult::Text => ColumnType::Text,
            FormulaResult::Date => ColumnType::Date,
            FormulaResult::Checkbox => ColumnType::Checkbox,
        }
    }
}

/// The number in the id of a label: a caller may have begun with a high one, behind which others follow.
fn label_number(id: &str) -> Option<usize> {
    number_of(id, b'l', 15)
}

/// The number in an ID such as `c12`, if it has that form.
#[inline]
pub fn number_of(id: &str, letter: u8, digits_max: usize) -> Option<usize> {
    let (first, digits) = id.as_bytes().split_first()?;
    if *first != letter || digits.is_empty() || digits.len() > digits_max || digits[0] == b'0' {
        return None;
    }
    digits.iter().try_fold(0, |n, d| d.is_ascii_digit().then(|| n * 10 + (d - b'0') as usize))
}
