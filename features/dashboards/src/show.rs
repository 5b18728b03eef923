//! The values of a dashboard, computed from its config by the engine that computes them in a page.
//!
//! Boards that are gone, or another account's, take part in nothing: they are counted and not named.

use crate::access::{self, Need};
use crate::config::{self, Config, Widget};
use crate::errors::{TOO_MUCH, TOO_SLOW};
use crate::record::{self, Dashboard};
use crate::snapshots;
use futures_core::future::BoxFuture;
use kit::error::{INTERNAL, unknown};
use kit::lookup::{BoardData, BoardStream, Calendar};
use kit::text::size;
use kit::{Cached, Call, Caller, Ctx, Kind, Result, SessionsSeen, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use store::HasDb;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use widgets::widgets::WidgetAnswer;
use widgets::{Answer, Engine, Filters, InertRule, Locale, Query, RuleOrGroup};

/// Maximum bytes of boards computed here. The page loads each board separately.
const BYTES_MAX: usize = 512 * 1024 * 1024;
/// Maximum dashboards computed at once. Each has its boards in memory.
const AT_ONCE: usize = 2;
/// Maximum of them for agents. The rest is for people.
const AT_ONCE_FOR_AGENTS: usize = 1;
/// Maximum time to compute a dashboard.
const COMPUTING_MAX: Duration = Duration::from_secs(30);
/// Widgets computed between two checks of the time.
const WIDGETS_AT_ONCE: usize = 16;
/// Maximum characters of a separator in numbers.
const MARK_CHARS_MAX: usize = 4;

/// Name of a dashboard's snapshots in the engine.
const PAST: &str = "dashboard";

/// Limits concurrent computations and their time.
pub(crate) struct Computing {
    permits: Arc<Semaphore>,
    of_agents: Arc<Semaphore>,
    time_max: Duration,
}

impl Default for Computing {
    fn default() -> Self {
        Computing::within(COMPUTING_MAX)
    }
}

impl Computing {
    pub(crate) fn within(time_max: Duration) -> Computing {
        let of = |permits: usize| Arc::new(Semaphore::new(permits));
        Computing { permits: of(AT_ONCE), of_agents: of(AT_ONCE_FOR_AGENTS), time_max }
    }
    /// Waits for a turn before loading anything large. Agents first wait for other agents, no longer than one
    /// computation can take, because with many requests their own would time out.
    pub(crate) async fn turn(&self, is_agent: bool) -> Result<Turn> {
        let mut permits = Vec::new();
        if is_agent {
            let waited = tokio::time::timeout(self.time_max, self.of_agents.clone().acquire_owned()).await;
            permits.push(waited.map_err(|_| self.busy())?);
        }
        permits.push(self.permits.clone().acquire_owned().await);
        let permits = permits.into_iter().collect::<Result<_, _>>().map_err(|e| failed().caused_by(e))?;
        Ok(Turn { _permits: permits, time_max: self.time_max })
    }
    fn busy(&self) -> kit::Error {
        let waited_s = self.time_max.as_secs();
        let detail = format!(
            "Only {AT_ONCE_FOR_AGENTS} dashboard at a time is computed for agents. Waited {waited_s} s for others. Try again."
        );
        TOO_SLOW.error(detail)
    }
}

/// A turn to compute. Ends when dropped.
pub(crate) struct Turn {
    _permits: Vec<OwnedSemaphorePermit>,
    time_max: Duration,
}

/// Limit of a computation: its time, and a caller that still waits.
pub(crate) struct Until {
    begun: Instant,
    time_max: Duration,
    waiting: Weak<()>,
}

impl Until {
    /// Called between short steps.
    pub(crate) fn check(&self) -> Result<()> {
        if self.waiting.strong_count() == 0 {
            return Err(INTERNAL.error("The caller disconnected."));
        }
        if self.begun.elapsed() >= self.time_max {
            let limit_s = self.time_max.as_secs();
            return Err(TOO_SLOW.error(format!("Computing the dashboard took longer than {limit_s} s.")));
        }
        Ok(())
    }
}

fn failed() -> kit::Error {
    INTERNAL.error("Couldn't compute a dashboard.")
}

/// Options for formatting values.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Show {
    dashboard_id: String,
    /// Show only this widget.
    widget_id: Option<String>,
    /// Time zone for "today", such as Europe/Berlin. Default: yours.
    #[schemars(length(max = 64))]
    time_zone: Option<String>,
    /// Decimal separator. Default: a point.
    #[schemars(length(max = MARK_CHARS_MAX))]
    decimal_mark: Option<String>,
    /// Thousands separator. Default: a comma.
    #[schemars(length(max = MARK_CHARS_MAX))]
    group_mark: Option<String>,
}

