//! Publish to web: computed results of a dashboard at an address that cannot be guessed, until it is revoked or expires.
//!
//! Invariants: what leaves is the document that [`document::document`] makes, and is stored as such; the published page is made
//! from that alone and reads no board. Only a person publishes: no session has a scope for it. What was revoked or has
//! expired is gone with the next request. What a restored backup says to be published is not: it may have been revoked, or
//! replaced by less, since the backup was made.
//!
//! The address is kept as it is, unlike a token, of which only a hash is: it is shown again whenever the dialog opens, and
//! whoever can read the file reads beside it all that it leads to. It stands in no record of changes.

mod document;
mod filters;
mod html;
mod looks;
mod svg;
mod words;

pub(crate) use html::{content_hash, escaped};
pub use looks::looks_ts;
pub use words::titles_ts;

use crate::access::Need;
use crate::record::{self, Dashboard, Id, announce_event};
use crate::show::{Ready, Viewpoint};
use crate::{config, errors};
use bytes::Bytes;
use document::{Computed, Document, Holds, LeftOut, Made, Named};
use events::{Bus, Event, HasEvents};
use filters::{Known, Labels, labeled};
use futures_core::future::BoxFuture;
use kit::clock::DAY_MS;
use kit::fault;
use kit::ids::secret;
use kit::lookup::Members;
use kit::{Call, Caller, CallerSet, Ctx, Done, Method, Op, Result, invalid, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, RwLock};
use store::{Change, HasDb, Row, Tx, params};
use tokio::sync::Notify;
use widgets::widgets::WidgetAnswer;
use widgets::{Engine, Query};

/// Maximum published dashboards of an account, whose pages are in memory. Expired ones don't count.
const PUBLICATIONS_MAX: i64 = 100;
/// Characters of an address: 128 random bits.
const ADDRESS_CHARS: usize = 32;
/// Maximum days until a publication expires.
const DAYS_MAX: i64 = 3_650;
/// How long an expired publication stays stored.
const EXPIRED_KEPT_MS: i64 = 30 * DAY_MS;
/// Maximum bytes of a document.
const DOCUMENT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Where published pages are served; provided by the app.
pub struct PublicDoor(pub Box<dyn OpensPublicDoor>);

/// Opens the door to published pages.
pub trait OpensPublicDoor: Send + Sync {
    /// Starts listening, if needed. Returns the base URL of pages, or why the port can't be opened.
    fn open(&self) -> BoxFuture<'static, Result<String, String>>;
}

/// A published page in memory.
#[derive(Clone)]
pub struct PublishedPage {
    /// HTML that needs nothing else.
    pub html: Bytes,
    /// Its style sheet's hash, as policies name it.
    pub style: String,
}

/// All published pages in memory, by the hash of their address, so that lookups reveal nothing about others.
#[derive(Default)]
pub struct Publications {
    pages: RwLock<HashMap<[u8; 32], Live>>,
    changed: Arc<Notify>,
}

struct Live {
    account: String,
    dashboard: String,
    html: Bytes,
    expires_ms: Option<i64>,
}

impl Live {
    fn is_in_force(&self, now_ms: i64) -> bool {
        self.expires_ms.is_none_or(|end| now_ms < end)
    }
}

impl Publications {
    /// The page at an address, where it is to be seen at this time.
    pub fn page(&self, address: &str, now_ms: i64) -> Option<PublishedPage> {
        let pages = self.pages.read().expect("no panic while held");
        let live = pages.get(&hash(address)).filter(|live| live.is_in_force(now_ms))?;
        Some(PublishedPage { html: live.html.clone(), style: html::STYLE_HASH.clone() })
    }
    /// Whether anything is to be seen at this time, and when the first of it expires.
    pub fn in_force(&self, now_ms: i64) -> (bool, Option<i64>) {
        let pages = self.pages.read().expect("no panic while held");
        let live = || pages.values().filter(|live| live.is_in_force(now_ms));
        (live().next().is_some(), live().filter_map(|live| live.expires_ms).min())
    }
    /// Ends the publications that have expired, permanently: the clock may be set back later.
    pub async fn end_expired(&self, ctx: &Ctx) -> Result<()> {
        let now_ms = ctx.now_ms();
        let has_expired = {
            let mut pages = self.pages.write().expect("no panic while held");
            let before = pages.len();
            pages.retain(|_, live| live.is_in_force(now_ms));
            pages.len() < before
        };
        if has_expired { ctx.db().write(move |tx| end_expired(tx, now_ms)).await } else { Ok(()) }
    }
    /// Is notified when something came or went.
    pub fn changed(&self) -> Arc<Notify> {
        self.changed.clone()
    }

