//! Decides about each row in the transaction that posts it, and withdraws what is settled.

use crate::{history, situation, store_rows};
use inbox_rows::{FollowRows, NewRow, Severity};
use kit::{Ctx, InboxKind, Result, Urgency};
use notify::{Decision, Row, Subject, decide};
use store::Tx;

/// Follows the rows of every account.
pub(crate) struct Follower;

/// What a decision needs to know of a row.
pub(crate) fn facts(ctx: &Ctx, account: &str, kind: &InboxKind, severity: Severity) -> Row {
    Row {
        need: kind.need,
        is_critical: severity == Severity::Critical,
        of_board: kind.urgency == Urgency::OfBoard,
        is_overdue: kind.urgency == Urgency::Always,
        is_hidden: inbox_rows::is_hidden(ctx, account, kind),
    }
}

impl FollowRows for Follower {
    fn posted(&self, tx: &mut Tx<'_>, ctx: &Ctx, account: &str, row_id: &str, row: &NewRow<'_>) -> Result<()> {
        let subject = Subject::Row(facts(ctx, account, row.kind, row.severity));
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
