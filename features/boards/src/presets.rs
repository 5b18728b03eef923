//! Presets of new boards: the single source for boards, the app's dialog, and `docs/presets.md`.

mod own;
mod tools;

use crate::errors::UNKNOWN_PRESET;
use crate::settings::{self, SetupPreset};
use crate::view::{ViewKind, ViewSettings};
use column_types::{ColumnType, Settings};
use kit::error::Result;
use kit::setting::Choices;
use kit::{Call, Ctx, Kind, Page, Part};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use widgets::Category;

/// Content of a new board.
pub(crate) struct Preset {
    /// Displayed name.
    pub name: &'static str,
    pub groups: &'static [Group],
    pub columns: &'static [Column],
    pub views: &'static [View],
}

/// A group's name and color.
pub(crate) struct Group(pub &'static str, pub &'static str);

/// A column, without its items.
pub(crate) struct Column {
    pub title: &'static str,
    pub kind: ColumnType,
    extra: Extra,
}

/// A column's settings apart from its type.
enum Extra {
    Nothing,
    Labels(&'static [Label]),
    Options(&'static [&'static str]),
    Unit(&'static str),
    Decimals(u8),
}

/// A label: text, color, and category (open ones are derived from their text).
pub(crate) struct Label(&'static str, &'static str, Option<Category>);

/// A view, and the title of the column that it is by; a table is by none.
pub(crate) struct View {
    pub name: &'static str,
    pub kind: ViewKind,
    by: &'static str,
    /// The title of the column on which a timeline's bars end; empty where a bar is one day.
    end: &'static str,
    /// The titles of the columns that cards show, in their order; where there are none the page chooses.
    pub cards: &'static [&'static str],
}

const GRAY: &str = "#7a7a7a";
const SLATE: &str = "#6b7f8f";
const BLUE: &str = "#4a7fd4";
const TEAL: &str = "#2aa5b5";
const PURPLE: &str = "#8e5bd0";
const PINK: &str = "#c76b98";
const AMBER: &str = "#e8a33d";
const BROWN: &str = "#b5763a";
const RED: &str = "#d9455f";
const LIME: &str = "#9aad3b";
const GREEN: &str = "#00a86b";

const fn open(text: &'static str, color: &'static str) -> Label {
    Label(text, color, None)
}
const fn done(text: &'static str, color: &'static str) -> Label {
    Label(text, color, Some(Category::Done))
}
const fn canceled(text: &'static str, color: &'static str) -> Label {
    Label(text, color, Some(Category::Canceled))
}
const fn column(title: &'static str, kind: ColumnType) -> Column {
    Column { title, kind, extra: Extra::Nothing }
}
const fn status(title: &'static str, labels: &'static [Label]) -> Column {
    Column { title, kind: ColumnType::Status, extra: Extra::Labels(labels) }
}
const fn choice(title: &'static str, labels: &'static [Label]) -> Column {
    Column { title, kind: ColumnType::Dropdown, extra: Extra::Labels(labels) }
}
const fn tags(title: &'static str, options: &'static [&'static str]) -> Column {
    Column { title, kind: ColumnType::Tags, extra: Extra::Options(options) }
}
const fn number_in(title: &'static str, unit: &'static str) -> Column {
    Column { title, kind: ColumnType::Number, extra: Extra::Unit(unit) }
}
const fn amount(title: &'static str) -> Column {
    Column { title, kind: ColumnType::Number, extra: Extra::Decimals(2) }
}
const fn table(name: &'static str) -> View {
    View { name, kind: ViewKind::Table, by: "", end: "", cards: &[] }
}
const fn kanban(name: &'static str, by: &'static str) -> View {
    View { name, kind: ViewKind::Kanban, by, end: "", cards: &[] }
}
const fn calendar(name: &'static str, by: &'static str) -> View {
    View { name, kind: ViewKind::Calendar, by, end: "", cards: &[] }
}
const fn timeline(name: &'static str, by: &'static str) -> View {
    View { name, kind: ViewKind::Timeline, by, end: "", cards: &[] }
}

/// A timeline whose bars reach from one date to another.
const fn bars(name: &'static str, from: &'static str, to: &'static str) -> View {
    View { name, kind: ViewKind::Timeline, by: from, end: to, cards: &[] }
}

impl View {
    /// What cards show.
    const fn showing(self, cards: &'static [&'static str]) -> View {
        View { cards, ..self }
    }
}

