-- What was sent under an id and what was answered: another change under it is refused, and the same one answered as before.
-- What was kept before says neither.
DROP TABLE board_sent_steps;
CREATE TABLE board_sent_steps (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  step_id TEXT NOT NULL,
  revision BIGINT NOT NULL,
  digest TEXT NOT NULL,
  answer_json TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, step_id)
) /* sqlite: WITHOUT ROWID */;
