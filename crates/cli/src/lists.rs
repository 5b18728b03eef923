//! Reads whole lists of the program, page by page.

use crate::response::whole;
use crate::transport::{Request, RequestBody, Transport, fill_path};
use kit::Method;
use serde_json::{Map, Value, json};

/// Largest page that is read, in bytes.
const PAGE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Pages of a list that are read.
const PAGES_MAX: usize = 50;

/// The items of a list; `is_whole` is false where a page could not be read or there are more pages.
pub(crate) struct List {
    pub items: Vec<Value>,
    pub is_whole: bool,
}

/// Reads all pages of a list. `input` goes with each page.
pub(crate) fn read(transport: &dyn Transport, op: &str, path: &str, input: &Map<String, Value>) -> List {
    let mut list = List { items: Vec::new(), is_whole: false };
    let mut input = input.clone();
    for _ in 0..PAGES_MAX {
        let Some(page) = get(transport, op, path, &input) else { break };
        let Some(items) = page["items"].as_array() else { break };
        list.items.extend(items.iter().cloned());
        let Some(cursor) = page["nextCursor"].as_str() else {
            list.is_whole = true;
            break;
        };
        input.insert("cursor".to_owned(), json!(cursor));
    }
    list
}

/// One answer as JSON. What the path does not name of the input goes into the query.
pub(crate) fn get(transport: &dyn Transport, op: &str, path: &str, input: &Map<String, Value>) -> Option<Value> {
    let in_path = |name: &str| path.contains(&format!("{{{name}}}"));
    let query = input.iter().filter(|(name, _)| !in_path(name));
    let request = Request {
        op,
        path: fill_path(path, input),
        query: query.map(|(name, value)| (name.clone(), crate::transport::plain(value))).collect(),
        input: input.clone(),
        method: Method::Get,
        headers: vec![("accept".to_owned(), "application/json".to_owned())],
        body: RequestBody::None,
    };
    let mut response = transport.send(request).ok().filter(|response| response.status == 200)?;
    serde_json::from_slice(&whole(&mut response.body, PAGE_BYTES_MAX).ok()?).ok()
}
