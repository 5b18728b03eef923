//! Commands on the data directory of a stopped program.

use crate::{offline, program};
use cli::{Request, RequestBody};
use kit::Method;
use serde_json::{Map, Value, json};
use std::io::Read;

#[test]
fn nothing_waits_for_a_restart_of_a_program_that_does_not_run() {
    let dir = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let first = runtime.block_on(program::open(dir.path())).unwrap();
    drop(first);
    drop(runtime);
    let stopped = offline::open(dir.path()).unwrap();
    let input = json!({"key": "cliServerEnabled", "value": false});
    let request = Request {
        op: "settings.set",
        input: input.as_object().cloned().unwrap_or_else(Map::new),
        method: Method::Patch,
        path: String::new(),
        query: Vec::new(),
        headers: Vec::new(),
        body: RequestBody::None,
    };
    let mut response = stopped.send(request).ok().unwrap();
    let mut body = Vec::new();
    response.body.read_to_end(&mut body).unwrap();
    let record: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((response.status, &record["changed"], &record["pendingRestart"]), (200, &json!(true), &json!(false)));
    assert_eq!(record["effect"], json!({"active": true, "reasons": []}), "{record}");
}
