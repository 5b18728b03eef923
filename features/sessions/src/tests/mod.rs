mod faults;
mod hubs;
mod kills;
mod practice;
mod script;
mod steering;
mod supervision;
mod transcripts;
