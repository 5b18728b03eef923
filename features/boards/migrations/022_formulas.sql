-- Boards whose formulas are computed again: items up to after_item are done.
CREATE TABLE board_formulas_left (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  after_item TEXT NOT NULL,
  done BIGINT NOT NULL,
  PRIMARY KEY (account_id, board_id)
);
