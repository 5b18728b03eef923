-- Changes lie in the order of their key instead of beside an index of it: recording one writes a page less.
CREATE TABLE changes_by_key (
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
) /* sqlite: WITHOUT ROWID */;
INSERT INTO changes_by_key (account_id, change_id, at_ms, actor, actor_id, session_id, subject, subject_id, field, before_json, after_json)
SELECT account_id, change_id, at_ms, actor, actor_id, session_id, subject, subject_id, field, before_json, after_json
FROM changes ORDER BY account_id, change_id;
DROP TABLE changes;
ALTER TABLE changes_by_key RENAME TO changes;
CREATE INDEX changes_by_subject ON changes (account_id, subject, subject_id, change_id);
