//! `POST /mcp`: the operations as tools of the Model Context Protocol, over the same door.
//!
//! Agents see the common operations as tools of their own, and two general ones that find and call all others: a list of
//! every operation would fill their context before they begin.

use crate::calls;
use crate::events_stream::EVENT_STREAM;
use crate::fault;
use crate::interface::Interface;
use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::{HeaderMap, HeaderName, HeaderValue, Request, header};
use http_body_util::{BodyExt, Full};
use kit::op::{ANY_MEDIA, Takes, may_call};
use kit::{Body, Call, Caller, CallerSet, Ctx, Kind, Media, Method, Op, Raw, Reply, Result, error, limits};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorCode, ErrorData, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The operation's name; the HTTP interface documents one more status for it.
pub(crate) const NAME: &str = "mcp.message";
/// Default and maximum number of operations that a search returns.
const FOUND: usize = 8;
const FOUND_MAX: usize = 30;
/// The best matches of a search come with their input schemas. More schemas would fill an agent's context.
const SCHEMAS: usize = 3;
/// Names that are at least so similar are suggested: 1 is the same.
const SIMILAR: f64 = 0.6;
/// Verbs of other interfaces, and ours.
const SAME_VERBS: [(&str, &str); 7] = [
    ("add", "create"),
    ("fetch", "get"),
    ("new", "create"),
    ("read", "get"),
    ("remove", "delete"),
    ("retrieve", "get"),
    ("view", "get"),
];
/// Largest result of a tool, in bytes. More is of no use to a model.
const ANSWER_BYTES_MAX: usize = 1024 * 1024;

/// All errors of the protocol are shorter. Longer responses aren't inspected.
const SHORT_BYTES: usize = 1024;

const FIND: &str = "find_operation";
const CALL: &str = "call_operation";
/// A member of inputs that omits long and sent values from the response.
const BRIEF: &str = "brief";
const INSTRUCTIONS: &str = "Pilothouse's operations. Common ones are tools, described briefly; find_operation finds all of \
    them with full descriptions, and call_operation calls one. In operations that have `brief`, it is on unless you send \
    false: the answer then leaves out what you sent and what is long. Errors are problem documents: `code` is stable, `detail` says what to do.";

tokio::task_local! {
    /// Headers of the current request, some of which have the protocol's version.
    pub(crate) static HEADERS: HeaderMap;
}

pub(crate) fn op() -> Op {
    Op::new(
        NAME,
        Method::Post,
        "/mcp",
        CallerSet::ANYONE_KNOWN,
        "Send one message of the Model Context Protocol (streamable HTTP, without sessions). Operations are its tools.",
        message,
    )
}

/// Bytes of a message besides the operation's input.
const ENVELOPE_BYTES: usize = limits::SMALL_BYTES;

/// Maximum size of a message: that of the operation with the largest body, which checks its own limit again. Files
/// aren't included, because their text would be in memory as a whole.
pub(crate) fn message_bytes_max(ops: &[Op]) -> usize {
    let of_inputs = ops.iter().filter(|op| op.takes == Takes::Json).map(|op| op.body_bytes_max);
    of_inputs.max().unwrap_or_default().max(limits::LARGE_BYTES) + ENVELOPE_BYTES
}

/// One JSON-RPC message.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
struct Message(Map<String, Value>);

/// Documents the answer.
struct McpAnswer;
impl Media for McpAnswer {
    const TYPES: &'static [&'static str] = &["application/json"];
    /// Accepted notifications have no response.
    const ALSO: &'static [u16] = &[202];
    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        Some(schemars::json_schema!({"type": "object"}))
    }
}

/// This server's methods. The library treats wrong parameters as an unknown method.
const METHODS: [&str; 4] = ["initialize", "ping", "tools/list", "tools/call"];

