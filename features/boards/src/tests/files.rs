use super::full::{as_json, decode, with_floats};
use super::import::pieces;
use super::*;
use crate::files::{place_for_test, step};
use crate::{FILE_BYTES_MAX, FILES_KEPT_MS, FILES_PER_CELL_MAX};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use kit::Body;
use kit::op::ByteStream;
use std::path::PathBuf;
use testkit::{json_of, refused};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A board with a column of files and one item.
pub(super) struct Desk {
    pub(super) board: String,
    column: String,
    item: String,
}

impl Desk {
    pub(super) async fn new(p: &Program) -> Desk {
        let input = json!({"workspaceId": WORKSPACE, "name": "Files", "preset": "blank"});
        let board = p.owner("boards.create", input).await.unwrap()["id"].as_str().unwrap().to_owned();
        let column = add_column(p, &board, "Attached", "file", json!({})).await;
        let item = p.owner("boards.items.create", json!({"boardId": board, "name": "One"})).await.unwrap();
        Desk { column, item: item["id"].as_str().unwrap().to_owned(), board }
    }

    pub(super) fn cell(&self, more: Value) -> Value {
        let mut input = json!({"boardId": self.board, "itemId": self.item, "columnId": self.column});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    }

    async fn send(&self, p: &Program, media: &str, body: ByteStream, more: Value) -> Result<Value, kit::Error> {
        let mut call = Call::new(owner());
        call.upload = Some((media.to_owned(), body));
        p.call(call, "boards.files.add", self.cell(more)).await.map(|reply| json_of(&reply))
    }

    /// Attaches a text; the attachment.
    pub(super) async fn add(&self, p: &Program, name: &str, text: &str) -> Value {
        let sent = self.send(p, "text/plain", pieces(text.as_bytes(), 3), json!({"name": name})).await.unwrap();
        sent["file"].clone()
    }

    async fn files(&self, p: &Program) -> Value {
        let list = p.owner("boards.items.list", json!({"boardId": self.board})).await.unwrap();
        list["items"][0]["cells"][&self.column].clone()
    }

    async fn bytes(&self, p: &Program, file: &Value) -> Result<Vec<u8>, kit::Error> {
        let reply = p.call(Call::new(owner()), "boards.files.get", self.cell(json!({"fileId": file["id"]}))).await?;
        let Body::Stream(pieces) = reply.body else { panic!("a file is sent in pieces") };
        Ok(pieces.map(|piece| piece.unwrap()).collect::<Vec<Bytes>>().await.concat())
    }

    /// What happened last to the item, to be taken back.
    async fn last_change(&self, p: &Program) -> String {
        let input = json!({"boardId": self.board, "itemId": self.item});
        let told = p.owner("boards.items.activity", input).await.unwrap();
        assert_eq!(told["items"][0]["field"], self.column.as_str());
        told["items"][0]["changeId"].as_str().unwrap().to_owned()
    }

    async fn undo(&self, p: &Program, change: &str) -> Result<Value, kit::Error> {
        p.owner("boards.undo", json!({"boardId": self.board, "changeId": change})).await
    }
}

fn names(files: &Value) -> Vec<&str> {
    files.as_array().map(Vec::as_slice).unwrap_or_default().iter().map(|file| file["name"].as_str().unwrap()).collect()
}

/// Every file below the folder of files, without those that are being received.
fn on_disk(p: &Program) -> Vec<PathBuf> {
    fn below(folder: PathBuf, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() { below(entry.path(), found) } else { found.push(entry.path()) }
        }
    }
    let mut found = Vec::new();
    below(p.dir().join("files"), &mut found);
    found
}

async fn count(p: &Program, table: &'static str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table} WHERE account_id <> ''");
    p.ctx.db().read(move |tx| tx.query_one(&sql, &[], |row| row.get(0))).await.unwrap()
}

