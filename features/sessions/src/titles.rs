//! Titles by a model: the first one when a session begins, and new ones as it goes on.
//!
//! Invariants: a title that you typed is never replaced; no turn waits for a title; a session asks at most once in five turns; the
//! model reads your messages only, not our instructions, and what it answers is a title or nothing.

use crate::inbox_kinds::NOTICE;
use crate::records::{self, Naming, SessionRecord};
use crate::settings::{TitleStyle, initialTitleModel, refreshTitleModel, sessionTitleStyle};
use crate::transcript::SessionKey;
use engines::Chunk;
use inbox_rows::NewRow;
use kit::Ctx;
use kit::feature::Purpose;
use models::{Answer, AskError, Models, Question};
use serde_json::json;
use std::time::Duration;
use store::{HasDb, Tx, params};

/// Titles of sessions.
pub(crate) const PURPOSE: Purpose = Purpose { name: "title", label: "Session titles" };
static TITLE: &Purpose = &PURPOSE;

/// Turns between two titles.
const TURNS_BETWEEN: i64 = 5;
/// Maximum characters of a title.
const TITLE_CHARS: usize = 80;
/// Maximum tokens of what differs between sessions, the messages above all, so that a title costs under 400.
const TOKENS: usize = 270;
/// Messages that a new title is made from.
const MESSAGES: usize = 3;
/// Maximum tokens of an answer.
const OUTPUT_TOKENS: u32 = 256;
/// Time for an answer. Nothing waits for it.
const TIME: Duration = Duration::from_secs(60);
/// The prompt template that says how titles are written, for the style `custom`.
const CUSTOM_TEMPLATE: &str = "Session title";
/// Maximum tokens of that.
const CUSTOM_TOKENS: usize = 100;
/// Letters of a word that is one of a language, and not a key or a hash.
const WORD_LETTERS: usize = 20;
/// The key of the inbox row that says why no titles are written.
const FAILURE_KEY: &str = "title-model-fails";
/// How answers begin that talk instead of naming.
const PREAMBLES: &[&str] = &[
    "i'd ",
    "i would ",
    "i'm ",
    "i can",
    "i will",
    "i'll ",
    "sure",
    "here ",
    "here's",
    "certainly",
    "of course",
    "as an ai",
    "sorry",
];

/// The title to ask for, if one is due after this message.
pub(crate) fn due(ctx: &Ctx, key: &SessionKey, record: &SessionRecord) -> Option<TitleRequest> {
    let style = ctx.setting(&key.account, &sessionTitleStyle);
    let turns = record.sums.turns;
    let is_refresh = record.naming == Naming::Model;
    let is_due = turns % TURNS_BETWEEN == 0 && (!is_refresh || (refreshes(style) && turns > 0));
    if record.naming == Naming::User || !is_due || ctx.find_service::<Models>().is_none() {
        return None;
    }
    Some(TitleRequest { key: key.clone(), hub: record.hub_id.clone(), title: record.title.clone(), style, is_refresh })
}

/// Whether a style's titles change as the session goes on.
const fn refreshes(style: TitleStyle) -> bool {
    matches!(style, TitleStyle::Journey | TitleStyle::LatestTopic)
}

/// A title to ask for.
pub(crate) struct TitleRequest {
    key: SessionKey,
    hub: String,
    /// The present title.
    title: String,
    style: TitleStyle,
    is_refresh: bool,
}

impl TitleRequest {
    /// Asks for the title. None if there's nothing to name, no model, or no usable answer.
    pub(crate) async fn ask(self, ctx: &Ctx) -> Option<String> {
        let account = self.key.account.to_string();
        let answer = self.answer(ctx).await;
        let told = match &answer {
            Err(why) if is_for_user(why) => post_failure(ctx, &account, why).await,
            Ok(Some(_)) => {
                let keys = vec![FAILURE_KEY.to_owned()];
                inbox_rows::settle_if_open(ctx, &account, keys, "Titles work again").await
            }
            _ => Ok(()),
        };
        if let Err(why) = told {
            tracing::warn!("couldn't say whether titles work: {why}");
        }
        match answer {
            Ok(title) => title,
            Err(why) => {
                tracing::info!("no title for a session: {why}");
                None
            }
        }
    }

