-- How a board is looked at. settings_json is the object that the client keeps; it never says what the board holds.
CREATE TABLE board_views (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  view_id TEXT NOT NULL,
  position BIGINT NOT NULL,
  revision BIGINT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  settings_json TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, view_id)
);
