//! The page that shows an HTML file of a session.
//!
//! Invariant: nothing in the file runs or is loaded. The file is in a frame that may run nothing, inside a page that may
//! load nothing; the server's policy of that page holds for both.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// Its path, below `/app/`.
pub const DOCUMENT_FRAME: &str = "frames/document.html";

/// Takes the file's text from the page that frames this one, and from no other.
const SCRIPT: &str = "addEventListener('message',(e)=>{if(e.source===parent&&typeof e.data==='string')\
document.getElementById('document').srcdoc=e.data});parent.postMessage('ready','*')";

static PAGE: LazyLock<(String, String)> = LazyLock::new(|| {
    let html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Document</title>\
         <style>html,body,iframe{{display:block;width:100%;height:100%;margin:0;border:0;background:#fff}}</style></head>\
         <body><iframe id=\"document\" title=\"Document\" sandbox=\"\" referrerpolicy=\"no-referrer\"></iframe>\
         <script>{SCRIPT}</script></body></html>\n"
    );
    let hash = BASE64_STANDARD.encode(Sha256::digest(SCRIPT));
    (html, format!("sha256-{hash}"))
});

/// The page, and the hash of its only script.
pub fn document_frame() -> (&'static str, &'static str) {
    (&PAGE.0, &PAGE.1)
}

#[cfg(test)]
mod tests {
    use super::document_frame;

    #[test]
    fn the_document_is_in_a_frame_with_an_empty_sandbox() {
        let (html, script) = document_frame();
        assert!(html.contains(r#"<iframe id="document" title="Document" sandbox="" "#), "{html}");
        assert_eq!(html.matches("sandbox").count(), 1);
        assert!(script.starts_with("sha256-"), "the server's policy of the page allows this script and no network");
    }
}