    fn put(&self, address: [u8; 32], live: Live) {
        let mut pages = self.pages.write().expect("no panic while held");
        pages.retain(|_, other| (&other.account, &other.dashboard) != (&live.account, &live.dashboard));
        pages.insert(address, live);
        self.changed.notify_one();
    }
    fn remove(&self, account: &str, dashboard: &str) {
        let mut pages = self.pages.write().expect("no panic while held");
        pages.retain(|_, live| live.account != account || live.dashboard != dashboard);
        self.changed.notify_one();
    }
}

fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// Loads the published pages one at a time, because each can be large.
pub(crate) async fn start(ctx: &Ctx) -> Result<()> {
    let (publications, now_ms) = (Arc::new(Publications::default()), ctx.now_ms());
    let mut has_expired = false;
    let keys = "SELECT account_id, dashboard_id FROM dashboard_publications WHERE dashboard_id <> ''";
    let read = |tx: &mut Tx<'_>| tx.query(keys, params![], |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)));
    for (account, dashboard) in ctx.db().read(read).await? {
        let of = account.clone();
        match ctx.db().read(move |tx| read_stored(tx, &of, &dashboard)).await {
            Ok(Some(stored)) if stored.was_restored => {
                tracing::warn!(dashboard = stored.dashboard_id, "unpublished when the backup was restored");
            }
            Ok(Some(stored)) if stored.is_in_force(now_ms) => {
                let html = html::page(&stored.document, Some(stored.published_ms)).into();
                publications.put(hash(&stored.address), stored.live(&account, html));
            }
            Ok(Some(stored)) => has_expired |= !stored.has_ended,
            Ok(None) => {}
            // Only this page is missing then.
            Err(error) => tracing::warn!(error = ?error, "couldn't read a published dashboard"),
        }
    }
    // Starting works even if the database is read-only.
    if has_expired && let Err(error) = ctx.db().write(move |tx| end_expired(tx, now_ms)).await {
        tracing::warn!(error = ?error, "expired publications couldn't be marked as ended");
    }
    ctx.provide(publications);
    Ok(())
}

fn end_expired(tx: &mut Tx<'_>, now_ms: i64) -> Result<()> {
    let end = "UPDATE dashboard_publications SET has_ended = 1 \
         WHERE dashboard_id <> '' AND has_ended = 0 AND expires_ms <= $1";
    tx.execute(end, params![now_ms]).map(drop)
}

/// Removes publications that ended long ago. One from a restored backup ends when first loaded.
pub(crate) fn forget_expired(tx: &mut Tx<'_>, now_ms: i64) -> Result<()> {
    end_expired(tx, now_ms)?;
    let copy = tx.copy()?;
    let end = "UPDATE dashboard_publications SET expires_ms = $1 \
         WHERE dashboard_id <> '' AND made_in <> $2 AND (expires_ms IS NULL OR expires_ms > $1)";
    tx.execute(end, params![now_ms, copy])?;
    let forget = "DELETE FROM dashboard_publications WHERE dashboard_id <> '' AND expires_ms <= $1";
    tx.execute(forget, params![now_ms - EXPIRED_KEPT_MS]).map(drop)
}

