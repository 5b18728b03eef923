//! Tests of the feature through the one door, over a database of their own.

mod activity;
mod below;
mod bulk;
mod categories;
mod change_log;
mod comments;
mod computed;
mod counted;
mod dues;
mod endings;
mod expect;
mod export;
mod files;
mod find;
mod formula;
mod full;
mod group_undo;
mod import;
mod json;
mod links;
mod made;
mod named;
mod names;
mod ops;
mod pages;
mod parents;
mod place;
mod presets;
mod query;
pub(crate) mod random;
mod reimport;
mod same;
mod sessions;
mod shapes;
mod steps;
mod strange;
mod subitems;
mod tables;
mod taken;
mod tools;
mod trash;
mod undo;
mod views;
pub(crate) mod workbook;

use futures_util::future::BoxFuture;
use kit::lookup::{self, Holder, Lookup, MemberDirectory};
use kit::{Call, Caller, Ctx, Feature, Kind, Migration, Reply};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use store::{Db, HasDb, params};
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, START_MS};

const WORKSPACE: &str = "w1";
const OTHER_WORKSPACE: &str = "w2";
const ANNA: &str = "m-anna";
const BEN: &str = "m-ben";
const STRANGER: &str = "m-stranger";

/// The tables of the accounts feature, which answers from them.
const DIRECTORY: &str = "CREATE TABLE workspaces (account_id TEXT NOT NULL, workspace_id TEXT NOT NULL, name TEXT NOT NULL, \
    created_ms BIGINT NOT NULL, PRIMARY KEY (account_id, workspace_id)); \
    CREATE TABLE members (account_id TEXT NOT NULL, member_id TEXT NOT NULL, name TEXT NOT NULL, email TEXT, role TEXT NOT NULL, \
    time_zone TEXT NOT NULL, created_ms BIGINT NOT NULL, PRIMARY KEY (account_id, member_id));";

/// Answers as the accounts feature does.
struct Workspaces(Db);
struct Members(Db);

impl Lookup for Workspaces {
    fn missing(&self, account: &str, ids: Vec<String>) -> BoxFuture<'static, kit::Result<Vec<String>>> {
        missing(&self.0, "SELECT workspace_id FROM workspaces WHERE account_id = $1", account, ids)
    }
    fn only(&self, account: &str) -> BoxFuture<'static, kit::Result<Option<String>>> {
        let (db, account) = (self.0.clone(), account.to_owned());
        let sql = "SELECT workspace_id FROM workspaces WHERE account_id = $1";
        Box::pin(async move {
            let all = db.read(move |tx| tx.query(sql, params![&account], |row| row.get::<String>(0))).await?;
            Ok(if let [only] = &all[..] { Some(only.clone()) } else { None })
        })
    }
}

impl Lookup for Members {
    fn missing(&self, account: &str, ids: Vec<String>) -> BoxFuture<'static, kit::Result<Vec<String>>> {
        missing(&self.0, "SELECT member_id FROM members WHERE account_id = $1", account, ids)
    }
}

fn missing(
    db: &Db,
    sql: &'static str,
    account: &str,
    ids: Vec<String>,
) -> BoxFuture<'static, kit::Result<Vec<String>>> {
    let (db, account) = (db.clone(), account.to_owned());
    Box::pin(async move {
        let there: Vec<String> = db.read(move |tx| tx.query(sql, params![account], |row| row.get::<String>(0))).await?;
        Ok(ids.into_iter().filter(|id| !there.contains(id)).collect())
    })
}

impl MemberDirectory for Members {
    fn all(&self, account: &str) -> BoxFuture<'static, kit::Result<Vec<(String, String, String)>>> {
        let (db, account) = (self.0.clone(), account.to_owned());
        let sql = "SELECT member_id, name, email FROM members WHERE account_id = $1 ORDER BY name DESC";
        Box::pin(async move {
            db.read(move |tx| tx.query(sql, params![account], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))).await
        })
    }
    fn holders(&self, _: &str) -> BoxFuture<'static, kit::Result<HashMap<String, Holder>>> {
        let script = Holder { name: "Nightly".into(), member: Some(BEN.into()) };
        Box::pin(async move { Ok(HashMap::from([("t-script".to_owned(), script)])) })
    }
    fn zones(&self, account: &str) -> BoxFuture<'static, kit::Result<Vec<(String, String)>>> {
        let (db, account) = (self.0.clone(), account.to_owned());
        let sql = "SELECT member_id, time_zone FROM members WHERE account_id = $1";
        Box::pin(async move {
            db.read(move |tx| tx.query(sql, params![account], |row| Ok((row.get(0)?, row.get(1)?)))).await
        })
    }
}

