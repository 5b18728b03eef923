-- Texts that a person saved to begin sessions with. One name is one template.
CREATE TABLE session_templates (
  account_id TEXT NOT NULL,
  template_id TEXT NOT NULL,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, template_id)
);
CREATE UNIQUE INDEX session_templates_by_name ON session_templates (account_id, name);
