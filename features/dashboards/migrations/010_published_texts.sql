-- Whether names of items and texts of cells stand on a page. Of what was published before this could be chosen nobody ticked it.
ALTER TABLE dashboard_publications ADD COLUMN texts BIGINT NOT NULL DEFAULT 0;
