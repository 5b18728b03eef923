//! Agent sessions as a read-only board, which dashboards can connect like any other. Its rows come from the sessions
//! feature. It isn't in the database or in lists of boards, and can't be changed.
//!
//! The sessions feature reports changes by `BoardChanged` with this board's ID.

use crate::board::{self, BoardRecord, GroupRecord};
use crate::cells::Column;
use crate::form::{Form, Head};
use crate::full::Ready;
use crate::image::Image;
use crate::item::Record;
use crate::outward::week_start;
use crate::view::BoardView;
use crate::zones;
use column_types::{ColumnType, Label, Settings};
use kit::clock::DAY_MS;
use kit::error::Result;
use kit::lookup::{AGENT_SESSIONS, AgentSessions, Session, SessionState, Sessions};
use kit::{Caller, Ctx, SessionsSeen, date, rfc3339};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use widgets::Category;

const NAME: &str = "Agent sessions";
const GROUP: &str = "g1";

/// The states with their labels: text, color, and category.
const STATES: [(SessionState, &str, &str, Category); 6] = [
    (SessionState::Waiting, "Waiting", "#8a94a6", Category::NotStarted),
    (SessionState::Running, "Running", "#3b6fd4", Category::Active),
    (SessionState::NeedsPerson, "Needs you", "#d98324", Category::Active),
    (SessionState::Stopped, "Stopped", "#6b7280", Category::Active),
    (SessionState::Failed, "Failed", "#c0392b", Category::Active),
    (SessionState::Finished, "Finished", "#2e8b57", Category::Done),
];

/// The board as it is now.
struct Table {
    sessions: Sessions,
    columns: Vec<Column>,
    items: Vec<String>,
}

async fn read(ctx: &Ctx, account: &str, seen: &SessionsSeen) -> Result<Table> {
    // To a caller who sees no session there is no such board.
    if *seen == SessionsSeen::None {
        return Err(kit::not_found());
    }
    // None are where nothing runs sessions.
    let sessions = match ctx.find_service::<AgentSessions>() {
        Some(sessions) => sessions.0.seen(ctx, account, seen).await?,
        None => Sessions::default(),
    };
    let zone = ctx.home_zone();
    let ahead_ms = i64::from(zones::offset_minutes(&zone, ctx.now_ms())) * 60_000;
    let day = |ms: i64| (ms + ahead_ms).div_euclid(DAY_MS);
    let first_of_week = i64::from(week_start(ctx, account));
    let columns = columns(&sessions.all)?;
    let label = |column: usize, text: &str| {
        let labels = columns[column].settings.labels.as_deref().unwrap_or_default();
        labels.iter().find(|label| label.text == text).map(|label| label.id.clone())
    };
    let item = |session: &Session| {
        let mut cells = Map::new();
        let state = STATES.iter().position(|(state, ..)| *state == session.state).map(|at| format!("l{}", at + 1));
        // 1970-01-01 was a Thursday.
        let monday = |day: i64| day - (day + 3 - first_of_week).rem_euclid(7);
        let week = |day: i64| json!({"from": date(monday(day)), "to": date(monday(day) + 6)});
        let values = [
            json!(label(0, &session.engine)),
            json!(label(1, &session.model)),
            json!(state),
            json!(session.cost_usd),
            json!(session.turns),
            json!(session.run_ms as f64 / 60_000.0),
            session.started_ms.map_or(Value::Null, |at| date(day(at)).into()),
            session.ended_ms.map_or(Value::Null, |at| date(day(at)).into()),
            session.started_ms.map_or(Value::Null, |at| week(day(at))),
        ];
        for (column, value) in columns.iter().zip(values) {
            if !value.is_null() {
                cells.insert(column.id.clone(), value);
            }
        }
        let record = Record {
            id: session.id.clone(),
            group_id: GROUP.to_owned(),
            name: session.name.clone(),
            created_at: rfc3339(session.created_ms),
            updated_at: rfc3339(session.updated_ms),
            created_by: None,
            updated_by: None,
            parent_id: None,
            cells,
        };
        serde_json::to_string(&record).map_err(board::damaged)
    };
    let items = sessions.all.iter().map(item).collect::<Result<_>>()?;
    Ok(Table { items, columns, sessions })
}

