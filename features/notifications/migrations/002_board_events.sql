-- Events of boards that wait for the digest of the hour.
CREATE TABLE digest_events (
  account_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  line TEXT NOT NULL,
  PRIMARY KEY (account_id, event_id)
);
