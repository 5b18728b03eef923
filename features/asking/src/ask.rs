//! Requests of sessions for values and keys: creating one, and its status.

use crate::inbox_kinds;
use crate::keep::{Keeper, sealed_for};
use crate::rows::{AskKind, AskRecord, SECRET_NAME, SUBJECT, Status, Target, one, row_key};
use crate::{agentInputRequestsEnabled, agentKeyProposalsEnabled, errors, fault};
use events::Actor;
use inbox_rows::{NewRow, post};
use kit::error::TOO_MANY;
use kit::fault::{OUT_OF_RANGE, WRONG_FORMAT};
use kit::ids::{short_id, without_tokens};
use kit::text::{NAME, TEXT, expect_name, expect_text};
use kit::{Call, Caller, CallerSet, Created, Ctx, Kind, Method, Op, Result, Secret, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::time::Duration;
use store::{Change, HasDb, Tx, params};

/// Maximum characters of a value's name.
const NAME_CHARS_MAX: usize = 100;
/// Maximum characters of its purpose.
const NOTE_CHARS_MAX: usize = 2_000;
/// Maximum open requests of a session.
const OF_SESSION_MAX: i64 = 20;
/// Maximum open requests of all sessions of an account.
const WAITING_MAX: i64 = 500;
/// Seconds after which a rejected caller can retry: the user has to answer a request first.
const FULL_RETRY_S: u32 = 60;
/// Maximum seconds that a caller can wait for a decision in one request.
const WAIT_MAX_S: u64 = 50;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "asks.requestInput",
            Method::Post,
            "/input-requests",
            CallerSet::PERSON_AND_AGENTS,
            "Ask for a value the session can't see, such as an API key. It's stored at `target`; asking again while one is open returns the same request.",
            request_input,
        )
        .example(r#"{"name": "N", "target": {"secret": "N"}}"#)
        .scope("asks:write")
        .switch(&agentInputRequestsEnabled, &errors::INPUT_REQUESTS_DISABLED)
        .common()
        .columns(&["id", "status"]),
        Op::new(
            "asks.inputStatus",
            Method::Get,
            "/input-requests/{askId}",
            CallerSet::PERSON_AND_AGENTS,
            "Get the status of an input request, never its value. `wait` waits up to that many seconds for a decision.",
            input_status,
        )
        .example(r#"{"askId": "{askId}"}"#)
        .scope("asks:read")
        .columns(&["status"]),
        Op::new(
            "asks.proposeKey",
            Method::Post,
            "/key-proposals",
            CallerSet::PERSON_AND_AGENTS,
            "Propose a key to store in the system keychain. Nothing is stored until you review and save it.",
            propose_key,
        )
        .example(r#"{"name": "N", "value": "V"}"#)
        .scope("asks:write")
        .switch(&agentKeyProposalsEnabled, &errors::KEY_PROPOSALS_DISABLED)
        .errors([&errors::SECRETS_UNAVAILABLE])
        .columns(&["id", "status"]),
        Op::new(
            "asks.keyStatus",
            Method::Get,
            "/key-proposals/{askId}",
            CallerSet::PERSON_AND_AGENTS,
            "Get the status of a key proposal. `wait` waits up to that many seconds for a decision.",
            key_status,
        )
        .example(r#"{"askId": "{keyAskId}"}"#)
        .scope("asks:read")
        .columns(&["status"]),
    ]
}

/// A request, as shown to the caller.
#[derive(Debug, Serialize, JsonSchema)]
struct Asked {
    id: String,
    status: Status,
}

/// The status of a request.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AskState")]
struct Told {
    status: Status,
}

/// An input request. Its texts are shown as plain text.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct InputRequest {
    /// Its name, such as `API key of the mail service`.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    name: String,
    /// Purpose of the value, and its source.
    #[schemars(length(min = 1, max = NOTE_CHARS_MAX), regex(pattern = TEXT))]
    purpose: Option<String>,
    /// Where to store it: `{"env": NAME}`, a variable from the session's next start, or `{"secret": NAME}`, in the system keychain.
    target: Target,
}

/// A proposed key.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct KeyProposal {
    /// The name to store it under.
    #[schemars(regex(pattern = SECRET_NAME))]
    name: String,
    /// The key itself.
    value: Secret,
    /// Purpose and origin of the key.
    #[schemars(length(min = 1, max = NOTE_CHARS_MAX), regex(pattern = TEXT))]
    note: Option<String>,
}

