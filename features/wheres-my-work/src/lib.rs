//! Where's my work: the local branches of all known repositories, sorted by what became of them; and merging the ready
//! branches of sessions.
//!
//! Invariants: looking changes no repository, runs no program of its choice, and reaches the network only through `gh`; a
//! branch is deleted only if its work is in the base and it's checked out nowhere, and can be restored; one branch is
//! merged at a time.
//! Deliberately not here: which session is ready and the merge itself, which `kit::lookup::SessionBranches` does.

mod branches;
mod landed;
mod merge_ops;
mod merges;
mod ops;
mod repositories;
mod reviews;
mod scan;
mod service;
mod settings;
mod sort;

use kit::Feature;
use std::sync::Arc;

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        errors: &[errors::CODES],
        faults: &[fault::FAULTS],
        ops: [ops::ops(), merge_ops::ops()].concat(),
        groups: &[
            ("work", "Local branches of all repositories, grouped by status"),
            ("work merges", "Merge all ready branches of sessions"),
        ],
        start: |ctx| {
            ctx.provide(Arc::new(service::Work::new(&ctx)));
            let merges = Arc::new(merges::Merges::default());
            ctx.provide(merges.clone());
            ctx.provide(Arc::new(kit::lookup::MergingAll(Box::new(move || merges.running()))));
            Box::pin(std::future::ready(Ok(())))
        },
        stop: |ctx| {
            ctx.service::<merges::Merges>().cancel_all();
            Box::pin(std::future::ready(()))
        },
        ..Feature::named("wheres-my-work")
    }
}

/// Errors of this feature.
pub mod errors {
    kit::error_codes! {
        WORK_DISABLED = 403 "work-disabled" "Where's my work is off" : "The setting wheresMyWorkEnabled is off. Turn it on to see your branches.";
        BRANCH_NOT_LANDED = 409 "branch-not-landed" "Branch can't be deleted" : "Only a branch whose work is in its base, and that is checked out nowhere, can be deleted. Reload the list.";
        BRANCH_GIT = 409 "branch-git" "Git operation failed" : "Git couldn't change the branch. The detail says why.";
        MERGE_RUNNING = 409 "merge-running" "A merge is running" : "All ready branches are being merged already. Wait until it ends, or cancel that merge.";
    }
}

/// Problems with single fields of a request.
pub(crate) mod fault {
    kit::faults! {
        UNKNOWN_COMMIT = "unknown-commit" : "The repository doesn't have this commit.";
    }
}

#[cfg(all(test, unix))]
mod tests;
