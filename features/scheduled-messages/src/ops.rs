//! Operations on scheduled messages.

use crate::errors::{MESSAGE_NOT_UNDERSTOOD, MESSAGE_NOT_WAITING, MESSAGES_DISABLED};
use crate::inbox_kinds::APPROVAL;
use crate::message::{Approval, Message, Target};
use crate::record::{MessageRecord, UnderstoodRecord, summary};
use crate::settings::scheduledMessagesEnabled;
use crate::{due, rows};
use events::Actor;
use inbox_rows::NewRow;
use kit::error::{NOT_FOUND, TOO_MANY};
use kit::ids::short_id;
use kit::lookup::{Hubs, LiveSessions};
use kit::text::{CURSOR, NAME, TEXT, expect_name, expect_text};
use kit::{
    Call, CallerSet, Catalog, Created, Ctx, Done, Kind, Method, Op, Page, Part, Result, fault, invalid, not_found,
    rfc3339,
};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{Change, HasDb, Tx};
use when::fields::{DATE, Day, Fields, TIME, TimeRecord, ZONE_CHARS_MAX};
use when::language::{Understood, understand};
use when::occurrence::Occurrence;

/// Messages of an account at most.
const MESSAGES_MAX: i64 = 1_000;
/// Messages that one session may have scheduled.
const OF_SESSION_MAX: i64 = 20;
/// Maximum characters of a title.
const TITLE_MAX: usize = 200;
/// Maximum characters of a message.
const BODY_MAX: usize = 20_000;
/// Maximum characters of a time in words.
const WORDS_MAX: usize = 300;

const ONE: &str = "/scheduled-messages/{messageId}";