async fn request_input(ctx: Ctx, call: Call, input: InputRequest) -> Result<Created<Asked>> {
    let name = input.name.trim().to_owned();
    expect_name(&name, NAME_CHARS_MAX, "/name")?;
    let note = note_of(input.purpose, "/purpose")?;
    expect_target(&input.target, session_of(&call))?;
    let new = New { kind: AskKind::Input, name, note, target: input.target, offered: None };
    let record = ask(ctx, call, new).await?;
    Ok(Created { location: format!("/input-requests/{}", record.id), record })
}

async fn propose_key(ctx: Ctx, call: Call, input: KeyProposal) -> Result<Created<Asked>> {
    input.value.expect("/value")?;
    // An agent may write the key into the note too, which would put it in the inbox.
    let note = note_of(input.note, "/note")?.replace(input.value.reveal(), "…");
    let target = Target::Secret(input.name.clone());
    expect_secret_name(&input.name, "/name")?;
    let new = New { kind: AskKind::Key, name: input.name, note, target, offered: Some(input.value) };
    let record = ask(ctx, call, new).await?;
    Ok(Created { location: format!("/key-proposals/{}", record.id), record })
}

/// A new request.
struct New {
    kind: AskKind,
    name: String,
    note: String,
    target: Target,
    offered: Option<Secret>,
}

async fn ask(ctx: Ctx, call: Call, new: New) -> Result<Asked> {
    let session = session_of(&call).unwrap_or_default().to_owned();
    let (account, caller) = (call.caller.account.clone(), call.caller.clone());
    let keeper = ctx.service::<Keeper>();
    let fresh_id = short_id();
    let now_ms = ctx.now_ms();
    let db = ctx.db();
    let sealer = match new.offered {
        Some(_) => Some(keeper.sealer().await?),
        None => None,
    };
    let write = move |tx: &mut Tx<'_>| {
        let (target, target_name) = new.target.parts();
        let same = "SELECT ask_id FROM asks WHERE account_id = $1 AND status = 'waiting' AND session_id = $2 AND kind = $3 AND \
                    target = $4 AND target_name = $5";
        let of = params![&*account, &session, new.kind.name(), target, target_name];
        let before = tx.query_opt(same, of, |row| row.get::<String>(0))?;
        let id = before.clone().unwrap_or(fresh_id);
        // Sealed for this request only: in another one's row it can't be opened.
        let seal = |value: &Secret| sealer.as_ref().map(|sealer| sealer.seal_text(&sealed_for(&account, &id), value));
        let sealed = new.offered.as_ref().and_then(seal).unwrap_or_default();
        match before {
            Some(_) => tx.execute(
                "UPDATE asks SET name = $3, note = $4, sealed = $5 WHERE account_id = $1 AND ask_id = $2",
                params![&*account, &id, &new.name, &new.note, &sealed],
            )?,
            None => {
                has_room(tx, &account, &session)?;
                tx.execute(
                    "INSERT INTO asks (account_id, ask_id, kind, session_id, name, note, target, target_name, sealed, status, \
                     created_ms, decided_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting', $10, 0)",
                    params![
                        &*account,
                        &id,
                        new.kind.name(),
                        &session,
                        &new.name,
                        &new.note,
                        target,
                        target_name,
                        &sealed,
                        now_ms
                    ],
                )?
            }
        };
        let session = Some(session.as_str()).filter(|id| !id.is_empty());
        let kind = match new.kind {
            AskKind::Input => &inbox_kinds::INPUT,
            AskKind::Key => &inbox_kinds::KEY,
        };
        let title = format!("{}: {}", kind.label, new.name);
        let row = NewRow {
            key: Some(&row_key(&id)),
            body: &new.note,
            link: Some(&format!("/app/asks/{id}")),
            session_id: session,
            ..NewRow::new(kind, &title, Actor { session_id: session.map(str::to_owned), ..Actor::from(&caller) })
        };
        post(tx, &ctx, &account, &row)?;
        let after = json!({"kind": new.kind, "name": new.name, "target": new.target, "sessionId": session});
        let change = Change { subject: SUBJECT, subject_id: &id, field: "", before: None, after: Some(&after) };
        tx.record(&caller, now_ms, change)?;
        Ok(Asked { id, status: Status::Waiting })
    };
    db.write(write).await
}

