-- Whether a person or a caller named the session. The title of any other is the start of its first message, until its engine reports one.
-- Sessions from before count as named.
ALTER TABLE sessions ADD COLUMN is_named BIGINT NOT NULL DEFAULT 1;
