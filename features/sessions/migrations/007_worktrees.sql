-- What a hub is that has no folder of the user's: `ask` for single questions; empty for all others.
ALTER TABLE hubs ADD COLUMN purpose TEXT NOT NULL DEFAULT '';
-- Worktrees of git that were made for sessions. `base` is the branch that the hub was on (empty where on none) and `base_commit` its
-- commit then. `state` is `making`, `here` or `trash`; `removed_ms` is 0 until it is in the trash.
CREATE TABLE session_worktrees (
  account_id TEXT NOT NULL,
  worktree_id TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  hub_folder TEXT NOT NULL,
  session_id TEXT NOT NULL,
  folder TEXT NOT NULL,
  branch TEXT NOT NULL,
  base TEXT NOT NULL,
  base_commit TEXT NOT NULL,
  state TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  removed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, worktree_id)
);
CREATE INDEX session_worktrees_by_state ON session_worktrees (state, removed_ms);
