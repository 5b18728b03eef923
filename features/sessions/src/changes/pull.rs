//! The pull request of a session's branch, as `gh` reports it.

use super::Review;
use crate::ops::SessionId;
use crate::service::Sessions;
use ::git::{Failed, Git};
use engines::port::Machine;
use kit::{Call, Ctx, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Maximum checks and comments of a pull request; more are left out.
const LIST_MAX: usize = 200;
/// Maximum characters of a comment; longer ones are truncated.
const TEXT_CHARS_MAX: usize = 4_000;
/// Maximum characters of a log: its end.
const LOG_CHARS_MAX: usize = 20_000;

const NO_GH: &str = "To see checks and review comments here, install the GitHub CLI: https://cli.github.com.";

/// A session's pull request.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SessionPullRequest")]
#[serde(rename_all = "camelCase")]
pub(super) struct Found {
    /// Null if there's none, or if it's unknown.
    pull_request: Option<PullRequest>,
    /// Why it's unknown, with what to do; null if it's known.
    trouble: Option<String>,
}

/// A pull request.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PullRequest {
    number: u64,
    title: String,
    url: String,
    /// `open`, `merged`, or `closed`.
    state: String,
    is_draft: bool,
    /// `approved`, `changesRequested`, or `reviewRequired`; null if no review is needed.
    decision: Option<&'static str>,
    /// The first 200.
    checks: Vec<Check>,
    /// The first 200, in chronological order.
    comments: Vec<Comment>,
}

/// A check.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PullRequestCheck")]
#[serde(rename_all = "camelCase")]
struct Check {
    name: String,
    /// `passed`, `failed`, `running`, or `skipped`.
    state: &'static str,
    url: Option<String>,
    /// Whose log `sessions.changes.pullLog` returns; null if it isn't a job of GitHub Actions.
    job_id: Option<String>,
}

/// A comment.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PullRequestComment")]
struct Comment {
    author: String,
    /// Markdown; the first 4,000 characters.
    body: String,
    /// The file that it's about; null if it's about the whole.
    path: Option<String>,
    /// The line in that file, in its new version; null if that has changed since.
    line: Option<u64>,
    url: Option<String>,
    /// RFC 3339 in UTC.
    at: String,
}

/// As `gh pr view --json` writes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GhPull {
    number: u64,
    title: String,
    url: String,
    state: String,
    is_draft: bool,
    #[serde(default)]
    review_decision: String,
    #[serde(default)]
    status_check_rollup: Vec<GhCheck>,
    #[serde(default)]
    comments: Vec<GhComment>,
    #[serde(default)]
    reviews: Vec<GhComment>,
}

/// A check run, or a commit status, which has the other names.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct GhCheck {
    name: String,
    context: String,
    workflow_name: String,
    status: String,
    conclusion: String,
    state: String,
    details_url: String,
    target_url: String,
}

/// A comment or a review.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GhComment {
    author: GhAuthor,
    body: String,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    created_at: Option<String>,
    #[serde(default)]
    submitted_at: Option<String>,
}

#[derive(Deserialize)]
struct GhAuthor {
    login: String,
}

/// A comment on a line, as the API writes it.
#[derive(Deserialize)]
struct LineComment {
    user: GhAuthor,
    body: String,
    path: String,
    line: Option<u64>,
    html_url: String,
    created_at: String,
}

impl From<GhCheck> for Check {
    fn from(check: GhCheck) -> Check {
        let conclusion = if check.conclusion.is_empty() { &check.state } else { &check.conclusion };
        let state = match &**conclusion {
            _ if !check.status.is_empty() && check.status != "COMPLETED" => "running",
            "SUCCESS" => "passed",
            "NEUTRAL" | "SKIPPED" => "skipped",
            "" | "PENDING" | "EXPECTED" => "running",
            _ => "failed",
        };
        let name = if check.name.is_empty() { check.context } else { check.name };
        let name = if check.workflow_name.is_empty() { name } else { format!("{} / {name}", check.workflow_name) };
        let url = Some(if check.details_url.is_empty() { check.target_url } else { check.details_url });
        let url = url.filter(|url| url.starts_with("https://"));
        // https://HOST/OWNER/REPOSITORY/actions/runs/RUN/job/JOB
        let job = url.as_deref().filter(|url| url.contains("/actions/runs/")).and_then(|url| url.rsplit_once("/job/"));
        let job_id = job.map(|(_, id)| id.to_owned()).filter(|id| is_job(id));
        Check { name: cut(&name), state, url, job_id }
    }
}

fn is_job(id: &str) -> bool {
    !id.is_empty() && id.len() <= 20 && id.bytes().all(|byte| byte.is_ascii_digit())
}

fn cut(text: &str) -> String {
    text.chars().take(TEXT_CHARS_MAX).collect()
}

