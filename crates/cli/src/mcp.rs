//! `pilothouse mcp`: carries MCP messages, one a line, between an agent's standard streams and the program's `POST /mcp`.
//!
//! A program that is gone is an error answer and not the end: the next message looks for it again.

use crate::code;
use crate::failure::Failure;
use crate::find::Target;
use crate::http::Http;
use crate::io::Io;
use crate::response::{accepted, whole};
use crate::transport::{Request, RequestBody, Response, Transport};
use kit::{Fault, Method};
use serde_json::{Map, Value, json};
use std::io::{BufRead, BufReader, Read, Write};

/// Longest message, in bytes, either way.
const MESSAGE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// JSON-RPC: the message is not JSON.
const PARSE_ERROR: i64 = -32700;
/// JSON-RPC: the JSON is no message.
const INVALID_REQUEST: i64 = -32600;
/// JSON-RPC: a fault of the server's own.
const SERVER_ERROR: i64 = -32000;

/// Faults of what the person has set up: the token, and where the program is.
const SET_UP_BY_PERSON: [Fault; 5] =
    [code::INSTANCE_FILE, code::NOT_LOOPBACK, code::NOT_PROVED, code::TOKEN_FILE, code::UNSOUND_TOKEN];

struct Bridge<'a> {
    target: &'a Target,
    version: &'a str,
    http: Option<Http>,
    /// Headers that the program expects back, as agreed in `initialize`.
    session: Option<String>,
    protocol: Option<String>,
    /// Why the program can't be reached until the person corrects something; none once it is.
    set_up_wrong: Option<Failure>,
}

/// Runs until standard input ends.
pub(crate) fn bridge(target: &Target, version: &str, io: &mut Io) -> Result<(), Failure> {
    let mut bridge = Bridge { target, version, http: None, session: None, protocol: None, set_up_wrong: None };
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut *io.stdin).take(MESSAGE_BYTES_MAX).read_until(b'\n', &mut line);
        if read.map_err(|e| Failure::Here(code::STANDARD_INPUT, format!("Couldn't read standard input: {e}.")))? == 0 {
            break;
        }
        if !line.trim_ascii().is_empty() {
            bridge.pass(line.trim_ascii(), io.stdout)?;
        }
    }
    bridge.close();
    bridge.set_up_wrong.map_or(Ok(()), Err)
}

impl Bridge<'_> {
    fn pass(&mut self, message: &[u8], out: &mut dyn Write) -> Result<(), Failure> {
        let Ok(parsed) = serde_json::from_slice::<Value>(message) else {
            return answer_error(&Value::Null, PARSE_ERROR, "The line isn't JSON.", out);
        };
        let is_message = match &parsed {
            Value::Array(batch) => batch.iter().any(Value::is_object),
            one => one.is_object(),
        };
        if !is_message {
            return answer_error(&Value::Null, INVALID_REQUEST, "Send an object, or a list of objects.", out);
        }
        // A batch with no request in it, a notification and a response are answered by nothing.
        let requests = match &parsed {
            Value::Array(batch) => batch.iter().filter_map(request_id).collect(),
            one => request_id(one).into_iter().collect::<Vec<_>>(),
        };
        let initializes = parsed["method"] == "initialize";
        if initializes {
            (self.session, self.protocol) = (None, None);
        }
        match self.send(Method::Post, RequestBody::Json(message.to_vec())) {
            Ok(response) => {
                self.set_up_wrong = None;
                self.give_back(response, initializes, &requests, out)
            }
            Err(failure) => {
                // The next message finds the program anew, wherever it answers then.
                self.http = None;
                let answered = answer_all(&requests, &failure, out);
                self.set_up_wrong = Some(failure).filter(is_set_up_by_person);
                answered
            }
        }
    }

    fn send(&mut self, method: Method, body: RequestBody) -> Result<Response, Failure> {
        let http = match &mut self.http {
            Some(http) => http,
            none => none.insert(self.target.connect(self.version)?),
        };
        let mut headers = vec![("accept".to_owned(), "application/json, text/event-stream".to_owned())];
        headers.extend(self.session.iter().map(|id| ("mcp-session-id".to_owned(), id.clone())));
        headers.extend(self.protocol.iter().map(|p| ("mcp-protocol-version".to_owned(), p.clone())));
        let (op, input, query) = ("", Map::new(), Vec::new());
        let response = http.send(Request { op, input, method, path: "/mcp".into(), query, headers, body })?;
        accepted(response)
    }

    fn give_back(
        &mut self,
        mut response: Response,
        initializes: bool,
        requests: &[&Value],
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        if let Some(id) = response.header("mcp-session-id") {
            self.session = Some(id.to_owned());
        }
        let mut protocol = None;
        let mut give = |answer: &[u8], out: &mut dyn Write| -> Result<(), Failure> {
            if initializes && let Ok(answer) = serde_json::from_slice::<Value>(answer) {
                protocol = answer["result"]["protocolVersion"].as_str().map(str::to_owned).or(protocol.take());
            }
            write_line(answer, out)
        };
        let given = if response.media_type() == "text/event-stream" {
            each_event(response.body, |data| give(data, out))
        } else {
            whole(&mut response.body, MESSAGE_BYTES_MAX).and_then(|body| match body.trim_ascii() {
                [] => Ok(()),
                answer => give(answer, out),
            })
        };
        self.protocol = protocol.or(self.protocol.take());
        match given {
            Err(failure @ Failure::Here(..)) => answer_all(requests, &failure, out),
            other => other,
        }
    }

    /// Tells the program that the conversation is over; whether it hears that changes nothing.
    fn close(&mut self) {
        if self.session.is_some() && self.http.is_some() {
            let _ = self.send(Method::Delete, RequestBody::None);
        }
    }
}

