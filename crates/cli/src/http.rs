//! Requests over HTTP, to one address and with one token.

use crate::address::Address;
use crate::code;
use crate::failure::Failure;
use crate::token::{Token, new_challenge};
use crate::transport::{Request, RequestBody, Response, Transport, TransportError, target};
use serde_json::Value;
use std::io::{self, Read};
use std::time::Duration;
use ureq::http;
use ureq::{Agent, SendBody, Timeout};

/// The way to a running program.
pub(crate) struct Http {
    agent: Agent,
    address: Address,
    token: Option<Token>,
    source_session: Option<String>,
}

/// A program on this machine answers a connection at once; on another it may take longer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// An import may take its time before it answers.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(300);
/// `GET /health` does no work.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(5);
const HEALTH_BYTES_MAX: u64 = 64 * 1024;

impl Http {
    /// Without a token; nothing has been sent yet.
    pub(crate) fn new(address: Address, version: &str) -> Http {
        // A proxy or a redirect would carry the token elsewhere.
        let config = Agent::config_builder()
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_recv_response(Some(ANSWER_TIMEOUT))
            .user_agent(format!("pilothouse-cli/{version}"));
        Http { agent: config.build().new_agent(), address, token: None, source_session: None }
    }

    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    /// Names the session that acts.
    pub(crate) fn acts_for(&mut self, session: Option<String>) {
        self.source_session = session;
    }

    /// Asks the program to show that it knows the token, and sends it the token with every request from then on only.
    /// `source` says where the token is.
    pub(crate) fn trust_when_proved(&mut self, token: Token, source: &str) -> Result<(), Failure> {
        let challenge = new_challenge()?;
        let url = format!("{}/health?challenge={challenge}{}", self.address.base(), token.challenge_query());
        let request = self.agent.get(&url).config().timeout_global(Some(HEALTH_TIMEOUT)).build();
        let mut response = request.call().map_err(|e| self.explain(e))?;
        let body = response.body_mut().with_config().limit(HEALTH_BYTES_MAX).read_to_vec().unwrap_or_default();
        // A program that has no connection left proves nothing, and says so.
        if response.status() == http::StatusCode::SERVICE_UNAVAILABLE {
            let retry_after_s = response.headers().get("retry-after").and_then(|v| v.to_str().ok()).map(str::to_owned);
            let status = response.status().as_u16();
            return Err(Failure::Problem { status, retry_after_s, body, names: Box::default() });
        }
        let health: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        // Elsewhere the certificate says who answers, and the program behind it is reached by a name of its own machine.
        let own = &self.address.host_port;
        let host_port = if self.address.loopback { own } else { health["host"].as_str().unwrap_or(own) };
        if !token.is_proved_by(&health, &challenge, host_port) {
            let host = &self.address.host_port;
            let what = format!(
                "The program on {host} couldn't prove that it knows the token in {source}, so none was sent. Either \
                 the token no longer works (it was revoked, it expired, or its session finished its work: create a new one \
                 with `tokens create`), or this program didn't make it or isn't Pilothouse."
            );
            return Err(Failure::Here(code::NOT_PROVED, what));
        }
        self.token = Some(token);
        Ok(())
    }

    fn explain(&self, error: ureq::Error) -> TransportError {
        let base = self.address.base();
        match error {
            ureq::Error::ConnectionFailed => TransportError::NotRunning(not_running(&base)),
            ureq::Error::Io(e) if e.kind() == io::ErrorKind::ConnectionRefused => {
                TransportError::NotRunning(not_running(&base))
            }
            ureq::Error::HostNotFound => TransportError::Failed(format!("Host of {base} not found.")),
            ureq::Error::Timeout(Timeout::Connect) => TransportError::NotRunning(not_running(&base)),
            ureq::Error::Timeout(_) => TransportError::Failed(format!("{base} didn't answer in time.")),
            other => TransportError::Failed(format!("The connection to {base} failed: {other}.")),
        }
    }
}

fn not_running(base: &str) -> String {
    format!("Nothing is running at {base}. Start Pilothouse with `pilothouse serve`.")
}

impl Transport for Http {
    fn send(&self, request: Request<'_>) -> Result<Response, TransportError> {
        let url = format!("{}{}", self.address.base(), target(&request));
        let mut builder = http::Request::builder().method(request.method.name()).uri(url);
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        if let Some(session) = &self.source_session {
            builder = builder.header("x-app-source-session-id", session);
        }
        if let Some(token) = &self.token {
            builder = builder.header("authorization", token.bearer());
        }
        let unfit = |_| TransportError::Failed("Invalid header in the request.".into());
        let sent = match request.body {
            RequestBody::None => self.agent.run(builder.body(()).map_err(unfit)?),
            RequestBody::Json(bytes) => {
                self.agent.run(builder.header("content-type", "application/json").body(bytes).map_err(unfit)?)
            }
            RequestBody::File { mut reader, length_bytes, content_type } => {
                builder = builder.header("content-type", content_type);
                if let Some(length) = length_bytes {
                    builder = builder.header("content-length", length);
                }
                self.agent.run(builder.body(SendBody::from_reader(&mut reader)).map_err(unfit)?)
            }
        };
        let (parts, body) = sent.map_err(|e| self.explain(e))?.into_parts();
        let headers = parts.headers.iter();
        let headers = headers.map(|(k, v)| (k.as_str().to_owned(), String::from_utf8_lossy(v.as_bytes()).into_owned()));
        let body: Box<dyn Read> = Box::new(body.into_reader());
        Ok(Response { status: parts.status.as_u16(), headers: headers.collect(), body })
    }
}
