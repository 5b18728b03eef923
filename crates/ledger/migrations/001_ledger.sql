-- What was spent. `day` is the local day (`2026-03-01`). `micros` are millionths of `currency`, NULL where the price isn't known;
-- `basis` says how it's known: reported, priced (with the date of the price), subscription, local, unpriced. `state` is `reserved`
-- before the outcome is known (`micros` is an upper bound), `settled` after it, and `unknown` if it never became known. A session
-- has one row a day and kind of cost. Absent models, hubs, and sessions are empty.
CREATE TABLE ledger_entries (
  account_id TEXT NOT NULL,
  entry_id TEXT NOT NULL,
  at_ms BIGINT NOT NULL,
  day TEXT NOT NULL,
  purpose TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cache_read_tokens BIGINT NOT NULL,
  cache_write_tokens BIGINT NOT NULL,
  currency TEXT NOT NULL,
  micros BIGINT,
  basis TEXT NOT NULL,
  price_date TEXT NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (account_id, entry_id)
);
CREATE INDEX ledger_entries_by_day ON ledger_entries (account_id, day, entry_id);
CREATE INDEX ledger_entries_by_purpose ON ledger_entries (account_id, purpose, at_ms);
