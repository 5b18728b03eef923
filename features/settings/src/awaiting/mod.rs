//! Settings whose feature is not built yet, by section, and a few that are only stored. They are stored, checked, and
//! listed like any other; building a feature moves its rows to that feature's folder, so this one only shrinks.

mod agent_control;
mod analysis;
mod cloud;
mod diagnostics;
mod inbox;
mod mail;
mod messaging;

use kit::setting::Spec;

/// Every row of this folder, by section.
pub(crate) fn all() -> impl Iterator<Item = &'static Spec> {
    [agent_control::ALL, cloud::ALL, analysis::ALL, inbox::ALL, mail::ALL, messaging::ALL, diagnostics::ALL]
        .into_iter()
        .flatten()
        .copied()
}