pub(crate) fn ops() -> Vec<Op> {
    const PATH: &str = "/dashboards/{dashboardId}/publication";
    vec![
        Op::new(
            "dashboards.publication.get",
            Method::Get,
            PATH,
            CallerSet::PERSON,
            "Show a dashboard's publication status, URL, and expiry.",
            get,
        )
        .example(r#"{"dashboardId": "{dashboardId}"}"#)
        .columns(&["published", "address", "publishedAt", "expiresAt", "names", "texts"]),
        Op::new(
            "dashboards.publication.preview",
            Method::Get,
            "/dashboards/{dashboardId}/publication/preview",
            CallerSet::PERSON,
            "Preview the exact content of the page. Nothing is published.",
            preview,
        )
        .example(r#"{"dashboardId": "{dashboardId}"}"#)
        .errors([&errors::TOO_MUCH, &errors::TOO_SLOW, &errors::SNAPSHOTS_UNREADABLE]),
        Op::new(
            "dashboards.publication.publish",
            Method::Post,
            PATH,
            CallerSet::PERSON,
            "Publish the current results of a dashboard at an unlisted URL, which stays the same. Only you \
             and your scripts can publish.",
            publish,
        )
        .example(r#"{"dashboardId": "{dashboardId}"}"#)
        .errors([
            &errors::PREVIEW_STALE,
            &errors::PUBLIC_DOOR_SHUT,
            &errors::PUBLICATION_TOO_LARGE,
            &errors::TOO_MANY_PUBLICATIONS,
            &errors::TOO_MUCH,
            &errors::TOO_SLOW,
            &errors::SNAPSHOTS_UNREADABLE,
        ]),
        Op::new(
            "dashboards.publication.revoke",
            Method::Delete,
            PATH,
            CallerSet::PERSON,
            "Unpublish a dashboard. Its URL never works again.",
            revoke,
        )
        .example(r#"{"dashboardId": "{dashboardId}"}"#),
    ]
}

/// A stored publication.
struct Stored {
    dashboard_id: String,
    address: String,
    document: Document,
    digest: String,
    named: Named,
    published_ms: i64,
    expires_ms: Option<i64>,
    /// Whether it came from a restored backup and is therefore unpublished.
    was_restored: bool,
    /// Whether its expiry was recorded.
    has_ended: bool,
}

impl Stored {
    fn is_in_force(&self, now_ms: i64) -> bool {
        !self.was_restored && !self.has_ended && self.expires_ms.is_none_or(|end| now_ms < end)
    }
    fn live(&self, account: &str, html: Bytes) -> Live {
        let (account, dashboard) = (account.to_owned(), self.dashboard_id.clone());
        Live { account, dashboard, html, expires_ms: self.expires_ms }
    }
}

const READ: &str = "SELECT dashboard_id, address, document_json, digest, names, texts, published_ms, expires_ms, made_in, has_ended FROM dashboard_publications";

fn stored(row: &dyn Row, copy: i64) -> Result<Stored> {
    let unreadable = |e| kit::error::INTERNAL.error("Couldn't read a published document.").caused_by(e);
    Ok(Stored {
        dashboard_id: row.get(0)?,
        address: row.get(1)?,
        document: serde_json::from_str(row.get(2)?).map_err(unreadable)?,
        digest: row.get(3)?,
        named: Named { names: row.get::<i64>(4)? != 0, texts: row.get::<i64>(5)? != 0 },
        published_ms: row.get(6)?,
        expires_ms: row.get(7)?,
        was_restored: row.get::<i64>(8)? != copy,
        has_ended: row.get::<i64>(9)? != 0,
    })
}

fn read_stored(tx: &mut Tx<'_>, account: &str, dashboard: &str) -> Result<Option<Stored>> {
    let sql = format!("{READ} WHERE account_id = $1 AND dashboard_id = $2");
    let copy = tx.copy()?;
    tx.query_opt(&sql, params![account, dashboard], |row| stored(row, copy))
}

/// A dashboard's publication.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Publication {
    /// Whether the page can be viewed now.
    published: bool,
    /// URL; null if it isn't published or the port can't be opened.
    address: Option<String>,
    /// Reason why the port can't be opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// RFC 3339 in UTC. Stored for 30 days after it expires.
    published_at: Option<String>,
    /// RFC 3339 in UTC; null if it doesn't expire.
    expires_at: Option<String>,
    /// Whether it shows people's names.
    names: bool,
    /// Whether it shows item names and cell text. Pages published by older versions can have them even if this is
    /// false.
    texts: bool,
    /// Whether it was unpublished because the database was restored from a backup, which may be older than a
    /// revocation. Publishing again creates a new URL.
    restored: bool,
    /// Digest of the published results. Equals `digest` of a preview if nothing has changed since then.
    digest: Option<String>,
}

async fn origin(ctx: &Ctx) -> Result<String, String> {
    match ctx.find_service::<PublicDoor>() {
        Some(door) => door.0.open().await,
        None => Err("Pilothouse isn't running.".into()),
    }
}

async fn publication(ctx: &Ctx, stored: Option<Stored>) -> Publication {
    let Some(stored) = stored else { return Publication::default() };
    let published = stored.is_in_force(ctx.now_ms());
    let (address, problem) = match published {
        false => (None, None),
        true => match origin(ctx).await {
            Ok(origin) => (Some(format!("{origin}{}", stored.address)), None),
            Err(why) => (None, Some(why)),
        },
    };
    Publication {
        published,
        address,
        problem,
        published_at: Some(rfc3339(stored.published_ms)),
        expires_at: stored.expires_ms.map(rfc3339),
        names: stored.named.names,
        texts: stored.named.texts,
        restored: stored.was_restored,
        digest: Some(stored.digest),
    }
}

async fn get(ctx: Ctx, call: Call, input: Id) -> Result<Publication> {
    let read = move |tx: &mut Tx<'_>| {
        record::read(tx, &call.caller, &input.dashboard_id, Need::Read)?;
        read_stored(tx, call.account(), &input.dashboard_id)
    };
    let stored = ctx.db().read(read).await?;
    Ok(publication(&ctx, stored).await)
}

/// Options of a preview.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PreviewInput {
    dashboard_id: String,
    /// Show people's names. Otherwise they are Person 1, Person 2, and so on.
    #[serde(default)]
    names: bool,
    /// Show item names and the cell text that charts compare by. Otherwise they are Item 1, Text 1, and so on.
    #[serde(default)]
    texts: bool,
}

/// Preview of a publication.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PublicationPreview {
    /// Everything that would be published.
    document: Document,
    /// Identifies the results. Send it to publish them.
    digest: String,
    /// Number of missing connected boards. Nothing of them is published.
    boards_missing: usize,
    /// Widgets that aren't published.
    left_out: Vec<LeftOut>,
    /// Kinds of board data in the document besides numbers. Includes `people-names`, `item-names`, and `cell-texts`
    /// even while they're hidden.
    holds: BTreeSet<Holds>,
    /// The page that would be published.
    html: String,
}

