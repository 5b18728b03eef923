-- What sessions ask a person for (`kind` input) and keys that they offer (`kind` key). `session_id` is empty where a script of the
-- person's asks; `target` is env or secret and `target_name` what it is called there. `sealed` is an offered value, sealed with a
-- key that is not in the database; it is empty for what is asked for, and once the person has decided. Times are milliseconds since
-- 1970, 0 where it has not come to that.
CREATE TABLE asks (
  account_id TEXT NOT NULL,
  ask_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  session_id TEXT NOT NULL,
  name TEXT NOT NULL,
  note TEXT NOT NULL,
  target TEXT NOT NULL,
  target_name TEXT NOT NULL,
  sealed TEXT NOT NULL,
  status TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  decided_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, ask_id)
);
CREATE INDEX asks_by_status ON asks (account_id, status, session_id, ask_id);
-- Which secrets are kept, and where (`place`: keychain or file) under which name (`slot`). The values are there alone. `session_id`
-- is empty for what is of the account.
CREATE TABLE kept_secrets (
  account_id TEXT NOT NULL,
  secret_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  session_id TEXT NOT NULL,
  name TEXT NOT NULL,
  slot TEXT NOT NULL,
  place TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, secret_id)
);
CREATE UNIQUE INDEX kept_secrets_by_name ON kept_secrets (account_id, kind, session_id, name);
-- Slots that no kept secret names: written before a value is put there, and when another takes its place. What is left here by a
-- crash is forgotten by the next start, so no value stays in a keychain that nobody knows of. `place` is empty where it is not
-- known whether a value came to its place.
CREATE TABLE loose_slots (
  account_id TEXT NOT NULL,
  slot TEXT NOT NULL,
  place TEXT NOT NULL,
  PRIMARY KEY (account_id, slot)
);
