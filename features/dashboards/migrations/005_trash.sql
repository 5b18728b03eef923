-- Deleted dashboards, each whole, until they are brought back or 30 days have passed.
CREATE TABLE deleted_dashboards (
  account_id TEXT NOT NULL,
  dashboard_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  config_json TEXT NOT NULL,
  revision BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  deleted_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, dashboard_id)
);
CREATE INDEX deleted_dashboards_by_time ON deleted_dashboards (deleted_ms);