/// The ID and the method of a request, if it's one of our methods.
fn request_of(message: &Map<String, Value>) -> Option<(Value, String)> {
    let id = message.get("id").filter(|id| id.is_string() || id.is_i64() || id.is_u64())?;
    let method = message.get("method")?.as_str().filter(|method| METHODS.contains(method))?;
    (message.get("jsonrpc")? == "2.0").then(|| (id.clone(), method.to_owned()))
}

/// The protocol's error for invalid parameters.
fn wrong_params((id, method): (Value, String)) -> Raw<McpAnswer> {
    let detail = format!("Invalid parameters for {method}.");
    let answer = json!({"jsonrpc": "2.0", "id": id, "error": {"code": ErrorCode::INVALID_PARAMS.0, "message": detail}});
    Reply {
        status: 200,
        content_type: "application/json",
        headers: Vec::new(),
        body: Body::Whole(Bytes::from(answer.to_string())),
    }
    .into()
}

async fn message(ctx: Ctx, call: Call, input: Message) -> Result<Raw<McpAnswer>> {
    let request_made = request_of(&input.0);
    let listed = input.0.get("params").is_some_and(|params| !params.is_object());
    if let (Some(made), true) = (&request_made, listed) {
        return Ok(wrong_params(made.clone()));
    }
    let interface = ctx.service::<Interface>();
    let caller = Caller { through_mcp: true, ..call.caller };
    let asker = Asker { ctx, caller, source_session: call.source_session };
    let mut request = Request::new(Full::new(Bytes::from(Value::Object(input.0).to_string())));
    let headers = request.headers_mut();
    if let Ok(sent) = HEADERS.try_with(HeaderMap::clone) {
        for (name, value) in sent.iter().filter(|(name, _)| name.as_str().starts_with("mcp-")) {
            headers.append(HeaderName::clone(name), value.clone());
        }
    }
    // The library requires one, but doesn't check it with the configuration below.
    headers.insert(header::HOST, HeaderValue::from_static("localhost"));
    // The response is always JSON, so callers don't need to accept a stream.
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    *request.method_mut() = http::Method::POST;
    request.extensions_mut().insert(asker);

    // The guard has checked Host and Origin against this server's own port, which the library does not know.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        // The limit was checked while reading. Serialized again, it can be slightly longer.
        .with_max_request_body_bytes(usize::MAX);
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(Handler(interface.clone())), sessions, config);
    let (head, body) = service.handle(request).await.into_parts();
    let bytes = match body.collect().await {
        Ok(collected) => collected.to_bytes(),
        Err(never) => match never {},
    };
    let is_json = head.headers.get(header::CONTENT_TYPE).is_some_and(|t| t.as_bytes().starts_with(b"application/json"));
    if !head.status.is_success() && !is_json {
        return Err(error::INVALID
            .error(format!("Not a message of the Model Context Protocol: {}", String::from_utf8_lossy(&bytes))));
    }
    let unknown_method = || {
        let answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        answer["error"]["code"] == ErrorCode::METHOD_NOT_FOUND.0
    };
    if let Some(made) = request_made.filter(|_| bytes.len() < SHORT_BYTES && unknown_method()) {
        return Ok(wrong_params(made));
    }
    let content_type = if bytes.is_empty() { "" } else { "application/json" };
    Ok(Reply { status: head.status.as_u16(), content_type, headers: Vec::new(), body: Body::Whole(bytes) }.into())
}

/// The message's caller. The library passes it on with the request.
#[derive(Clone)]
struct Asker {
    ctx: Ctx,
    caller: Caller,
    source_session: Option<String>,
}

/// The tools, created once.
pub(crate) struct Tools {
    /// Index of the operation, and its tool.
    common: Vec<(usize, Tool)>,
    general: [Tool; 2],
}

