//! Bookmarks as sent.

use kit::rfc3339;
use links::Link;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// What a bookmark is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "BookmarkKind")]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// A web address or a page of Pilothouse.
    Link,
    /// A folder of bookmarks.
    Folder,
}

/// A bookmark or a folder of bookmarks.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Bookmark")]
#[serde(rename_all = "camelCase")]
pub(crate) struct BookmarkRecord {
    pub(crate) id: String,
    kind: Kind,
    name: String,
    /// A web address, or the path of a page of Pilothouse such as `/app/inbox`. Null for a folder.
    address: Option<String>,
    /// The folder that it's in; null at the top.
    folder_id: Option<String>,
    /// RFC 3339 in UTC.
    created_at: String,
    /// RFC 3339 in UTC.
    changed_at: String,
}

impl From<Link> for BookmarkRecord {
    fn from(link: Link) -> BookmarkRecord {
        BookmarkRecord {
            kind: if link.address.is_some() { Kind::Link } else { Kind::Folder },
            id: link.id,
            name: link.name,
            address: link.address,
            folder_id: link.folder,
            created_at: rfc3339(link.created_ms),
            changed_at: rfc3339(link.changed_ms),
        }
    }
}

/// What the record of changes says about a bookmark.
pub(crate) fn summary(link: &Link) -> Value {
    json!({"name": link.name, "address": link.address, "folderId": link.folder})
}
