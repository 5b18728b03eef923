-- Steps that callers sent under an id of their own: one that is sent again, as its answer was lost, is answered as before.
CREATE TABLE board_sent_steps (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  step_id TEXT NOT NULL,
  revision BIGINT NOT NULL,
  PRIMARY KEY (account_id, board_id, step_id)
) /* sqlite: WITHOUT ROWID */;
