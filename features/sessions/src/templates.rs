//! Prompt templates: saved texts for messages, each with a name.
//!
//! Invariant: a name is one template.

use kit::error::CONFLICT;
use kit::ids::short_id;
use kit::text::{CURSOR, NAME, TEXT, expect_name, expect_text};
use kit::{Call, CallerSet, Created, Ctx, Done, Method, Op, Page, Part, Result, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Change, HasDb, Row, Tx, params};

/// Maximum templates of an account.
const TEMPLATES_MAX: i64 = 200;
/// Maximum characters of a template's name.
const NAME_CHARS_MAX: usize = 100;
/// Maximum characters of a template's text: those of a message.
const TEXT_CHARS_MAX: usize = 200_000;
/// Maximum characters of all texts of an account: they are loaded together.
const ALL_CHARS_MAX: i64 = 5_000_000;
/// Maximum bytes of a body with a template.
const BODY_BYTES: usize = 1024 * 1024;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "sessions.templates.list",
            Method::Get,
            "/sessions/templates",
            CallerSet::PERSON,
            "List prompt templates by name.",
            list,
        )
        .columns(&["id", "name", "changedAt"]),
        Op::new(
            "sessions.templates.get",
            Method::Get,
            "/sessions/templates/{templateId}",
            CallerSet::PERSON,
            "Get a prompt template.",
            get,
        )
        .example(r#"{"templateId": "{templateId}"}"#),
        Op::new(
            "sessions.templates.create",
            Method::Post,
            "/sessions/templates",
            CallerSet::PERSON,
            "Save a text as a prompt template.",
            create,
        )
        .example(r#"{"name": "Review", "text": "Review the latest commit."}"#)
        .body_up_to(BODY_BYTES),
        Op::new(
            "sessions.templates.change",
            Method::Patch,
            "/sessions/templates/{templateId}",
            CallerSet::PERSON,
            "Rename a prompt template, or replace its text.",
            change,
        )
        .example(r#"{"templateId": "{templateId}", "text": "Review the branch."}"#)
        .body_up_to(BODY_BYTES),
        Op::new(
            "sessions.templates.delete",
            Method::Delete,
            "/sessions/templates/{templateId}",
            CallerSet::PERSON,
            "Delete a prompt template.",
            delete,
        )
        .example(r#"{"templateId": "{goneTemplateId}"}"#),
    ]
}

/// A prompt template.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PromptTemplate")]
#[serde(rename_all = "camelCase")]
struct Template {
    id: String,
    name: String,
    text: String,
    /// RFC 3339 in UTC.
    created_at: String,
    /// RFC 3339 in UTC.
    changed_at: String,
}

const TEMPLATES: &str =
    "SELECT template_id, name, text, created_ms, changed_ms FROM session_templates WHERE account_id = $1";

fn template(row: &dyn Row) -> Result<Template> {
    Ok(Template {
        id: row.get(0)?,
        name: row.get(1)?,
        text: row.get(2)?,
        created_at: rfc3339(row.get(3)?),
        changed_at: rfc3339(row.get(4)?),
    })
}

fn one(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Template> {
    tx.query_one(&format!("{TEMPLATES} AND template_id = $2"), params![account, id], template)
}

/// A page of prompt templates.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct List {
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: 10000.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<Template>> {
    let read = move |tx: &mut Tx<'_>| {
        let all = tx.query(&format!("{TEMPLATES} ORDER BY name"), params![call.account()], template)?;
        Part { cursor: input.cursor, limit: input.limit }.page(all, |one| (&one.id).into())
    };
    ctx.db().read(read).await
}

/// Identifies a prompt template.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct TemplateId {
    template_id: String,
}

async fn get(ctx: Ctx, call: Call, input: TemplateId) -> Result<Template> {
    ctx.db().read(move |tx| one(tx, call.account(), &input.template_id)).await
}

/// A new prompt template.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct New {
    /// 1 to 100 characters; no other template can have it.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    name: String,
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX), regex(pattern = TEXT))]
    text: String,
}

