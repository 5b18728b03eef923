//! Shows pending notifications, withdraws what was answered, and keeps the count on the icon. Reads what decisions stored.

use crate::do_not_disturb::DoNotDisturb;
use crate::notifier::Notifier;
use crate::settings::desktopIconBadgeEnabled;
use crate::sounds::{Chosen, Sound, expect_kind};
use crate::store_rows::{PENDING, SHOWN};
use crate::{errors, store_rows};
use events::{AboutSession, Event, HasEvents};
use kit::lookup::{OpenPage, RowSnoozes, SessionAnswers};
use kit::text::plain;
use kit::{Call, CallerSet, Catalog, Ctx, Done, Method, Need, Op, Result, Urgency};
use platform::notifications::{Note, Pressed};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use store::{HasDb, Tx, params};
use tokio::sync::{Notify, mpsc};

/// Notifications up to this number are shown one by one; more at once are one notification.
const ONE_BY_ONE_MAX: usize = 2;
/// Titles in a notification of several.
const TITLES_MAX: usize = 5;
/// Characters of a title and of a body that a notification shows.
pub(crate) const TITLE_CHARS_MAX: usize = 200;
pub(crate) const BODY_CHARS_MAX: usize = 300;
/// What a click on a notification itself presses.
const DEFAULT: &str = "default";
/// The button that snoozes a row, and for how long.
const SNOOZE: &str = "snooze";
const SNOOZE_LABEL: &str = "Snooze 1 hour";
const SNOOZE_MS: i64 = 60 * 60 * 1_000;

/// Wakes the task that shows notifications.
#[derive(Default)]
pub(crate) struct Deliverer {
    wake: Arc<Notify>,
    todo: Mutex<ToDo>,
    /// One pass at a time, so that a notification is on the screen once a pass that follows is over.
    pass: tokio::sync::Mutex<()>,
    /// Whether the system didn't show one.
    has_failed: AtomicBool,
}

/// What the next pass has to do.
#[derive(Default)]
struct ToDo {
    /// Accounts with something pending.
    pending: BTreeSet<String>,
    /// Notifications to withdraw: their accounts, and the system's numbers.
    withdrawn: Vec<(String, i64)>,
}

/// A pending notification.
#[derive(Debug, Clone)]
struct Pending {
    row_id: String,
    title: String,
    body: String,
    link: Option<String>,
    session_id: Option<String>,
    ask_id: Option<String>,
    kind: String,
    need: i64,
    /// Whether it's a notice from Pilothouse itself.
    is_own: bool,
    system_id: i64,
}

impl Pending {
    /// The title outside of Pilothouse's pages, where its own notices are told from what agents say.
    fn shown_title(&self) -> String {
        if self.is_own { format!("Pilothouse: {}", self.title) } else { self.title.clone() }
    }
}

impl Deliverer {
    /// Shows what is pending once the transaction is on disk.
    pub(crate) fn wake_after(tx: &mut Tx<'_>, ctx: &Ctx, account: &str) {
        let account = account.to_owned();
        Deliverer::after(tx, ctx, move |todo| todo.pending.extend([account]));
    }

    /// Withdraws a shown notification once the transaction is on disk.
    pub(crate) fn withdraw_after(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, system_id: i64) {
        if system_id > 0 {
            let account = account.to_owned();
            Deliverer::after(tx, ctx, move |todo| todo.withdrawn.push((account, system_id)));
        }
    }

    fn after(tx: &mut Tx<'_>, ctx: &Ctx, add: impl FnOnce(&mut ToDo) + Send + 'static) {
        let deliverer = ctx.service::<Deliverer>();
        tx.after_commit(move || {
            add(&mut deliverer.todo.lock().expect("no panic while held"));
            deliverer.wake.notify_one();
        });
    }
}

/// Starts the task that shows notifications. It lives as long as the program.
pub(crate) fn start(ctx: &Ctx) {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
    let (ctx, wake) = (ctx.clone(), ctx.service::<Deliverer>().wake.clone());
    let changed = ctx.events().waker(|event| {
        matches!(event, Event::InboxRowChanged { .. })
            || matches!(event, Event::SettingChanged { key, .. } if *key == desktopIconBadgeEnabled.spec.key)
    });
    runtime.spawn(async move {
        if let Err(error) = find_pending(&ctx).await {
            tracing::warn!(error = ?error, "couldn't find pending notifications");
        }
        let mut counted = None;
        loop {
            if let Err(error) = deliver(&ctx).await {
                if error.is(&store::PROGRAM_ENDING) {
                    return;
                }
                tracing::warn!(error = ?error, "couldn't show notifications");
            }
            if let Err(error) = count(&ctx, &mut counted).await {
                tracing::warn!(error = ?error, "couldn't count what needs the user");
            }
            tokio::select! {
                () = wake.notified() => {}
                () = changed.notified() => {}
            }
        }
    });
}

