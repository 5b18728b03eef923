-- The session that a fork continues, with the last transcript entry that it takes over and the number of the last message before that;
-- empty and 0 for a session that is none.
ALTER TABLE sessions ADD COLUMN fork_session TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN fork_entry BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN fork_message BIGINT NOT NULL DEFAULT 0;
