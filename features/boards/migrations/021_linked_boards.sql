-- The board that a column's cells link to, for link columns; empty for others. When a board changes, those that show something
-- of it are found without reading every column.
ALTER TABLE board_columns ADD COLUMN links_to TEXT NOT NULL DEFAULT '';
CREATE INDEX board_columns_by_link ON board_columns (account_id, links_to);