/// Rejects a request if too many are open.
fn has_room(tx: &mut Tx<'_>, account: &str, session: &str) -> Result<()> {
    const WAITING: &str = "SELECT count(*) FROM asks WHERE account_id = $1 AND status = 'waiting'";
    let of_session = format!("{WAITING} AND session_id = $2");
    let all = tx.query_one(WAITING, params![account], |row| row.get::<i64>(0))?;
    let own = tx.query_one(&of_session, params![account, session], |row| row.get::<i64>(0))?;
    let most = match (all >= WAITING_MAX, !session.is_empty() && own >= OF_SESSION_MAX) {
        (_, true) => format!("The session has {OF_SESSION_MAX} open requests"),
        (true, _) => format!("All sessions together have {WAITING_MAX} open requests"),
        _ => return Ok(()),
    };
    let detail = format!("{most}, which is the limit. Wait until some are answered.");
    Err(TOO_MANY.error(detail).retry_after(FULL_RETRY_S))
}

/// The session that makes the request: the agent's own, or the one that a script names.
fn session_of(call: &Call) -> Option<&str> {
    call.caller.session.as_deref().or(call.source_session.as_deref())
}

fn note_of(note: Option<String>, pointer: &str) -> Result<String> {
    note.map_or(Ok(String::new()), |note| {
        expect_text(&note, NOTE_CHARS_MAX, pointer)?;
        // A key written here by mistake would be shown in the inbox.
        Ok(without_tokens(&note).into_owned())
    })
}

fn expect_target(target: &Target, session: Option<&str>) -> Result<()> {
    match target {
        Target::Secret(name) => expect_secret_name(name, "/target/secret"),
        Target::Env(name) if !is_name(name, |_| false) => {
            let detail = "Use at most 100 ASCII letters, digits, and underscores, not starting with a digit.";
            Err(invalid("/target/env", WRONG_FORMAT, detail))
        }
        Target::Env(name) if is_reserved(name) => {
            Err(invalid("/target/env", fault::RESERVED_NAME, fault::RESERVED_NAME.doc()))
        }
        Target::Env(_) if session.is_none() => Err(invalid("/target/env", fault::NO_SESSION, fault::NO_SESSION.doc())),
        Target::Env(_) => Ok(()),
    }
}

/// Rejects invalid names of secrets.
pub(crate) fn expect_secret_name(name: &str, pointer: &str) -> Result<()> {
    if is_name(name, |sign| matches!(sign, b'.' | b'-')) {
        return Ok(());
    }
    let detail =
        "Use at most 100 ASCII letters, digits, underscores, dots, and hyphens, starting with a letter or underscore.";
    Err(invalid(pointer, WRONG_FORMAT, detail))
}

fn is_name(name: &str, also: impl Fn(u8) -> bool) -> bool {
    let is_sign = |sign: u8| sign.is_ascii_alphanumeric() || sign == b'_' || also(sign);
    (1..=100).contains(&name.len())
        && name.bytes().all(is_sign)
        && name.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
}

