-- Where language models answer. `key_place` says where the key is stored (keychain, file), and is empty without one.
CREATE TABLE model_providers (
  account_id TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  key_place TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, provider_id)
);
CREATE UNIQUE INDEX model_providers_by_name ON model_providers (account_id, name);
-- The model of a use: `utility` for small questions, `vision` for images.
CREATE TABLE model_choices (
  account_id TEXT NOT NULL,
  used_for TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  model TEXT NOT NULL,
  PRIMARY KEY (account_id, used_for)
);
-- Prices that the user set, in millionths of a US dollar for a million tokens. They win over the built-in table.
CREATE TABLE model_prices (
  account_id TEXT NOT NULL,
  model TEXT NOT NULL,
  input BIGINT NOT NULL,
  output BIGINT NOT NULL,
  day TEXT NOT NULL,
  PRIMARY KEY (account_id, model)
);
-- Accounts that only use models that cost nothing.
CREATE TABLE model_free_only (
  account_id TEXT NOT NULL,
  PRIMARY KEY (account_id)
);
