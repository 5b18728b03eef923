-- Alarms. `at_time` is a time of day in `zone`, `on_date` the date of a one-time alarm, and `on_days` the days of a repeating one.
-- `next_ms` is the next occurrence, 0 if none. `state` is idle, held, ringing, or snoozed: since `since_ms`, until `until_ms`.
-- Times are milliseconds since 1970.
CREATE TABLE alarms (
  account_id TEXT NOT NULL,
  alarm_id TEXT NOT NULL,
  label TEXT NOT NULL,
  is_on BIGINT NOT NULL,
  at_time TEXT NOT NULL,
  on_date TEXT,
  on_days TEXT NOT NULL,
  zone TEXT NOT NULL,
  sound TEXT NOT NULL,
  duration_s BIGINT NOT NULL,
  fade_in_s BIGINT NOT NULL,
  plays_once BIGINT NOT NULL,
  speaks_label BIGINT NOT NULL,
  snoozes_max BIGINT NOT NULL,
  snooze_minutes BIGINT NOT NULL,
  next_ms BIGINT NOT NULL,
  state TEXT NOT NULL,
  since_ms BIGINT NOT NULL,
  until_ms BIGINT NOT NULL,
  snoozes BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, alarm_id)
);
CREATE INDEX alarms_by_state ON alarms (account_id, state);
