//! Checks a config without storing it: its problems, and each widget's result.

use crate::access::Need;
use crate::config::{self, BOARD_IDS_MAX, Config, pointed};
use crate::faults::{INERT_RULE, MOVED_LAYOUT};
use crate::grid::{self, Cells};
use crate::named_boards::{self, first_missing};
use crate::record;
use crate::schema;
use crate::show::{Ready, Shown, Viewpoint, titled};
use kit::error::INVALID;
use kit::fault::{
    MISSING, NOT_A_CHOICE, ONE_OF, REPEATED, TOO_MANY, UNKNOWN_BOARD, UNKNOWN_COLUMN, UNKNOWN_MEMBER, WRONG_TYPE,
};
use kit::lookup::{Boards, Members};
use kit::{Call, Ctx, Fault, FieldError, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashSet};
use store::HasDb;
use widgets::widgets::{LABEL_LISTS, State, WidgetAnswer};
use widgets::{ColumnInfo, Engine, InertRule, OwnList, Query, Reach};

/// Maximum problems per response.
const PROBLEMS_MAX: usize = 1_000;
/// Maximum labels of a column in a problem.
const LABELS_MAX: usize = 20;

/// A config to check.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Check {
    /// Dashboard whose config it would replace. Boards already connected there may be missing.
    dashboard_id: Option<String>,
    /// A dashboard config, as for `dashboards.create`.
    config: Map<String, Value>,
    /// Time zone for "today", such as Europe/Berlin. Default: yours.
    #[schemars(length(max = 64))]
    time_zone: Option<String>,
}

/// Result of a check.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CheckedConfig")]
pub(crate) struct Checked {
    /// Whether the config would be stored. Even then there can be problems.
    accepted: bool,
    /// Invalid fields, and fields without effect.
    problems: Vec<Problem>,
    /// Number of missing connected boards.
    boards_missing: usize,
    widgets: Vec<Shown>,
}

/// A problem with one field.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ConfigProblem")]
pub(crate) struct Problem {
    /// JSON pointer, such as `/config/widgets/0/settings/function`.
    pointer: String,
    /// Code, as listed in docs/errors.md.
    code: Fault,
    detail: String,
}

