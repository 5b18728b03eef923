-- What sessions cost is in the ledger now, which holds what everything costs. Costs of revived sessions are a purpose of their own.
INSERT INTO ledger_entries (account_id, entry_id, at_ms, day, purpose, hub_id, session_id, provider, model, input_tokens,
  output_tokens, cache_read_tokens, cache_write_tokens, currency, micros, basis, price_date, state)
SELECT u.account_id, u.day || ' ' || u.session_id || ' ' || u.currency || ' ' || u.paid_by_use || u.revived, 0, u.day,
  CASE WHEN u.revived = 1 THEN 'revived' ELSE 'session' END, COALESCE(s.hub_id, ''), u.session_id, u.engine, '', 0, 0, 0, 0,
  u.currency, CAST(round(u.amount * 1000000) AS BIGINT), CASE WHEN u.paid_by_use = 1 THEN 'reported' ELSE 'subscription' END,
  '', 'settled'
FROM session_usage u LEFT JOIN sessions s ON s.account_id = u.account_id AND s.session_id = u.session_id;
DROP TABLE session_usage;
