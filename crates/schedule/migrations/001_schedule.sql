-- What waits for a time. next_ms is when it is tried: due_ms, or later once its handler failed.
CREATE TABLE timers (
    account_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    timer_key TEXT NOT NULL,
    due_ms BIGINT NOT NULL,
    next_ms BIGINT NOT NULL,
    payload TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    failed_ms BIGINT NOT NULL,
    PRIMARY KEY (account_id, kind, timer_key)
);
CREATE INDEX timers_by_time ON timers (account_id, kind, next_ms);
-- When jobs that a restart must not repeat last ran. They are the program's: the account is empty.
CREATE TABLE job_runs (
    account_id TEXT NOT NULL,
    job TEXT NOT NULL,
    last_ms BIGINT NOT NULL,
    PRIMARY KEY (account_id, job)
);