pub(crate) fn ops() -> Vec<Op> {
    let (person, everyone) = (CallerSet::PERSON, CallerSet::PERSON_AND_AGENTS);
    [
        Op::new("messages.list", Method::Get, "/scheduled-messages", everyone, "List scheduled messages, oldest first. A session sees its own.", list)
            .scope("messages:read")
            .synonyms("cron reminders recurring jobs")
            .columns(&["id", "title", "target", "time", "date", "days", "on", "nextAt", "approval"]),
        Op::new("messages.get", Method::Get, ONE, everyone, "Get a scheduled message.", get)
            .scope("messages:read")
            .example(r#"{"messageId": "{messageId}"}"#),
        Op::new(
            "messages.create",
            Method::Post,
            "/scheduled-messages",
            everyone,
            "Schedule a message to the inbox, a session, or a new session in a hub. Messages that an agent schedules are sent only after you approve them.",
            create,
        )
        .scope("messages:write")
        .example(r#"{"body": "Read the **metrics**.", "when": "every weekday at 9", "hubId": "{hubId}"}"#)
        .synonyms("schedule remind cron recurring job agent")
        .errors([&MESSAGE_NOT_UNDERSTOOD]),
        Op::new(
            "messages.understand",
            Method::Post,
            "/scheduled-messages/understand",
            everyone,
            "Show how a time in words is understood, without scheduling anything.",
            preview,
        )
        .scope("messages:read")
        .example(r#"{"when": "tomorrow at noon"}"#)
        .errors([&MESSAGE_NOT_UNDERSTOOD])
        .reads(),
        Op::new(
            "messages.update",
            Method::Patch,
            ONE,
            everyone,
            "Change a scheduled message, or turn it on or off. Agents' changes need your approval again.",
            update,
        )
        .scope("messages:write")
        .example(r#"{"messageId": "{messageId}", "on": false}"#)
        .errors([&MESSAGE_NOT_UNDERSTOOD])
        .synonyms("pause resume edit"),
        Op::new(
            "messages.delete",
            Method::Delete,
            ONE,
            everyone,
            "Delete a scheduled message. It can be restored for 30 days.",
            delete,
        )
        .scope("messages:write")
        .example(r#"{"messageId": "{spareMessageId}"}"#),
        Op::new(
            "messages.restore",
            Method::Post,
            "/scheduled-messages/{messageId}/restore",
            person,
            "Restore a deleted scheduled message.",
            restore,
        )
        .example(r#"{"messageId": "{deletedMessageId}"}"#)
        .synonyms("undo undelete"),
        Op::new(
            "messages.run",
            Method::Post,
            "/scheduled-messages/{messageId}/run",
            person,
            "Send a scheduled message now. Its schedule doesn't change.",
            run,
        )
        .example(r#"{"messageId": "{messageId}"}"#)
        .synonyms("send test now"),
        Op::new(
            "messages.approve",
            Method::Post,
            "/scheduled-messages/{messageId}/approve",
            person,
            "Approve a message that an agent scheduled.",
            approve,
        )
        .example(r#"{"messageId": "{waitingMessageId}"}"#)
        .errors([&MESSAGE_NOT_WAITING]),
        Op::new(
            "messages.deny",
            Method::Post,
            "/scheduled-messages/{messageId}/deny",
            person,
            "Deny a message that an agent scheduled. It stays in the list, and is never sent.",
            deny,
        )
        .example(r#"{"messageId": "{otherWaitingMessageId}"}"#)
        .errors([&MESSAGE_NOT_WAITING]),
    ]
    .map(|op| op.switch(&scheduledMessagesEnabled, &MESSAGES_DISABLED))
    .into()
}

/// The session whose messages the caller sees; `None` if it sees all.
fn only_of(call: &Call) -> Option<String> {
    let session = call.caller.session.as_deref().map(str::to_owned);
    session.filter(|_| call.caller.kind == Kind::Agent)
}

/// A page of messages.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ListScheduledMessages")]
#[serde(deny_unknown_fields)]
struct List {
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: the whole list.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<MessageRecord>> {
    let session = only_of(&call);
    let messages = ctx.db().read(move |tx| rows::list(tx, call.account(), session.as_deref())).await?;
    let part = Part { cursor: input.cursor, limit: input.limit };
    part.page(messages.iter().map(MessageRecord::from).collect(), |message| (&message.id).into())
}

/// Names a message.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ScheduledMessageId")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct One {
    message_id: String,
}

async fn get(ctx: Ctx, call: Call, input: One) -> Result<MessageRecord> {
    let session = only_of(&call);
    let read = move |tx: &mut Tx<'_>| rows::expect(tx, call.account(), &input.message_id, session.as_deref());
    Ok(MessageRecord::from(&ctx.db().read(read).await?))
}

/// What words say, and when that is next.
fn read_words(ctx: &Ctx, words: &str) -> Result<(Understood, i64)> {
    expect_name(words, WORDS_MAX, "/when")?;
    let now_ms = ctx.now_ms();
    let understood = understand(words, now_ms, &ctx.home_zone_name()).ok_or_else(|| {
        let detail = "Try `every weekday at 9` or `tomorrow at noon in Tokyo`, or use `time` with `date` or `days`, and \
                      `timeZone`.";
        MESSAGE_NOT_UNDERSTOOD.error(detail)
    })?;
    let next_ms = understood.at_ms.or_else(|| understood.occurrence.next_after(now_ms));
    let next_ms =
        next_ms.ok_or_else(|| invalid("/when", fault::OUT_OF_RANGE, "The time has passed. Use one in the future."))?;
    Ok((understood, next_ms))
}

/// A time in words.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "UnderstandSchedule")]
#[serde(deny_unknown_fields)]
struct Words {
    /// Such as `in 20 minutes`, `every weekday 9:30`, or `next friday 5pm in Tokyo`.
    #[schemars(length(min = 1, max = WORDS_MAX))]
    when: String,
}

async fn preview(ctx: Ctx, _: Call, input: Words) -> Result<UnderstoodRecord> {
    let (understood, next_ms) = read_words(&ctx, &input.when)?;
    Ok(UnderstoodRecord {
        when: TimeRecord::from(&understood.occurrence),
        title: understood.label,
        next_at: rfc3339(next_ms),
    })
}

/// A message to schedule.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CreateScheduledMessage")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Create {
    /// The text, in Markdown. For a session it's the message.
    #[schemars(length(min = 1, max = BODY_MAX), regex(pattern = TEXT))]
    body: String,
    /// Default: what `when` says besides the time, or else the start of the text.
    #[schemars(length(min = 1, max = TITLE_MAX), regex(pattern = NAME))]
    title: Option<String>,
    /// When, in words such as `every weekday at 9`, instead of time, date, days, and time zone.
    #[schemars(length(min = 1, max = WORDS_MAX))]
    when: Option<String>,
    /// Time of day in its time zone: `09:30`.
    #[schemars(regex(pattern = TIME))]
    time: Option<String>,
    /// Date of a message that is sent once. Without date and days, it's sent at the next such time.
    #[schemars(regex(pattern = DATE))]
    date: Option<String>,
    /// Days of a repeating message.
    #[schemars(length(max = 7))]
    days: Option<Vec<Day>>,
    /// Time zone, such as `Europe/Paris`. Default: the computer's.
    #[schemars(length(min = 1, max = ZONE_CHARS_MAX))]
    time_zone: Option<String>,
    /// The session to send it to. Default: the inbox. A session can name only itself.
    session_id: Option<String>,
    /// The hub to start a session in; the text is its first message.
    hub_id: Option<String>,
}

/// Changes to a message. Omitted fields stay unchanged.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "UpdateScheduledMessage")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Update {
    message_id: String,
    /// The text, in Markdown.
    #[schemars(length(min = 1, max = BODY_MAX), regex(pattern = TEXT))]
    body: Option<String>,
    #[schemars(length(min = 1, max = TITLE_MAX), regex(pattern = NAME))]
    title: Option<String>,
    /// Turns it on or off. A message whose only time is past is sent at the next such time.
    on: Option<bool>,
    /// When, in words, instead of time, date, days, and time zone.
    #[schemars(length(min = 1, max = WORDS_MAX))]
    when: Option<String>,
    /// Time of day in its time zone: `09:30`.
    #[schemars(regex(pattern = TIME))]
    time: Option<String>,
    /// Date of a message that is sent once.
    #[schemars(regex(pattern = DATE))]
    date: Option<String>,
    /// Days of a repeating message. An empty list has it sent once.
    #[schemars(length(max = 7))]
    days: Option<Vec<Day>>,
    /// Time zone, such as `Europe/Paris`.
    #[schemars(length(min = 1, max = ZONE_CHARS_MAX))]
    time_zone: Option<String>,
    /// The session to send it to. Empty: the inbox.
    session_id: Option<String>,
    /// The hub to start a session in. Empty: the inbox.
    hub_id: Option<String>,
}

/// The session and hub that a caller names.
struct Named {
    account: String,
    /// The only session that the caller may name.
    own: Option<String>,
    session: Option<String>,
    hub: Option<String>,
}

impl Named {
    fn new(call: &Call, session: Option<String>, hub: Option<String>) -> Named {
        Named { account: call.account().to_owned(), own: only_of(call), session, hub }
    }

    /// Where a message goes; `None` if nothing was sent.
    async fn target(self, ctx: &Ctx) -> Result<Option<Target>> {
        let Named { account, own, session, hub } = self;
        let is_nothing = session.is_none() && hub.is_none();
        match (session.filter(|id| !id.is_empty()), hub.filter(|id| !id.is_empty())) {
            _ if is_nothing => Ok(None),
            (None, None) => Ok(Some(Target::Inbox)),
            (Some(_), Some(_)) => Err(invalid("/hubId", fault::ONE_OF, "Send either sessionId or hubId.")),
            (Some(id), None) => {
                let missing = match ctx.find_service::<LiveSessions>().filter(|_| own.is_none_or(|own| own == id)) {
                    Some(lookup) => lookup.0.missing(&account, vec![id.clone()]).await?,
                    None => vec![id.clone()],
                };
                match missing.is_empty() {
                    true => Ok(Some(Target::Session(id))),
                    false => Err(NOT_FOUND.error("Session not found, or it has ended.")),
                }
            }
            (None, Some(id)) => {
                let missing = match ctx.find_service::<Hubs>() {
                    Some(lookup) => lookup.0.missing(&account, vec![id.clone()]).await?,
                    None => vec![id.clone()],
                };
                match missing.is_empty() {
                    true => Ok(Some(Target::Hub(id))),
                    false => Err(NOT_FOUND.error("Hub not found.")),
                }
            }
        }
    }
}

/// A title made of the start of a text.
fn title_of(body: &str) -> String {
    let mut lines = body.lines().map(|line| line.trim_start_matches(['#', '>', '*', '-', ' ']).trim());
    let line = lines.find(|line| expect_name(line, BODY_MAX, "").is_ok()).unwrap_or("Scheduled message");
    line.chars().take(80).collect::<String>().trim().to_owned()
}

fn one_way() -> kit::Error {
    invalid("/when", fault::ONE_OF, "Send when, or time with date or days; they exclude each other.")
}

async fn create(ctx: Ctx, call: Call, input: Create) -> Result<Created<MessageRecord>> {
    expect_text(&input.body, BODY_MAX, "/body")?;
    input.title.iter().try_for_each(|title| expect_name(title.trim(), TITLE_MAX, "/title"))?;
    let zone = input.time_zone.as_deref();
    let fields = Fields::read(input.time.as_deref(), input.date.as_deref(), input.days.as_deref(), zone)?;
    let now_ms = ctx.now_ms();
    let (occurrence, next_ms, label) = match &input.when {
        Some(_) if !fields.are_empty() => return Err(one_way()),
        Some(words) => {
            let (understood, next_ms) = read_words(&ctx, words)?;
            (understood.occurrence, next_ms, understood.label)
        }
        None => {
            let occurrence = fields.occurrence(None, now_ms, &ctx.home_zone_name())?;
            let next_ms = occurrence.next_after(now_ms).unwrap_or(0);
            (occurrence, next_ms, String::new())
        }
    };
    let named = Named::new(&call, input.session_id, input.hub_id);
    let target = named.target(&ctx).await?.unwrap_or(Target::Inbox);
    let label = Some(label).filter(|label| !label.is_empty() && label.chars().count() <= TITLE_MAX);
    let title = input.title.map(|title| title.trim().to_owned()).or(label);
    let message = Message {
        id: short_id(),
        title: title.unwrap_or_else(|| title_of(&input.body)),
        body: input.body,
        target,
        is_on: true,
        occurrence,
        next_ms,
        approval: if call.is_of_agent() { Approval::Waiting } else { Approval::None },
        by_session: session_of(&call),
        sent: 0,
        last_ms: 0,
        problem: String::new(),
        deleted_ms: 0,
        created_ms: now_ms,
        changed_ms: now_ms,
    };
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let (all, own) = rows::counts(tx, call.account(), &message.by_session)?;
        if all >= MESSAGES_MAX {
            return Err(TOO_MANY.error(format!("You have {MESSAGES_MAX} scheduled messages. Delete some first.")));
        }
        if !message.by_session.is_empty() && own >= OF_SESSION_MAX {
            let detail = format!("A session can schedule {OF_SESSION_MAX} messages. Delete some first.");
            return Err(TOO_MANY.error(detail));
        }
        save(tx, &again, &call, None, &message)?;
        Ok(message)
    };
    let message = ctx.db().write(write).await?;
    Ok(Created { location: format!("/scheduled-messages/{}", message.id), record: MessageRecord::from(&message) })
}

/// The session that a call comes from; empty if none.
fn session_of(call: &Call) -> String {
    call.caller.session.as_deref().or(call.source_session.as_deref()).unwrap_or_default().to_owned()
}

fn approval_key(id: &str) -> String {
    format!("scheduled-message-approval:{id}")
}

/// Stores and records a message, and asks for your approval if it waits for that.
fn save(tx: &mut Tx<'_>, ctx: &Ctx, call: &Call, before: Option<&Message>, after: &Message) -> Result<()> {
    rows::store(tx, ctx, call.account(), after)?;
    let old = before.map(summary);
    let new = Some(summary(after)).filter(|_| after.deleted_ms == 0);
    if old != new {
        let change = Change {
            subject: "scheduled-message",
            subject_id: &after.id,
            field: "",
            before: old.as_ref(),
            after: new.as_ref(),
        };
        tx.record(&call.caller, ctx.now_ms(), change)?;
    }
    let key = approval_key(&after.id);
    if after.approval == Approval::Waiting && after.deleted_ms == 0 {
        return ask(tx, ctx, call, &key, after);
    }
    let outcome = match after.approval {
        _ if after.deleted_ms > 0 => "deleted",
        Approval::Denied => "denied",
        _ => "approved",
    };
    inbox_rows::settle(tx, ctx, call.account(), &key, outcome).map(drop)
}

fn ask(tx: &mut Tx<'_>, ctx: &Ctx, call: &Call, key: &str, message: &Message) -> Result<()> {
    // The inbox declares the kind, with the setting that hides it.
    let Some(kind) = ctx.find_service::<Catalog>().and_then(|all| all.inbox_kind(APPROVAL)) else { return Ok(()) };
    let title = format!("Scheduled message needs approval: {}", message.title);
    let link = format!("/app/scheduled-messages?message={}", message.id);
    let by = Actor { session_id: Some(session_of(call)).filter(|id| !id.is_empty()), ..Actor::from(&call.caller) };
    let row = NewRow { key: Some(key), body: &message.body, link: Some(&link), ..NewRow::new(kind, &title, by) };
    inbox_rows::post(tx, ctx, call.account(), &row).map(drop)
}

async fn update(ctx: Ctx, call: Call, input: Update) -> Result<MessageRecord> {
    input.body.iter().try_for_each(|body| expect_text(body, BODY_MAX, "/body"))?;
    input.title.iter().try_for_each(|title| expect_name(title.trim(), TITLE_MAX, "/title"))?;
    let zone = input.time_zone.as_deref();
    let fields = Fields::read(input.time.as_deref(), input.date.as_deref(), input.days.as_deref(), zone)?;
    if input.when.is_some() && !fields.are_empty() {
        return Err(one_way());
    }
    let words = input.when.as_deref().map(|words| read_words(&ctx, words)).transpose()?;
    let target = Named::new(&call, input.session_id.clone(), input.hub_id.clone()).target(&ctx).await?;
    let (now_ms, home) = (ctx.now_ms(), ctx.home_zone_name());
    change(ctx, call, input.message_id.clone(), move |message, call| {
        let before = message.clone();
        if let Some(body) = input.body {
            message.body = body;
        }
        if let Some(title) = input.title {
            title.trim().clone_into(&mut message.title);
        }
        if let Some(target) = target {
            message.target = target;
        }
        let is_on = input.on.unwrap_or(before.is_on || words.is_some() || !fields.are_empty());
        if let Some((understood, next_ms)) = words {
            message.occurrence = understood.occurrence;
            message.set_on(is_on, now_ms);
            message.next_ms = if is_on { next_ms } else { 0 };
            message.is_on = is_on;
        } else if !fields.are_empty() || (is_on && !before.is_on) {
            message.occurrence = next_time(&fields, &before.occurrence, now_ms, &home)?;
            message.set_on(is_on, now_ms);
        } else if !is_on {
            message.set_on(false, now_ms);
        }
        let is_same = message.body == before.body
            && message.target == before.target
            && message.occurrence == before.occurrence
            && message.title == before.title;
        if call.is_of_agent() && !is_same {
            message.approval = Approval::Waiting;
            message.by_session = session_of(call);
        }
        Ok(())
    })
    .await
}

fn next_time(fields: &Fields, before: &Occurrence, now_ms: i64, home: &str) -> Result<Occurrence> {
    fields.occurrence(Some(before), now_ms, home)
}

async fn delete(ctx: Ctx, call: Call, input: One) -> Result<Done> {
    let now_ms = ctx.now_ms();
    change(ctx, call, input.message_id, move |message, _| {
        message.deleted_ms = now_ms.max(1);
        Ok(())
    })
    .await?;
    Ok(Done)
}

async fn restore(ctx: Ctx, call: Call, input: One) -> Result<MessageRecord> {
    let (again, now_ms) = (ctx.clone(), ctx.now_ms());
    let write = move |tx: &mut Tx<'_>| {
        let found = rows::find(tx, call.account(), &input.message_id)?;
        let mut message = found.filter(|message| message.deleted_ms > 0).ok_or_else(not_found)?;
        message.deleted_ms = 0;
        // What was due since then is not made up for.
        if message.is_on && message.next_ms <= now_ms {
            message.set_on(true, now_ms);
        }
        message.changed_ms = now_ms;
        save(tx, &again, &call, None, &message)?;
        Ok(message)
    };
    Ok(MessageRecord::from(&ctx.db().write(write).await?))
}

async fn run(ctx: Ctx, call: Call, input: One) -> Result<MessageRecord> {
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let mut message = rows::expect(tx, call.account(), &input.message_id, None)?;
        due::send(tx, &again, call.account(), &mut message, None)?;
        rows::store(tx, &again, call.account(), &message)?;
        let after = serde_json::json!(message.sent);
        let change = Change {
            subject: "scheduled-message",
            subject_id: &message.id,
            field: "sent",
            before: None,
            after: Some(&after),
        };
        tx.record(&call.caller, again.now_ms(), change)?;
        Ok(message)
    };
    Ok(MessageRecord::from(&ctx.db().write(write).await?))
}

async fn approve(ctx: Ctx, call: Call, input: One) -> Result<MessageRecord> {
    decide(ctx, call, input, Approval::Approved).await
}

async fn deny(ctx: Ctx, call: Call, input: One) -> Result<MessageRecord> {
    decide(ctx, call, input, Approval::Denied).await
}

async fn decide(ctx: Ctx, call: Call, input: One, approval: Approval) -> Result<MessageRecord> {
    change(ctx, call, input.message_id, move |message, _| {
        if message.approval != Approval::Waiting {
            return Err(MESSAGE_NOT_WAITING.error("The message doesn't wait for your approval."));
        }
        // If its time has passed, its timer is due at once, and it's sent late.
        message.approval = approval;
        Ok(())
    })
    .await
}

/// Changes a message that the caller sees, and records that.
async fn change(
    ctx: Ctx,
    call: Call,
    id: String,
    run: impl FnOnce(&mut Message, &Call) -> Result<()> + Send + 'static,
) -> Result<MessageRecord> {
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let before = rows::expect(tx, call.account(), &id, only_of(&call).as_deref())?;
        let mut message = Message { changed_ms: again.now_ms(), ..before.clone() };
        run(&mut message, &call)?;
        save(tx, &again, &call, Some(&before), &message)?;
        Ok(message)
    };
    Ok(MessageRecord::from(&ctx.db().write(write).await?))
}
