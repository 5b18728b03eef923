//! How a feature asks whether a thing of another feature exists, without knowing that feature.

use crate::error::{Result, unknown};
use crate::fault::UNKNOWN_WORKSPACE;
use futures_core::future::BoxFuture;
use std::collections::HashMap;

/// Tells which identifiers the account does not have.
pub trait Lookup: Send + Sync {
    /// Of `ids`, those that are not the account's, in the order given.
    fn missing(&self, account: &str, ids: Vec<String>) -> BoxFuture<'static, Result<Vec<String>>>;
}

/// The account that was made first: installation-wide settings are its. Provided by accounts.
pub struct FirstAccount(pub std::sync::Arc<str>);
/// Workspaces, provided by accounts.
pub struct Workspaces(pub Box<dyn Lookup>);

impl Workspaces {
    /// Refuses a workspace that is not one of the account's, as named by the member `workspaceId`.
    pub async fn expect(&self, account: &str, workspace_id: &str) -> Result<()> {
        let missing = self.0.missing(account, vec![workspace_id.to_owned()]).await?;
        if missing.is_empty() { Ok(()) } else { Err(unknown(UNKNOWN_WORKSPACE, "/workspaceId")) }
    }
}

/// Boards, provided by boards.
pub struct Boards(pub Box<dyn Lookup>);
/// Members of the account with their names, provided by accounts.
pub struct Members(pub Box<dyn MemberDirectory>);

/// Who holds a token, as far as people know it by that.
#[derive(Debug, Clone, Default)]
pub struct Holder {
    /// What the token is called.
    pub name: String,
    /// The member that it speaks for.
    pub member: Option<String>,
}

/// Reads the member directory. As a [`Lookup`], tells which identifiers are not members of the account.
pub trait MemberDirectory: Lookup {
    /// Every member of the account as (id, name, e-mail).
    fn all(&self, account: &str) -> BoxFuture<'static, Result<Vec<(String, String, String)>>>;
    /// Every member of the account with the name of its time zone, empty where none was set.
    fn zones(&self, account: &str) -> BoxFuture<'static, Result<Vec<(String, String)>>>;
    /// The tokens of the account that are in force, of sessions and members, by their ids; none where a directory has none.
    fn holders(&self, _account: &str) -> BoxFuture<'static, Result<HashMap<String, Holder>>> {
        Box::pin(async { Ok(HashMap::new()) })
    }
}