pub(crate) async fn check(ctx: Ctx, call: Call, input: Check) -> Result<Checked> {
    let config = input.config;
    let mut problems = match config::checked(&config) {
        Ok(_) => Vec::new(),
        // Configs over a limit aren't computed.
        Err(error) if error.is(&INVALID) && !error.fields().iter().any(|field| field.code == TOO_MANY) => {
            error.fields().to_vec()
        }
        Err(error) => return Err(error),
    };
    let mut stored = Config::new();
    if let Some(id) = input.dashboard_id.clone() {
        let caller = call.caller.clone();
        stored = ctx.db().read(move |tx| record::read(tx, &caller, &id, Need::Read)).await?.config;
    }
    let kept = config::all_boards(&stored);
    let mut ids = config::board_ids_in_order(&config);
    ids.truncate(BOARD_IDS_MAX);
    let missing = ctx.service::<Boards>().0.missing(call.account(), ids).await?;
    let mut accepted = problems.is_empty();
    for (index, id) in entries(&config, "boardIds").enumerate() {
        if let Some(id) = id.as_str().filter(|id| missing.iter().any(|gone| gone == id)) {
            accepted &= kept.contains(id);
            let detail = named_boards::missing(id);
            problems.push(problem(format!("/config/boardIds/{index}"), UNKNOWN_BOARD, &detail));
        }
    }
    // Of boards that are named elsewhere the first that is not the account's is enough to say.
    if let Some(named) = first_missing(&ctx, call.account(), config::named_boards(&config), &kept).await? {
        accepted = false;
        problems.push(problem(named.pointer, UNKNOWN_BOARD, &named_boards::missing(&named.id)));
    }
    let members = config::named_members(&stored).into_iter().map(|(_, id)| id).collect();
    people(&ctx, call.account(), &config, &members, &mut accepted, &mut problems).await?;
    let filters = config.get("filters").unwrap_or(&Value::Null);
    if filters.get("v").is_some_and(|version| version != 1) {
        problems.push(problem("/config/filters/v".into(), NOT_A_CHOICE, "Expected 1."));
    }
    groups(entries_of(filters, "all"), "/config/filters/all", &mut problems);
    repeated(entries(&config, "boardIds"), |id| id, "/config/boardIds", "", &mut problems);
    repeated(entries(&config, "widgets"), |widget| &widget["id"], "/config/widgets", "/id", &mut problems);
    for (index, entry) in entries(&config, "widgets").enumerate() {
        widget(entry, &format!("/config/widgets/{index}"), &mut problems);
    }
    layouts(&config, &mut problems);
    let view = Viewpoint::load(&ctx, &call, input.time_zone.as_deref()).await?;
    let widgets = config::widgets(&config);
    let ready = Ready::read(&ctx, call.account(), input.dashboard_id.as_deref(), &config, &view, &widgets).await?;
    let boards_missing = ready.missing;
    let (answer, known) = ready.answer_and(Known::new).await?;
    let filters = entries_of(filters, "all");
    inert(filters, "/config/filters", &answer.inert_rules, &mut problems);
    inert(filters, "/config/filters", &unreached(known.reach.iter()), &mut problems);
    let connected = config::board_ids(&config);
    let objects = entries(&config, "widgets").enumerate().filter(|(_, entry)| entry.is_object());
    for ((index, entry), shown) in objects.zip(&answer.widgets) {
        let at = format!("/config/widgets/{index}");
        let settings = &entry["settings"];
        for (list, rules, place) in rule_lists(settings) {
            let coverage = &shown.coverage;
            let mut faults: Vec<InertRule> =
                coverage.inert_rules.iter().filter(|rule| rule.own == Some(list)).cloned().collect();
            faults.extend(unreached(coverage.reach.iter().filter(|reach| reach.own == Some(list))));
            inert(rules, &format!("{at}/settings{place}"), &faults, &mut problems);
        }
        let reported: HashSet<String> = problems.iter().map(|problem| problem.pointer.clone()).collect();
        boards(settings, &connected, &reported, &format!("{at}/settings/boards"), &mut problems);
        columns(settings, shown, &known, &format!("{at}/settings/cols"), &mut problems);
        labels(settings, shown, &known, &format!("{at}/settings"), &mut problems);
        // What the schema does not say, as rules that cannot be read.
        let is_reported =
            problems.iter().any(|problem| problem.pointer == at || problem.pointer.starts_with(&format!("{at}/")));
        if let State::Error { message: Some(message), .. } = &shown.state
            && !is_reported
        {
            problems.push(problem(format!("{at}/settings"), WRONG_TYPE, message));
        }
    }
    problems.truncate(PROBLEMS_MAX);
    let problem = |FieldError { pointer, code, detail }| Problem { pointer, code, detail };
    let problems = problems.into_iter().map(problem).collect();
    Ok(Checked { accepted, problems, boards_missing, widgets: titled(widgets, answer.widgets) })
}

fn problem(pointer: String, code: Fault, detail: &str) -> FieldError {
    FieldError { pointer, code, detail: detail.to_owned() }
}

fn entries<'a>(config: &'a Config, name: &str) -> impl Iterator<Item = &'a Value> {
    config.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn entries_of<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

/// Repeated texts in a list. Other types are checked elsewhere.
fn repeated<'a>(
    all: impl Iterator<Item = &'a Value>,
    of: impl Fn(&'a Value) -> &'a Value,
    at: &str,
    member: &str,
    problems: &mut Vec<FieldError>,
) {
    let mut seen = HashSet::new();
    for (index, one) in all.enumerate() {
        if of(one).as_str().is_some_and(|text| !text.is_empty() && !seen.insert(text)) {
            problems.push(problem(format!("{at}/{index}{member}"), REPEATED, REPEATED.doc()));
        }
    }
}

/// The lists of rules in a widget's settings, with the pointer to the object that has each as `rules`.
fn rule_lists(settings: &Value) -> impl Iterator<Item = (OwnList, &[Value], String)> {
    OwnList::ALL.into_iter().map(move |list| match list.member() {
        Some(member) => (list, entries_of(&settings[member], "rules"), format!("/{member}")),
        None => (list, entries_of(settings, "rules"), String::new()),
    })
}