impl From<GhComment> for Comment {
    fn from(comment: GhComment) -> Comment {
        let at = comment.created_at.or(comment.submitted_at).unwrap_or_default();
        let url = comment.url.filter(|url| url.starts_with("https://"));
        Comment { author: cut(&comment.author.login), body: cut(&comment.body), path: None, line: None, url, at }
    }
}

impl From<LineComment> for Comment {
    fn from(comment: LineComment) -> Comment {
        let url = Some(comment.html_url).filter(|url| url.starts_with("https://"));
        let (author, body, path) = (cut(&comment.user.login), cut(&comment.body), Some(cut(&comment.path)));
        Comment { author, body, path, line: comment.line, url, at: comment.created_at }
    }
}

/// The pull request of a branch, with its checks and comments; none if it has none.
async fn read(
    git: &Git,
    gh: &Path,
    machine: &Machine,
    branch: &str,
) -> std::result::Result<Option<PullRequest>, Failed> {
    const FIELDS: &str = "number,title,url,state,isDraft,reviewDecision,statusCheckRollup,comments,reviews";
    let said = match git.run_other(gh, machine, &["pr", "view", branch, "--json", FIELDS]).await {
        Ok(said) => said,
        Err(Failed(why)) if why.contains("no pull requests found") => return Ok(None),
        Err(why) => return Err(why),
    };
    let unread = |why: serde_json::Error| Failed(format!("Couldn't read what gh returned: {why}."));
    let pull: GhPull = serde_json::from_str(&said).map_err(unread)?;
    let lines = format!("repos/{{owner}}/{{repo}}/pulls/{}/comments?per_page=100", pull.number);
    let said = git.run_other(gh, machine, &["api", &lines]).await?;
    let lines: Vec<LineComment> = serde_json::from_str(&said).map_err(unread)?;
    let others = pull.comments.into_iter().chain(pull.reviews).map(Comment::from);
    let mut comments: Vec<Comment> = others.chain(lines.into_iter().map(Comment::from)).collect();
    comments.retain(|comment| !comment.body.trim().is_empty());
    comments.sort_by(|a, b| a.at.cmp(&b.at));
    comments.truncate(LIST_MAX);
    Ok(Some(PullRequest {
        number: pull.number,
        title: cut(&pull.title),
        url: pull.url,
        state: pull.state.to_lowercase(),
        is_draft: pull.is_draft,
        decision: match &*pull.review_decision {
            "APPROVED" => Some("approved"),
            "CHANGES_REQUESTED" => Some("changesRequested"),
            "REVIEW_REQUIRED" => Some("reviewRequired"),
            _ => None,
        },
        checks: pull.status_check_rollup.into_iter().take(LIST_MAX).map(Check::from).collect(),
        comments,
    }))
}

pub(super) async fn get(ctx: Ctx, call: Call, input: SessionId) -> Result<Found> {
    let sessions = ctx.service::<Sessions>();
    let review = sessions.review(call.account(), &input.session_id).await?;
    let trouble = |why: &str| Ok(Found { pull_request: None, trouble: Some(why.to_owned()) });
    let Some(branch) = &review.branch else { return trouble("The folder isn't on a branch.") };
    let machine = &sessions.common.host.machine;
    let Some(gh) = engines::probe::find("gh", machine) else {
        return trouble(NO_GH);
    };
    match read(&review.git, &gh, machine, branch).await {
        Ok(pull_request) => Ok(Found { pull_request, trouble: None }),
        Err(Failed(why)) => trouble(&format!("gh couldn't read the pull request: {why}")),
    }
}

/// A check's job.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Job {
    session_id: String,
    /// The check's `jobId`, as in `sessions.changes.pull`.
    #[schemars(length(min = 1, max = 20), regex(pattern = "^[0-9]+$"))]
    job_id: String,
}

/// The log of a failed check.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Log {
    /// Its failed steps; the last 20,000 characters. Null if it can't be read.
    text: Option<String>,
    /// Why it can't be read; null if it can.
    trouble: Option<String>,
}

pub(super) async fn log(ctx: Ctx, call: Call, input: Job) -> Result<Log> {
    if !is_job(&input.job_id) {
        return Err(kit::invalid("/jobId", crate::fault::OUT_OF_RANGE, "Send the `jobId` of a check."));
    }
    let sessions = ctx.service::<Sessions>();
    let Review { git, .. } = sessions.review(call.account(), &input.session_id).await?;
    let machine = &sessions.common.host.machine;
    let Some(gh) = engines::probe::find("gh", machine) else {
        return Ok(Log { text: None, trouble: Some(NO_GH.to_owned()) });
    };
    match git.run_other(&gh, machine, &["run", "view", "--job", &input.job_id, "--log-failed"]).await {
        Ok(text) => {
            let skip = text.chars().count().saturating_sub(LOG_CHARS_MAX);
            Ok(Log { text: Some(text.chars().skip(skip).collect()), trouble: None })
        }
        Err(Failed(why)) => Ok(Log { text: None, trouble: Some(why) }),
    }
}