async fn preview(ctx: Ctx, call: Call, input: PreviewInput) -> Result<PublicationPreview> {
    let (caller, id) = (call.caller.clone(), input.dashboard_id);
    let dashboard = ctx.db().read(move |tx| record::read(tx, &caller, &id, Need::Write)).await?;
    let named = Named { names: input.names, texts: input.texts };
    let Made { document, left_out, holds } = made(&ctx, &call.caller, &dashboard, named).await?;
    let html = html::page(&document, None);
    let boards_missing = document.boards_missing;
    Ok(PublicationPreview { digest: digest(&document)?, document, boards_missing, left_out, holds, html })
}

/// Options of a publication.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Publish {
    dashboard_id: String,
    /// Show people's names. Otherwise they are Person 1, Person 2, and so on.
    #[serde(default)]
    names: bool,
    /// Show item names and the cell text that charts compare by. Otherwise they are Item 1, Text 1, and so on.
    #[serde(default)]
    texts: bool,
    /// Days until the page is unpublished automatically, up to 3,650; 0 for never. Default: the previous end, or never.
    #[schemars(range(min = 0, max = DAYS_MAX))]
    expires_in_days: Option<i64>,
    /// `digest` of the preview that you checked. If the results have changed since then, nothing is published.
    #[schemars(length(max = 64))]
    digest: Option<String>,
}

