//! From what was typed to the request that is sent.

use crate::argument_names::long_of;
use crate::entry::{Entry, takes_json_body};
use crate::failure::Failure;
use crate::io::Io;
use crate::json_argument::{at_most, read_json};
use crate::members::{self, Kind, Member};
use crate::options::text;
use crate::overrides::Input;
use crate::transport::{Request, RequestBody, fill_path, plain};
use clap::ArgMatches;
use kit::op::{ANY_MEDIA, Takes};
use kit::setting::Spec;
use kit::{Method, Op};
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// The operation's input.
pub(crate) fn read(entry: &Entry, matches: &ArgMatches, settings: &[&'static Spec], io: &mut Io) -> Input {
    if let Some(custom) = entry.overrides.and_then(|overrides| overrides.custom.as_ref()) {
        return (custom.input)(matches, settings, io);
    }
    let mut input = match text(matches, "input") {
        Some(written) => match read_json(written, "--input", entry.op.body_bytes_max, io)? {
            Value::Object(members) => members,
            _ => return Err(Failure::Usage("--input needs a JSON object.".into())),
        },
        None => Map::new(),
    };
    for member in members::list(entry.op) {
        if member.kind == Kind::Secret {
            secret(&member, &mut input, text(matches, "input"), entry.op.body_bytes_max, io)?;
            continue;
        }
        let id = ["path", "in"].into_iter().map(|place| format!("{place}:{}", member.name));
        let Some(id) = id.into_iter().find(|id| matches.try_contains_id(id).unwrap_or(false)) else { continue };
        let refused = |what: String| {
            Failure::Usage(format!(
                "Invalid {}: {what}.",
                if entry.is_positional(&member.name) {
                    member.name.to_uppercase()
                } else {
                    format!("--{}", long_of(&member.name))
                }
            ))
        };
        let value = match &member.kind {
            Kind::List(inner) => {
                let values = matches.get_many::<String>(&id).into_iter().flatten();
                Value::Array(values.map(|written| inner.read(written)).collect::<Result<_, _>>().map_err(refused)?)
            }
            kind => match (text(matches, &id), kind) {
                (None, _) => continue,
                (Some(written), Kind::Any) => any(written, &member.name, entry.op.body_bytes_max, io)?,
                (Some(written), Kind::Json) => read_json(written, &member.name, entry.op.body_bytes_max, io)?,
                (Some(written), kind) => kind.read(written).map_err(refused)?,
            },
        };
        input.insert(member.name, value);
    }
    // A parameter of the path that the input type does not spell out is text.
    for param in entry.op.path_params() {
        if let (false, Some(written)) = (input.contains_key(param), text(matches, &format!("path:{param}"))) {
            input.insert(param.to_owned(), written.into());
        }
    }
    Ok(input)
}

/// Puts a secret into the input, which only a file or standard input may have held.
fn secret(
    member: &Member,
    input: &mut Map<String, Value>,
    written: Option<&str>,
    bytes_max: usize,
    io: &mut Io,
) -> Result<(), Failure> {
    if input.contains_key(&member.name) {
        return match written {
            Some(file) if file == "-" || file.starts_with('@') => Ok(()),
            _ => Err(Failure::Usage(format!(
                "Other programs can read {} in an argument. Leave it out to be prompted, pass it on standard input, or use \
                 --input @FILE.",
                member.name
            ))),
        };
    }
    if member.required {
        input.insert(member.name.clone(), typed(&member.name, bytes_max, io)?.into());
    }
    Ok(())
}

/// A text that is typed without being shown, or all of standard input without the end of its last line.
fn typed(name: &str, bytes_max: usize, io: &mut Io) -> Result<String, Failure> {
    let unread = |e: io::Error| Failure::Usage(format!("Couldn't read the {name}: {e}."));
    if io.stdin_is_terminal {
        return rpassword::prompt_password(format!("{name} (hidden): ")).map_err(unread);
    }
    let bytes = at_most(&mut *io.stdin, bytes_max, "standard input")?;
    let text = String::from_utf8(bytes).map_err(|_| Failure::Usage("Standard input isn't UTF-8.".into()))?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    Ok(line.strip_suffix('\r').unwrap_or(line).to_owned())
}

/// The request for an operation with this input.
pub(crate) fn request<'a>(
    op: &'a Op,
    input: Map<String, Value>,
    matches: &ArgMatches,
    io: &'a mut Io,
) -> Result<Request<'a>, Failure> {
    let path = fill_path(op.path, &input);
    if op.path_params().any(|param| input.get(param).is_none_or(|value| plain(value).is_empty())) {
        return Err(Failure::Usage("An ID is empty.".into()));
    }
    let rest: Vec<(&String, &Value)> =
        input.iter().filter(|(name, _)| !op.path_params().any(|param| param == *name)).collect();
    let mut query = Vec::new();
    let body = if takes_json_body(op) {
        let members: Map<String, Value> = rest.into_iter().map(|(k, v)| (k.clone(), v.clone())).collect();
        RequestBody::Json(Value::Object(members).to_string().into_bytes())
    } else {
        query.extend(rest.into_iter().map(|(name, value)| (name.clone(), plain(value))));
        match (op.takes, text(matches, "file")) {
            (Takes::File(media), Some(file)) => {
                // Where any file is kept, it is called what it is called here; what is made of one may be called after it.
                let member = if media.contains(&ANY_MEDIA) { "name" } else { "fileName" };
                let is_taken = member == "name" || members::list(op).iter().any(|other| other.name == member);
                let is_named = !is_taken || query.iter().any(|(name, _)| name == member);
                let called = Path::new(file).file_name().filter(|_| !is_named && file != "-");
                query.extend(called.map(|name| (member.to_owned(), name.to_string_lossy().into_owned())));
                file_body(file, (media, op.body_bytes_max), text(matches, "content-type"), io)?
            }
            _ => RequestBody::None,
        }
    };
    let accept = text(matches, "accept").or_else(|| {
        let json = op.media.iter().find(|media| **media == "application/json");
        json.or(op.media.first()).copied()
    });
    let mut headers = vec![("accept".to_owned(), accept.unwrap_or("application/json").to_owned())];
    if op.method != Method::Get
        && let Some(revision) = text(matches, "if-match")
    {
        let quoted = if revision == "*" { revision.to_owned() } else { format!("\"{}\"", revision.trim_matches('"')) };
        if quoted.chars().any(|c| c.is_control()) {
            return Err(Failure::Usage("--if-match takes a revision.".into()));
        }
        headers.push(("if-match".to_owned(), quoted));
    }
    Ok(Request { op: op.name, input, method: op.method, path, query, headers, body })
}

