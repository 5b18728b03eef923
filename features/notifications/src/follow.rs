//! Decides about each row in the transaction that posts it, and withdraws what is settled.

use crate::situation;
use crate::{history, store_rows};
use inbox_rows::{FollowRows, NewRow};
use kit::{Ctx, Result};
use notify::{Decision, decide};
use store::Tx;

/// Follows the rows of every account.
pub(crate) struct Follower;

impl FollowRows for Follower {
    fn posted(&self, tx: &mut Tx<'_>, ctx: &Ctx, account: &str, row_id: &str, row: &NewRow<'_>) -> Result<()> {
        if row.is_silent {
            return store_rows::remove(tx, ctx, account, row_id);
        }
        let subject = situation::subject(ctx, account, row.kind, row.severity);
        let verdict = decide(&subject, &situation::read(tx, ctx, account)?);
        let entry = history::Entry { row_id, kind: row.kind.name, session_id: row.session_id };
        history::write(tx, ctx, account, &entry, verdict)?;
        match verdict.0 {
            Decision::Drop => store_rows::remove(tx, ctx, account, row_id),
            decision => store_rows::write(tx, ctx, account, row_id, decision),
        }
    }

    fn settled(&self, tx: &mut Tx<'_>, ctx: &Ctx, account: &str, row_id: &str) -> Result<()> {
        store_rows::remove(tx, ctx, account, row_id)
    }

    fn snoozed(&self, tx: &mut Tx<'_>, ctx: &Ctx, account: &str, row_id: &str) -> Result<()> {
        store_rows::remove(tx, ctx, account, row_id)
    }
}
