-- Addresses whose pages the person has allowed to be shown on dashboards, and in which copy of the database: another
-- computer's, which a backup brings along, are not allowed here.
CREATE TABLE dashboard_apps (
  account_id TEXT NOT NULL,
  app_id TEXT NOT NULL,
  address TEXT NOT NULL,
  allowed_ms BIGINT NOT NULL,
  made_in BIGINT NOT NULL,
  PRIMARY KEY (account_id, app_id)
);
