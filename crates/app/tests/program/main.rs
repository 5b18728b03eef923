//! The real program as a process of its own: what it does where nothing can be written, when it is killed, what it logs, and
//! what the command line sends to it.
#![cfg(unix)]

mod apps;
mod bookmarks;
mod crash;
mod full_disk;
mod inbox;
mod killed;
mod log;
mod mcp;
mod modes;
mod proof;
mod running;
#[cfg(target_os = "linux")]
mod sandbox;
mod status;
#[cfg(target_os = "linux")]
mod tray;
mod window;
