-- What happened in a session, one row an entry, counted from 1 in each session. Only the first store of sessions writes here; the
-- second one appends to files.
CREATE TABLE session_entries (
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  entry BIGINT NOT NULL,
  at_ms BIGINT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (account_id, session_id, entry)
);
