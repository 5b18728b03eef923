-- Items are changed by the thousand, each at another place of an index by subject: there every change costs a page of its
-- own. Their changes are a chain instead: each names the one before it, and item_changes the newest. The changes lie in the
-- order of their key instead of beside an index of it, which is one page less again.
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
  -- The change of the same item before this one.
  prior_id TEXT,
  PRIMARY KEY (account_id, change_id)
) /* sqlite: WITHOUT ROWID */;
INSERT INTO changes_by_key (account_id, change_id, at_ms, actor, actor_id, session_id, subject, subject_id, field, before_json,
  after_json, prior_id)
  SELECT account_id, change_id, at_ms, actor, actor_id, session_id, subject, subject_id, field, before_json, after_json,
    CASE WHEN subject = 'item'
      THEN lag(change_id) OVER (PARTITION BY account_id, subject, subject_id ORDER BY change_id) END
  FROM changes ORDER BY account_id, change_id;
DROP TABLE changes;
ALTER TABLE changes_by_key RENAME TO changes;
CREATE INDEX changes_by_subject ON changes (account_id, subject, subject_id, change_id) WHERE subject <> 'item';
CREATE TABLE item_changes (
  account_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  newest_id TEXT NOT NULL,
  PRIMARY KEY (account_id, item_id)
) /* sqlite: WITHOUT ROWID */;
INSERT INTO item_changes (account_id, item_id, newest_id)
  SELECT account_id, subject_id, max(change_id) FROM changes WHERE subject = 'item' GROUP BY account_id, subject_id;
