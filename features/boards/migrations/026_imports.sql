-- What identifies an item in another tool's exports, and what the last import of one gave it: of a newer export, the items
-- that it changes are known by it, and what people changed since is told apart.
CREATE TABLE import_items (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  -- The tool's name, or `table`.
  source TEXT NOT NULL,
  external_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  given_json TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, source, external_id)
);
-- Imports that came to their end, to be taken back. Of one that made its board, made_board is 1.
CREATE TABLE board_imports (
  account_id TEXT NOT NULL,
  import_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  source TEXT NOT NULL,
  made_board BIGINT NOT NULL,
  undone BIGINT NOT NULL,
  at_ms BIGINT NOT NULL,
  -- Ids of the board's columns by the titles that they have in the file.
  columns_json TEXT NOT NULL,
  PRIMARY KEY (account_id, import_id)
);
CREATE INDEX board_imports_by_board ON board_imports (account_id, board_id, at_ms);
-- What an import changed of items that were there, and which it added.
CREATE TABLE import_changes (
  account_id TEXT NOT NULL,
  import_id TEXT NOT NULL,
  place BIGINT NOT NULL,
  board_id TEXT NOT NULL,
  external_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  -- The item before, or null where it was added; after; and what the import before this one gave it.
  before_json TEXT,
  after_json TEXT NOT NULL,
  given_json TEXT,
  PRIMARY KEY (account_id, import_id, place)
);
CREATE INDEX import_changes_by_board ON import_changes (account_id, board_id);
