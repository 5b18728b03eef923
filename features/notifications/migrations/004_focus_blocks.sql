-- Whether a block of work started Focus Mode, and how often the user toggled it by hand.
ALTER TABLE focus_mode ADD COLUMN is_automatic BIGINT NOT NULL DEFAULT 0;
CREATE TABLE focus_toggles (
  account_id TEXT NOT NULL PRIMARY KEY,
  toggles BIGINT NOT NULL
);
