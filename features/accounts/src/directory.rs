//! Accounts, workspaces, and the member directory.

use crate::tokens::{NewToken, Tokens};
use crate::{changes, fault};
use events::{Bus, Event, HasEvents};
use futures_core::future::BoxFuture;
use kit::json::Patch;
use kit::lookup::{Holder, Lookup, MemberDirectory};
use kit::text::expect_name;
use kit::{
    Call, CallerSet, Created, CreatedPart, Ctx, Done, Kind, Method, Op, Page, Part, Result, invalid, new_id, rfc3339,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashMap;
use std::sync::Arc;
use store::{Change, Db, HasDb, Row, Tx, params};

/// Maximum characters of a name.
pub(crate) const NAME_CHARS_MAX: usize = 100;
/// Maximum accounts of the installation.
pub(crate) const ACCOUNTS_MAX: i64 = 1_000;
/// Maximum members of an account.
const MEMBERS_MAX: i64 = 10_000;
/// Maximum workspaces of an account.
const WORKSPACES_MAX: i64 = 1_000;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "account.get",
            Method::Get,
            "/account",
            CallerSet::ANYONE_KNOWN,
            "Read the token's account.",
            get_account,
        )
        .scope("directory:read"),
        Op::new(
            "account.add",
            Method::Post,
            "/accounts",
            CallerSet::PERSON,
            "Add an account with its own workspace. Its owner token is shown once.",
            add_account,
        )
        .example(r#"{"name": "N"}"#),
        Op::new(
            "workspaces.list",
            Method::Get,
            "/workspaces",
            CallerSet::ANYONE_KNOWN,
            "List workspaces.",
            list_workspaces,
        )
        .scope("directory:read")
        .common()
        .columns(&["id", "name", "createdAt"]),
        Op::new(
            "workspaces.get",
            Method::Get,
            "/workspaces/{workspaceId}",
            CallerSet::ANYONE_KNOWN,
            "Read a workspace.",
            get_workspace,
        )
        .example(r#"{"workspaceId": "{workspaceId}"}"#)
        .scope("directory:read"),
        Op::new(
            "workspaces.create",
            Method::Post,
            "/workspaces",
            CallerSet::PERSON,
            "Create a workspace.",
            create_workspace,
        )
        .example(r#"{"name": "N"}"#),
        Op::new(
            "workspaces.update",
            Method::Patch,
            "/workspaces/{workspaceId}",
            CallerSet::PERSON,
            "Rename a workspace.",
            update_workspace,
        )
        .example(r#"{"workspaceId": "{workspaceId}", "name": "N"}"#),
        Op::new("members.list", Method::Get, "/members", CallerSet::ANYONE_KNOWN, "List members.", list_members)
            .scope("directory:read")
            .columns(&["id", "name", "email", "role", "timeZone"]),
        Op::new(
            "members.get",
            Method::Get,
            "/members/{memberId}",
            CallerSet::ANYONE_KNOWN,
            "Read a member.",
            get_member,
        )
        .example(r#"{"memberId": "{memberId}"}"#)
        .scope("directory:read"),
        Op::new("members.create", Method::Post, "/members", CallerSet::PERSON, "Add a member.", create_member).example(r#"{"name": "N"}"#),
        Op::new(
            "members.update",
            Method::Patch,
            "/members/{memberId}",
            CallerSet::PERSON,
            "Change a member.",
            update_member,
        )
        .example(r#"{"memberId": "{memberId}", "name": "N"}"#),
        Op::new(
            "members.delete",
            Method::Delete,
            "/members/{memberId}",
            CallerSet::PERSON,
            "Remove a member and the member's tokens.",
            delete_member,
        )
        .example(r#"{"memberId": "{memberId}"}"#)
        .permanent(),
        Op::new(
            "changes.list",
            Method::Get,
            "/changes",
            CallerSet::PERSON,
            "List changes, newest first, with author, time, and old and new values. `boards.undo` takes the ID of a board's change.",
            changes::list,
        )
        .example(r#"{"subject": "board", "subjectId": "{boardId}", "boardId": "{boardId}"}"#)
        .columns(&["id", "at", "by", "what", "subject", "subjectName", "boardName", "revision", "field", "before", "after"]),
    ]
}

/// No input.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoParams {}

/// An account.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Account {
    id: String,
    name: String,
    /// RFC 3339 in UTC.
    created_at: String,
}

/// A new account's name.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NamedInput {
    /// 1 to 100 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    name: String,
}

/// A new account with its owner token.
#[derive(Serialize, JsonSchema)]
struct NewAccount {
    account: Account,
    workspace: Workspace,
    /// Shown only once.
    token: String,
}

/// A workspace.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Workspace {
    id: String,
    name: String,
    /// RFC 3339 in UTC.
    created_at: String,
}

/// A member of the account.
#[derive(Serialize, JsonSchema, Clone)]
#[serde(rename_all = "camelCase")]
struct Member {
    id: String,
    name: String,
    /// Empty if unknown.
    email: String,
    /// Free text, such as "designer"; empty if unknown.
    role: String,
    /// Time zone name, such as Europe/Berlin; empty if unknown.
    time_zone: String,
    /// Whether this is you: the inbox tells you of this member's assignments and mentions.
    you: bool,
    /// RFC 3339 in UTC.
    created_at: String,
}

pub(crate) use kit::text::NAME;

pub(crate) fn checked_name(name: &str, pointer: &str) -> Result<String> {
    let name = name.trim();
    expect_name(name, NAME_CHARS_MAX, pointer)?;
    Ok(name.to_owned())
}

/// The first account, which the command-line token and installation-wide settings belong to.
pub fn first_account(tx: &mut Tx<'_>) -> Result<Option<String>> {
    tx.query_opt("SELECT account_id FROM first_account", params![], |row| row.get(0))
}

pub(crate) async fn ensure_first_account(db: &Db, now_ms: i64) -> Result<String> {
    if let Some(account) = db.read(first_account).await? {
        return Ok(account);
    }
    db.write(move |tx| {
        let (account, _) = insert_account(tx, "Me", now_ms)?;
        tx.execute("INSERT INTO first_account (account_id) VALUES ($1)", params![&account.id])?;
        Ok(account.id)
    })
    .await
}

fn insert_account(tx: &mut Tx<'_>, name: &str, now_ms: i64) -> Result<(Account, Workspace)> {
    // Short, because every row contains it.
    let account = Account { id: kit::ids::short_id(), name: name.to_owned(), created_at: rfc3339(now_ms) };
    tx.execute(
        "INSERT INTO accounts (account_id, name, created_ms) VALUES ($1, $2, $3)",
        params![&account.id, name, now_ms],
    )?;
    let workspace = insert_workspace(tx, &account.id, "Main", now_ms)?;
    Ok((account, workspace))
}

fn insert_workspace(tx: &mut Tx<'_>, account: &str, name: &str, now_ms: i64) -> Result<Workspace> {
    let workspace = Workspace { id: new_id(), name: name.to_owned(), created_at: rfc3339(now_ms) };
    tx.execute(
        "INSERT INTO workspaces (account_id, workspace_id, name, created_ms) VALUES ($1, $2, $3, $4)",
        params![account, &workspace.id, name, now_ms],
    )?;
    Ok(workspace)
}

async fn get_account(ctx: Ctx, call: Call, _: NoParams) -> Result<Account> {
    ctx.db()
        .read(move |tx| {
            tx.query_one(
                "SELECT account_id, name, created_ms FROM accounts WHERE account_id = $1",
                params![call.account()],
                |row| Ok(Account { id: row.get(0)?, name: row.get(1)?, created_at: rfc3339(row.get(2)?) }),
            )
        })
        .await
}

async fn add_account(ctx: Ctx, call: Call, input: NamedInput) -> Result<CreatedPart<NewAccount>> {
    let name = checked_name(&input.name, "/name")?;
    let (now_ms, tokens) = (ctx.now_ms(), ctx.service::<Tokens>());
    let caller = call.caller;
    ctx.db()
        .write(move |tx| {
            let count: i64 = tx.query_one("SELECT count(*) FROM accounts", params![], |row| row.get(0))?;
            if count >= ACCOUNTS_MAX {
                return Err(kit::error::CONFLICT.error(format!("The limit is {ACCOUNTS_MAX} accounts.")));
            }
            let (account, workspace) = insert_account(tx, &name, now_ms)?;
            let token = NewToken {
                kind: Kind::Owner,
                name: "first login".into(),
                session: None,
                member: None,
                scopes: Vec::new(),
                lives_ms: None,
                logged_in: false,
            };
            let (_, token) = tokens.insert(tx, &account.id, token, now_ms)?;
            let after = json!({"name": name});
            tx.record(
                &caller,
                now_ms,
                Change { subject: "account", subject_id: &account.id, field: "", before: None, after: Some(&after) },
            )?;
            Ok(CreatedPart(NewAccount { account, workspace, token }))
        })
        .await
}

const WORKSPACE_COLUMNS: &str = "SELECT workspace_id, name, created_ms FROM workspaces WHERE account_id = $1";

fn workspace(row: &dyn Row) -> Result<Workspace> {
    Ok(Workspace { id: row.get(0)?, name: row.get(1)?, created_at: rfc3339(row.get(2)?) })
}

/// One of the account's, by ID.
fn one_workspace(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Workspace> {
    tx.query_one(&format!("{WORKSPACE_COLUMNS} AND workspace_id = $2"), params![account, id], workspace)
}

async fn list_workspaces(ctx: Ctx, call: Call, part: Part) -> Result<Page<Workspace>> {
    ctx.db()
        .read(move |tx| {
            let sql = format!("{WORKSPACE_COLUMNS} ORDER BY created_ms, workspace_id");
            let items = tx.query(&sql, params![call.account()], workspace)?;
            part.page(items, |workspace| (&workspace.id).into())
        })
        .await
}

/// Identifies a workspace.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct WorkspaceId {
    workspace_id: String,
}

async fn get_workspace(ctx: Ctx, call: Call, input: WorkspaceId) -> Result<Workspace> {
    ctx.db().read(move |tx| one_workspace(tx, call.account(), &input.workspace_id)).await
}

async fn create_workspace(ctx: Ctx, call: Call, input: NamedInput) -> Result<Created<Workspace>> {
    let name = checked_name(&input.name, "/name")?;
    let now_ms = ctx.now_ms();
    ctx.db()
        .write(move |tx| {
            within(
                tx,
                "SELECT count(*) FROM workspaces WHERE account_id = $1",
                call.account(),
                WORKSPACES_MAX,
                "workspaces",
            )?;
            let workspace = insert_workspace(tx, call.account(), &name, now_ms)?;
            let after = json!({"name": name});
            tx.record(
                &call.caller,
                now_ms,
                Change {
                    subject: "workspace",
                    subject_id: &workspace.id,
                    field: "",
                    before: None,
                    after: Some(&after),
                },
            )?;
            Ok(Created { location: format!("/workspaces/{}", workspace.id), record: workspace })
        })
        .await
}

/// A workspace's new name.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct UpdateWorkspace {
    workspace_id: String,
    /// 1 to 100 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    name: String,
}

async fn update_workspace(ctx: Ctx, call: Call, input: UpdateWorkspace) -> Result<Workspace> {
    let name = checked_name(&input.name, "/name")?;
    let now_ms = ctx.now_ms();
    ctx.db()
        .write(move |tx| {
            let old = one_workspace(tx, call.account(), &input.workspace_id)?;
            tx.execute(
                "UPDATE workspaces SET name = $3 WHERE account_id = $1 AND workspace_id = $2",
                params![call.account(), &input.workspace_id, &name],
            )?;
            let change = Change {
                subject: "workspace",
                subject_id: &input.workspace_id,
                field: "name",
                before: Some(&json!(old.name)),
                after: Some(&json!(name)),
            };
            tx.record(&call.caller, now_ms, change)?;
            Ok(Workspace { name, ..old })
        })
        .await
}

fn within(tx: &mut Tx<'_>, count_sql: &str, account: &str, max: i64, things: &str) -> Result<()> {
    let count: i64 = tx.query_one(count_sql, params![account], |row| row.get(0))?;
    if count < max {
        return Ok(());
    }
    Err(kit::error::CONFLICT.error(format!("The limit is {max} {things} per account.")))
}

const MEMBER_COLUMNS: &str =
    "SELECT member_id, name, email, role, time_zone, created_ms, is_you FROM members WHERE account_id = $1";

fn member(row: &dyn Row) -> Result<Member> {
    Ok(Member {
        id: row.get(0)?,
        name: row.get(1)?,
        email: row.get(2)?,
        role: row.get(3)?,
        time_zone: row.get(4)?,
        created_at: rfc3339(row.get(5)?),
        you: row.get::<i64>(6)? == 1,
    })
}

/// One of the account's, by ID.
fn one_member(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Member> {
    tx.query_one(&format!("{MEMBER_COLUMNS} AND member_id = $2"), params![account, id], member)
}

async fn list_members(ctx: Ctx, call: Call, part: Part) -> Result<Page<Member>> {
    ctx.db()
        .read(move |tx| {
            let items =
                tx.query(&format!("{MEMBER_COLUMNS} ORDER BY name, member_id"), params![call.account()], member)?;
            part.page(items, |member| (&member.id).into())
        })
        .await
}

/// A new member.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewMember {
    /// 1 to 100 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    name: String,
    /// Up to 320 characters with one @, or empty.
    #[serde(default)]
    #[schemars(length(max = 320))]
    email: String,
    /// Free text up to 100 characters.
    #[serde(default)]
    #[schemars(length(max = 100))]
    role: String,
    /// Time zone name, such as Europe/Berlin, or empty.
    #[serde(default)]
    #[schemars(length(max = 64))]
    time_zone: String,
}

fn checked_member(name: &str, email: &str, role: &str, time_zone: &str) -> Result<()> {
    checked_name(name, "/name")?;
    let at = email.find('@');
    if !email.is_empty()
        && (email.chars().count() > 320
            || at.is_none_or(|i| i == 0 || i + 1 == email.len())
            || email.chars().any(|c| c.is_whitespace() || c.is_control()))
    {
        return Err(invalid(
            "/email",
            fault::WRONG_FORMAT,
            "Use an email address such as ada@example.org, or leave it empty.",
        ));
    }
    if role.chars().count() > NAME_CHARS_MAX {
        return Err(invalid("/role", fault::TOO_LONG, format!("Use at most {NAME_CHARS_MAX} characters.")));
    }
    if !role.trim().is_empty() {
        expect_name(role, NAME_CHARS_MAX, "/role")?;
    }
    if !time_zone.is_empty() && jiff::tz::TimeZone::get(time_zone).is_err() {
        return Err(invalid(
            "/timeZone",
            fault::WRONG_FORMAT,
            "Use a time zone name such as Europe/Berlin, or leave it empty.",
        ));
    }
    Ok(())
}

async fn create_member(ctx: Ctx, call: Call, input: NewMember) -> Result<Created<Member>> {
    checked_member(&input.name, &input.email, &input.role, &input.time_zone)?;
    let (now_ms, bus) = (ctx.now_ms(), ctx.events());
    ctx.db()
        .write(move |tx| {
            within(tx, "SELECT count(*) FROM members WHERE account_id = $1", call.account(), MEMBERS_MAX, "members")?;
            let NewMember { name, email, role, time_zone } = input;
            let (id, created_at) = (new_id(), rfc3339(now_ms));
            let new = Member { id, name: name.trim().to_owned(), email, role, time_zone, you: false, created_at };
            tx.execute(
                "INSERT INTO members (account_id, member_id, name, email, role, time_zone, created_ms) VALUES ($1, $2, $3, $4, $5, $6, $7)",
                params![call.account(), &new.id, &new.name, &new.email, &new.role, &new.time_zone, now_ms],
            )?;
            let after = json!({"name": new.name});
            tx.record(&call.caller, now_ms, Change { subject: "member", subject_id: &new.id, field: "", before: None, after: Some(&after) })?;
            announce(tx, bus, call.account());
            Ok(Created { location: format!("/members/{}", new.id), record: new })
        })
        .await
}

/// Publishes an event that the directory changed.
fn announce(tx: &mut Tx<'_>, bus: Arc<Bus>, account: &str) {
    let account = account.to_owned();
    tx.after_commit(move || bus.emit(Some(&account), Event::MembersChanged));
}

/// Changes to a member. Omitted fields stay unchanged.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct UpdateMember {
    member_id: String,
    #[serde(default)]
    #[schemars(with = "String", length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    name: Patch<String>,
    #[serde(default)]
    email: Patch<String>,
    #[serde(default)]
    role: Patch<String>,
    #[serde(default)]
    time_zone: Patch<String>,
    /// Whether this is you. Only one member can be.
    you: Option<bool>,
}

fn patched(old: &str, patch: Patch<String>) -> String {
    match patch {
        Patch::Keep => old.to_owned(),
        Patch::Clear => String::new(),
        Patch::Set(new) => new,
    }
}

async fn update_member(ctx: Ctx, call: Call, input: UpdateMember) -> Result<Member> {
    let (now_ms, bus) = (ctx.now_ms(), ctx.events());
    ctx.db()
        .write(move |tx| {
            let old = one_member(tx, call.account(), &input.member_id)?;
            let new = Member {
                name: patched(&old.name, input.name).trim().to_owned(),
                email: patched(&old.email, input.email),
                role: patched(&old.role, input.role),
                time_zone: patched(&old.time_zone, input.time_zone),
                you: input.you.unwrap_or(old.you),
                ..old.clone()
            };
            checked_member(&new.name, &new.email, &new.role, &new.time_zone)?;
            if new.you {
                tx.execute(
                    "UPDATE members SET is_you = 0 WHERE account_id = $1 AND is_you = 1",
                    params![call.account()],
                )?;
            }
            tx.execute(
                "UPDATE members SET name = $3, email = $4, role = $5, time_zone = $6, is_you = $7 \
                 WHERE account_id = $1 AND member_id = $2",
                params![call.account(), &new.id, &new.name, &new.email, &new.role, &new.time_zone, i64::from(new.you)],
            )?;
            let (before, after) = (json!(old), json!(new));
            tx.record(
                &call.caller,
                now_ms,
                Change {
                    subject: "member",
                    subject_id: &new.id,
                    field: "",
                    before: Some(&before),
                    after: Some(&after),
                },
            )?;
            announce(tx, bus, call.account());
            Ok(new)
        })
        .await
}

/// Identifies a member.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct MemberId {
    member_id: String,
}

async fn get_member(ctx: Ctx, call: Call, input: MemberId) -> Result<Member> {
    ctx.db().read(move |tx| one_member(tx, call.account(), &input.member_id)).await
}

async fn delete_member(ctx: Ctx, call: Call, input: MemberId) -> Result<Done> {
    let (now_ms, tokens, bus) = (ctx.now_ms(), ctx.service::<Tokens>(), ctx.events());
    ctx.db()
        .write(move |tx| {
            let old = one_member(tx, call.account(), &input.member_id)?;
            tx.execute(
                "DELETE FROM members WHERE account_id = $1 AND member_id = $2",
                params![call.account(), &old.id],
            )?;
            let of_member = tx.query(
                "SELECT token_id FROM tokens WHERE account_id = $1 AND member_id = $2",
                params![call.account(), &old.id],
                |row| row.get::<String>(0),
            )?;
            for token in of_member {
                tokens.remove(tx, call.account(), &token)?;
            }
            let before = json!(old);
            tx.record(
                &call.caller,
                now_ms,
                Change { subject: "member", subject_id: &old.id, field: "", before: Some(&before), after: None },
            )?;
            announce(tx, bus, call.account());
            Ok(Done)
        })
        .await
}

/// Finds IDs that aren't the account's workspaces.
pub(crate) struct Workspaces(pub(crate) Db);

impl Lookup for Workspaces {
    fn missing(&self, account: &str, ids: Vec<String>) -> BoxFuture<'static, Result<Vec<String>>> {
        let (db, account) = (self.0.clone(), account.to_owned());
        let sql = "SELECT 1 FROM workspaces WHERE account_id = $1 AND workspace_id = $2";
        Box::pin(async move { db.read(move |tx| without_row(tx, sql, &account, ids)).await })
    }
    fn only(&self, account: &str) -> BoxFuture<'static, Result<Option<String>>> {
        let (db, account) = (self.0.clone(), account.to_owned());
        let sql = "SELECT workspace_id FROM workspaces WHERE account_id = $1 LIMIT 2";
        let read = move |tx: &mut Tx<'_>| tx.query(sql, params![&account], |row| row.get::<String>(0));
        Box::pin(async move { db.read(read).await.map(|mut all| all.pop().filter(|_| all.is_empty())) })
    }
}