#[tokio::test]
async fn a_file_is_attached_and_read_back_as_it_was() {
    let p = start().await;
    let d = Desk::new(&p).await;
    let sent =
        d.send(&p, "text/plain; charset=utf-8", pieces("Grüße".as_bytes(), 2), json!({"name": "../a/Notes.txt"}));
    let sent = sent.await.unwrap();
    let file = &sent["file"];
    let id = file["id"].as_str().unwrap();
    assert_eq!(*file, json!({"id": id, "name": "Notes.txt", "size": 7, "type": "text/plain"}));
    assert_eq!(sent["item"]["cells"][&d.column], json!([file]));
    assert_eq!(d.files(&p).await, json!([file]));
    assert_eq!(d.bytes(&p, file).await.unwrap(), "Grüße".as_bytes());

    let reply = p.call(Call::new(owner()), "boards.files.get", d.cell(json!({"fileId": id}))).await.unwrap();
    assert_eq!(reply.content_type, "application/octet-stream");
    assert_eq!(header(&reply, "content-disposition"), "attachment; filename=\"Notes.txt\"; filename*=UTF-8''Notes.txt");
    assert!(header(&reply, "content-security-policy").contains("sandbox"));
    assert_eq!(header(&reply, "content-length"), "7");
    let mut call = Call::new(owner());
    call.if_none_match = Some(header(&reply, "etag").to_owned());
    let held = p.call(call, "boards.files.get", d.cell(json!({"fileId": id}))).await.unwrap();
    assert_eq!(held.status, 304);

    let read = p.owner("boards.files.read", d.cell(json!({"fileId": id}))).await.unwrap();
    let all =
        json!({"id": id, "name": "Notes.txt", "size": 7, "type": "text/plain", "text": "Grüße", "truncated": false});
    assert_eq!(read, all);
    // Cut within a character.
    let read = p.owner("boards.files.read", d.cell(json!({"fileId": id, "maxBytes": 3}))).await.unwrap();
    assert_eq!((&read["text"], &read["truncated"]), (&json!("Gr"), &json!(true)));
    let binary = d.send(&p, "image/png", pieces(b"\x89PNG\0\xff", 4), json!({"name": "a.png"})).await.unwrap();
    let read = p.owner("boards.files.read", d.cell(json!({"fileId": binary["file"]["id"]}))).await.unwrap();
    assert_eq!((&read["text"], &read["truncated"]), (&json!(null), &json!(false)));
}

#[tokio::test]
async fn forms_name_their_file_and_types_are_told_by_endings() {
    let p = start().await;
    let d = Desk::new(&p).await;
    let form = "--C\r\ncontent-disposition: form-data; name=\"file\"; filename=\"CON.csv\"\r\ncontent-type: text/csv\r\n\r\na,b\r\n--C--\r\n";
    let of_form = "multipart/form-data; boundary=C";
    let sent = d.send(&p, of_form, pieces(form.as_bytes(), 7), json!({})).await.unwrap();
    assert_eq!((&sent["file"]["name"], &sent["file"]["type"]), (&json!("_CON.csv"), &json!("text/csv")));
    assert_eq!(d.bytes(&p, &sent["file"]).await.unwrap(), b"a,b");
    let sent = d.send(&p, "", pieces(b"%PDF", 7), json!({"name": "Plan.PDF"})).await.unwrap();
    assert_eq!(sent["file"]["type"], "application/pdf");
    let sent = d.send(&p, "text/plain", pieces(b"", 7), json!({"type": "text/markdown"})).await.unwrap();
    assert_eq!((&sent["file"]["name"], &sent["file"]["type"]), (&json!("file"), &json!("text/markdown")));
    let cut = d.send(&p, of_form, pieces(&form.as_bytes()[..90], 7), json!({})).await;
    refused(cut, "upload-broken");
}

