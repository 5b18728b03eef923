//! Errors of this feature, and the guard of its operations.

use crate::settings::calendarEnabled;
use kit::Op;

kit::error_codes! {
    CALENDAR_DISABLED = 403 "calendar-disabled" "Calendar is off" : "The setting calendarEnabled is off. Turn it on with `pilothouse settings set calendarEnabled on`.";
    CALENDAR_CONFLICT = 409 "calendar-conflict" "Event changed on the server" : "The server has a newer version, which is shown now. Your change is in `undo`; restore it to replace the server's.";
    CALENDAR_SERVER = 409 "calendar-server" "Calendar server problem" : "The calendar server can't be reached or rejected the request. The detail has its answer.";
    CALENDAR_READ_ONLY = 409 "calendar-read-only" "Calendar is read-only" : "Events of this calendar can't be changed here. Copy the event to another calendar.";
    CALENDAR_LIMIT = 409 "calendar-limit" "Calendar limit reached" : "An account has at most 200 calendars, 20 CalDAV accounts, and 100,000 events. Delete some first.";
    CALENDAR_PASSWORD = 503 "calendar-password-not-stored" "Couldn't store password" : "The system keychain or the folder `secrets` of the data directory can't be used; the detail says why. Nothing was changed.";
}

/// The name of the job that syncs all calendars.
pub(crate) const SYNC: &str = "calendar.sync";

/// An operation that reads or writes the calendar.
pub(crate) fn guarded(op: Op) -> Op {
    let scope = if op.reads { "calendar:read" } else { "calendar:write" };
    op.scope(scope).switch(&calendarEnabled, &CALENDAR_DISABLED)
}
