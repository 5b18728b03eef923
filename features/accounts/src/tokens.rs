//! Every token that the guard knows, in memory by the hash, and the operations that make and revoke them.

use crate::directory::{NAME, NAME_CHARS_MAX, NoParams, checked_name};
use crate::fault;
use crate::login::PRIVATE;
use crate::revoked::Revoked;
use crate::token_file::{self, TokenFile};
use events::Topic;
use futures_core::future::BoxFuture;
use hmac::{KeyInit, Mac};
use kit::clock::DAY_MS;
use kit::ids::{hex, secret};
use kit::lookup::{AgentSessions, GiveTokens, LiveSessions};
use kit::{
    Authenticator, Call, Caller, CallerSet, Catalog, CreatedPart, Ctx, DataDir, Done, Kind, Method, Op, Page, Part,
    Result, invalid, new_id, not_found, rfc3339,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, RwLock};
use store::{Change, Db, HasDb, Tx, params};

/// Every scope that a session's token can carry: what operations ask for, and what it needs to hear of a topic. `*:write`
/// does not include `*:read`.
fn scopes(ctx: &Ctx) -> BTreeSet<String> {
    let asked = ctx.service::<Catalog>().scopes.iter().map(|scope| scope.to_string()).collect::<Vec<_>>();
    let heard = Topic::ALL.iter().filter_map(|topic| topic.scope());
    asked.into_iter().chain(heard).collect()
}

/// How long an owner token from a login lives, in milliseconds: 30 days.
pub(crate) const LOGIN_LIVES_MS: i64 = 30 * DAY_MS;
/// Tokens of an account.
pub(crate) const TOKENS_MAX: i64 = 10_000;
/// Owner tokens that live in memory alone; the oldest goes first.
pub(crate) const UNSAVED_MAX: usize = 64;
/// What the command-line token is called in place of an id.
const CLI: &str = "cli";

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new("tokens.list", Method::Get, "/tokens", CallerSet::PERSON, "List tokens, without their secrets.", list)
            .columns(&["id", "kind", "name", "sessionId", "memberId", "createdAt", "expiresAt"]),
        Op::new(
            "tokens.create",
            Method::Post,
            "/tokens",
            CallerSet::PERSON,
            "Create a token for a member, or a scoped one for a session, which ends as soon as the session finishes its work or \
             stops. It is shown once. A file \
             for `--token-file` needs mode 0600, such as after `umask 077`.",
            create,
        )
        .example(r#"{"kind": "member", "name": "N", "memberId": "{memberId}"}"#),
        Op::new("tokens.revoke", Method::Delete, "/tokens/{tokenId}", CallerSet::PERSON, "Revoke a token.", revoke)
            .example(r#"{"tokenId": "{tokenId}"}"#)
            .permanent(),
        Op::new(
            "tokens.rotate",
            Method::Post,
            "/tokens/rotate-cli",
            CallerSet::PERSON,
            "Replace the command-line token in its file and revoke the old one.",
            rotate,
        ),
    ]
}

/// A token about to be made.
pub(crate) struct NewToken {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) session: Option<String>,
    pub(crate) member: Option<String>,
    pub(crate) scopes: Vec<String>,
    /// `None` for no end.
    pub(crate) lives_ms: Option<i64>,
    /// Whether it is what a one-time login gave.
    pub(crate) logged_in: bool,
}

struct Known {
    caller: Caller,
    expires_ms: i64,
    /// Where else it is.
    kept: Keeping,
    /// The hash of its hash, by which whoever holds it asks for a proof.
    name: Hash,
}

/// Where a token is, beside the memory.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Keeping {
    /// In the database.
    Saved,
    /// Nowhere, since the database took no changes.
    Unsaved,
    /// With a session that the program started; it ends with the session's processes.
    Given,
}

type Hash = [u8; 32];

/// Every token that the guard knows.
pub struct Tokens {
    clock: Ctx,
    first_account: Arc<str>,
    known: RwLock<HashMap<Hash, Known>>,
    cli: RwLock<Option<TokenFile>>,
    /// None where there is no data directory.
    revoked: Option<Revoked>,
    /// Who holds the command-line token; made once, because it is asked for with every request.
    cli_caller: Caller,
}

fn hash_of(token: &[u8]) -> Hash {
    Sha256::digest(token).into()
}