/// The values of a dashboard.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DashboardValues")]
pub(crate) struct Values {
    id: String,
    name: String,
    /// Revision of the computed dashboard.
    revision: i64,
    /// Connected boards, without missing ones.
    board_ids: Vec<String>,
    /// Number of missing connected boards.
    boards_missing: usize,
    widgets: Vec<Shown>,
    /// Shared rules that have no effect.
    #[schemars(with = "Vec<InertShape>")]
    inert_rules: Vec<InertRule>,
}

/// A widget with its values.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WidgetValues")]
pub(crate) struct Shown {
    /// The stored title; empty if there is none.
    title: String,
    #[serde(flatten)]
    #[schemars(with = "AnswerShape")]
    answer: WidgetAnswer,
}

/// Documents the engine's result for a widget.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "documents what the engine writes")]
#[schemars(rename = "WidgetAnswer")]
struct AnswerShape {
    id: String,
    kind: String,
    state: StateShape,
    /// Values, in the form of the widget's kind. Omitted if there are none.
    #[serde(skip_serializing_if = "Map::is_empty")]
    result: Map<String, Value>,
    coverage: CoverageShape,
    /// The migrated settings, if an older version stored them.
    #[serde(skip_serializing_if = "Option::is_none")]
    settings: Option<Map<String, Value>>,
    /// Roles of columns with the widget's settings.
    roles: Vec<RoleShape>,
    /// IDs of the chosen and found columns, by role and board.
    cols: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// Whether the values are approximate. `reasons` has the causes.
    approximate: bool,
    /// Codes of notes about the values.
    reasons: Vec<String>,
}

/// A role of columns.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "documents what the engine writes")]
#[schemars(rename = "WidgetRole")]
struct RoleShape {
    name: String,
    /// Accepted column types.
    types: Vec<String>,
    /// Whether boards without such a column are left out.
    required: bool,
}

/// State of the values.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "documents what the engine writes")]
#[schemars(rename = "WidgetState")]
struct StateShape {
    /// `ok`, `error`, `no-boards`, `unmapped`, `no-items`, `all-filtered`, `no-values`.
    name: String,
    /// For `error`: boards that couldn't be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    boards: Vec<String>,
    /// For `error`: problem with the widget's settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// For `unmapped`: roles without a column.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    roles: Vec<String>,
    /// For `all-filtered`: number of items.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
}

/// Data that the values are based on.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code, reason = "documents what the engine writes")]
#[schemars(rename = "WidgetCoverage")]
struct CoverageShape {
    boards_used: u64,
    boards_total: u64,
    items_used: u64,
    items_skipped: u64,
    items_total: u64,
    /// Data left out, with reasons.
    skipped_why: Vec<SkippedShape>,
    inert_rules: Vec<InertShape>,
    /// Number of the widget's boards that each rule applies to.
    reach: Vec<ReachShape>,
    /// Labels that rules name but some of their boards don't have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<LabelShape>,
}

/// Number of a rule's boards that have a label.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "documents what the engine writes")]
#[schemars(rename = "WidgetLabelReach")]
struct LabelShape {
    label: String,
    boards: u64,
    of: u64,
}

/// Items or boards that were left out.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "documents what the engine writes")]
#[schemars(rename = "WidgetSkipped")]
struct SkippedShape {
    /// `empty-value`, `empty-category`, `other-type`, `subitem`, `unmapped`, `failed`.
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    boards: Vec<String>,
}

