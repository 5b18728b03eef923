-- What a session started with, written once before its engine first starts: its instructions, block by block (`blocks`, JSON), and whether
-- its find commands are batched.
CREATE TABLE session_starts (
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  blocks TEXT NOT NULL,
  batches_find BIGINT NOT NULL,
  at_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, session_id)
);
-- A hub's own texts of instruction presets. An empty one leaves the preset out.
CREATE TABLE hub_presets (
  account_id TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  preset TEXT NOT NULL,
  text TEXT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, hub_id, preset)
);