/// The hexadecimal HMAC-SHA-256 of a challenge.
fn proof(key: &[u8], challenge: &str) -> String {
    let mut mac = hmac::Hmac::<Sha256>::new_from_slice(key).expect("any key length is taken");
    mac.update(challenge.as_bytes());
    hex(&mac.finalize().into_bytes())
}

/// A new token: itself, its hash, and what the guard knows of it.
fn made(account: &str, new: NewToken, now_ms: i64) -> (String, Hash, Known) {
    let token = match (new.kind, &new.session) {
        (Kind::Agent, Some(session)) => format!("ph_ses_{session}_{}", secret()),
        (Kind::Member, _) => format!("ph_mem_{}", secret()),
        _ => format!("ph_own_{}", secret()),
    };
    let caller = Caller {
        session: new.session.as_deref().map(Arc::from),
        member: new.member.as_deref().map(Arc::from),
        scopes: new.scopes,
        logged_in: new.logged_in,
        ..Caller::new(new.kind, account, &new_id())
    };
    let expires_ms = new.lives_ms.map_or(i64::MAX, |lives| now_ms + lives);
    let hash = hash_of(token.as_bytes());
    (token, hash, Known { caller, expires_ms, kept: Keeping::Saved, name: hash_of(&hash) })
}

impl Tokens {
    pub(crate) async fn load(ctx: &Ctx, first_account: &str, cli: Option<TokenFile>) -> Result<Tokens> {
        let now_ms = ctx.now_ms();
        let count = "SELECT count(*) FROM tokens WHERE expires_ms <= $1";
        let expired: i64 = ctx.db().read(move |tx| tx.query_one(count, params![now_ms], |row| row.get(0))).await?;
        if expired > 0 {
            let delete = "DELETE FROM tokens WHERE expires_ms <= $1";
            // They are refused all the same: where nothing can be written, a later start deletes them.
            let _ = ctx.db().write(move |tx| tx.execute(delete, params![now_ms])).await;
        }
        let rows = ctx
            .db()
            .read(move |tx| {
                tx.query(
                    "SELECT account_id, token_id, kind, hash, session_id, member_id, scopes, expires_ms, name FROM tokens WHERE expires_ms > $1",
                    params![now_ms],
                    |row| {
                        let kind: String = row.get(2)?;
                        let kind = Kind::ALL.into_iter().find(|k| k.name() == kind).unwrap_or(Kind::Public);
                        let (session, member): (Option<&str>, Option<&str>) = (row.get(4)?, row.get(5)?);
                        let caller = Caller {
                            session: session.map(Arc::from),
                            member: member.map(Arc::from),
                            scopes: row.get::<&str>(6)?.split_whitespace().map(str::to_owned).collect(),
                            logged_in: kind == Kind::Owner && row.get::<&str>(8)? == PRIVATE,
                            ..Caller::new(kind, row.get(0)?, row.get(1)?)
                        };
                        Ok((row.get::<String>(3)?, caller, row.get(7)?))
                    },
                )
            })
            .await?;
        let revoked = ctx.find_service::<DataDir>().map(|dir| Revoked::new(&dir.0));
        let gone = revoked.as_ref().map_or(Ok(HashSet::new()), Revoked::read)?;
        let (back, rows): (Vec<(_, Caller, i64)>, Vec<_>) =
            rows.into_iter().partition(|(hash, _, _)| gone.contains(hash));
        if !back.is_empty() {
            // A restored backup still had them.
            let delete = "DELETE FROM tokens WHERE account_id = $1 AND hash = $2";
            let run = move |tx: &mut Tx<'_>| {
                let mut each = back.iter();
                each.try_for_each(|(hash, caller, _)| tx.execute(delete, params![&*caller.account, hash]).map(drop))
            };
            let _ = ctx.db().write(run).await;
        }
        let known = rows.into_iter().filter_map(|(hash, caller, expires_ms)| {
            let hash = unhex(&hash)?;
            Some((hash, Known { caller, expires_ms, kept: Keeping::Saved, name: hash_of(&hash) }))
        });
        Ok(Tokens {
            clock: ctx.clone(),
            first_account: first_account.into(),
            known: RwLock::new(known.collect()),
            cli: RwLock::new(cli),
            revoked,
            cli_caller: Caller::new(Kind::Cli, first_account, CLI),
        })
    }

    /// Makes a token in this transaction; known to the guard once that is on disk. The token's id and the token.
    pub(crate) fn insert(
        self: &Arc<Self>,
        tx: &mut Tx<'_>,
        account: &str,
        new: NewToken,
        now_ms: i64,
    ) -> Result<(String, String)> {
        let name = new.name.clone();
        let (token, hash, known) = made(account, new, now_ms);
        let (caller, id) = (&known.caller, known.caller.token_id.to_string());
        tx.execute(
            "INSERT INTO tokens (account_id, token_id, kind, name, hash, session_id, member_id, scopes, created_ms, expires_ms) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            params![account, &id, caller.kind.name(), name, hex(&hash), caller.session.as_deref(), caller.member.as_deref(), caller.scopes.join(" "), now_ms, known.expires_ms],
        )?;
        let tokens = self.clone();
        tx.after_commit(move || tokens.learn(hash, known, now_ms));
        Ok((id, token))
    }

    /// Makes a token that lives in memory alone, until the program ends: for when the database takes no changes. The token.
    pub(crate) fn insert_unsaved(&self, account: &str, new: NewToken, now_ms: i64) -> String {
        let (token, hash, known) = made(account, new, now_ms);
        self.learn(hash, Known { kept: Keeping::Unsaved, ..known }, now_ms);
        token
    }

    /// Lets the guard know a token, and forget those that nobody needs any more.
    fn learn(&self, hash: Hash, new: Known, now_ms: i64) {
        let mut all = self.known.write().expect("no panic while held");
        all.retain(|_, known| known.expires_ms > now_ms);
        if new.kept == Keeping::Unsaved {
            let mut unsaved: Vec<_> = all
                .iter()
                .filter(|(_, known)| known.kept == Keeping::Unsaved)
                .map(|(hash, known)| (known.expires_ms, *hash))
                .collect();
            unsaved.sort_unstable();
            for (_, oldest) in unsaved.iter().take((unsaved.len() + 1).saturating_sub(UNSAVED_MAX)) {
                all.remove(oldest);
            }
        }
        all.insert(hash, new);
    }

    /// Deletes the account's expired tokens in this transaction; how many others it has.
    pub(crate) fn count_unexpired(tx: &mut Tx<'_>, account: &str, now_ms: i64) -> Result<i64> {
        tx.execute("DELETE FROM tokens WHERE account_id = $1 AND expires_ms <= $2", params![account, now_ms])?;
        tx.query_one("SELECT count(*) FROM tokens WHERE account_id = $1", params![account], |row| row.get(0))
    }

    /// Revokes the account's oldest logins in this transaction where it has more tokens than it may: a person who logs in is
    /// never refused for their number. The caller's own is not among them.
    pub(crate) fn drop_oldest_logins(self: &Arc<Self>, tx: &mut Tx<'_>, caller: &Caller, now_ms: i64) -> Result<()> {
        let account = &*caller.account;
        let too_many = Self::count_unexpired(tx, account, now_ms)? - TOKENS_MAX;
        if too_many <= 0 {
            return Ok(());
        }
        // Of an owner's tokens only those of logins end.
        let oldest = tx.query(
            "SELECT token_id FROM tokens WHERE account_id = $1 AND kind = $2 AND expires_ms < $3 AND token_id <> $4 \
             ORDER BY created_ms, token_id LIMIT $5",
            params![account, Kind::Owner.name(), i64::MAX, &*caller.token_id, too_many],
            |row| row.get::<String>(0),
        )?;
        for id in oldest {
            self.remove(tx, account, &id)?;
            let change =
                Change { subject: "token", subject_id: &id, field: "", before: Some(&json!("in use")), after: None };
            tx.record(caller, now_ms, change)?;
        }
        Ok(())
    }

    /// Revokes a token in this transaction.
    pub(crate) fn remove(self: &Arc<Self>, tx: &mut Tx<'_>, account: &str, token_id: &str) -> Result<()> {
        let hash: String = tx.query_one(
            "SELECT hash FROM tokens WHERE account_id = $1 AND token_id = $2",
            params![account, token_id],
            |row| row.get(0),
        )?;
        tx.execute("DELETE FROM tokens WHERE account_id = $1 AND token_id = $2", params![account, token_id])?;
        let tokens = self.clone();
        tx.after_commit(move || {
            if let Some(Err(error)) = tokens.revoked.as_ref().map(|revoked| revoked.add(&hash)) {
                tracing::warn!(%error, "a backup that is restored would bring a revoked token back");
            }
            if let Some(hash) = unhex(&hash) {
                tokens.known.write().expect("no panic while held").remove(&hash);
            }
        });
        Ok(())
    }
}

