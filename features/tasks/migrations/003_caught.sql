-- Follow-ups that a model found in the transcript of an ended session. `state` is `staged`, `accepted` (`task_id` is the task that
-- it became), or `dismissed`. `hub_id` is the session's hub, empty for none. Times are milliseconds since 1970, 0 for never.
CREATE TABLE task_caught (
  account_id TEXT NOT NULL,
  caught_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  caught_text TEXT NOT NULL,
  state TEXT NOT NULL,
  task_id TEXT NOT NULL,
  caught_ms BIGINT NOT NULL,
  settled_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, caught_id)
);
-- Ended sessions. `turns` is how many turns a session had when it ended last, `asked_turns` how many it had when a model read it
-- last: one that ends again without new turns isn't read again.
CREATE TABLE task_scans (
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  turns BIGINT NOT NULL,
  asked_turns BIGINT NOT NULL,
  PRIMARY KEY (account_id, session_id)
);
