//! What the document of messages may hold. Whatever doesn't fit is left out.

use kit::InboxKind;
use kit::text::plain;
use serde::Deserialize;

/// Messages that a document may hold; more are left out.
const MESSAGES_MAX: usize = 20;
const ID_CHARS_MAX: usize = 64;
const TITLE_CHARS_MAX: usize = 200;
const BODY_CHARS_MAX: usize = 4_000;
const LINK_CHARS_MAX: usize = 1_000;

/// The document.
#[derive(Deserialize)]
struct Document {
    messages: Vec<serde_json::Value>,
}

/// A message as written.
#[derive(Deserialize)]
struct Written {
    id: String,
    kind: Kind,
    title: String,
    #[serde(default)]
    body: String,
    link: Option<String>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "camelCase")]
enum Kind {
    Announcement,
    Survey,
}

/// A message to show: plain text, and a link that a click may open.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) kind: &'static InboxKind,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) link: Option<String>,
}

/// The messages of a document; `None` if it's none.
pub(crate) fn read(document: &[u8]) -> Option<Vec<Message>> {
    let Document { messages } = serde_json::from_slice(document).ok()?;
    let mut all: Vec<Message> = Vec::new();
    for message in messages.into_iter().take(MESSAGES_MAX).filter_map(checked) {
        if all.iter().all(|other| other.id != message.id) {
            all.push(message);
        }
    }
    Some(all)
}

fn checked(value: serde_json::Value) -> Option<Message> {
    let Written { id, kind, title, body, link } = serde_json::from_value(value).ok()?;
    let is_id = |id: &str| {
        (1..=ID_CHARS_MAX).contains(&id.len()) && id.bytes().all(|sign| sign.is_ascii_alphanumeric() || sign == b'-')
    };
    let fits = |text: &str, max: usize| text.chars().nth(max).is_none();
    let title = plain(&title, false).trim().to_owned();
    if !is_id(&id) || title.is_empty() || !fits(&title, TITLE_CHARS_MAX) || !fits(&body, BODY_CHARS_MAX) {
        return None;
    }
    // One with a link that must not be opened isn't shown without it.
    if link.as_deref().is_some_and(|link| !is_link(link)) || (kind == Kind::Survey && link.is_none()) {
        return None;
    }
    let kind = if kind == Kind::Survey { &crate::SURVEY } else { &crate::ANNOUNCEMENT };
    Some(Message { id, kind, title, body: plain(&body, true).trim().to_owned(), link })
}

/// Whether it's a web address with https, and nothing in it hides where it leads.
fn is_link(link: &str) -> bool {
    let is_plain = |sign: char| sign.is_ascii_graphic() && !matches!(sign, '\\' | '"' | '<' | '>');
    let Some(rest) = link.strip_prefix("https://") else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    link.chars().all(is_plain)
        && link.len() <= LINK_CHARS_MAX
        && host.starts_with(|sign: char| sign.is_ascii_alphanumeric())
        && !host.contains('@')
}
