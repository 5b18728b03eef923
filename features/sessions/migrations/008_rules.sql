-- What a person allowed for good: a rule answers later requests that it covers. `scope` is `session`, `hub` or `everywhere`, `scope_id` the
-- session or the hub (empty for everywhere), `pattern` what it covers, as JSON. `session_id` and `ask_id` name the request it came from.
CREATE TABLE session_rules (
  account_id TEXT NOT NULL,
  rule_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  pattern TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  session_id TEXT NOT NULL,
  ask_id TEXT NOT NULL,
  PRIMARY KEY (account_id, rule_id)
);
CREATE INDEX session_rules_by_scope ON session_rules (account_id, scope, scope_id);
-- The rule that a lasting yes to a request makes, as JSON; empty where there can be none.
ALTER TABLE session_asks ADD COLUMN rule TEXT NOT NULL DEFAULT '';
