-- A digest of what sessions did. `kind` is daily, weekly, or archive; `period` is the local day on which it was due, so that each is
-- written once. `content` is JSON. `state` is `done`, `empty` if
-- nothing happened, or `paused` while the spending limit keeps a model from writing it.
CREATE TABLE digests (
  account_id TEXT NOT NULL,
  digest_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  period TEXT NOT NULL,
  from_ms BIGINT NOT NULL,
  to_ms BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  state TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (account_id, digest_id)
);
CREATE UNIQUE INDEX digests_by_period ON digests (account_id, kind, period);
