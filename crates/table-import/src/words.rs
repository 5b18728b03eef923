//! Words that indicate the meaning of columns: titles and names of states.

/// Names of unfinished states.
const UNFINISHED_WORDS: [&str; 37] = [
    "open",
    "to do",
    "todo",
    "new",
    "backlog",
    "planned",
    "ready",
    "not started",
    "started",
    "active",
    "doing",
    "working",
    "working on it",
    "in progress",
    "ongoing",
    "review",
    "in review",
    "testing",
    "pending",
    "waiting",
    "on hold",
    "paused",
    "blocked",
    "stuck",
    "offen",
    "neu",
    "geplant",
    "nicht begonnen",
    "begonnen",
    "läuft",
    "in arbeit",
    "in bearbeitung",
    "in prüfung",
    "wartet",
    "wartend",
    "pausiert",
    "blockiert",
];

pub(crate) const NAME_TITLES: [&str; 14] = [
    "name",
    "title",
    "summary",
    "task name",
    "card name",
    "task",
    "item",
    "item name",
    "issue",
    "subject",
    "story",
    "aufgabe",
    "titel",
    "bezeichnung",
];
/// Titles of status columns.
pub const STATUS_WORDS: [&str; 6] = ["status", "state", "stage", "phase", "list", "list name"];
/// Other choices, whose changes are none of the status.
pub const CHOICE_WORDS: [&str; 6] = ["priority", "prio", "priorität", "type", "severity", "resolution"];
pub(crate) const PEOPLE_WORDS: [&str; 14] = [
    "owner",
    "assignee",
    "assigned to",
    "assignees",
    "person",
    "people",
    "reporter",
    "creator",
    "author",
    "members",
    "assigned",
    "lead",
    "verantwortlich",
    "zuständig",
];
pub(crate) const TAGS_WORDS: [&str; 8] =
    ["labels", "tags", "label", "tag", "components", "categories", "keywords", "topics"];
/// Words of titles of dates, and of numbers.
pub const DATE_WORDS: [&str; 16] = [
    "date",
    "day",
    "due",
    "deadline",
    "start",
    "end",
    "created",
    "updated",
    "completed",
    "datum",
    "tag",
    "fällig",
    "fälligkeit",
    "frist",
    "beginn",
    "ende",
];
pub(crate) const NUMBER_WORDS: [&str; 24] = [
    "amount", "cost", "costs", "price", "budget", "revenue", "estimate", "points", "hours", "quantity", "qty", "count",
    "number", "total", "betrag", "kosten", "preis", "umsatz", "aufwand", "punkte", "stunden", "menge", "anzahl",
    "summe",
];
pub(crate) const PHONE_WORDS: [&str; 6] = ["phone", "mobile", "telephone", "tel", "fax", "telefon"];
pub(crate) const PROGRESS_WORDS: [&str; 3] = ["progress", "% complete", "fortschritt"];

/// A title as the lists have it.
pub fn words(title: &str) -> String {
    title.trim().to_lowercase().replace(['_', '-'], " ")
}

/// Whether one of the words of a title is in a list.
pub fn has_word(title: &str, list: &[&str]) -> bool {
    words(title).split(|c: char| !c.is_alphanumeric()).any(|word| list.contains(&word))
}

/// Whether a text is one that columns are often called by.
pub fn is_known_title(title: &str) -> bool {
    let title = words(title);
    let is_in = |list: &[&str]| list.contains(&title.as_str());
    is_in(&NAME_TITLES)
        || is_in(&STATUS_WORDS)
        || is_in(&CHOICE_WORDS)
        || is_in(&PEOPLE_WORDS)
        || is_in(&TAGS_WORDS)
        || is_in(&PHONE_WORDS)
        || is_in(&PROGRESS_WORDS)
}

/// Whether a text is a word for a state, finished, canceled or neither.
pub fn is_state(text: &str) -> bool {
    let text = words(text);
    UNFINISHED_WORDS.contains(&text.as_str()) || widgets::means_done(&text) || widgets::means_canceled(&text)
}

/// A name out of a text from outside: one line without control characters, cut where it is too long; none where nothing is left.
pub fn name_from(text: &str, chars_max: usize) -> Option<String> {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let name: String = words.collect::<Vec<_>>().join(" ").chars().take(chars_max).collect();
    kit::text::expect_name(&name, chars_max, "").is_ok().then_some(name)
}
