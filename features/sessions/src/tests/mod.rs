mod board;
mod first;
mod hubs;
mod navigation;
mod practice;
mod transcripts;
