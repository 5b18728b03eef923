//! The page, embedded in the program (read from `ui/dist` in development builds).

use rust_embed::RustEmbed;
use server::{Page, Pages};

#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
#[allow_missing = true]
struct Files;

/// The files under `/app/`.
pub struct Embedded;

impl Pages for Embedded {
    fn page(&self, path: &str) -> Option<Page> {
        let file = Files::get(path)?;
        Some(Page {
            etag: format!("\"{}\"", kit::ids::hex(&file.metadata.sha256_hash()[..12])),
            content_type: file.metadata.mimetype().to_owned().into(),
            // Files in assets/ carry a hash of their content in their name.
            immutable: path.starts_with("assets/"),
            bytes: file.data,
        })
    }
}
