CREATE TABLE accounts (
  account_id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  created_ms BIGINT NOT NULL
);

CREATE TABLE alarms (
  account_id TEXT NOT NULL,
  alarm_id TEXT NOT NULL,
  label TEXT NOT NULL,
  is_on BIGINT NOT NULL,
  at_time TEXT NOT NULL,
  on_date TEXT,
  on_days TEXT NOT NULL,
  zone TEXT NOT NULL,
  sound TEXT NOT NULL,
  duration_s BIGINT NOT NULL,
  fade_in_s BIGINT NOT NULL,
  plays_once BIGINT NOT NULL,
  speaks_label BIGINT NOT NULL,
  snoozes_max BIGINT NOT NULL,
  snooze_minutes BIGINT NOT NULL,
  next_ms BIGINT NOT NULL,
  state TEXT NOT NULL,
  since_ms BIGINT NOT NULL,
  until_ms BIGINT NOT NULL,
  snoozes BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, alarm_id)
);

CREATE INDEX alarms_by_state ON alarms (account_id, state);

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

CREATE TABLE board_columns (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  column_id TEXT NOT NULL,
  position BIGINT NOT NULL,
  title TEXT NOT NULL,
  type TEXT NOT NULL,
  settings_json TEXT NOT NULL, links_to TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (account_id, board_id, column_id)
);

CREATE INDEX board_columns_by_link ON board_columns (account_id, links_to);

CREATE TABLE board_counts_left (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  of_board TEXT NOT NULL,
  of_revision BIGINT NOT NULL,
  ids_json TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, of_board, of_revision)
);

CREATE TABLE board_dues (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  revision BIGINT NOT NULL,
  columns_json TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id)
);

CREATE TABLE board_files (
  account_id TEXT NOT NULL,
  file_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  column_id TEXT NOT NULL,
  name TEXT NOT NULL,
  media TEXT NOT NULL,
  size_bytes BIGINT NOT NULL,
  sha256 TEXT NOT NULL,
  added_ms BIGINT NOT NULL,
  -- Since when no cell names it, here or put away; 0 while one does.
  let_go_ms BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, file_id)
);

CREATE INDEX board_files_by_board ON board_files (account_id, board_id, file_id);

CREATE INDEX board_files_by_hash ON board_files (account_id, sha256);

CREATE TABLE board_formulas_left (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  after_item TEXT NOT NULL,
  done BIGINT NOT NULL,
  PRIMARY KEY (account_id, board_id)
);

CREATE TABLE board_groups (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  position BIGINT NOT NULL,
  name TEXT NOT NULL,
  color TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, group_id)
);

CREATE TABLE board_imports (
  account_id TEXT NOT NULL,
  import_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  source TEXT NOT NULL,
  made_board BIGINT NOT NULL,
  undone BIGINT NOT NULL,
  at_ms BIGINT NOT NULL,
  -- Ids of the board's columns by the titles that they have in the file.
  columns_json TEXT NOT NULL,
  PRIMARY KEY (account_id, import_id)
);

CREATE INDEX board_imports_by_board ON board_imports (account_id, board_id, at_ms);

CREATE TABLE board_kept (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  thing_id TEXT NOT NULL,
  -- 'trash' is emptied after a while, 'archive' never by itself.
  state TEXT NOT NULL,
  name TEXT NOT NULL,
  -- The name in small letters, to be searched.
  name_lower TEXT NOT NULL,
  -- What it left along with and comes back with, such as 'group/g2'; empty where it left by itself.
  with_thing TEXT NOT NULL,
  group_id TEXT NOT NULL,
  position BIGINT NOT NULL,
  record_json TEXT NOT NULL,
  kept_ms BIGINT NOT NULL,
  actor TEXT NOT NULL,
  session_id TEXT,
  PRIMARY KEY (account_id, board_id, kind, thing_id)
);

CREATE INDEX board_kept_along ON board_kept (account_id, board_id, with_thing, kind, thing_id);

CREATE INDEX board_kept_by_time ON board_kept (account_id, board_id, state, with_thing, kept_ms, kind, thing_id);

CREATE INDEX board_kept_due ON board_kept (state, with_thing, kept_ms);

