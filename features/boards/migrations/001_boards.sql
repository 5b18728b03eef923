-- Boards. A board in the state 'importing' or 'deleting' is shown nowhere and is removed at the next start.
CREATE TABLE boards (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  state TEXT NOT NULL,
  revision BIGINT NOT NULL,
  item_count BIGINT NOT NULL,
  next_column BIGINT NOT NULL,
  next_group BIGINT NOT NULL,
  last_position BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  updated_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, board_id)
);
CREATE INDEX boards_by_workspace ON boards (account_id, workspace_id, board_id);
CREATE TABLE board_groups (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  position BIGINT NOT NULL,
  name TEXT NOT NULL,
  color TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, group_id)
);
CREATE TABLE board_columns (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  column_id TEXT NOT NULL,
  position BIGINT NOT NULL,
  title TEXT NOT NULL,
  type TEXT NOT NULL,
  settings_json TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, column_id)
);
-- One row an item, its cells as one compact JSON object {"c1": value}; an empty cell has no member.
CREATE TABLE items (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  position BIGINT NOT NULL,
  name TEXT NOT NULL,
  cells_json TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  updated_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, board_id, item_id)
);
CREATE INDEX items_by_position ON items (account_id, board_id, position, item_id);