/// Finds what was pending when the program ended.
async fn find_pending(ctx: &Ctx) -> Result<()> {
    let sql = "SELECT DISTINCT account_id FROM notifications WHERE account_id <> '' AND state = $1";
    let accounts = ctx.db().read(move |tx| tx.query(sql, params![PENDING], |row| row.get::<String>(0))).await?;
    ctx.service::<Deliverer>().todo.lock().expect("no panic while held").pending.extend(accounts);
    Ok(())
}

/// Withdraws what was answered, and shows what is pending.
pub(crate) async fn deliver(ctx: &Ctx) -> Result<()> {
    let notifier = ctx.find_service::<Notifier>();
    let deliverer = ctx.service::<Deliverer>();
    let _pass = deliverer.pass.lock().await;
    let ToDo { pending, withdrawn } = std::mem::take(&mut *deliverer.todo.lock().expect("no panic while held"));
    for (account, system_id) in withdrawn {
        if let (Some(notifier), false) = (&notifier, is_used(ctx, account, system_id).await?) {
            notifier.0.withdraw(system_id as u32).await;
        }
    }
    let is_do_not_disturb = !pending.is_empty() && DoNotDisturb::refresh(ctx).await;
    for account in pending {
        if is_do_not_disturb {
            let (again, account) = (ctx.clone(), account.clone());
            ctx.db().write(move |tx| store_rows::hold_pending(tx, &again, &account)).await?;
        }
        let (pending, chosen) = take_pending(ctx, &account).await?;
        for one in &pending {
            let (row_id, title, link) = (one.row_id.clone(), one.title.clone(), one.link.clone());
            let about = AboutSession { id: one.session_id.as_deref().unwrap_or_default().into(), parent: None };
            ctx.events().emit_about(&account, about, Event::NotificationShown { row_id, title, link });
        }
        // Of several at once, the one that asks the most is heard.
        let Some(loudest) = pending.iter().rev().max_by_key(|one| one.need) else { continue };
        let sound = chosen.sound(ctx, &loudest.kind);
        sound.play(ctx);
        let Some(notifier) = &notifier else { continue };
        if pending.len() > ONE_BY_ONE_MAX {
            show(ctx, notifier, summary(&pending, &sound), &account, &pending).await?;
            continue;
        }
        let can_snooze = ctx.find_service::<RowSnoozes>().is_some();
        for one in &pending {
            let note = note(one, &chosen.sound(ctx, &one.kind), can_snooze);
            show(ctx, notifier, note, &account, std::slice::from_ref(one)).await?;
        }
    }
    Ok(())
}

/// Marks what is pending as shown, before it is: what a crash interrupts isn't shown twice.
async fn take_pending(ctx: &Ctx, account: &str) -> Result<(Vec<Pending>, Chosen)> {
    let (account, catalog) = (account.to_owned(), ctx.service::<Catalog>());
    let take = move |tx: &mut Tx<'_>| {
        let sql = "SELECT r.row_id, r.title, r.body, r.link, r.session_id, r.kind, n.system_id, r.row_key, r.need \
                   FROM notifications n JOIN inbox_rows r ON r.account_id = n.account_id AND r.row_id = n.row_id \
                   WHERE n.account_id = $1 AND n.state = $2 ORDER BY n.row_id";
        let pending = tx.query(sql, params![&account, PENDING], |row| {
            let (session_id, body): (Option<String>, &str) = (row.get(4)?, row.get(2)?);
            let ask_id = inbox_rows::ask_in(session_id.as_deref(), row.get(7)?);
            let (title, body) = (beginning(row.get(1)?, TITLE_CHARS_MAX), beginning(body, BODY_CHARS_MAX));
            let (row_id, link) = (row.get(0)?, row.get(3)?);
            let (kind, system_id, need): (String, _, _) = (row.get(5)?, row.get(6)?, row.get(8)?);
            let is_own = catalog.inbox_kind(&kind).is_some_and(|kind| kind.urgency == Urgency::Notice);
            Ok(Pending { row_id, title, body, link, session_id, ask_id, kind, need, is_own, system_id })
        })?;
        let sql = "UPDATE notifications SET state = $2 WHERE account_id = $1 AND state = $3";
        tx.execute(sql, params![&account, SHOWN, PENDING])?;
        Ok((pending, Chosen::read(tx, &account)?))
    };
    ctx.db().write(take).await
}