/// Gives sessions their tokens.
pub(crate) struct Giver(pub(crate) Arc<Tokens>);

impl GiveTokens for Giver {
    fn give(&self, account: &str, session: &str, scopes: Vec<String>) -> String {
        self.end(account, session);
        let new = NewToken {
            kind: Kind::Agent,
            name: String::new(),
            session: Some(session.to_owned()),
            member: None,
            scopes,
            lives_ms: None,
            logged_in: false,
        };
        let now_ms = self.0.clock.now_ms();
        let (token, hash, known) = made(account, new, now_ms);
        self.0.learn(hash, Known { kept: Keeping::Given, ..known }, now_ms);
        token
    }

    fn end(&self, account: &str, session: &str) {
        let is_its = |known: &Known| {
            known.kept == Keeping::Given
                && *known.caller.account == *account
                && known.caller.session.as_deref() == Some(session)
        };
        self.0.known.write().expect("no panic while held").retain(|_, known| !is_its(known));
    }

    fn sessions_with_tokens(&self) -> Vec<(Arc<str>, Arc<str>)> {
        let known = self.0.known.read().expect("no panic while held");
        let made = known.values().filter(|known| known.kept == Keeping::Saved && known.caller.kind == Kind::Agent);
        made.filter_map(|known| Some((known.caller.account.clone(), known.caller.session.clone()?))).collect()
    }