/// A rule with no effect, or less than intended.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "documents what the engine writes")]
#[schemars(rename = "WidgetInertRule")]
struct InertShape {
    /// The rule; `people` is the people control.
    id: String,
    /// Why it has no effect: `unknown-operator`, `wrong-value`, `no-value`, `deleted-label`, `unknown-team`,
    /// `unknown-column`. Or what is missing: `unknown-member`, `lost-label`, `lost-column`.
    reason: String,
    /// For `lost-label`, the labels that no board has anymore. For `lost-column`, the names of the boards without the
    /// column.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lost: Vec<String>,
    /// The list of a widget's own rule: `rules`, or those of `ratio` or `per`. IDs are unique only within a list.
    /// Omitted for the dashboard's rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<OwnShape>,
}

/// Number of boards that a rule applies to.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "documents what the engine writes")]
#[schemars(rename = "WidgetReach")]
struct ReachShape {
    rule: String,
    boards: u64,
    of: u64,
    /// As in `inertRules`.
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<OwnShape>,
}

/// A list of a widget's own rules.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "documents what the engine writes")]
#[schemars(rename = "WidgetOwnList", rename_all = "camelCase")]
enum OwnShape {
    Rules,
    Ratio,
    Per,
}

/// Whose day it is, who "me" is and asks, and how numbers are written.
pub(crate) struct Viewpoint {
    calendar: Calendar,
    locale: Locale,
    me: String,
    is_agent: bool,
    caller: Caller,
}

impl Viewpoint {
    pub(crate) fn load(ctx: &Ctx, call: &Call, time_zone: Option<&str>) -> BoxFuture<'static, Result<Viewpoint>> {
        let calendar = ctx.service::<BoardData>().0.calendar(ctx, &call.caller, time_zone);
        // Whoever speaks for no member is nobody: a rule about "me" then finds nothing, as in a page.
        let me = call.caller.member.as_deref().unwrap_or_default().to_owned();
        let (is_agent, caller) = (call.is_of_agent(), call.caller.clone());
        Box::pin(
            async move { Ok(Viewpoint { calendar: calendar.await?, locale: Locale::default(), me, is_agent, caller }) },
        )
    }

    /// Which sessions are seen on a dashboard: who invites a member to it shows that member what it shows.
    async fn sessions_seen(&self, ctx: &Ctx, dashboard: Option<&str>) -> Result<SessionsSeen> {
        let (Kind::Member, Some(dashboard)) = (self.caller.kind, dashboard) else {
            return Ok(self.caller.sessions_seen());
        };
        let (caller, dashboard) = (self.caller.clone(), dashboard.to_owned());
        let is_invited = ctx.db().read(move |tx| access::is_invited(tx, &caller, &dashboard)).await?;
        Ok(if is_invited { SessionsSeen::All } else { SessionsSeen::None })
    }

    fn with_marks(mut self, decimal: Option<String>, group: Option<String>) -> Result<Viewpoint> {
        for (name, mark) in [("/decimalMark", &decimal), ("/groupMark", &group)] {
            if mark.as_ref().is_some_and(|mark| mark.chars().count() > MARK_CHARS_MAX) {
                let detail = format!("Use at most {MARK_CHARS_MAX} characters.");
                return Err(invalid(name, kit::fault::TOO_LONG, detail));
            }
        }
        self.locale.decimal = decimal.unwrap_or(self.locale.decimal);
        self.locale.group = group.unwrap_or(self.locale.group);
        Ok(self)
    }
}

/// A dashboard with what its boards hold, ready to be computed.
pub(crate) struct Ready {
    turn: Turn,
    boards: Vec<BoardStream>,
    /// Number of missing connected boards.
    pub(crate) missing: usize,
    query: Query,
    /// What the dashboard remembers, and what names the state of it.
    past: Option<(Value, String)>,
    /// Rules that cannot be read: they constrain nothing either.
    unread: Vec<InertRule>,
}

