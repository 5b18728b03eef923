-- Steps lie in the order of their key instead of beside an index of it: each revision of a board writes a page less.
CREATE TABLE board_steps_by_key (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  revision BIGINT NOT NULL,
  first_change TEXT NOT NULL,
  last_change TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, revision)
) /* sqlite: WITHOUT ROWID */;
INSERT INTO board_steps_by_key (account_id, board_id, revision, first_change, last_change)
SELECT account_id, board_id, revision, first_change, last_change FROM board_steps;
DROP TABLE board_steps;
ALTER TABLE board_steps_by_key RENAME TO board_steps;
