-- Comments on items. A deleted one stays as a row without its text, so that those after it keep their place.
CREATE TABLE item_comments (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  comment_id TEXT NOT NULL,
  -- Counts up within the item: identifiers made in the same millisecond do not sort.
  place BIGINT NOT NULL,
  author_kind TEXT NOT NULL,
  author_name TEXT NOT NULL,
  -- Who may change it: whoever has the same key.
  author_key TEXT NOT NULL,
  session_id TEXT,
  body TEXT NOT NULL,
  mentions_json TEXT NOT NULL,
  state TEXT NOT NULL,
  revision BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  updated_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, board_id, item_id, comment_id)
);
CREATE UNIQUE INDEX item_comments_by_place ON item_comments (account_id, board_id, item_id, place);
