mod given_env;
mod hubs;
mod practice;
mod transcripts;
