-- Whether a publication was seen to have expired: it does not come back where the clock is set back after that.
ALTER TABLE dashboard_publications ADD COLUMN has_ended BIGINT NOT NULL DEFAULT 0;
