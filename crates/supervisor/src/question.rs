//! Detects whether the end of a reply asks the user something (`autoDetectQuestions`).
//!
//! Uses only the text, in English, German, French, and Spanish. Code, quotations, headings, and tables don't count, nor
//! do courtesies ("Anything else?") and questions that the reply answers itself. In doubt, it isn't a question: each
//! wrong badge costs attention.

/// Maximum sentences after a question, if they belong to it.
const LAST_SENTENCES: usize = 3;
/// Maximum characters at the end of a reply that are read.
const TAIL: usize = 4_000;

/// Courtesies that ask for nothing.
const COURTESIES: &[&str] = &[
    "anything else",
    "something else",
    "any questions",
    "any other question",
    "who would have thought",
    "who knows",
    "isn't that",
    "isn't it",
    "how cool is",
    "sonst noch",
    "noch etwas für",
    "noch fragen",
    "noch weitere fragen",
    "autre chose",
    "d'autres questions",
    "algo más",
    "alguna pregunta",
    "otra cosa",
];

/// Requests without a question mark. Each must begin a sentence, or a part of one after a comma, colon, or semicolon.
const REQUESTS: &[&str] = &[
    "please confirm",
    "please choose",
    "please pick",
    "please select",
    "please decide",
    "please approve",
    "please provide",
    "please clarify",
    "please specify",
    "please share",
    "please advise",
    "please tell me",
    "please let me know which",
    "please let me know whether",
    "please let me know how",
    "please let me know what",
    "let me know which",
    "let me know whether",
    "let me know what",
    "let me know how you",
    "let me know how to",
    "let me know when you",
    "let me know where",
    "let me know if i should",
    "tell me which",
    "tell me whether",
    "tell me what",
    "tell me when",
    "tell me how",
    "please give",
    "give me the green light",
    "give me a green light",
    "give me the go-ahead",
    "i need the following from you",
    "i need your",
    "i need you to",
    "i need to know",
    "i'm awaiting your",
    "i am awaiting your",
    "awaiting your",
    "i'll wait for your",
    "i will wait for your",
    "waiting for your",
    "i'm waiting for your",
    "i am waiting for your",
    "bitte bestätig",
    "bitte wähl",
    "bitte entscheid",
    "bitte teil",
    "bitte sag",
    "bitte nenn",
    "bitte gib mir",
    "sag mir",
    "sagen sie mir",
    "sag bescheid, ob",
    "gib mir bescheid, ob",
    "gib bescheid, ob",
    "ich brauche deine",
    "ich brauche ihre",
    "ich warte auf deine",
    "ich warte auf ihre",
    "merci de confirmer",
    "merci de préciser",
    "merci de choisir",
    "merci d'indiquer",
    "veuillez confirmer",
    "veuillez choisir",
    "veuillez préciser",
    "veuillez indiquer",
    "dites-moi",
    "dis-moi",
    "j'attends votre",
    "j'attends ta",
    "por favor, confirm",
    "por favor confirm",
    "por favor, elige",
    "por favor, elija",
    "por favor, indica",
    "por favor, dime",
    "confirma que",
    "dime si",
    "dime cuál",
    "dime qué",
    "dime dónde",
    "avísame si debo",
    "avísame cuál",
    "espero tu",
    "espero su",
];

/// Words that show that a question is for the user, although text follows it.
const ADDRESSED: &[&str] = &[
    "you",
    "your",
    "i",
    "me",
    "we",
    "us",
    "du",
    "dir",
    "dich",
    "dein",
    "ihr",
    "sie",
    "ihnen",
    "ich",
    "wir",
    "soll",
    "vous",
    "tu",
    "votre",
    "je",
    "nous",
    "quieres",
    "prefieres",
    "debo",
    "puedo",
    "usted",
    "te",
    "is",
    "are",
    "ok",
    "okay",
];

/// Starts of sentences that belong to the question before them: an alternative, or the reason for asking.
const FOLLOWS: &[&str] = &[
    "if",
    "otherwise",
    "please",
    "or",
    "i",
    "i'd",
    "i'll",
    "i'm",
    "i've",
    "my",
    "for",
    "until",
    "either",
    "both",
    "let",
    "the",
    "wenn",
    "falls",
    "sonst",
    "ich",
    "oder",
    "bitte",
    "si",
    "sinon",
    "je",
    "ou",
    "de",
    "o",
    "yo",
];

/// Whether the end of a reply asks the user something.
pub fn asks(reply: &str) -> bool {
    let begin = reply.char_indices().rev().nth(TAIL - 1).map_or(0, |(at, _)| at);
    let blocks = prose(&reply[begin..]);
    let Some((last, before)) = blocks.split_last() else { return false };
    match last {
        Block::Text(text) => text_asks(text),
        // A list's points are the questions, or the possible answers to the question before it.
        Block::List(points) => {
            points.iter().any(|point| is_question(point))
                || matches!(before.last(), Some(Block::Text(text)) if ends_with_ask(text))
        }
    }
}

enum Block {
    Text(String),
    List(Vec<String>),
}