/// The `ids` without a row of the account.
fn without_row(tx: &mut Tx<'_>, sql: &str, account: &str, ids: Vec<String>) -> Result<Vec<String>> {
    let mut missing = Vec::new();
    for id in ids {
        if tx.query_opt(sql, params![account, &id], |_| Ok(()))?.is_none() {
            missing.push(id);
        }
    }
    Ok(missing)
}

/// Reads the member directory for other features.
pub(crate) struct Members(pub(crate) Db);

impl Lookup for Members {
    fn missing(&self, account: &str, ids: Vec<String>) -> BoxFuture<'static, Result<Vec<String>>> {
        let (db, account) = (self.0.clone(), account.to_owned());
        let sql = "SELECT 1 FROM members WHERE account_id = $1 AND member_id = $2";
        Box::pin(async move { db.read(move |tx| without_row(tx, sql, &account, ids)).await })
    }
}

impl MemberDirectory for Members {
    fn all(&self, account: &str) -> BoxFuture<'static, Result<Vec<(String, String, String)>>> {
        let (db, account) = (self.0.clone(), account.to_owned());
        Box::pin(async move {
            db.read(move |tx| {
                tx.query(
                    "SELECT member_id, name, email FROM members WHERE account_id = $1 ORDER BY name",
                    params![&account],
                    |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
                )
            })
            .await
        })
    }
    fn holders(&self, account: &str) -> BoxFuture<'static, Result<HashMap<String, Holder>>> {
        let (db, account) = (self.0.clone(), account.to_owned());
        let sql = "SELECT token_id, name, member_id FROM tokens WHERE account_id = $1 AND kind IN ('agent', 'member')";
        let holder = |row: &dyn Row| Ok((row.get(0)?, Holder { name: row.get(1)?, member: row.get(2)? }));
        Box::pin(async move {
            let held = db.read(move |tx| tx.query(sql, params![&account], holder)).await?;
            Ok(held.into_iter().collect())
        })
    }
    fn you(&self, account: &str) -> BoxFuture<'static, Result<Option<String>>> {
        let (db, account) = (self.0.clone(), account.to_owned());
        let sql = "SELECT member_id, is_you FROM members WHERE account_id = $1 ORDER BY is_you DESC LIMIT 2";
        Box::pin(async move {
            let first = db
                .read(move |tx| tx.query(sql, params![&account], |row| Ok((row.get::<String>(0)?, row.get::<i64>(1)?))))
                .await?;
            Ok(match &*first {
                [(id, 1), ..] | [(id, _)] => Some(id.clone()),
                _ => None,
            })
        })
    }
    fn zones(&self, account: &str) -> BoxFuture<'static, Result<Vec<(String, String)>>> {
        let (db, account) = (self.0.clone(), account.to_owned());
        let sql = "SELECT member_id, time_zone FROM members WHERE account_id = $1";
        Box::pin(async move {
            db.read(move |tx| tx.query(sql, params![&account], |row| Ok((row.get(0)?, row.get(1)?)))).await
        })
    }
}
