//! Accounts, their workspaces and members, and every token that the guard knows.
//!
//! Invariants: one account and one workspace exist from the first start; a token is shown once, when it is made, and kept
//! only as its SHA-256; the command-line token lives in its file alone. Another account's things answer as if they did
//! not exist, because every statement is bound to the caller's account.
//! Deliberately not here: passwords, cookies, accounts in a cloud.

mod backup;
mod changes;
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
        migrations: &[
            Migration { number: 1, sql: include_str!("../migrations/001_accounts.sql") },
            Migration { number: 2, sql: include_str!("../migrations/002_first_account.sql") },
            Migration { number: 3, sql: include_str!("../migrations/003_you.sql") },
        ],
        errors: &[errors::CODES],
        faults: &[fault::FAULTS],
        ops: [directory::ops(), tokens::ops(), login::ops(), backup::ops()].concat(),
        groups: &[
            ("account", "Your account, and others on this installation"),
            ("workspaces", "Workspaces of boards and dashboards"),
            ("members", "People in your directory"),
            ("changes", "Change log"),
            ("tokens", "Tokens of agents and scripts"),
            ("login", "Sign-in codes"),
        ],
        start: |ctx| Box::pin(start(ctx)),
        ..Feature::named("accounts")
    }
}

/// Errors of this feature.
pub mod errors {
    kit::error_codes! {
        BAD_LOGIN_CODE = 401 "bad-login-code" "Sign-in link expired" : "A sign-in link works once, within 60 seconds. Get another with `pilothouse open`.";
        TOKEN_FILE = 500 "token-file" "Unsafe command-line token file" : "The file `cli-token` isn't a plain file of this user with mode 0600, or others can write in its folder, so others may have read it. Run `chmod 600` and `pilothouse tokens rotate`, or delete the file; the next start makes a new one.";
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
