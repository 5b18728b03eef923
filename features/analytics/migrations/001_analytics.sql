-- What happened to inbox rows, without what they say: kinds, times, and actions. `stat_id` is random.
-- Times are milliseconds since 1970, 0 where it hasn't happened. `ending` is empty while the row is open.
CREATE TABLE inbox_stats (
  account_id TEXT NOT NULL,
  stat_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  posted_ms BIGINT NOT NULL,
  looked_ms BIGINT NOT NULL,
  snoozed_ms BIGINT NOT NULL,
  ended_ms BIGINT NOT NULL,
  ending TEXT NOT NULL,
  open_seconds BIGINT NOT NULL,
  PRIMARY KEY (account_id, stat_id)
);
CREATE INDEX inbox_stats_by_time ON inbox_stats (account_id, posted_ms);

-- Which statistic is an open row's: deleted when the row is over, so that nothing leads back to it.
CREATE TABLE inbox_stat_rows (
  account_id TEXT NOT NULL,
  row_id TEXT NOT NULL,
  stat_id TEXT NOT NULL,
  PRIMARY KEY (account_id, row_id)
);

-- Seconds for which running sessions were watched, by local day.
CREATE TABLE watching_days (
  account_id TEXT NOT NULL,
  day TEXT NOT NULL,
  seconds BIGINT NOT NULL,
  PRIMARY KEY (account_id, day)
);

-- When an account last got the card about its watching time.
CREATE TABLE watching_recaps (
  account_id TEXT NOT NULL PRIMARY KEY,
  posted_ms BIGINT NOT NULL
);
