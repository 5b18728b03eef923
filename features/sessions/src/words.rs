//! What sessions say in words: to people in the inbox, and to engines in front of a prompt.

use crate::kept::{Ask, Kept};
use crate::transcript::BODY_BYTES_MAX;
use engines::{Chunk, StopReason};
use inbox_rows::RowKind;
use serde_json::{Value, json};
use supervisor::state::{Interruption, Need, Note, Nudge, Verdict};

/// What became of a request.
pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allowed => "allowed",
        Verdict::Refused => "refused",
        Verdict::Cancelled => "withdrawn",
    }
}

/// The row of the inbox for what a session needs a person for: its kind, title and text.
pub(crate) fn need(need: &Need, kept: &Kept, ask: Option<&Ask>) -> (RowKind, String, String) {
    let is_plan = ask.is_some_and(|ask| ask.kind == "plan");
    let (kind, what) = match need {
        Need::Permission { .. } if is_plan => (RowKind::Plan, "a plan waits for your yes"),
        Need::Permission { .. } => (RowKind::Approval, "may it go on?"),
        Need::Value { .. } => (RowKind::Question, "it asks you something"),
        Need::Question => (RowKind::Session, "it asks you something"),
        Need::CutShort { stop: StopReason::Denied } => (RowKind::Session, "its turn ended at a denied request"),
        Need::CutShort { .. } => (RowKind::Session, "its answer was cut short"),
        Need::Failed { .. } => (RowKind::Session, "it failed"),
        Need::Limit => (RowKind::Session, "what it may use is used up"),
        Need::Stuck => (RowKind::Session, "it stays silent"),
        Need::Loop => (RowKind::Session, "it goes round in circles"),
        Need::Awake => (RowKind::Session, "its snooze is over"),
    };
    let body = match ask {
        Some(ask) => format!("{}\n{}", asked_in_full(&ask.request), ask.why),
        None => kept.life.evidence.why.clone(),
    };
    (kind, format!("{}: {what}", kept.title), body.trim().to_owned())
}

/// Characters of what is asked for in a row of the inbox; the session's page has all of it.
const ASKED_CHARS_MAX: usize = 2_000;

/// What is asked for, in full: the command, the plan, the title of the use, or the question.
pub(crate) fn asked_in_full(request: &str) -> String {
    let plan = serde_json::from_str::<Value>(request).unwrap_or_default()["tool"]["input"]["plan"].take();
    plan.as_str().map_or_else(|| asked(request), |plan| plan.chars().take(ASKED_CHARS_MAX).collect())
}

/// The same on a line: of a plan it is the title.
fn asked(request: &str) -> String {
    let request: Value = serde_json::from_str(request).unwrap_or_default();
    let texts = [&request["tool"]["command"], &request["tool"]["title"], &request["message"]];
    let text = texts.into_iter().find_map(Value::as_str).unwrap_or_default();
    text.chars().take(ASKED_CHARS_MAX).collect()
}

/// What goes to the engine in front of a prompt that is sent again, or in place of one.
/// `asks` are the requests of which nudges tell the answer.
pub(crate) fn before_prompt(resend: Option<Note>, nudges: &[Nudge], asks: &[Ask]) -> String {
    let note = resend.map(|note| match note {
        Note::Silent => "[Pilothouse: nothing came back when this was sent before, so it is sent again.]".to_owned(),
        Note::Unheard => "[Pilothouse: what follows may not have reached you before.]".to_owned(),
        Note::NewSession => {
            "[Pilothouse: your earlier session is gone. What you were working on follows; look at the folder first for what is done already.]".to_owned()
        }
    });
    let said = nudges.iter().map(|nudge| match nudge {
        Nudge::Continue { after: Interruption::Crash } => {
            "[Pilothouse: you were cut off by a crash. Go on where you were.]".to_owned()
        }
        Nudge::Continue { after: Interruption::AppClose } => {
            "[Pilothouse: the program was closed and is back. Go on where you were.]".to_owned()
        }
        Nudge::Continue { .. } => "[Pilothouse: you were interrupted. Go on where you were.]".to_owned(),
        Nudge::Loop { what } => format!(
            "[Pilothouse: you did the same thing again and again: {what}. Go on in another way, or say what you need.]"
        ),
        Nudge::TryAgain => "[Pilothouse: the trouble should be over. Go on where you were.]".to_owned(),
        Nudge::LimitOver => "[Pilothouse: there is more to use again. Go on where you were.]".to_owned(),
        Nudge::Compacted => "[Pilothouse: there is room in your context again. Go on where you were.]".to_owned(),
        Nudge::Woken => "[Pilothouse: go on where you were.]".to_owned(),
        Nudge::Answered { id, allow } => answered(*allow, asks.iter().find(|ask| ask.id == *id)),
    });
    note.into_iter().chain(said).collect::<Vec<_>>().join("\n")
}