CREATE TABLE board_sent_steps (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  step_id TEXT NOT NULL,
  revision BIGINT NOT NULL,
  digest TEXT NOT NULL,
  answer_json TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, step_id)
) /* sqlite: WITHOUT ROWID */;

CREATE TABLE board_steps (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  revision BIGINT NOT NULL,
  first_change TEXT NOT NULL,
  last_change TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, revision)
) /* sqlite: WITHOUT ROWID */;

CREATE TABLE board_views (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  view_id TEXT NOT NULL,
  position BIGINT NOT NULL,
  revision BIGINT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  settings_json TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, view_id)
);

CREATE TABLE boards (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  state TEXT NOT NULL,
  revision BIGINT NOT NULL,
  item_count BIGINT NOT NULL,
  next_column BIGINT NOT NULL,
  next_group BIGINT NOT NULL,
  last_position BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  updated_ms BIGINT NOT NULL, left_since BIGINT NOT NULL DEFAULT 0, kept_ms BIGINT NOT NULL DEFAULT 0, subitem_count BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, board_id)
);

CREATE INDEX boards_by_workspace ON boards (account_id, workspace_id, board_id);

CREATE TABLE calendar_accounts (
  account_id TEXT NOT NULL,
  dav_id TEXT NOT NULL,
  url TEXT NOT NULL,
  home_url TEXT NOT NULL,
  username TEXT NOT NULL,
  secret_place TEXT NOT NULL,
  emails TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, dav_id)
);

CREATE TABLE calendar_events (
  account_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  calendar_id TEXT NOT NULL,
  uid TEXT NOT NULL,
  href TEXT NOT NULL,
  etag TEXT NOT NULL,
  ical TEXT NOT NULL,
  pending TEXT NOT NULL,
  first_ms BIGINT NOT NULL,
  last_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, event_id)
);

CREATE INDEX calendar_events_by_calendar ON calendar_events (account_id, calendar_id, uid);

CREATE INDEX calendar_events_by_time ON calendar_events (account_id, last_ms);

CREATE TABLE calendar_reminded (
  account_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  start_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, event_id, start_ms)
);

CREATE TABLE calendar_undos (
  account_id TEXT NOT NULL,
  undo_id TEXT NOT NULL,
  rows_json TEXT NOT NULL,
  is_conflict BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, undo_id)
);

CREATE TABLE calendars (
  account_id TEXT NOT NULL,
  calendar_id TEXT NOT NULL,
  dav_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  color TEXT NOT NULL,
  is_shown BIGINT NOT NULL,
  is_writable BIGINT NOT NULL,
  url TEXT NOT NULL,
  sync_state TEXT NOT NULL,
  problem TEXT NOT NULL,
  synced_ms BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  deleted_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, calendar_id)
);

CREATE TABLE changes (
  account_id TEXT NOT NULL,
  change_id TEXT NOT NULL,
  at_ms BIGINT NOT NULL,
  actor TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  session_id TEXT,
  subject TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  field TEXT NOT NULL,
  before_json TEXT,
  after_json TEXT, prior_id TEXT, member_id TEXT,
  PRIMARY KEY (account_id, change_id)
) /* sqlite: WITHOUT ROWID */;

CREATE INDEX changes_by_subject ON changes (account_id, subject, subject_id, change_id) WHERE subject <> 'item';

CREATE TABLE column_cells_kept (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  column_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  value_json TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, column_id, item_id)
);

CREATE TABLE columns_to_categorize (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  column_id TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, column_id)
) /* sqlite: WITHOUT ROWID */;

CREATE TABLE dashboard_apps (
  account_id TEXT NOT NULL,
  app_id TEXT NOT NULL,
  address TEXT NOT NULL,
  allowed_ms BIGINT NOT NULL,
  made_in BIGINT NOT NULL,
  PRIMARY KEY (account_id, app_id)
);

CREATE TABLE dashboard_history (
  account_id TEXT NOT NULL,
  dashboard_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  history_json TEXT NOT NULL,
  recorded_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, dashboard_id, board_id)
);

