-- Queues that release items into the inbox. A queue ticks every `every_hours`, or if that is 0 at `at_time` in `zone` on
-- `on_days`. `next_ms` is its next tick, 0 while it's off. `deleted_ms` is 0 unless it was deleted. Times are milliseconds
-- since 1970.
CREATE TABLE drip_queues (
  account_id TEXT NOT NULL,
  queue_id TEXT NOT NULL,
  name TEXT NOT NULL,
  is_on BIGINT NOT NULL,
  every_hours BIGINT NOT NULL,
  at_time TEXT NOT NULL,
  on_days TEXT NOT NULL,
  zone TEXT NOT NULL,
  next_ms BIGINT NOT NULL,
  deleted_ms BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, queue_id)
);

-- Items of a queue, in the order of `place`. `kind` is text, markdown, or html; `state` waiting, released, or skipped.
-- `released_ms` is 0 unless it was released.
CREATE TABLE drip_items (
  account_id TEXT NOT NULL,
  queue_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  place BIGINT NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  content TEXT NOT NULL,
  state TEXT NOT NULL,
  released_ms BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, queue_id, item_id)
);