/// Tells the answer to what was asked by a process that is gone.
fn answered(allow: bool, ask: Option<&Ask>) -> String {
    let is_question = ask.is_some_and(|ask| ask.kind == "question");
    let asked = ask.map(|ask| asked(&ask.request)).filter(|asked| !asked.is_empty());
    let asked = asked.map(|asked| format!(" ({asked})")).unwrap_or_default();
    let said = ask.map(|ask| ask.said.as_str()).filter(|said| !said.is_empty());
    let answer = match (is_question, allow) {
        (true, true) => "answered",
        (true, false) => "not answered",
        (false, true) => "allowed",
        (false, false) => "refused",
    };
    let answer = said.map_or_else(|| answer.to_owned(), |said| format!("{answer}: {said}"));
    let go_on = if allow { "Go on." } else { "Go on without it." };
    format!("[Pilothouse: what you asked for before you were cut off{asked} is {answer}. {go_on}]")
}

/// Characters of a name in an entry that was cut.
const CUT_NAME_CHARS_MAX: usize = 200;
/// A prompt as its entry in the transcript has it: images are kept with the prompt, and named here by their place among them.
pub(crate) fn without_images(content: &[Chunk]) -> Vec<Value> {
    let mut images = 0;
    let shown = |chunk: &Chunk| match chunk {
        Chunk::Image { mime, .. } => {
            images += 1;
            json!({"type": "image", "mime": mime, "image": images - 1})
        }
        chunk => crate::kept::value(chunk),
    };
    content.iter().map(shown).collect()
}

/// A prompt as the engine takes it: one that takes no images is told that there was one.
pub(crate) fn taken_by(content: Vec<Chunk>, takes_images: Option<bool>) -> Vec<Chunk> {
    let left_out = || Chunk::Text { text: "[Pilothouse: an image was left out, since this engine takes none.]".into() };
    let is_left_out = |chunk: &Chunk| takes_images == Some(false) && matches!(chunk, Chunk::Image { .. });
    content.into_iter().map(|chunk| if is_left_out(&chunk) { left_out() } else { chunk }).collect()
}

/// An entry as one line; of one that is too large what it was and how large, which is more than nothing.
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

/// In the transcript of a session that nothing is kept from.
pub(crate) const NOTHING_KEPT: &str = "At level full nothing is kept from this engine.";
/// In the transcript of a session behind a wall.
pub(crate) const WALL_UP: &str =
    "The operating system keeps keys, logins and Pilothouse's own data from everything that this session starts.";

/// Beside it, where the kernel can't refuse signals.
pub(crate) const SIGNALS_PASS: &str = " This Linux kernel is older than 6.12, so commands of this session can still end your \
     other programs, Pilothouse included.";

/// In the transcript of a session that only rules keep from sensitive files.
pub(crate) fn no_wall(why: &str) -> String {
    format!(
        "No wall: {why} Only questions and the hook before tools keep this session from sensitive files; a command that hides \
         what it reads gets past them."
    )
}
