-- Files that cells of file columns hold: which bytes an attachment's id stands for, and where it belongs. The bytes lie in the
-- data directory, by their SHA-256.
CREATE TABLE board_files (
  account_id TEXT NOT NULL,
  file_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  column_id TEXT NOT NULL,
  name TEXT NOT NULL,
  media TEXT NOT NULL,
  size_bytes BIGINT NOT NULL,
  sha256 TEXT NOT NULL,
  added_ms BIGINT NOT NULL,
  -- Since when no cell names it, here or put away; 0 while one does.
  let_go_ms BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, file_id)
);
CREATE INDEX board_files_by_hash ON board_files (account_id, sha256);
CREATE INDEX board_files_by_board ON board_files (account_id, board_id, file_id);
-- Bytes in the data directory that no attachment stands for, and since when.
CREATE TABLE files_unnamed (
  account_id TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  since_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, sha256)
);
