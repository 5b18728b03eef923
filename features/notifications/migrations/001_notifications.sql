-- Notifications of open rows, one per row: pending ones are about to be shown, held ones are decided again at `due_ms`.
-- `system_id` is what the system calls the shown one, 0 for none. Times are milliseconds since 1970.
CREATE TABLE notifications (
  account_id TEXT NOT NULL,
  row_id TEXT NOT NULL,
  state TEXT NOT NULL,
  due_ms BIGINT NOT NULL,
  system_id BIGINT NOT NULL,
  PRIMARY KEY (account_id, row_id)
);
CREATE INDEX notifications_by_state ON notifications (account_id, state, due_ms);
CREATE INDEX notifications_by_system ON notifications (account_id, system_id);

-- Each decision, without what the row says.
CREATE TABLE notification_history (
  account_id TEXT NOT NULL,
  entry_id TEXT NOT NULL,
  row_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  session_id TEXT,
  decision TEXT NOT NULL,
  reason TEXT NOT NULL,
  until_ms BIGINT NOT NULL,
  decided_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, entry_id)
);
CREATE INDEX notification_history_by_time ON notification_history (account_id, decided_ms);

-- The active Focus Mode of an account. `ends_ms` is 0 if it lasts until it's ended.
CREATE TABLE focus_mode (
  account_id TEXT NOT NULL PRIMARY KEY,
  started_ms BIGINT NOT NULL,
  ends_ms BIGINT NOT NULL,
  through TEXT NOT NULL
);
