mod board;
mod first;
mod given_env;
#[cfg(unix)]
mod hook;
mod hubs;
mod navigation;
mod place;
mod practice;
mod refill;
mod transcripts;
mod usage;
mod worktrees;
