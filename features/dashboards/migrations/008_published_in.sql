-- Which copy of the database a page was published in: what a backup brings back may have been revoked since.
ALTER TABLE dashboard_publications ADD COLUMN made_in BIGINT NOT NULL DEFAULT 0;
