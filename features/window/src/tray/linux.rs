//! The tray icon over D-Bus (StatusNotifierItem).

use super::Tray;
use crate::attached::Attached;
use crate::tray_icon;
use events::{Event, HasEvents};
use kit::lookup::{AllSessions, ControlWindow, FirstAccount, OpenPage, Quit, SessionAnswers};
use kit::{Ctx, Result};
use ksni::menu::{MenuItem, StandardItem, SubMenu};
use ksni::{Category, Icon, Status, ToolTip, TrayMethods};
use std::sync::Arc;
use std::time::Duration;
use store::{HasDb, params};

/// Most requests in the menu.
const REQUESTS_MAX: i64 = 10;
/// Most characters of a request in the menu.
const LABEL_CHARS_MAX: usize = 60;
/// Changes within this time are shown together.
const SETTLE: Duration = Duration::from_millis(100);

/// A request that the menu answers.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Request {
    label: String,
    link: String,
    session_id: Option<String>,
    /// Set if allowing or denying answers it.
    ask_id: Option<String>,
}

/// What the tray shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Glance {
    needs_you: i64,
    requests: Vec<Request>,
    running: usize,
    limited: usize,
}

impl Glance {
    /// One line, such as `2 need you, 3 running`.
    fn summary(&self) -> String {
        let parts = [
            (self.needs_you.max(0) as usize, if self.needs_you == 1 { "needs you" } else { "need you" }),
            (self.running, "running"),
            (self.limited, "waiting for a usage limit"),
        ];
        let shown: Vec<String> =
            parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        if shown.is_empty() { "Nothing needs you".to_owned() } else { shown.join(", ") }
    }
}

pub(super) fn show(ctx: &Ctx) {
    let (Ok(runtime), Some(account)) = (tokio::runtime::Handle::try_current(), ctx.find_service::<FirstAccount>())
    else {
        return;
    };
    let changed =
        ctx.events().waker(|event| matches!(event, Event::InboxRowChanged { .. } | Event::SessionChanged { .. }));
    let ctx = ctx.clone();
    runtime.spawn(async move {
        let account = account.0.clone();
        let glance = read(&ctx, &account).await.unwrap_or_default();
        let item = Item { ctx: ctx.clone(), account: account.clone(), glance };
        // Waits for a tray that starts later.
        let handle = match item.assume_sni_available(true).spawn().await {
            Ok(handle) => handle,
            Err(error) => {
                let problem = format!("The desktop's session bus isn't available: {error}.");
                return ctx.service::<Tray>().set_problem(Some(problem));
            }
        };
        loop {
            changed.notified().await;
            tokio::time::sleep(SETTLE).await;
            match read(&ctx, &account).await {
                Ok(glance) => {
                    handle
                        .update(|item| {
                            item.glance = glance;
                        })
                        .await;
                }
                Err(error) if error.is(&store::PROGRAM_ENDING) => return handle.shutdown().await,
                Err(error) => tracing::warn!(error = ?error, "couldn't update the tray icon"),
            }
        }
    });
}

async fn read(ctx: &Ctx, account: &str) -> Result<Glance> {
    let counts = match ctx.find_service::<AllSessions>() {
        Some(sessions) => sessions.0.counts(account).await?,
        None => Default::default(),
    };
    let of = account.to_owned();
    let (needs_you, requests) = ctx
        .db()
        .read(move |tx| {
            let open = "FROM inbox_rows WHERE account_id = $1 AND settled_ms = 0 AND snoozed_until_ms = 0 AND need > 0";
            let needs_you: i64 = tx.query_one(&format!("SELECT count(*) {open}"), params![&of], |row| row.get(0))?;
            let sql = format!("SELECT title, link, session_id, row_key, kind, row_id {open} ORDER BY place LIMIT $2");
            let requests = tx.query(&sql, params![&of, REQUESTS_MAX], |row| {
                let (title, session_id): (&str, Option<String>) = (row.get(0)?, row.get(2)?);
                let (key, kind): (Option<&str>, &str) = (row.get(3)?, row.get(4)?);
                let is_yes_or_no = kind == "approval" || kind == "plan";
                let ask_id = inbox_rows::ask_in(session_id.as_deref(), key).filter(|_| is_yes_or_no);
                let link: Option<String> = row.get(1)?;
                let row_id: &str = row.get(5)?;
                let link = link.unwrap_or_else(|| format!("/app/inbox?row={row_id}"));
                Ok(Request { label: short(title), link, session_id, ask_id })
            })?;
            Ok((needs_you, requests))
        })
        .await?;
    Ok(Glance { needs_you, requests, running: counts.running, limited: counts.limited })
}

