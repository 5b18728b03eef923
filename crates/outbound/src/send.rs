//! Sending a request, within its limits.

use crate::failure::Failure;
use crate::private::{PRIVATE, PublicOnly, is_private};
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Method, StatusCode, header};
use kit::Secret;
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};
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

/// A complete answer with its headers, after redirects within the same server.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// The address that answered.
    pub url: String,
}

impl Exchange {
    /// A header as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
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

    /// Sends a request of any method once to an address that the user configured. Redirects are followed on the same server only.
    pub async fn exchange(&self, method: &str, request: &Request, limits: Limits) -> Result<Exchange, Failure> {
        let method = Method::from_bytes(method.as_bytes()).map_err(|_| Failure::Address)?;
        let work = async {
            let mut url = web_address(&request.url)?;
            for _ in 0..=REDIRECTS_MAX {
                let mut response = self.respond(&self.configured, method.clone(), url.clone(), request).await?;
                let status = response.status();
                if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
                    let next = target(&url, response.headers()).ok_or(Failure::Interrupted)?;
                    if !is_same_server(&url, &next) {
                        return Err(redirected(&url, response.headers(), false));
                    }
                    url = web_address(next.as_str())?;
                    continue;
                }
                let (status, headers) = (status.as_u16(), response.headers().clone());
                let body = whole(&mut response, limits.bytes).await?;
                return Ok(Exchange { status, headers, body, url: url.to_string() });
            }
            Err(Failure::Redirects)
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

    /// The answer to one request, before its body.
    async fn respond(&self, client: &Client, method: Method, url: Url, request: &Request) -> Result<Response, Failure> {
        let host = url.host_str().unwrap_or_default().to_owned();
        let mut builder = client.request(method, url);
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
        builder.send().await.map_err(|why| failed(&why, &host))
    }

    async fn once(&self, client: &Client, url: Url, request: &Request, bytes: usize) -> Result<Answer, Failure> {
        let method = if request.body.is_some() { Method::POST } else { Method::GET };
        let is_content = std::ptr::eq(client, &raw const self.content);
        let mut response = self.respond(client, method, url.clone(), request).await?;
        let status = response.status();
        if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
            return Err(redirected(&url, response.headers(), is_content));
        }
        let retry_after =
            response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let body = whole(&mut response, bytes).await?;
        Ok(Answer { status: status.as_u16(), body, retry_after })
    }
}

/// The whole body of an answer.
async fn whole(response: &mut Response, bytes: usize) -> Result<Bytes, Failure> {
    let mut body = BytesMut::new();
    while let Some(part) = response.chunk().await.map_err(|_| Failure::Interrupted)? {
        if body.len() + part.len() > bytes {
            return Err(Failure::TooLarge(bytes));
        }
        body.extend_from_slice(&part);
    }
    Ok(body.freeze())
}

/// Whether a redirect stays on the server that a key is for. It may become encrypted.
fn is_same_server(from: &Url, to: &Url) -> bool {
    let is_same = from.scheme() == to.scheme() && from.port_or_known_default() == to.port_or_known_default();
    let is_secured = from.scheme() == "http" && to.scheme() == "https" && from.port().is_none() && to.port().is_none();
    from.host_str() == to.host_str() && (is_same || is_secured)
}

/// Where a redirect leads.
fn target(from: &Url, headers: &HeaderMap) -> Option<Url> {
    headers.get(header::LOCATION).and_then(|value| from.join(value.to_str().ok()?).ok())
}

/// An address with http or https, a host, and no user name or password.
fn web_address(text: &str) -> Result<Url, Failure> {
    let url = Url::parse(text).map_err(|_| Failure::Address)?;
    let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
    if is_web && url.username().is_empty() && url.password().is_none() { Ok(url) } else { Err(Failure::Address) }
}

fn redirected(from: &Url, headers: &HeaderMap, is_content: bool) -> Failure {
    match target(from, headers) {
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