/// Groups without rules, which have no effect.
fn groups(all: &[Value], at: &str, problems: &mut Vec<FieldError>) {
    for (index, _) in all.iter().enumerate().filter(|(_, entry)| entry["any"].as_array().is_some_and(Vec::is_empty)) {
        problems.push(problem(format!("{at}/{index}/any"), MISSING, "A group needs at least one rule."));
    }
}

/// A widget's title, kind and settings.
fn widget(entry: &Value, at: &str, problems: &mut Vec<FieldError>) {
    if !entry.is_object() {
        return;
    }
    if entry.get("title").is_some_and(|title| !title.is_string()) {
        problems.push(problem(format!("{at}/title"), WRONG_TYPE, "Expected a string."));
    }
    let settings = &entry["settings"];
    if settings["per"].is_object() && settings["ratio"].is_object() {
        problems.push(problem(format!("{at}/settings/per"), ONE_OF, "`per` has no effect beside `ratio`."));
    }
    for (_, rules, place) in rule_lists(settings) {
        groups(rules, &format!("{at}/settings{place}/rules"), problems);
    }
    match schema::kind(entry["kind"].as_str().unwrap_or_default()) {
        None => problems.push(schema::unknown_kind(format!("{at}/kind"))),
        Some(kind) if entry.get("settings").is_some() => {
            schema::misfits(&schema::settings(kind), &entry["settings"], &format!("{at}/settings"), problems);
        }
        Some(_) => {}
    }
}

/// Facts about the loaded boards.
struct Known {
    columns: BTreeMap<String, Vec<ColumnInfo>>,
    /// Of the shared rules.
    reach: Vec<Reach>,
}

impl Known {
    fn new(engine: &Engine, query: &Query) -> Known {
        let columns = query.boards.iter().filter_map(|id| Some((id.clone(), engine.columns(id)?))).collect();
        Known { columns, reach: engine.reach(query) }
    }
    fn column(&self, board: &str, id: &str) -> Option<&ColumnInfo> {
        self.columns.get(board)?.iter().find(|column| column.id == id)
    }
}

/// Widgets that the page would move.
fn layouts(config: &Config, problems: &mut Vec<FieldError>) {
    let widgets = config::widgets(config);
    let stored = |widget: &config::Widget| {
        let side = |name: &str| config::whole(&config["widgets"][widget.index]["layout"][name]);
        Some(Cells { x: side("x")?, y: side("y")?, w: side("w")?, h: side("h")? })
    };
    let placed: Vec<_> = widgets.iter().filter_map(|widget| Some((widget, stored(widget)?))).collect();
    let named: Vec<(&str, Cells)> = placed.iter().map(|(widget, cells)| (widget.id.as_str(), *cells)).collect();
    for ((widget, stored), drawn) in placed.iter().zip(grid::drawn(&named)) {
        if *stored != drawn {
            let Cells { x, y, w, h } = drawn;
            let detail = format!(
                "It is outside the grid or overlaps another widget. It is drawn at x {x}, y {y}, w {w}, h {h}."
            );
            problems.push(problem(format!("/config/widgets/{}/layout", widget.index), MOVED_LAYOUT, &detail));
        }
    }
}

/// Boards of a widget that the dashboard doesn't connect.
fn boards(
    settings: &Value,
    connected: &HashSet<String>,
    reported: &HashSet<String>,
    at: &str,
    problems: &mut Vec<FieldError>,
) {
    for (index, id) in entries_of(settings, "boards").iter().enumerate() {
        let is_unconnected = id.as_str().is_some_and(|id| !connected.contains(id));
        if is_unconnected && !reported.contains(&format!("{at}/{index}")) {
            problems.push(problem(
                format!("{at}/{index}"),
                UNKNOWN_BOARD,
                "The dashboard isn't connected to this board.",
            ));
        }
    }
}

