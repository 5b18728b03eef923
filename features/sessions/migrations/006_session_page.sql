-- What the page of a session shows beside its life. `mode` is the one that the person chose, empty for the engine's own; `facts` is
-- what the engine told last (JSON: plan, choices, commands, what it can). `last_entry` and `seen_entry` count entries of the
-- transcript: up to where it went when this was written, and up to where the person has looked.
ALTER TABLE sessions ADD COLUMN mode TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN facts TEXT NOT NULL DEFAULT '{}';
ALTER TABLE sessions ADD COLUMN last_entry BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN seen_entry BIGINT NOT NULL DEFAULT 0;
