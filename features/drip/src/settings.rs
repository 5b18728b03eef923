//! Settings of drips.

use kit::setting::toggle;

kit::settings! {
    /// Adds Drip: queues that release items into the inbox at a pace you choose.
    dripEnabled: bool = toggle(false);
    /// Pauses all queues. Their schedules continue, but nothing is released and nothing accumulates.
    dripGlobalPause: bool = toggle(false).requires(&dripEnabled);
    /// Shows HTML items of a queue in a frame without network or access to Pilothouse. When off, they aren't rendered.
    dripHtmlPreviewEnabled: bool = toggle(true).requires(&dripEnabled);
}
