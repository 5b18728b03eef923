//! Settings of the desktop window.

use kit::setting::toggle;

kit::settings! {
    /// Brings the window to the front when a session needs you.
    autoFocusOnNeedsYou: bool = toggle(false);
    /// Lets agents bring the window to the front while you use another program. When off, the request becomes an inbox row that links to the session.
    allowAgentForegroundFromBackground: bool = toggle(false).stated();
    /// Renders the open session in its own process, so that a heavy one can't slow the window. Applies from the next session that you open.
    isolatedSessionViewEnabled: bool = toggle(false);
}