async fn create(ctx: Ctx, call: Call, input: New) -> Result<Created<Template>> {
    let name = checked_name(&input.name)?;
    expect_text(&input.text, TEXT_CHARS_MAX, "/text")?;
    let now_ms = ctx.now_ms();
    let write = move |tx: &mut Tx<'_>| {
        let account = call.account();
        let count = "SELECT count(*) FROM session_templates WHERE account_id = $1";
        if tx.query_one(count, params![account], |row| row.get::<i64>(0))? >= TEMPLATES_MAX {
            return Err(CONFLICT.error(format!("Template limit reached ({TEMPLATES_MAX}). Delete one first.")));
        }
        let id = short_id();
        expect_free(tx, account, &name, "")?;
        expect_room(tx, account, &input.text, "")?;
        tx.execute(
            "INSERT INTO session_templates (account_id, template_id, name, text, created_ms, changed_ms) \
             VALUES ($1, $2, $3, $4, $5, $5)",
            params![account, &id, &name, &input.text, now_ms],
        )?;
        let after = json!({"name": name});
        let change =
            Change { subject: "session-template", subject_id: &id, field: "", before: None, after: Some(&after) };
        tx.record(&call.caller, now_ms, change)?;
        one(tx, account, &id)
    };
    let record = ctx.db().write(write).await?;
    Ok(Created { location: format!("/sessions/templates/{}", record.id), record })
}

/// The changes to a prompt template. Omitted fields stay unchanged.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Patch {
    template_id: String,
    /// 1 to 100 characters; no other template can have it.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    name: Option<String>,
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX), regex(pattern = TEXT))]
    text: Option<String>,
}

async fn change(ctx: Ctx, call: Call, input: Patch) -> Result<Template> {
    let name = input.name.as_deref().map(checked_name).transpose()?;
    input.text.iter().try_for_each(|text| expect_text(text, TEXT_CHARS_MAX, "/text"))?;
    let now_ms = ctx.now_ms();
    let write = move |tx: &mut Tx<'_>| {
        let account = call.account();
        let old = one(tx, account, &input.template_id)?;
        let name = name.unwrap_or_else(|| old.name.clone());
        let text = input.text.unwrap_or_else(|| old.text.clone());
        if (&name, &text) == (&old.name, &old.text) {
            return Ok(old);
        }
        expect_free(tx, account, &name, &old.id)?;
        expect_room(tx, account, &text, &old.id)?;
        let sql = "UPDATE session_templates SET name = $3, text = $4, changed_ms = $5 \
                   WHERE account_id = $1 AND template_id = $2";
        tx.execute(sql, params![account, &old.id, &name, &text, now_ms])?;
        let (before, after) = (json!(old.name), json!(name));
        // The change log has no room for whole texts.
        let (field, before, after) = match name == old.name {
            true => ("text", None, None),
            false => ("name", Some(&before), Some(&after)),
        };
        let change = Change { subject: "session-template", subject_id: &old.id, field, before, after };
        tx.record(&call.caller, now_ms, change)?;
        one(tx, account, &old.id)
    };
    ctx.db().write(write).await
}

async fn delete(ctx: Ctx, call: Call, input: TemplateId) -> Result<Done> {
    let now_ms = ctx.now_ms();
    let write = move |tx: &mut Tx<'_>| {
        let old = one(tx, call.account(), &input.template_id)?;
        let sql = "DELETE FROM session_templates WHERE account_id = $1 AND template_id = $2";
        tx.execute(sql, params![call.account(), &old.id])?;
        let before = json!({"name": old.name});
        let change =
            Change { subject: "session-template", subject_id: &old.id, field: "", before: Some(&before), after: None };
        tx.record(&call.caller, now_ms, change)?;
        Ok(Done)
    };
    ctx.db().write(write).await
}

fn checked_name(name: &str) -> Result<String> {
    let name = name.trim();
    expect_name(name, NAME_CHARS_MAX, "/name")?;
    Ok(name.to_owned())
}

/// Rejects a name that another template has.
fn expect_free(tx: &mut Tx<'_>, account: &str, name: &str, own_id: &str) -> Result<()> {
    let sql = "SELECT 1 FROM session_templates WHERE account_id = $1 AND name = $2 AND template_id <> $3";
    match tx.query_opt(sql, params![account, name, own_id], |row| row.get::<i64>(0))? {
        Some(_) => Err(CONFLICT.error(format!("A template named {name} already exists. Choose another name."))),
        None => Ok(()),
    }
}

/// Rejects a text with which all texts together would be too long.
fn expect_room(tx: &mut Tx<'_>, account: &str, text: &str, own_id: &str) -> Result<()> {
    let sql = "SELECT CAST(coalesce(sum(length(text)), 0) AS BIGINT) FROM session_templates WHERE account_id = $1 AND template_id <> $2";
    let others = tx.query_one(sql, params![account, own_id], |row| row.get::<i64>(0))?;
    if others + text.chars().count() as i64 > ALL_CHARS_MAX {
        let detail = format!("All templates together can have up to {ALL_CHARS_MAX} characters. Delete one first.");
        return Err(CONFLICT.error(detail));
    }
    Ok(())
}
