//! What a user relies on, rule by rule.

mod admission;
mod context;
mod final_message;
mod find;
mod loops;
mod model;
mod opening;
mod policy;
mod question;
mod refill;
mod rules;
mod sensitive;
mod spawn;
mod state;
