-- What is published of a dashboard: the document as it left, and never what it was computed from.
CREATE TABLE dashboard_publications (
  account_id TEXT NOT NULL,
  dashboard_id TEXT NOT NULL,
  address TEXT NOT NULL,
  document_json TEXT NOT NULL,
  digest TEXT NOT NULL,
  names BIGINT NOT NULL,
  published_ms BIGINT NOT NULL,
  expires_ms BIGINT,
  PRIMARY KEY (account_id, dashboard_id)
);
