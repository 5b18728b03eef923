//! Settings of drips.

use kit::setting::toggle;

kit::settings! {
    /// Adds the Drip project: queues that release items into the inbox at a pace you choose.
    dripEnabled: bool = toggle(false);
    /// Pauses all drips. Their schedules continue, but nothing is released and nothing accumulates.
    dripGlobalPause: bool = toggle(false).requires(&dripEnabled);
    /// Shows HTML items of a drip in a frame without network or access to Pilothouse. When off, they appear as a plain chip.
    dripHtmlPreviewEnabled: bool = toggle(true).requires(&dripEnabled);
}
