//! Pull requests, as `gh` reports them.

use crate::repositories::Repository;
use crate::service::Work;
use git::Failed;
use serde::Deserialize;
use std::collections::HashMap;
use std::time::Duration;

/// How long `gh` may take: less than a list waits.
pub(crate) const GH_WITHIN: Duration = Duration::from_secs(15);
/// Maximum pull requests that are read: the newest.
const PULLS_MAX: &str = "1000";
/// Maximum characters of a message of `gh` that are shown.
const SAID_CHARS: usize = 200;

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pull {
    pub(crate) number: u64,
    pub(crate) url: String,
    /// `OPEN`, `CLOSED`, or `MERGED`.
    pub(crate) state: String,
    head_ref_name: String,
    pub(crate) head_ref_oid: String,
    #[serde(default)]
    is_cross_repository: bool,
}

/// What a repository's host answered.
#[derive(Debug)]
pub(crate) enum Host {
    /// The pull request of each branch that has one: an open one, else the newest.
    Answered(HashMap<String, Pull>),
    /// It's unknown, for this reason.
    Silent(String),
}

/// Asks the repository's host for pull requests.
pub(crate) async fn ask(work: &Work, repository: &Repository) -> Host {
    match repository.git.run(&["remote"]).await {
        Ok(remotes) if remotes.trim().is_empty() => return Host::Silent("The repository has no remote.".into()),
        Ok(_) => {}
        Err(Failed(why)) => return Host::Silent(why),
    }
    let Some(gh) = engines::probe::find("gh", &work.machine) else {
        return Host::Silent("To see pull requests, install the GitHub CLI: https://cli.github.com.".into());
    };
    let fields = "number,url,state,headRefName,headRefOid,isCrossRepository";
    let args = ["pr", "list", "--state", "all", "--limit", PULLS_MAX, "--json", fields];
    // Its own git commands may use the network.
    let git = match git::Git::open(&work.machine, repository.git.folder(), work.sleep.clone()).await {
        Ok(git) => git,
        Err(Failed(why)) => return Host::Silent(why),
    };
    let said = tokio::select! {
        said = git.run_other(&gh, &work.machine, &args) => said,
        () = work.sleep.sleep(GH_WITHIN) => {
            Err(Failed(format!("no answer within {} seconds", GH_WITHIN.as_secs())))
        }
    };
    match said {
        Ok(said) => match serde_json::from_str::<Vec<Pull>>(&said) {
            Ok(pulls) => Host::Answered(by_branch(pulls)),
            Err(_) => Host::Silent("gh reported something that isn't understood. Update it.".into()),
        },
        Err(Failed(why)) => {
            let why: String = why.lines().next().unwrap_or_default().trim().chars().take(SAID_CHARS).collect();
            Host::Silent(format!("gh couldn't list pull requests: {why}"))
        }
    }
}

fn by_branch(pulls: Vec<Pull>) -> HashMap<String, Pull> {
    let mut all: HashMap<String, Pull> = HashMap::new();
    for pull in pulls.into_iter().filter(|pull| !pull.is_cross_repository) {
        let rank = |pull: &Pull| (pull.state == "OPEN", pull.number);
        match all.get(&pull.head_ref_name) {
            Some(known) if rank(known) >= rank(&pull) => {}
            _ => drop(all.insert(pull.head_ref_name.clone(), pull)),
        }
    }
    all
}
