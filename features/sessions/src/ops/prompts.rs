//! Messages: send with images, steer the current turn, remove from the queue, cancel the turn.

use super::shared::{PROMPT_CHARS_MAX, Session, caller_of, not_now};
use crate::driver::Steering;
use crate::image_bridge;
use crate::service::Sessions;
use crate::transcript::SessionKey;
use crate::{errors, fault, records};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use engines::Chunk;
use kit::error::NOT_FOUND;
use kit::text::{TEXT, expect_text};
use kit::{Body, Call, Ctx, Media, Raw, Reply, Result, invalid};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use store::HasDb;
use supervisor::spawn;
use supervisor::state::{Input, PromptSource};

/// Maximum images of a message.
pub(super) const IMAGES_MAX: usize = 8;
/// Maximum bytes of an image.
const IMAGE_BYTES_MAX: usize = 5 * 1024 * 1024;
/// Maximum bytes of all images of a message.
const IMAGES_BYTES_MAX: usize = 10 * 1024 * 1024;
/// Maximum bytes of a body with a message and its images.
pub(super) const MESSAGE_BYTES: usize = 16 * 1024 * 1024;
/// Accepted image types, each with the first bytes of its files.
const IMAGES: [(&str, &[u8]); 4] = [
    ("image/png", b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", b"\xff\xd8\xff"),
    ("image/gif", b"GIF8"),
    ("image/webp", b"RIFF"),
];

/// A message to a session.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Message {
    session_id: String,
    /// The message text.
    #[schemars(length(min = 1, max = PROMPT_CHARS_MAX), regex(pattern = TEXT))]
    prompt: String,
    /// Attached images, for engines that accept them.
    #[serde(default)]
    #[schemars(length(max = IMAGES_MAX))]
    images: Vec<Image>,
    /// Send it to the current turn if the engine supports that and there are no images; otherwise it's queued.
    #[serde(default)]
    steer: bool,
}

/// An image.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Image {
    /// `image/png`, `image/jpeg`, `image/gif`, or `image/webp`.
    media: String,
    /// Base64 data: at most 5 MiB per image and 10 MiB per message.
    data: String,
}

/// A session with the outcome of a message.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Sent {
    #[serde(flatten)]
    session: Session,
    /// `sent` to the engine, `steered` into the current turn, or `waiting` in the queue.
    outcome: &'static str,
    /// Identifies the message while it's queued; null if it was steered.
    prompt_id: Option<u64>,
}

pub(super) async fn message(ctx: Ctx, call: Call, input: Message) -> Result<Sent> {
    expect_text(&input.prompt, PROMPT_CHARS_MAX, "/prompt")?;
    let images = read_images(input.images)?;
    let sessions = ctx.service::<Sessions>();
    let key = SessionKey { account: call.caller.account.clone(), session: input.session_id.as_str().into() };
    super::shared::expect_seen(&ctx, &call.caller, &input.session_id).await?;
    // Another account's session doesn't exist for the caller, whatever the rules allow.
    let shared = sessions.driver(&key).await?;
    let record = shared.lock().await.record.clone();
    let caller = caller_of(&call.caller);
    spawn::may_follow_up(caller, &sessions.spawn_rules(call.account())).map_err(errors::refused)?;
    let is_blind = record.facts.takes_images == Some(false) && !image_bridge::is_on(&ctx, call.account());
    if !images.is_empty() && is_blind {
        let detail = "This session's engine doesn't accept images. Name a file in the message instead.";
        return Err(errors::NO_IMAGES.error(detail));
    }
    let text = Chunk::Text { text: input.prompt };
    if input.steer && images.is_empty() && steered(&sessions, &key, &text).await? {
        return sent(&sessions, &key, "steered", None).await;
    }
    let by = if caller == spawn::Caller::Owner { PromptSource::Person } else { PromptSource::Other };
    let content = std::iter::once(text).chain(images).collect();
    let applied = sessions.prompt(&key, content, by, &call.caller).await.map_err(not_now)?;
    let id = applied.life.last_prompt;
    let outcome = if applied.life.waiting.contains(&id) { "waiting" } else { "sent" };
    Ok(Sent { session: applied.into(), outcome, prompt_id: Some(id) })
}

async fn sent(sessions: &Sessions, key: &SessionKey, outcome: &'static str, prompt_id: Option<u64>) -> Result<Sent> {
    let read_key = key.clone();
    let record =
        sessions.common.ctx.db().read(move |tx| records::one(tx, &read_key.account, &read_key.session)).await?;
    Ok(Sent { session: sessions.common.listeners.with_stats(&key.account, record).into(), outcome, prompt_id })
}