#[tokio::test]
async fn equal_files_lie_on_the_disk_once_for_each_account_and_only_for_the_user() {
    let p = start().await;
    let d = Desk::new(&p).await;
    let (one, other) = (d.add(&p, "a.txt", "same").await, d.add(&p, "b.txt", "same").await);
    d.add(&p, "c.txt", "else").await;
    assert_ne!(one["id"], other["id"]);
    assert_eq!(on_disk(&p).len(), 2);
    place_for_test(&p.ctx, OTHER_ACCOUNT, b"same").await;
    assert_eq!(on_disk(&p).len(), 3);
    #[cfg(unix)]
    for path in on_disk(&p) {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let folders = path.ancestors().skip(1).take(3);
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        folders.for_each(|folder| assert_eq!(mode(folder), 0o700, "{}", folder.display()));
    }
    // Bytes that were cut short by something else are put right by the next upload of the same.
    let path = on_disk(&p).into_iter().find(|path| std::fs::read(path).unwrap() == b"else").unwrap();
    std::fs::write(&path, b"el").unwrap();
    let again = d.add(&p, "d.txt", "else").await;
    assert_eq!(d.bytes(&p, &again).await.unwrap(), b"else");
    std::fs::remove_file(&path).unwrap();
    refused(d.bytes(&p, &again).await, "file-lost");
    let read = p.owner("boards.files.read", d.cell(json!({"fileId": again["id"]}))).await;
    refused(read, "file-lost");
}

/// So many bytes, never all of them in memory.
fn many(bytes: usize) -> ByteStream {
    const PIECE: Bytes = Bytes::from_static(&[b'x'; 64 * 1024]);
    let whole = stream::iter(std::iter::repeat_n((), bytes / PIECE.len()).map(|()| Ok(PIECE)));
    Box::pin(whole.chain(stream::iter([Ok(PIECE.slice(..bytes % PIECE.len()))])))
}

#[tokio::test]
async fn a_file_has_a_size_at_most_and_what_breaks_off_leaves_nothing() {
    let p = start().await;
    let d = Desk::new(&p).await;
    let most = d.send(&p, "", many(FILE_BYTES_MAX), json!({"name": "most"})).await.unwrap();
    assert_eq!(most["file"]["size"], FILE_BYTES_MAX);
    d.undo(&p, &d.last_change(&p).await).await.unwrap();
    let error = refused(d.send(&p, "", many(FILE_BYTES_MAX + 1), json!({})).await, "too-large");
    assert!(error.detail().contains(&FILE_BYTES_MAX.to_string()), "{error}");
    let broken = stream::iter([Ok(Bytes::from("half")), Err(std::io::Error::other("gone"))]);
    refused(d.send(&p, "", Box::pin(broken), json!({})).await, "upload-broken");
    assert_eq!(d.files(&p).await, json!(null));
    assert_eq!(on_disk(&p).len(), 1, "the largest one, which can be brought back");
    assert_eq!(count(&p, "board_files").await, 1);
}

#[tokio::test]
async fn a_cell_holds_twenty_files_and_other_places_take_none() {
    let p = start().await;
    let d = Desk::new(&p).await;
    for n in 0..FILES_PER_CELL_MAX {
        d.add(&p, &format!("{n}.txt"), "x").await;
    }
    let never = || -> ByteStream { Box::pin(stream::pending()) };
    // Refused before the file is read.
    refused(d.send(&p, "", never(), json!({})).await, "board-limit");
    let text = add_column(&p, &d.board, "Text", "text", json!({})).await;
    refused(d.send(&p, "", never(), json!({"columnId": text})).await, "invalid-input");
    refused(d.send(&p, "", never(), json!({"columnId": "c99"})).await, "not-found");
    refused(d.send(&p, "", never(), json!({"itemId": "nothing"})).await, "not-found");
    let mut call = Call::new(other_owner());
    call.upload = Some((String::new(), never()));
    refused(p.call(call, "boards.files.add", d.cell(json!({}))).await, "not-found");
    let file = d.files(&p).await[0].clone();
    for op in ["boards.files.get", "boards.files.read", "boards.files.remove", "boards.files.update"] {
        let of = d.cell(json!({"fileId": file["id"]}));
        refused(p.as_caller(other_owner(), op, of).await, "not-found");
        refused(p.owner(op, d.cell(json!({"fileId": "x"}))).await, "not-found");
    }
    let long = d.send(&p, "", never(), json!({"name": "x".repeat(1_001)})).await;
    refused(long, "invalid-input");
}

