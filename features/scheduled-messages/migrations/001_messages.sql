-- Scheduled messages. `at_time` is a time of day in `zone`, `on_date` the date of a message that is sent once, and `on_days`
-- the days of a repeating one. `target` is inbox, session, or hub; `target_id` the session or hub. `next_ms` is the next
-- time, 0 if none. `approval` is none, waiting, approved, or denied. `by_session` is the session that made or last changed
-- it, empty for the user. `deleted_ms` is 0 unless it was deleted. Times are milliseconds since 1970.
CREATE TABLE scheduled_messages (
  account_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  target TEXT NOT NULL,
  target_id TEXT NOT NULL,
  is_on BIGINT NOT NULL,
  at_time TEXT NOT NULL,
  on_date TEXT,
  on_days TEXT NOT NULL,
  zone TEXT NOT NULL,
  next_ms BIGINT NOT NULL,
  approval TEXT NOT NULL,
  by_session TEXT NOT NULL,
  sent BIGINT NOT NULL,
  last_ms BIGINT NOT NULL,
  problem TEXT NOT NULL,
  deleted_ms BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, message_id)
);

-- The texts of messages on their way to a session, by the key of their timer.
CREATE TABLE scheduled_deliveries (
  account_id TEXT NOT NULL,
  delivery_id TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (account_id, delivery_id)
);
