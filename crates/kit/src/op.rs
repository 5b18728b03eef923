//! An operation is one row: name, method, path, who may call, doc, handler. The HTTP route, its OpenAPI operation, the MCP
//! tool, the command and the line in docs/operations.md are all made from it, and all of them pass through [`call`].

use crate::caller::{Caller, CallerSet, Kind};
use crate::ctx::Ctx;
use crate::error::{self, Code, FieldError, Result};
use crate::fault;
use crate::setting::Setting;
use crate::tag;
use bytes::Bytes;
use futures_core::Stream;
use futures_core::future::BoxFuture;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// HTTP method of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Method {
    Get,
    Post,
    Patch,
    Put,
    Delete,
}

impl Method {
    /// The HTTP name.
    pub const fn name(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Patch => "PATCH",
            Method::Put => "PUT",
            Method::Delete => "DELETE",
        }
    }
    /// Whether the operation changes nothing.
    pub const fn reads(self) -> bool {
        matches!(self, Method::Get)
    }
}

/// A streamed body.
pub type ByteStream = Pin<Box<dyn Stream<Item = std::io::Result<Bytes>> + Send>>;

/// A request for an operation, without its input.
pub struct Call {
    /// The caller.
    pub caller: Caller,
    /// `If-Match`, as sent: one tag, a list of them, or `*`.
    pub if_match: Option<String>,
    /// `If-None-Match`, as sent.
    pub if_none_match: Option<String>,
    /// `Accept`, as sent.
    pub accept: Option<String>,
    /// `Last-Event-ID`.
    pub last_event_id: Option<String>,
    /// `X-App-Source-Session-Id`.
    pub source_session: Option<String>,
    /// The body of an operation that takes a file, with its content type.
    pub upload: Option<(String, ByteStream)>,
}

impl Call {
    /// A call without headers or upload.
    pub fn new(caller: Caller) -> Self {
        Call {
            caller,
            if_match: None,
            if_none_match: None,
            accept: None,
            last_event_id: None,
            source_session: None,
            upload: None,
        }
    }
    /// The account that every query of this call is bound to.
    pub fn account(&self) -> &str {
        &self.caller.account
    }
    /// Whether the caller is an agent: with a session's token, for a session with another token, or through MCP. A
    /// process with the command-line token can hide this: it prevents mistakes and isn't a sandbox.
    pub fn is_of_agent(&self) -> bool {
        self.caller.is_agent() || self.source_session.is_some()
    }
    /// Whether the caller already has the version with this tag (`If-None-Match`).
    pub fn holds(&self, etag: &str) -> bool {
        self.if_none_match.as_deref().is_some_and(|header| {
            header.split(',').any(|tag| tag.trim().trim_start_matches("W/") == etag || tag.trim() == "*")
        })
    }
    /// Rejects the call if no tag in `If-Match` is the stored revision.
    pub fn expects(&self, revision: i64) -> Result<()> {
        self.expects_tag(revision, |tag| tag == revision.to_string())
    }
    /// Like `expects`, for longer tags that begin with the revision: both forms are accepted.
    pub fn expects_beginning(&self, revision: i64) -> Result<()> {
        self.expects_tag(revision, |tag| tag.split('-').next() == Some(&*revision.to_string()))
    }
    fn expects_tag(&self, revision: i64, fits: impl Fn(&str) -> bool) -> Result<()> {
        if self.matches(fits) {
            return Ok(());
        }
        // The header isn't repeated: errors never contain raw headers.
        let detail =
            format!("The revision isn't the current one, {revision}. Read the current one and repeat the change.");
        Err(error::STALE.error(detail).with("revision", revision))
    }
    /// Whether there is no `If-Match` (or `*`), or one of its tags fits.
    pub fn matches(&self, fits: impl Fn(&str) -> bool) -> bool {
        self.if_match.as_deref().is_none_or(|tags| tag::matches(tags, fits))
    }
}

/// The body of a response.
pub enum Body {
    /// Whole.
    Whole(Bytes),
    /// Whole, in parts that are already in memory.
    Parts(Vec<Bytes>),
    /// Streamed (events, downloads).
    Stream(ByteStream),
}

/// An operation's response, before it is sent.
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Media type of the body; empty when there is none.
    pub content_type: &'static str,
    /// Further headers, lower case.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Body,
}

