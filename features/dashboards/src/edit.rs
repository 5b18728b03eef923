//! Adds, changes, and removes single widgets of a dashboard.

use crate::access::Need;
use crate::config::{self, Config, WRONG_MAX};
use crate::faults::UNKNOWN_WIDGET;
use crate::named_boards::expect_named_boards;
use crate::proposals::{self, Outcome};
use crate::record::{self, ProposalRef};
use crate::{grid, schema};
use kit::error::{INVALID, unknown};
use kit::{Call, Caller, Ctx, FieldError, Result, fault, invalid, new_id};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use store::HasDb;

/// Maximum characters of a title.
const TITLE_CHARS_MAX: usize = 255;
/// Default columns and rows of a new widget. A single figure needs less space than a chart.
const FIGURE_SIZE: (i64, i64) = (3, 3);
const DRAWN_SIZE: (i64, i64) = (6, 6);
/// Maximum row of a free position.
const ROWS_MAX: i64 = 10_000;

/// Position of a widget. Omitted values are chosen, or stay unchanged.
#[derive(Deserialize, JsonSchema, Default, Clone, Copy)]
#[serde(deny_unknown_fields)]
struct Place {
    /// Columns from the left, out of 12.
    #[schemars(range(min = 0, max = 11))]
    x: Option<i64>,
    /// Rows from the top.
    #[schemars(range(min = 0, max = 9999))]
    y: Option<i64>,
    /// Width in columns.
    #[schemars(range(min = 1, max = 12))]
    w: Option<i64>,
    /// Height in rows.
    #[schemars(range(min = 1, max = 40))]
    h: Option<i64>,
}

/// A widget to add.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Add {
    dashboard_id: String,
    /// `numbers`, `chart`, `velocity`, `planned`, `burndown`, `battery`, `table`, or `apps`; `GET /dashboards/schema`
    /// has their settings.
    kind: String,
    /// Default: derived from the settings.
    #[serde(default)]
    #[schemars(length(max = TITLE_CHARS_MAX))]
    title: String,
    /// Settings of the kind. Columns missing from `cols` are found.
    #[serde(default)]
    settings: Map<String, Value>,
    /// Default: the first free position.
    #[serde(default)]
    layout: Place,
}

/// Changes to a widget. Omitted fields stay unchanged.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Change {
    dashboard_id: String,
    widget_id: String,
    #[schemars(length(max = TITLE_CHARS_MAX))]
    title: Option<String>,
    /// Settings to change; null removes one. The others stay unchanged.
    settings: Option<Map<String, Value>>,
    layout: Option<Place>,
}

/// Identifies a widget.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Which {
    dashboard_id: String,
    widget_id: String,
}

/// Result of the change.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EditedWidget")]
pub(crate) struct Edited {
    dashboard_id: String,
    /// Current revision of the dashboard.
    revision: i64,
    /// The widget; null if it was removed.
    widget: Option<Map<String, Value>>,
    /// Set if a person has the dashboard open: nothing is changed yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposal: Option<ProposalRef>,
}

pub(crate) async fn add(ctx: Ctx, call: Call, input: Add) -> Result<Outcome<Edited, 201>> {
    let Add { dashboard_id, kind, title, settings, layout } = input;
    expect_title(&title)?;
    expect_place(layout)?;
    expect_settings(&kind, &settings)?;
    expect_boards(&ctx, call.caller.clone(), &dashboard_id, &settings).await?;
    edit(ctx, call, dashboard_id, move |config| {
        let list = list_of(config);
        let box_ = placed(list, layout, if kind == "numbers" { FIGURE_SIZE } else { DRAWN_SIZE });
        let widget = json!({"id": new_id(), "kind": kind, "title": title, "layout": box_, "settings": settings});
        list.push(widget.clone());
        Ok(widget.as_object().cloned())
    })
    .await
}

pub(crate) async fn change(ctx: Ctx, call: Call, input: Change) -> Result<Outcome<Edited, 200>> {
    let Change { dashboard_id, widget_id, title, settings, layout } = input;
    expect_title(title.as_deref().unwrap_or_default())?;
    expect_place(layout.unwrap_or_default())?;
    if let Some(settings) = &settings {
        expect_boards(&ctx, call.caller.clone(), &dashboard_id, settings).await?;
    }
    edit(ctx, call, dashboard_id, move |config| {
        let widget = find(config, &widget_id)?;
        if let Some(settings) = settings {
            let set: Map<_, _> =
                settings.iter().filter(|(_, value)| !value.is_null()).map(|(k, v)| (k.clone(), v.clone())).collect();
            expect_settings(widget["kind"].as_str().unwrap_or_default(), &set)?;
            if !widget["settings"].is_object() {
                widget["settings"] = json!({});
            }
            for (name, value) in settings {
                match (widget["settings"].as_object_mut(), value) {
                    (Some(members), Value::Null) => drop(members.remove(&name)),
                    (Some(members), value) => drop(members.insert(name, value)),
                    (None, _) => {}
                }
            }
        }
        if let Some(title) = title {
            widget["title"] = title.into();
        }
        for (side, value) in layout.map(sides).into_iter().flatten() {
            if let Some(value) = value {
                widget["layout"][side] = value.into();
            }
        }
        Ok(widget.as_object().cloned())
    })
    .await
}

pub(crate) async fn remove(ctx: Ctx, call: Call, input: Which) -> Result<Outcome<Edited, 200>> {
    edit(ctx, call, input.dashboard_id, move |config| {
        let at = position(config, &input.widget_id)?;
        list_of(config).remove(at);
        Ok(None)
    })
    .await
}