    async fn answer(self, ctx: &Ctx) -> Result<Option<String>, AskError> {
        let models = ctx.service::<Models>();
        if !models.has_utility(ctx, &self.key.account).await? {
            return Ok(None);
        }
        let key = self.key.clone();
        let is_custom = self.style == TitleStyle::Custom;
        let read = move |tx: &mut Tx<'_>| {
            let custom = if is_custom { custom_text(tx, &key.account)? } else { None };
            Ok((messages(tx, &key)?, custom))
        };
        let (messages, custom) = ctx.db().read(read).await?;
        let title = if self.is_refresh { tokens(&self.title) } else { 0 };
        let left = TOKENS.saturating_sub(title + custom.as_deref().map_or(0, tokens));
        let material = material(&messages, self.style, self.is_refresh, left);
        if material.is_empty() {
            return Ok(None);
        }
        let account = &*self.key.account;
        let model = match self.is_refresh {
            true => ctx.setting(account, &refreshTitleModel),
            false => ctx.setting(account, &initialTitleModel),
        };
        let question = Question {
            account: self.key.account.to_string(),
            purpose: TITLE,
            hub: self.hub.clone(),
            session: self.key.session.to_string(),
            task: self.task(custom.as_deref()),
            material,
            image: None,
            schema: json!({
                "type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"],
                "additionalProperties": false
            }),
            output_tokens: OUTPUT_TOKENS,
            model: model.unwrap_or_default(),
            cap: None,
            time: TIME,
        };
        let answer = models.ask(ctx, &question).await?;
        if let Some(unknown) = &answer.unknown_model {
            post_notice(ctx, &self.key, unknown, &answer).await?;
        }
        Ok(usable(answer.value["title"].as_str().unwrap_or_default()))
    }

    fn task(&self, custom: Option<&str>) -> String {
        let style = match self.style {
            TitleStyle::Brief => "2 to 5 words that name the task.",
            TitleStyle::Descriptive => "One phrase of up to 10 words that says what is done and where.",
            TitleStyle::Journey => "The topics so far in order, as short parts joined by \" → \", at most 10 words.",
            TitleStyle::LatestTopic => "2 to 5 words that name the newest topic.",
            TitleStyle::Custom => custom.unwrap_or("2 to 5 words that name the task."),
        };
        let present = if self.is_refresh {
            let title = json!(self.title);
            format!(" The present title is {title}: if it still fits, repeat it.")
        } else {
            String::new()
        };
        format!(
            "Write a title for a conversation with a coding assistant, in the language of the messages. Style: {style}{present} \
             Don't answer the messages."
        )
    }
}

/// The texts of the user's messages that went to the engine, the oldest first.
fn messages(tx: &mut Tx<'_>, key: &SessionKey) -> kit::Result<Vec<String>> {
    let sql = "SELECT content FROM session_prompts WHERE account_id = $1 AND session_id = $2 AND state <> 'unsent' ORDER BY prompt_id";
    tx.query(sql, params![&*key.account, &*key.session], |row| {
        let content: Vec<Chunk> = records::read_json(row.get(0)?)?;
        let texts = content.iter().filter_map(|chunk| match chunk {
            Chunk::Text { text } => Some(text.as_str()),
            _ => None,
        });
        Ok(texts.collect::<Vec<_>>().join("\n"))
    })
}

/// What the model reads, in at most this many tokens: the first message, or for new titles the newest ones too.
fn material(messages: &[String], style: TitleStyle, is_refresh: bool, tokens: usize) -> String {
    if !is_refresh {
        return messages.first().map_or_else(String::new, |text| start_of(text, tokens));
    }
    let is_journey = style == TitleStyle::Journey;
    let newest = messages.len().saturating_sub(if is_journey { MESSAGES - 1 } else { MESSAGES });
    let first = if is_journey && newest > 0 { messages.first() } else { None };
    let chosen = first.into_iter().chain(&messages[newest..]);
    let texts: Vec<String> = chosen.map(|text| start_of(text, tokens / MESSAGES)).collect();
    texts.join("\n---\n")
}

/// The start of a text in at most this many tokens, in one line.
fn start_of(text: &str, mut tokens_left: usize) -> String {
    let mut start = String::new();
    for word in text.split_whitespace() {
        let word: String = word.chars().filter(|sign| !sign.is_control()).collect();
        if !start.is_empty() && !word.is_empty() {
            start.push(' ');
        }
        // A key or a text without spaces may be long: its start tells something, too.
        let parts = if is_plain(&word) { vec![&*word] } else { word.split_inclusive(|_: char| true).collect() };
        for part in parts {
            let Some(left) = tokens_left.checked_sub(part_tokens(part)) else { return start.trim_end().to_owned() };
            tokens_left = left;
            start.push_str(part);
        }
    }
    start
}

/// How many tokens a text has, at most in nearly all cases: a plain word has one for 4 letters, and anything else, such as code or
/// a key, up to one for each byte.
fn tokens(text: &str) -> usize {
    text.split_whitespace().map(part_tokens).sum()
}

fn part_tokens(part: &str) -> usize {
    if is_plain(part) { part.len().div_ceil(4) } else { part.chars().map(sign_tokens).sum() }
}

fn is_plain(word: &str) -> bool {
    let rest = word.strip_prefix(|first: char| first.is_ascii_uppercase()).unwrap_or(word);
    word.len() <= WORD_LETTERS && rest.bytes().all(|byte| byte.is_ascii_lowercase())
}

const fn sign_tokens(sign: char) -> usize {
    match sign {
        // They have a backslash in JSON.
        '"' | '\\' => 2,
        'À'..='ɏ' | 'Ѐ'..='ӿ' => 1,
        _ => sign.len_utf8(),
    }
}

fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// The text of the template for the style `custom`.
fn custom_text(tx: &mut Tx<'_>, account: &str) -> kit::Result<Option<String>> {
    let sql = "SELECT text FROM session_templates WHERE account_id = $1 AND name = $2";
    let text = tx.query_opt(sql, params![account, CUSTOM_TEMPLATE], |row| row.get::<String>(0))?;
    Ok(text.map(|text| start_of(&text, CUSTOM_TOKENS)))
}