/// The columns, in the order of the values.
fn columns(sessions: &[Session]) -> Result<Vec<Column>> {
    let labels = |texts: &mut dyn Iterator<Item = &str>| -> Vec<Label> {
        let texts: BTreeSet<&str> = texts.filter(|text| !text.is_empty()).collect();
        let label = |(at, text): (usize, &str)| Label {
            id: format!("l{}", at + 1),
            ..Label::new(text, "#8a94a6", Category::Active)
        };
        texts.into_iter().enumerate().map(label).collect()
    };
    let states = STATES.iter().enumerate().map(|(at, (_, text, color, category))| Label {
        id: format!("l{}", at + 1),
        ..Label::new(text, color, *category)
    });
    let of = |labels: Vec<Label>| Settings { labels: Some(labels), ..Settings::default() };
    let currency = Settings { currency: Some("USD".to_owned()), decimals: Some(2), ..Settings::default() };
    let minutes = Settings { unit: Some("min".to_owned()), decimals: Some(0), ..Settings::default() };
    let plain = Settings::default;
    let all = [
        ("Engine", ColumnType::Dropdown, of(labels(&mut sessions.iter().map(|one| &*one.engine)))),
        ("Model", ColumnType::Dropdown, of(labels(&mut sessions.iter().map(|one| &*one.model)))),
        ("State", ColumnType::Status, of(states.collect())),
        ("Cost", ColumnType::Number, currency),
        ("Turns", ColumnType::Number, plain()),
        ("Run time", ColumnType::Number, minutes),
        ("Started", ColumnType::Date, plain()),
        ("Ended", ColumnType::Date, plain()),
        ("Week", ColumnType::Timeline, plain()),
    ];
    let column = |(at, (title, kind, settings)): (usize, (&str, ColumnType, Settings))| {
        Ok(Column {
            id: format!("c{}", at + 1),
            title: title.to_owned(),
            type_name: kind.name().to_owned(),
            settings_json: serde_json::to_string(&settings).map_err(board::damaged)?,
            kind: Some(kind),
            settings,
        })
    };
    all.into_iter().enumerate().map(column).collect()
}

impl Table {
    fn record(&self) -> BoardRecord {
        BoardRecord {
            id: AGENT_SESSIONS.to_owned(),
            workspace_id: String::new(),
            name: NAME.to_owned(),
            // Another one whenever something changed: it counts nothing.
            revision: self.sessions.changed_ms,
            item_count: self.sessions.all.len() as i64,
            subitem_count: 0,
            created_at: rfc3339(self.sessions.all.iter().map(|session| session.created_ms).min().unwrap_or_default()),
            updated_at: rfc3339(self.sessions.changed_ms),
        }
    }
    fn view(&self) -> Result<BoardView> {
        let columns = self.columns.iter().map(Column::record).collect::<Result<_>>()?;
        Ok(BoardView { board: self.record(), groups: groups(), columns, views: Vec::new() })
    }
}

fn groups() -> Vec<GroupRecord> {
    vec![GroupRecord { id: GROUP.to_owned(), name: NAME.to_owned(), color: "#8a94a6".to_owned() }]
}

/// The board without its rows.
pub(crate) async fn view(ctx: &Ctx, caller: &Caller) -> Result<BoardView> {
    read(ctx, &caller.account, &caller.sessions_seen()).await?.view()
}

/// The whole board, ready to send.
pub(crate) async fn ready(ctx: &Ctx, account: &str, seen: &SessionsSeen, form: Form) -> Result<Ready> {
    let table = read(ctx, account, seen).await?;
    let head = Head {
        board: table.record(),
        groups: groups(),
        columns: table.columns.iter().map(Column::record).collect::<Result<_>>()?,
        members: Vec::new(),
        linked: Vec::new(),
        linked_at: Default::default(),
    };
    let mut hasher = DefaultHasher::new();
    (form, &table.items).hash(&mut hasher);
    table.columns.iter().for_each(|column| column.settings_json.hash(&mut hasher));
    let etag = format!("\"{}-{:016x}\"", table.sessions.changed_ms, hasher.finish()).into();
    let parts = Image::of_records(form, &table.columns, &table.items)?.parts(&head)?;
    Ok(Ready::unkept(table.sessions.changed_ms, table.sessions.changed_ms, etag, parts))
}
