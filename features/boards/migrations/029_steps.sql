-- What one revision of a board recorded: the first and the last of its changes, so that it can be taken back as one step.
CREATE TABLE board_steps (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  revision BIGINT NOT NULL,
  first_change TEXT NOT NULL,
  last_change TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, revision)
);