impl Reply {
    /// JSON that is already serialized.
    pub fn json_bytes(body: impl Into<Bytes>) -> Reply {
        Reply { status: 200, content_type: "application/json", headers: Vec::new(), body: Body::Whole(body.into()) }
    }
    /// Adds a header.
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Reply {
        self.headers.push((name, value.into()));
        self
    }
    /// `304 Not Modified`.
    pub fn not_modified(etag: &str) -> Reply {
        Reply {
            status: 304,
            content_type: "",
            headers: vec![("etag", etag.to_owned())],
            body: Body::Whole(Bytes::new()),
        }
    }
}

/// Results of handlers: serializable values, or one of the wrappers here.
pub trait Answer {
    /// The documented status of success.
    const STATUS: u16 = 200;
    /// Other statuses of success, with the same body.
    const ALSO: &'static [u16] = &[];
    /// Whether success has a `Location`, the path of the new resource.
    const LOCATED: bool = false;
    /// Media types of the response.
    const MEDIA: &'static [&'static str] = &["application/json"];
    /// JSON Schema of the body.
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema>;
    /// Converts it to a response.
    fn reply(self) -> Reply;
}

impl<T: Serialize + JsonSchema> Answer for T {
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<T>())
    }
    fn reply(self) -> Reply {
        Reply::json_bytes(serde_json::to_vec(&self).expect("answers serialize"))
    }
}

/// `201 Created` with the address of the new thing.
pub struct Created<T> {
    /// Path of the new resource.
    pub location: String,
    /// Its record.
    pub record: T,
}
impl<T: Serialize + JsonSchema> Answer for Created<T> {
    const STATUS: u16 = CreatedPart::<T>::STATUS;
    const LOCATED: bool = true;
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        CreatedPart::<T>::schema(generator)
    }
    fn reply(self) -> Reply {
        CreatedPart(self.record).reply().header("location", self.location)
    }
}

/// `201 Created` for a part of another record: it has no address of its own, so the reply has no `Location`.
pub struct CreatedPart<T>(pub T);
impl<T: Serialize + JsonSchema> Answer for CreatedPart<T> {
    const STATUS: u16 = 201;
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        T::schema(generator)
    }
    fn reply(self) -> Reply {
        Reply { status: 201, ..self.0.reply() }
    }
}

/// `202 Accepted`: the work continues after the response.
pub struct Accepted<T>(pub T);
impl<T: Serialize + JsonSchema> Answer for Accepted<T> {
    const STATUS: u16 = 202;
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        T::schema(generator)
    }
    fn reply(self) -> Reply {
        Reply { status: 202, ..self.0.reply() }
    }
}

/// `204 No Content`.
pub struct Done;
impl Answer for Done {
    const STATUS: u16 = 204;
    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
    fn reply(self) -> Reply {
        Reply { status: 204, content_type: "", headers: Vec::new(), body: Body::Whole(Bytes::new()) }
    }
}

/// A cached JSON document with its tag. Returns 304 to a caller that has it. `T` documents its shape.
pub struct Cached<T> {
    reply: Reply,
    shape: std::marker::PhantomData<fn() -> T>,
}
impl<T> Cached<T> {
    /// `etag` with its quotes.
    pub fn new(call: &Call, etag: &str, body: impl FnOnce() -> Bytes) -> Self {
        let reply =
            if call.holds(etag) { Reply::not_modified(etag) } else { Reply::json_bytes(body()).header("etag", etag) };
        Cached { reply, shape: std::marker::PhantomData }
    }
}
impl<T: JsonSchema> Answer for Cached<T> {
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<T>())
    }
    fn reply(self) -> Reply {
        self.reply
    }
}

/// A custom response. `M` documents its media type and shape.
pub struct Raw<M> {
    reply: Reply,
    media: std::marker::PhantomData<fn() -> M>,
}
/// Documents a [`Raw`] response.
pub trait Media {
    /// Possible media types.
    const TYPES: &'static [&'static str];
    /// Statuses of success besides 200.
    const ALSO: &'static [u16] = &[];
    /// JSON Schema, if one of them is JSON.
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema>;
}
impl<M> From<Reply> for Raw<M> {
    fn from(reply: Reply) -> Self {
        Raw { reply, media: std::marker::PhantomData }
    }
}
impl<M: Media> Answer for Raw<M> {
    const ALSO: &'static [u16] = M::ALSO;
    const MEDIA: &'static [&'static str] = M::TYPES;
    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        M::schema(generator)
    }
    fn reply(self) -> Reply {
        self.reply
    }
}