impl Ready {
    /// Reads the boards that a config connects, once it is its turn, and what the dashboard remembers of them, where it is one already.
    pub(crate) async fn read(
        ctx: &Ctx,
        account: &str,
        dashboard: Option<&str>,
        config: &Config,
        view: &Viewpoint,
        widgets: &[Widget],
    ) -> Result<Ready> {
        let turn = ctx.service::<Computing>().turn(view.is_agent).await?;
        let source = ctx.service::<BoardData>();
        let seen = view.sessions_seen(ctx, dashboard).await?;
        let (mut ids, mut boards, mut missing, mut bytes) = (Vec::new(), Vec::new(), 0, 0);
        for id in config::board_ids_in_order(config) {
            let Some(board) = source.0.stream(ctx, account, &id, &seen).await? else {
                missing += 1;
                continue;
            };
            bytes += board.parts.iter().map(|part| part.len()).sum::<usize>();
            if bytes > BYTES_MAX {
                let limit = size(BYTES_MAX);
                return Err(TOO_MUCH.error(format!("The connected boards exceed {limit} together.")));
            }
            ids.push(id);
            boards.push(board);
        }
        let past = match dashboard {
            Some(id) => snapshots::past(ctx, account, id).await?,
            None => None,
        };
        let (filters, unread) = filters(config);
        let query = Query {
            boards: ids,
            failed: Vec::new(),
            history: past.as_ref().map(|_| PAST.to_owned()),
            filters,
            include_subitems: false,
            widgets: widgets.iter().map(Widget::asked).collect(),
            now: ctx.now_ms(),
            utc_offset_minutes: view.calendar.utc_offset_minutes,
            week_start: view.calendar.week_start,
            locale: view.locale.clone(),
            me: Some(view.me.clone()),
            members: None,
            teams: BTreeMap::new(),
        };
        Ok(Ready { turn, boards, missing, query, past, unread })
    }

    /// When each board changed last, in milliseconds since the epoch.
    pub(crate) fn changed(&self) -> impl Iterator<Item = (&str, i64)> {
        self.query.boards.iter().map(String::as_str).zip(self.boards.iter().map(|board| board.changed_ms))
    }

    /// Another one whenever the values may be others: of the boards, of the viewer, and of the day.
    fn tag(&self, record: &Dashboard) -> String {
        let mut hasher = DefaultHasher::new();
        (&record.updated_at, self.missing, &self.query.me, &self.query.locale.decimal, &self.query.locale.group)
            .hash(&mut hasher);
        (self.query.utc_offset_minutes, self.query.week_start, self.query.widgets.len()).hash(&mut hasher);
        // No value depends on more of the time than the day.
        let minutes = self.query.now.div_euclid(60_000) + i64::from(self.query.utc_offset_minutes);
        minutes.div_euclid(24 * 60).hash(&mut hasher);
        self.query.widgets.iter().for_each(|widget| widget["id"].as_str().hash(&mut hasher));
        self.boards.iter().for_each(|board| board.tag.hash(&mut hasher));
        self.past.as_ref().map(|(_, tag)| tag).hash(&mut hasher);
        format!("\"{}-{:016x}\"", record.revision, hasher.finish())
    }

    /// The values of all widgets.
    pub(crate) async fn answer(self) -> Result<Answer> {
        Ok(self.answer_and(|_, _| ()).await?.0)
    }

    /// The values of all widgets, and what else the engine knows of their boards.
    pub(crate) async fn answer_and<T: Send + 'static>(
        self,
        more: impl FnOnce(&Engine, &Query) -> T + Send + 'static,
    ) -> Result<(Answer, T)> {
        let unread = self.unread.clone();
        let computed = self.compute(|engine, query, until| {
            let more = more(engine, query);
            let mut answer = Answer { widgets: Vec::new(), inert_rules: Vec::new() };
            let widgets = std::mem::take(&mut query.widgets);
            // Once without widgets, for the rules.
            for some in std::iter::once(&[][..]).chain(widgets.chunks(WIDGETS_AT_ONCE)) {
                until.check()?;
                query.widgets = some.to_vec();
                let part = engine.query(query);
                answer.widgets.extend(part.widgets);
                answer.inert_rules = part.inert_rules;
            }
            Ok((answer, more))
        });
        let (mut answer, more) = computed.await?;
        for widget in &mut answer.widgets {
            widget.coverage.inert_rules.extend(unread.iter().cloned());
        }
        answer.inert_rules.extend(unread);
        Ok((answer, more))
    }

    /// Computes something with the boards loaded, beside the other work of the program.
    pub(crate) async fn compute<T: Send + 'static>(
        self,
        run: impl FnOnce(&Engine, &mut Query, &Until) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let Ready { turn, boards, mut query, past, .. } = self;
        // Let go of where nobody waits for the answer any more.
        let waits = Arc::new(());
        let until = Until { begun: Instant::now(), time_max: turn.time_max, waiting: Arc::downgrade(&waits) };
        let work = move || {
            let _turn = turn;
            let mut engine = Engine::new();
            for board in boards {
                until.check()?;
                engine.load(&board.parts.concat()).map_err(|e| failed().caused_by(e))?;
            }
            until.check()?;
            if let Some((history, _)) = past {
                engine.set_history(PAST, history);
            }
            run(&engine, &mut query, &until)
        };
        tokio::task::spawn_blocking(work).await.map_err(|e| failed().caused_by(e))?
    }
}