async fn provide_directory(ctx: Ctx) -> kit::Result<()> {
    ctx.provide(Arc::new(lookup::Workspaces(Box::new(Workspaces(ctx.db())))));
    ctx.provide(Arc::new(lookup::Members(Box::new(Members(ctx.db())))));
    Ok(())
}

fn features() -> Vec<Feature> {
    let directory = Feature {
        migrations: &[Migration { number: 1, sql: DIRECTORY }],
        start: |ctx| Box::pin(provide_directory(ctx)),
        ..Feature::named("directory")
    };
    vec![directory, crate::feature()]
}

async fn start() -> Program {
    let program = Program::start(features).await;
    provide_dir(&program);
    let fill = |tx: &mut store::Tx<'_>| {
        for (account, workspace) in [(ACCOUNT, WORKSPACE), (OTHER_ACCOUNT, OTHER_WORKSPACE)] {
            let row = params![account, workspace, "Main", START_MS];
            tx.execute(
                "INSERT INTO workspaces (account_id, workspace_id, name, created_ms) VALUES ($1, $2, $3, $4)",
                row,
            )?;
        }
        let members = [
            (ACCOUNT, ANNA, "Anna Berg", "anna@example.com"),
            (ACCOUNT, BEN, "Ben Ito", "ben@example.com"),
            (OTHER_ACCOUNT, STRANGER, "Sol", "sol@example.org"),
        ];
        for (account, id, name, email) in members {
            let row = params![account, id, name, email, "member", "UTC", START_MS];
            tx.execute("INSERT INTO members (account_id, member_id, name, email, role, time_zone, created_ms) VALUES ($1, $2, $3, $4, $5, $6, $7)", row)?;
        }
        Ok(())
    };
    program.ctx.db().write(fill).await.expect("the directory is filled");
    program
}

fn provide_dir(program: &Program) {
    program.ctx.provide(Arc::new(kit::DataDir(program.dir().to_owned())));
}

fn owner() -> Caller {
    Caller::new(Kind::Owner, ACCOUNT, "test")
}

fn other_owner() -> Caller {
    Caller::new(Kind::Owner, OTHER_ACCOUNT, "other")
}

/// A board from the preset `tasks`: c1 is Status, c2 Owner, c3 Due; g1 is To do, g2 Done.
async fn tasks_board(program: &Program) -> String {
    let board =
        program.owner("boards.create", json!({"workspaceId": WORKSPACE, "name": "Work", "preset": "tasks"})).await;
    board.unwrap()["id"].as_str().unwrap().to_owned()
}

async fn add_column(program: &Program, board: &str, title: &str, kind: &str, settings: Value) -> String {
    let input = json!({"boardId": board, "title": title, "type": kind, "settings": settings});
    program.owner("boards.columns.create", input).await.unwrap()["id"].as_str().unwrap().to_owned()
}

async fn full_json(program: &Program, board: &str) -> Value {
    program.owner("boards.full", json!({"boardId": board})).await.unwrap()
}

async fn full_reply(program: &Program, board: &str, accept: &str, holds: Option<&str>) -> Reply {
    let mut call = Call::new(owner());
    call.accept = Some(accept.to_owned());
    call.if_none_match = holds.map(str::to_owned);
    program.call(call, "boards.full", json!({"boardId": board})).await.unwrap()
}

fn header<'a>(reply: &'a Reply, name: &str) -> &'a str {
    &reply.headers.iter().find(|(n, _)| *n == name).unwrap_or_else(|| panic!("no header {name}")).1
}

/// Rows of every table of this feature that an import fills.
async fn rows_left(program: &Program) -> Vec<i64> {
    let count = |tx: &mut store::Tx<'_>| {
        let tables = ["boards", "board_groups", "board_columns", "items"];
        let count = |table| tx.query_one(&format!("SELECT count(*) FROM {table}"), &[], |row| row.get::<i64>(0));
        tables.into_iter().map(count).collect::<kit::Result<Vec<_>>>()
    };
    program.ctx.db().read(count).await.unwrap()
}
