//! One error type for the whole program: a stable code, what happened, and what to do about it.

use crate::fault::Fault;
use crate::ids::without_tokens;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fmt;

/// A kind of error, listed in `docs/errors.md`. Declared with [`error_codes!`](crate::error_codes).
#[derive(Debug)]
pub struct Code {
    /// Stable, kebab-case; scripts compare it.
    pub name: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// A short title, the same for every occurrence.
    pub title: &'static str,
    /// The cause and the fix, in one or two sentences.
    pub doc: &'static str,
}

impl Code {
    /// The code as a fault of one field.
    pub const fn fault(&self) -> Fault {
        Fault::declared(self.name, self.doc)
    }
    /// An error of this kind. `detail` describes this occurrence.
    pub fn error(&'static self, detail: impl Into<String>) -> Error {
        Error(Box::new(Inner {
            code: self,
            title: None,
            detail: detail.into(),
            fields: Vec::new(),
            extra: Map::new(),
            stored: Map::new(),
            retry_after_s: None,
            source: None,
        }))
    }
}

/// Declares error codes: `NAME = 404 "not-found" "Not found" : "doc";`. Makes one static each, and `CODES`, the list.
#[macro_export]
macro_rules! error_codes {
    ($($(#[$m:meta])* $id:ident = $status:literal $name:literal $title:literal : $doc:literal;)*) => {
        $($(#[$m])* #[doc = $doc] pub static $id: $crate::Code = $crate::Code { name: $name, status: $status, title: $title, doc: $doc };)*
        /// Every code declared here.
        pub const CODES: &[&$crate::Code] = &[$(&$id),*];
    };
}

/// A problem with one field of the input.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldError {
    /// JSON pointer into the request, `/value` or `/changes/toastDisplayDurationSeconds`.
    pub pointer: String,
    /// The kind of problem.
    pub code: Fault,
    /// The accepted values.
    pub detail: String,
}

struct Inner {
    code: &'static Code,
    /// Replaces the code's title.
    title: Option<String>,
    detail: String,
    fields: Vec<FieldError>,
    extra: Map<String, Value>,
    stored: Map<String, Value>,
    retry_after_s: Option<u32>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// An operation's error. Sent as an RFC 9457 problem.
pub struct Error(Box<Inner>);

/// The program's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The kind.
    pub fn code(&self) -> &'static Code {
        self.0.code
    }
    /// Whether it has this code.
    pub fn is(&self, code: &Code) -> bool {
        self.0.code.name == code.name
    }
    /// Description of this occurrence.
    pub fn detail(&self) -> &str {
        &self.0.detail
    }
    /// Problems with fields of the input.
    pub fn fields(&self) -> &[FieldError] {
        &self.0.fields
    }
    /// Seconds after which a retry can succeed.
    pub fn retry_after_s(&self) -> Option<u32> {
        self.0.retry_after_s
    }
    /// Names the kinds of things that were looked for, if this is a plain [`not_found`]: "Board or item not found".
    pub fn naming(mut self, kinds: &[&str]) -> Self {
        let [first @ .., last] = kinds else { return self };
        if !self.is(&NOT_FOUND) || self.0.detail != NOTHING_VISIBLE {
            return self;
        }
        let names = match first {
            [] => (*last).to_owned(),
            [one] => format!("{one} or {last}"),
            several => format!("{}, or {last}", several.join(", ")),
        };
        let title = format!("{} not found", crate::text::capitalized(&names));
        self.0.detail = format!("{title}. Use the ID, not the name.");
        self.0.title = Some(title);
        self
    }
    /// Adds a problem with a field.
    pub fn at(mut self, pointer: impl Into<String>, code: Fault, detail: impl Into<String>) -> Self {
        self.0.fields.push(FieldError { pointer: pointer.into(), code, detail: detail.into() });
        self
    }
    /// Adds problems with fields.
    pub fn at_all(mut self, fields: impl IntoIterator<Item = FieldError>) -> Self {
        self.0.fields.extend(fields);
        self
    }
    /// Adds a member to the problem document, such as `suggestions`.
    pub fn with(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.0.extra.insert(member.to_owned(), value.into());
        self
    }
    /// Adds a member with a stored value that the caller can read. It's sent unchanged, because callers send it back.
    /// Repeated parts of a request go through [`hide_tokens`] first.
    pub fn with_stored(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.0.stored.insert(member.to_owned(), value.into());
        self
    }
    /// A member that was added.
    pub fn member(&self, member: &str) -> Option<&Value> {
        self.0.extra.get(member).or_else(|| self.0.stored.get(member))
    }
    /// Sets when to retry (`Retry-After`).
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.0.retry_after_s = Some(seconds);
        self
    }
    /// Adds the cause, for the log. It's never sent to the caller.
    pub fn caused_by(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }
    /// The RFC 9457 document. All errors are written here, so none contains a token from a request. Only stored values
    /// stay unchanged.
    pub fn problem(&self) -> Value {
        let i = &*self.0;
        let mut doc = json!({
            "type": format!("urn:pilothouse:error:{}", i.code.name),
            "title": i.title.as_deref().unwrap_or(i.code.title), "status": i.code.status, "detail": i.detail, "code": i.code.name,
        });
        let map = doc.as_object_mut().expect("an object");
        if !i.fields.is_empty() {
            let fields =
                i.fields.iter().map(|f| json!({"pointer": f.pointer, "code": f.code.name(), "detail": f.detail}));
            map.insert("errors".into(), fields.collect());
        }
        for (k, v) in &i.extra {
            map.entry(k.clone()).or_insert_with(|| v.clone());
        }
        hide_tokens(&mut doc);
        for (k, v) in &i.stored {
            doc[k] = v.clone();
        }
        doc
    }
}

/// Replaces everything that looks like a token, including names of members, with `ph_…`.
pub fn hide_tokens(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(shown) = without_tokens(text) {
                *text = shown;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide_tokens),
        Value::Object(members) => {
            members.values_mut().for_each(hide_tokens);
            if members.keys().any(|name| matches!(without_tokens(name), Cow::Owned(_))) {
                let shown = std::mem::take(members).into_iter();
                *members = shown.map(|(name, member)| (without_tokens(&name).into_owned(), member)).collect();
            }
        }
        _ => {}
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", without_tokens(&self.0.detail), self.0.code.name)?;
        for field in &self.0.fields {
            write!(f, "\n  at {}: {}", without_tokens(&field.pointer), without_tokens(&field.detail))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        match &self.0.source {
            Some(source) => write!(f, ", because {source:?}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|s| s as _)
    }
}

/// The error for an unknown ID in the input, with its place. It doesn't repeat the ID, so that another account's IDs
/// and nonexistent ones get identical errors.
pub fn unknown(what: Fault, pointer: impl Into<String>) -> Error {
    NAMED_NOT_FOUND.error(what.doc()).at(pointer, what, what.doc())
}

error_codes! {
    NOT_JSON = 400 "not-json" "Invalid JSON" : "The body isn't one JSON document without repeated fields and at most 64 levels deep. Send valid JSON.";
    NO_TOKEN = 401 "no-token" "Token required" : "The request has no `Authorization: Bearer` token, or one that is unknown, revoked, or expired. The command-line token is in the data directory's `cli-token` file.";
    FORBIDDEN = 403 "forbidden-caller" "Not allowed for this caller" : "This kind of caller can't use the operation. The detail says who can. If only a person can, ask the owner.";
    SCOPE_MISSING = 403 "scope-missing" "Missing scope" : "The session's token lacks a scope that the operation needs. The detail names it.";
    NOT_FOUND = 404 "not-found" "Not found" : "Nothing with this ID is visible to you. Check the ID. Other accounts' things aren't found either.";
    NAMED_NOT_FOUND = 404 "named-not-found" "Reference not found" : "The input names something that doesn't exist, such as a member, an item, or a group. `errors` points at each position. Nothing was changed.";
    NO_SUCH_ROUTE = 404 "no-such-route" "Unknown path" : "The API has no such path. `GET /openapi.json` lists all paths.";
    WRONG_METHOD = 405 "wrong-method" "Method not allowed" : "Use a method that the `Allow` header names.";
    CONFLICT = 409 "conflict" "Conflict" : "The change doesn't fit the current state. The detail says why.";
    STALE = 412 "stale-revision" "Changed since you read it" : "`If-Match` names an older revision. Read the current one and repeat the change.";
    TOO_LARGE = 413 "too-large" "Too large" : "The body or a list in it is over its limit. The detail names the limit.";
    WRONG_TYPE_OF_CONTENT = 415 "wrong-content-type" "Wrong content type" : "The operation needs another content type. The detail names it.";
    INVALID = 422 "invalid-input" "Invalid value" : "A value isn't valid. `errors` points at each, with what is accepted.";
    TOO_MANY = 429 "too-many-requests" "Too many requests" : "A rate limit was reached. Retry after `Retry-After` seconds.";
    INTERNAL = 500 "internal" "Internal error" : "Pilothouse has a bug. Nothing was changed unless the detail says so. The log has the cause.";
    READ_ONLY = 503 "read-only" "Read-only" : "The data directory can't be written (the disk is full, or a damaged file is open for rescue). Free some space or restore a backup; until then you can read only.";
}

/// The detail of [`not_found`] before the kinds are named.
const NOTHING_VISIBLE: &str = "Nothing with this ID is visible to you.";

/// The same error for things that don't exist and for things of another account. Where an operation returns it, it names
/// the kinds of things in the operation's path.
pub fn not_found() -> Error {
    NOT_FOUND.error(NOTHING_VISIBLE)
}

/// The error for one invalid field.
pub fn invalid(pointer: &str, code: Fault, detail: impl Into<String>) -> Error {
    let detail = detail.into();
    INVALID.error(detail.clone()).at(pointer, code, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_not_found_names_what_was_looked_for() {
        let kinds = ["board", "item", "file"];
        let titles = (0..=3).map(|count| not_found().naming(&kinds[..count]).problem()["title"].clone());
        let expected = ["Not found", "Board not found", "Board or item not found", "Board, item, or file not found"];
        assert!(titles.eq(expected));
        assert_eq!(not_found().naming(&kinds[..1]).detail(), "Board not found. Use the ID, not the name.");
        let own = NOT_FOUND.error("The item is in the trash.").naming(&kinds).problem();
        assert_eq!((&own["title"], &own["detail"]), (&json!("Not found"), &json!("The item is in the trash.")));
    }

    #[test]
    fn no_error_shows_a_token() {
        let token = format!("ph_mem_{}", crate::ids::secret());
        let error = invalid(&format!("/{token}/a"), crate::fault::UNKNOWN_FIELD, format!("unknown field `{token}`"));
        let error = error.with("suggestions", json!({"cells": [{&token: [&token]}]})).with("setting", token.as_str());
        for text in [error.problem().to_string(), error.to_string(), format!("{error:?}")] {
            assert!(!text.contains("ph_mem_") && text.contains("ph_…"), "{text}");
        }
        assert_eq!(error.problem()["suggestions"], json!({"cells": [{"ph_…": ["ph_…"]}]}));
        let stored = json!({"c1": "rotate ph_ses_0123456789abcdef today"});
        assert_eq!(error.with_stored("present", stored.clone()).problem()["present"], stored);
    }
}
