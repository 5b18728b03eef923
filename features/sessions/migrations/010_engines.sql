-- How a user set up an engine (`config`, JSON: program, arguments, variables, own level, defaults), and the agents that were added, which
-- are rows with a name and a command. Secret values are sealed with a key that isn't in the database.
CREATE TABLE engine_settings (
  account_id TEXT NOT NULL,
  engine_id TEXT NOT NULL,
  config TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, engine_id)
);
-- How hard a session's model thinks, in the engine's words, empty for its default; and the permission level that the engine had of its own
-- when the session was created, empty for that of the setting.
ALTER TABLE sessions ADD COLUMN effort TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN own_level TEXT NOT NULL DEFAULT '';
-- Tool servers (MCP) of a hub's sessions. `config` (JSON) has the command with its arguments, or the address, and the variables or headers;
-- secret values are sealed.
CREATE TABLE hub_tool_servers (
  account_id TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  name TEXT NOT NULL,
  config TEXT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, hub_id, name)
);
