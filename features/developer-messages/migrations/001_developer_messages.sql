-- Messages that were shown, so that one that you dismissed doesn't come back. Times are milliseconds since 1970.
CREATE TABLE developer_messages (
  account_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  shown_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, message_id)
);
