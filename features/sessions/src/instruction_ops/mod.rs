//! Operations that show and change instructions: a hub's presets, and what a session started with.

mod hub_presets;
mod shown;

use kit::Op;

pub(crate) fn ops() -> Vec<Op> {
    [hub_presets::ops(), vec![shown::op()]].concat()
}
