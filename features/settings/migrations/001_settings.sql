-- Only what the user set stands here; every other value is its default. The record of changes is the store's.
CREATE TABLE settings (
  account_id TEXT NOT NULL,
  key TEXT NOT NULL,
  value_json TEXT NOT NULL,
  revision BIGINT NOT NULL,
  set_ms BIGINT NOT NULL,
  actor TEXT NOT NULL,
  PRIMARY KEY (account_id, key)
);
CREATE TABLE settings_revisions (
  account_id TEXT NOT NULL PRIMARY KEY,
  revision BIGINT NOT NULL
);