CREATE TABLE dashboard_members (
  account_id TEXT NOT NULL,
  dashboard_id TEXT NOT NULL,
  member_id TEXT NOT NULL,
  role TEXT NOT NULL,
  invited_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, dashboard_id, member_id)
);

CREATE TABLE dashboard_proposals (
  account_id TEXT NOT NULL,
  dashboard_id TEXT NOT NULL,
  proposal_id TEXT NOT NULL,
  state TEXT NOT NULL,
  proposer TEXT NOT NULL,
  session_id TEXT,
  changes_json TEXT NOT NULL,
  base_json TEXT NOT NULL,
  proposed_json TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  decided_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, dashboard_id, proposal_id)
);

CREATE TABLE dashboard_publications (
  account_id TEXT NOT NULL,
  dashboard_id TEXT NOT NULL,
  address TEXT NOT NULL,
  document_json TEXT NOT NULL,
  digest TEXT NOT NULL,
  names BIGINT NOT NULL,
  published_ms BIGINT NOT NULL,
  expires_ms BIGINT, made_in BIGINT NOT NULL DEFAULT 0, texts BIGINT NOT NULL DEFAULT 0, has_ended BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, dashboard_id)
);

CREATE TABLE dashboard_snapshots (
  account_id TEXT NOT NULL,
  dashboard_id TEXT NOT NULL,
  is_on BIGINT NOT NULL,
  since_day BIGINT NOT NULL,
  last_day BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, dashboard_id)
);

CREATE TABLE dashboards (
  account_id TEXT NOT NULL,
  dashboard_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  config_json TEXT NOT NULL,
  revision BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  updated_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, dashboard_id)
);

CREATE INDEX dashboards_by_workspace ON dashboards (account_id, workspace_id);

CREATE TABLE deleted_dashboards (
  account_id TEXT NOT NULL,
  dashboard_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  config_json TEXT NOT NULL,
  revision BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  deleted_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, dashboard_id)
);

CREATE INDEX deleted_dashboards_by_time ON deleted_dashboards (deleted_ms);

CREATE TABLE developer_messages (
  account_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  shown_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, message_id)
);

CREATE TABLE digest_events (
  account_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  line TEXT NOT NULL,
  PRIMARY KEY (account_id, event_id)
);

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

CREATE TABLE drip_items (
  account_id TEXT NOT NULL,
  queue_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  place BIGINT NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  content TEXT NOT NULL,
  state TEXT NOT NULL,
  released_ms BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, queue_id, item_id)
);

CREATE TABLE drip_queues (
  account_id TEXT NOT NULL,
  queue_id TEXT NOT NULL,
  name TEXT NOT NULL,
  is_on BIGINT NOT NULL,
  every_hours BIGINT NOT NULL,
  at_time TEXT NOT NULL,
  on_days TEXT NOT NULL,
  zone TEXT NOT NULL,
  next_ms BIGINT NOT NULL,
  deleted_ms BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, queue_id)
);

CREATE TABLE engine_settings (
  account_id TEXT NOT NULL,
  engine_id TEXT NOT NULL,
  config TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, engine_id)
);

CREATE TABLE files_unnamed (
  account_id TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  since_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, sha256)
);

CREATE TABLE first_account (
  account_id TEXT NOT NULL PRIMARY KEY
);

CREATE TABLE focus_mode (
  account_id TEXT NOT NULL PRIMARY KEY,
  started_ms BIGINT NOT NULL,
  ends_ms BIGINT NOT NULL,
  through TEXT NOT NULL
, is_automatic BIGINT NOT NULL DEFAULT 0);

CREATE TABLE focus_toggles (
  account_id TEXT NOT NULL PRIMARY KEY,
  toggles BIGINT NOT NULL
);

CREATE TABLE hub_presets (
  account_id TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  preset TEXT NOT NULL,
  text TEXT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, hub_id, preset)
);

CREATE TABLE hub_tool_servers (
  account_id TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  name TEXT NOT NULL,
  config TEXT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, hub_id, name)
);

CREATE TABLE hubs (
  account_id TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  name TEXT NOT NULL,
  folder TEXT NOT NULL,
  created_ms BIGINT NOT NULL, purpose TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (account_id, hub_id)
);

