//! The embedded web UI (read from `ui/dist` in development builds), and the pages that frame third-party pages and files of sessions.

use dashboards::{Apps, framed_by};
use kit::Ctx;
use rust_embed::RustEmbed;
use server::{Frame, Page, Pages};

#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
#[allow_missing = true]
struct Files;

/// The files under `/app/`.
pub struct Embedded(pub Ctx);

impl Pages for Embedded {
    fn page(&self, path: &str) -> Option<Page> {
        if let Some(id) = framed_by(path) {
            return framing(&self.0, id);
        }
        if path == sessions::DOCUMENT_FRAME {
            return Some(document());
        }
        let file = Files::get(path)?;
        Some(Page {
            etag: format!("\"{}\"", kit::ids::hex(&file.metadata.sha256_hash()[..12])),
            content_type: file.metadata.mimetype().to_owned().into(),
            // Files in assets/ carry a hash of their content in their name.
            immutable: path.starts_with("assets/"),
            bytes: file.data,
            frame: None,
        })
    }
}

/// The page that frames an HTML file of a session.
fn document() -> Page {
    let (html, script) = sessions::document_frame();
    Page {
        etag: format!("\"{script}\""),
        content_type: "text/html; charset=utf-8".into(),
        immutable: false,
        bytes: html.as_bytes().into(),
        frame: Some(Frame::Document { script: script.to_owned() }),
    }
}

/// The page that frames an allowed third-party page.
fn framing(ctx: &Ctx, id: &str) -> Option<Page> {
    let page = ctx.service::<Apps>().page(id)?;
    Some(Page {
        etag: format!("\"{}\"", page.tag),
        content_type: "text/html; charset=utf-8".into(),
        immutable: false,
        bytes: page.html.into_bytes().into(),
        frame: Some(Frame::ThirdParty { origin: page.origin, style: page.style }),
    })
}