/// Any JSON, or else the text as it stands. What begins as JSON that has an end is meant as JSON: an error in it is reported.
fn any(written: &str, name: &str, bytes_max: usize, io: &mut Io) -> Result<Value, Failure> {
    let meant = written == "-" || written.starts_with(['@', '{', '[', '"']);
    match read_json(written, name, bytes_max, io) {
        Err(_) if !meant => Ok(written.into()),
        Err(Failure::Usage(what)) => Err(Failure::Usage(format!("{what} {QUOTED}"))),
        other => other,
    }
}

const QUOTED: &str = "Quote text that looks like JSON: '\"[a] text\"'.";

/// The file that a command sends.
pub(crate) fn file_of<'a>(op: &Op, matches: &'a ArgMatches) -> Option<&'a str> {
    text(matches, "file").filter(|file| matches!(op.takes, Takes::File(_)) && *file != "-")
}

/// Whether the command sends standard input as it comes.
pub(crate) fn is_streamed(op: &Op, matches: &ArgMatches) -> bool {
    matches!(op.takes, Takes::File(_)) && text(matches, "file") == Some("-")
}

/// Media types by the ending of a file's name.
const ENDINGS: [(&str, &str); 6] = [
    ("csv", "text/csv"),
    ("tsv", "text/tab-separated-values"),
    ("json", "application/json"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("zip", "application/zip"),
    ("txt", "text/plain"),
];

fn file_body<'a>(
    name: &str,
    (media, bytes_max): (&[&str], usize),
    said: Option<&str>,
    io: &'a mut Io,
) -> Result<RequestBody<'a>, Failure> {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let by_name = ENDINGS.iter().find(|(e, _)| Some(*e) == ending.as_deref()).map(|(_, media)| *media);
    let by_name = by_name.filter(|guess| media.contains(guess) || media.contains(&ANY_MEDIA));
    let content_type = said.or(by_name).or(media.first().copied()).unwrap_or("application/octet-stream").to_owned();
    let progress = io.stderr_is_terminal.then_some(&mut *io.stderr);
    let (reader, length_bytes): (Box<dyn Read + 'a>, Option<u64>) = if name == "-" {
        (Box::new(&mut *io.stdin), None)
    } else {
        let unreadable = |e: io::Error| Failure::Usage(format!("Couldn't read {name}: {e}."));
        let file = File::open(name).map_err(unreadable)?;
        let facts = file.metadata().map_err(unreadable)?;
        if facts.is_dir() {
            return Err(Failure::Usage(format!("{name} is a directory. Name a file.")));
        }
        // A pipe has a length of zero and sends what comes.
        let length = facts.is_file().then_some(facts.len());
        (Box::new(file), length)
    };
    if let Some(length) = length_bytes.filter(|length| *length > bytes_max as u64) {
        return Err(Failure::Usage(format!("{name} has {length} bytes. The limit is {bytes_max}.")));
    }
    let reader = match progress {
        Some(stderr) => Box::new(Counted { reader, stderr, sent_bytes: 0, shown_bytes: 0, length_bytes }),
        None => reader,
    };
    Ok(RequestBody::File { reader, length_bytes, content_type })
}

/// Says how much was sent, each time another step is reached.
struct Counted<'a> {
    reader: Box<dyn Read + 'a>,
    stderr: &'a mut dyn Write,
    sent_bytes: u64,
    shown_bytes: u64,
    length_bytes: Option<u64>,
}

const PROGRESS_STEP_BYTES: u64 = 1024 * 1024;

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.sent_bytes += read as u64;
        let ended = read == 0 || Some(self.sent_bytes) == self.length_bytes;
        if self.sent_bytes - self.shown_bytes >= PROGRESS_STEP_BYTES || ended && self.sent_bytes > self.shown_bytes {
            self.shown_bytes = self.sent_bytes;
            let of = self.length_bytes.map_or(String::new(), |length| format!(" of {length}"));
            let end = if ended { "\n" } else { "" };
            // Progress that cannot be shown is no reason to stop sending.
            let _ = write!(self.stderr, "\rSent {}{of} bytes{end}", self.sent_bytes).and_then(|()| self.stderr.flush());
        }
        Ok(read)
    }
}
