//! Texts of sessions: inbox rows, and notes to engines before a message.

use crate::inbox_kinds;
use crate::records::{Ask, SessionRecord};
use crate::transcript::BODY_BYTES_MAX;
use engines::port::{McpServer, McpVia};
use engines::{Chunk, StopReason, Usage};
use kit::InboxKind;
use serde_json::{Value, json};
use std::path::PathBuf;
use supervisor::context::Mark;
use supervisor::state::{AttentionReason, Interruption, Nudge, ResendReason, Verdict};

/// Maximum characters of a title made from a prompt.
const OWN_TITLE_CHARS: usize = 60;

/// The start of a prompt's first line, as a title.
pub(crate) fn title_of(prompt: &str) -> String {
    let line = prompt.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let line = kit::ids::without_tokens(line);
    let plain: String = line.chars().filter(|c| !c.is_control() && !kit::text::is_turning(*c)).collect();
    if plain.chars().all(kit::text::is_unseen) {
        return "Session".into();
    }
    if plain.chars().count() <= OWN_TITLE_CHARS {
        return plain;
    }
    let cut: String = plain.chars().take(OWN_TITLE_CHARS).collect();
    // Cut between words if possible.
    format!("{}…", cut.rsplit_once(' ').map_or(cut.as_str(), |(words, _)| words))
}

/// The outcome of a request, as stored.
pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allowed => "allowed",
        Verdict::Denied => "refused",
        Verdict::Cancelled => "withdrawn",
    }
}

/// Maximum variables that the note about those names.
const NOT_PASSED_MAX: usize = 20;

/// The note about variables that an engine didn't get.
pub(crate) fn not_passed(engine: &str, names: &[String]) -> String {
    let shown = names[..names.len().min(NOT_PASSED_MAX)].join(", ");
    let more = match names.len().saturating_sub(NOT_PASSED_MAX) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    format!("Not passed to {engine}: {shown}{more}. Add them under Engines if it needs them.")
}

/// The note about files that aren't hidden from an engine.
pub(crate) fn provider_login(engine: &str, places: &[PathBuf]) -> String {
    let places: Vec<_> = places.iter().map(|place| place.to_string_lossy()).collect();
    format!("Not hidden in the sandbox: {}. {engine} is set up for a provider that logs in with it.", places.join(", "))
}

/// The note about a mark of the context that its use reached.
pub(crate) fn context_note(mark: Mark, usage: &Usage) -> String {
    let next = match mark {
        Mark::Most => "",
        Mark::Nearly => " Compact the context or start a new session.",
    };
    format!("Context {}% full: {} of {} tokens.{next}", mark.percent(), grouped(usage.used), grouped(usage.size))
}

/// A number with a comma between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The note about tool servers that kept a session from opening.
pub(crate) fn tools_late(engine: &str, seconds: u64) -> String {
    format!(
        "{engine} didn't start within {seconds} seconds with this hub's tool servers, so it starts without them. \
         Check the tool servers of the hub."
    )
}

/// The note about tool servers that an engine can't connect to by address.
pub(crate) fn tools_by_address(engine: &str, servers: &[McpServer]) -> Option<String> {
    let by_address = servers.iter().filter(|server| matches!(server.via, McpVia::Http { .. }));
    let names: Vec<&str> = by_address.map(|server| &*server.name).collect();
    (!names.is_empty())
        .then(|| format!("{engine} can't connect to tool servers by address. Not connected: {}.", names.join(", ")))
}

/// The inbox row for a session that needs you: its kind, title, and text.
pub(crate) fn attention(
    need: &AttentionReason,
    record: &SessionRecord,
    ask: Option<&Ask>,
) -> (&'static InboxKind, String, String) {
    let is_plan = ask.is_some_and(|ask| ask.kind == "plan");
    let (kind, what) = match need {
        AttentionReason::Permission { .. } if is_plan => (&inbox_kinds::PLAN, "plan needs approval"),
        AttentionReason::Permission { .. } => (&inbox_kinds::APPROVAL, "needs approval"),
        AttentionReason::Value { .. } => (&inbox_kinds::QUESTION, "has a question"),
        AttentionReason::Question => (&inbox_kinds::SESSION, "has a question"),
        AttentionReason::CutShort { stop: StopReason::Denied } => {
            (&inbox_kinds::SESSION, "turn ended: a request was denied")
        }
        AttentionReason::CutShort { .. } => (&inbox_kinds::SESSION, "response truncated"),
        AttentionReason::Failed { .. } => (&inbox_kinds::SESSION, "failed"),
        AttentionReason::Limit => (&inbox_kinds::SESSION, "usage limit reached"),
        AttentionReason::Stuck => (&inbox_kinds::SESSION, "not responding"),
        AttentionReason::Loop => (&inbox_kinds::SESSION, "stuck in a loop"),
        AttentionReason::Awake => (&inbox_kinds::SESSION, "snooze ended"),
    };
    let body = match ask {
        Some(ask) => format!("{}\n{}", asked_in_full(&ask.request), ask.why),
        None => record.life.evidence.why.clone(),
    };
    (kind, format!("{}: {what}", record.title), body.trim().to_owned())
}

