//! Creates HTTP routes from operations, and calls from requests.

use crate::body::{self, Body, Trouble};
use crate::calls;
use crate::codes;
use crate::events_stream::EVENT_STREAM;
use crate::guard;
use crate::input::{self, Shapes};
use crate::mcp;
use crate::meter::{Permit, Use};
use crate::reply::{self, Response};
use crate::serve::{Admitted, Served, closed};
use futures_util::{StreamExt, future};
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, header};
use kit::op::{ANY_MEDIA, ByteStream, Takes, may_call};
use kit::{Call, Caller, Kind, Op, Reply, Result, error};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const SOURCE_SESSION: HeaderName = HeaderName::from_static("x-app-source-session-id");

/// The content type of forms with files in them.
const FORM: &str = "multipart/form-data";

/// An operation with precomputed data.
struct Row {
    op: Op,
    shapes: Shapes,
}

/// A path with its operations.
struct Route {
    rows: Vec<Arc<Row>>,
    allow: HeaderValue,
}

/// Finds the operation for a path and a method.
pub(crate) struct Table(matchit::Router<Route>);

impl Table {
    /// Creates the table of all operations. Rejects two with the same name, or the same method and path.
    pub(crate) fn new(ops: &[Op]) -> io::Result<Table> {
        let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidInput, what);
        let mut names = HashSet::new();
        let mut paths: BTreeMap<&str, BTreeMap<kit::Method, Arc<Row>>> = BTreeMap::new();
        for op in ops {
            let row = Arc::new(Row { op: op.clone(), shapes: Shapes::new(op) });
            let other = paths.entry(op.path).or_default().insert(op.method, row);
            if other.is_some() || !names.insert(op.name) {
                return Err(invalid(format!("two operations are {} or {} {}", op.name, op.method.name(), op.path)));
            }
        }
        let mut router = matchit::Router::new();
        for (path, rows) in paths {
            let methods: Vec<_> = rows.keys().map(|m| if m.reads() { "GET,HEAD" } else { m.name() }).collect();
            let allow = HeaderValue::try_from(methods.join(",")).expect("methods are words");
            let route = Route { rows: rows.into_values().collect(), allow };
            router.insert(path, route).map_err(|e| invalid(format!("{path}: {e}")))?;
        }
        Ok(Table(router))
    }

    /// Finds the operation. Callers without a token don't learn which paths and methods exist.
    pub(crate) fn find(&self, served: &Served, caller: &Caller, head: &Parts) -> Result<Found> {
        const REFERENCE: &str = "`GET /openapi.json` lists the paths and their methods.";
        let nobody = caller.kind == Kind::Public;
        let Ok(found) = self.0.at(head.uri.path()) else {
            return Err(if nobody { served.no_token() } else { error::NO_SUCH_ROUTE.error(REFERENCE) });
        };
        let method = if head.method == Method::HEAD { "GET" } else { head.method.as_str() };
        let row = found.value.rows.iter().find(|row| row.op.method.name() == method);
        if nobody && row.is_none_or(|row| !row.op.callers.has(Kind::Public)) {
            return Err(served.no_token());
        }
        let Some(row) = row else {
            let mut response = reply::problem(&error::WRONG_METHOD.error(REFERENCE));
            response.headers_mut().insert(header::ALLOW, found.value.allow.clone());
            return Ok(Found::Nothing(response));
        };
        // `kit::call` checks this again. Here it prevents callers without permission from sending bodies.
        may_call(&row.op, caller)?;
        let mut input = Map::new();
        for (name, text) in found.params.iter() {
            let text = percent_decode_str(text).decode_utf8();
            let text = text.map_err(|_| codes::BAD_PATH.error("The path isn't percent-encoded UTF-8."))?;
            row.shapes.add_path(&mut input, name, &text);
        }
        Ok(Found::Operation(Begun { row: row.clone(), input }))
    }
}

/// Result of a lookup.
pub(crate) enum Found {
    /// The path has only other methods; the error response.
    Nothing(Response),
    Operation(Begun),
}

/// An operation to call, with the members of its input from the path.
pub(crate) struct Begun {
    row: Arc<Row>,
    input: Map<String, Value>,
}

/// Reads the rest of the input, calls the operation, and responds.
pub(crate) async fn run(
    served: &Arc<Served>,
    admitted: Admitted,
    begun: Begun,
    head: Parts,
    body: Body,
) -> Result<Response> {
    let Begun { row, mut input } = begun;
    let op = &row.op;
    let content = check_content(op, &head, &body)?;
    guard::check_count(served.limits.headers, &head.headers)?;
    let permit = served.meters.begin(&admitted.caller, used_as(op))?;
    if let Some(query) = head.uri.query() {
        row.shapes.add_query(&mut input, query)?;
    }
    let trouble = Trouble::default();
    // Most requests have no body, so reading one is boxed to keep their futures small.
    let upload = match content {
        Content::Nothing => None,
        Content::Json => {
            let bytes = Box::pin(body::whole(body, op, &served.limits)).await?;
            if !bytes.is_empty() {
                input::merge(&mut input, input::body_members(&bytes, op.judges_numbers)?)?;
            }
            None
        }
        Content::File { media, is_form } => Some((media, body::in_pieces(body, op, is_form, &served.limits, &trouble))),
    };
    let call = call_of(&head, &admitted, upload)?;
    let nobody = admitted.caller.kind == Kind::Public;

    let work = through_the_door(served.clone(), row.clone(), call, input, permit);
    let outcome = if op.method.reads() {
        // Reading ends when the caller disconnects.
        work.await
    } else if op.ends_with_caller {
        mcp::HEADERS.scope(head.headers, work).await
    } else {
        ToItsEnd(Some(Box::pin(mcp::HEADERS.scope(head.headers, work)))).await
    };
    match outcome {
        Ok((reply, permit)) => answer(served, admitted, reply, permit),
        Err(refusal) => {
            if nobody && refusal.code().status == error::NO_TOKEN.status {
                served.hold_back_guess().await;
            }
            Err(trouble.take().unwrap_or(refusal))
        }
    }
}