/// Body sizes, as limits on operations.
pub mod limits {
    /// Settings and other small bodies.
    pub const SMALL_BYTES: usize = 64 * 1024;
    /// Boards and dashboards.
    pub const LARGE_BYTES: usize = 1024 * 1024;
    /// Imported files.
    pub const FILE_BYTES: usize = 512 * 1024 * 1024;
}

type Handler = Arc<dyn Fn(Ctx, Call, Value) -> BoxFuture<'static, Result<Reply>> + Send + Sync>;

/// Listed among the media types of files that can have any type.
pub const ANY_MEDIA: &str = "*/*";

/// The body of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// A JSON object (or nothing).
    Json,
    /// A file of one of these media types, or any with [`ANY_MEDIA`]. Other inputs are query parameters.
    File(&'static [&'static str]),
}

/// One operation.
#[derive(Clone)]
pub struct Op {
    /// `settings.get`: a group and a verb.
    pub name: &'static str,
    /// HTTP method.
    pub method: Method,
    /// HTTP path with parameters in braces, `/settings/{key}`.
    pub path: &'static str,
    /// The kinds of caller that can call it.
    pub callers: CallerSet,
    /// Its description. Lists show the first sentence.
    pub doc: &'static str,
    /// An example input as JSON, for the tests over all operations. `{boardId}` is the ID of one of the caller's
    /// boards.
    pub example: &'static str,
    /// Other words for it, for searches.
    pub synonyms: &'static str,
    /// Scopes that a session's token needs, separated by spaces.
    pub scope: &'static str,
    /// The switch that must be on, and the error when it is off.
    pub switch: Option<(&'static Setting<bool>, &'static Code)>,
    /// Whether agents see it as a tool of its own. Others are found and called through two general tools.
    pub common: bool,
    /// Whether its response is a document such as a schema, which the command line always prints as JSON.
    pub document: bool,
    /// Largest body, in bytes.
    pub body_bytes_max: usize,
    /// JSON or a file.
    pub takes: Takes,
    /// Whether it checks `If-Match` against the stored revision.
    pub if_match: bool,
    /// Whether the handler checks the range of each number. Numbers that are too large reach it as the largest float.
    pub judges_numbers: bool,
    /// Whether it changes nothing. A `POST` can be such an operation too.
    pub reads: bool,
    /// Whether it's permanent, which agents can't do.
    pub is_permanent: bool,
    /// Whether it ends when the caller disconnects. Other changes are completed.
    pub ends_with_caller: bool,
    /// Columns of the command's table, as members of a list item or of the record.
    pub columns: &'static [&'static str],
    /// Its own errors, besides the general ones.
    pub errors: Vec<&'static Code>,
    /// JSON Schema of the entries in its 412's `conflicts`, if it checks several values.
    pub conflicts: Option<fn(&mut SchemaGenerator) -> Schema>,
    /// Status of success.
    pub status: u16,
    /// Other statuses of success.
    pub also: &'static [u16],
    /// Whether success has a `Location`.
    pub located: bool,
    /// Media types of success.
    pub media: &'static [&'static str],
    /// JSON Schema of the input object (path, query, and body members together).
    pub input: fn(&mut SchemaGenerator) -> Schema,
    /// JSON Schema of the response.
    pub output: fn(&mut SchemaGenerator) -> Option<Schema>,
    handler: Handler,
}

