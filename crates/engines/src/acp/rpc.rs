//! JSON-RPC 2.0 as the Agent Client Protocol uses it: one message on a line.
//!
//! A line is read as JSON first and told apart by its members alone: what a method's parameters are is the business of whoever
//! knows the method.

use serde_json::{Map, Value, json};

/// The method is not known here.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters are not those of the method.
pub const INVALID_PARAMS: i64 = -32602;
/// Nobody is logged in (a code of the Agent Client Protocol).
pub const AUTH_REQUIRED: i64 = -32000;
/// Nothing is there under that name (a code of the Agent Client Protocol).
pub const NOT_FOUND: i64 = -32002;

/// An error answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RpcError {
    /// The code.
    pub code: i64,
    /// What the other side says.
    pub message: String,
    /// More of it, of no fixed form.
    pub data: Value,
}

/// A message from the other side.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    /// Wants an answer.
    Request {
        /// Sent back as it is.
        id: Value,
        /// What is wanted.
        method: String,
        /// With which parameters.
        params: Value,
    },
    /// Wants none.
    Notification {
        /// What happened.
        method: String,
        /// With which parameters.
        params: Value,
    },
    /// Answers a request of ours.
    Answer {
        /// The request's number; none of ours where it is not a number.
        id: Option<u64>,
        /// What it answers.
        result: Result<Value, RpcError>,
    },
}

/// Reads a line; `None` where it is no message.
pub fn parse(line: &[u8]) -> Option<Incoming> {
    let Value::Object(mut message) = serde_json::from_slice(line).ok()? else { return None };
    let id = message.remove("id").filter(|id| !id.is_null());
    match (message.remove("method"), id) {
        (Some(Value::String(method)), id) => {
            let params = message.remove("params").unwrap_or(Value::Null);
            Some(match id {
                Some(id) => Incoming::Request { id, method, params },
                None => Incoming::Notification { method, params },
            })
        }
        (Some(_), _) => None,
        (None, Some(id)) => {
            let id = id.as_u64();
            match (message.remove("error"), message.remove("result")) {
                (Some(error), _) if !error.is_null() => Some(Incoming::Answer { id, result: Err(read_error(&error)) }),
                (_, Some(result)) => Some(Incoming::Answer { id, result: Ok(result) }),
                _ => None,
            }
        }
        (None, None) => None,
    }
}

fn read_error(error: &Value) -> RpcError {
    RpcError {
        code: error["code"].as_i64().unwrap_or_default(),
        message: error["message"].as_str().map_or_else(|| error.to_string(), str::to_owned),
        data: error["data"].clone(),
    }
}

/// A request as a line.
pub fn request(id: u64, method: &str, params: Value) -> Vec<u8> {
    line(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}

/// A notification as a line.
pub fn notification(method: &str, params: Value) -> Vec<u8> {
    line(json!({"jsonrpc": "2.0", "method": method, "params": params}))
}

/// An answer as a line.
pub fn answer(id: Value, result: Result<Value, RpcError>) -> Vec<u8> {
    let mut message = Map::from_iter([("jsonrpc".to_owned(), "2.0".into()), ("id".to_owned(), id)]);
    match result {
        Ok(result) => message.insert("result".into(), result),
        Err(error) => {
            let mut shown = json!({"code": error.code, "message": error.message});
            if !error.data.is_null() {
                shown["data"] = error.data;
            }
            message.insert("error".into(), shown)
        }
    };
    line(message.into())
}

fn line(message: Value) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_none() {
        let odd: [&[u8]; 11] = [
            b"",
            b"npm warn old lockfile",
            b"42",
            b"[]",
            b"{}",
            b"{\"id\":1}",
            b"{\"method\":7}",
            b"{\"result\":1}",
            b"{\"id\":null,\"result\":1}",
            b"{\"id\":1,\"method\":\"a\"",
            b"\xff\xfe{}",
        ];
        for line in odd {
            assert_eq!(parse(line), None, "{}", String::from_utf8_lossy(line));
        }
        assert_eq!(parse("[".repeat(1_000_000).as_bytes()), None, "depth is bounded");
    }

    #[test]
    fn what_is_written_reads_back() {
        let error = RpcError { code: METHOD_NOT_FOUND, message: "no".into(), data: json!({"a": 1}) };
        for (line, expected) in [
            (request(3, "m", json!({})), Incoming::Request { id: json!(3), method: "m".into(), params: json!({}) }),
            (notification("n", json!(1)), Incoming::Notification { method: "n".into(), params: json!(1) }),
            (answer(json!(4), Ok(Value::Null)), Incoming::Answer { id: Some(4), result: Ok(Value::Null) }),
            (answer(json!(5), Err(error.clone())), Incoming::Answer { id: Some(5), result: Err(error) }),
        ] {
            assert_eq!(parse(&line), Some(expected));
        }
    }
}
