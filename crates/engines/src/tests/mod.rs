//! Tests of the whole adapter.

mod hostile;
mod plans;
#[cfg(unix)]
mod practice;
#[cfg(unix)]
mod probes;
#[cfg(unix)]
mod processes;
mod provider;
mod replay;
mod support;
