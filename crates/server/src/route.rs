//! Makes the HTTP routes from the operations, and one call from each request.

use crate::body::{self, Trouble};
use crate::codes;
use crate::events_stream::EVENT_STREAM;
use crate::guard;
use crate::input::{self, Shapes};
use crate::mcp;
use crate::meter::{Permit, Use};
use crate::reply;
use crate::serve::{Admitted, Served};
use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::response::Response;
use axum::routing::{MethodFilter, on};
use futures_util::{FutureExt, StreamExt, future};
use http::request::Parts;
use http::{HeaderName, Method, header};
use kit::op::{ByteStream, Takes, may_call};
use kit::{Call, Kind, Op, Reply, Result, error};
use serde_json::{Map, Value};
use std::any::Any;
use std::collections::HashSet;
use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const SOURCE_SESSION: HeaderName = HeaderName::from_static("x-app-source-session-id");

/// An operation with what is worked out once.
struct Row {
    op: Op,
    shapes: Shapes,
    has_path_params: bool,
}

/// The router of all operations; refuses a list in which two stand at the same place.
pub(crate) fn router(served: &Arc<Served>) -> io::Result<Router> {
    let mut places = HashSet::new();
    let mut router = Router::new();
    for op in &served.interface.ops {
        if !places.insert((op.method, op.path)) || !places.insert((op.method, op.name)) {
            let what = format!("two operations are called {} or stand at {} {}", op.name, op.method.name(), op.path);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let has_path_params = op.path_params().next().is_some();
        let row = Arc::new(Row { op: op.clone(), shapes: Shapes::of(op), has_path_params });
        let served = served.clone();
        let handler = move |request: Request| {
            let (served, row) = (served.clone(), row.clone());
            async move { run(&served, &row, request).await.unwrap_or_else(|refusal| reply::problem(&refusal)) }
        };
        router = router.route(op.path, on(filter(op.method), handler));
    }
    Ok(router
        .method_not_allowed_fallback(elsewhere(served, &error::WRONG_METHOD))
        .fallback(elsewhere(served, &error::NO_SUCH_ROUTE)))
}

const fn filter(method: kit::Method) -> MethodFilter {
    match method {
        // The router answers HEAD with what GET answers, less the body.
        kit::Method::Get => MethodFilter::GET,
        kit::Method::Post => MethodFilter::POST,
        kit::Method::Patch => MethodFilter::PATCH,
        kit::Method::Put => MethodFilter::PUT,
        kit::Method::Delete => MethodFilter::DELETE,
    }
}

/// Answers paths and methods that are none of ours. Nobody without a token learns which those are.
fn elsewhere(
    served: &Arc<Served>,
    code: &'static kit::Code,
) -> impl Fn(Request) -> future::Ready<Response> + Clone + Send + Sync + 'static {
    let served = served.clone();
    move |request| {
        let known = request.extensions().get::<Admitted>().is_some_and(|a| a.caller.kind != Kind::Public);
        let refusal =
            if known { code.error("docs/operations.md lists the paths and their methods.") } else { served.no_token() };
        future::ready(reply::problem(&refusal))
    }
}