CREATE UNIQUE INDEX hubs_by_folder ON hubs (account_id, folder);

CREATE TABLE import_changes (
  account_id TEXT NOT NULL,
  import_id TEXT NOT NULL,
  place BIGINT NOT NULL,
  board_id TEXT NOT NULL,
  external_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  -- The item before, or null where it was added; after; and what the import before this one gave it.
  before_json TEXT,
  after_json TEXT NOT NULL,
  given_json TEXT,
  PRIMARY KEY (account_id, import_id, place)
);

CREATE INDEX import_changes_by_board ON import_changes (account_id, board_id);

CREATE TABLE import_items (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  -- The tool's name, or `table`.
  source TEXT NOT NULL,
  external_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  given_json TEXT NOT NULL, knows_parent BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, board_id, source, external_id)
);

CREATE TABLE inbox_rows (
  account_id TEXT NOT NULL,
  row_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  row_key TEXT,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  severity TEXT NOT NULL,
  link TEXT,
  session_id TEXT,
  project_id TEXT,
  actor TEXT NOT NULL,
  actor_session_id TEXT,
  actor_member_id TEXT,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  read_ms BIGINT NOT NULL,
  settled_ms BIGINT NOT NULL,
  outcome TEXT NOT NULL, need BIGINT NOT NULL DEFAULT 0, board_id TEXT, snoozed_until_ms BIGINT NOT NULL DEFAULT 0, follow_up_ms BIGINT NOT NULL DEFAULT 0, place TEXT NOT NULL DEFAULT '', batch_id TEXT NOT NULL DEFAULT '', attachments TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (account_id, row_id)
);

CREATE INDEX inbox_rows_by_change ON inbox_rows (account_id, changed_ms);

CREATE INDEX inbox_rows_by_count ON inbox_rows (account_id, settled_ms, kind, need, snoozed_until_ms, read_ms, session_id);

CREATE UNIQUE INDEX inbox_rows_by_key ON inbox_rows (account_id, row_key) WHERE settled_ms = 0;

CREATE INDEX inbox_rows_by_need ON inbox_rows (account_id, settled_ms, need, created_ms);

CREATE INDEX inbox_rows_by_place ON inbox_rows (account_id, settled_ms, snoozed_until_ms, place);

CREATE INDEX inbox_rows_by_session ON inbox_rows (account_id, actor_session_id, settled_ms);

CREATE TABLE inbox_stat_rows (
  account_id TEXT NOT NULL,
  row_id TEXT NOT NULL,
  stat_id TEXT NOT NULL,
  PRIMARY KEY (account_id, row_id)
);

CREATE TABLE inbox_stats (
  account_id TEXT NOT NULL,
  stat_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  posted_ms BIGINT NOT NULL,
  looked_ms BIGINT NOT NULL,
  snoozed_ms BIGINT NOT NULL,
  ended_ms BIGINT NOT NULL,
  ending TEXT NOT NULL,
  open_seconds BIGINT NOT NULL,
  PRIMARY KEY (account_id, stat_id)
);

CREATE INDEX inbox_stats_by_time ON inbox_stats (account_id, posted_ms);

CREATE TABLE instruction_copies (
  account_id TEXT NOT NULL,
  folder TEXT NOT NULL,
  name TEXT NOT NULL,
  source TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  note TEXT NOT NULL,
  warning TEXT NOT NULL,
  written_hash TEXT NOT NULL,
  pending_hash TEXT NOT NULL,
  asked_hash TEXT NOT NULL,
  exclude_file TEXT NOT NULL,
  exclude_line TEXT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, folder, name)
);

CREATE INDEX instruction_copies_by_line ON instruction_copies (exclude_file, exclude_line);

CREATE TABLE instruction_originals (
  account_id TEXT NOT NULL,
  original_id TEXT NOT NULL,
  folder TEXT NOT NULL,
  name TEXT NOT NULL,
  content TEXT NOT NULL,
  replaced_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, original_id)
);

CREATE INDEX instruction_originals_by_file ON instruction_originals (account_id, folder, name);

CREATE TABLE instruction_problems (
  account_id TEXT NOT NULL,
  folder TEXT NOT NULL,
  problem TEXT NOT NULL,
  PRIMARY KEY (account_id, folder)
);

