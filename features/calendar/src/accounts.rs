//! Operations on accounts at CalDAV servers.

use crate::calendars::{free_color, new};
use crate::dav::{Client, Home, Problem, Remote};
use crate::errors::guarded;
use crate::errors::{CALENDAR_LIMIT, CALENDAR_PASSWORD, CALENDAR_SERVER};
use crate::record::CalendarRecord;
use crate::rows::{self, CALDAV, Calendar};
use crate::service::Calendars;
use crate::sync;
use kit::fault::WRONG_FORMAT;
use kit::ids::short_id;
use kit::{Call, CallerSet, Created, Ctx, Done, Method, Op, Page, Part, Result, Secret, invalid, not_found};
use schemars::JsonSchema;
use secrets::Place;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Change, HasDb, Row, Tx, params};

/// Accounts at servers at most.
const ACCOUNTS_MAX: usize = 20;
/// Maximum characters of an address or user name.
const TEXT_MAX: usize = 1_000;

const ONE: &str = "/calendar/accounts/{accountId}";

pub(crate) fn ops() -> Vec<Op> {
    let person = CallerSet::PERSON;
    vec![
        guarded(Op::new("calendar.accounts.list", Method::Get, "/calendar/accounts", person, "List accounts at CalDAV servers. Passwords aren't included.", list))
            .columns(&["id", "url", "username"]),
        guarded(Op::new("calendar.accounts.get", Method::Get, ONE, person, "Get an account at a CalDAV server.", get))
            .example(r#"{"accountId": "{calendarAccountId}"}"#),
        guarded(Op::new("calendar.accounts.create", Method::Post, "/calendar/accounts", person, "Add an account at a CalDAV server, with its calendars.", create))
            .example(r#"{"url": "{calendarServerUrl}", "username": "ada@example.com", "password": "P"}"#)
            .errors([&CALENDAR_SERVER, &CALENDAR_LIMIT, &CALENDAR_PASSWORD]),
        guarded(Op::new(
            "calendar.accounts.delete",
            Method::Delete,
            ONE,
            person,
            "Remove an account, its calendars, and its password from Pilothouse. The server isn't changed. Changes that weren't sent are lost.",
            delete,
        ))
        .example(r#"{"accountId": "{goneCalendarAccountId}"}"#)
        .permanent(),
        guarded(Op::new(
            "calendar.accounts.sync",
            Method::Post,
            "/calendar/accounts/{accountId}/sync",
            person,
            "Send and read changes of an account now.",
            sync_now,
        ))
        .example(r#"{"accountId": "{calendarAccountId}"}"#)
        .synonyms("refresh reload")
        .errors([&CALENDAR_SERVER]),
    ]
}

/// An account at a server.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) id: String,
    pub(crate) url: String,
    pub(crate) home_url: String,
    pub(crate) username: String,
    place: String,
    emails: String,
}

const ACCOUNTS: &str =
    "SELECT dav_id, url, home_url, username, secret_place, emails FROM calendar_accounts WHERE account_id = $1";

fn account_of(row: &dyn Row) -> Result<Account> {
    Ok(Account {
        id: row.get(0)?,
        url: row.get(1)?,
        home_url: row.get(2)?,
        username: row.get(3)?,
        place: row.get(4)?,
        emails: row.get(5)?,
    })
}

/// The account's accounts at servers, oldest first.
pub(crate) fn all(tx: &mut Tx<'_>, account: &str) -> Result<Vec<Account>> {
    tx.query(&format!("{ACCOUNTS} ORDER BY created_ms, dav_id"), params![account], account_of)
}

/// An account at a server.
pub(crate) fn expect(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Account> {
    let sql = format!("{ACCOUNTS} AND dav_id = $2");
    tx.query_opt(&sql, params![account, id], account_of)?.ok_or_else(not_found)
}

/// Where the password of an account is.
fn slot(id: &str) -> String {
    format!("calendar.{id}")
}

/// The password of an account.
pub(crate) async fn password(ctx: &Ctx, account: &str, dav: &Account) -> std::result::Result<Secret, Problem> {
    let (service, account, slot, place) =
        (ctx.service::<Calendars>(), account.to_owned(), slot(&dav.id), Place::named(&dav.place));
    let get = tokio::task::spawn_blocking(move || service.vaults.get(place, &account, &slot)).await;
    let problem = |text: String| Problem::Unreachable(format!("Couldn't read the password: {text}"));
    let found = get.map_err(|why| problem(why.to_string()))?.map_err(|why| problem(why.0))?;
    found.ok_or_else(|| Problem::Rejected(401, "The password is missing. Remove the account and add it again.".into()))
}

/// An account at a server, with its calendars.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CalendarAccount")]
struct Record {
    id: String,
    url: String,
    username: String,
    calendars: Vec<CalendarRecord>,
}

fn record(tx: &mut Tx<'_>, account: &str, dav: &Account) -> Result<Record> {
    let calendars = rows::calendars(tx, account, false)?;
    let calendars = calendars.iter().filter(|calendar| calendar.dav_id == dav.id).map(CalendarRecord::from).collect();
    Ok(Record { id: dav.id.clone(), url: dav.url.clone(), username: dav.username.clone(), calendars })
}

async fn list(ctx: Ctx, call: Call, part: Part) -> Result<Page<Record>> {
    let read = move |tx: &mut Tx<'_>| {
        let all = all(tx, call.account())?;
        all.iter().map(|dav| record(tx, call.account(), dav)).collect::<Result<Vec<_>>>()
    };
    part.page(ctx.db().read(read).await?, |record| (&record.id).into())
}

/// Names an account at a server.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CalendarAccountId")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct One {
    account_id: String,
}

async fn get(ctx: Ctx, call: Call, input: One) -> Result<Record> {
    let read = move |tx: &mut Tx<'_>| {
        let dav = expect(tx, call.account(), &input.account_id)?;
        record(tx, call.account(), &dav)
    };
    ctx.db().read(read).await
}

/// An account at a server.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CreateCalendarAccount")]
#[serde(deny_unknown_fields)]
struct Create {
    /// The server's address, such as `https://caldav.example.com`.
    #[schemars(length(min = 1, max = TEXT_MAX))]
    url: String,
    #[schemars(length(min = 1, max = TEXT_MAX))]
    username: String,
    /// The password, or an app password.
    password: Secret,
}

/// A server's address, checked.
pub(crate) fn address(text: &str) -> Result<String> {
    let text = text.trim();
    let text = text.strip_prefix("webcal://").map_or_else(|| text.to_owned(), |rest| format!("https://{rest}"));
    let url = url::Url::parse(&text).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
    });
    match url {
        Some(url) if text.len() <= TEXT_MAX => Ok(url.to_string()),
        _ => Err(invalid("/url", WRONG_FORMAT, "Enter an address with http:// or https://, without a user name.")),
    }
}

