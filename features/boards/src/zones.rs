//! Time zones: whose day it is.

use crate::fault;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use kit::error::{Result, invalid};
use kit::lookup::Members;
use kit::{Caller, Ctx};
use std::collections::HashMap;

/// Time zones of the members who set one.
pub(crate) async fn of_members(ctx: &Ctx, account: &str) -> Result<HashMap<String, TimeZone>> {
    let zones = ctx.service::<Members>().0.zones(account).await?;
    Ok(zones.into_iter().filter_map(|(id, name)| Some((id, TimeZone::get(&name).ok()?))).collect())
}

/// The time zone of "today" for a caller: the one in the request, the member's, or the machine's.
pub(crate) async fn of_caller(ctx: &Ctx, caller: &Caller, named: Option<&str>) -> Result<TimeZone> {
    if let Some(name) = named {
        let detail = "Use a time zone name such as America/New_York.";
        return TimeZone::get(name).map_err(|_| invalid("/timeZone", fault::WRONG_FORMAT, detail));
    }
    match &caller.member {
        Some(member) => {
            Ok(of_members(ctx, &caller.account).await?.remove(&**member).unwrap_or_else(|| ctx.home_zone()))
        }
        None => Ok(ctx.home_zone()),
    }
}

/// Minutes that a zone's time is ahead of UTC at an instant.
pub(crate) fn offset_minutes(zone: &TimeZone, now_ms: i64) -> i32 {
    // The range of instants is that of the clock, which is far inside what is accepted.
    Timestamp::from_millisecond(now_ms).map_or(0, |now| zone.to_offset(now).seconds() / 60)
}
