//! Artifacts: files that a session made, to be looked at beside its transcript.
//!
//! Invariants: a file is served only if it's a regular file in the session's folder after links are resolved, and never
//! if it's sensitive; time, entries, and bytes have limits; a browser that shows an answer itself runs nothing in it.

mod frame;

pub use frame::{DOCUMENT_FRAME, document_frame};

use crate::fork::up_to;
use crate::records::{self, SessionRecord};
use crate::service::Sessions;
use crate::transcript::SessionKey;
use kit::error::{INTERNAL, NOT_FOUND, TOO_LARGE};
use kit::text::CURSOR;
use kit::{Body, Call, CallerSet, Ctx, Media, Method, Op, Page, Part, Raw, Reply, Result, rfc3339};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeSet, VecDeque};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use store::HasDb;
use supervisor::sensitive::{Access, Sensitive};

/// Maximum bytes of a file that is served.
const BYTES_MAX: u64 = 20 * 1024 * 1024;
/// Maximum artifacts in a list.
const FILES_MAX: usize = 1_000;
/// Maximum entries of folders that are read.
const ENTRIES_MAX: usize = 50_000;
/// Maximum characters of a path.
const PATH_CHARS_MAX: usize = 500;
/// Folders that are skipped, in addition to hidden ones.
const SKIPPED: [&str; 2] = ["node_modules", "target"];
/// What a browser may do with a file that it shows itself.
const POLICY: &str = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'";

/// Kinds of files, by their endings. The first type is served.
const KINDS: [(&str, &[&str], &str); 9] = [
    ("image", &["png"], "image/png"),
    ("image", &["jpg", "jpeg"], "image/jpeg"),
    ("image", &["gif"], "image/gif"),
    ("image", &["webp"], "image/webp"),
    ("image", &["svg"], "image/svg+xml"),
    ("pdf", &["pdf"], "application/pdf"),
    ("markdown", &["md", "markdown"], "text/markdown; charset=utf-8"),
    ("html", &["html", "htm"], "text/html; charset=utf-8"),
    ("csv", &["csv", "tsv"], "text/csv; charset=utf-8"),
];
const TEXT: (&str, &str) = ("text", "text/plain; charset=utf-8");

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "sessions.artifacts",
            Method::Get,
            "/sessions/{sessionId}/artifacts",
            CallerSet::PERSON,
            "List the files that a session made, newest first: those that its tools wrote, and images, documents, and \
             tables that changed in its folder since it began. At most 1,000; sensitive files aren't listed.",
            list,
        )
        .example(r#"{"sessionId": "{sessionId}"}"#)
        .synonyms("files outputs results images documents preview")
        .columns(&["path", "kind", "bytes", "changedAt"]),
        Op::new(
            "sessions.artifact",
            Method::Get,
            "/sessions/{sessionId}/artifacts/file",
            CallerSet::PERSON,
            "Get a file in a session's folder, up to 20 MiB. Sensitive files, such as `.env`, aren't found.",
            file,
        )
        .example(r#"{"sessionId": "{committedSessionId}", "path": "new.txt"}"#)
        .errors([&NOT_FOUND, &TOO_LARGE]),
    ]
}

/// A session, and a page of its artifacts.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ArtifactsOf {
    session_id: String,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: 10000.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

/// A file that a session made.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    /// Identifies the version of the file in this list.
    id: String,
    /// Relative to the session's folder, with `/` between folders.
    path: String,
    /// `image`, `pdf`, `markdown`, `html`, `csv`, or `text`.
    kind: &'static str,
    bytes: u64,
    /// RFC 3339 in UTC.
    changed_at: String,
}