/// A server's problem as an error of an operation.
pub(crate) fn failed(problem: &Problem) -> kit::Error {
    CALENDAR_SERVER.error(problem.to_string())
}

async fn create(ctx: Ctx, call: Call, input: Create) -> Result<Created<Record>> {
    let url = address(&input.url)?;
    kit::text::expect_name(&input.username, TEXT_MAX, "/username")?;
    input.password.expect("/password")?;
    let (service, account) = (ctx.service::<Calendars>(), call.account().to_owned());
    let client = Client::new(&service, &url, input.username.trim(), &input.password).map_err(|why| failed(&why))?;
    let home = client.discover().await.map_err(|why| failed(&why))?;
    let remotes = client.calendars(&home.url).await.map_err(|why| failed(&why))?;
    let mut dav = Account {
        id: short_id(),
        url,
        home_url: home.url.clone(),
        username: input.username.trim().to_owned(),
        place: String::new(),
        emails: emails(&home, input.username.trim()),
    };
    let (vaults, owner, slot) = (service.vaults.clone(), account.clone(), slot(&dav.id));
    let put = tokio::task::spawn_blocking(move || vaults.put(&owner, &slot, &input.password)).await;
    let place =
        put.map_err(|why| CALENDAR_PASSWORD.error(why.to_string()))?.map_err(|why| CALENDAR_PASSWORD.error(why.0))?;
    dav.place = place.name().to_owned();
    let (again, new_one) = (ctx.clone(), dav.clone());
    let write = move |tx: &mut Tx<'_>| {
        if all(tx, call.account())?.len() >= ACCOUNTS_MAX {
            return Err(
                CALENDAR_LIMIT.error(format!("This account has {ACCOUNTS_MAX} CalDAV accounts. Delete some first."))
            );
        }
        let sql = "INSERT INTO calendar_accounts (account_id, dav_id, url, home_url, username, secret_place, emails, created_ms) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let one = &new_one;
        let values = params![
            call.account(),
            &one.id,
            &one.url,
            &one.home_url,
            &one.username,
            &one.place,
            &one.emails,
            again.now_ms()
        ];
        tx.execute(sql, values)?;
        store_remotes(tx, &again, call.account(), &one.id, &remotes)?;
        let after = described(one);
        let change =
            Change { subject: "calendar-account", subject_id: &one.id, field: "", before: None, after: Some(&after) };
        tx.record(&call.caller, again.now_ms(), change).map(drop)
    };
    if let Err(error) = ctx.db().write(write).await {
        forget_password(&ctx, &account, &dav).await;
        return Err(error);
    }
    // What it can't read now is said on each calendar, and read later.
    sync::account(&ctx, &account, &dav.id).await?;
    let (owner, id) = (account, dav.id.clone());
    let read = move |tx: &mut Tx<'_>| record(tx, &owner, &dav);
    Ok(Created { location: format!("/calendar/accounts/{id}"), record: ctx.db().read(read).await? })
}

