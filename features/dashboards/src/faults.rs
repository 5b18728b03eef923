//! Codes of problems with single fields.

kit::faults! {
    INERT_RULE = "inert-rule" : "The rule has no effect, or less than it should. The detail says why.";
    MOVED_LAYOUT = "moved-layout" : "The page draws the widget elsewhere. The detail says where.";
    NO_SUCH_PART = "no-such-part" : "The widget has no such part, or no values.";
    UNKNOWN_KIND = "unknown-kind" : "Unknown widget kind.";
    UNKNOWN_WIDGET = "unknown-widget" : "No widget has this ID.";
}
