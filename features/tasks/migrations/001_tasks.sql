-- Tasks, an outline in each hub. `hub_id` and `parent_id` are empty where there is none; `place` orders the tasks of one parent.
-- `due` and `snoozed_until` are local: a date, or a date with a time such as 2026-03-05T09:00; empty for none. `priority` is 1
-- (urgent) to 4. `revision` is the account's newest at the task's last change, each taken once; `text_revision` and the others
-- are those of the last change of a part. A deleted task stays until it's swept: `deleted_with` is the task that was deleted
-- with all below it. Times are milliseconds since 1970, 0 for never.
CREATE TABLE tasks (
  account_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  revision BIGINT NOT NULL,
  hub_id TEXT NOT NULL,
  parent_id TEXT NOT NULL,
  place BIGINT NOT NULL,
  task_text TEXT NOT NULL,
  state TEXT NOT NULL,
  due TEXT NOT NULL,
  snoozed_until TEXT NOT NULL,
  priority BIGINT NOT NULL,
  session_id TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  finished_ms BIGINT NOT NULL,
  deleted_ms BIGINT NOT NULL,
  deleted_with TEXT NOT NULL,
  text_revision BIGINT NOT NULL,
  state_revision BIGINT NOT NULL,
  due_revision BIGINT NOT NULL,
  snooze_revision BIGINT NOT NULL,
  priority_revision BIGINT NOT NULL,
  place_revision BIGINT NOT NULL,
  PRIMARY KEY (account_id, task_id)
);
CREATE INDEX tasks_by_revision ON tasks (account_id, revision);
CREATE INDEX tasks_by_parent ON tasks (account_id, parent_id, hub_id, place);
-- The newest revision of an account's tasks, the newest one that was swept, and the number of tasks that aren't deleted.
CREATE TABLE task_counters (
  account_id TEXT NOT NULL PRIMARY KEY,
  revision BIGINT NOT NULL,
  swept_revision BIGINT NOT NULL,
  tasks BIGINT NOT NULL
);
