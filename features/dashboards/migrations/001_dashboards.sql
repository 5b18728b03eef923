-- The config is one JSON text, kept as it was sent: the store does not look into it beyond three rules.
CREATE TABLE dashboards (
  account_id TEXT NOT NULL,
  dashboard_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  config_json TEXT NOT NULL,
  revision BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  updated_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, dashboard_id)
);
CREATE INDEX dashboards_by_workspace ON dashboards (account_id, workspace_id);