/// Chosen columns that don't exist on their boards or have an unsuitable type. Missing boards are skipped.
fn columns(settings: &Value, shown: &WidgetAnswer, known: &Known, at: &str, problems: &mut Vec<FieldError>) {
    for role in schema::kind(&shown.fixed.kind).map_or(&[][..], |kind| kind.roles) {
        for (board, ids) in settings["cols"][role.name].as_object().into_iter().flatten() {
            let Some(columns) = known.columns.get(board) else { continue };
            for (index, id) in ids.as_array().into_iter().flatten().enumerate() {
                let Some(id) = id.as_str() else { continue };
                let detail = match known.column(board, id) {
                    Some(column) if role.types.contains(&column.type_name.as_str()) => continue,
                    Some(ColumnInfo { title, type_name, .. }) => {
                        format!("{title} has the type {type_name}. Expected {}.", role.types.join(", "))
                    }
                    None => match columns.iter().find(|column| column.title == id) {
                        Some(column) => format!("Name the column by its ID. The ID of {id} is {}.", column.id),
                        None => "Column not found on the board.".to_owned(),
                    },
                };
                problems.push(problem(
                    format!("{at}/{}/{}/{index}", role.name, pointed(board)),
                    UNKNOWN_COLUMN,
                    &detail,
                ));
            }
        }
    }
}

/// Chosen labels that the role's column doesn't have.
fn labels(settings: &Value, shown: &WidgetAnswer, known: &Known, at: &str, problems: &mut Vec<FieldError>) {
    for (member, role) in LABEL_LISTS {
        for (board, ids) in settings[member].as_object().into_iter().flatten() {
            let playing = shown.fixed.cols.get(role).and_then(|by_board| by_board.get(board)?.first());
            let Some(column) = playing.and_then(|id| known.column(board, id)) else { continue };
            // Checkboxes have no labels.
            for (index, id) in ids.as_array().into_iter().flatten().enumerate().filter(|_| !column.labels.is_empty()) {
                if !column.labels.iter().any(|(label, _)| id == label.as_str()) {
                    let there = column.labels.iter().take(LABELS_MAX).map(|(id, text)| format!("{id} ({text})"));
                    let there = there.collect::<Vec<_>>().join(", ");
                    let detail = format!("{} has no label with this ID. Labels: {there}.", column.title);
                    problems.push(problem(format!("{at}/{member}/{}/{index}", pointed(board)), NOT_A_CHOICE, &detail));
                }
            }
        }
    }
}

/// Rules whose column doesn't exist on any board.
fn unreached<'a>(reach: impl Iterator<Item = &'a Reach>) -> Vec<InertRule> {
    let nowhere = reach.filter(|reach| reach.boards == 0 && reach.of > 0);
    nowhere.map(|reach| InertRule::new(&reach.rule, "unknown-column")).collect()
}

/// Members in the people filter that don't exist in the account.
async fn people(
    ctx: &Ctx,
    account: &str,
    config: &Config,
    kept: &HashSet<String>,
    accepted: &mut bool,
    problems: &mut Vec<FieldError>,
) -> Result<()> {
    let Some(members) = ctx.find_service::<Members>() else { return Ok(()) };
    let named = config::named_members(config);
    let strangers = members.0.missing(account, named.iter().map(|(_, id)| id.clone()).collect()).await?;
    for (index, id) in named {
        if strangers.contains(&id) {
            // A member who has left doesn't prevent storing.
            *accepted &= kept.contains(&id);
            problems.push(problem(format!("/config/filters/people/ids/{index}"), UNKNOWN_MEMBER, UNKNOWN_MEMBER.doc()));
        }
    }
    Ok(())
}

/// Rules without effect, with their pointers.
fn inert(all: &[Value], at: &str, inert: &[InertRule], problems: &mut Vec<FieldError>) {
    for rule in inert {
        let within = |(index, entry): (usize, &Value)| {
            if entry["id"] == *rule.id {
                return Some(index.to_string());
            }
            let inner = entries_of(entry, "any").iter().position(|one| one["id"] == *rule.id)?;
            Some(format!("{index}/any/{inner}"))
        };
        let list = if at.ends_with("filters") { "all" } else { "rules" };
        let place = match all.iter().enumerate().find_map(within) {
            Some(place) => format!("{at}/{list}/{place}"),
            None if rule.id == "people" => format!("{at}/people"),
            None => format!("{at}/{list}"),
        };
        let why = [std::slice::from_ref(&rule.reason), &rule.lost].concat().join(", ");
        problems.push(problem(place, INERT_RULE, &format!("{} ({why})", INERT_RULE.doc())));
    }
}
