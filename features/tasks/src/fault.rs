//! Problems with single fields of a request.

kit::faults! {
    NOT_A_DAY = "not-a-day" : "The text isn't a day. Use `tomorrow`, `friday 5pm`, or a date.";
    UNKNOWN_TASK = "unknown-task" : "Task not found.";
    OTHER_HUB = "other-hub" : "The parent is in another hub. Leave `hubId` out, or use the parent's.";
    NOT_A_SIBLING = "not-a-sibling" : "The task isn't below the same parent, in the same hub.";
}
