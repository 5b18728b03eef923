-- The member that a token spoke for: it is known of a change when the token is there no more.
ALTER TABLE changes ADD COLUMN member_id TEXT;
