-- Items whose date is still to be told of: not done, with the day (days since 1970), whom it is assigned to, and the next instant
-- at which something about it may be told. Derived from items; src/dues.rs keeps it.
CREATE TABLE item_dues (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  day BIGINT NOT NULL,
  members_json TEXT NOT NULL,
  next_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, board_id, item_id)
);
CREATE INDEX item_dues_by_next ON item_dues (account_id, next_ms);
-- What was told, so that it is not told again: once for an item, a day and a member (empty: nobody in particular).
CREATE TABLE item_dues_told (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  day BIGINT NOT NULL,
  kind TEXT NOT NULL,
  member_id TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, item_id, day, kind, member_id)
);
-- Up to which revision of a board item_dues is right, and which columns it was made of.
CREATE TABLE board_dues (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  revision BIGINT NOT NULL,
  columns_json TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id)
);
