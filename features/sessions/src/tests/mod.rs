mod approved;
mod artifacts;
mod ask;
mod board;
mod changes;
mod changes_limits;
mod changes_stage;
mod context_notes;
mod default_engine;
mod ended;
#[cfg(unix)]
mod engine_settings;
#[cfg(unix)]
mod engine_turns;
mod faults;
mod find;
#[cfg(unix)]
mod find_batching;
mod first;
mod folders;
mod forks;
mod given_env;
#[cfg(unix)]
mod hook;
mod hubs;
mod image_bridge;
mod instructions;
mod kills;
#[cfg(unix)]
mod login_load;
mod navigation;
mod needs;
mod practice;
#[cfg(unix)]
mod real_engines;
mod refill;
mod repeats;
mod routine;
mod rules;
mod sandbox;
mod scheduled;
mod script;
mod skills;
mod steering;
mod supervision;
mod templates;
#[cfg(unix)]
mod titles;
mod tool_servers;
mod transcripts;
mod usage;
mod watch;
mod working_dir;
mod worktrees;
