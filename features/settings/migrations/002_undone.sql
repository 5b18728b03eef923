-- Changes that were taken back, and by which change; undoing that one brings the first back.
CREATE TABLE settings_undone (
  account_id TEXT NOT NULL,
  change_id TEXT NOT NULL,
  undone_by TEXT NOT NULL,
  PRIMARY KEY (account_id, change_id)
);