/// The shared filters of a config, and the rules of it that cannot be read.
fn filters(config: &Config) -> (Filters, Vec<InertRule>) {
    let mut unread = Vec::new();
    let given = config.get("filters").filter(|filters| !filters.is_null());
    let stored = given.and_then(Value::as_object);
    let member = |name: &str| stored.and_then(|stored| stored.get(name)).filter(|value| !value.is_null());
    let inert = |id: &str| InertRule::new(id, "wrong-value");
    let people = member("people").and_then(|people| match serde_json::from_value(people.clone()) {
        Ok(people) => Some(people),
        Err(_) => {
            unread.push(inert("people"));
            None
        }
    });
    // What stands in another form was meant to leave something out.
    if given.is_some() != stored.is_some() {
        unread.push(inert("filters"));
    }
    if member("all").is_some_and(|all| !all.is_array()) {
        unread.push(inert("filters"));
    }
    let mut all = Vec::new();
    for (index, entry) in member("all").and_then(Value::as_array).into_iter().flatten().enumerate() {
        match serde_json::from_value::<RuleOrGroup>(entry.clone()) {
            Ok(rule) => all.push(rule),
            Err(_) => unread.push(inert(entry["id"].as_str().unwrap_or(&(index + 1).to_string()))),
        }
    }
    (Filters { v: 1, people, all }, unread)
}

pub(crate) async fn show(ctx: Ctx, call: Call, input: Show) -> Result<Cached<Values>> {
    let (caller, id) = (call.caller.clone(), input.dashboard_id);
    let record = ctx.db().read(move |tx| record::read(tx, &caller, &id, Need::Read)).await?;
    let view = Viewpoint::load(&ctx, &call, input.time_zone.as_deref()).await?;
    let view = view.with_marks(input.decimal_mark, input.group_mark)?;
    let mut widgets = config::widgets(&record.config);
    if let Some(only) = &input.widget_id {
        widgets.retain(|widget| widget.id == *only);
        if widgets.is_empty() {
            return Err(unknown(crate::faults::UNKNOWN_WIDGET, "/widgetId"));
        }
    }
    let ready = Ready::read(&ctx, call.account(), Some(&record.id), &record.config, &view, &widgets).await?;
    let etag = ready.tag(&record);
    if call.holds(&etag) {
        return Ok(Cached::new(&call, &etag, Default::default));
    }
    let (missing, board_ids) = (ready.missing, ready.query.boards.clone());
    let answer = ready.answer().await?;
    let values = Values {
        id: record.id,
        name: record.name,
        revision: record.revision,
        board_ids,
        boards_missing: missing,
        widgets: titled(widgets, answer.widgets),
        inert_rules: answer.inert_rules,
    };
    Ok(Cached::new(&call, &etag, || serde_json::to_vec(&values).expect("answers serialize").into()))
}

/// Each answer with the title that its widget was given.
pub(crate) fn titled(widgets: Vec<Widget>, answers: Vec<WidgetAnswer>) -> Vec<Shown> {
    widgets.into_iter().zip(answers).map(|(Widget { title, .. }, answer)| Shown { title, answer }).collect()
}
