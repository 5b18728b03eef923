-- An id that a caller chooses is that of no other item of the account, whatever its board.
CREATE INDEX items_by_id ON items (item_id);
