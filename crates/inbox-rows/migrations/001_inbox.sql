-- Times are milliseconds since 1970, 0 where it has not come to that. A row is open while `settled_ms` is 0.
CREATE TABLE inbox_rows (
  account_id TEXT NOT NULL,
  row_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  row_key TEXT,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  severity TEXT NOT NULL,
  link TEXT,
  session_id TEXT,
  project_id TEXT,
  actor TEXT NOT NULL,
  actor_session_id TEXT,
  actor_member_id TEXT,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  read_ms BIGINT NOT NULL,
  settled_ms BIGINT NOT NULL,
  outcome TEXT NOT NULL,
  PRIMARY KEY (account_id, row_id)
);
CREATE INDEX inbox_rows_by_state ON inbox_rows (account_id, settled_ms, row_id);
-- Of one thing there is at most one open row.
CREATE UNIQUE INDEX inbox_rows_by_key ON inbox_rows (account_id, row_key) WHERE settled_ms = 0;
CREATE INDEX inbox_rows_by_session ON inbox_rows (account_id, actor_session_id, settled_ms);
