-- What a dashboard would become, and what it was when that was proposed; both are emptied once it is decided.
CREATE TABLE dashboard_proposals (
  account_id TEXT NOT NULL,
  dashboard_id TEXT NOT NULL,
  proposal_id TEXT NOT NULL,
  state TEXT NOT NULL,
  proposer TEXT NOT NULL,
  session_id TEXT,
  changes_json TEXT NOT NULL,
  base_json TEXT NOT NULL,
  proposed_json TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  decided_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, dashboard_id, proposal_id)
);