/// The paragraphs and lists, without code, quotations, headings, and tables.
fn prose(reply: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut fence: Option<&str> = None;
    let mut is_open = false;
    for line in reply.lines() {
        let text = line.trim();
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark)) {
            fence = if fence.is_none() { Some(mark) } else { fence.filter(|open| *open != mark) };
            is_open = false;
            continue;
        }
        let is_code = fence.is_some() || line.starts_with("    ") || line.starts_with('\t');
        let point = point_of(text);
        if is_code && point.is_none() || fence.is_some() || text.is_empty() || text.starts_with(['>', '#', '|']) {
            is_open = false;
            continue;
        }
        let plain = plain(point.unwrap_or(text));
        match (blocks.last_mut(), point.is_some()) {
            (Some(Block::List(points)), true) => points.push(plain),
            (Some(Block::Text(paragraph)), false) if is_open => {
                paragraph.push(' ');
                paragraph.push_str(&plain);
            }
            (_, true) => blocks.push(Block::List(vec![plain])),
            (_, false) => blocks.push(Block::Text(plain)),
        }
        is_open = point.is_none();
    }
    blocks
}

/// The text after a list point's mark.
fn point_of(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix(['-', '*', '+', '•']).filter(|rest| rest.starts_with(' ')) {
        return Some(rest.trim());
    }
    let (mark, rest) = text.split_once(['.', ')'])?;
    let is_mark = !mark.is_empty() && mark.len() <= 2 && mark.chars().all(|c| c.is_ascii_digit());
    let is_letter = mark.len() == 1 && mark.chars().all(|c| c.is_ascii_alphabetic());
    ((is_mark || is_letter) && rest.starts_with(' ')).then(|| rest.trim())
}

/// A line without code, quotations, addresses, and emphasis; a placeholder replaces each removed part.
fn plain(line: &str) -> String {
    const QUOTES: [(char, char); 7] =
        [('`', '`'), ('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('‘', '’'), ('(', ')')];
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        let close = QUOTES.iter().find(|(open, _)| *open == c).map(|(_, close)| *close);
        // An apostrophe opens a quotation only at the start of a word.
        let close = close.or_else(|| (c == '\'' && !plain.ends_with(char::is_alphanumeric)).then_some('\''));
        let end = close.and_then(|close| after.find(close).map(|at| at + close.len_utf8()));
        if let Some(end) = end {
            // A remark in brackets can be removed; a named thing has a role in the sentence.
            plain.push_str(if c == '(' { "" } else { "it" });
            rest = &after[end..];
        } else if rest.starts_with("http://") || rest.starts_with("https://") {
            plain.push_str("it");
            rest = rest.find(char::is_whitespace).map_or("", |at| &rest[at..]);
        } else {
            if !matches!(c, '*' | '_') {
                plain.push(c);
            }
            rest = after;
        }
    }
    plain.trim().replace('’', "'")
}

/// Sentences with the mark that ends them.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut begin = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let is_mark = matches!(c, '.' | '!' | '?' | '…' | '？');
        if is_mark && text[end..].chars().next().is_none_or(char::is_whitespace) {
            sentences.push(text[begin..end].trim());
            begin = end;
        }
    }
    sentences.push(text[begin..].trim());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

fn text_asks(text: &str) -> bool {
    let sentences = sentences(text);
    let last: Vec<&str> = sentences.iter().rev().take(LAST_SENTENCES).copied().collect();
    last.iter().enumerate().any(|(at, sentence)| {
        if requests(sentence) {
            return true;
        }
        let follows_up = |sentence: &&str| first_word(sentence).is_some_and(|word| FOLLOWS.contains(&word.as_str()));
        is_question(sentence) && (at == 0 || (at == 1 && is_addressed(sentence) && last[..at].iter().all(follows_up)))
    })
}

/// Whether a paragraph before a list asks about its points: with a question, or with a request and a colon.
fn ends_with_ask(text: &str) -> bool {
    sentences(text).last().is_some_and(|last| is_question(last) || requests(last))
}

fn is_question(sentence: &str) -> bool {
    let small = sentence.to_lowercase();
    sentence.ends_with(['?', '？']) && !COURTESIES.iter().any(|courtesy| small.contains(courtesy))
}

fn requests(sentence: &str) -> bool {
    let small = sentence.to_lowercase().replace("kindly ", "please ");
    let is_courtesy = COURTESIES.iter().any(|courtesy| small.contains(courtesy));
    let asks_for_things = |part: &str| part.starts_with("i need") && part.contains("from you");
    let starts = std::iter::once(0).chain(small.match_indices([',', ':', ';']).map(|(at, mark)| at + mark.len()));
    !is_courtesy
        && starts
            .map(|at| small[at..].trim_start())
            .any(|part| asks_for_things(part) || REQUESTS.iter().any(|words| part.starts_with(words)))
}

fn words(sentence: &str) -> impl Iterator<Item = String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '\'';
    sentence.split(move |c| !is_part(c)).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn first_word(sentence: &str) -> Option<String> {
    words(sentence).next()
}

fn is_addressed(sentence: &str) -> bool {
    words(sentence).any(|word| ADDRESSED.contains(&word.as_str()))
}
