-- Which account was made first is noted once: by when accounts were made, a clock that was set back could give the installation
-- to another one.
CREATE TABLE first_account (
  account_id TEXT NOT NULL PRIMARY KEY
);
INSERT INTO first_account (account_id) SELECT account_id FROM accounts ORDER BY created_ms, account_id LIMIT 1;
