-- Working hours of members (`person_id` is the member's ID, `name` and `time_zone` are empty), and other people with
-- their own name and time zone. `days` has a bit for each weekday, Monday first; times are minutes since midnight, and
-- `end_min` is at or before `start_min` if work ends the next day.
CREATE TABLE team_people (
  account_id TEXT NOT NULL,
  person_id TEXT NOT NULL,
  name TEXT NOT NULL,
  time_zone TEXT NOT NULL,
  days BIGINT NOT NULL,
  start_min BIGINT NOT NULL,
  end_min BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, person_id)
);
