//! Accounts, their workspaces and members, and every token that the guard knows.
//!
//! Invariants: one account and one workspace exist from the first start; a token is shown once, when it is made, and kept
//! only as its SHA-256; the command-line token lives in its file alone. Another account's things answer as if they did
//! not exist, because every statement is bound to the caller's account.
//! Deliberately not here: passwords, cookies, accounts in a cloud.

mod directory;
mod fault;
mod login;
mod revoked;
mod token_file;
mod tokens;

pub use directory::first_account;
pub use login::{LoginCodes, PrivatePage};
pub use token_file::{TokenFile, own_folder};
pub use tokens::Tokens;

use kit::{Ctx, DataDir, Feature, Migration, Result};
use std::sync::Arc;
use store::HasDb;

/// This feature.
pub fn feature() -> Feature {
    Feature {
        name: "accounts",
        settings: Vec::new(),
        awaiting: Vec::new(),
        migrations: &[
            Migration { number: 1, sql: include_str!("../migrations/001_accounts.sql") },
            Migration { number: 2, sql: include_str!("../migrations/002_first_account.sql") },
        ],
        errors: errors::CODES,
        faults: fault::FAULTS,
        ops: [directory::ops(), tokens::ops(), login::ops()].concat(),
        groups: &[
            ("account", "Your account, and further accounts of this installation"),
            ("workspaces", "Workspaces, in which boards and dashboards stand"),
            ("members", "The people whom items can be given to"),
            ("changes", "The record of who changed what"),
            ("tokens", "Tokens for agents and scripts, each with what it may do"),
            ("login", "Addresses and codes that sign a browser in"),
        ],
        start: |ctx| Box::pin(start(ctx)),
        background_tasks: Vec::new(),
        stop: kit::NOTHING_TO_END,
    }
}

/// Errors of this feature.
pub mod errors {
    kit::error_codes! {
        BAD_LOGIN_CODE = 401 "bad-login-code" "The login address is used up" : "A login address works once, for 60 seconds. Get a fresh one with `pilothouse open`.";
        TOKEN_FILE = 500 "token-file" "The command-line token's file is not safe" : "The file `cli-token` is not a plain file of this user with mode 0600, so others may have read it: give it that mode and exchange the token with `pilothouse tokens rotate`, or delete the file; the next start makes a new one. Or its folder belongs to another user or is one that others can write in: choose a data directory of your own.";
    }
}

async fn start(ctx: Ctx) -> Result<()> {
    let db = ctx.db();
    let account = directory::ensure_first_account(&db, ctx.now_ms()).await?;
    // Tests of other features run without a data directory; then there is no command-line token.
    let cli = match ctx.find_service::<DataDir>() {
        Some(dir) => {
            token_file::own_folder(&dir.0)?;
            tokens::finish_rotations(&db, &account, &dir.0).await?;
            Some(TokenFile::open_or_create(&dir.0)?)
        }
        None => None,
    };
    let tokens = Arc::new(tokens::Tokens::load(&ctx, &account, cli).await?);
    ctx.provide(tokens.clone());
    ctx.provide(Arc::new(kit::lookup::SessionTokens(Arc::new(tokens::Giver(tokens)))));
    ctx.provide(Arc::new(kit::lookup::FirstAccount(account.into())));
    ctx.provide(Arc::new(LoginCodes::default()));
    ctx.provide(Arc::new(kit::lookup::Workspaces(Box::new(directory::Workspaces(db.clone())))));
    ctx.provide(Arc::new(kit::lookup::Members(Box::new(directory::Members(db)))));
    Ok(())
}

#[cfg(test)]
mod tests;