CREATE TABLE item_changes (
  account_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  newest_id TEXT NOT NULL,
  PRIMARY KEY (account_id, item_id)
) /* sqlite: WITHOUT ROWID */;

CREATE TABLE item_comments (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  comment_id TEXT NOT NULL,
  -- Counts up within the item: identifiers made in the same millisecond do not sort.
  place BIGINT NOT NULL,
  author_kind TEXT NOT NULL,
  author_name TEXT NOT NULL,
  -- Who may change it: whoever has the same key.
  author_key TEXT NOT NULL,
  session_id TEXT,
  body TEXT NOT NULL,
  mentions_json TEXT NOT NULL,
  state TEXT NOT NULL,
  revision BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  updated_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, board_id, item_id, comment_id)
);

CREATE UNIQUE INDEX item_comments_by_place ON item_comments (account_id, board_id, item_id, place);

CREATE TABLE item_dues (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  day BIGINT NOT NULL,
  members_json TEXT NOT NULL,
  next_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, board_id, item_id)
);

CREATE INDEX item_dues_by_next ON item_dues (account_id, next_ms);

CREATE TABLE item_dues_told (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  day BIGINT NOT NULL,
  kind TEXT NOT NULL,
  member_id TEXT NOT NULL,
  PRIMARY KEY (account_id, board_id, item_id, day, kind, member_id)
);

CREATE TABLE items (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  position BIGINT NOT NULL,
  revision BIGINT NOT NULL,
  record_json TEXT NOT NULL, parent_id TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (account_id, board_id, item_id)
);

CREATE INDEX items_by_id ON items (item_id);

CREATE INDEX items_by_parent ON items (account_id, board_id, parent_id, position, item_id) WHERE parent_id <> '';

CREATE INDEX items_by_position ON items (account_id, board_id, position, item_id);

CREATE INDEX items_by_revision ON items (account_id, board_id, revision);

CREATE TABLE items_by_columns (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  position BIGINT NOT NULL,
  name TEXT NOT NULL,
  cells_json TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  updated_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, board_id, item_id)
);

CREATE TABLE items_left (
  account_id TEXT NOT NULL,
  board_id TEXT NOT NULL,
  revision BIGINT NOT NULL,
  item_id TEXT NOT NULL,
  position BIGINT NOT NULL,
  PRIMARY KEY (account_id, board_id, revision, item_id)
);

CREATE TABLE job_runs (
    account_id TEXT NOT NULL,
    job TEXT NOT NULL,
    last_ms BIGINT NOT NULL,
    PRIMARY KEY (account_id, job)
);

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

CREATE TABLE ledger_entries (
  account_id TEXT NOT NULL,
  entry_id TEXT NOT NULL,
  at_ms BIGINT NOT NULL,
  day TEXT NOT NULL,
  purpose TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cache_read_tokens BIGINT NOT NULL,
  cache_write_tokens BIGINT NOT NULL,
  currency TEXT NOT NULL,
  micros BIGINT,
  basis TEXT NOT NULL,
  price_date TEXT NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (account_id, entry_id)
);

CREATE INDEX ledger_entries_by_day ON ledger_entries (account_id, day, entry_id);

CREATE INDEX ledger_entries_by_purpose ON ledger_entries (account_id, purpose, at_ms);

CREATE TABLE links (
  account_id TEXT NOT NULL,
  list TEXT NOT NULL,
  link_id TEXT NOT NULL,
  folder_id TEXT NOT NULL,
  position BIGINT NOT NULL,
  name TEXT NOT NULL,
  address TEXT,
  note TEXT NOT NULL,
  used_ms BIGINT NOT NULL,
  deleted_ms BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, list, link_id)
);

CREATE TABLE loose_slots (
  account_id TEXT NOT NULL,
  slot TEXT NOT NULL,
  place TEXT NOT NULL,
  PRIMARY KEY (account_id, slot)
);

CREATE TABLE members (
  account_id TEXT NOT NULL,
  member_id TEXT NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  role TEXT NOT NULL,
  time_zone TEXT NOT NULL,
  created_ms BIGINT NOT NULL, is_you BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, member_id)
);

