-- Boards that are still to count again what they link to: ids of items that one revision of another board (or of the same)
-- saw leave or come back.
CREATE TABLE board_counts_left (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  of_board TEXT NOT NULL,
  of_revision BIGINT NOT NULL,
  ids_json TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, of_board, of_revision)
);