#[tokio::test]
async fn files_are_renamed_moved_and_removed_and_each_is_taken_back() {
    let p = start().await;
    let d = Desk::new(&p).await;
    let a = d.add(&p, "a.txt", "A").await;
    d.add(&p, "b.txt", "B").await;
    let of = |more: Value| {
        let mut input = d.cell(json!({"fileId": a["id"]}));
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    let renamed = p.owner("boards.files.update", of(json!({"name": "x/nul\u{202e}.txt"}))).await.unwrap();
    assert_eq!(names(&renamed["cells"][&d.column]), ["_nul.txt", "b.txt"]);
    refused(p.owner("boards.files.update", of(json!({"name": ""}))).await, "invalid-input");
    let moved = p.owner("boards.files.update", of(json!({"position": 9}))).await.unwrap();
    assert_eq!(names(&moved["cells"][&d.column]), ["b.txt", "_nul.txt"]);
    let removed = p.owner("boards.files.remove", of(json!({}))).await.unwrap();
    assert_eq!(names(&removed["cells"][&d.column]), ["b.txt"]);
    refused(p.owner("boards.files.get", of(json!({}))).await, "not-found");
    let change = d.last_change(&p).await;
    let undone = d.undo(&p, &change).await.unwrap();
    assert_eq!(names(&undone["value"]), ["b.txt", "_nul.txt"]);
    assert_eq!(d.bytes(&p, &a).await.unwrap(), b"A");
    // And redone.
    d.undo(&p, undone["changeId"].as_str().unwrap()).await.unwrap();
    assert_eq!(names(&d.files(&p).await), ["b.txt"]);
    let full = full_json(&p, &d.board).await;
    let stale = p.call(
        Call { if_match: Some("\"0\"".into()), ..Call::new(owner()) },
        "boards.files.remove",
        d.cell(json!({"fileId": d.files(&p).await[0]["id"]})),
    );
    assert!(stale.await.is_err());
    assert_eq!(full_json(&p, &d.board).await, full);
}

#[tokio::test]
async fn a_cell_takes_only_the_attachments_that_are_its_own() {
    let p = start().await;
    let d = Desk::new(&p).await;
    let (a, b) = (d.add(&p, "a.txt", "A").await, d.add(&p, "b.txt", "B").await);
    let other = p.owner("boards.items.create", json!({"boardId": d.board, "name": "Two"})).await.unwrap()["id"].clone();
    let column = add_column(&p, &d.board, "More", "file", json!({})).await;
    let set = async |value: Value| p.owner("boards.cell", d.cell(json!({"value": value}))).await;
    // Moved, renamed, and what a client says of size and type does not count.
    let said =
        json!([{"id": b["id"], "name": "c:\\B.txt", "size": 9, "type": "text/html"}, {"id": a["id"]}, {"id": a["id"]}]);
    let stored = set(said).await.unwrap();
    let expected = json!([{"id": b["id"], "name": "B.txt", "size": 1, "type": "text/plain"}, a]);
    assert_eq!(stored["cells"][&d.column], expected);
    // One without a name keeps the one that it has by now.
    let stored = set(json!([{"id": b["id"]}])).await.unwrap();
    assert_eq!(names(&stored["cells"][&d.column]), ["B.txt"]);
    // What the item had before comes back in.
    assert_eq!(set(expected.clone()).await.unwrap()["cells"][&d.column], expected);
    for foreign in [json!(["a.txt"]), json!("a.txt"), json!([{"name": "a"}]), json!({"id": a["id"]})] {
        let error = refused(set(foreign).await, "invalid-cell");
        assert!(error.detail().contains("boards.files.add"), "{error}");
    }
    let error = refused(set(json!([a, {"id": "x"}])).await, "named-not-found");
    assert_eq!(error.fields()[0].pointer, "/value/1/id");
    let elsewhere = [
        json!({"boardId": d.board, "itemId": other, "columnId": d.column, "value": [a]}),
        json!({"boardId": d.board, "itemId": d.item, "columnId": column, "value": [a]}),
    ];
    for input in elsewhere {
        refused(p.owner("boards.cell", input).await, "named-not-found");
    }
    let new = json!({"boardId": d.board, "name": "N", "cells": {&d.column: [a]}});
    refused(p.owner("boards.items.create", new).await, "named-not-found");
    let bulk = |value: Value| json!({"boardId": d.board, "items": [{"itemId": d.item, "cells": {&d.column: value}}]});
    refused(p.owner("boards.cells", bulk(json!([{"id": "x"}]))).await, "named-not-found");
    p.owner("boards.cells", bulk(json!(null))).await.unwrap();
    assert_eq!(d.files(&p).await, json!(null));
    d.undo(&p, &d.last_change(&p).await).await.unwrap();
    assert_eq!(d.files(&p).await, expected);
}

#[tokio::test]
async fn forms_of_a_board_exports_and_queries_know_the_names() {
    let p = start().await;
    let d = Desk::new(&p).await;
    d.add(&p, "Plan ü.txt", "A").await;
    d.add(&p, "b]\".txt", "B").await;
    let empty = p.owner("boards.items.create", json!({"boardId": d.board, "name": "Two"})).await.unwrap();
    let full = full_json(&p, &d.board).await;
    let arrow = as_json(&decode(&full_reply(&p, &d.board, crate::ARROW, None).await));
    assert_eq!(with_floats(arrow), with_floats(full.clone()));
    let found = async |op: &str, value: Value| {
        let rule = json!({"col": d.column, "op": op, "value": value});
        let input = json!({"boardId": d.board, "filters": {"all": [rule]}});
        let found = p.owner("boards.query", input).await?;
        Ok::<_, kit::Error>(
            found["items"].as_array().unwrap().iter().map(|item| item["id"].clone()).collect::<Vec<_>>(),
        )
    };
    let (one, two) = (vec![json!(d.item)], vec![empty["id"].clone()]);
    assert_eq!(found("contains", json!("PLAN U")).await.unwrap(), one);
    assert_eq!(found("contains", json!("txtb")).await.unwrap(), Vec::<Value>::new());
    assert_eq!(found("notContains", json!("plan")).await.unwrap(), two);
    assert_eq!(found("isEmpty", json!(null)).await.unwrap(), two);
    assert_eq!(found("isNotEmpty", json!(null)).await.unwrap(), one);
    let error = refused(found("is", json!("x")).await, "invalid-filter");
    assert!(error.detail().contains("contains"), "{error}");
    let export = async |format: &str| {
        let input = json!({"boardId": d.board, "format": format});
        let reply = p.call(Call::new(owner()), "boards.export", input).await.unwrap();
        match reply.body {
            Body::Stream(pieces) => pieces.map(|piece| piece.unwrap()).collect::<Vec<Bytes>>().await.concat(),
            Body::Parts(parts) => parts.concat(),
            Body::Whole(bytes) => bytes.to_vec(),
        }
    };
    let csv = String::from_utf8(export("csv").await).unwrap();
    assert!(csv.contains("\"Plan ü.txt, b]_.txt\""), "{csv}");
    let whole: Value = serde_json::from_slice(&export("json").await).unwrap();
    assert_eq!(whole["items"][0]["cells"][&d.column], full["items"][0]["cells"][&d.column]);
    // A formula can only count it, and a mirror cannot show it.
    let formula = json!({"boardId": d.board, "title": "F", "type": "formula", "settings": {"formula": "{Attached}"}});
    let error = refused(p.owner("boards.columns.create", formula).await, "invalid-formula");
    assert!(error.detail().contains("Use COUNT for their number"), "{error}");
    let counted = json!({"boardId": d.board, "formula": "COUNT({Attached})"});
    let counted = p.owner("boards.formulas.preview", counted).await.unwrap();
    let files = full["items"][0]["cells"][&d.column].as_array().unwrap().len();
    assert_eq!(counted["items"][0]["value"], json!(files));
    let link = add_column(&p, &d.board, "Link", "itemLink", json!({"boardId": d.board})).await;
    let mirror = json!({"linkColumn": link, "sourceColumn": d.column});
    let mirror = json!({"boardId": d.board, "title": "M", "type": "mirror", "settings": mirror});
    let error = refused(p.owner("boards.columns.create", mirror).await, "invalid-input");
    assert!(error.fields()[0].detail.contains("file column"), "{error}");
    // A file that is brought in again leaves the column out and says so.
    let again = super::import::send(&p, csv.as_bytes(), json!({"boardId": d.board, "key": 0, "dryRun": true})).await;
    let preview = json_of(&again.unwrap());
    let column = &preview["columns"][2];
    assert_eq!((&column["title"], column.get("columnId")), (&json!("Attached"), None), "{preview}");
    assert!(column["notes"].to_string().contains("can't be imported"), "{column}");
}

#[tokio::test]
async fn a_removed_file_goes_after_thirty_days_and_its_bytes_thirty_days_later() {
    let p = start().await;
    let d = Desk::new(&p).await;
    let (a, same) = (d.add(&p, "a.txt", "A").await, d.add(&p, "same.txt", "A").await);
    p.owner("boards.files.remove", d.cell(json!({"fileId": a["id"]}))).await.unwrap();
    let change = d.last_change(&p).await;
    step(&p.ctx).await.unwrap();
    p.clock.advance_ms(FILES_KEPT_MS - 1);
    step(&p.ctx).await.unwrap();
    // Brought back at the last moment, it stays as if it had never been away.
    let undone = d.undo(&p, &change).await.unwrap();
    step(&p.ctx).await.unwrap();
    d.undo(&p, undone["changeId"].as_str().unwrap()).await.unwrap();
    step(&p.ctx).await.unwrap();
    p.clock.advance_ms(FILES_KEPT_MS);
    step(&p.ctx).await.unwrap();
    assert_eq!(count(&p, "board_files").await, 1);
    let error = refused(d.undo(&p, &change).await, "conflict");
    assert!(error.detail().contains("30 days"), "{error}");
    assert_eq!(d.bytes(&p, &same).await.unwrap(), b"A", "the same bytes stand for another");

    p.owner("boards.files.remove", d.cell(json!({"fileId": same["id"]}))).await.unwrap();
    for _ in 0..2 {
        step(&p.ctx).await.unwrap();
        assert_eq!(on_disk(&p).len(), 1);
        p.clock.advance_ms(FILES_KEPT_MS);
    }
    assert_eq!(count(&p, "board_files").await, 0);
    step(&p.ctx).await.unwrap();
    assert_eq!(on_disk(&p), Vec::<PathBuf>::new());
    assert_eq!(count(&p, "files_unnamed").await, 0);
}

#[tokio::test]
async fn what_lies_in_the_trash_keeps_its_files_and_what_goes_for_good_does_not() {
    let p = start().await;
    let d = Desk::new(&p).await;
    let a = d.add(&p, "a.txt", "A").await;
    let of_item = json!({"boardId": d.board, "itemId": d.item});
    let of_column = json!({"boardId": d.board, "columnId": d.column});
    p.owner("boards.columns.delete", of_column.clone()).await.unwrap();
    step(&p.ctx).await.unwrap();
    p.clock.advance_ms(FILES_KEPT_MS - DAY_MS);
    step(&p.ctx).await.unwrap();
    p.owner("boards.columns.restore", of_column).await.unwrap();
    assert_eq!(d.bytes(&p, &a).await.unwrap(), b"A");
    p.owner("boards.items.archive", of_item.clone()).await.unwrap();
    for _ in 0..3 {
        step(&p.ctx).await.unwrap();
        p.clock.advance_ms(FILES_KEPT_MS);
    }
    p.owner("boards.items.restore", of_item.clone()).await.unwrap();
    assert_eq!(d.bytes(&p, &a).await.unwrap(), b"A");
    p.owner("boards.items.delete", of_item.clone()).await.unwrap();
    let purge = json!({"boardId": d.board, "kind": "item", "entryId": d.item});
    p.owner("boards.trash.delete", purge).await.unwrap();
    step(&p.ctx).await.unwrap();
    assert_eq!(count(&p, "board_files").await, 0);
    p.clock.advance_ms(FILES_KEPT_MS);
    step(&p.ctx).await.unwrap();
    assert_eq!(on_disk(&p), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn a_board_that_goes_for_good_lets_its_files_go() {
    let p = start().await;
    let d = Desk::new(&p).await;
    d.add(&p, "a.txt", "A").await;
    p.owner("boards.delete", json!({"boardId": d.board})).await.unwrap();
    step(&p.ctx).await.unwrap();
    assert_eq!(count(&p, "board_files").await, 1);
    crate::sweep::one(&p.ctx, ACCOUNT.to_owned(), d.board.clone()).await.unwrap();
    assert_eq!(count(&p, "board_files").await, 0);
}

#[tokio::test]
async fn a_stop_between_the_bytes_and_their_row_leaves_bytes_that_are_swept() {
    let p = start().await;
    let d = Desk::new(&p).await;
    // As a stop leaves it: bytes in their place that no row stands for, and some that were being received.
    place_for_test(&p.ctx, ACCOUNT, b"lost").await;
    let half = p.dir().join("files/.incoming/half.part");
    std::fs::write(&half, b"half").unwrap();
    let p = p.restart().await;
    assert!(!half.exists());
    // An item that goes while its file arrives: nothing names the bytes.
    let gone = d.item.clone();
    let (begun, begins) = tokio::sync::oneshot::channel::<()>();
    let (go_on, goes_on) = tokio::sync::oneshot::channel::<()>();
    let body = stream::once(async move {
        let _ = begun.send(());
        goes_on.await.map_err(std::io::Error::other)?;
        Ok(Bytes::from("late"))
    });
    let delete = async {
        begins.await.unwrap();
        p.owner("boards.items.delete", json!({"boardId": d.board, "itemId": gone})).await.unwrap();
        go_on.send(()).unwrap();
    };
    let (sent, ()) = tokio::join!(d.send(&p, "", Box::pin(body), json!({})), delete);
    refused(sent, "not-found");
    assert_eq!((on_disk(&p).len(), count(&p, "board_files").await), (2, 0));
    step(&p.ctx).await.unwrap();
    p.clock.advance_ms(FILES_KEPT_MS - 1);
    step(&p.ctx).await.unwrap();
    // One of them is sent again before it is due, and stays.
    p.owner("boards.items.restore", json!({"boardId": d.board, "itemId": d.item})).await.unwrap();
    let again = d.add(&p, "lost.txt", "lost").await;
    p.clock.advance_ms(1);
    step(&p.ctx).await.unwrap();
    assert_eq!(on_disk(&p).len(), 1);
    assert_eq!(d.bytes(&p, &again).await.unwrap(), b"lost");
}

#[tokio::test]
async fn where_the_data_directory_was_moved_away_no_file_goes_to_its_old_path() {
    let p = start().await;
    let d = Desk::new(&p).await;
    let moved = p.dir().with_extension("moved");
    std::fs::rename(p.dir(), &moved).unwrap();
    let said = "was moved or deleted while the program runs";
    let attached = refused(d.send(&p, "text/plain", pieces(b"bytes", 3), json!({})).await, "read-only");
    assert!(attached.detail().contains(said), "{attached}");
    let imported = refused(super::import::send(&p, b"Name\nA\n", json!({"name": "Sent"})).await, "read-only");
    assert!(imported.detail().contains(said), "{imported}");
    // An export only reads: its file is written elsewhere.
    p.call(Call::new(owner()), "boards.export", json!({"boardId": d.board, "format": "csv"})).await.unwrap();
    assert!(!p.dir().exists(), "the old path is made again by nobody");
    std::fs::rename(&moved, p.dir()).unwrap();
}