    fn revoke_made(&self, account: Arc<str>, session: Arc<str>) -> BoxFuture<'static, Result<()>> {
        let (tokens, db) = (self.0.clone(), self.0.clock.db());
        let is_its = move |known: &Known| {
            known.kept == Keeping::Saved
                && known.caller.account == account
                && known.caller.session.as_ref() == Some(&session)
        };
        let its: Vec<_> = {
            let known = tokens.known.read().expect("no panic while held");
            known.values().filter(|known| is_its(known)).map(|known| known.caller.clone()).collect()
        };
        Box::pin(async move {
            if its.is_empty() {
                return Ok(());
            }
            let revoke = move |tx: &mut Tx<'_>| {
                its.iter().try_for_each(|caller| tokens.remove(tx, &caller.account, &caller.token_id))
            };
            db.write(revoke).await
        })
    }
}

impl Authenticator for Tokens {
    fn caller(&self, token: &str) -> Option<Caller> {
        // The hash of 256 random bits is looked up, not the token compared: the time taken tells nothing about it.
        let hash = hash_of(token.as_bytes());
        if self.cli.read().expect("no panic while held").as_ref().is_some_and(|cli| cli.hash() == &hash) {
            return Some(self.cli_caller.clone());
        }
        let known = self.known.read().expect("no panic while held");
        known.get(&hash).filter(|known| self.clock.now_ms() < known.expires_ms).map(|known| known.caller.clone())
    }

    fn prove(&self, challenge: &str) -> Option<String> {
        let cli = self.cli.read().expect("no panic while held");
        Some(proof(cli.as_ref()?.token().as_bytes(), challenge))
    }

    fn prove_named(&self, name: &str, challenge: &str) -> Option<String> {
        let (name, now_ms) = (unhex(name)?, self.clock.now_ms());
        let all = self.known.read().expect("no panic while held");
        // Looked for one by one: it is asked for once in a run of the command line, and a second index is one to keep right.
        let (hash, _) = all.iter().find(|(_, known)| known.name == name && now_ms < known.expires_ms)?;
        Some(proof(hash, challenge))
    }
}

fn unhex(text: &str) -> Option<Hash> {
    let mut hash = [0; 32];
    if text.len() != 64 {
        return None;
    }
    for (i, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(i * 2..i * 2 + 2)?, 16).ok()?;
    }
    Some(hash)
}

/// A token's record.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TokenRecord {
    id: String,
    /// `owner`, `agent`, or `member`.
    kind: String,
    name: String,
    session_id: Option<String>,
    member_id: Option<String>,
    scopes: Vec<String>,
    /// RFC 3339 in UTC.
    created_at: String,
    /// RFC 3339 in UTC; absent if it doesn't expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