/// What was published, and what wasn't.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Published {
    #[serde(flatten)]
    publication: Publication,
    /// Widgets that aren't published.
    left_out: Vec<LeftOut>,
}

async fn publish(ctx: Ctx, call: Call, input: Publish) -> Result<Published> {
    let days = match input.expires_in_days {
        Some(days) if !(0..=DAYS_MAX).contains(&days) => {
            return Err(invalid("/expiresInDays", fault::OUT_OF_RANGE, format!("Use 0 to {DAYS_MAX}.")));
        }
        days => days,
    };
    let (caller, id) = (call.caller.clone(), input.dashboard_id);
    let dashboard = ctx.db().read(move |tx| record::read(tx, &caller, &id, Need::Write)).await?;
    let named = Named { names: input.names, texts: input.texts };
    let Made { document, left_out, .. } = made(&ctx, &call.caller, &dashboard, named).await?;
    let digest = digest(&document)?;
    if input.digest.is_some_and(|seen| seen != digest) {
        return Err(errors::PREVIEW_STALE.error("Nothing was published. Preview again, then publish."));
    }
    origin(&ctx).await.map_err(|why| errors::PUBLIC_DOOR_SHUT.error(why))?;
    let (now_ms, publications) = (ctx.now_ms(), ctx.service::<Publications>());
    let changed = publications.changed();
    let of = Stored {
        dashboard_id: dashboard.id,
        address: String::new(),
        document,
        digest,
        named,
        published_ms: now_ms,
        expires_ms: days.filter(|days| *days > 0).map(|days| now_ms + days * DAY_MS),
        was_restored: false,
        has_ended: false,
    };
    let keeps_end = days.is_none();
    // The page is large, so it's created outside the write.
    let html = Bytes::from(html::page(&of.document, Some(now_ms)));
    let bus = ctx.events();
    let write = move |tx: &mut Tx<'_>| {
        let of = write(tx, &call, publications, of, html, keeps_end)?;
        announce(tx, &bus, call.account(), &of.dashboard_id)?;
        Ok(of)
    };
    let written = ctx.db().write(write).await;
    // If nothing was written, the opened port closes again.
    changed.notify_one();
    Ok(Published { publication: publication(&ctx, Some(written?)).await, left_out })
}

fn write(
    tx: &mut Tx<'_>,
    call: &Call,
    publications: Arc<Publications>,
    mut of: Stored,
    html: Bytes,
    keeps_end: bool,
) -> Result<Stored> {
    let (account, now_ms) = (call.account(), of.published_ms);
    // It could have been deleted since then.
    record::read(tx, &call.caller, &of.dashboard_id, Need::Write)?;
    let before = read_stored(tx, account, &of.dashboard_id)?;
    if before.is_none() {
        let count = "SELECT count(*) FROM dashboard_publications WHERE account_id = $1";
        let mut left = PUBLICATIONS_MAX - tx.query_one(count, params![account], |row| row.get::<i64>(0))?;
        if left <= 0 {
            let past = "DELETE FROM dashboard_publications WHERE account_id = $1 AND (has_ended = 1 OR expires_ms <= $2 OR made_in <> $3)";
            let copy = tx.copy()?;
            left += tx.execute(past, params![account, now_ms, copy])? as i64;
        }
        if left <= 0 {
            let detail = format!("The limit is {PUBLICATIONS_MAX} published dashboards. Unpublish one.");
            return Err(errors::TOO_MANY_PUBLICATIONS.error(detail));
        }
    }
    // An unpublished page's address isn't reused.
    match before.as_ref().filter(|old| old.is_in_force(now_ms)) {
        Some(old) => {
            of.address = old.address.clone();
            of.expires_ms = if keeps_end { old.expires_ms } else { of.expires_ms };
        }
        None => of.address = secret()[..ADDRESS_CHARS].to_owned(),
    }
    tx.execute(
        "DELETE FROM dashboard_publications WHERE account_id = $1 AND dashboard_id = $2",
        params![account, &of.dashboard_id],
    )?;
    let copy = tx.copy()?;
    tx.execute(
        "INSERT INTO dashboard_publications (account_id, dashboard_id, address, document_json, digest, names, texts, published_ms, expires_ms, made_in) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        params![
            account,
            &of.dashboard_id,
            &of.address,
            json!(of.document).to_string(),
            &of.digest,
            i64::from(of.named.names),
            i64::from(of.named.texts),
            of.published_ms,
            of.expires_ms,
            copy
        ],
    )?;
    let after = recorded(&of);
    record(tx, call, now_ms, &of.dashboard_id, before.as_ref().map(recorded).as_ref(), Some(&after))?;
    let (address, live) = (hash(&of.address), of.live(account, html));
    tx.after_commit(move || publications.put(address, live));
    Ok(of)
}