async fn run(served: &Arc<Served>, row: &Arc<Row>, request: Request) -> Result<Response> {
    let (mut head, body) = request.into_parts();
    let admitted: Admitted = head.extensions.remove().expect("the guard has let it in");
    let op = &row.op;
    let caller = &admitted.caller;
    if caller.kind == Kind::Public && !op.who.has(Kind::Public) {
        return Err(served.no_token());
    }
    // The door checks this again; here it keeps those who may not call from sending bodies.
    may_call(op, caller)?;
    let permit = served.meters.begin(caller, used_as(op))?;

    let mut input = Map::new();
    if row.has_path_params {
        let params = RawPathParams::from_request_parts(&mut head, &()).await;
        let params = params.map_err(|e| codes::BAD_PATH.error(format!("{e}.")))?;
        row.shapes.add_path(&mut input, params.iter());
    }
    if let Some(query) = head.uri.query() {
        row.shapes.add_query(&mut input, query)?;
    }
    let trouble = Trouble::default();
    // Most requests have no body; what reading one takes is kept out of their futures.
    let upload = match op.takes {
        Takes::Json if body::is_empty(&body) => None,
        _ => Box::pin(read_body(served, op, &head, body, &mut input, &trouble)).await?,
    };
    let call = call_of(&head, &admitted, upload)?;

    let outcome = if op.method.reads() {
        // A reader that goes away takes its work with it.
        through_the_door(served.clone(), row.clone(), call, input, permit).await
    } else {
        // A change that was begun is brought to its end, whether or not someone still waits for the answer.
        let change = through_the_door(served.clone(), row.clone(), call, input, permit);
        let change = tokio::spawn(mcp::HEADERS.scope(head.headers, change));
        change.await.unwrap_or_else(|e| Err(error::INTERNAL.error("The operation was broken off.").caused_by(e)))
    };
    match outcome {
        Ok((reply, permit)) => answer(served, admitted, reply, permit),
        Err(refusal) => Err(trouble.take().unwrap_or(refusal)),
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

/// Calls the operation; a panic in it is an error of its own request and of no other.
async fn through_the_door(
    served: Arc<Served>,
    row: Arc<Row>,
    call: Call,
    input: Map<String, Value>,
    permit: Permit,
) -> Result<(Reply, Permit)> {
    let outcome = AssertUnwindSafe(kit::call(&served.ctx, &row.op, call, input)).catch_unwind().await;
    let reply = outcome.unwrap_or_else(|panic| Err(panicked(&row.op, &*panic)))?;
    Ok((reply, permit))
}

pub(crate) fn panicked(op: &Op, panic: &(dyn Any + Send)) -> kit::Error {
    let what = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    error::INTERNAL
        .error(format!("{} failed on a fault of the program.", op.name))
        .caused_by(what.unwrap_or("a panic without a message").to_owned())
}

async fn read_body(
    served: &Served,
    op: &Op,
    head: &Parts,
    body: Body,
    input: &mut Map<String, Value>,
    trouble: &Trouble,
) -> Result<Option<(String, ByteStream)>> {
    let wrong_type = |takes: &str| Err(error::WRONG_TYPE_OF_CONTENT.error(format!("{} takes {takes}.", op.name)));
    match op.takes {
        Takes::Json if matches!(head.method, Method::GET | Method::HEAD | Method::DELETE) => {
            Err(codes::BODY_NOT_TAKEN.error(format!("{} takes no body.", op.name)))
        }
        Takes::Json => {
            if guard::content_type(&head.headers)?.as_deref() != Some("application/json") {
                return wrong_type("application/json");
            }
            body::check_length(&body, op)?;
            let bytes = body::whole(body, op, &served.limits).await?;
            if !bytes.is_empty() {
                input::merge(input, input::body_members(&bytes)?)?;
            }
            Ok(None)
        }
        Takes::File(media) => {
            let essence = guard::content_type(&head.headers)?.unwrap_or_default();
            if essence != "multipart/form-data" && !media.contains(&&*essence) {
                return wrong_type(&format!("multipart/form-data, {}", media.join(", ")));
            }
            body::check_length(&body, op)?;
            let whole_type = guard::single(&head.headers, header::CONTENT_TYPE)?.unwrap_or_default().to_owned();
            Ok(Some((whole_type, body::in_pieces(body, op, &served.limits, trouble))))
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
            codes::SOURCE_SESSION_FOREIGN.error("X-App-Source-Session-Id names another session than the token's.")
        );
    }
    Ok(Call {
        caller: admitted.caller.clone(),
        if_match: text(header::IF_MATCH)?.map(|tag| tag.trim_matches('"').to_owned()),
        if_none_match: guard::listed(headers, header::IF_NONE_MATCH)?,
        accept: guard::listed(headers, header::ACCEPT)?,
        last_event_id: text(LAST_EVENT_ID)?,
        source_session,
        upload,
    })
}

/// Puts the reply on the wire; a stream holds its token's place until it ends.
fn answer(served: &Arc<Served>, admitted: Admitted, mut reply: Reply, permit: Permit) -> Result<Response> {
    if let kit::Body::Stream(pieces) = reply.body {
        let events = reply.content_type == EVENT_STREAM;
        let served = served.clone();
        let still_valid = move |admitted: &Admitted| {
            // An event stream outlives its request by hours, so the token is looked up again before each piece.
            !events || admitted.token.as_deref().is_none_or(|token| served.authenticator.caller(token).is_some())
        };
        let held = pieces.take_while(move |_| {
            let _held = &permit;
            future::ready(still_valid(&admitted))
        });
        reply.body = kit::Body::Stream(Box::pin(held));
    }
    reply::of(reply)
}