CREATE TABLE migrations (feature TEXT NOT NULL, number BIGINT NOT NULL, PRIMARY KEY (feature, number));

CREATE TABLE model_choices (
  account_id TEXT NOT NULL,
  used_for TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  model TEXT NOT NULL,
  PRIMARY KEY (account_id, used_for)
);

CREATE TABLE model_free_only (
  account_id TEXT NOT NULL,
  PRIMARY KEY (account_id)
);

CREATE TABLE model_prices (
  account_id TEXT NOT NULL,
  model TEXT NOT NULL,
  input BIGINT NOT NULL,
  output BIGINT NOT NULL,
  day TEXT NOT NULL,
  PRIMARY KEY (account_id, model)
);

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

CREATE TABLE notification_history (
  account_id TEXT NOT NULL,
  entry_id TEXT NOT NULL,
  row_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  session_id TEXT,
  decision TEXT NOT NULL,
  reason TEXT NOT NULL,
  until_ms BIGINT NOT NULL,
  decided_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, entry_id)
);

CREATE INDEX notification_history_by_time ON notification_history (account_id, decided_ms);

CREATE TABLE notification_mute (
  account_id TEXT NOT NULL PRIMARY KEY,
  muted_ms BIGINT NOT NULL
);

CREATE TABLE notification_sounds (
  account_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  sound TEXT NOT NULL,
  PRIMARY KEY (account_id, kind)
);

CREATE TABLE notifications (
  account_id TEXT NOT NULL,
  row_id TEXT NOT NULL,
  state TEXT NOT NULL,
  due_ms BIGINT NOT NULL,
  system_id BIGINT NOT NULL,
  PRIMARY KEY (account_id, row_id)
);

CREATE INDEX notifications_by_state ON notifications (account_id, state, due_ms);

CREATE INDEX notifications_by_system ON notifications (account_id, system_id);

CREATE TABLE pomodoro_blocks (
  account_id TEXT NOT NULL,
  block_id TEXT NOT NULL,
  ended_ms BIGINT NOT NULL,
  worked_ms BIGINT NOT NULL,
  is_complete BIGINT NOT NULL,
  PRIMARY KEY (account_id, block_id)
);

CREATE INDEX pomodoro_blocks_by_time ON pomodoro_blocks (account_id, ended_ms);

CREATE TABLE pomodoro_presets (
  account_id TEXT NOT NULL,
  preset_id TEXT NOT NULL,
  name TEXT NOT NULL,
  focus_minutes BIGINT NOT NULL,
  break_minutes BIGINT NOT NULL,
  long_minutes BIGINT NOT NULL,
  long_every BIGINT NOT NULL,
  focus_mode TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, preset_id)
);

CREATE TABLE pomodoro_rules (
  account_id TEXT NOT NULL,
  rule_id TEXT NOT NULL,
  preset_id TEXT NOT NULL,
  is_on BIGINT NOT NULL,
  at_time TEXT NOT NULL,
  on_days TEXT NOT NULL,
  zone TEXT NOT NULL,
  next_ms BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, rule_id)
);

CREATE TABLE pomodoro_runs (
  account_id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  focus_minutes BIGINT NOT NULL,
  break_minutes BIGINT NOT NULL,
  long_minutes BIGINT NOT NULL,
  long_every BIGINT NOT NULL,
  phase TEXT NOT NULL,
  block BIGINT NOT NULL,
  started_ms BIGINT NOT NULL,
  phase_ms BIGINT NOT NULL,
  since_ms BIGINT NOT NULL,
  worked_ms BIGINT NOT NULL,
  ends_ms BIGINT NOT NULL,
  left_ms BIGINT NOT NULL,
  manages_focus BIGINT NOT NULL,
  toggles BIGINT NOT NULL
);

CREATE TABLE scheduled_deliveries (
  account_id TEXT NOT NULL,
  delivery_id TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (account_id, delivery_id)
);