/// The word for a board with one group and nothing else.
pub(crate) const BLANK_WORD: &str = "blank";
static BLANK: Preset = Preset { name: "Blank", groups: &[Group("Items", BLUE)], columns: &[], views: &[] };

impl SetupPreset {
    /// Content of the preset.
    pub(crate) const fn preset(self) -> &'static Preset {
        match self {
            SetupPreset::Tasks => &own::TASKS,
            SetupPreset::Projects => &own::PROJECTS,
            SetupPreset::Operations => &own::OPERATIONS,
            SetupPreset::FirstAgentBoard => &own::FIRST_AGENT_BOARD,
            SetupPreset::Trello => &tools::TRELLO,
            SetupPreset::Jira => &tools::JIRA,
            SetupPreset::Asana => &tools::ASANA,
            SetupPreset::Linear => &tools::LINEAR,
            SetupPreset::Notion => &tools::NOTION,
            SetupPreset::Clickup => &tools::CLICKUP,
            SetupPreset::Airtable => &tools::AIRTABLE,
            SetupPreset::EngineeringLinear => &own::ENGINEERING_LINEAR,
            SetupPreset::EngineeringJira => &own::ENGINEERING_JIRA,
        }
    }
}

/// All presets with their code and description, in the order of the setting.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, &'static str, &'static Preset)> {
    SetupPreset::ALL.iter().filter_map(|choice| Some((choice.value, choice.doc.trim(), named(choice.value)?)))
}

fn named(word: &str) -> Option<&'static Preset> {
    <SetupPreset as kit::setting::SettingValue>::from_json(&word.into()).map(SetupPreset::preset)
}

/// For schemas: every word that a new board's preset may be; null is the same as none.
pub(crate) fn accepted() -> Vec<Option<&'static str>> {
    let words = SetupPreset::ALL.iter().map(|choice| Some(choice.value));
    std::iter::once(Some(BLANK_WORD)).chain(words).chain([None]).collect()
}

/// The preset of a new board: the one named, otherwise the owner's setting for the app. Scripts get none, so that their
/// boards don't change with this setting.
pub(crate) fn chosen(ctx: &Ctx, call: &Call, word: Option<&str>) -> Result<&'static Preset> {
    match word {
        None if call.caller.kind == Kind::Owner => Ok(ctx.setting(call.account(), &settings::pmSetupPreset).preset()),
        None | Some(BLANK_WORD) => Ok(&BLANK),
        Some(word) => named(word).ok_or_else(|| {
            let words: Vec<_> = SetupPreset::ALL.iter().map(|choice| choice.value).collect();
            let detail = format!("Preset {word} not found. Available: {BLANK_WORD}, {}.", words.join(", "));
            UNKNOWN_PRESET.error(detail.clone()).at("/preset", UNKNOWN_PRESET.fault(), detail)
        }),
    }
}

impl Column {
    /// Its settings as a client would send them.
    pub(crate) fn settings(&self) -> Settings {
        let label = |Label(text, color, category): &Label| {
            column_types::Label::new(text, color, category.unwrap_or_else(|| Category::open(text)))
        };
        let none = Settings::default();
        match self.extra {
            Extra::Nothing => none,
            Extra::Labels(labels) => Settings { labels: Some(labels.iter().map(label).collect()), ..none },
            Extra::Options(options) => {
                Settings { options: Some(options.iter().map(|o| (*o).to_owned()).collect()), ..none }
            }
            Extra::Unit(unit) => Settings { unit: Some(unit.to_owned()), ..none },
            Extra::Decimals(decimals) => Settings { decimals: Some(decimals), ..none },
        }
    }
}

/// The setting of a timeline that names the date on which bars end.
const END_COLUMN: &str = "endColumn";
/// The setting of a kanban that lists the columns that cards show.
const CARD_FIELDS: &str = "cardFields";

