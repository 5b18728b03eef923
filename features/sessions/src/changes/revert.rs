//! Undoing parts of a session's work, and undoing that.

use super::{Review, compare};
use ::git::Failed;
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// The version of a patch: the same as long as file and base are.
pub(super) fn version(patch: &str) -> String {
    kit::ids::hex(&Sha256::digest(patch.as_bytes())[..16])
}

/// Why a part of a file was not reverted.
pub(super) enum Refused {
    /// The file or its base changed since the caller read it.
    Changed,
    /// There is no such part.
    Missing,
    /// Only the whole file can be staged.
    Whole,
    Git(Failed),
}

impl From<Failed> for Refused {
    fn from(why: Failed) -> Self {
        Refused::Git(why)
    }
}

/// What to revert, stage, or unstage: a file, or one hunk of it.
pub(super) struct Part<'a> {
    pub(super) path: &'a str,
    pub(super) old_path: Option<&'a str>,
    pub(super) hunk: Option<usize>,
    /// The version to which it applies, if only to one.
    pub(super) version: Option<&'a str>,
}

/// Reverts a part of a file. Returns the id under which it can be applied again.
pub(super) async fn revert(review: &Review, part: &Part<'_>) -> Result<String, Refused> {
    let (git, private) = (&review.git, &review.private);
    let shown = compare::patch(git, &review.base, part.path, part.old_path, private).await?;
    if part.version.is_some_and(|wanted| wanted != version(&shown)) {
        return Err(Refused::Changed);
    }
    if shown.is_empty() {
        return Err(Refused::Missing);
    }
    let id = kit::ids::short_id();
    let stored = stored(review, &id);
    let unstored = |why: std::io::Error| Failed(format!("Couldn't store the reverted part: {why}."));
    compare::patch_to(git, &review.base, (part.path, part.old_path), &stored).await?;
    if let Some(number) = part.hunk {
        let whole = tokio::fs::read(&stored).await.map_err(unstored)?;
        let Some(one) = compare::hunk(&whole, number) else {
            let _ = tokio::fs::remove_file(&stored).await;
            return Err(Refused::Missing);
        };
        tokio::fs::write(&stored, one).await.map_err(unstored)?;
    }
    let applied = git.run(&["apply", "--reverse", "--whitespace=nowarn", "--", &stored.to_string_lossy()]).await;
    if let Err(why) = applied {
        let _ = tokio::fs::remove_file(&stored).await;
        return Err(why.into());
    }
    Ok(id)
}

/// Applies a reverted part again.
pub(super) async fn restore(review: &Review, id: &str) -> Result<(), Refused> {
    let stored = stored(review, id);
    if !id.bytes().all(|byte| byte.is_ascii_alphanumeric()) || !tokio::fs::try_exists(&stored).await.unwrap_or(false) {
        return Err(Refused::Missing);
    }
    review.git.run(&["apply", "--whitespace=nowarn", "--", &stored.to_string_lossy()]).await?;
    let _ = tokio::fs::remove_file(&stored).await;
    Ok(())
}

/// Each session has its own names, so that one can't apply another's.
fn stored(review: &Review, id: &str) -> PathBuf {
    let folder = version(&review.git.folder().to_string_lossy());
    review.private.join(format!("{folder}-{id}.patch"))
}
