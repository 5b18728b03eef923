-- Folders in which sessions run. `folder` is the one that links were followed to, so that one folder is one hub.
CREATE TABLE hubs (
  account_id TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  name TEXT NOT NULL,
  folder TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, hub_id)
);
CREATE UNIQUE INDEX hubs_by_folder ON hubs (account_id, folder);
