-- Sticky notes. Places and sizes are in pixels of the screen; the place is NULL until a window reported one.
CREATE TABLE sticky_notes (
  account_id TEXT NOT NULL,
  note_id TEXT NOT NULL,
  text TEXT NOT NULL,
  color TEXT NOT NULL,
  is_open BIGINT NOT NULL,
  place_x BIGINT,
  place_y BIGINT,
  width BIGINT NOT NULL,
  height BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, note_id)
);