/// Characters of a reply in an inbox row; the session's page shows all of it.
const REPLY_CHARS_MAX: usize = 500;

/// The end of a reply, for the row about its turn.
pub(crate) fn end_of_reply(reply: &str) -> String {
    let reply = reply.trim();
    match reply.char_indices().rev().nth(REPLY_CHARS_MAX - 1) {
        Some((at, _)) if at > 0 => format!("…{}", &reply[at..]),
        _ => reply.to_owned(),
    }
}

/// Characters of a request in an inbox row; the session's page shows all of it.
const ASKED_CHARS_MAX: usize = 2_000;

/// A request in full: the command, the plan, the title of the tool call, or the question.
pub(crate) fn asked_in_full(request: &str) -> String {
    let plan = serde_json::from_str::<Value>(request).unwrap_or_default()["tool"]["input"]["plan"].take();
    plan.as_str().map_or_else(|| asked(request), |plan| plan.chars().take(ASKED_CHARS_MAX).collect())
}

/// A request on one line; for a plan, its title.
fn asked(request: &str) -> String {
    let request: Value = serde_json::from_str(request).unwrap_or_default();
    let texts = [&request["tool"]["command"], &request["tool"]["title"], &request["message"]];
    let text = texts.into_iter().find_map(Value::as_str).unwrap_or_default();
    text.chars().take(ASKED_CHARS_MAX).collect()
}

/// The note to the engine before a message that is sent again, or instead of one.
/// `asks` are the requests whose answers the nudges carry.
pub(crate) fn before_prompt(resend: Option<ResendReason>, nudges: &[Nudge], asks: &[Ask]) -> String {
    let note = resend.map(|note| match note {
        ResendReason::Silent => "[Pilothouse: this message got no response earlier, so it's sent again.]".to_owned(),
        ResendReason::Unheard => "[Pilothouse: the following message may not have reached you earlier.]".to_owned(),
        ResendReason::NewSession => {
            "[Pilothouse: your earlier session is no longer available. The task you were working on follows; check the folder first for finished work.]".to_owned()
        }
    });
    let said = nudges.iter().map(|nudge| match nudge {
        Nudge::Continue { after: Interruption::Crash } => {
            "[Pilothouse: you were interrupted by a crash. Resume where you left off.]".to_owned()
        }
        Nudge::Continue { after: Interruption::AppClose } => {
            "[Pilothouse: the app was closed and has restarted. Resume where you left off.]".to_owned()
        }
        Nudge::Continue { .. } => "[Pilothouse: you were interrupted. Resume where you left off.]".to_owned(),
        Nudge::Loop { what } => {
            format!("[Pilothouse: you're stuck in a loop: {what}. Try another approach, or say what you need.]")
        }
        Nudge::TryAgain => "[Pilothouse: the error should be resolved. Resume where you left off.]".to_owned(),
        Nudge::LimitOver => "[Pilothouse: your usage limit has reset. Resume where you left off.]".to_owned(),
        Nudge::Compacted => "[Pilothouse: your context was compacted. Resume where you left off.]".to_owned(),
        Nudge::Woken => "[Pilothouse: resume where you left off.]".to_owned(),
        Nudge::Answered { id, allow } => answered(*allow, asks.iter().find(|ask| ask.id == *id)),
    });
    note.into_iter().chain(said).collect::<Vec<_>>().join("\n")
}

/// The note about the answer to a request of an earlier process.
fn answered(allow: bool, ask: Option<&Ask>) -> String {
    let is_question = ask.is_some_and(|ask| ask.kind == "question");
    let asked = ask.map(|ask| asked(&ask.request)).filter(|asked| !asked.is_empty());
    let asked = asked.map(|asked| format!(" ({asked})")).unwrap_or_default();
    let said = ask.map(|ask| ask.said.as_str()).filter(|said| !said.is_empty());
    let answer = match (is_question, allow) {
        (true, true) => "answered",
        (true, false) => "not answered",
        (false, true) => "allowed",
        (false, false) => "denied",
    };
    let answer = said.map_or_else(|| answer.to_owned(), |said| format!("{answer}: {said}"));
    let go_on = if allow { "Continue." } else { "Continue without it." };
    format!("[Pilothouse: your request from before the interruption{asked} was {answer}. {go_on}]")
}