impl Tools {
    pub(crate) fn new(ops: &[Op]) -> Tools {
        let common = ops.iter().enumerate().filter(|(_, op)| op.common && is_tool(op));
        let find = schema(json!({
            "type": "object", "required": ["query"],
            "properties": {
                "query": {"type": "string", "description": "What to do, such as: archive session"},
                "limit": {"type": "integer", "description": format!("1 to {FOUND_MAX}, default {FOUND}")},
            },
        }));
        let call = schema(json!({
            "type": "object", "required": ["name"],
            "properties": {"name": {"type": "string", "description": "A name from find_operation"}, "input": {"type": "object"}},
        }));
        Tools {
            common: common.map(|(index, op)| (index, tool(op))).collect(),
            general: [
                Tool::new(FIND, "Search all operations. The best three come with their input schemas.", find)
                    .with_annotations(ToolAnnotations::new().read_only(true)),
                Tool::new(CALL, "Call an operation by name.", call),
            ],
        }
    }
}

/// Event streams never end, and this operation would only call itself. Operations without a token are for callers
/// without one, such as for signing in; here, every caller has one.
fn is_tool(op: &Op) -> bool {
    op.name != NAME && !op.media.contains(&EVENT_STREAM) && !op.callers.has(Kind::Public)
}

fn tool(op: &Op) -> Tool {
    let mut input = tool_input(op);
    shorten(&mut input, false);
    let tool = Tool::new(op.name.replace('.', "_"), first_sentence(op.doc).to_owned(), schema(input));
    if op.reads { tool.with_annotations(ToolAnnotations::new().read_only(true)) } else { tool }
}

/// Shortens descriptions to their first sentence, and removes those inside arrays, which repeat others.
fn shorten(schema: &mut Value, in_array: bool) {
    let Some(members) = schema.as_object_mut() else { return };
    match members.get_mut("description") {
        Some(Value::String(_)) if in_array => {
            members.remove("description");
        }
        Some(Value::String(text)) => *text = first_sentence(text).to_owned(),
        _ => {}
    }
    for (word, value) in members {
        match (word.as_str(), value) {
            ("properties", Value::Object(named)) => named.values_mut().for_each(|one| shorten(one, in_array)),
            ("anyOf" | "oneOf", Value::Array(several)) => several.iter_mut().for_each(|one| shorten(one, in_array)),
            ("items", value) => shorten(value, true),
            _ => {}
        }
    }
}

fn first_sentence(text: &str) -> &str {
    let end = text.find(". ").or_else(|| text.find(".\n")).map_or(text.len(), |at| at + 1);
    &text[..end]
}

fn schema(value: Value) -> Arc<JsonObject> {
    match value {
        Value::Object(members) => Arc::new(members),
        _ => Arc::default(),
    }
}

/// The input's schema without parts that models don't need. Files are sent as text.
fn tool_input(op: &Op) -> Value {
    let mut schema = op.input_schema();
    compact(&mut schema);
    // The tool's description has it.
    schema.as_object_mut().map(|members| members.remove("description"));
    if schema["type"] != "object" {
        schema = json!({"type": "object"});
    }
    if let Takes::File(media) = op.takes {
        if media.contains(&ANY_MEDIA) {
            schema["properties"]["content"] = json!({"type": "string", "description": "The file's text"});
            schema["properties"]["contentBase64"] =
                json!({"type": "string", "description": "The file's bytes in base64, instead of content"});
        } else {
            schema["properties"]["content"] =
                json!({"type": "string", "description": format!("The file's text ({})", media.join(", "))});
        }
    }
    schema
}

