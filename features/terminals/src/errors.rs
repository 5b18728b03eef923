//! Errors of this feature.

kit::error_codes! {
    TERMINAL_LIMIT = 409 "terminal-limit" "Terminal limit reached" : "The account has as many open terminals as allowed. Close one first.";
    TERMINAL_FOLDER = 409 "terminal-folder" "Folder not found" : "The folder of the session or hub doesn't exist anymore. Restore it, or open a terminal elsewhere.";
    TERMINAL_START = 409 "terminal-start" "Couldn't start shell" : "The shell in the environment variable SHELL couldn't be started. The detail says why.";
    TERMINAL_ENDED = 409 "terminal-ended" "Shell has ended" : "The terminal's shell has ended. Close the terminal and open a new one.";
    TERMINAL_BUSY = 409 "terminal-busy" "Terminal isn't reading input" : "The program in the terminal doesn't read its input. Wait for it, or close the terminal.";
}
