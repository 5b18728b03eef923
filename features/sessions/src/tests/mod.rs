#[cfg(unix)]
mod hook;
mod hubs;
mod practice;
mod refill;
mod transcripts;
mod usage;
