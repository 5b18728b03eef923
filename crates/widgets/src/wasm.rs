//! What the browser's worker calls: plain functions over bytes in the module's memory. Text goes in as UTF-8 at a pointer and
//! length; an answer comes back as a pointer to its length (4 bytes, little-endian) and its UTF-8 JSON, which the worker gives
//! back with `engine_free(pointer, 4 + length)`.
#![allow(unsafe_code)]

use crate::ipc::Stream;
use crate::reading::read_json as read;
use crate::{Engine, ItemsQuery, Query, ViewQuery};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::{LazyLock, Mutex, PoisonError};

static ENGINE: LazyLock<Mutex<Engine>> = LazyLock::new(Mutex::default);

/// Memory for `len` bytes that the worker fills.
#[unsafe(no_mangle)]
pub extern "C" fn engine_alloc(len: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; len].into_boxed_slice()).cast()
}

/// Gives memory back.
///
/// # Safety
/// The pointer and length are of `engine_alloc` or of an answer, and are not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn engine_free(pointer: *mut u8, len: usize) {
    // SAFETY: by the contract these are a boxed slice of this length that nobody else owns.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(pointer, len)) });
}

/// Loads a board's Arrow stream: `{"board": BoardInfo, "head"}`, the latter what stands in the stream beside the items, just as it
/// stands there, or `{"error": {"message"}}`.
///
/// # Safety
/// The pointer and length are of `engine_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn engine_load(pointer: *const u8, len: usize) -> *mut u8 {
    // SAFETY: by the contract the bytes are there and nobody writes them meanwhile.
    let bytes = unsafe { std::slice::from_raw_parts(pointer, len) };
    let loaded = engine().load(bytes).and_then(|info| Ok((info, Stream::open(bytes)?.head)));
    match loaded {
        Ok((info, head)) => {
            let mut bytes = begun(head.len());
            bytes.extend_from_slice(br#"{"head":"#);
            bytes.extend_from_slice(head.as_bytes());
            bytes.extend_from_slice(br#","board":"#);
            write(&mut bytes, &info);
            bytes.push(b'}');
            lent(bytes)
        }
        Err(e) => answer(&json!({"error": {"message": e.to_string()}})),
    }
}

/// Forgets the board of this id; 1 if it was there.
///
/// # Safety
/// The pointer and length are of `engine_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn engine_drop(pointer: *const u8, len: usize) -> u32 {
    // SAFETY: as in `engine_load`.
    let bytes = unsafe { std::slice::from_raw_parts(pointer, len) };
    u32::from(std::str::from_utf8(bytes).is_ok_and(|id| engine().unload(id)))
}

/// Answers a query: `Answer`, or `{"error": {"message"}}` where it is not one.
///
/// # Safety
/// The pointer and length are of `engine_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn engine_query(pointer: *const u8, len: usize) -> *mut u8 {
    // SAFETY: as in `engine_load`.
    let bytes = unsafe { std::slice::from_raw_parts(pointer, len) };
    match read::<Query>(bytes) {
        Ok(query) => answer(&engine().query(&query)),
        Err(message) => answer(&json!({"error": {"message": message}})),
    }
}

/// Answers a query whose widgets, which rarely change, lie elsewhere in the memory, as a JSON list: `Answer` with `told`, the
/// number of what it has told by now. Whoever says that number, as `known`, is not told all that again (src/pieces.rs).
///
/// # Safety
/// The pointers and lengths are of `engine_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn engine_ask(
    pointer: *const u8,
    len: usize,
    widgets: *const u8,
    widgets_len: usize,
    known: f64,
) -> *mut u8 {
    // SAFETY: as in `engine_load`.
    let (bytes, widgets) =
        unsafe { (std::slice::from_raw_parts(pointer, len), std::slice::from_raw_parts(widgets, widgets_len)) };
    let asked = read::<Query>(bytes);
    match asked.and_then(|query| Ok((query, std::str::from_utf8(widgets).map_err(|e| e.to_string())?))) {
        Ok((query, widgets)) => answer(&engine().ask(&query, widgets, known as u64)),
        Err(message) => answer(&json!({"error": {"message": message}})),
    }
}

/// Takes what is remembered of boards: `{"name", "history"}`, answers `{}` or `{"error": {"message"}}`.
///
/// # Safety
/// The pointer and length are of `engine_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn engine_history(pointer: *const u8, len: usize) -> *mut u8 {
    // SAFETY: as in `engine_load`.
    let bytes = unsafe { std::slice::from_raw_parts(pointer, len) };
    answer(&match serde_json::from_slice::<Value>(bytes) {
        Ok(mut told) => {
            let history = told["history"].take();
            engine().set_history(told["name"].as_str().unwrap_or_default(), history);
            json!({})
        }
        Err(e) => json!({"error": {"message": e.to_string()}}),
    })
}

