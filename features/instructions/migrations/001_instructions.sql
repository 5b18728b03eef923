-- Copies of instruction files, by the folder of their hub. `source` is the file that a copy was made from. A file is ours if its
-- SHA-256 is `written_hash`, or `pending_hash` of a write that may not have ended. `asked_hash` is that of a text which the user
-- wrote and is asked about, or has decided to keep. `exclude_file` and `exclude_line` are what was added to git's exclude list.
CREATE TABLE instruction_copies (
  account_id TEXT NOT NULL,
  folder TEXT NOT NULL,
  name TEXT NOT NULL,
  source TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  note TEXT NOT NULL,
  warning TEXT NOT NULL,
  written_hash TEXT NOT NULL,
  pending_hash TEXT NOT NULL,
  asked_hash TEXT NOT NULL,
  exclude_file TEXT NOT NULL,
  exclude_line TEXT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, folder, name)
);
CREATE INDEX instruction_copies_by_line ON instruction_copies (exclude_file, exclude_line);
-- Texts that the user wrote and let a copy replace.
CREATE TABLE instruction_originals (
  account_id TEXT NOT NULL,
  original_id TEXT NOT NULL,
  folder TEXT NOT NULL,
  name TEXT NOT NULL,
  content TEXT NOT NULL,
  replaced_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, original_id)
);
CREATE INDEX instruction_originals_by_file ON instruction_originals (account_id, folder, name);
-- What keeps a hub's copies from being in step, so that it's reported once.
CREATE TABLE instruction_problems (
  account_id TEXT NOT NULL,
  folder TEXT NOT NULL,
  problem TEXT NOT NULL,
  PRIMARY KEY (account_id, folder)
);
