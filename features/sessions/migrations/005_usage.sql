-- What sessions cost, added up for each local day (`2026-03-01`). `paid_by_use` is 0 where a subscription pays; `revived` is 1 for
-- what a session spent after the refill governor revived it and before its person asked it for something again. Each currency by
-- itself.
CREATE TABLE session_usage (
  account_id TEXT NOT NULL,
  day TEXT NOT NULL,
  session_id TEXT NOT NULL,
  engine TEXT NOT NULL,
  currency TEXT NOT NULL,
  paid_by_use BIGINT NOT NULL,
  revived BIGINT NOT NULL,
  amount DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (account_id, day, session_id, currency, paid_by_use, revived)
);
-- What an engine told last of the whole cost of its session, so that only the difference is added.
CREATE TABLE session_meters (
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  currency TEXT NOT NULL,
  engine_session TEXT NOT NULL,
  amount DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (account_id, session_id, currency)
);
-- Each time that the refill governor revived a session. `ended_ms` is 0 until its person asks it for something again.
CREATE TABLE session_revivals (
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  at_ms BIGINT NOT NULL,
  day TEXT NOT NULL,
  ended_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, session_id, at_ms)
);
CREATE INDEX session_revivals_by_time ON session_revivals (account_id, at_ms);
-- Why the refill governor left a session last, so that its transcript says so once.
CREATE TABLE session_skips (
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  why TEXT NOT NULL,
  PRIMARY KEY (account_id, session_id)
);
CREATE INDEX sessions_by_state ON sessions (account_id, state, changed_ms);