/// The beginning of a text, without signs that a notification service may reject.
pub(crate) fn beginning(text: &str, chars_max: usize) -> String {
    plain(&text.chars().take(chars_max).collect::<String>(), true)
}

/// Whether a stored notification still has this number, as one of several may.
async fn is_used(ctx: &Ctx, account: String, system_id: i64) -> Result<bool> {
    let sql = "SELECT 1 FROM notifications WHERE account_id = $1 AND system_id = $2 LIMIT 1";
    let read = move |tx: &mut Tx<'_>| tx.query_opt(sql, params![&account, system_id], |row| row.get::<i64>(0));
    Ok(ctx.db().read(read).await?.is_some())
}

fn note(one: &Pending, sound: &Sound, can_snooze: bool) -> Note {
    let label = |id: &str, label: &str| (id.to_owned(), label.to_owned());
    let mut actions = vec![label(DEFAULT, "Open")];
    let is_request = one.need == inbox_rows::stored_need(Need::Answer);
    if is_request && one.ask_id.is_some() && ["approval", "plan"].contains(&&*one.kind) {
        let [yes, no] = if one.kind == "plan" { ["Approve", "Reject"] } else { ["Allow", "Deny"] };
        actions.extend([label("allow", yes), label("deny", no)]);
    }
    actions.push(label("open", "Open"));
    if can_snooze {
        actions.push(label(SNOOZE, SNOOZE_LABEL));
    }
    Note {
        title: one.shown_title(),
        body: one.body.clone(),
        stays: is_request,
        replaces: one.system_id as u32,
        actions,
        sound: sound.theme(),
    }
}

fn summary(pending: &[Pending], sound: &Sound) -> Note {
    let mut titles: Vec<String> = pending.iter().take(TITLES_MAX).map(Pending::shown_title).collect();
    if pending.len() > TITLES_MAX {
        titles.push(format!("and {} more", pending.len() - TITLES_MAX));
    }
    Note {
        title: format!("{} notifications", pending.len()),
        body: titles.join("\n"),
        actions: vec![(DEFAULT.to_owned(), "Open".to_owned()), ("inbox".to_owned(), "Open inbox".to_owned())],
        sound: sound.theme(),
        ..Note::default()
    }
}

async fn show(ctx: &Ctx, notifier: &Notifier, note: Note, account: &str, of: &[Pending]) -> Result<()> {
    let system_id = match notifier.0.show(note).await {
        Ok(id) => i64::from(id),
        Err(why) => {
            // Once, not for each notification: many machines have no such service.
            if !ctx.service::<Deliverer>().has_failed.swap(true, Ordering::Relaxed) {
                tracing::warn!("{why} Open windows still show notifications.");
            }
            return Ok(());
        }
    };
    let (account, rows) = (account.to_owned(), of.iter().map(|one| one.row_id.clone()).collect::<Vec<_>>());
    let write = move |tx: &mut Tx<'_>| {
        let mut stored = 0;
        for row_id in &rows {
            let sql = "UPDATE notifications SET system_id = $3 WHERE account_id = $1 AND row_id = $2";
            stored += tx.execute(sql, params![&account, row_id, system_id])?;
        }
        Ok(stored)
    };
    // Answered while it was being shown: nobody else withdraws it.
    if ctx.db().write(write).await? == 0 {
        notifier.0.withdraw(system_id as u32).await;
    }
    Ok(())
}

