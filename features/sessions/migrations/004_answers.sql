-- What was answered, beside yes or no: the offer that was chosen, or what was filled in; empty where there is nothing more to it.
ALTER TABLE session_asks ADD COLUMN said TEXT NOT NULL DEFAULT '';
-- A session with all that it started.
CREATE INDEX sessions_by_parent ON sessions (account_id, parent_id, session_id);
