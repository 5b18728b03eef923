-- Accounts at CalDAV servers. `emails` are the user's addresses there, one a line; the password is in the keychain or a sealed file.
CREATE TABLE calendar_accounts (
  account_id TEXT NOT NULL,
  dav_id TEXT NOT NULL,
  url TEXT NOT NULL,
  home_url TEXT NOT NULL,
  username TEXT NOT NULL,
  secret_place TEXT NOT NULL,
  emails TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, dav_id)
);
-- Calendars. `kind` is local, caldav, or subscription; `sync_state` is the server's sync token, or the ETag of a subscription.
-- `deleted_ms` is 0 unless it's deleted.
CREATE TABLE calendars (
  account_id TEXT NOT NULL,
  calendar_id TEXT NOT NULL,
  dav_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  color TEXT NOT NULL,
  is_shown BIGINT NOT NULL,
  is_writable BIGINT NOT NULL,
  url TEXT NOT NULL,
  sync_state TEXT NOT NULL,
  problem TEXT NOT NULL,
  synced_ms BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  deleted_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, calendar_id)
);
-- Events and series, each a resource: `ical` is its whole text as it was read or is to be sent. `pending` is empty, put, or delete:
-- what the server isn't told yet. It has no occurrence before `first_ms` or after `last_ms`, wherever somebody is.
CREATE TABLE calendar_events (
  account_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  calendar_id TEXT NOT NULL,
  uid TEXT NOT NULL,
  href TEXT NOT NULL,
  etag TEXT NOT NULL,
  ical TEXT NOT NULL,
  pending TEXT NOT NULL,
  first_ms BIGINT NOT NULL,
  last_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, event_id)
);
CREATE INDEX calendar_events_by_calendar ON calendar_events (account_id, calendar_id, uid);
CREATE INDEX calendar_events_by_time ON calendar_events (account_id, last_ms);
-- What a change replaced, to be restored: by the user, or yours where the server had a newer version (`is_conflict`).
CREATE TABLE calendar_undos (
  account_id TEXT NOT NULL,
  undo_id TEXT NOT NULL,
  rows_json TEXT NOT NULL,
  is_conflict BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, undo_id)
);
-- Occurrences whose reminder was sent, by their start.
CREATE TABLE calendar_reminded (
  account_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  start_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, event_id, start_ms)
);