/// Environment variables that sessions can't request: their values would be run, or decide which programs run or where
/// they connect. For all others, the user sees the name.
const RESERVED: &[&str] = &[
    "BASH_ENV",
    "CDPATH",
    "ENV",
    "HOME",
    "IFS",
    "LANG",
    "LOGNAME",
    "NODE_EXTRA_CA_CERTS",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PATH",
    "PATHEXT",
    "PERL5LIB",
    "PERL5OPT",
    "PROMPT_COMMAND",
    "PS4",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYLIB",
    "RUBYOPT",
    "SHELL",
    "SHELLOPTS",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "USER",
    "USERNAME",
    "USERPROFILE",
    "APPDATA",
    "COMSPEC",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TZ",
    "JAVA_TOOL_OPTIONS",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "BROWSER",
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTDOC",
    "RUSTFLAGS",
    "ZDOTDIR",
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "PIP_CONFIG_FILE",
    "GOPROXY",
    "GOPRIVATE",
    "GONOSUMDB",
    "GONOSUMCHECK",
    "GONOPROXY",
    "GOINSECURE",
    "GOSUMDB",
    "GOFLAGS",
    "GOENV",
    "GOPATH",
    "GOROOT",
    "GOBIN",
    "GEM_HOME",
    "GEM_PATH",
    "CLASSPATH",
    "JAVA_HOME",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "CURL_HOME",
    "WGETRC",
    "NETRC",
    "KUBECONFIG",
    "DOCKER_HOST",
    "DOCKER_CONFIG",
    "CONTAINER_HOST",
    "PGHOST",
    "PGHOSTADDR",
    "PGSERVICEFILE",
    "PGSYSCONFDIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "OPENSSL_CONF",
    "OPENSSL_MODULES",
    "OPENSSL_ENGINES",
    "HOSTALIASES",
    "LOCALDOMAIN",
    "RES_OPTIONS",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "CC",
    "CXX",
    "MAKEFLAGS",
    "GCONV_PATH",
    "LOCPATH",
    "NLSPATH",
    "TERMINFO",
    "GIT",
];
/// The same, by the start or end of the name.
const RESERVED_BEGIN: &[&str] = &[
    "APP_",
    "PILOTHOUSE_",
    "LD_",
    "DYLD_",
    "GIT_",
    "XDG_",
    "LC_",
    "BASH_FUNC_",
    "NPM_CONFIG_",
    "PNPM_",
    "YARN_",
    "BUN_",
    "DENO_",
    "PIP_",
    "UV_",
    "POETRY_",
    "CARGO_",
    "RUSTUP_",
    "BUNDLE_",
    "COMPOSER_",
    "CONDA_",
    "MAVEN_",
    "GRADLE_",
    "NIX_",
    "HOMEBREW_",
    "CLOUDSDK_",
];
const RESERVED_END: &[&str] = &[
    "_PROXY",
    "_URL",
    "_URI",
    "_API_BASE",
    "_BASE",
    "_HOST",
    "_ENDPOINT",
    "_SERVER",
    "_REGISTRY",
    "_MIRROR",
    "_CONFIG_DIR",
    "_CONFIG_FILE",
    "_CONFIG",
    "_HOME",
    "_PATH",
    "_PRELOAD",
    "_CA_BUNDLE",
    "_SOCK",
    "_SOCKET",
    "_OPTS",
    "_OPTIONS",
    "_WRAPPER",
];

fn is_reserved(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    RESERVED.contains(&&*name)
        || RESERVED_BEGIN.iter().any(|begin| name.starts_with(begin))
        || RESERVED_END.iter().any(|end| name.ends_with(end))
}

/// A request, and how long to wait for a decision.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Await {
    ask_id: String,
    /// Seconds, up to 50. Default: 0, which answers at once.
    #[schemars(range(min = 0, max = WAIT_MAX_S))]
    wait: Option<u64>,
}

async fn input_status(ctx: Ctx, call: Call, input: Await) -> Result<Told> {
    status(ctx, call.caller, AskKind::Input, input).await
}

async fn key_status(ctx: Ctx, call: Call, input: Await) -> Result<Told> {
    status(ctx, call.caller, AskKind::Key, input).await
}

async fn status(ctx: Ctx, caller: Caller, kind: AskKind, input: Await) -> Result<Told> {
    let wait = input.wait.unwrap_or_default();
    if wait > WAIT_MAX_S {
        return Err(invalid("/wait", OUT_OF_RANGE, format!("Enter 0 to {WAIT_MAX_S} seconds.")));
    }
    let keeper = ctx.service::<Keeper>();
    let mut decided = keeper.decided();
    let ends = tokio::time::sleep(Duration::from_secs(wait));
    tokio::pin!(ends);
    loop {
        let status = standing(&ctx, &caller, kind, &input.ask_id).await?.status;
        if status != Status::Waiting || wait == 0 || keeper.is_closing() {
            return Ok(Told { status });
        }
        tokio::select! {
            () = &mut ends => return Ok(Told { status }),
            _ = decided.changed() => {}
        }
    }
}

/// A request, if the caller may see it: a session sees its own.
async fn standing(ctx: &Ctx, caller: &Caller, kind: AskKind, id: &str) -> Result<AskRecord> {
    let (account, id) = (caller.account.clone(), id.to_owned());
    let ask = ctx.db().read(move |tx| one(tx, &account, kind, &id)).await?;
    let is_foreign = caller.kind == Kind::Agent && ask.session_id.as_deref() != caller.session.as_deref();
    if is_foreign { Err(kit::not_found()) } else { Ok(ask) }
}
