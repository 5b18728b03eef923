//! Which pages of somebody else's may be shown on dashboards, and the page of our own that each is framed by.
//!
//! Invariants: only the person at the page allows an address, never a config, a script or a session; what is allowed is the
//! whole address and holds on this computer alone: a restored backup allows nothing. The page that frames it stands at an
//! address that cannot be guessed, may load that one origin and nothing else, runs no script and knows no token.
//! What addresses there may be is the widget engine's to say.

use crate::errors::TOO_MANY_APPS;
use crate::publish::{content_hash, escaped};
use events::{Bus, Event, HasEvents};
use kit::fault;
use kit::ids::secret;
use kit::text::CURSOR;
use kit::{Call, CallerSet, CreatedPart, Ctx, Done, Method, Op, Page, Part, Result, invalid, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, RwLock};
use store::{Change, HasDb, Tx, params};
use widgets::widgets::apps::{ADDRESS_BYTES_MAX, app};

/// Maximum allowed addresses of an account.
const APPS_MAX: i64 = 100;
/// Characters of the unguessable part: 128 random bits.
const ID_CHARS: usize = 32;

/// A page of ours that frames somebody else's.
pub struct FramePage {
    /// HTML with the frame in it.
    pub html: String,
    /// Tells it from what another version of the program made of the same address: a browser shows none that it kept of that.
    pub tag: String,
    /// What may be loaded into the frame.
    pub origin: String,
    /// Its style sheet's hash, as policies name it.
    pub style: String,
}

/// The allowed addresses in memory, by their unguessable part.
#[derive(Default)]
pub struct Apps(RwLock<HashMap<String, String>>);

impl Apps {
    /// The page that frames an allowed address.
    pub fn page(&self, id: &str) -> Option<FramePage> {
        let address = self.0.read().expect("no panic while held").get(id)?.clone();
        let app = app(&address).ok()?;
        let html = html(&app.address, &app.origin);
        Some(FramePage { tag: content_hash(&html), html, origin: app.origin, style: STYLE_HASH.clone() })
    }
}

const STYLE: &str = "html,body,iframe{display:block;width:100%;height:100%;margin:0;border:0}";
static STYLE_HASH: LazyLock<String> = LazyLock::new(|| content_hash(STYLE));

/// `credentialless` withholds cookies in browsers that support it. The sandbox gives the page its own origin, and
/// prevents new windows and navigation. `allow` denies the camera, location, and so on.
fn html(address: &str, origin: &str) -> String {
    let (address, origin) = (escaped(address), escaped(origin));
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
         <title>{origin}</title><style>{STYLE}</style></head><body><iframe src=\"{address}\" title=\"{origin}\" \
         sandbox=\"allow-scripts allow-forms\" allow=\"\" referrerpolicy=\"no-referrer\" credentialless></iframe></body></html>\n"
    )
}

/// Loads the allowed addresses.
pub(crate) async fn start(ctx: &Ctx) -> Result<()> {
    let read = |tx: &mut Tx<'_>| {
        let copy = tx.copy()?;
        let all = "SELECT app_id, address FROM dashboard_apps WHERE account_id <> '' AND made_in = $1";
        tx.query(all, params![copy], |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)))
    };
    let all = ctx.db().read(read).await?;
    ctx.provide(Arc::new(Apps(RwLock::new(all.into_iter().collect()))));
    Ok(())
}

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "dashboards.apps.list",
            Method::Get,
            "/dashboards/apps",
            CallerSet::OWNER,
            "List the addresses of pages that App widgets can show on this computer.",
            list,
        )
        .columns(&["address", "allowedAt", "id"]),
        Op::new(
            "dashboards.apps.allow",
            Method::Post,
            "/dashboards/apps",
            CallerSet::OWNER,
            "Let App widgets show an address's pages on this computer. Only you can, on the page.",
            allow,
        )
        .example(r#"{"address": "https://apps.example/"}"#)
        .errors([&TOO_MANY_APPS]),
        Op::new(
            "dashboards.apps.forbid",
            Method::Delete,
            "/dashboards/apps/{appId}",
            CallerSet::OWNER,
            "Disallow an address.",
            forbid,
        )
        .example(r#"{"appId": "{appId}"}"#),
    ]
}

/// An allowed address.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AllowedApp {
    id: String,
    /// The address as the widget engine normalizes it.
    address: String,
    /// Path, below `/app/`, of the page that frames it.
    frame: String,
    /// RFC 3339 in UTC.
    allowed_at: String,
}

fn allowed(id: String, address: String, allowed_ms: i64) -> AllowedApp {
    AllowedApp { frame: frame_path(&id), id, address, allowed_at: rfc3339(allowed_ms) }
}

/// Path of framing pages, below `/app/`.
const FRAMES: &str = "apps/";
const ENDING: &str = ".html";

fn frame_path(id: &str) -> String {
    format!("{FRAMES}{id}{ENDING}")
}

