-- A session, with its life as the rules know it (`life`, JSON) and what lists are made of beside it. Times are milliseconds since
-- 1970, 0 where it has not come to that; sums are of the whole session.
CREATE TABLE sessions (
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  title TEXT NOT NULL,
  engine TEXT NOT NULL,
  model TEXT NOT NULL,
  cwd TEXT NOT NULL,
  origin TEXT NOT NULL,
  driven BIGINT NOT NULL,
  counted BIGINT NOT NULL,
  parent_id TEXT,
  depth BIGINT NOT NULL,
  engine_session TEXT NOT NULL,
  state TEXT NOT NULL,
  active BIGINT NOT NULL,
  life TEXT NOT NULL,
  turns BIGINT NOT NULL,
  run_ms BIGINT NOT NULL,
  cost_usd DOUBLE PRECISION,
  used_tokens BIGINT NOT NULL,
  size_tokens BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, session_id)
);
CREATE INDEX sessions_by_hub ON sessions (account_id, hub_id, session_id);
-- Those that have to be looked at when the program starts are few beside all that are kept.
CREATE INDEX sessions_by_activity ON sessions (active, account_id, session_id);
-- What was asked of a session. It is `waiting` until it goes to the engine, and `sent` from just before that on: one that is sent
-- is never sent again without saying so.
CREATE TABLE session_prompts (
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  prompt_id BIGINT NOT NULL,
  at_ms BIGINT NOT NULL,
  actor TEXT NOT NULL,
  actor_session_id TEXT,
  content TEXT NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (account_id, session_id, prompt_id)
);
-- What a session asked for. An answer is written once.
CREATE TABLE session_asks (
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  ask_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  request TEXT NOT NULL,
  why TEXT NOT NULL,
  asked_ms BIGINT NOT NULL,
  answered_ms BIGINT NOT NULL,
  answer TEXT NOT NULL,
  answered_by TEXT NOT NULL,
  PRIMARY KEY (account_id, session_id, ask_id)
);
CREATE INDEX session_asks_open ON session_asks (account_id, answered_ms, session_id, ask_id);
