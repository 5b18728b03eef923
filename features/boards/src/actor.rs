//! Authors of recorded changes, as shown to callers.

use kit::error::Result;
use kit::lookup::{Holder, Members};
use kit::{Caller, Ctx, Kind, SessionsSeen};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use store::ChangeRow;

/// The author of a change.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "ActivityActor", rename_all = "camelCase")]
pub(crate) struct Actor {
    /// `owner`, `cli`, `agent`, or `member`.
    kind: String,
    /// Name of the member, or the kind of caller.
    name: String,
    /// The member, if made with a member's token.
    #[serde(skip_serializing_if = "Option::is_none")]
    member_id: Option<String>,
    /// The session, if made by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// Name of the token used, while it's valid; none for the app and the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

impl Actor {
    /// Leaves out sessions that the caller can't see.
    pub(crate) fn new(kind: String, session_id: Option<String>, seen: &SessionsSeen) -> Actor {
        let session_id = seen.named(session_id);
        Actor { name: name_of_kind(&kind).to_owned(), kind, session_id, member_id: None, token: None }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// In words, on one line: `Anna Berg (Nightly script)`, `Session 4f2a`.
    pub(crate) fn in_words(&self) -> String {
        let mut words = self.name.clone();
        for (before, what, after) in [(" ", &self.session_id, ""), (" (", &self.token, ")")] {
            if let Some(what) = what {
                words.extend([before, what, after]);
            }
        }
        words
    }
}

/// Names of the account's members and tokens.
pub(crate) struct Names {
    members: HashMap<String, String>,
    tokens: HashMap<String, Holder>,
    seen: SessionsSeen,
}

impl Names {
    /// Asked only where a change names one.
    pub(crate) async fn load(ctx: &Ctx, caller: &Caller, rows: &[ChangeRow]) -> Result<Names> {
        let (account, seen) = (&*caller.account, caller.sessions_seen());
        if !rows.iter().any(|row| row.member_id.is_some() || matches!(row.actor.as_str(), "member" | "agent")) {
            return Ok(Names { members: HashMap::new(), tokens: HashMap::new(), seen });
        }
        let directory = ctx.service::<Members>();
        let members = directory.0.all(account).await?.into_iter().map(|(id, name, _)| (id, name)).collect();
        Ok(Names { members, tokens: directory.0.holders(account).await?, seen })
    }

    pub(crate) fn actor(&self, row: &mut ChangeRow) -> Actor {
        let token = self.tokens.get(&row.actor_id);
        let member_id = row.member_id.take().or_else(|| token?.member.clone());
        let mut actor = Actor::new(std::mem::take(&mut row.actor), row.session_id.take(), &self.seen);
        if let Some(name) = member_id.as_ref().and_then(|id| self.members.get(id)) {
            actor.name.clone_from(name);
        }
        Actor { member_id, token: token.map(|token| token.name.clone()), ..actor }
    }
}

/// Default name of a caller kind.
pub(crate) fn name_of_kind(kind: &str) -> &'static str {
    Kind::KNOWN.into_iter().find(|known| known.name() == kind).unwrap_or(Kind::Member).title()
}