/// A line of a menu. An underscore would underline the next letter.
fn short(title: &str) -> String {
    let one_line = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut label: String = one_line.chars().take(LABEL_CHARS_MAX).collect();
    if label.len() < one_line.len() {
        label.push('…');
    }
    label.replace('_', "__")
}

/// The icon with its menu.
struct Item {
    ctx: Ctx,
    account: Arc<str>,
    glance: Glance,
}

impl Item {
    /// Shows a page in the window, or else in the browser.
    fn open(&self, page: &str) {
        let window = self.ctx.service::<Attached>();
        if !window.raise(&self.account, Some(page))
            && let Some(open) = self.ctx.find_service::<OpenPage>()
        {
            (open.0)(page);
        }
    }

    fn answer(&self, request: &Request, allow: bool) {
        let (Some(session), Some(ask)) = (request.session_id.clone(), request.ask_id.clone()) else { return };
        let (ctx, account) = (self.ctx.clone(), self.account.clone());
        tokio::spawn(async move {
            let answers = ctx.service::<SessionAnswers>();
            if let Err(error) = answers.0.answer(&account, &session, &ask, allow).await {
                tracing::info!(error = ?error, "a request was answered before");
            }
        });
    }

    fn cancel_all(&self) {
        let (ctx, account) = (self.ctx.clone(), self.account.clone());
        tokio::spawn(async move {
            if let Err(error) = ctx.service::<AllSessions>().0.cancel_all(&account).await {
                tracing::warn!(error = ?error, "couldn't cancel the turns of all sessions");
            }
        });
    }
}

fn item(label: &str, activate: impl Fn(&mut Item) + Send + 'static) -> MenuItem<Item> {
    StandardItem { label: label.to_owned(), activate: Box::new(activate), ..Default::default() }.into()
}

impl ksni::Tray for Item {
    fn id(&self) -> String {
        "pilothouse".into()
    }
    fn title(&self) -> String {
        "Pilothouse".into()
    }
    fn category(&self) -> Category {
        Category::ApplicationStatus
    }
    fn status(&self) -> Status {
        if self.glance.needs_you > 0 { Status::NeedsAttention } else { Status::Active }
    }
    fn icon_pixmap(&self) -> Vec<Icon> {
        let images = tray_icon::images(self.glance.needs_you > 0);
        images.into_iter().map(|one| Icon { width: one.side, height: one.side, data: one.argb }).collect()
    }
    fn attention_icon_pixmap(&self) -> Vec<Icon> {
        self.icon_pixmap()
    }
    fn tool_tip(&self) -> ToolTip {
        ToolTip { title: "Pilothouse".into(), description: self.glance.summary(), ..Default::default() }
    }
    fn activate(&mut self, _x: i32, _y: i32) {
        self.open(if self.glance.needs_you > 0 { "/app/inbox" } else { "/app" });
    }
    fn menu(&self) -> Vec<MenuItem<Item>> {
        let summary = StandardItem { label: self.glance.summary(), enabled: false, ..Default::default() };
        let mut menu = vec![summary.into(), MenuItem::Separator];
        for request in &self.glance.requests {
            let open = request.clone();
            let open = item("Open", move |tray| tray.open(&open.link));
            let mut submenu = Vec::new();
            if request.ask_id.is_some() {
                let (allow, deny) = (request.clone(), request.clone());
                submenu.push(item("Allow", move |tray| tray.answer(&allow, true)));
                submenu.push(item("Deny", move |tray| tray.answer(&deny, false)));
            }
            submenu.push(open);
            menu.push(SubMenu { label: request.label.clone(), submenu, ..Default::default() }.into());
        }
        if !self.glance.requests.is_empty() {
            menu.push(MenuItem::Separator);
        }
        menu.push(item("Open Pilothouse", |tray| tray.open("/app")));
        menu.push(
            StandardItem {
                label: "Cancel all turns".into(),
                enabled: self.glance.running > 0,
                activate: Box::new(|tray: &mut Item| tray.cancel_all()),
                ..Default::default()
            }
            .into(),
        );
        menu.push(item("Quit Pilothouse", |tray| {
            tray.ctx.service::<Attached>().send(&tray.account, crate::commands::Command::Quit);
            if let Some(quit) = tray.ctx.find_service::<Quit>() {
                (quit.0)();
            }
        }));
        menu
    }
    fn watcher_online(&self) {
        self.ctx.service::<Tray>().set_problem(None);
    }
    fn watcher_offline(&self, _: ksni::OfflineReason) -> bool {
        let problem = "This desktop shows no tray icons. On GNOME, install the AppIndicator extension.";
        self.ctx.service::<Tray>().set_problem(Some(problem.into()));
        // Keeps waiting for one.
        true
    }
}
