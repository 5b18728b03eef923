#[cfg(unix)]
mod hook;
mod hubs;
mod practice;
mod transcripts;
mod wall;
