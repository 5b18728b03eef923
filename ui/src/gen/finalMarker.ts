// Generated from the rules of sessions; do not edit: `cargo test -p app generated`.

/** The line that agents print before their final answer. Case and spaces in it don't matter. */
export const FINAL_MARKER = '<!-- final -->';