/// Sends a message to the current turn. Returns whether the engine accepted it.
async fn steered(sessions: &std::sync::Arc<Sessions>, key: &SessionKey, text: &Chunk) -> Result<bool> {
    let shared = sessions.driver(key).await?;
    let Some(Steering { conn, launch }) = shared.lock().await.steering() else { return Ok(false) };
    // A separate task: the session isn't blocked meanwhile, and an accepted message is recorded even if the caller
    // disconnects.
    let text = text.clone();
    let handing = tokio::spawn(async move {
        let is_in = matches!(conn.steer(std::slice::from_ref(&text)).await, Ok(engines::port::Steered::Injected));
        if is_in {
            let mut driver = shared.lock().await;
            driver.append_steered(&shared, launch, &text).await;
        }
        is_in
    });
    handing.await.map_err(|why| kit::error::INTERNAL.error("Couldn't send the message.").caused_by(why))
}

pub(super) fn read_images(images: Vec<Image>) -> Result<Vec<Chunk>> {
    if images.len() > IMAGES_MAX {
        return Err(invalid("/images", fault::TOO_MANY, format!("At most {IMAGES_MAX} images are allowed.")));
    }
    let mut all = 0;
    let read = |(at, image): (usize, Image)| {
        let refuse = |member: &str, code, detail: String| invalid(&format!("/images/{at}/{member}"), code, detail);
        let Some((_, begin)) = IMAGES.iter().find(|(media, _)| *media == image.media) else {
            let known: Vec<&str> = IMAGES.iter().map(|(media, _)| *media).collect();
            return Err(refuse("media", fault::NOT_A_CHOICE, format!("Allowed types: {}.", known.join(", "))));
        };
        let bytes = BASE64_STANDARD
            .decode(&image.data)
            .map_err(|_| refuse("data", fault::WRONG_FORMAT, "The image isn't valid base64.".to_owned()))?;
        all += bytes.len();
        if bytes.len() > IMAGE_BYTES_MAX || all > IMAGES_BYTES_MAX {
            let detail = format!(
                "An image can have up to {IMAGE_BYTES_MAX} bytes, and all images of a message {IMAGES_BYTES_MAX} together."
            );
            return Err(refuse("data", fault::TOO_LONG, detail));
        }
        if !bytes.starts_with(begin) {
            return Err(refuse("data", fault::WRONG_FORMAT, format!("The data isn't a {} image.", image.media)));
        }
        Ok(Chunk::Image { mime: image.media, data: image.data })
    };
    images.into_iter().enumerate().map(read).collect()
}

/// Identifies a message within a session.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct PromptId {
    session_id: String,
    #[schemars(range(min = 1))]
    prompt_id: u64,
}

pub(super) async fn withdraw(ctx: Ctx, call: Call, input: PromptId) -> Result<Session> {
    let key = SessionKey { account: call.caller.account.clone(), session: input.session_id.as_str().into() };
    let withdraw = Input::Withdraw { id: input.prompt_id };
    let applied = ctx.service::<Sessions>().apply_by(&key, withdraw, &call.caller, "withdraw").await;
    applied.map(Session::from).map_err(not_now)
}

pub(super) async fn cancel(ctx: Ctx, call: Call, input: super::shared::SessionId) -> Result<Session> {
    let sessions = ctx.service::<Sessions>();
    let key = SessionKey { account: call.caller.account.clone(), session: input.session_id.as_str().into() };
    let shared = sessions.driver(&key).await?;
    let (conn, record) = {
        let mut driver = shared.lock().await;
        if driver.stop_describing(&shared) {
            return Ok(sessions.common.listeners.with_stats(&key.account, driver.record.clone()).into());
        }
        (driver.turn(), driver.record.clone())
    };
    let Some(conn) = conn else {
        let detail = format!("No turn to cancel: {}.", record.life.evidence.why);
        return Err(errors::NOT_NOW.error(detail));
    };
    conn.cancel().await;
    Ok(sessions.common.listeners.with_stats(&key.account, record).into())
}

/// Documents the answer.
pub(super) struct ImageFile;
impl Media for ImageFile {
    const TYPES: &'static [&'static str] = &["image/png", "image/jpeg", "image/gif", "image/webp"];
    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

/// Identifies an image of a message.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct ImageId {
    session_id: String,
    #[schemars(range(min = 1))]
    prompt_id: u64,
    /// The image's index, from 0, as in the transcript entry.
    #[schemars(range(min = 0, max = 100))]
    image: usize,
}

pub(super) async fn image(ctx: Ctx, call: Call, input: ImageId) -> Result<Raw<ImageFile>> {
    super::shared::expect_seen(&ctx, &call.caller, &input.session_id).await?;
    let none = || NOT_FOUND.error("The message has no such image.");
    let read = move |tx: &mut store::Tx<'_>| records::prompt(tx, (call.account(), &input.session_id), input.prompt_id);
    let content = ctx.db().read(read).await?;
    let mut images = content.into_iter().filter_map(|chunk| match chunk {
        Chunk::Image { mime, data } => Some((mime, data)),
        _ => None,
    });
    let (mime, data) = images.nth(input.image).ok_or_else(none)?;
    let content_type = IMAGES.iter().find(|(media, _)| *media == mime).ok_or_else(none)?.0;
    let bytes = BASE64_STANDARD.decode(data).map_err(|_| none())?;
    Ok(Reply { status: 200, content_type, headers: Vec::new(), body: Body::Whole(bytes.into()) }.into())
}