fn compact(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else { return };
    // Errors name unknown members, so models don't need this.
    let says_nothing = |word: &str, value: &Value| match word {
        // Errors name patterns and limits, and models rarely reach them.
        "$schema" | "title" | "pattern" | "minLength" | "maxLength" | "minItems" | "maxItems" | "minimum"
        | "maximum" => true,
        // An empty default only means that the member is optional.
        "default" => value.is_null() || value == false || value == &json!([]) || value == &json!({}) || value == "",
        "additionalProperties" => value == false,
        _ => false,
    };
    members.retain(|word, value| !says_nothing(word, value));
    // `int64` and the like repeat the type.
    if members.get("format").and_then(Value::as_str).is_some_and(|format| format.contains("int") || format == "double")
    {
        members.remove("format");
    }
    // The stored form is long, and a shorter one beside it has the same meaning.
    if let Some(Value::Object(named)) = members.get_mut("properties") {
        named.retain(|_, one| one["x-of-pages"] != true);
    }
    // Nullable members can be omitted, which is all that a model needs to know.
    let is_null = |kind: &Value| kind == "null" || kind["type"] == "null";
    if let Some(Value::Array(kinds)) = members.get_mut("type") {
        kinds.retain(|kind| !is_null(kind));
        if let [kind] = &mut kinds[..] {
            members["type"] = kind.take();
        }
    }
    if let Some(Value::Array(kinds)) = members.get_mut("anyOf") {
        kinds.retain(|kind| !is_null(kind));
    }
    if let Some(names) = members.get("oneOf").and_then(names_of) {
        members.remove("oneOf");
        members.insert("enum".into(), names);
    }
    for (word, value) in members {
        match (word.as_str(), value) {
            ("properties" | "$defs", Value::Object(named)) => named.values_mut().for_each(compact),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(several)) => {
                several.iter_mut().for_each(compact)
            }
            ("items" | "additionalProperties" | "not", value) => compact(value),
            _ => {}
        }
    }
}

/// The names of a choice among constants.
fn names_of(choices: &Value) -> Option<Value> {
    choices.as_array()?.iter().map(|choice| choice.get("const").cloned()).collect()
}

struct Handler(Arc<Interface>);

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("pilothouse", self.0.version))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let asker = asker(&context)?;
        let interface = &self.0;
        let common = interface.tools.common.iter();
        let callable = common.filter(|(index, _)| may_call(&interface.ops[*index], &asker.caller).is_ok());
        let tools = callable.map(|(_, tool)| tool).chain(&interface.tools.general).cloned().collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let asker = asker(&context)?;
        let mut arguments = request.arguments.unwrap_or_default();
        let outcome = match &*request.name {
            FIND => find(&self.0, &asker.caller, &arguments),
            CALL => match (arguments.remove("name"), arguments.remove("input")) {
                (Some(Value::String(name)), None) => self.call(asker, &name, Map::new()).await,
                (Some(Value::String(name)), Some(Value::Object(input))) => self.call(asker, &name, input).await,
                _ => {
                    Err(kit::invalid("/name", fault::MISSING, "Send the operation's name, and its input as an object."))
                }
            },
            name => {
                let common = self.0.tools.common.iter().find(|(_, tool)| tool.name == name);
                let (index, _) = common.ok_or_else(|| ErrorData::invalid_params(self.no_tool(name), None))?;
                self.call(asker, self.0.ops[*index].name, arguments).await
            }
        };
        Ok(match outcome {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(refusal) => CallToolResult::error(vec![ContentBlock::text(refusal.problem().to_string())]),
        }
        .into())
    }
}

fn asker(context: &RequestContext<RoleServer>) -> Result<&Asker, ErrorData> {
    let head = context.extensions.get::<http::request::Parts>();
    let asker = head.and_then(|head| head.extensions.get::<Asker>());
    asker.ok_or_else(|| ErrorData::internal_error("The request has no caller.", None))
}

impl Handler {
    /// Whether the operation can be asked for a brief answer.
    fn can_be_brief(&self, op: &Op) -> bool {
        let tool = self.0.tools.common.iter().find(|(index, _)| self.0.ops[*index].name == op.name);
        let has = |schema: &JsonObject| schema.get("properties").is_some_and(|members| members.get(BRIEF).is_some());
        tool.map_or_else(|| tool_input(op).as_object().is_some_and(has), |(_, tool)| has(&tool.input_schema))
    }

    /// The operation of a name, which clients that allow no dots write with underscores.
    fn operation(&self, name: &str) -> Option<&Op> {
        self.0.ops.iter().find(|op| is_tool(op) && (op.name == name || op.name.replace('.', "_") == name))
    }