/// A publication in the change log, without its secret address.
fn recorded(of: &Stored) -> Value {
    let Named { names, texts } = of.named;
    json!({"publishedAt": rfc3339(of.published_ms), "expiresAt": of.expires_ms.map(rfc3339), "names": names, "texts": texts, "digest": of.digest})
}

fn record(
    tx: &mut Tx<'_>,
    call: &Call,
    now_ms: i64,
    id: &str,
    before: Option<&Value>,
    after: Option<&Value>,
) -> Result<()> {
    let change = Change { subject: "dashboard", subject_id: id, field: "publication", before, after };
    tx.record(&call.caller, now_ms, change).map(drop)
}

fn announce(tx: &mut Tx<'_>, bus: &Arc<Bus>, account: &str, id: &str) -> Result<()> {
    announce_event(tx, bus, account, id, Event::DashboardPublicationChanged { dashboard_id: id.to_owned() })
}

async fn revoke(ctx: Ctx, call: Call, input: Id) -> Result<Done> {
    let (now_ms, bus, publications) = (ctx.now_ms(), ctx.events(), ctx.service::<Publications>());
    ctx.db()
        .write(move |tx| {
            record::read(tx, &call.caller, &input.dashboard_id, Need::Write)?;
            withdraw(tx, &call, &bus, publications, now_ms, &input.dashboard_id)?;
            Ok(Done)
        })
        .await
}

/// Unpublishes a dashboard, if it's published.
pub(crate) fn withdraw(
    tx: &mut Tx<'_>,
    call: &Call,
    bus: &Arc<Bus>,
    publications: Arc<Publications>,
    now_ms: i64,
    id: &str,
) -> Result<()> {
    let account = call.account();
    let Some(before) = read_stored(tx, account, id)? else { return Ok(()) };
    tx.execute("DELETE FROM dashboard_publications WHERE account_id = $1 AND dashboard_id = $2", params![account, id])?;
    record(tx, call, now_ms, id, Some(&recorded(&before)), None)?;
    announce(tx, bus, account, id)?;
    let (account, id) = (account.to_owned(), id.to_owned());
    tx.after_commit(move || publications.remove(&account, &id));
    Ok(())
}

/// The digest of a document.
fn digest(document: &Document) -> Result<String> {
    let text = json!(document).to_string();
    if text.len() > DOCUMENT_BYTES_MAX {
        let detail = format!("The results have {} bytes. The limit is {DOCUMENT_BYTES_MAX}.", text.len());
        return Err(errors::PUBLICATION_TOO_LARGE.error(detail));
    }
    Ok(kit::ids::hex(&hash(&text)))
}

/// The types and the titles of columns, by board and column.
type Columns = HashMap<(String, String), (String, String)>;

/// Adds the columns of a widget's roles.
fn columns(engine: &Engine, query: &Query, config: &Value, known: &mut Columns) {
    // An unreadable configuration has no result either.
    for (board, ids) in engine.auto_map(&query.boards, config).unwrap_or_default().values().flatten() {
        for id in ids {
            if let Some((type_name, title)) = engine.column(board, id) {
                known.insert((board.clone(), id.clone()), (type_name.to_owned(), title.to_owned()));
            }
        }
    }
}

