//! Why a command did not do what was asked, the exit code that says so, and how it is reported.

use crate::argument_names::{ArgumentNames, HEADERS};
use crate::code;
use crate::io::Io;
use crate::text::clean;
use crate::transport::TransportError;
use kit::Fault;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io;

/// Done.
pub const EXIT_OK: u8 = 0;
/// The program refused, or something failed.
pub const EXIT_REFUSED: u8 = 1;
/// The command line makes no sense.
pub const EXIT_USAGE: u8 = 2;
/// The program does not run.
pub const EXIT_NOT_RUNNING: u8 = 3;
/// The token is rejected.
pub const EXIT_UNAUTHORISED: u8 = 4;

#[derive(Debug)]
pub(crate) enum Failure {
    /// The command, or a file that it names, is invalid.
    Usage(String),
    /// Nothing to talk to.
    NotRunning(String),
    /// Refused or failed on this side; the code and a sentence.
    Here(Fault, String),
    /// The program's own refusal: status, the `Retry-After` header, the document as sent, and the names of what was typed.
    Problem { status: u16, retry_after_s: Option<String>, body: Vec<u8>, names: Box<ArgumentNames> },
    /// The answer could not be written.
    Output(io::Error),
    /// The answer, which was shown, says that what was asked for isn't accepted.
    Shown,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

impl From<TransportError> for Failure {
    fn from(error: TransportError) -> Self {
        match error {
            TransportError::NotRunning(what) => Failure::NotRunning(what),
            TransportError::Failed(what) => Failure::Here(code::NO_ANSWER, what),
        }
    }
}

impl Failure {
    /// The exit code.
    pub(crate) fn exit(&self) -> u8 {
        match self {
            Failure::Usage(_) => EXIT_USAGE,
            Failure::NotRunning(_) => EXIT_NOT_RUNNING,
            Failure::Problem { status: 401, .. } => EXIT_UNAUTHORISED,
            // A reader such as `head` that has seen enough is no failure.
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => EXIT_OK,
            _ => EXIT_REFUSED,
        }
    }

    /// The same in the words of the command that was typed.
    pub(crate) fn with_names(self, names: ArgumentNames) -> Failure {
        match self {
            Failure::Problem { status, retry_after_s, body, .. } => {
                Failure::Problem { status, retry_after_s, body, names: Box::new(names) }
            }
            other => other,
        }
    }

    /// The same with another detail.
    pub(crate) fn with_detail(self, detail: &str) -> Failure {
        let Failure::Problem { status, retry_after_s, body, names } = self else { return self };
        let Ok(Value::Object(mut problem)) = serde_json::from_slice(&body) else {
            return Failure::Problem { status, retry_after_s, body, names };
        };
        problem.insert("detail".to_owned(), detail.into());
        Failure::Problem { status, retry_after_s, body: Value::Object(problem).to_string().into_bytes(), names }
    }

    /// Whether the program refused what was sent as a whole, and no member of the input.
    pub(crate) fn is_about_whole_body(&self) -> bool {
        let Failure::Problem { status: 413 | 415 | 422, body, .. } = self else { return false };
        serde_json::from_slice(body).is_ok_and(|problem: Value| problem["errors"].as_array().is_none_or(Vec::is_empty))
    }

    /// Writes it: as JSON on standard output where that was asked for, in words on standard error otherwise.
    pub(crate) fn report(&self, json: bool, io: &mut Io) -> u8 {
        if matches!(self, Failure::Shown) {
            return self.exit();
        }
        // Where the message cannot be written either, the exit code still says it.
        let _ = if json { self.report_json(io) } else { self.report_in_words(io) };
        self.exit()
    }

    /// The program's refusal.
    pub(crate) fn problem(&self) -> Option<Value> {
        let Failure::Problem { body, .. } = self else { return None };
        serde_json::from_slice(body).ok()
    }

