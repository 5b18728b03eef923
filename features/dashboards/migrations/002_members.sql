-- Who is invited to a dashboard, and as what: viewer or editor. A dashboard without a row is open to all members.
CREATE TABLE dashboard_members (
  account_id TEXT NOT NULL,
  dashboard_id TEXT NOT NULL,
  member_id TEXT NOT NULL,
  role TEXT NOT NULL,
  invited_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, dashboard_id, member_id)
);
