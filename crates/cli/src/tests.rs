//! Commands against a scripted program on the loopback address, or against a transport in process.

mod bridge;
mod completion;
mod derivation;
mod finding;
mod ids_by_name;
mod output;
mod readable;
mod refusals;
mod setting_commands;
mod support;