/// What stands at a path below `/app/`, where it is that of a page that frames another.
pub fn framed_by(path: &str) -> Option<&str> {
    path.strip_prefix(FRAMES)?.strip_suffix(ENDING)
}

/// A page of the list.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct List {
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: the whole list.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<AllowedApp>> {
    let read = move |tx: &mut Tx<'_>| {
        let copy = tx.copy()?;
        let all = "SELECT app_id, address, allowed_ms FROM dashboard_apps WHERE account_id = $1 AND made_in = $2 \
             ORDER BY address, app_id";
        let all =
            tx.query(all, params![call.account(), copy], |row| Ok(allowed(row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Part { cursor: input.cursor, limit: input.limit }.page(all, |one| one.id.as_str().into())
    };
    ctx.db().read(read).await
}

/// An address to allow.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Allow {
    /// Full address: https, or http on this computer.
    #[schemars(length(min = 1, max = ADDRESS_BYTES_MAX))]
    address: String,
}

async fn allow(ctx: Ctx, call: Call, input: Allow) -> Result<CreatedPart<AllowedApp>> {
    let app = app(&input.address)
        .map_err(|why| invalid("/address", fault::WRONG_FORMAT, format!("Invalid address: {why}.")))?;
    let (now_ms, bus, apps) = (ctx.now_ms(), ctx.events(), ctx.service::<Apps>());
    let write = move |tx: &mut Tx<'_>| {
        let (account, copy) = (call.account(), tx.copy()?);
        let before = "SELECT app_id, address, allowed_ms FROM dashboard_apps \
             WHERE account_id = $1 AND address = $2 AND made_in = $3";
        let read = |row: &dyn store::Row| Ok(allowed(row.get(0)?, row.get(1)?, row.get(2)?));
        if let Some(known) = tx.query_opt(before, params![account, &app.address, copy], read)? {
            return Ok(known);
        }
        // Addresses from a restored backup aren't allowed and don't count.
        tx.execute("DELETE FROM dashboard_apps WHERE account_id = $1 AND made_in <> $2", params![account, copy])?;
        let count = "SELECT count(*) FROM dashboard_apps WHERE account_id = $1";
        if tx.query_one(count, params![account], |row| row.get::<i64>(0))? >= APPS_MAX {
            return Err(TOO_MANY_APPS.error(format!("The limit is {APPS_MAX} addresses. Disallow one first.")));
        }
        let id = secret()[..ID_CHARS].to_owned();
        tx.execute(
            "INSERT INTO dashboard_apps (account_id, app_id, address, allowed_ms, made_in) VALUES ($1, $2, $3, $4, $5)",
            params![account, &id, &app.address, now_ms, copy],
        )?;
        record(tx, &call, now_ms, &app.origin, true)?;
        let (held, kept, account) = (id.clone(), app.address.clone(), account.to_owned());
        tx.after_commit(move || {
            apps.0.write().expect("no panic while held").insert(held, kept);
            announce(&bus, &account);
        });
        Ok(allowed(id, app.address.clone(), now_ms))
    };
    ctx.db().write(write).await.map(CreatedPart)
}

/// Identifies an address.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Which {
    app_id: String,
}

async fn forbid(ctx: Ctx, call: Call, input: Which) -> Result<Done> {
    let (now_ms, bus, apps) = (ctx.now_ms(), ctx.events(), ctx.service::<Apps>());
    let write = move |tx: &mut Tx<'_>| {
        let (account, id) = (call.account(), &input.app_id);
        let one = "SELECT address FROM dashboard_apps WHERE account_id = $1 AND app_id = $2";
        let address: String = tx.query_one(one, params![account, id], |row| row.get(0))?;
        tx.execute("DELETE FROM dashboard_apps WHERE account_id = $1 AND app_id = $2", params![account, id])?;
        record(tx, &call, now_ms, &app(&address).map(|app| app.origin).unwrap_or_default(), false)?;
        let (held, account) = (id.clone(), account.to_owned());
        tx.after_commit(move || {
            apps.0.write().expect("no panic while held").remove(&held);
            announce(&bus, &account);
        });
        Ok(Done)
    };
    ctx.db().write(write).await
}

/// Other windows show or hide the page too. Members can't read the list.
fn announce(bus: &Bus, account: &str) {
    bus.emit_among(Some(account), Some(Arc::new([])), Event::DashboardAppsChanged);
}

/// Only the origin is recorded, because the rest of an address may be secret.
fn record(tx: &mut Tx<'_>, call: &Call, now_ms: i64, origin: &str, is_allowed: bool) -> Result<()> {
    let (was, is) = (json!({"allowed": !is_allowed}), json!({"allowed": is_allowed}));
    let change =
        Change { subject: "dashboardApp", subject_id: origin, field: "", before: Some(&was), after: Some(&is) };
    tx.record(&call.caller, now_ms, change).map(drop)
}