CREATE TABLE scheduled_messages (
  account_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  target TEXT NOT NULL,
  target_id TEXT NOT NULL,
  is_on BIGINT NOT NULL,
  at_time TEXT NOT NULL,
  on_date TEXT,
  on_days TEXT NOT NULL,
  zone TEXT NOT NULL,
  next_ms BIGINT NOT NULL,
  approval TEXT NOT NULL,
  by_session TEXT NOT NULL,
  sent BIGINT NOT NULL,
  last_ms BIGINT NOT NULL,
  problem TEXT NOT NULL,
  deleted_ms BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, message_id)
);

CREATE TABLE session_asks (
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  ask_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  request TEXT NOT NULL,
  why TEXT NOT NULL,
  asked_ms BIGINT NOT NULL,
  answered_ms BIGINT NOT NULL,
  answer TEXT NOT NULL,
  answered_by TEXT NOT NULL, said TEXT NOT NULL DEFAULT '', rule TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (account_id, session_id, ask_id)
);

CREATE INDEX session_asks_open ON session_asks (account_id, answered_ms, session_id, ask_id);

CREATE TABLE session_entries (
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  entry BIGINT NOT NULL,
  at_ms BIGINT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (account_id, session_id, entry)
);

CREATE TABLE session_meters (
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  currency TEXT NOT NULL,
  engine_session TEXT NOT NULL,
  amount DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (account_id, session_id, currency)
);

CREATE TABLE session_prompts (
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  prompt_id BIGINT NOT NULL,
  at_ms BIGINT NOT NULL,
  actor TEXT NOT NULL,
  actor_session_id TEXT,
  content TEXT NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (account_id, session_id, prompt_id)
);

CREATE TABLE session_revivals (
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  at_ms BIGINT NOT NULL,
  day TEXT NOT NULL,
  ended_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, session_id, at_ms)
);

CREATE INDEX session_revivals_by_time ON session_revivals (account_id, at_ms);

CREATE TABLE session_rules (
  account_id TEXT NOT NULL,
  rule_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  pattern TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  session_id TEXT NOT NULL,
  ask_id TEXT NOT NULL,
  PRIMARY KEY (account_id, rule_id)
);

CREATE INDEX session_rules_by_scope ON session_rules (account_id, scope, scope_id);

CREATE TABLE session_skips (
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  why TEXT NOT NULL,
  PRIMARY KEY (account_id, session_id)
);

CREATE TABLE session_starts (
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  blocks TEXT NOT NULL,
  batches_find BIGINT NOT NULL,
  at_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, session_id)
);

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

CREATE TABLE session_worktrees (
  account_id TEXT NOT NULL,
  worktree_id TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  hub_folder TEXT NOT NULL,
  session_id TEXT NOT NULL,
  folder TEXT NOT NULL,
  branch TEXT NOT NULL,
  base TEXT NOT NULL,
  base_commit TEXT NOT NULL,
  state TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  removed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, worktree_id)
);

CREATE INDEX session_worktrees_by_state ON session_worktrees (state, removed_ms);

CREATE TABLE sessions (
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  title TEXT NOT NULL,
  engine TEXT NOT NULL,
  model TEXT NOT NULL,
  cwd TEXT NOT NULL,
  origin TEXT NOT NULL,
  driven BIGINT NOT NULL,
  counted BIGINT NOT NULL,
  parent_id TEXT,
  depth BIGINT NOT NULL,
  engine_session TEXT NOT NULL,
  state TEXT NOT NULL,
  active BIGINT NOT NULL,
  life TEXT NOT NULL,
  turns BIGINT NOT NULL,
  run_ms BIGINT NOT NULL,
  cost_usd DOUBLE PRECISION,
  used_tokens BIGINT NOT NULL,
  size_tokens BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL, mode TEXT NOT NULL DEFAULT '', facts TEXT NOT NULL DEFAULT '{}', last_entry BIGINT NOT NULL DEFAULT 0, seen_entry BIGINT NOT NULL DEFAULT 0, effort TEXT NOT NULL DEFAULT '', own_level TEXT NOT NULL DEFAULT '', fork_session TEXT NOT NULL DEFAULT '', fork_entry BIGINT NOT NULL DEFAULT 0, fork_message BIGINT NOT NULL DEFAULT 0, is_named BIGINT NOT NULL DEFAULT 1,
  PRIMARY KEY (account_id, session_id)
);