/// A title in a model's words, if it is one.
fn usable(text: &str) -> Option<String> {
    let line = text.trim().trim_matches(['"', '“', '”', '*', '#', '`']).trim();
    let line = kit::ids::without_tokens(line);
    let plain: String = line.chars().filter(|sign| !kit::text::is_turning(*sign)).collect();
    let lower = plain.to_lowercase();
    let is_title = !plain.is_empty()
        && plain.chars().count() <= TITLE_CHARS
        && !plain.chars().any(char::is_control)
        && !plain.chars().all(kit::text::is_unseen)
        && !PREAMBLES.iter().any(|start| lower.starts_with(start));
    is_title.then_some(plain)
}

/// Whether only the user can mend this: a key that expired, or an engine without a login.
const fn is_for_user(why: &AskError) -> bool {
    matches!(why, AskError::Key(_) | AskError::Engine(_))
}

/// Says that no titles are written and why, unless the inbox already does.
async fn post_failure(ctx: &Ctx, account: &str, why: &AskError) -> kit::Result<()> {
    let (again, account, body) = (ctx.clone(), account.to_owned(), why.to_string());
    let write = move |tx: &mut Tx<'_>| {
        let row = NewRow {
            key: Some(FAILURE_KEY),
            body: &body,
            link: Some("/app/models"),
            ..NewRow::new(&NOTICE, "Couldn't write session titles", events::Actor::program(None))
        };
        // One that you dismissed is no reason to stay silent about the next failure.
        inbox_rows::post_once(tx, &again, &account, &row, i64::MAX)
    };
    ctx.db().write(write).await
}

/// Says once that a named model isn't available.
async fn post_notice(ctx: &Ctx, key: &SessionKey, unknown: &str, answer: &Answer) -> kit::Result<()> {
    let (account, again) = (key.account.clone(), ctx.clone());
    let row_key = format!("title-model:{unknown}");
    let title = format!("Model {} isn't available for titles", cut(unknown, 100));
    let body = format!(
        "The utility model ({}) wrote the title. Check the settings initialTitleModel and refreshTitleModel.",
        answer.model
    );
    let write = move |tx: &mut Tx<'_>| {
        let by = events::Actor::program(None);
        let row = NewRow {
            key: Some(&row_key),
            body: &body,
            link: Some("/app/settings?key=initialTitleModel"),
            ..NewRow::new(&NOTICE, &title, by)
        };
        inbox_rows::post(tx, &again, &account, &row).map(drop)
    };
    ctx.db().write(write).await
}

#[cfg(test)]
mod tests {
    use super::{material, start_of, tokens, usable};
    use crate::settings::TitleStyle;

    #[test]
    fn talk_is_no_title() {
        for (text, title) in [
            ("Fix the login page", Some("Fix the login page")),
            ("\"Fix the login page\"", Some("Fix the login page")),
            ("Corriger la page de connexion", Some("Corriger la page de connexion")),
            ("I'd be happy to help you with that!", None),
            ("Sure, here is a title", None),
            ("Here's the fix: …", None),
            ("two\nlines", None),
            ("", None),
            ("\u{200b}", None),
        ] {
            assert_eq!(usable(text).as_deref(), title, "{text:?}");
        }
        assert_eq!(usable(&"word ".repeat(40)), None);
    }

    #[test]
    fn what_the_model_reads_is_bounded() {
        let messages: Vec<String> = (0..20).map(|at| format!("{at} {}", "word ".repeat(5_000))).collect();
        let read = |style, is_refresh| material(&messages, style, is_refresh, 240);
        for style in [TitleStyle::Brief, TitleStyle::Journey, TitleStyle::LatestTopic] {
            for is_refresh in [false, true] {
                let text = read(style, is_refresh);
                assert!((200..=250).contains(&tokens(&text)), "{}", tokens(&text));
            }
        }
        assert!(read(TitleStyle::Brief, false).starts_with("0 "));
        assert!(read(TitleStyle::Journey, true).starts_with("0 "), "the journey began there");
        assert!(read(TitleStyle::LatestTopic, true).starts_with("17 "));
        assert_eq!(material(&[], TitleStyle::Brief, false, 240), "");
    }

    #[test]
    fn dense_text_is_cut_sooner_than_prose() {
        for (text, expected) in [
            ("Fix the  login\n\tpage soon please", "Fix the login page soon"),
            ("a\u{0}b \u{1}", "ab"),
            ("ghp_0123456789", "ghp_01"),
            ("XQZJVKWP", "XQZJVK"),
            ("日本語です", "日本"),
            ("\"\"\"\"", "\"\"\""),
            ("Größen", "Größen"),
            ("Größenordnung", "Größen"),
            ("😀😀", "😀"),
            ("", ""),
        ] {
            assert_eq!(start_of(text, 6), expected, "{text:?}");
        }
        assert_eq!(tokens("Fix the login page: x1"), 1 + 1 + 2 + 5 + 2);
    }
}