fn described(dav: &Account) -> Value {
    json!({"url": dav.url, "username": dav.username})
}

/// The user's addresses at a server, one a line.
fn emails(home: &Home, username: &str) -> String {
    let own = Some(username.to_owned()).filter(|name| name.contains('@'));
    let mut all: Vec<String> = home.emails.iter().cloned().chain(own).collect();
    all.sort_unstable();
    all.dedup();
    all.join("\n")
}

/// Adds calendars of a server that are new, and updates the names and rights of the others.
pub(crate) fn store_remotes(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, dav_id: &str, remotes: &[Remote]) -> Result<()> {
    let known = rows::calendars(tx, account, true)?;
    for remote in remotes {
        let same = known.iter().find(|calendar| calendar.dav_id == dav_id && calendar.url == remote.url);
        let Some(same) = same else {
            let color = remote.color.clone().map_or_else(|| free_color(tx, account), Ok)?;
            let name: String = remote.name.chars().take(crate::calendars::NAME_MAX).collect();
            let fresh = new(CALDAV, &name, color, ctx.now_ms());
            let calendar = Calendar {
                dav_id: dav_id.to_owned(),
                url: remote.url.clone(),
                is_writable: remote.is_writable,
                ..fresh
            };
            rows::store_calendar(tx, account, &calendar)?;
            continue;
        };
        if same.is_writable != remote.is_writable {
            rows::store_calendar(tx, account, &Calendar { is_writable: remote.is_writable, ..same.clone() })?;
        }
    }
    rows::announce(tx, ctx, account);
    Ok(())
}

async fn delete(ctx: Ctx, call: Call, input: One) -> Result<Done> {
    let (again, account) = (ctx.clone(), call.account().to_owned());
    let write = move |tx: &mut Tx<'_>| {
        let dav = expect(tx, call.account(), &input.account_id)?;
        for calendar in rows::calendars(tx, call.account(), true)?.iter().filter(|calendar| calendar.dav_id == dav.id) {
            for event in rows::events_of(tx, call.account(), &calendar.id)? {
                rows::remove_event(tx, &again, call.account(), &event.id)?;
            }
            tx.execute(
                "DELETE FROM calendars WHERE account_id = $1 AND calendar_id = $2",
                params![call.account(), &calendar.id],
            )?;
        }
        tx.execute(
            "DELETE FROM calendar_accounts WHERE account_id = $1 AND dav_id = $2",
            params![call.account(), &dav.id],
        )?;
        let before = described(&dav);
        let change =
            Change { subject: "calendar-account", subject_id: &dav.id, field: "", before: Some(&before), after: None };
        tx.record(&call.caller, again.now_ms(), change)?;
        rows::announce(tx, &again, call.account());
        Ok(dav)
    };
    let dav = ctx.db().write(write).await?;
    forget_password(&ctx, &account, &dav).await;
    Ok(Done)
}

/// Deletes a password that nothing uses any more.
async fn forget_password(ctx: &Ctx, account: &str, dav: &Account) {
    let (service, account, slot, place) =
        (ctx.service::<Calendars>(), account.to_owned(), slot(&dav.id), Place::named(&dav.place));
    let forget = tokio::task::spawn_blocking(move || service.vaults.forget(Some(place), &account, &slot));
    if let Ok(Err(why)) = forget.await {
        tracing::warn!("couldn't delete the password of a calendar account: {why}");
    }
}

async fn sync_now(ctx: Ctx, call: Call, input: One) -> Result<Record> {
    let (account, id) = (call.account().to_owned(), input.account_id.clone());
    let dav = ctx.db().read(move |tx| expect(tx, call.account(), &input.account_id)).await?;
    if let Some(problem) = sync::account(&ctx, &account, &id).await? {
        return Err(failed(&problem));
    }
    ctx.db().read(move |tx| record(tx, &account, &dav)).await
}