async fn list(ctx: Ctx, call: Call, part: Part) -> Result<Page<TokenRecord>> {
    ctx.db()
        .read(move |tx| {
            let items = tx.query(
                "SELECT token_id, kind, name, session_id, member_id, scopes, created_ms, expires_ms FROM tokens WHERE account_id = $1 AND token_id > $2 ORDER BY token_id",
                params![call.account(), part.after()?.unwrap_or_default()],
                |row| {
                    let expires_ms: i64 = row.get(7)?;
                    Ok(TokenRecord {
                        id: row.get(0)?,
                        kind: row.get(1)?,
                        name: row.get(2)?,
                        session_id: row.get(3)?,
                        member_id: row.get(4)?,
                        scopes: row.get::<&str>(5)?.split_whitespace().map(str::to_owned).collect(),
                        created_at: rfc3339(row.get(6)?),
                        expires_at: (expires_ms < i64::MAX).then(|| rfc3339(expires_ms)),
                    })
                },
            )?;
            part.first_page(items, |token| (&token.id).into())
        })
        .await
}

/// Kind of token.
#[derive(Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum MadeKind {
    /// For a member of the account.
    Member,
    /// For one session. Revoked when the session ends.
    Agent,
}

/// A token to create.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct CreateToken {
    kind: MadeKind,
    /// Name to recognize it by, 1 to 100 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    name: String,
    /// Required with kind `member`: the member.
    member_id: Option<String>,
    /// Required with kind `agent`: a session that hasn't ended.
    session_id: Option<String>,
    /// Scopes of a session's token, none by default: alert:write, apps:read, apps:write, asks:read, asks:write,
    /// boards:read, boards:write, bookmarks:read, bookmarks:write, calendar:read, calendar:write, dashboards:read,
    /// dashboards:write, directory:read, docs:read, events:read, inbox:read,
    /// messages:read, messages:write, navigation:write, rooms:read, rooms:write, sessions:read, sessions:spawn, sessions:write,
    /// settings:read, settings:write, tasks:read, tasks:write, and window:raise.
    #[serde(default)]
    scopes: Vec<String>,
}

/// A new token.
#[derive(Serialize, JsonSchema)]
struct MadeToken {
    id: String,
    /// Shown only once.
    token: String,
}

async fn create(ctx: Ctx, call: Call, input: CreateToken) -> Result<CreatedPart<MadeToken>> {
    let name = checked_name(&input.name, "/name")?;
    let (kind, session, member) = match (input.kind, input.session_id, input.member_id) {
        (MadeKind::Agent, Some(session), None) => (Kind::Agent, Some(session), None),
        (MadeKind::Member, None, Some(member)) => (Kind::Member, None, Some(member)),
        (MadeKind::Agent, _, _) => {
            return Err(invalid(
                "/sessionId",
                fault::MISSING,
                "A session's token needs `sessionId` and no `memberId`.",
            ));
        }
        (MadeKind::Member, _, _) => {
            return Err(invalid("/memberId", fault::MISSING, "A member's token needs `memberId` and no `sessionId`."));
        }
    };
    let plain = |id: &str| (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    if session.as_deref().is_some_and(|id| !plain(id)) {
        return Err(invalid("/sessionId", fault::WRONG_FORMAT, "Use 1 to 64 letters, digits, and hyphens."));
    }
    if kind == Kind::Member && !input.scopes.is_empty() {
        let detail = "Only a session's token has scopes. Leave them out.";
        return Err(invalid("/scopes", fault::NOT_ACCEPTED, detail));
    }
    let known = scopes(&ctx);
    if let Some(i) = input.scopes.iter().position(|scope| !known.contains(scope)) {
        let known = known.into_iter().collect::<Vec<_>>().join(", ");
        return Err(invalid(&format!("/scopes/{i}"), fault::NOT_A_CHOICE, format!("Expected one of {known}.")));
    }
    if let (Some(session), Some(live)) = (&session, ctx.find_service::<LiveSessions>())
        && !live.0.missing(call.account(), vec![session.clone()]).await?.is_empty()
    {
        return Err(not_live(&ctx, call.caller.clone(), session).await?);
    }
    let (now_ms, tokens) = (ctx.now_ms(), ctx.service::<Tokens>());
    ctx.db()
        .write(move |tx| {
            if let Some(member) = &member {
                let sql = "SELECT name FROM members WHERE account_id = $1 AND member_id = $2";
                let found = tx.query_opt(sql, params![call.account(), member], |_| Ok(()))?;
                found.ok_or_else(|| kit::error::unknown(fault::UNKNOWN_MEMBER, "/memberId"))?;
            }
            let count = Tokens::count_unexpired(tx, call.account(), now_ms)?;
            if count >= TOKENS_MAX {
                return Err(
                    kit::error::CONFLICT.error(format!("The limit is {TOKENS_MAX} tokens per account. Revoke some."))
                );
            }
            let new = NewToken {
                kind,
                name: name.clone(),
                session,
                member,
                scopes: input.scopes,
                lives_ms: None,
                logged_in: false,
            };
            let (id, token) = tokens.insert(tx, call.account(), new, now_ms)?;
            let after = json!({"kind": kind.name(), "name": name});
            tx.record(
                &call.caller,
                now_ms,
                Change { subject: "token", subject_id: &id, field: "", before: None, after: Some(&after) },
            )?;
            Ok(CreatedPart(MadeToken { id, token }))
        })
        .await
}

/// Why a session gets no token: it has ended, or there is none with this id.
async fn not_live(ctx: &Ctx, caller: Caller, session: &str) -> Result<kit::Error> {
    let unknown = kit::fault::UNKNOWN_SESSION;
    let sessions = match ctx.find_service::<AgentSessions>() {
        Some(sessions) => sessions.0.seen(ctx, &caller.account, &caller.sessions_seen()).await?.all,
        None => Vec::new(),
    };
    let detail = match sessions.iter().any(|known| known.id == session) {
        true => "The session has ended. Resume it, or name another one.",
        false => "Session not found.",
    };
    Ok(kit::error::NAMED_NOT_FOUND.error(detail).at("/sessionId", unknown, detail))
}

/// Identifies a token.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct TokenId {
    token_id: String,
}

