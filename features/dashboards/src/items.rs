//! The items behind a widget.

use crate::access::Need;
use crate::config;
use crate::faults::UNKNOWN_WIDGET;
use crate::part::Parts;
use crate::record;
use crate::show::{Ready, Until, Viewpoint};
use kit::error::unknown;
use kit::text::number_cursor;
use kit::{Call, Ctx, Result, fault, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::HasDb;
use widgets::{Engine, ItemsQuery, Query};

/// Maximum page size of the engine.
const PAGE_MAX: usize = 1_000;
const PAGE_DEFAULT: usize = 100;

/// Selects items of a widget.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Which {
    dashboard_id: String,
    widget_id: String,
    /// Part of the widget: its label in `dashboards.show`, such as `Done` or `Sprint 1`, or its entry of the result.
    /// Default: all. In a stacked chart, category and series together: `{"x": "Done", "z": "Anna"}`.
    #[serde(default)]
    part: Value,
    /// Time zone for "today", such as Europe/Berlin. Default: yours.
    #[schemars(length(max = 64))]
    time_zone: Option<String>,
    /// Page size, 1 to 1,000. Default: 100.
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<usize>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = "^[0-9]{1,9}$"))]
    cursor: Option<String>,
}

/// Items behind a widget.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WidgetItems")]
pub(crate) struct Behind {
    items: Vec<BehindItem>,
    /// Number of items.
    total: usize,
    /// `cursor` of the next page; null on the last.
    next_cursor: Option<String>,
}

/// An item behind a widget.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WidgetItem")]
struct BehindItem {
    board_id: String,
    item_id: String,
    name: String,
    group: Option<String>,
}

pub(crate) async fn items(ctx: Ctx, call: Call, input: Which) -> Result<Behind> {
    let limit = match input.limit.unwrap_or(PAGE_DEFAULT) {
        limit @ 1..=PAGE_MAX => limit,
        _ => return Err(invalid("/limit", fault::OUT_OF_RANGE, format!("Use 1 to {PAGE_MAX}."))),
    };
    let offset = input.cursor.as_deref().map(number_cursor).transpose()?.unwrap_or(0) as usize;
    let (caller, id) = (call.caller.clone(), input.dashboard_id);
    let record = ctx.db().read(move |tx| record::read(tx, &caller, &id, Need::Read)).await?;
    let mut widgets = config::widgets(&record.config);
    widgets.retain(|widget| widget.id == input.widget_id);
    if widgets.is_empty() {
        return Err(unknown(UNKNOWN_WIDGET, "/widgetId"));
    }
    let view = Viewpoint::load(&ctx, &call, input.time_zone.as_deref()).await?;
    let ready = Ready::read(&ctx, call.account(), Some(&record.id), &record.config, &view, &widgets).await?;
    let asked = ItemsQuery { widget: input.widget_id, part: input.part, offset, limit };
    let find = move |engine: &Engine, query: &mut Query, _: &Until| {
        if asked.part.is_object() || asked.part.is_null() {
            // Most parts are in the engine's own form, which needs no result.
            if let Ok(found) = engine.items(query, &asked) {
                return Ok(found);
            }
        }
        let shown = engine.query(query).widgets.into_iter().next().and_then(|widget| widget.result);
        let parts = Parts::of_result(&shown.and_then(|result| serde_json::to_value(result).ok()).unwrap_or_default());
        let label = asked.part.as_str().map(|label| format!("no part is named {label}"));
        let asked = ItemsQuery { part: parts.read(&asked.part)?, ..asked };
        engine.items(query, &asked).map_err(|why| parts.no_such(&label.unwrap_or(why)))
    };
    let found = ready.compute(find).await?;
    let read = |item| {
        serde_json::from_value(item).map_err(|e| kit::error::INTERNAL.error("An item could not be read.").caused_by(e))
    };
    let items: Vec<BehindItem> = found.items.into_iter().map(read).collect::<Result<_>>()?;
    let end = offset + items.len();
    let next_cursor = (end < found.total && !items.is_empty()).then(|| end.to_string());
    Ok(Behind { items, total: found.total, next_cursor })
}