impl View {
    /// Its settings on a board whose columns have the ids `c1` and on, in the order of the preset.
    pub(crate) fn settings(&self, preset: &Preset) -> ViewSettings {
        let id_of = |title: &str| {
            let at = preset.columns.iter().position(|column| column.title == title);
            at.map(|at| format!("c{}", at + 1))
        };
        let id = id_of(self.by);
        match self.kind {
            ViewKind::Table => ViewSettings::default(),
            ViewKind::Kanban => {
                let cards: Vec<_> = self.cards.iter().filter_map(|title| id_of(title)).collect();
                let cards = (!cards.is_empty()).then(|| (CARD_FIELDS.to_owned(), cards.into()));
                ViewSettings { by_column: id, other: cards.into_iter().collect(), ..ViewSettings::default() }
            }
            ViewKind::Calendar | ViewKind::Timeline => {
                let end = id_of(self.end).map(|end| (END_COLUMN.to_owned(), end.into()));
                ViewSettings { date_column: id, other: end.into_iter().collect(), ..ViewSettings::default() }
            }
        }
    }
}

/// A preset.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PresetRecord {
    /// Value for `preset` in `POST /boards` and for the setting `pmSetupPreset`.
    preset: &'static str,
    /// Displayed name.
    name: &'static str,
    /// What it's for.
    like: &'static str,
    /// The names of its groups.
    groups: Vec<&'static str>,
    columns: Vec<PresetColumn>,
    views: Vec<PresetView>,
}

#[derive(Serialize, JsonSchema)]
struct PresetColumn {
    title: &'static str,
    #[serde(rename = "type")]
    kind: ColumnType,
}

#[derive(Serialize, JsonSchema)]
struct PresetView {
    name: &'static str,
    kind: ViewKind,
}

pub(crate) async fn list(_: Ctx, _: Call, part: Part) -> Result<Page<PresetRecord>> {
    let record = |(word, like, preset): (&'static str, &'static str, &'static Preset)| PresetRecord {
        preset: word,
        name: preset.name,
        like,
        groups: preset.groups.iter().map(|group| group.0).collect(),
        columns: preset.columns.iter().map(|c| PresetColumn { title: c.title, kind: c.kind }).collect(),
        views: preset.views.iter().map(|view| PresetView { name: view.name, kind: view.kind }).collect(),
    };
    // A cursor has no underscore.
    part.page(all().map(record).collect(), |record| record.preset.replace('_', "-").into())
}

/// `docs/presets.md`.
pub fn presets_md() -> String {
    let mut page = String::from(
        "# Presets\n\nGenerated from the declaration of the presets; don't edit. A preset sets a new board's groups, columns, and views. \
         Choose one in the dialog, send it as `preset` in `POST /boards`, or set `pmSetupPreset` as the default for the app. \
         A label with ✓ counts as finished, one with ✕ as canceled. \
         A preset creates one board. Its Sprint column is text, because a sprint column links to items on a board of sprints; \
         add one when you have that board.\n",
    );
    for (word, like, preset) in all() {
        let groups: Vec<_> = preset.groups.iter().map(|group| group.0).collect();
        let _ = writeln!(page, "\n## {}\n\n`{word}`. {like} Groups: {}.\n", preset.name, groups.join(", "));
        page.push_str("| column | type | settings |\n|---|---|---|\n");
        for column in preset.columns {
            let _ = writeln!(page, "| {} | {} | {} |", column.title, column.kind.name(), column.described());
        }
        page.push_str("\n| view | kind | by | cards show |\n|---|---|---|---|\n");
        for view in preset.views {
            let to = if view.end.is_empty() { String::new() } else { format!(" to {}", view.end) };
            let _ = writeln!(
                page,
                "| {} | {} | {}{to} | {} |",
                view.name,
                view.kind.name(),
                view.by,
                view.cards.join(", ")
            );
        }
    }
    page
}

impl Column {
    fn described(&self) -> String {
        match self.extra {
            Extra::Nothing => String::new(),
            Extra::Labels(labels) => {
                let mark = |label: &Label| match label.2 {
                    Some(Category::Done) => " ✓",
                    Some(Category::Canceled) => " ✕",
                    _ => "",
                };
                let text = |label: &Label| format!("{}{}", label.0, mark(label));
                labels.iter().map(text).collect::<Vec<_>>().join(", ")
            }
            Extra::Options(options) => options.join(", "),
            Extra::Unit(unit) => format!("in {unit}"),
            Extra::Decimals(decimals) => format!("{decimals} decimals"),
        }
    }
}