fn request_id(message: &Value) -> Option<&Value> {
    message.get("method").and(message.get("id"))
}

/// The data of each server-sent event.
fn each_event(body: Box<dyn Read>, mut give: impl FnMut(&[u8]) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut body = BufReader::new(body);
    let (mut data, mut line) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        let read = (&mut body).take(MESSAGE_BYTES_MAX).read_until(b'\n', &mut line);
        let read = read.map_err(|e| Failure::Here(code::NO_ANSWER, format!("The result is incomplete: {e}.")))?;
        let text = line.trim_ascii_end();
        if let Some(part) = text.strip_prefix(b"data:") {
            data.extend_from_slice(part.trim_ascii_start());
            data.push(b'\n');
        } else if text.is_empty() && !data.trim_ascii().is_empty() {
            give(data.trim_ascii())?;
            data.clear();
        }
        if data.len() as u64 > MESSAGE_BYTES_MAX {
            return Err(Failure::Here(code::ANSWER_TOO_LARGE, "A result is too large.".into()));
        }
        if read == 0 {
            return Ok(());
        }
    }
}

/// A line break inside a JSON document can only stand between tokens, so a space says the same.
fn write_line(message: &[u8], out: &mut dyn Write) -> Result<(), Failure> {
    let mut line: Vec<u8> = message.iter().map(|b| if matches!(b, b'\n' | b'\r') { b' ' } else { *b }).collect();
    line.push(b'\n');
    out.write_all(&line)?;
    Ok(out.flush()?)
}

fn answer_all(requests: &[&Value], failure: &Failure, out: &mut dyn Write) -> Result<(), Failure> {
    if let Failure::Problem { body, .. } = failure
        && serde_json::from_slice::<Value>(body).is_ok_and(|body| body.get("jsonrpc").is_some())
    {
        return if requests.is_empty() { Ok(()) } else { write_line(body, out) };
    }
    let what = match failure {
        // What is wrong before the program answers, the agent can't mend.
        Failure::NotRunning(what) => format!("Ask the owner to start Pilothouse. {what}"),
        Failure::Here(_, what) if !is_set_up_by_person(failure) => what.clone(),
        Failure::Usage(what) | Failure::Here(_, what) => format!("Ask the owner to correct the configuration. {what}"),
        Failure::Problem { status, body, .. } => {
            let problem: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
            let detail = problem["detail"].as_str().unwrap_or("No reason was given.");
            format!("Pilothouse returned status {status}: {detail}")
        }
        Failure::Output(e) => format!("Couldn't write the result: {e}."),
        Failure::Shown => String::new(),
    };
    requests.iter().try_for_each(|id| answer_error(id, SERVER_ERROR, &what, out))
}

fn is_set_up_by_person(failure: &Failure) -> bool {
    matches!(failure, Failure::Usage(_)) || matches!(failure, Failure::Here(code, _) if SET_UP_BY_PERSON.contains(code))
}

fn answer_error(id: &Value, code: i64, message: &str, out: &mut dyn Write) -> Result<(), Failure> {
    let answer = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
    write_line(answer.to_string().as_bytes(), out)
}
