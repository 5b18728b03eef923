//! How boards follow that items which they link to and count leave and come back.

use super::computed::{board, cells, formula, item};
use super::*;
use crate::formula::Formulas;
use crate::item::Record;
use crate::recompute::finish;
use events::{Event, HasEvents};

/// A board of sprints, and one of work whose items (one for each entry) link to some of the sprints in c1 and count them in c2.
struct Two {
    sprints: String,
    ids: Vec<String>,
    work: String,
}

impl Two {
    async fn new(p: &Program, sprints: usize, work: &[&[usize]]) -> Two {
        let board_of_sprints = board(p, "Sprints").await;
        let mut ids = Vec::new();
        for _ in 0..sprints {
            ids.push(item(p, &board_of_sprints, json!({})).await);
        }
        let board_of_work = board(p, "Work").await;
        add_column(p, &board_of_work, "Sprints", "itemLink", json!({"boardId": board_of_sprints})).await;
        formula(p, &board_of_work, "COUNT({Sprints})").await;
        let cells = |linked: &&[usize]| linked.iter().map(|at| ids[*at].as_str()).collect::<Vec<_>>();
        let items: Vec<Value> = work.iter().map(|of| json!({"name": "I", "cells": {"c1": cells(of)}})).collect();
        p.owner("boards.items.create", json!({"boardId": board_of_work, "items": items})).await.unwrap();
        Two { sprints: board_of_sprints, ids, work: board_of_work }
    }

    async fn of_sprint(&self, p: &Program, op: &str, at: usize) {
        p.owner(op, json!({"boardId": self.sprints, "itemId": self.ids[at]})).await.unwrap();
    }

    /// What the work counts, and its board's revision, as they are at this moment.
    async fn counts(&self, p: &Program) -> (Vec<i64>, i64) {
        let full = full_json(p, &self.work).await;
        let items = full["items"].as_array().unwrap().iter();
        (items.map(|item| item["cells"]["c2"].as_i64().unwrap()).collect(), full["board"]["revision"].as_i64().unwrap())
    }

    async fn finish(&self, p: &Program) {
        finish(&p.ctx, ACCOUNT.to_owned(), self.work.clone()).await.unwrap();
    }
}

#[tokio::test]
async fn a_small_board_counts_with_the_change_and_is_told_only_where_it_counts_that_item() {
    let p = start().await;
    let two = Two::new(&p, 3, &[&[0, 1], &[1], &[]]).await;
    let (before, revision) = two.counts(&p).await;
    assert_eq!(before, [2, 1, 0]);
    two.of_sprint(&p, "boards.items.delete", 2).await;
    assert_eq!(two.counts(&p).await, (before, revision), "nobody links to it");
    two.of_sprint(&p, "boards.items.delete", 0).await;
    assert_eq!(two.counts(&p).await, (vec![1, 1, 0], revision + 1));
    two.of_sprint(&p, "boards.items.restore", 0).await;
    assert_eq!(two.counts(&p).await, (vec![2, 1, 0], revision + 2));
    two.finish(&p).await;
    assert_eq!(two.counts(&p).await.1, revision + 2, "nothing was left");
}

#[tokio::test]
async fn a_larger_board_is_looked_through_behind_the_change_and_told_once_for_what_it_stores() {
    let p = start().await;
    let mut work: Vec<&[usize]> = vec![&[1]; 30];
    (work[3], work[17], work[29]) = (&[0], &[0, 1], &[0]);
    let two = Two::new(&p, 3, &work).await;
    let (before, revision) = two.counts(&p).await;
    two.of_sprint(&p, "boards.items.delete", 2).await;
    two.finish(&p).await;
    assert_eq!(two.counts(&p).await, (before.clone(), revision), "nobody links to it");
    two.of_sprint(&p, "boards.items.delete", 0).await;
    two.finish(&p).await;
    let (after, now) = two.counts(&p).await;
    let changed: Vec<usize> = (0..30).filter(|at| after[*at] != before[*at]).collect();
    assert_eq!((changed, now), (vec![3, 17, 29], revision + 1));
    // Every item: as many writes as their number asks for, and no more.
    two.of_sprint(&p, "boards.items.delete", 1).await;
    two.finish(&p).await;
    let (after, now) = two.counts(&p).await;
    assert_eq!(after, vec![0; 30]);
    // One more where the task that follows the change and this test have taken a part of the same.
    assert!((7..=8).contains(&(now - revision - 1)), "{}", now - revision - 1);
}

#[tokio::test]
async fn a_board_that_is_computed_whole_is_told_only_of_pieces_that_change() {
    let p = start().await;
    let two = Two::new(&p, 2, &[&[], &[]]).await;
    let before = two.counts(&p).await;
    for op in ["boards.archive", "boards.restore"] {
        p.owner(op, json!({"boardId": two.sprints})).await.unwrap();
        // A second look, where none is left, tells nothing either.
        two.finish(&p).await;
        two.finish(&p).await;
        assert_eq!(two.counts(&p).await, before, "{op}");
    }
}