async fn list(ctx: Ctx, call: Call, input: ArtifactsOf) -> Result<Page<Artifact>> {
    let key = SessionKey { account: call.caller.account.clone(), session: input.session_id.as_str().into() };
    let record = record(&ctx, &key).await?;
    let sessions = ctx.service::<Sessions>();
    sessions.flush(&key).await;
    let last = sessions.common.transcripts.last(&key).await?;
    let written = written_by(&up_to(&sessions.common, &key, last).await?);
    let place = Place::new(&sessions, &record);
    let since_ms = record.created_ms;
    // Outside the async threads: a disk may be slow or remote.
    let look = move || place.artifacts(written, since_ms);
    let all = tokio::task::spawn_blocking(look).await;
    let all = all.map_err(|fault| INTERNAL.error("Couldn't list files.").caused_by(fault))?;
    Part { cursor: input.cursor, limit: input.limit }.page(all, |one| (&one.id).into())
}

async fn record(ctx: &Ctx, key: &SessionKey) -> Result<SessionRecord> {
    let key = key.clone();
    ctx.db().read(move |tx| records::one(tx, &key.account, &key.session)).await
}

/// Paths of files that tool calls wrote, as the engine named them.
fn written_by(entries: &[crate::transcript::Entry]) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for entry in entries.iter().filter(|entry| entry.body.contains(r#""event":"tool""#)) {
        let Ok(body) = serde_json::from_str::<Value>(&entry.body) else { continue };
        let tool = &body["told"]["tool"];
        if body["told"]["state"] != "completed" || !matches!(tool["kind"].as_str(), Some("edit" | "move")) {
            continue;
        }
        paths.extend(tool["paths"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
    }
    paths
}

/// A session's folder, and what in it is sensitive.
struct Place {
    cwd: String,
    sensitive: Sensitive,
}

impl Place {
    fn new(sessions: &Sessions, record: &SessionRecord) -> Place {
        Place { cwd: record.cwd.clone(), sensitive: Sensitive::new(sessions.common.session_paths(&record.cwd)) }
    }

    /// The real path of a regular file in the folder that isn't sensitive, and the path relative to the folder.
    fn real(&self, path: &Path) -> Option<(PathBuf, String)> {
        let top = Path::new(&self.cwd).canonicalize().ok()?;
        let named = Path::new(&self.cwd).join(path);
        let real = named.canonicalize().ok()?;
        let below = real.strip_prefix(&top).ok()?;
        let parts: Option<Vec<&str>> = below.iter().map(|part| part.to_str()).collect();
        let is_sensitive =
            |path: &Path| path.to_str().is_none_or(|path| self.sensitive.path(path, &self.cwd, Access::Read).is_some());
        let is_shown = real.is_file() && !is_sensitive(&named) && !is_sensitive(&real) && below.iter().next().is_some();
        Some((real.clone(), parts?.join("/"))).filter(|_| is_shown)
    }

    /// The files that tools wrote, and those of a known kind that changed since the session began, newest first.
    fn artifacts(&self, written: BTreeSet<String>, since_ms: i64) -> Vec<Artifact> {
        let found = walked(Path::new(&self.cwd)).into_iter().filter(|path| kind_of(path).is_some());
        let (mut seen, mut all) = (BTreeSet::new(), Vec::new());
        let named = written.into_iter().map(|path| (PathBuf::from(path), true));
        for (path, is_written) in named.chain(found.map(|path| (path, false))) {
            let Some((real, path)) = self.real(&path) else { continue };
            let Ok(about) = real.metadata() else { continue };
            let changed = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
            let changed_ms = changed.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
            if (is_written || changed_ms >= since_ms) && seen.insert(path.clone()) {
                all.push((changed_ms, path, about.len()));
            }
        }
        all.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        all.truncate(FILES_MAX);
        let artifact = |(changed_ms, path, bytes): (i64, String, u64)| Artifact {
            id: id_of(&path, changed_ms),
            kind: kind_of(Path::new(&path)).map_or(TEXT.0, |(kind, _)| kind),
            path,
            bytes,
            changed_at: rfc3339(changed_ms),
        };
        all.into_iter().map(artifact).collect()
    }

    /// The bytes of a file, and its content type.
    fn read(&self, path: &str) -> Result<(Vec<u8>, &'static str)> {
        let none = || NOT_FOUND.error("File not found in the session's folder, or it's sensitive.");
        let (real, path) = self.real(Path::new(path)).ok_or_else(none)?;
        let mut bytes = Vec::new();
        let opened = std::fs::File::open(real).map_err(|_| none())?;
        opened.take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|_| none())?;
        if bytes.len() as u64 > BYTES_MAX {
            return Err(TOO_LARGE.error(format!("Files up to {} can be shown.", kit::text::size(BYTES_MAX as usize))));
        }
        let content_type = match kind_of(Path::new(&path)) {
            Some((_, content_type)) => content_type,
            None if bytes.contains(&0) || std::str::from_utf8(&bytes).is_err() => "application/octet-stream",
            None => TEXT.1,
        };
        Ok((bytes, content_type))
    }
}

/// Identifies a version of a file, in the form of a cursor.
fn id_of(path: &str, changed_ms: i64) -> String {
    use sha2::{Digest, Sha256};
    kit::ids::hex(&Sha256::digest(format!("{changed_ms} {path}"))[..12])
}

/// The kind and content type that a file's name says; none for other text.
fn kind_of(path: &Path) -> Option<(&'static str, &'static str)> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    KINDS.iter().find(|(_, endings, _)| endings.contains(&&*ending)).map(|(kind, _, media)| (*kind, *media))
}

