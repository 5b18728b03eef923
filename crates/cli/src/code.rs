//! The codes of what goes wrong on the command line's own side: the last table of `docs/errors.md`.

kit::faults! {
    ANSWER_IS_A_FILE = "answer-is-a-file" : "The result is a file, which a terminal can't show. Write it with --output.";
    ANSWER_TOO_LARGE = "answer-too-large" : "The result is too large.";
    INSTANCE_FILE = "instance-file" : "Couldn't read the data directory's `instance.json`, which says where Pilothouse runs.";
    NOT_LOOPBACK = "not-loopback" : "The URL is on another machine. A session's token is sent to this machine only.";
    NOT_OPENED = "not-opened" : "Couldn't start a browser. `pilothouse open --print` prints a sign-in link.";
    NOT_PROVED = "not-proved" : "The program there couldn't prove that it knows the token, so none was sent.";
    NOT_RUNNING = "not-running" : "Pilothouse isn't running with this data directory. Start it with `pilothouse serve`.";
    NO_ANSWER = "no-answer" : "Pilothouse didn't answer in time, or the connection ended early. The change may have been made.";
    NO_CODE = "no-code" : "Pilothouse returned no sign-in code.";
    NO_JSON = "no-json" : "The result isn't valid JSON.";
    NO_PROBLEM_DOCUMENT = "no-problem-document" : "The server returned an error without a problem document, so it may be another program.";
    NO_RANDOMNESS = "no-randomness" : "The system has no random numbers, so Pilothouse can't prove who answers.";
    OFFLINE = "offline" : "Can't open the data directory with --offline: Pilothouse is running, or the database can't be used.";
    OUTPUT_FILE = "output-file" : "Couldn't write the file named with --output.";
    STANDARD_INPUT = "standard-input" : "Couldn't read standard input.";
    TOKEN_FILE = "unusable-token-file" : "Can't use the token's file: others can read or write it, or it has no token.";
    UNSOUND_TOKEN = "token" : "APP_CLI_TOKEN has no token.";
    USAGE = "usage" : "The command, or a file that it names, is invalid.";
}