/// Shows the number of sessions that need the user on the icon, where it changed.
async fn count(ctx: &Ctx, shown: &mut Option<i64>) -> Result<()> {
    let Some(notifier) = ctx.find_service::<Notifier>() else { return Ok(()) };
    let sql = "SELECT DISTINCT account_id FROM inbox_rows WHERE account_id <> '' AND settled_ms = 0 AND need > 0";
    let accounts = ctx.db().read(move |tx| tx.query(sql, &[], |row| row.get::<String>(0))).await?;
    let mut count = 0;
    for account in accounts.into_iter().filter(|account| ctx.setting(account, &desktopIconBadgeEnabled)) {
        count += ctx.db().read(move |tx| inbox_rows::needing_sessions(tx, &account)).await?.len() as i64;
    }
    if *shown != Some(count) {
        notifier.0.set_count(count).await;
        *shown = Some(count);
    }
    Ok(())
}

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "notifications.test",
            Method::Post,
            "/notifications/test",
            CallerSet::PERSON,
            "Send a test system notification with the sound of an inbox row kind. Ignores the settings.",
            test,
        )
        .example(r#"{"kind": "alert"}"#)
        .errors([&errors::NOT_SHOWN]),
    ]
}

/// A test notification.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Test {
    /// One of `inbox kinds`. Default: `alert`.
    #[schemars(length(min = 1, max = 40))]
    kind: Option<String>,
}

async fn test(ctx: Ctx, call: Call, input: Test) -> Result<Done> {
    if let Some(kind) = &input.kind {
        expect_kind(&ctx, kind)?;
    }
    let account = call.caller.account.clone();
    let chosen = ctx.db().read(move |tx| Chosen::read(tx, &account)).await?;
    let sound = chosen.unmuted(&ctx, input.kind.as_deref().unwrap_or("alert"));
    sound.play(&ctx);
    let Some(notifier) = ctx.find_service::<Notifier>() else {
        return Err(errors::NOT_SHOWN.error("This Pilothouse shows no system notifications."));
    };
    let note = Note {
        title: "Test notification".to_owned(),
        body: "Pilothouse can notify you.".to_owned(),
        actions: vec![(DEFAULT.to_owned(), "Open".to_owned())],
        sound: sound.theme(),
        ..Note::default()
    };
    notifier.0.show(note).await.map(|_| Done).map_err(|why| errors::NOT_SHOWN.error(why))
}

/// Carries out the buttons that the user presses, as long as the program runs.
pub fn follow_buttons(ctx: Ctx, mut pressed: mpsc::Receiver<Pressed>) {
    tokio::spawn(async move {
        while let Some(pressed) = pressed.recv().await {
            if let Err(error) = press(&ctx, &pressed).await {
                tracing::warn!(error = ?error, "couldn't carry out {} of a notification", pressed.action);
            }
        }
    });
}

async fn press(ctx: &Ctx, pressed: &Pressed) -> Result<()> {
    let system_id = i64::from(pressed.id);
    // The row says whether it's still open: what was answered meanwhile isn't answered again.
    let sql = "SELECT n.account_id, r.session_id, r.row_key, r.link, r.row_id FROM notifications n \
               JOIN inbox_rows r ON r.account_id = n.account_id AND r.row_id = n.row_id \
               WHERE n.account_id <> '' AND n.system_id = $1 AND r.settled_ms = 0";
    let read = move |tx: &mut Tx<'_>| {
        tx.query(sql, params![system_id], |row| {
            let session: Option<String> = row.get(1)?;
            let ask = inbox_rows::ask_in(session.as_deref(), row.get(2)?);
            Ok((row.get::<String>(0)?, session, ask, row.get::<Option<String>>(3)?, row.get::<String>(4)?))
        })
    };
    let rows = ctx.db().read(read).await?;
    match (&*pressed.action, &*rows) {
        (action @ ("allow" | "deny"), [(account, Some(session), Some(ask), ..)]) => {
            let answers = ctx.service::<SessionAnswers>();
            answers.0.answer(account, session, ask, action == "allow").await
        }
        (SNOOZE, [(account, .., row_id)]) => {
            let snoozes = ctx.service::<RowSnoozes>();
            snoozes.0.snooze(account, row_id, SNOOZE_MS).await
        }
        // It was answered meanwhile.
        (SNOOZE, _) => Ok(()),
        (_, [(.., Some(link), _)]) => {
            open(ctx, link);
            Ok(())
        }
        _ => {
            open(ctx, "/app/inbox");
            Ok(())
        }
    }
}

/// Opens a page of Pilothouse, or an address.
fn open(ctx: &Ctx, link: &str) {
    if let Some(open) = ctx.find_service::<OpenPage>() {
        (open.0)(link);
    }
}
