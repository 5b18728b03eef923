//! Changes that are sent under an id of the caller's own, and sent again until they are answered.

use crate::behind::Behind;
use crate::board;
use crate::bulk::{CellsChanged, Change};
use crate::change::Edit;
use crate::edit::{begin, end};
use crate::errors::STEP_ID_TAKEN;
use events::HasEvents;
use kit::error::Result;
use kit::ids::hex;
use kit::{Call, Ctx};
use sha2::{Digest, Sha256};
use store::{HasDb, Row, Tx, params};

/// Runs a change of many as `edit::edit` does. One that was `sent` before is answered as it was then.
pub(crate) async fn edit_once(
    ctx: Ctx,
    call: Call,
    board_id: String,
    sent: Option<Sent>,
    run: impl FnOnce(&mut Tx<'_>, &mut Edit) -> Result<CellsChanged> + Send + 'static,
) -> Result<CellsChanged> {
    let (db, bus, now_ms) = (ctx.db(), ctx.events(), ctx.now_ms());
    let behind = Behind::new(&ctx);
    let change = move |tx: &mut Tx<'_>| {
        let board = board::load(tx, call.account(), &board_id)?;
        if let Some(sent) = &sent
            && let Some(answer) = sent.earlier(tx, call.account(), &board_id)?
        {
            return Ok(answer);
        }
        let mut edit = begin(board, call, now_ms, behind)?;
        let changed = run(tx, &mut edit)?;
        if edit.is_unchanged() {
            return Ok(CellsChanged { unchanged: true, board_revision: edit.outcome().revision, ..changed });
        }
        if let Some(sent) = sent {
            sent.keep(tx, &edit, &changed)?;
        }
        end(tx, edit, bus)?;
        Ok(changed)
    };
    db.write(change).await
}

/// A change that was sent under an id of the caller's own.
pub(crate) struct Sent {
    step_id: String,
    /// IDs of the added items if the caller assigned them. A repeated request includes them, so they aren't stored.
    added: Vec<Option<String>>,
    /// Empty new fields of later versions don't change it.
    pub(crate) digest: String,
}

impl Sent {
    pub(crate) fn from_change(change: &Change) -> Result<Option<Sent>> {
        let Some(step_id) = change.step_id.clone() else { return Ok(None) };
        let body = serde_json::to_vec(change).map_err(board::damaged)?;
        let added = change.add.iter().map(|item| item.id.clone()).collect();
        Ok(Some(Sent { step_id, added, digest: hex(&Sha256::digest(body)) }))
    }

    /// The earlier answer to the same change; fails if the ID was used for another change.
    pub(crate) fn earlier(&self, tx: &mut Tx<'_>, account: &str, board_id: &str) -> Result<Option<CellsChanged>> {
        let sql =
            "SELECT digest, answer_json FROM board_sent_steps WHERE account_id = $1 AND board_id = $2 AND step_id = $3";
        let read = |row: &dyn Row| Ok((row.get::<String>(0)?, row.get::<String>(1)?));
        match tx.query_opt(sql, params![account, board_id, &self.step_id], read)? {
            None => Ok(None),
            Some((digest, answer_json)) if digest == self.digest => {
                let mut answer: CellsChanged = serde_json::from_str(&answer_json).map_err(board::damaged)?;
                let mut ours = answer.added.into_iter();
                answer.added = self.added.iter().filter_map(|own| own.clone().or_else(|| ours.next())).collect();
                Ok(Some(answer))
            }
            Some(_) => Err(STEP_ID_TAKEN.error(format!("Another change has the stepId {}.", self.step_id))),
        }
    }

    /// Stores the answer.
    pub(crate) fn keep(&self, tx: &mut Tx<'_>, edit: &Edit, answer: &CellsChanged) -> Result<()> {
        let (account, board) = (edit.account.as_str(), &edit.board);
        let ours = self.added.iter().zip(&answer.added).filter(|(own, _)| own.is_none());
        let kept = CellsChanged { added: ours.map(|(_, id)| id.clone()).collect(), changes: None, ..*answer };
        let answer_json = serde_json::to_string(&kept).map_err(board::damaged)?;
        let sql = "INSERT INTO board_sent_steps (account_id, board_id, step_id, revision, digest, answer_json) \
             VALUES ($1, $2, $3, $4, $5, $6)";
        tx.execute(sql, params![account, &board.id, &self.step_id, board.revision, &self.digest, answer_json])?;
        Ok(())
    }
}
