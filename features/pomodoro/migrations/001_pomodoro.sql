-- Presets of runs, in minutes. A long break follows every `long_every` focus blocks, none if that is 0. `focus_mode` is
-- default, on, or off. Times are milliseconds since 1970.
CREATE TABLE pomodoro_presets (
  account_id TEXT NOT NULL,
  preset_id TEXT NOT NULL,
  name TEXT NOT NULL,
  focus_minutes BIGINT NOT NULL,
  break_minutes BIGINT NOT NULL,
  long_minutes BIGINT NOT NULL,
  long_every BIGINT NOT NULL,
  focus_mode TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, preset_id)
);

-- The run of an account, with its preset as it was at the start. `phase` is focus, break, or long; `block` counts focus
-- blocks from 1. `ends_ms` is 0 while it's paused, and then `left_ms` is what is left of the phase. `worked_ms` is the time of
-- the phase before `since_ms`. `manages_focus` is 1 while it turns Focus Mode on and off; `toggles` is how often that was
-- toggled by hand before.
CREATE TABLE pomodoro_runs (
  account_id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  focus_minutes BIGINT NOT NULL,
  break_minutes BIGINT NOT NULL,
  long_minutes BIGINT NOT NULL,
  long_every BIGINT NOT NULL,
  phase TEXT NOT NULL,
  block BIGINT NOT NULL,
  started_ms BIGINT NOT NULL,
  phase_ms BIGINT NOT NULL,
  since_ms BIGINT NOT NULL,
  worked_ms BIGINT NOT NULL,
  ends_ms BIGINT NOT NULL,
  left_ms BIGINT NOT NULL,
  manages_focus BIGINT NOT NULL,
  toggles BIGINT NOT NULL
);

-- Focus blocks that ended.
CREATE TABLE pomodoro_blocks (
  account_id TEXT NOT NULL,
  block_id TEXT NOT NULL,
  ended_ms BIGINT NOT NULL,
  worked_ms BIGINT NOT NULL,
  is_complete BIGINT NOT NULL,
  PRIMARY KEY (account_id, block_id)
);
CREATE INDEX pomodoro_blocks_by_time ON pomodoro_blocks (account_id, ended_ms);

-- Rules that start runs, at a time of day in `zone` on `on_days`. `next_ms` is 0 while a rule is off.
CREATE TABLE pomodoro_rules (
  account_id TEXT NOT NULL,
  rule_id TEXT NOT NULL,
  preset_id TEXT NOT NULL,
  is_on BIGINT NOT NULL,
  at_time TEXT NOT NULL,
  on_days TEXT NOT NULL,
  zone TEXT NOT NULL,
  next_ms BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, rule_id)
);
