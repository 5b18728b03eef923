-- Columns whose labels have no category yet: the program gives it to them when it starts (src/convert.rs), since only it can write
-- settings.
CREATE TABLE columns_to_categorize (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  column_id TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, column_id)
) /* sqlite: WITHOUT ROWID */;
INSERT INTO columns_to_categorize (account_id, board_id, column_id)
SELECT account_id, board_id, column_id FROM board_columns WHERE type IN ('status', 'dropdown');
