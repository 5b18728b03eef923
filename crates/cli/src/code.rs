//! The codes of what goes wrong on the command line's own side: the last table of `docs/errors.md`.

kit::faults! {
    ANSWER_IS_A_FILE = "answer-is-a-file" : "The answer is a file, which a terminal cannot show. Name a file with --output.";
    ANSWER_TOO_LARGE = "answer-too-large" : "The answer has more bytes than are read.";
    INSTANCE_FILE = "instance-file" : "The data directory's `instance.json`, which says where the program answers, cannot be read or used.";
    NOT_LOOPBACK = "not-loopback" : "APP_BASE_URL names another machine; a session's token goes to this one only.";
    NOT_OPENED = "not-opened" : "No browser could be started. `pilothouse open --print` prints the page's address.";
    NOT_PROVED = "not-proved" : "What answers there could not prove that it knows the token, so none was sent.";
    NOT_RUNNING = "not-running" : "Nothing answers: the program does not run with this data directory. Start it with `pilothouse serve`.";
    NO_ANSWER = "no-answer" : "The program gave no answer in time, or the answer broke off. What was asked may have been done.";
    NO_CODE = "no-code" : "The program answered without a login code.";
    NO_JSON = "no-json" : "The answer is not the JSON that it says it is.";
    NO_PROBLEM_DOCUMENT = "no-problem-document" : "The answer is a refusal without a problem document, as of another program.";
    NO_RANDOMNESS = "no-randomness" : "The system gives no random numbers, so that nothing can be proved.";
    OFFLINE = "offline" : "With --offline, the data directory cannot be opened: the program runs, or the database cannot be used.";
    OUTPUT_FILE = "output-file" : "The file named with --output cannot be written.";
    STANDARD_INPUT = "standard-input" : "Standard input broke off.";
    TOKEN_FILE = "unusable-token-file" : "The token's file cannot be used: its mode or owner lets others read or write it, or it holds no token.";
    UNSOUND_TOKEN = "token" : "APP_CLI_TOKEN holds no token.";
    USAGE = "usage" : "The command line, or a file that it names, cannot be used.";
}
