//! Meeting rooms as sent.

use kit::rfc3339;
use links::Link;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// A meeting room.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MeetingRoom")]
#[serde(rename_all = "camelCase")]
pub(crate) struct RoomRecord {
    pub(crate) id: String,
    name: String,
    /// The link of its video call.
    address: String,
    /// Empty if there is none.
    note: String,
    /// When it was last joined, RFC 3339 in UTC; null if never.
    joined_at: Option<String>,
    /// RFC 3339 in UTC.
    created_at: String,
    /// RFC 3339 in UTC.
    changed_at: String,
}

impl From<Link> for RoomRecord {
    fn from(link: Link) -> RoomRecord {
        RoomRecord {
            id: link.id,
            name: link.name,
            address: link.address.unwrap_or_default(),
            note: link.note,
            joined_at: (link.used_ms > 0).then(|| rfc3339(link.used_ms)),
            created_at: rfc3339(link.created_ms),
            changed_at: rfc3339(link.changed_ms),
        }
    }
}

/// What the record of changes says about a room.
pub(crate) fn summary(link: &Link) -> Value {
    json!({"name": link.name, "address": link.address, "note": link.note})
}
