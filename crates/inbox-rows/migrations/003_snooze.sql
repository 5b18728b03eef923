-- A snoozed row is open but left out until `snoozed_until_ms`. `place` orders rows: a row that comes back is on top again.
-- A bulk dismissal gives its rows one `batch_id`, so that it's undone as a whole. `attachments` are labels and links as JSON.
ALTER TABLE inbox_rows ADD COLUMN snoozed_until_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE inbox_rows ADD COLUMN follow_up_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE inbox_rows ADD COLUMN place TEXT NOT NULL DEFAULT '';
ALTER TABLE inbox_rows ADD COLUMN batch_id TEXT NOT NULL DEFAULT '';
ALTER TABLE inbox_rows ADD COLUMN attachments TEXT NOT NULL DEFAULT '';
UPDATE inbox_rows SET place = row_id WHERE account_id <> '';
DROP INDEX inbox_rows_by_state;
CREATE INDEX inbox_rows_by_place ON inbox_rows (account_id, settled_ms, snoozed_until_ms, place);
-- Counts read nothing but this index.
CREATE INDEX inbox_rows_by_count ON inbox_rows (account_id, settled_ms, kind, need, snoozed_until_ms, read_ms, session_id);
CREATE INDEX inbox_rows_by_change ON inbox_rows (account_id, changed_ms);
