//! Descriptions of images for models that can't see them.
//!
//! Invariants: a model that sees images gets them as they are; one call describes one image; without a description the message is
//! sent all the same, and says that an image was omitted.

use crate::records::SessionRecord;
use crate::settings::{ImageBridge, imageBridgeMode};
use crate::transcript::SessionKey;
use engines::Chunk;
use kit::Ctx;
use kit::feature::Purpose;
use models::{Image, Models, Question};
use serde_json::json;
use std::time::Duration;

/// Descriptions of images.
pub(crate) const PURPOSE: Purpose = Purpose { name: "imageDescription", label: "Image descriptions" };
static DESCRIPTION: &Purpose = &PURPOSE;

/// Images of a message that are described at most.
const IMAGES_MAX: usize = 10;
/// Maximum tokens of a description.
const OUTPUT_TOKENS: u32 = 1_000;
/// Maximum bytes of a description.
const BYTES_MAX: usize = 6_000;
/// Time for a description. The message waits for it.
const TIME: Duration = Duration::from_secs(60);
const TASK: &str = "Describe the image for a coding assistant that can't see it: what it shows, all text in it word for word, layout, \
    colors where they matter, and errors. Be exact and brief.";

/// Whether the user asked for descriptions.
pub(crate) fn is_on(ctx: &Ctx, account: &str) -> bool {
    ctx.setting(account, &imageBridgeMode) == ImageBridge::Auto && ctx.find_service::<Models>().is_some()
}

/// Whether images of this message are to be described for the session's model.
pub(crate) fn is_needed(ctx: &Ctx, account: &str, record: &SessionRecord, content: &[Chunk]) -> bool {
    content.iter().any(|chunk| matches!(chunk, Chunk::Image { .. })) && !sees(record) && is_on(ctx, account)
}

/// Whether the session's model sees images, as far as it's known.
fn sees(record: &SessionRecord) -> bool {
    let is_blind_model = models::built_in(&record.model).is_some_and(|(price, _)| !price.images);
    record.facts.takes_images != Some(false) && !is_blind_model
}

/// The message with each image replaced by its description, and what to say about that in the transcript.
pub(crate) async fn describe(ctx: &Ctx, key: &SessionKey, hub: &str, content: Vec<Chunk>) -> (Vec<Chunk>, String) {
    let (mut described, mut notes) = (Vec::new(), Vec::new());
    let mut number = 0;
    for chunk in content {
        let Chunk::Image { mime, data } = chunk else {
            described.push(chunk);
            continue;
        };
        number += 1;
        let answer = if number <= IMAGES_MAX {
            ask(ctx, key, hub, Image { mime, base64: data }).await
        } else {
            Err(format!("only {IMAGES_MAX} images of a message are described"))
        };
        let text = match answer {
            Ok((text, model)) => {
                notes.push(format!("Image {number} described by {model}"));
                format!(
                    "[Pilothouse: a description of image {number}, by {model}, because this model can't see images]\n{text}"
                )
            }
            Err(why) => {
                notes.push(format!("Image {number} omitted: {why}"));
                format!("[Pilothouse: image {number} was omitted because this model can't see images]")
            }
        };
        described.push(Chunk::Text { text });
    }
    (described, notes.join(". "))
}

async fn ask(ctx: &Ctx, key: &SessionKey, hub: &str, image: Image) -> Result<(String, String), String> {
    let question = Question {
        account: key.account.to_string(),
        purpose: DESCRIPTION,
        hub: hub.to_owned(),
        session: key.session.to_string(),
        task: TASK.into(),
        material: String::new(),
        image: Some(image),
        schema: json!({
            "type": "object", "properties": {"description": {"type": "string"}}, "required": ["description"],
            "additionalProperties": false
        }),
        output_tokens: OUTPUT_TOKENS,
        model: String::new(),
        cap: None,
        time: TIME,
    };
    let answer = ctx.service::<Models>().ask(ctx, &question).await.map_err(|why| why.to_string())?;
    let text = answer.value["description"].as_str().unwrap_or_default().trim();
    if text.is_empty() {
        return Err("the model described nothing".into());
    }
    Ok((text[..text.floor_char_boundary(BYTES_MAX)].to_owned(), answer.model))
}