    /// The operation with the most similar name.
    fn nearest(&self, name: &str) -> Option<&Op> {
        let name = name.replace('_', ".").to_lowercase();
        let (thing, verb) = name.rsplit_once('.').unwrap_or(("", &name));
        let verb = SAME_VERBS.iter().find(|(other, _)| *other == verb).map_or(verb, |(_, verb)| verb);
        let name = format!("{thing}.{verb}");
        let similar = self.0.ops.iter().filter(|op| is_tool(op));
        let similar = similar.map(|op| (strsim::normalized_levenshtein(&op.name.to_lowercase(), &name), op));
        let similar = similar.filter(|(similarity, _)| *similarity >= SIMILAR);
        similar.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, op)| op)
    }

    /// The error for an unknown tool. Operations that aren't tools are called with another tool.
    fn no_tool(&self, name: &str) -> String {
        match self.operation(name) {
            Some(op) => format!("Tool not found. Use {CALL} with the name {}.", op.name),
            None => format!("Tool not found. Search with {FIND}, and use {CALL}."),
        }
    }

    async fn call(&self, asker: &Asker, name: &str, mut input: JsonObject) -> Result<String> {
        let Some(op) = self.operation(name) else {
            let nearest = self.nearest(name).map_or_else(String::new, |op| format!(" Did you mean {}?", op.name));
            return Err(error::NOT_FOUND.error(format!("Operation not found.{nearest} Search with find_operation.")));
        };
        if !input.contains_key(BRIEF) && self.can_be_brief(op) {
            input.insert(BRIEF.to_owned(), Value::Bool(true));
        }
        let mut call = Call::new(asker.caller.clone());
        call.source_session.clone_from(&asker.source_session);
        if let Takes::File(media) = op.takes {
            let (content, media) = content_of(media, &mut input)?;
            let file = stream::once(std::future::ready(Ok(content)));
            call.upload = Some((media.to_owned(), Box::pin(file)));
        } else if serde_json::to_vec(&input).is_ok_and(|json| json.len() > op.body_bytes_max) {
            return Err(crate::body::too_large(op));
        }
        let reply = calls::call(&asker.ctx, op, call, input).await;
        text_of(op, reply.inspect_err(|e| log_fault(op, e))?).await
    }
}

