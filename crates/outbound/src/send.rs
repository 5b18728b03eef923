//! Sending a request, within its limits.

use crate::failure::Failure;
use crate::private::{PRIVATE, PublicOnly, is_private};
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Method, StatusCode, header};
use kit::Secret;
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use std::error::Error;
use std::time::Duration;

/// Redirects that content may take.
const REDIRECTS_MAX: usize = 5;
/// The longest wait that a server may ask for before another attempt.
const WAIT_MAX: Duration = Duration::from_secs(20);

/// What one request may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Time for all attempts.
    pub time: Duration,
    /// Bytes of the answer.
    pub bytes: usize,
    /// Attempts in all, while the server is overloaded.
    pub attempts: u32,
    /// The wait before the second attempt. It doubles with each further one, and varies by half.
    pub wait: Duration,
}

/// A request to an address.
#[derive(Debug, Clone)]
pub struct Request {
    /// GET without a body, or POST with one.
    pub body: Option<Bytes>,
    /// The whole address.
    pub url: String,
    /// Headers that aren't secret.
    pub headers: Vec<(&'static str, String)>,
    /// A header with a key.
    pub key: Option<(&'static str, Secret)>,
}

/// A complete answer, of any status.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Bytes,
    /// Seconds to wait before another request, if the server says so.
    pub retry_after: Option<u64>,
}

/// Sends requests; one of it in a program.
pub struct Outbound {
    configured: Client,
    content: Client,
}

impl Default for Outbound {
    fn default() -> Self {
        let client = || Client::builder().redirect(Policy::none()).connect_timeout(Duration::from_secs(10));
        let build = |builder: reqwest::ClientBuilder| builder.build().unwrap_or_default();
        // A proxy would look names up itself, so content goes without one.
        Outbound { configured: build(client()), content: build(client().no_proxy().dns_resolver(PublicOnly.into())) }
    }
}

impl Outbound {
    /// Sends a request to an address that the user configured.
    pub async fn send(&self, request: &Request, limits: Limits) -> Result<Answer, Failure> {
        let url = web_address(&request.url)?;
        let work = async {
            let mut attempt = 1;
            loop {
                let answer = self.once(&self.configured, url.clone(), request, limits.bytes).await?;
                let is_busy = matches!(answer.status, 429 | 500 | 502 | 503 | 504 | 529);
                let wait = wait(limits.wait, attempt, answer.retry_after);
                if !is_busy || attempt >= limits.attempts || wait > WAIT_MAX {
                    return Ok(answer);
                }
                tokio::time::sleep(wait).await;
                attempt += 1;
            }
        };
        tokio::time::timeout(limits.time, work).await.unwrap_or(Err(Failure::TimedOut(limits.time)))
    }

    /// Gets an address that comes from content. It never reaches a private network.
    pub async fn get_content(&self, url: &str, limits: Limits) -> Result<Answer, Failure> {
        let work = async {
            let mut url = web_address(url)?;
            for _ in 0..=REDIRECTS_MAX {
                let literal = url.host_str().and_then(|host| host.trim_matches(['[', ']']).parse().ok());
                if literal.is_some_and(is_private) {
                    return Err(Failure::Private);
                }
                let request = Request { url: url.to_string(), body: None, headers: Vec::new(), key: None };
                match self.once(&self.content, url, &request, limits.bytes).await {
                    Err(Failure::Redirected(next)) => url = web_address(&next)?,
                    answer => return answer,
                }
            }
            Err(Failure::Redirects)
        };
        tokio::time::timeout(limits.time, work).await.unwrap_or(Err(Failure::TimedOut(limits.time)))
    }

    async fn once(&self, client: &Client, url: Url, request: &Request, bytes: usize) -> Result<Answer, Failure> {
        let method = if request.body.is_some() { Method::POST } else { Method::GET };
        let host = url.host_str().unwrap_or_default().to_owned();
        let is_content = std::ptr::eq(client, &raw const self.content);
        let mut builder = client.request(method, url.clone());
        for (name, value) in &request.headers {
            builder = builder.header(*name, value);
        }
        if let Some((name, key)) = &request.key {
            let mut value = http::HeaderValue::from_str(key.reveal()).map_err(|_| Failure::Address)?;
            value.set_sensitive(true);
            builder = builder.header(*name, value);
        }
        if let Some(body) = &request.body {
            builder = builder.body(body.clone());
        }
        let mut response = builder.send().await.map_err(|why| failed(&why, &host))?;
        let status = response.status();
        if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
            return Err(redirected(&url, response.headers(), is_content));
        }
        let retry_after =
            response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let mut body = BytesMut::new();
        while let Some(part) = response.chunk().await.map_err(|_| Failure::Interrupted)? {
            if body.len() + part.len() > bytes {
                return Err(Failure::TooLarge(bytes));
            }
            body.extend_from_slice(&part);
        }
        Ok(Answer { status: status.as_u16(), body: body.freeze(), retry_after })
    }
}

/// An address with http or https, a host, and no user name or password.
fn web_address(text: &str) -> Result<Url, Failure> {
    let url = Url::parse(text).map_err(|_| Failure::Address)?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
    if is_web && url.username().is_empty() && url.password().is_none() { Ok(url) } else { Err(Failure::Address) }
}

fn redirected(from: &Url, headers: &HeaderMap, is_content: bool) -> Failure {
    let target = headers.get(header::LOCATION).and_then(|value| from.join(value.to_str().ok()?).ok());
    match target {
        Some(url) if is_content => Failure::Redirected(url.to_string()),
        Some(url) => Failure::Redirected(url.host_str().unwrap_or("another address").to_owned()),
        None => Failure::Interrupted,
    }
}

/// What went wrong, without the address, because that could hold a key.
fn failed(why: &reqwest::Error, host: &str) -> Failure {
    let mut cause = why.source();
    while let Some(inner) = cause {
        if inner.to_string() == PRIVATE {
            return Failure::Private;
        }
        cause = inner.source();
    }
    if why.is_connect() { Failure::Unreachable(host.to_owned()) } else { Failure::Interrupted }
}

/// How long to wait before another attempt.
fn wait(first: Duration, attempt: u32, asked: Option<u64>) -> Duration {
    if let Some(seconds) = asked {
        return Duration::from_secs(seconds);
    }
    let mut random = [0];
    let share = getrandom::fill(&mut random).map_or(0.5, |()| f64::from(random[0]) / 255.0);
    first.saturating_mul(1 << attempt.saturating_sub(1).min(10)).mul_f64(0.5 + share)
}
