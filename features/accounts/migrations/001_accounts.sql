CREATE TABLE accounts (
  account_id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  created_ms BIGINT NOT NULL
);
CREATE TABLE workspaces (
  account_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, workspace_id)
);
CREATE TABLE members (
  account_id TEXT NOT NULL,
  member_id TEXT NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  role TEXT NOT NULL,
  time_zone TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, member_id)
);
-- A token itself is never stored, only the SHA-256 of its 256 random bits.
CREATE TABLE tokens (
  account_id TEXT NOT NULL,
  token_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  session_id TEXT,
  member_id TEXT,
  scopes TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  expires_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, token_id)
);
