//! What is shown in place of a program that can't answer. These pages have no scripts, and hold nothing of other programs
//! but the names of those that run.

use crate::Body;
use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use std::fmt::Write;

const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";
const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:4rem auto;padding:0 1rem;\
                     color-scheme:light dark}pre{overflow:auto;padding:1rem;border:1px solid;font-size:13px}";
/// The delay before a page looks again.
const RELOAD: &str = "<meta http-equiv=\"refresh\" content=\"1\">";

fn response(status: StatusCode, media: &'static str, text: String) -> Response<Body> {
    let body = Full::new(Bytes::from(text)).map_err(|never| match never {}).boxed();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}

pub(crate) fn plain(status: StatusCode, text: &str) -> Response<Body> {
    response(status, "text/plain; charset=utf-8", format!("{text}\n"))
}

fn page(status: StatusCode, title: &str, head: &str, content: &str) -> Response<Body> {
    let title = escaped(title);
    let text = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">{head}<title>{title}</title><style>{STYLE}</style></head>\
         <body><h1>{title}</h1>{content}</body></html>\n"
    );
    response(status, "text/html; charset=utf-8", text)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A program that doesn't listen yet.
pub(crate) fn starting(name: &str) -> Response<Body> {
    let content = "<p>This page reloads until the app listens on its port.</p>";
    let mut page = page(StatusCode::SERVICE_UNAVAILABLE, &format!("{name} is starting"), RELOAD, content);
    page.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    page
}

/// A program that listens, and ended the connection.
pub(crate) fn silent(name: &str) -> Response<Body> {
    let content = "<p>The app ended the connection without an answer. Reload the page, or look at its log.</p>";
    page(StatusCode::BAD_GATEWAY, &format!("{name} didn't answer"), "", content)
}

/// A program that has ended.
pub(crate) fn ended(name: &str, exit_code: Option<i32>, lines: &[String]) -> Response<Body> {
    let code = exit_code.map_or("unknown".to_owned(), |code| code.to_string());
    let mut content = format!("<p>Exit code: {code}. Restart it on the page Running apps.</p>");
    if !lines.is_empty() {
        let _ = write!(content, "<h2>Last output</h2><pre>{}</pre>", escaped(&lines.join("\n")));
    }
    page(StatusCode::BAD_GATEWAY, &format!("{name} has ended"), "", &content)
}

/// No program with this name, or none was named; those that run.
pub(crate) fn unknown(name: Option<&str>, running: &[String], port: u16) -> Response<Body> {
    let title = name.map_or("Running apps".to_owned(), |name| format!("No app is named {name}"));
    let mut content = String::new();
    if running.is_empty() {
        content.push_str("<p>No apps are running. Start one with <code>pilothouse run NAME -- COMMAND</code>.</p>");
    } else {
        content.push_str("<p>Running:</p><ul>");
        for name in running.iter().map(|name| escaped(name)) {
            let _ = write!(content, "<li><a href=\"http://{name}.localhost:{port}/\">{name}</a></li>");
        }
        content.push_str("</ul>");
    }
    page(StatusCode::NOT_FOUND, &title, "", &content)
}

/// A request that goes around in a circle.
pub(crate) fn looped(name: &str) -> Response<Body> {
    let content = "<p>The app sends requests back to its own URL. Have its proxy settings name another app, and change \
                   the Host header to that app's (changeOrigin in many tools).</p>";
    page(StatusCode::LOOP_DETECTED, &format!("{name} calls itself"), "", content)
}
