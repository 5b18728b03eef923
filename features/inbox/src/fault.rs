//! Errors in single inputs of this feature, in addition to those of `kit::fault`.

kit::faults! {
    NOT_A_TIME = "not-a-time" : "Enter a time, such as `in 2 hours`, `tomorrow 9am`, or an RFC 3339 time.";
    NOT_A_LINK = "not-a-link" : "Enter a page path (`/app/…`) or a web address (`https://…`).";
}