/// Names of the account's members by their ids.
async fn names(ctx: &Ctx, account: &str) -> Result<HashMap<String, String>> {
    let Some(members) = ctx.find_service::<Members>() else { return Ok(HashMap::new()) };
    Ok(members.0.all(account).await?.into_iter().map(|(id, name, _)| (id, name)).collect())
}

/// Computes the widgets and creates the document.
async fn made(ctx: &Ctx, caller: &Caller, dashboard: &Dashboard, named: Named) -> Result<Made> {
    let view = Viewpoint::load(ctx, &Call::new(caller.clone()), None).await?;
    let widgets = config::widgets(&dashboard.config);
    let ready = Ready::read(ctx, &caller.account, Some(&dashboard.id), &dashboard.config, &view, &widgets).await?;
    let asked: Vec<Value> = widgets.iter().map(config::Widget::asked).collect();
    let configs = asked.clone();
    let all_columns = move |engine: &Engine, query: &Query| {
        let mut known = Columns::new();
        asked.iter().for_each(|config| columns(engine, query, config, &mut known));
        // Rules name columns, labels, and groups too.
        let mut labels = Labels::new();
        for board in &query.boards {
            let groups = engine.groups(board).into_iter().flatten();
            labels.extend(groups.map(|(id, name)| ((labeled(None), id), name)));
            for column in engine.columns(board).into_iter().flatten() {
                let of = labeled(Some(&column.title));
                labels.extend(column.labels.into_iter().map(|(id, text)| ((of.clone(), id), text)));
                known.insert((board.clone(), column.id), (column.type_name, column.title));
            }
        }
        (known, labels)
    };
    let missing = ready.missing;
    let members = names(ctx, &caller.account).await?;
    let (answer, (known, labels)) = ready.answer_and(all_columns).await?;
    let boards = config::board_ids_in_order(&dashboard.config);
    let of = |board: &str, id: &str| known.get(&(board.to_owned(), id.to_owned()));
    // Migrated settings are in the engine's result.
    let read = |(asked, answer): (Value, &WidgetAnswer)| match &answer.fixed.settings {
        Some(settings) => {
            let mut config = settings.clone();
            config["kind"] = asked["kind"].clone();
            config
        }
        None => asked,
    };
    let configs: Vec<Value> = configs.into_iter().zip(&answer.widgets).map(read).collect();
    let titled = widgets.iter().zip(&configs).zip(&answer.widgets).map(|((widget, config), answer)| {
        let titles_of = |role: &str| -> Vec<&str> {
            let by_board = |board| answer.fixed.cols.get(role)?.get_key_value(board);
            let columns = boards.iter().filter_map(by_board);
            let columns = columns.flat_map(|(board, ids)| ids.iter().filter_map(move |id| of(board, id)));
            columns.map(|(_, title)| title.as_str()).collect()
        };
        if widget.title.is_empty() { words::title(config, &titles_of) } else { widget.title.clone() }
    });
    let titles: Vec<String> = titled.collect();
    let entries = dashboard.config.get("widgets").and_then(Value::as_array).into_iter().flatten();
    let layouts = entries.filter(|entry| entry.is_object()).map(|entry| &entry["layout"]);
    let parts = titles.iter().zip(&configs).zip(layouts).zip(&answer.widgets);
    let computed = parts.map(|(((title, config), layout), answer)| Computed { title, config, layout, answer });
    let type_of = |board: &str, id: &str| of(board, id).map(|(type_name, _)| type_name.clone());
    let column = |board: &str, id: &str| of(board, id).cloned();
    let known = Known { boards: &boards, members: &members, column: &column, labels: &labels };
    let filters = (dashboard.config.get("filters").unwrap_or(&Value::Null), &known);
    Ok(document::document(&dashboard.name, missing, &computed.collect::<Vec<_>>(), named, filters, &type_of))
}

#[cfg(test)]
mod tests;
