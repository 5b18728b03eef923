mod board;
mod first;
#[cfg(unix)]
mod hook;
mod hubs;
mod navigation;
mod practice;
mod refill;
mod transcripts;
mod usage;
