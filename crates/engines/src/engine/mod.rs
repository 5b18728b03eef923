//! The engines: a file each.

mod claude;
mod codex;
mod external;
mod gemini;
mod opencode;
mod practice;

pub use claude::Claude;
pub use codex::Codex;
pub use external::External;
pub use gemini::Gemini;
pub use opencode::OpenCode;
pub use practice::{HOME as PRACTICE_HOME, Practice};

use crate::port::Engine;
use std::sync::Arc;

/// The engines that are known without configuration and found on the user's machine.
pub fn known() -> Vec<Arc<dyn Engine>> {
    vec![Arc::new(Claude), Arc::new(Codex), Arc::new(OpenCode), Arc::new(Gemini)]
}
