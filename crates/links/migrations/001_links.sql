-- Saved links: bookmarks and meeting rooms. `list` is the list that a link belongs to, `folder_id` the folder that it's in,
-- empty at the top. A folder has no address. `deleted_ms` is 0 unless it was deleted; what is in a deleted folder keeps its
-- own. `used_ms` is when it was last opened, 0 if never. Times are milliseconds since 1970.
CREATE TABLE links (
  account_id TEXT NOT NULL,
  list TEXT NOT NULL,
  link_id TEXT NOT NULL,
  folder_id TEXT NOT NULL,
  position BIGINT NOT NULL,
  name TEXT NOT NULL,
  address TEXT,
  note TEXT NOT NULL,
  used_ms BIGINT NOT NULL,
  deleted_ms BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, list, link_id)
);