/// Characters of a name in a truncated entry.
const CUT_NAME_CHARS_MAX: usize = 200;
/// Maximum characters of a queued message outside its session.
const QUEUED_CHARS: usize = 2_000;

/// The texts of a message.
pub(crate) fn text_of(content: &[Chunk]) -> String {
    let text = |chunk: &Chunk| if let Chunk::Text { text } = chunk { Some(text.clone()) } else { None };
    content.iter().filter_map(text).collect::<Vec<_>>().join("\n").chars().take(QUEUED_CHARS).collect()
}

/// Transcript line of queued messages that a stop removed.
pub(crate) fn removed(texts: &[String]) -> String {
    let what = match texts {
        [_] => "a queued message".to_owned(),
        texts => format!("{} queued messages", texts.len()),
    };
    format!("Stopping removed {what} without sending: {}", texts.join(" | "))
}

/// A message as its transcript entry: images are stored with the message and referenced by index.
pub(crate) fn without_images(content: &[Chunk]) -> Vec<Value> {
    let mut images = 0;
    let shown = |chunk: &Chunk| match chunk {
        Chunk::Image { mime, .. } => {
            images += 1;
            json!({"type": "image", "mime": mime, "image": images - 1})
        }
        chunk => crate::records::value(chunk),
    };
    content.iter().map(shown).collect()
}

/// A message as the engine accepts it: without image support, images become a note.
pub(crate) fn accepted_by(content: Vec<Chunk>, takes_images: Option<bool>) -> Vec<Chunk> {
    let left_out =
        || Chunk::Text { text: "[Pilothouse: an image was omitted because this engine doesn't accept images.]".into() };
    let is_left_out = |chunk: &Chunk| takes_images == Some(false) && matches!(chunk, Chunk::Image { .. });
    content.into_iter().map(|chunk| if is_left_out(&chunk) { left_out() } else { chunk }).collect()
}

/// An entry as one line; if it is too large, only its kind and size.
pub(crate) fn cut(entry: &Value) -> String {
    let line = entry.to_string();
    if line.len() <= BODY_BYTES_MAX {
        return line;
    }
    let told = &entry["told"];
    // Whatever an agent names may be as long as the entry itself.
    let name = |value: &Value| value.as_str().map(|text| text.chars().take(CUT_NAME_CHARS_MAX).collect::<String>());
    let tool = &told["tool"];
    let short = json!({"event": name(&told["event"]), "tool": {"id": name(&tool["id"]), "title": name(&tool["title"])}, "state": name(&told["state"])});
    json!({"entry": name(&entry["entry"]), "told": short, "cutBytes": line.len()}).to_string()
}

/// Added to the request of a command that uses more than the sandbox shows: `what`. If the engine runs the command
/// itself, only its git, gh, and npm leave the sandbox.
pub(crate) fn opens(what: &str, runs_git: bool, is_whole: bool, has_sandbox: bool) -> String {
    let git = if runs_git { ", without the repository's hooks" } else { "" };
    let runs = match (has_sandbox, is_whole) {
        (true, true) => "this command runs outside the sandbox and",
        (true, false) => "only its git, gh, and npm commands run outside the sandbox, without install scripts. They",
        (false, _) => "this command",
    };
    let rest = if has_sandbox {
        "Everything else stays hidden"
    } else {
        "This system has no sandbox, so files aren't hidden from it"
    };
    format!("If you allow it, {runs} may use {what}{git}. {rest}")
}

/// Transcript line of a command that ran outside the sandbox.
#[cfg(unix)]
pub(crate) fn opened(line: &str, what: &str) -> String {
    format!("Ran outside the sandbox with your approval, with access to {what}: {line}")
}

/// Transcript line of a session that isn't sandboxed.
pub(crate) const NOT_SANDBOXED: &str = "Not sandboxed: agentPermissionLevel is full.";
/// Transcript line of a sandboxed session.
pub(crate) const SANDBOXED: &str =
    "Sandboxed: keys, logins, and Pilothouse's data are hidden from this session and its commands.";

/// Added to it if the kernel can't block signals.
pub(crate) const SIGNALS_PASS: &str = " Requires Linux 6.12 to also stop its commands from ending your other programs.";

/// Transcript line of a session without a sandbox.
pub(crate) fn no_sandbox(why: &str) -> String {
    format!(
        "Sandbox unavailable: {why} Only permission requests protect sensitive files; a command that hides what it reads gets past them."
    )
}
