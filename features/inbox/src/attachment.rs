//! Links attached to a row.

use crate::fault;
use kit::Result;
use kit::error::invalid;
use kit::text::{NAME, expect_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum attachments of a row.
pub(crate) const ATTACHMENTS_MAX: usize = 10;
/// Maximum characters of a label.
const LABEL_CHARS_MAX: usize = 100;
/// Maximum characters of a link.
pub(crate) const LINK_CHARS_MAX: usize = 2_000;

/// A link with a label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "InboxAttachment")]
#[serde(deny_unknown_fields)]
pub(crate) struct Attachment {
    /// One line.
    #[schemars(length(min = 1, max = LABEL_CHARS_MAX), regex(pattern = NAME))]
    label: String,
    /// A page path (`/app/...`) or a web address.
    #[schemars(length(min = 1, max = LINK_CHARS_MAX))]
    url: String,
}

impl Attachment {
    /// Those of a row, as stored.
    pub(crate) fn stored(json: &str) -> Vec<Attachment> {
        serde_json::from_str(json).unwrap_or_default()
    }

    /// Rejects too many, and links that a click must not open.
    pub(crate) fn expect(all: &[Attachment]) -> Result<()> {
        if all.len() > ATTACHMENTS_MAX {
            let detail = format!("Use up to {ATTACHMENTS_MAX} attachments.");
            return Err(invalid("/attachments", kit::fault::TOO_MANY, detail));
        }
        for (at, Attachment { label, url }) in all.iter().enumerate() {
            expect_name(label, LABEL_CHARS_MAX, &format!("/attachments/{at}/label"))?;
            expect_link(url, &format!("/attachments/{at}/url"))?;
        }
        Ok(())
    }

    /// As stored, without tokens that an agent may have put into a link.
    pub(crate) fn to_stored(all: &[Attachment]) -> String {
        if all.is_empty() {
            return String::new();
        }
        let json = serde_json::to_string(all).expect("attachments serialize");
        kit::ids::without_tokens(&json).into_owned()
    }
}

/// Rejects links that a click must not open: only pages of Pilothouse and web addresses are allowed.
pub(crate) fn expect_link(link: &str, pointer: &str) -> Result<()> {
    let is_plain = !link.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\' || kit::text::is_turning(c));
    let is_ours = link.starts_with("/app/");
    let is_web = ["https://", "http://"].iter().any(|scheme| {
        link.strip_prefix(scheme).is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '['))
    });
    if is_plain && (is_ours || is_web) && link.chars().nth(LINK_CHARS_MAX).is_none() {
        return Ok(());
    }
    Err(invalid(pointer, fault::NOT_A_LINK, fault::NOT_A_LINK.doc()))
}