    pub(crate) fn report_json(&self, io: &mut Io) -> io::Result<()> {
        let (code, detail) = match self {
            Failure::Usage(what) => (code::USAGE, what.clone()),
            Failure::NotRunning(what) => (code::NOT_RUNNING, what.clone()),
            Failure::Here(code, what) => (*code, what.clone()),
            Failure::Problem { body, .. } if serde_json::from_slice::<Value>(body).is_ok() => {
                let body = String::from_utf8_lossy(body).replace(HEADERS[0].0, HEADERS[0].1);
                io.stdout.write_all(body.as_bytes())?;
                return if body.ends_with('\n') { Ok(()) } else { io.stdout.write_all(b"\n") };
            }
            Failure::Problem { status, .. } => {
                (code::NO_PROBLEM_DOCUMENT, format!("The server returned status {status}."))
            }
            Failure::Output(error) => return self.report_output(error, io),
            Failure::Shown => return Ok(()),
        };
        let kind = format!("urn:pilothouse:error:{}", code.name());
        writeln!(io.stdout, "{}", json!({"type": kind, "title": "Command not run", "detail": detail, "code": code}))
    }

    fn report_in_words(&self, io: &mut Io) -> io::Result<()> {
        match self {
            Failure::Usage(what) | Failure::NotRunning(what) | Failure::Here(_, what) => {
                writeln!(io.stderr, "{}", clean(what))
            }
            Failure::Problem { status, retry_after_s, body, names } => {
                io.stderr.write_all(in_words(*status, retry_after_s.as_deref(), body, names).as_bytes())
            }
            Failure::Output(error) => self.report_output(error, io),
            Failure::Shown => Ok(()),
        }
    }

    fn report_output(&self, error: &io::Error, io: &mut Io) -> io::Result<()> {
        if self.exit() == EXIT_OK { Ok(()) } else { writeln!(io.stderr, "Couldn't write the result: {error}.") }
    }
}

/// What is wrong with a command line, where one of its words could steer the terminal that shows the complaint about it;
/// `None` where none could, and the parser's own decorated text will do.
pub fn tamed(error: &clap::Error, words: impl IntoIterator<Item = OsString>) -> Option<String> {
    let steers = words.into_iter().any(|word| word.to_string_lossy().contains(char::is_control));
    let text = steers.then(|| error.render().to_string())?;
    Some(text.lines().map(|line| clean(line) + "\n").collect())
}

/// A problem document for people: what, each place, what might have been meant, when to try again.
fn in_words(status: u16, retry_after_s: Option<&str>, body: &[u8], names: &ArgumentNames) -> String {
    let problem: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    let text = |value: &Value, member: &str| clean(value[member].as_str().unwrap_or(""));
    let sentence = |value: &Value| names.sentence(&text(value, "detail"));
    let what = sentence(&problem);
    let mut words = match (text(&problem, "title"), what.clone()) {
        (title, detail) if title.is_empty() && detail.is_empty() => {
            format!("The server returned status {status} without a reason.\n")
        }
        (title, detail) if title.is_empty() => format!("{detail}\n"),
        (title, detail) if detail.is_empty() => format!("{title}.\n"),
        (title, detail) if detail.starts_with(&title) => format!("{detail}\n"),
        (title, detail) => format!("{title}: {detail}\n"),
    };
    // Where places are named, what was given elsewhere isn't what is missing.
    let has_places = problem["errors"].as_array().is_some_and(|errors| !errors.is_empty());
    for error in problem["errors"].as_array().into_iter().flatten() {
        // A sentence that stands above already is not said again.
        let (place, detail) = (names.place(&text(error, "pointer")), sentence(error));
        words.push_str(&match (place.is_empty(), detail == what) {
            (true, true) => continue,
            (true, false) => format!("  {detail}\n"),
            (false, true) => format!("  {place}\n"),
            (false, false) => format!("  {place}: {detail}\n"),
        });
    }
    if let Some(ids) = names.ids(&words).filter(|_| status == 404 && !has_places) {
        words.push_str(&format!("  Given: {ids}\n"));
    }
    let suggestions: Vec<String> =
        problem["suggestions"].as_array().into_iter().flatten().filter_map(|s| s.as_str().map(clean)).collect();
    // A sentence that names them already is not said again.
    if suggestions.iter().any(|one| !what.contains(one.as_str())) {
        words.push_str(&format!("Did you mean: {}?\n", suggestions.join(", ")));
    }
    if let Some(seconds) = retry_after_s {
        words.push_str(&format!("Retry in {} s.\n", clean(seconds)));
    }
    if let Some(code) = problem["code"].as_str() {
        words.push_str(&format!("({})\n", clean(code)));
    }
    words
}
