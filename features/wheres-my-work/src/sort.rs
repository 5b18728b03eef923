//! Which group a branch belongs to, and why. Pure.

use crate::reviews::Pull;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "WorkGroup")]
#[serde(rename_all = "camelCase")]
pub(crate) enum Group {
    /// No session, no review, and not in the base.
    Stranded,
    /// A session is at work on it.
    InWork,
    /// Waiting on review.
    Review,
    /// Its pull request was closed without a merge.
    TurnedDown,
    /// Its work is in the base.
    Landed,
}

/// How a branch's work got into its base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Landed {
    No,
    /// The base has its commits.
    Merged,
    /// The base has its changes in other commits.
    Squashed,
}

/// The session on a branch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnIt<'a> {
    pub(crate) state: &'a str,
    pub(crate) is_archived: bool,
    pub(crate) is_working: bool,
    /// Whether the branch is still where the session started.
    pub(crate) is_at_start: bool,
}

/// What is known of a branch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts<'a> {
    pub(crate) commit: &'a str,
    pub(crate) base: &'a str,
    pub(crate) landed: Landed,
    pub(crate) session: Option<OnIt<'a>>,
    pub(crate) pull: Option<&'a Pull>,
    /// Whether the host answered which pull requests there are.
    pub(crate) is_host_known: bool,
    /// The upstream that has commits ahead of the base.
    pub(crate) pushed: Option<&'a str>,
}

/// The group of a branch, and the reason.
pub(crate) fn sort(facts: &Facts<'_>) -> (Group, String) {
    let Facts { base, session, pull, .. } = *facts;
    let current = session.filter(|session| !session.is_archived);
    if let Some(session) = current.filter(|session| session.is_working) {
        return (Group::InWork, format!("A session is at work on it: {}", session.state));
    }
    let is_new = current.is_some_and(|session| session.is_at_start);
    match facts.landed {
        Landed::Merged if !is_new => return (Group::Landed, format!("{base} has all its commits")),
        Landed::Squashed => return (Group::Landed, format!("{base} has its changes in other commits")),
        _ => {}
    }
    let number = pull.map_or(0, |pull| pull.number);
    match pull.map(|pull| (pull.state.as_str(), pull.head_ref_oid == facts.commit)) {
        Some(("OPEN", _)) => return (Group::Review, format!("Pull request #{number} is open")),
        Some(("MERGED", true)) => {
            return (Group::Landed, format!("Pull request #{number} was merged. Pull {base} to get it"));
        }
        Some(("CLOSED", _)) => {
            return (Group::TurnedDown, format!("Pull request #{number} was closed without a merge"));
        }
        _ => {}
    }
    if let Some(upstream) = facts.pushed.filter(|_| !facts.is_host_known) {
        return (Group::Review, format!("Pushed to {upstream}. Whether it has a pull request is unknown"));
    }
    if let Some(session) = current {
        return (Group::InWork, format!("Its session isn't archived: {}", session.state));
    }
    let review = match (pull, facts.pushed) {
        (Some(_), _) => format!("it has commits that merged pull request #{number} didn't have"),
        (None, Some(upstream)) => format!("pushed to {upstream}, but it has no pull request"),
        (None, None) => "it was never pushed for review".to_owned(),
    };
    let who = if session.is_some() { "Its session is archived" } else { "No session" };
    (Group::Stranded, format!("Not in {base}. {who}, and {review}"))
}