/// Lays a patch above a board (its form is at `Engine::patch`): `{}`, or `{"error": {"message"}}`.
///
/// # Safety
/// The pointer and length are of `engine_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn engine_patch(pointer: *const u8, len: usize) -> *mut u8 {
    // SAFETY: as in `engine_load`.
    let bytes = unsafe { std::slice::from_raw_parts(pointer, len) };
    answer(&match engine().patch(bytes) {
        Ok(()) => json!({}),
        Err(e) => json!({"error": {"message": e.to_string()}}),
    })
}

/// Answers a view: as the other answers, but before the JSON stand the number of rows and the rows (4 bytes each, little-endian);
/// the length counts them.
///
/// # Safety
/// The pointer and length are of `engine_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn engine_view(pointer: *const u8, len: usize) -> *mut u8 {
    // SAFETY: as in `engine_load`.
    let bytes = unsafe { std::slice::from_raw_parts(pointer, len) };
    let asked = read::<ViewQuery>(bytes);
    let viewed = asked.and_then(|asked| engine().view(&asked).ok_or_else(|| "the board isn't loaded".to_owned()));
    match viewed {
        Ok(view) => answer_behind(&view.rows, &view),
        Err(message) => answer_behind(&[], &json!({"error": {"message": message}})),
    }
}

#[derive(Deserialize)]
struct ItemsOf {
    query: Query,
    items: ItemsQuery,
}

/// The items behind a widget: takes `{"query": Query, "items": ItemsQuery}`, answers `Items` or `{"error": {"message"}}`.
///
/// # Safety
/// The pointer and length are of `engine_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn engine_items(pointer: *const u8, len: usize) -> *mut u8 {
    // SAFETY: as in `engine_load`.
    let bytes = unsafe { std::slice::from_raw_parts(pointer, len) };
    let asked = read::<ItemsOf>(bytes);
    match asked.and_then(|asked| engine().items(&asked.query, &asked.items)) {
        Ok(items) => answer(&items),
        Err(message) => answer(&json!({"error": {"message": message}})),
    }
}

#[derive(Deserialize)]
struct Mapping {
    boards: Vec<String>,
    widget: Value,
}

/// Completes a widget's column mapping: takes `{"boards": [id], "widget": config}`, answers `{"cols", "roles"}` or
/// `{"error": {"message"}}`.
///
/// # Safety
/// The pointer and length are of `engine_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn engine_auto_map(pointer: *const u8, len: usize) -> *mut u8 {
    // SAFETY: as in `engine_load`.
    let bytes = unsafe { std::slice::from_raw_parts(pointer, len) };
    let mapped = read::<Mapping>(bytes).and_then(|mapping| {
        let cols = engine().auto_map(&mapping.boards, &mapping.widget)?;
        Ok(json!({"cols": cols, "roles": crate::roles(&mapping.widget)?}))
    });
    answer(&mapped.unwrap_or_else(|message| json!({"error": {"message": message}})))
}

fn engine() -> std::sync::MutexGuard<'static, Engine> {
    ENGINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Room for most answers, so that they are not moved while they are written.
const ANSWER_BYTES: usize = 1 << 15;

fn answer<T: Serialize>(value: &T) -> *mut u8 {
    let mut bytes = begun(0);
    write(&mut bytes, value);
    lent(bytes)
}

fn answer_behind<T: Serialize>(rows: &[u32], value: &T) -> *mut u8 {
    let mut bytes = begun(rows.len() * 4);
    bytes.extend_from_slice(&(rows.len() as u32).to_le_bytes());
    rows.iter().for_each(|row| bytes.extend_from_slice(&row.to_le_bytes()));
    write(&mut bytes, value);
    lent(bytes)
}

/// An answer's bytes so far: the place of their number, and room for so many more than most have.
fn begun(more: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(ANSWER_BYTES + more);
    bytes.extend_from_slice(&[0; 4]);
    bytes
}

fn write<T: Serialize>(bytes: &mut Vec<u8>, value: &T) {
    let begun = bytes.len();
    if serde_json::to_writer(&mut *bytes, value).is_err() {
        bytes.truncate(begun);
        bytes.extend_from_slice(br#"{"error":{"message":"the answer could not be written"}}"#);
    }
}

fn lent(mut bytes: Vec<u8>) -> *mut u8 {
    let len = (bytes.len() - 4) as u32;
    bytes[..4].copy_from_slice(&len.to_le_bytes());
    Box::into_raw(bytes.into_boxed_slice()).cast()
}
