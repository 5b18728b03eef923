-- Whether the parent in what an import gave an item, or that there is none, is what its file said: rows of before do not tell
-- an item that no file put below another from one whose parent was not kept.
ALTER TABLE import_items ADD COLUMN knows_parent BIGINT NOT NULL DEFAULT 0;
