//! What the user exported for an engine, as it seems, and the engine doesn't get.

use crate::engine::{Practice, known};
use crate::port::{Engine, Env, Machine};

/// Services that several engines may be set up for.
const SERVICES: [&str; 4] = ["AWS_", "AZURE_", "LITELLM_", "OPENROUTER_"];
/// Set by a session of Claude for the programs that it starts, such as this one.
const OF_A_PARENT: [&str; 2] = ["CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"];

/// Names of variables of the machine that look like the engine's or its provider's, and that it doesn't get.
pub fn not_passed(engine: &dyn Engine, machine: &Machine, passed: &Env) -> Vec<String> {
    if engine.id() == Practice.id() {
        return Vec::new();
    }
    let mut prefixes = engine.recipe().prefixes.to_vec();
    if prefixes.is_empty() {
        // It may be set up for any service.
        prefixes = known().iter().flat_map(|one| one.recipe().prefixes).copied().collect();
    }
    prefixes.extend(SERVICES);
    let is_alike = |name: &&String| {
        prefixes.iter().any(|prefix| name.starts_with(prefix)) && !OF_A_PARENT.contains(&name.as_str())
    };
    machine.env.keys().filter(is_alike).filter(|name| !passed.contains_key(*name)).cloned().collect()
}