impl Op {
    /// A row. `name` is `group.verb`, `path` has its parameters in braces and each is a member of the input type `I`.
    pub fn new<I, O, F, Fut>(
        name: &'static str,
        method: Method,
        path: &'static str,
        callers: CallerSet,
        doc: &'static str,
        run: F,
    ) -> Op
    where
        I: DeserializeOwned + JsonSchema,
        O: Answer,
        F: Fn(Ctx, Call, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O>> + Send + 'static,
    {
        Op {
            name,
            method,
            path,
            callers,
            doc,
            example: "{}",
            synonyms: "",
            scope: "",
            switch: None,
            common: false,
            document: false,
            body_bytes_max: limits::SMALL_BYTES,
            takes: Takes::Json,
            if_match: false,
            judges_numbers: false,
            reads: method.reads(),
            is_permanent: false,
            ends_with_caller: false,
            columns: &[],
            errors: Vec::new(),
            conflicts: None,
            status: O::STATUS,
            also: O::ALSO,
            located: O::LOCATED,
            media: O::MEDIA,
            input: |generator| generator.subschema_for::<I>(),
            output: O::schema,
            handler: Arc::new(move |ctx, call, input| match read_input(input) {
                Ok(input) => {
                    let answer = run(ctx, call, input);
                    Box::pin(async move { Ok(answer.await?.reply()) })
                }
                Err(refusal) => Box::pin(std::future::ready(Err(refusal))),
            }),
        }
    }
    /// Other words that people use for it, such as `bulk many at once`.
    pub fn synonyms(self, synonyms: &'static str) -> Op {
        Op { synonyms, ..self }
    }

    /// Sets the scopes that a session's token needs, separated by spaces. Operations that show another feature's data
    /// need that feature's scope too.
    pub fn scope(self, scope: &'static str) -> Op {
        Op { scope, ..self }
    }
    /// Each scope that a session's token needs.
    pub fn scopes(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.scope.split_whitespace()
    }
    /// Sets the setting that must be on, and the error while it is off.
    pub fn switch(self, setting: &'static Setting<bool>, code: &'static Code) -> Op {
        Op { switch: Some((setting, code)), ..self }
    }
    /// Sets an example input.
    pub fn example(self, example: &'static str) -> Op {
        Op { example, ..self }
    }
    /// Marks it as permanent deletion, which agents can't do, whatever their scopes.
    pub fn permanent(self) -> Op {
        Op { is_permanent: true, callers: self.callers.without(CallerSet::AGENT), scope: "", ..self }
    }
    /// Shows it to agents as a tool of its own.
    pub fn common(self) -> Op {
        Op { common: true, ..self }
    }
    /// Answers with a document.
    pub fn document(self) -> Op {
        Op { document: true, ..self }
    }
    /// Takes bodies up to this size.
    pub fn body_up_to(self, body_bytes_max: usize) -> Op {
        Op { body_bytes_max, ..self }
    }
    /// Takes a file as its body.
    pub fn takes_file(self, media: &'static [&'static str]) -> Op {
        Op { takes: Takes::File(media), body_bytes_max: limits::FILE_BYTES, ..self }
    }
    /// Checks `If-Match`.
    pub fn if_match(self) -> Op {
        Op { if_match: true, ..self }
    }
    /// Checks the range of each number in its handler.
    pub fn judges_numbers(self) -> Op {
        Op { judges_numbers: true, ..self }
    }
    /// Ends when its caller disconnects, and discards its work except for what its handler completes itself.
    pub fn ends_with_caller(self) -> Op {
        Op { ends_with_caller: true, ..self }
    }
    /// Changes nothing, whatever its method.
    pub fn reads(self) -> Op {
        Op { reads: true, ..self }
    }
    /// Columns of the command's table.
    pub fn columns(self, columns: &'static [&'static str]) -> Op {
        Op { columns, ..self }
    }
    /// Errors of its own.
    pub fn errors<const N: usize>(self, errors: [&'static Code; N]) -> Op {
        Op { errors: errors.to_vec(), ..self }
    }
    /// Lists in its 412's `conflicts` each value that differs from what the caller saw.
    pub fn conflicts<T: Serialize + JsonSchema>(self) -> Op {
        Op { conflicts: Some(|generator| generator.subschema_for::<T>()), ..self }
    }
    /// Names of the path parameters, in order.
    pub fn path_params(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }
    /// The input's JSON Schema as a document of its own.
    pub fn input_schema(&self) -> Value {
        let mut generator =
            schemars::generate::SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true).into_generator();
        (self.input)(&mut generator).to_value()
    }
}

fn read_input<I: DeserializeOwned>(input: Value) -> Result<I> {
    crate::input::read(input).map_err(|e| {
        let mut pointer = String::new();
        for segment in e.path().iter() {
            match segment {
                serde_path_to_error::Segment::Seq { index } => pointer.push_str(&format!("/{index}")),
                serde_path_to_error::Segment::Map { key } | serde_path_to_error::Segment::Enum { variant: key } => {
                    pointer.push_str(&format!("/{}", key.replace('~', "~0").replace('/', "~1")));
                }
                serde_path_to_error::Segment::Unknown => {}
            }
        }
        let what = e.inner().to_string();
        let detail = crate::input::said(&what);
        let code = match what.split(' ').collect::<Vec<_>>()[..] {
            ["unknown", "variant", ..] => fault::NOT_A_CHOICE,
            ["unknown", ..] => fault::UNKNOWN_FIELD,
            ["missing", ..] => fault::MISSING,
            _ => fault::WRONG_TYPE,
        };
        error::INVALID.error("The input doesn't match what this operation accepts.").at_all([FieldError {
            pointer,
            code,
            detail,
        }])
    })
}

