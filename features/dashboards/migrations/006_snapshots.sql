-- Whether a dashboard remembers its sprints day by day, and up to which day that has been done; days since 1970-01-01.
CREATE TABLE dashboard_snapshots (
  account_id TEXT NOT NULL,
  dashboard_id TEXT NOT NULL,
  is_on BIGINT NOT NULL,
  since_day BIGINT NOT NULL,
  last_day BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, dashboard_id)
);
-- What a dashboard remembers of each of its boards, as the widget engine reads it.
CREATE TABLE dashboard_history (
  account_id TEXT NOT NULL,
  dashboard_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  history_json TEXT NOT NULL,
  recorded_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, dashboard_id, board_id)
);
