mod hubs;
mod practice;
mod transcripts;
