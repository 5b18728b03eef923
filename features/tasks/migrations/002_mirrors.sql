-- What is known of a hub's tasks.md. `base` is the text that the file and the tasks both had last, NULL before the first time;
-- `pending` is the text that was to be written after that, NULL once it is. `head` is what git's HEAD was then. `state` is
-- `synced`, `held` if a change waits for the user, or `problem`; `detail` says why. `removes` is the number of tasks that a
-- held change would delete.
CREATE TABLE task_mirrors (
  account_id TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  base TEXT,
  pending TEXT,
  head TEXT NOT NULL,
  state TEXT NOT NULL,
  detail TEXT NOT NULL,
  removes BIGINT NOT NULL,
  synced_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, hub_id)
);