async fn revoke(ctx: Ctx, call: Call, input: TokenId) -> Result<Done> {
    let (now_ms, tokens) = (ctx.now_ms(), ctx.service::<Tokens>());
    ctx.db()
        .write(move |tx| {
            tokens.remove(tx, call.account(), &input.token_id)?;
            tx.record(
                &call.caller,
                now_ms,
                Change {
                    subject: "token",
                    subject_id: &input.token_id,
                    field: "",
                    before: Some(&json!("in use")),
                    after: None,
                },
            )?;
            Ok(Done)
        })
        .await
}

/// The result of a rotation. The token itself is only in its file.
#[derive(Serialize, JsonSchema)]
struct Rotated {
    /// File with the new token.
    file: String,
}

async fn rotate(ctx: Ctx, call: Call, _: NoParams) -> Result<Rotated> {
    let (now_ms, tokens) = (ctx.now_ms(), ctx.service::<Tokens>());
    // The file belongs to the first account; to any other it does not exist.
    if *tokens.first_account != *call.caller.account {
        return Err(not_found());
    }
    let failed = Arc::new(Mutex::new(None));
    let failure = failed.clone();
    let file = ctx
        .db()
        .write(move |tx| {
            let change =
                Change { subject: "token", subject_id: CLI, field: "", before: None, after: Some(&json!("rotated")) };
            let change_id = tx.record(&call.caller, now_ms, change)?;
            // On disk before the record is, and in force after it: wherever a crash falls, `finish_rotations` can tell.
            let staged = {
                let cli = tokens.cli.read().expect("no panic while held");
                cli.as_ref().ok_or_else(not_found)?.stage(&change_id)?
            };
            let file = staged.path().display().to_string();
            tx.after_commit(move || {
                let mut cli = tokens.cli.write().expect("no panic while held");
                match staged.put_in_place() {
                    Ok(file) => *cli = Some(file),
                    Err(e) => *failure.lock().expect("no panic while held") = Some(e),
                }
            });
            Ok(file)
        })
        .await?;
    match failed.lock().expect("no panic while held").take() {
        Some(e) => Err(e),
        None => Ok(Rotated { file }),
    }
}

/// Ends the rotations of the command-line token that a crash interrupted: what was recorded happens, and nothing else.
pub(crate) async fn finish_rotations(db: &Db, first_account: &str, dir: &Path) -> Result<()> {
    for change_id in token_file::waiting(dir)? {
        let (account, id) = (first_account.to_owned(), change_id.clone());
        let recorded = db.read(move |tx| match tx.change(&account, &id) {
            Ok(change) => Ok(change.subject == "token" && change.subject_id == CLI),
            Err(e) if e.is(&kit::error::NOT_FOUND) => Ok(false),
            Err(e) => Err(e),
        });
        token_file::settle(dir, &change_id, recorded.await?)?;
    }
    Ok(())
}

impl Tokens {
    /// The account that was made first.
    pub fn first_account(&self) -> &str {
        &self.first_account
    }

    #[cfg(test)]
    pub(crate) fn known_count(&self) -> usize {
        self.known.read().expect("no panic while held").len()
    }
}
