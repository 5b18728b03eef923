//! A config is tried without being stored: what is wrong with it, place by place, and what each widget would show.

use crate::config::{self, BOARD_IDS_MAX, Config};
use crate::faults::INERT_RULE;
use crate::members::Need;
use crate::show::{Ready, Shown, Viewpoint, titled};
use crate::{read_one, schema};
use kit::error::INVALID;
use kit::fault::{TOO_MANY, UNKNOWN_BOARD, UNKNOWN_COLUMN, UNKNOWN_MEMBER, WRONG_TYPE};
use kit::lookup::{Boards, Members};
use kit::{Call, Ctx, Fault, FieldError, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::HashSet;
use store::HasDb;
use widgets::InertRule;
use widgets::widgets::{Cols, State};

/// Problems that one answer names.
const PROBLEMS_MAX: usize = 1_000;

/// A config to try.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Check {
    /// The dashboard that it is to replace the config of, where there is one: boards that it connects already may be gone.
    dashboard_id: Option<String>,
    /// As of a dashboard.
    config: Map<String, Value>,
    /// Whose day "today" is, such as Europe/Berlin; the caller's where left out.
    #[schemars(length(max = 64))]
    time_zone: Option<String>,
}

/// What a config would show.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CheckedConfig")]
pub(crate) struct Checked {
    /// Whether it would be stored; what does not keep it from that may be a problem all the same.
    accepted: bool,
    /// What is wrong at single places, and what has no effect.
    problems: Vec<Problem>,
    /// How many connected boards are not there.
    boards_missing: usize,
    widgets: Vec<Shown>,
}

/// What is wrong at one place.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ConfigProblem")]
pub(crate) struct Problem {
    /// JSON pointer, such as `/config/widgets/0/settings/function`.
    pointer: String,
    /// docs/errors.md lists them.
    code: Fault,
    detail: String,
}