/// Calls an operation: checks the feature's setting, then the caller and its session, then runs the handler. `If-Match`
/// reaches only operations that declare that they check it, so that its documentation stays correct.
pub async fn call(ctx: &Ctx, op: &Op, mut call: Call, input: Map<String, Value>) -> Result<Reply> {
    if let Some((switch, code)) = op.switch
        && !ctx.setting(&call.caller.account, switch)
    {
        let key = switch.spec.key;
        let remedy = match call.is_of_agent() {
            true if switch.spec.agents_may_write => "Turn it on with `settings.set`.".to_owned(),
            true => "Ask the owner to turn it on in Settings.".to_owned(),
            false => format!("Turn it on in Settings or with `pilothouse settings set {key} on`."),
        };
        return Err(code.error(format!("The setting {key} is off. {remedy}")).with("setting", key));
    }
    may_call(op, &call.caller)?;
    if call.source_session.is_some() {
        agents_may_call(op)?;
    }
    if !op.if_match {
        call.if_match = None;
    }
    let mut input = Value::Object(input);
    if call.is_of_agent() {
        // An agent's token must not be stored, even if the agent sends it.
        error::hide_tokens(&mut input);
    }
    (op.handler)(ctx.clone(), call, input).await.map_err(|error| error.naming(&kinds_in(op.path)))
}

/// The kinds of things that a path has the IDs of: board and item in `/boards/{boardId}/items/{itemId}`.
fn kinds_in(path: &'static str) -> Vec<&'static str> {
    /// Kinds with a different name in texts.
    const NAMES: [(&str, &str); 4] =
        [("app", "address"), ("ask", "request"), ("prompt", "message"), ("row", "inbox row")];
    let kinds = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix("Id}"));
    kinds.map(|kind| NAMES.iter().find(|(param, _)| *param == kind).map_or(kind, |(_, name)| *name)).collect()
}

/// Checks whether the caller can use the operation: first its kind, then a session's scopes. MCP callers can do only
/// what sessions can, whatever their token.
pub fn may_call(op: &Op, caller: &Caller) -> Result<()> {
    if caller.is_agent() {
        agents_may_call(op)?;
    }
    if !op.callers.has(caller.kind) {
        return Err(match caller.kind {
            Kind::Public => error::NO_TOKEN.error("Send a token: Authorization: Bearer TOKEN. The command-line token is in the file cli-token of the data directory."),
            kind => {
                let detail = format!("Only {} can use {}, not {}.", those_of(op), op.name, place_of(kind));
                error::FORBIDDEN.error(detail)
            }
        });
    }
    if let Some(scope) = op.scopes().find(|scope| !caller.has_scope(scope)) {
        return Err(error::SCOPE_MISSING.error(format!(
            "{} needs the scope {scope}, which this session's token lacks. Ask the owner for a token with it.",
            op.name
        )));
    }
    Ok(())
}

/// Names a kind of caller by its place.
const fn place_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Owner => "the page",
        Kind::Cli => "the command line",
        Kind::Agent => "sessions",
        Kind::Member => "members",
        Kind::Public => "callers without a token",
    }
}

/// The callers of an operation, for errors.
fn those_of(op: &Op) -> String {
    let places: Vec<&str> = Kind::KNOWN.into_iter().filter(|kind| op.callers.has(*kind)).map(place_of).collect();
    places.join(" and ")
}

/// Checks whether agents can use the operation at all. If none of their own tokens allows it, no other token does
/// either.
fn agents_may_call(op: &Op) -> Result<()> {
    if op.callers.has(Kind::Agent) {
        return Ok(());
    }
    let people = [Kind::Owner, Kind::Cli].into_iter().filter(|kind| op.callers.has(*kind)).map(place_of);
    let places = people.collect::<Vec<_>>().join(" or ");
    let places = if places.is_empty() { places } else { format!(", on {places}") };
    let detail = format!("Only a person can use {}{places}. Ask the owner.", op.name);
    Err(error::FORBIDDEN.error(detail))
}
