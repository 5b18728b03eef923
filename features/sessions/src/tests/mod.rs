mod board;
mod faults;
mod first;
mod given_env;
#[cfg(unix)]
mod hook;
mod hubs;
mod kills;
mod navigation;
mod place;
mod practice;
mod refill;
mod script;
mod steering;
mod supervision;
mod transcripts;
mod usage;
mod worktrees;
