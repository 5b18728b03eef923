//! Calendars from .ics addresses.

use crate::accounts::{address, failed};
use crate::calendars::{COLOR, NAME_MAX, color, free_color, new};
use crate::dav::{Problem, rejected};
use crate::errors::guarded;
use crate::errors::{CALENDAR_LIMIT, CALENDAR_SERVER};
use crate::record::CalendarRecord;
use crate::rows::{self, Calendar, SUBSCRIPTION};
use crate::service::Calendars;
use crate::{calendars, sync, transfer};
use kit::{Call, CallerSet, Created, Ctx, Method, Op, Result};
use outbound::{Failure, Request};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{HasDb, Tx};

/// Time between looks at an address: an hour, less what the job's runs may differ.
const EVERY_MS: i64 = 58 * 60_000;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        guarded(Op::new(
            "calendar.subscriptions.create",
            Method::Post,
            "/calendar/subscriptions",
            CallerSet::PERSON,
            "Subscribe to a calendar at an .ics address. It's read again every hour.",
            create,
        ))
        .example(r#"{"url": "{calendarServerUrl}", "name": "Team"}"#)
        .synonyms("webcal feed holidays")
        .errors([&CALENDAR_SERVER, &CALENDAR_LIMIT]),
    ]
}

/// A subscription.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CreateCalendarSubscription")]
#[serde(deny_unknown_fields)]
struct Create {
    /// Such as `https://example.com/holidays.ics`.
    #[schemars(length(min = 1, max = 1000))]
    url: String,
    /// Default: the calendar's own name.
    #[schemars(length(min = 1, max = NAME_MAX), regex(pattern = kit::text::NAME))]
    name: Option<String>,
    #[schemars(regex(pattern = COLOR))]
    color: Option<String>,
}

async fn create(ctx: Ctx, call: Call, input: Create) -> Result<Created<CalendarRecord>> {
    let url = address(&input.url)?;
    if let Some(name) = &input.name {
        kit::text::expect_name(name, NAME_MAX, "/name")?;
    }
    let chosen = input.color.as_deref().map(color).transpose()?;
    let read = read(&ctx, &url, "").await.map_err(|why| failed(&why))?;
    let Some((text, tag)) = read else { return Err(failed(&strange())) };
    let own = ical::parse(&text).first().map(|calendar| calendar.text("X-WR-CALNAME")).unwrap_or_default();
    let own: String = own.chars().filter(|sign| !sign.is_control()).take(NAME_MAX).collect();
    let host = url::Url::parse(&url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    let named = input.name.or_else(|| Some(own).filter(|name| !name.trim().is_empty())).unwrap_or(host);
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let color = chosen.map_or_else(|| free_color(tx, call.account()), Ok)?;
        let fresh = new(SUBSCRIPTION, named.trim(), color, again.now_ms());
        let calendar = Calendar { url, sync_state: tag, synced_ms: again.now_ms(), ..fresh };
        calendars::store(tx, &again, &call, None, &calendar)?;
        transfer::replace_all(tx, &again, call.account(), &calendar, &text)?;
        Ok(calendar)
    };
    let calendar = ctx.db().write(write).await?;
    Ok(Created { location: format!("/calendar/calendars/{}", calendar.id), record: CalendarRecord::from(&calendar) })
}

fn strange() -> Problem {
    Problem::Rejected(200, "The address has no calendar. Check that it leads to an .ics file.".into())
}

/// The text at an address, with its version; `None` if it's still the one with `tag`.
async fn read(ctx: &Ctx, url: &str, tag: &str) -> std::result::Result<Option<(String, String)>, Problem> {
    let service = ctx.service::<Calendars>();
    let headers = if tag.is_empty() { Vec::new() } else { vec![("if-none-match", tag.to_owned())] };
    let request = Request { body: None, url: url.to_owned(), headers, key: None };
    let answer = service.outbound.exchange("GET", &request, service.limits).await.map_err(|why| match why {
        Failure::Redirected(_) | Failure::Address | Failure::TooLarge(_) => Problem::Rejected(0, why.to_string()),
        _ => Problem::Unreachable(format!("{}.", why.to_string().trim_end_matches('.'))),
    })?;
    match answer.status {
        304 => Ok(None),
        200..300 => {
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            let is_calendar = ical::parse(&text).iter().any(|one| one.name == "VCALENDAR");
            let tag = answer.header("etag").unwrap_or_default().to_owned();
            if is_calendar { Ok(Some((text, tag))) } else { Err(strange()) }
        }
        status => Err(rejected(status)),
    }
}

/// Reads a subscription again, if it's time.
pub(crate) async fn refresh(ctx: &Ctx, account: &str, calendar: &Calendar) -> Result<()> {
    if ctx.now_ms() - calendar.synced_ms < EVERY_MS {
        return Ok(());
    }
    match read(ctx, &calendar.url, &calendar.sync_state).await {
        Ok(None) => sync::note(ctx, account, &calendar.id, "", Some(calendar.sync_state.clone())).await,
        Ok(Some((text, tag))) => {
            let (again, of, this) = (ctx.clone(), account.to_owned(), calendar.clone());
            let write = move |tx: &mut Tx<'_>| {
                // Removed meanwhile.
                if rows::calendar(tx, &of, &this.id).is_err() {
                    return Ok(());
                }
                transfer::replace_all(tx, &again, &of, &this, &text)
            };
            ctx.db().write(write).await?;
            sync::note(ctx, account, &calendar.id, "", Some(tag)).await
        }
        Err(problem) => sync::note(ctx, account, &calendar.id, &problem.to_string(), None).await,
    }
}
