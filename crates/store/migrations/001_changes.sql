-- Who changed what, when, from what to what. Rows are only ever added; no secret is written here.
CREATE TABLE changes (
  account_id TEXT NOT NULL,
  change_id TEXT NOT NULL,
  at_ms BIGINT NOT NULL,
  actor TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  session_id TEXT,
  subject TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  field TEXT NOT NULL,
  before_json TEXT,
  after_json TEXT,
  PRIMARY KEY (account_id, change_id)
);
CREATE INDEX changes_by_subject ON changes (account_id, subject, subject_id, change_id);
