-- What a row asks of the user (0 nothing, 1 a look, 2 an answer), as its kind says, and the board that it's about.
ALTER TABLE inbox_rows ADD COLUMN need BIGINT NOT NULL DEFAULT 0;
ALTER TABLE inbox_rows ADD COLUMN board_id TEXT;
UPDATE inbox_rows SET need = 2 WHERE account_id <> '' AND kind IN ('approval', 'plan', 'question', 'input', 'key');
UPDATE inbox_rows SET need = 1 WHERE account_id <> '' AND kind = 'session';
CREATE INDEX inbox_rows_by_need ON inbox_rows (account_id, settled_ms, need, created_ms);
