//! What a command reads and writes, handed in so that tests can capture it.

use std::io::{self, BufRead, IsTerminal, Write};

/// Width of a terminal that does not say how wide it is.
const TERMINAL_COLUMNS: usize = 80;

/// The streams, the environment and the terminal of one run.
pub struct Io<'a> {
    /// Standard input.
    pub stdin: &'a mut dyn BufRead,
    /// Standard output: answers only.
    pub stdout: &'a mut dyn Write,
    /// Standard error: problems, notes and progress.
    pub stderr: &'a mut dyn Write,
    /// Whether a person types standard input.
    pub stdin_is_terminal: bool,
    /// Whether people see standard output as it comes.
    pub stdout_is_terminal: bool,
    /// Whether people see standard error as it comes.
    pub stderr_is_terminal: bool,
    /// Width of the terminal, in columns; `None` where there is none, and lines are not cut then.
    pub width_columns: Option<usize>,
    /// Looks a variable of the environment up; empty counts as unset.
    pub env: &'a dyn Fn(&str) -> Option<String>,
}

impl Io<'_> {
    /// Runs `f` on the streams of this process.
    pub fn of_process<R>(f: impl FnOnce(&mut Io) -> R) -> R {
        // Not locked: `f` may be the whole program, and a log line or a panic of another thread would wait for its end.
        let (mut stdin, mut stdout, mut stderr) = (io::stdin().lock(), io::stdout(), io::stderr());
        let stdin_is_terminal = stdin.is_terminal();
        let stdout_is_terminal = stdout.is_terminal();
        let said_columns = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let width_columns = stdout_is_terminal.then(|| said_columns.unwrap_or(TERMINAL_COLUMNS));
        f(&mut Io {
            stdin_is_terminal,
            stdout_is_terminal,
            stderr_is_terminal: stderr.is_terminal(),
            width_columns,
            stdin: &mut stdin,
            stdout: &mut stdout,
            stderr: &mut stderr,
            env: &|name| std::env::var(name).ok(),
        })
    }

    /// A variable that is set to something.
    pub(crate) fn env(&self, name: &str) -> Option<String> {
        (self.env)(name).filter(|value| !value.is_empty())
    }
}
