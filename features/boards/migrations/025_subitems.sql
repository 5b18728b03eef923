-- The item that a subitem belongs to, of the same board; empty for items. It stands in the record too, and here to be searched.
ALTER TABLE items ADD COLUMN parent_id TEXT NOT NULL DEFAULT '';
-- Of subitems only, so that boards without any pay nothing for it.
CREATE INDEX items_by_parent ON items (account_id, board_id, parent_id, position, item_id) WHERE parent_id <> '';
-- How many of the board's item_count are subitems.
ALTER TABLE boards ADD COLUMN subitem_count BIGINT NOT NULL DEFAULT 0;