#[tokio::test]
async fn what_is_left_to_count_is_gone_on_with_behind_the_change() {
    let p = start().await;
    let two = Two::new(&p, 1, &[&[0][..]; 30]).await;
    let (_, mut heard) = p.ctx.events().listen(None);
    let mut told = async || loop {
        if let Event::BoardChanged { board_id, .. } = heard.recv().await.unwrap().event
            && board_id == two.work
        {
            break;
        }
    };
    // Nobody asks for it.
    two.of_sprint(&p, "boards.items.delete", 0).await;
    while two.counts(&p).await.0 != [0; 30] {
        told().await;
    }
    p.owner("boards.items.restore", json!({"boardId": two.sprints, "itemId": two.ids[0]})).await.unwrap();
    while two.counts(&p).await.0 != [1; 30] {
        told().await;
    }
    // Nor where the whole board is computed, for one that is archived.
    p.owner("boards.archive", json!({"boardId": two.sprints})).await.unwrap();
    while two.counts(&p).await.0 != [0; 30] {
        told().await;
    }
}

#[tokio::test]
async fn what_a_stop_left_to_count_is_gone_on_with_at_the_next_start() {
    let p = start().await;
    let two = Two::new(&p, 1, &[&[0][..]; 30]).await;
    let (b, of, id) = (two.work.clone(), two.sprints.clone(), two.ids[0].clone());
    let stop = move |tx: &mut store::Tx<'_>| {
        tx.execute("DELETE FROM items WHERE account_id = $1 AND board_id = $2", params![ACCOUNT, &of])?;
        tx.execute(
            "INSERT INTO board_counts_left (account_id, board_id, of_board, of_revision, ids_json) VALUES ($1, $2, $3, $4, $5)",
            params![ACCOUNT, &b, &of, 9, json!([id]).to_string()],
        )
    };
    p.ctx.db().write(stop).await.unwrap();
    assert_eq!(two.counts(&p).await.0, [1; 30]);
    crate::recompute::finish_all(&p.ctx).await.unwrap();
    assert_eq!(two.counts(&p).await.0, [0; 30]);
}

#[tokio::test]
async fn items_that_leave_do_not_begin_the_whole_board_anew() {
    let p = start().await;
    let two = Two::new(&p, 3, &[&[0][..]; 30]).await;
    let of = two.work.clone();
    let half = move |tx: &mut store::Tx<'_>| {
        let sql = "INSERT INTO board_formulas_left (account_id, board_id, after_item, done) VALUES ($1, $2, $3, $4)";
        tx.execute(sql, params![ACCOUNT, &of, "i", 17])
    };
    p.ctx.db().write(half).await.unwrap();
    let (ctx, of) = (p.ctx.clone(), (two.sprints.clone(), two.ids[1].clone()));
    let leave = move |tx: &mut store::Tx<'_>| {
        let board = crate::board::load(tx, ACCOUNT, &of.0)?;
        // The writer has no runtime, so that nobody goes on with it here.
        let behind = crate::behind::Behind::new(&ctx);
        let mut edit = crate::change::Edit::new(ACCOUNT.to_owned(), owner(), START_MS, board, behind);
        edit.moved.note(&of.1);
        crate::recompute::recount_after(tx, &edit)?;
        let sql = "SELECT done FROM board_formulas_left WHERE account_id = $1 AND board_id = $2";
        tx.query_one(sql, params![ACCOUNT, &two.work], |row| row.get::<i64>(0))
    };
    assert_eq!(p.ctx.db().write(leave).await.unwrap(), 17, "the place is where it was");
}

#[tokio::test]
async fn very_many_that_leave_at_once_are_counted_too() {
    let p = start().await;
    let of: Vec<usize> = (0..60).collect();
    let two = Two::new(&p, 60, &[&of, &of[..2]]).await;
    p.owner("boards.cells", json!({"boardId": two.sprints, "delete": two.ids[1..]})).await.unwrap();
    assert_eq!(cells(&p, &two.work, "c2").await, [json!(1), json!(1)]);
}

#[tokio::test]
async fn what_is_counted_is_looked_up_once_for_all_items() {
    let p = start().await;
    let two = Two::new(&p, 6, &[&[]]).await;
    let mut record: Record = serde_json::from_value(full_json(&p, &two.work).await["items"][0].clone()).unwrap();
    let ask = move |tx: &mut store::Tx<'_>| {
        let formulas = Formulas::new(&crate::board::columns(tx, ACCOUNT, &two.work)?);
        let mut asked = Vec::new();
        // Past three, which tests look up one by one, the board's ids are read whole.
        for linked in [1, 2, 2, 3, 6, 6] {
            record.cells.insert("c1".to_owned(), json!(two.ids[..linked]));
            formulas.apply(tx, ACCOUNT, &mut record)?;
            assert_eq!(record.cells["c2"], json!(linked));
            asked.push(formulas.asked());
        }
        Ok(asked)
    };
    assert_eq!(p.ctx.db().read(ask).await.unwrap(), [1, 2, 2, 3, 4, 4]);
}
