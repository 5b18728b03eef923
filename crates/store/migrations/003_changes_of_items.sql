-- Items are changed by the thousand, each at another place of an index by subject: there every change costs a page of its
-- own. Their changes are a chain instead: each names the one of the same item before it, and item_changes the newest.
ALTER TABLE changes ADD COLUMN prior_id TEXT;
UPDATE changes SET prior_id = (
  SELECT max(earlier.change_id) FROM changes earlier
  WHERE earlier.account_id = changes.account_id AND earlier.subject = changes.subject
    AND earlier.subject_id = changes.subject_id AND earlier.change_id < changes.change_id
) WHERE subject = 'item';
CREATE TABLE item_changes (
  account_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  newest_id TEXT NOT NULL,
  PRIMARY KEY (account_id, item_id)
) /* sqlite: WITHOUT ROWID */;
INSERT INTO item_changes (account_id, item_id, newest_id)
  SELECT account_id, subject_id, max(change_id) FROM changes WHERE subject = 'item' GROUP BY account_id, subject_id;
DROP INDEX changes_by_subject;
CREATE INDEX changes_by_subject ON changes (account_id, subject, subject_id, change_id) WHERE subject <> 'item';