pub(crate) async fn check(ctx: Ctx, call: Call, input: Check) -> Result<Checked> {
    let config = input.config;
    let mut problems = match config::checked(&config) {
        Ok(_) => Vec::new(),
        // What is too much is not computed.
        Err(error) if error.is(&INVALID) && !error.fields().iter().any(|field| field.code == TOO_MANY) => {
            error.fields().to_vec()
        }
        Err(error) => return Err(error),
    };
    let mut kept = HashSet::new();
    if let Some(id) = input.dashboard_id.clone() {
        let caller = call.caller.clone();
        kept = config::board_ids(&ctx.db().read(move |tx| read_one(tx, &caller, &id, Need::Read)).await?.config);
    }
    let ids: Vec<String> = config::board_ids_in_order(&config).into_iter().take(BOARD_IDS_MAX).collect();
    let missing = ctx.service::<Boards>().0.missing(call.account(), ids).await?;
    let mut accepted = problems.is_empty();
    for (index, id) in entries(&config, "boardIds").enumerate() {
        if id.as_str().is_some_and(|id| missing.iter().any(|gone| gone == id)) {
            accepted &= id.as_str().is_some_and(|id| kept.contains(id));
            problems.push(problem(format!("/config/boardIds/{index}"), UNKNOWN_BOARD, UNKNOWN_BOARD.doc()));
        }
    }
    people(&ctx, call.account(), &config, &mut problems).await?;
    for (index, entry) in entries(&config, "widgets").enumerate() {
        widget(entry, &format!("/config/widgets/{index}"), &mut problems);
    }
    let view = Viewpoint::of(&ctx, &call.caller, input.time_zone.as_deref()).await?;
    let widgets = config::widgets(&config);
    let ready = Ready::read(&ctx, call.account(), input.dashboard_id.as_deref(), &config, &view, &widgets).await?;
    let boards_missing = ready.missing;
    let answer = ready.answer().await?;
    inert(
        entries_of(config.get("filters").unwrap_or(&Value::Null), "all"),
        "/config/filters",
        &answer.inert_rules,
        &mut problems,
    );
    let objects = entries(&config, "widgets").enumerate().filter(|(_, entry)| entry.is_object());
    for ((index, entry), shown) in objects.zip(&answer.widgets) {
        let at = format!("/config/widgets/{index}");
        let settings = &entry["settings"];
        let mut own: Vec<InertRule> =
            shown.coverage.inert_rules.iter().filter(|rule| !answer.inert_rules.contains(rule)).cloned().collect();
        for (rules, member) in [(settings, ""), (&settings["ratio"], "/ratio"), (&settings["per"], "/per")] {
            let (there, rest): (Vec<_>, Vec<_>) =
                own.into_iter().partition(|rule: &InertRule| has_rule(entries_of(rules, "rules"), &rule.id));
            inert(entries_of(rules, "rules"), &format!("{at}/settings{member}"), &there, &mut problems);
            own = rest;
        }
        inert(&[], &format!("{at}/settings"), &own, &mut problems);
        columns(settings, &shown.fixed.cols, &format!("{at}/settings/cols"), &mut problems);
        // What the schema does not say, as rules that cannot be read.
        let is_told =
            problems.iter().any(|problem| problem.pointer == at || problem.pointer.starts_with(&format!("{at}/")));
        if let State::Error { message: Some(message), .. } = &shown.state
            && !is_told
        {
            problems.push(problem(format!("{at}/settings"), WRONG_TYPE, message));
        }
    }
    problems.truncate(PROBLEMS_MAX);
    let told = |FieldError { pointer, code, detail }| Problem { pointer, code, detail };
    let problems = problems.into_iter().map(told).collect();
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

/// A widget's kind and settings.
fn widget(entry: &Value, at: &str, problems: &mut Vec<FieldError>) {
    if !entry.is_object() {
        return;
    }
    match schema::kind(entry["kind"].as_str().unwrap_or_default()) {
        None => problems.push(schema::unknown_kind(format!("{at}/kind"))),
        Some(kind) if entry.get("settings").is_some() => {
            schema::misfits(&schema::settings(kind), &entry["settings"], &format!("{at}/settings"), problems);
        }
        Some(_) => {}
    }
}

/// Columns that are chosen and that their boards have not, or not of a type that can play the part.
fn columns(settings: &Value, played: &Cols, at: &str, problems: &mut Vec<FieldError>) {
    for (role, by_board) in settings["cols"].as_object().into_iter().flatten() {
        for (board, ids) in by_board.as_object().into_iter().flatten() {
            // Of a board that takes no part nothing is known.
            let Some(found) = played.get(role).map(|by_board| by_board.get(board)) else { continue };
            for (index, id) in ids.as_array().into_iter().flatten().enumerate() {
                let plays = found.is_some_and(|found| found.iter().any(|one| id == one.as_str()));
                if !plays {
                    let detail = "The board has no such column, or none of a type that can play this part.";
                    let within = format!("{at}/{}/{}/{index}", pointed(role), pointed(board));
                    problems.push(problem(within, UNKNOWN_COLUMN, detail));
                }
            }
        }
    }
}

fn pointed(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Members whom the people control names and the account has not.
async fn people(ctx: &Ctx, account: &str, config: &Config, problems: &mut Vec<FieldError>) -> Result<()> {
    let Some(members) = ctx.find_service::<Members>() else { return Ok(()) };
    let people = config.get("filters").map_or(&Value::Null, |filters| &filters["people"]);
    let named = entries_of(people, "ids").iter().enumerate().filter_map(|(index, id)| Some((index, id.as_str()?)));
    let named: Vec<(usize, &str)> = named.filter(|(_, id)| !["me", "none"].contains(id)).collect();
    let strangers = members.0.missing(account, named.iter().map(|(_, id)| (*id).to_owned()).collect()).await?;
    for (index, id) in named {
        if strangers.iter().any(|stranger| stranger == id) {
            problems.push(problem(format!("/config/filters/people/ids/{index}"), UNKNOWN_MEMBER, UNKNOWN_MEMBER.doc()));
        }
    }
    Ok(())
}

/// Whether a rule stands in a list, alone or among others of which one is enough.
fn has_rule(all: &[Value], id: &str) -> bool {
    all.iter().any(|entry| entry["id"] == id || entries_of(entry, "any").iter().any(|one| one["id"] == id))
}

/// Rules that constrain nothing, where they stand.
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