CREATE INDEX sessions_by_activity ON sessions (active, account_id, session_id);

CREATE INDEX sessions_by_hub ON sessions (account_id, hub_id, session_id);

CREATE INDEX sessions_by_parent ON sessions (account_id, parent_id, session_id);

CREATE INDEX sessions_by_state ON sessions (account_id, state, changed_ms);

CREATE TABLE settings (
  account_id TEXT NOT NULL,
  key TEXT NOT NULL,
  value_json TEXT NOT NULL,
  revision BIGINT NOT NULL,
  set_ms BIGINT NOT NULL,
  actor TEXT NOT NULL,
  PRIMARY KEY (account_id, key)
);

CREATE TABLE settings_revisions (
  account_id TEXT NOT NULL PRIMARY KEY,
  revision BIGINT NOT NULL
);

CREATE TABLE settings_undone (
  account_id TEXT NOT NULL,
  change_id TEXT NOT NULL,
  undone_by TEXT NOT NULL,
  PRIMARY KEY (account_id, change_id)
);

CREATE TABLE sticky_notes (
  account_id TEXT NOT NULL,
  note_id TEXT NOT NULL,
  text TEXT NOT NULL,
  color TEXT NOT NULL,
  is_open BIGINT NOT NULL,
  place_x BIGINT,
  place_y BIGINT,
  width BIGINT NOT NULL,
  height BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, note_id)
);

CREATE TABLE task_caught (
  account_id TEXT NOT NULL,
  caught_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  caught_text TEXT NOT NULL,
  state TEXT NOT NULL,
  task_id TEXT NOT NULL,
  caught_ms BIGINT NOT NULL,
  settled_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, caught_id)
);

CREATE TABLE task_counters (
  account_id TEXT NOT NULL PRIMARY KEY,
  revision BIGINT NOT NULL,
  swept_revision BIGINT NOT NULL,
  tasks BIGINT NOT NULL
);

CREATE TABLE task_mirrors (
  account_id TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  base TEXT,
  pending TEXT,
  head TEXT NOT NULL,
  state TEXT NOT NULL,
  detail TEXT NOT NULL,
  removes BIGINT NOT NULL,
  synced_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, hub_id)
);

CREATE TABLE task_scans (
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  hub_id TEXT NOT NULL,
  turns BIGINT NOT NULL,
  asked_turns BIGINT NOT NULL,
  PRIMARY KEY (account_id, session_id)
);

CREATE TABLE tasks (
  account_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  revision BIGINT NOT NULL,
  hub_id TEXT NOT NULL,
  parent_id TEXT NOT NULL,
  place BIGINT NOT NULL,
  task_text TEXT NOT NULL,
  state TEXT NOT NULL,
  due TEXT NOT NULL,
  snoozed_until TEXT NOT NULL,
  priority BIGINT NOT NULL,
  session_id TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  changed_ms BIGINT NOT NULL,
  finished_ms BIGINT NOT NULL,
  deleted_ms BIGINT NOT NULL,
  deleted_with TEXT NOT NULL,
  text_revision BIGINT NOT NULL,
  state_revision BIGINT NOT NULL,
  due_revision BIGINT NOT NULL,
  snooze_revision BIGINT NOT NULL,
  priority_revision BIGINT NOT NULL,
  place_revision BIGINT NOT NULL,
  PRIMARY KEY (account_id, task_id)
);

CREATE INDEX tasks_by_parent ON tasks (account_id, parent_id, hub_id, place);

CREATE INDEX tasks_by_revision ON tasks (account_id, revision);

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

CREATE TABLE tokens (
  account_id TEXT NOT NULL,
  token_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  session_id TEXT,
  member_id TEXT,
  scopes TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  expires_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, token_id)
);

CREATE TABLE watching_days (
  account_id TEXT NOT NULL,
  day TEXT NOT NULL,
  seconds BIGINT NOT NULL,
  PRIMARY KEY (account_id, day)
);

CREATE TABLE watching_recaps (
  account_id TEXT NOT NULL PRIMARY KEY,
  posted_ms BIGINT NOT NULL
);

CREATE TABLE workspaces (
  account_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (account_id, workspace_id)
);
