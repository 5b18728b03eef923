-- An item's row holds the record that is sent, whole: reading a board is then putting texts one behind the other. The program
-- moves what stands in items_by_columns over when it starts (src/convert.rs), since only it can write records.
DROP INDEX items_by_position;
ALTER TABLE items RENAME TO items_by_columns;
-- group_id stands in the record too, and here to be searched; position stands here only. revision is the board's at the
-- item's last change: what has changed since is found without reading the rest.
CREATE TABLE items (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  position BIGINT NOT NULL,
  revision BIGINT NOT NULL,
  record_json TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, item_id)
);
CREATE INDEX items_by_position ON items (account_id, board_id, position, item_id);
CREATE INDEX items_by_revision ON items (account_id, board_id, revision);
-- Places that an item left, by being deleted or moved, at a revision; the board's left_since says from which on all are here.
CREATE TABLE items_left (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  revision BIGINT NOT NULL,
  item_id TEXT NOT NULL,
  position BIGINT NOT NULL,
  PRIMARY KEY (account_id, board_id, revision, item_id)
);
ALTER TABLE boards ADD COLUMN left_since BIGINT NOT NULL DEFAULT 0;
-- What left its place before is not known.
UPDATE boards SET left_since = revision WHERE account_id <> '';
