-- The sound of notifications of a kind of rows, where the user chose one.
CREATE TABLE notification_sounds (
  account_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  sound TEXT NOT NULL,
  PRIMARY KEY (account_id, kind)
);

-- Accounts whose notifications make no sound, and since when.
CREATE TABLE notification_mute (
  account_id TEXT NOT NULL PRIMARY KEY,
  muted_ms BIGINT NOT NULL
);