/// Completes a change even if its caller disconnects: when dropped, it continues in a task of its own. Most are awaited
/// and need none.
struct ToItsEnd<F: Future<Output: Send> + Send + 'static>(Option<Pin<Box<F>>>);

impl<F: Future<Output: Send> + Send + 'static> Future for ToItsEnd<F> {
    type Output = F::Output;
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let running = self.0.as_mut().expect("not polled after its end");
        let polled = running.as_mut().poll(context);
        if polled.is_ready() {
            self.0 = None;
        }
        polled
    }
}

impl<F: Future<Output: Send> + Send + 'static> Drop for ToItsEnd<F> {
    fn drop(&mut self) {
        if let (Some(rest), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(rest);
        }
    }
}

fn used_as(op: &Op) -> Use {
    if op.media.contains(&EVENT_STREAM) {
        Use::Stream
    } else if op.method.reads() {
        Use::Read
    } else {
        Use::Write
    }
}

/// Calls the operation.
async fn through_the_door(
    served: Arc<Served>,
    row: Arc<Row>,
    call: Call,
    input: Map<String, Value>,
    permit: Permit,
) -> Result<(Reply, Permit)> {
    let reply = calls::call(&served.ctx, &row.op, call, input).await?;
    Ok((reply, permit))
}

/// A request's body, of a type and announced size that its operation accepts.
enum Content {
    Nothing,
    Json,
    File { media: String, is_form: bool },
}

fn check_content(op: &Op, head: &Parts, body: &Body) -> Result<Content> {
    guard::check_encoding(&head.headers)?;
    let wrong_type = |takes: &str| Err(error::WRONG_TYPE_OF_CONTENT.error(format!("{} takes {takes}.", op.name)));
    match op.takes {
        Takes::Json if body.is_empty() => Ok(Content::Nothing),
        Takes::Json if matches!(head.method, Method::GET | Method::HEAD | Method::DELETE) => {
            Err(codes::BODY_NOT_TAKEN.error(format!("{} takes no body.", op.name)))
        }
        Takes::Json => {
            if guard::content_type(&head.headers)?.as_deref() != Some("application/json") {
                return wrong_type("application/json");
            }
            body::check_length(body, op, false)?;
            Ok(Content::Json)
        }
        Takes::File(takes) => {
            let media = guard::single(&head.headers, header::CONTENT_TYPE)?.unwrap_or_default();
            let is_form = if takes.contains(&ANY_MEDIA) {
                // Stored unchanged, so text doesn't need to be UTF-8.
                media.to_ascii_lowercase().starts_with(FORM)
            } else {
                let essence = guard::content_type(&head.headers)?.unwrap_or_default();
                if essence != FORM && !takes.contains(&&*essence) {
                    let form = Some(FORM).filter(|form| !takes.contains(form));
                    return wrong_type(&takes.iter().copied().chain(form).collect::<Vec<_>>().join(", "));
                }
                essence == FORM
            };
            body::check_length(body, op, is_form)?;
            Ok(Content::File { media: media.to_owned(), is_form })
        }
    }
}

fn call_of(head: &Parts, admitted: &Admitted, upload: Option<(String, ByteStream)>) -> Result<Call> {
    let headers = &head.headers;
    let text = |name| guard::single(headers, name).map(|value| value.map(str::to_owned));
    let source_session = text(SOURCE_SESSION)?;
    if let (Some(own), Some(named)) = (&admitted.caller.session, &source_session)
        && **own != **named
    {
        return Err(
            codes::SOURCE_SESSION_FOREIGN.error("X-App-Source-Session-Id names a session other than the token's.")
        );
    }
    Ok(Call {
        caller: admitted.caller.clone(),
        if_match: guard::listed(headers, header::IF_MATCH)?,
        if_none_match: guard::listed(headers, header::IF_NONE_MATCH)?,
        accept: guard::listed(headers, header::ACCEPT)?,
        last_event_id: text(LAST_EVENT_ID)?,
        source_session,
        upload,
    })
}

/// Sends the reply. A stream counts for its token until it ends.
fn answer(served: &Arc<Served>, admitted: Admitted, mut reply: Reply, permit: Permit) -> Result<Response> {
    if let kit::Body::Stream(pieces) = reply.body {
        let events = reply.content_type == EVENT_STREAM;
        let (served, mut closing) = (served.clone(), served.interface.closing.clone());
        let still_valid = move |admitted: &Admitted| {
            // An event stream can last for hours, so the token is checked again before each piece.
            !events || admitted.token.as_deref().is_none_or(|token| served.authenticator.caller(token).is_some())
        };
        let held = pieces.take_while(move |_| {
            let _held = &permit;
            future::ready(still_valid(&admitted))
        });
        reply.body = kit::Body::Stream(match events {
            // Event streams end at shut-down. Others are completed.
            true => Box::pin(held.take_until(async move { closed(&mut closing).await })),
            false => Box::pin(held),
        });
    }
    reply::from_reply(reply)
}