/// Files below a folder, nearest folders first. Links aren't followed.
fn walked(top: &Path) -> Vec<PathBuf> {
    let (mut folders, mut found, mut left) = (VecDeque::from([PathBuf::new()]), Vec::new(), ENTRIES_MAX);
    while let Some(below) = folders.pop_front() {
        let Ok(entries) = std::fs::read_dir(top.join(&below)) else { continue };
        for entry in entries.flatten() {
            if left == 0 {
                return found;
            }
            left -= 1;
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
            if kind.is_dir() && !name.starts_with('.') && !SKIPPED.contains(&&*name) {
                folders.push_back(below.join(&name));
            } else if kind.is_file() {
                found.push(below.join(&name));
            }
        }
    }
    found
}

/// A file of a session.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ArtifactPath {
    session_id: String,
    /// The file's path in the session's folder.
    #[schemars(length(min = 1, max = PATH_CHARS_MAX))]
    path: String,
}

/// Documents the answer.
struct Bytes;
impl Media for Bytes {
    const TYPES: &'static [&'static str] = &[
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "image/svg+xml",
        "application/pdf",
        "text/markdown; charset=utf-8",
        "text/html; charset=utf-8",
        "text/csv; charset=utf-8",
        TEXT.1,
        "application/octet-stream",
    ];
    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

async fn file(ctx: Ctx, call: Call, input: ArtifactPath) -> Result<Raw<Bytes>> {
    let key = SessionKey { account: call.caller.account.clone(), session: input.session_id.as_str().into() };
    let place = Place::new(&ctx.service::<Sessions>(), &record(&ctx, &key).await?);
    let name = input.path.rsplit(['/', '\\']).next().unwrap_or_default();
    let disposition = format!("attachment; filename*=UTF-8''{}", percent_encoded(name));
    let read = tokio::task::spawn_blocking(move || place.read(&input.path)).await;
    let (bytes, content_type) = read.map_err(|fault| INTERNAL.error("Couldn't read the file.").caused_by(fault))??;
    let reply = Reply { status: 200, content_type, headers: Vec::new(), body: Body::Whole(bytes.into()) };
    Ok(reply.header("content-disposition", disposition).header("content-security-policy", POLICY).into())
}

/// A name in the form of RFC 8187.
fn percent_encoded(name: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    name.bytes().map(byte).collect()
}