async fn edit<const STATUS: u16>(
    ctx: Ctx,
    call: Call,
    dashboard_id: String,
    edit: impl FnOnce(&mut Config) -> Result<Option<Map<String, Value>>> + Send + 'static,
) -> Result<Outcome<Edited, STATUS>> {
    let (record, widget) = proposals::change(&ctx, call, dashboard_id, |_, doc| edit(&mut doc.config)).await?;
    let proposal = record.proposal;
    let is_proposed = proposal.is_some();
    let edited = Edited { dashboard_id: record.id, revision: record.revision, widget, proposal };
    Ok(if is_proposed { Outcome::Proposed(edited) } else { Outcome::Done(edited) })
}

/// Maximum values of a position. The minimum is 0 for `x` and `y`, and 1 for `w` and `h`.
const SIDES_MAX: [(&str, i64); 4] =
    [("x", grid::COLUMNS - 1), ("y", grid::LAST_ROW), ("w", grid::COLUMNS), ("h", grid::ROWS_MAX)];

fn expect_place(place: Place) -> Result<()> {
    for ((side, value), (_, most)) in sides(place).into_iter().zip(SIDES_MAX) {
        let least = i64::from(["w", "h"].contains(&side));
        if value.is_some_and(|value| !(least..=most).contains(&value)) {
            let detail = format!("Use {least} to {most}.");
            return Err(invalid(&format!("/layout/{side}"), fault::OUT_OF_RANGE, detail));
        }
    }
    Ok(())
}

fn expect_title(title: &str) -> Result<()> {
    if title.is_empty() { Ok(()) } else { kit::text::expect_name(title, TITLE_CHARS_MAX, "/title") }
}

/// Rejects settings that name a board of another account, unless the dashboard already names it.
async fn expect_boards(ctx: &Ctx, caller: Caller, dashboard_id: &str, settings: &Map<String, Value>) -> Result<()> {
    let (account, id) = (caller.account.clone(), dashboard_id.to_owned());
    let stored = ctx.db().read(move |tx| record::read(tx, &caller, &id, Need::Write)).await?;
    let mut named = Vec::new();
    config::in_settings(&json!(settings), "/settings", &mut named);
    expect_named_boards(ctx, &account, named, &config::all_boards(&stored.config)).await
}

/// Rejects unknown kinds and invalid settings.
fn expect_settings(kind: &str, settings: &Map<String, Value>) -> Result<()> {
    let mut wrong: Vec<FieldError> = Vec::new();
    match schema::kind(kind) {
        None => wrong.push(schema::unknown_kind("/kind".into())),
        Some(kind) => schema::misfits(&schema::settings(kind), &json!(settings), "/settings", &mut wrong),
    }
    if wrong.is_empty() {
        return Ok(());
    }
    wrong.truncate(WRONG_MAX);
    Err(INVALID.error("These settings aren't valid for the widget's kind. Nothing was changed.").at_all(wrong))
}

/// The widgets of a config. A value that isn't a list, which no stored config has, is replaced.
fn list_of(config: &mut Config) -> &mut Vec<Value> {
    let list = config.entry("widgets").or_insert_with(|| json!([]));
    if !list.is_array() {
        *list = json!([]);
    }
    list.as_array_mut().expect("a list")
}

/// Index of the widget with this ID. Widgets without one have an ID made from their index, as on the page.
fn position(config: &Config, id: &str) -> Result<usize> {
    let found = config::widgets(config).into_iter().find(|widget| widget.id == id);
    Ok(found.ok_or_else(|| unknown(UNKNOWN_WIDGET, "/widgetId"))?.index)
}

fn find<'a>(config: &'a mut Config, id: &str) -> Result<&'a mut Value> {
    let at = position(config, id)?;
    Ok(&mut list_of(config)[at])
}

fn sides(place: Place) -> [(&'static str, Option<i64>); 4] {
    [("x", place.x), ("y", place.y), ("w", place.w), ("h", place.h)]
}

/// The requested position, or the first free one of its size in reading order.
fn placed(widgets: &[Value], asked: Place, (w, h): (i64, i64)) -> Value {
    let (w, h) = (asked.w.unwrap_or(w).clamp(1, grid::COLUMNS), asked.h.unwrap_or(h).max(1));
    let side = |widget: &Value, side: &str| widget["layout"][side].as_f64().map_or(0, |value| value as i64);
    let boxes: Vec<[i64; 4]> = widgets.iter().map(|one| ["x", "y", "w", "h"].map(|name| side(one, name))).collect();
    let is_free = |x: i64, y: i64| {
        boxes.iter().all(|[bx, by, bw, bh]| {
            x >= bx.saturating_add(*bw) || *bx >= x + w || y >= by.saturating_add(*bh) || *by >= y + h
        })
    };
    let bottom = boxes.iter().map(|[_, y, _, h]| y.saturating_add(*h)).max().unwrap_or(0).clamp(0, ROWS_MAX);
    let rows = || asked.y.map_or(0..=bottom, |y| y..=y);
    let columns = || asked.x.map_or(0..=grid::COLUMNS - w, |x| x..=x);
    let free = rows().find_map(|y| columns().find(|x| is_free(*x, y)).map(|x| (x, y)));
    let (x, y) = free.unwrap_or((asked.x.unwrap_or(0), asked.y.unwrap_or(bottom)));
    json!({"x": x, "y": y, "w": w, "h": h})
}
