-- What was archived or deleted and can be brought back. An item, a group or a column stands here instead of in its own table,
-- so that nothing that reads a board has to leave it out.
CREATE TABLE board_kept (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  thing_id TEXT NOT NULL,
  -- 'trash' is emptied after a while, 'archive' never by itself.
  state TEXT NOT NULL,
  name TEXT NOT NULL,
  -- The name in small letters, to be searched.
  name_lower TEXT NOT NULL,
  -- What it left along with and comes back with, such as 'group/g2'; empty where it left by itself.
  with_thing TEXT NOT NULL,
  group_id TEXT NOT NULL,
  position BIGINT NOT NULL,
  record_json TEXT NOT NULL,
  kept_ms BIGINT NOT NULL,
  actor TEXT NOT NULL,
  session_id TEXT,
  PRIMARY KEY (account_id, board_id, kind, thing_id)
);
CREATE INDEX board_kept_by_time ON board_kept (account_id, board_id, state, with_thing, kept_ms, kind, thing_id);
CREATE INDEX board_kept_along ON board_kept (account_id, board_id, with_thing, kind, thing_id);
CREATE INDEX board_kept_due ON board_kept (state, with_thing, kept_ms);
-- Cells of a deleted column, until it comes back or goes for good.
CREATE TABLE column_cells_kept (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  column_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  value_json TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, column_id, item_id)
);
-- When a board in the state 'trash' or 'archive' came into it.
ALTER TABLE boards ADD COLUMN kept_ms BIGINT NOT NULL DEFAULT 0;