/// The file in a tool's input, and its media type if known.
fn content_of(media: &[&'static str], input: &mut JsonObject) -> Result<(Bytes, &'static str)> {
    let is_any = media.contains(&ANY_MEDIA);
    let encoded = if is_any { input.remove("contentBase64") } else { None };
    match (input.remove("content"), encoded) {
        (Some(Value::String(text)), None) if is_any => Ok((text.into(), "text/plain")),
        (Some(Value::String(text)), None) => Ok((text.into(), media.first().copied().unwrap_or("text/plain"))),
        (None, Some(Value::String(encoded))) => match BASE64.decode(encoded.as_bytes()) {
            Ok(bytes) => Ok((bytes.into(), "application/octet-stream")),
            Err(e) => Err(kit::invalid("/contentBase64", fault::NOT_BASE64, format!("Not base64: {e}."))),
        },
        _ if is_any => {
            Err(kit::invalid("/content", fault::MISSING, "Send the file's text, or its bytes in contentBase64."))
        }
        _ => Err(kit::invalid("/content", fault::MISSING, "Send the file's text.")),
    }
}

fn log_fault(op: &Op, error: &kit::Error) {
    if error.code().status >= 500 {
        tracing::error!(op = op.name, error = ?error, "a tool failed");
    }
}

async fn text_of(op: &Op, reply: Reply) -> Result<String> {
    let too_large = || {
        let done = if op.reads { "The" } else { "Done, but the" };
        error::TOO_LARGE.error(format!(
            "{done} result is over {ANSWER_BYTES_MAX} bytes. Ask for less, or read it with {} {}.",
            op.method.name(),
            op.path
        ))
    };
    let bytes = match reply.body {
        Body::Whole(whole) if whole.len() > ANSWER_BYTES_MAX => return Err(too_large()),
        // Copied only if shared, as by a cache.
        Body::Whole(whole) => Vec::from(whole),
        Body::Parts(parts) if parts.iter().map(Bytes::len).sum::<usize>() > ANSWER_BYTES_MAX => return Err(too_large()),
        Body::Parts(parts) => parts.concat(),
        Body::Stream(mut pieces) => {
            let mut bytes = Vec::new();
            while let Some(piece) = pieces.next().await {
                bytes.extend(piece.map_err(|e| error::INTERNAL.error("The result is incomplete.").caused_by(e))?);
                if bytes.len() > ANSWER_BYTES_MAX {
                    return Err(too_large());
                }
            }
            bytes
        }
    };
    if bytes.is_empty() {
        return Ok("Done.".to_owned());
    }
    let binary = |_| {
        let how =
            format!("The result is {}, not text. Read it with {} {}.", reply.content_type, op.method.name(), op.path);
        error::INVALID.error(how)
    };
    String::from_utf8(bytes).map_err(binary)
}

/// Finds the operations that match the words best and that the caller can use.
fn find(interface: &Interface, caller: &Caller, arguments: &JsonObject) -> Result<String> {
    let Some(query) = arguments.get("query").and_then(Value::as_str) else {
        return Err(kit::invalid("/query", fault::MISSING, "Say what to do in a few words."));
    };
    let limit = match arguments.get("limit") {
        None | Some(Value::Null) => FOUND,
        Some(limit) => limit
            .as_u64()
            .and_then(|limit| usize::try_from(limit).ok())
            .filter(|limit| (1..=FOUND_MAX).contains(limit))
            .ok_or_else(|| kit::invalid("/limit", kit::fault::OUT_OF_RANGE, format!("1 to {FOUND_MAX}.")))?,
    };
    // Single letters are articles or noise.
    let words: Vec<String> = words_of(query).filter(|word| word.len() > 1).collect();
    let callable = interface.ops.iter().filter(|op| is_tool(op) && may_call(op, caller).is_ok());
    let mut ranked: Vec<(usize, &Op)> =
        callable.map(|op| (score(op, &words), op)).filter(|(score, _)| *score > 0).collect();
    // A stable sort, so equal scores stay in the order of the reference.
    ranked.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let found: Vec<Value> = ranked
        .iter()
        .take(limit)
        .enumerate()
        .map(|(rank, (_, op))| {
            let mut found = json!({"name": op.name, "doc": op.doc});
            if rank < SCHEMAS {
                found["input"] = tool_input(op);
            }
            found
        })
        .collect();
    let mut answer = json!({"operations": found, "matches": ranked.len()});
    // The token's scopes allow none of them, but another token's could.
    let lacks_scopes = |op: &Op| may_call(op, caller).is_err_and(|refusal| refusal.is(&error::SCOPE_MISSING));
    if ranked.is_empty() && interface.ops.iter().any(|op| is_tool(op) && score(op, &words) > 0 && lacks_scopes(op)) {
        answer["note"] = "Your token lacks the scopes for any match.".into();
    }
    Ok(answer.to_string())
}

fn words_of(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// A word of the name counts most, then one of the row's other words for it, then one of the doc. Beginnings count for
/// inflected forms.
fn score(op: &Op, words: &[String]) -> usize {
    let name: Vec<String> = words_of(op.name).collect();
    let synonyms: Vec<String> = words_of(op.synonyms).collect();
    let doc: Vec<String> = words_of(op.doc).collect();
    let akin = |a: &str, b: &str| a.len() >= 3 && b.len() >= 3 && (a.starts_with(b) || b.starts_with(a));
    let of_word = |word: &String| {
        let of = |text: &[String], same, alike| {
            if text.contains(word) {
                same
            } else if text.iter().any(|w| akin(w, word)) {
                alike
            } else {
                0
            }
        };
        of(&name, 8, 6) + of(&synonyms, 5, 4) + of(&doc, 2, 1)
    };
    words.iter().map(of_word).sum()
}
