-- Whether the member is the account's user; at most one is.
ALTER TABLE members ADD COLUMN is_you BIGINT NOT NULL DEFAULT 0;
