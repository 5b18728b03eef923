//! The command line: `pilothouse settings get KEY`, made from the rows of operations and settings, over HTTP.
//!
//! Invariant: an operation has its command from its row alone; what a row cannot say stands in the one table of `sugar`.
//! Deliberately not here: starting the program, and anything that touches the data directory beyond the token and the
//! running instance's address. `--offline` goes through a transport that the app hands in.

mod address;
mod beside;
mod cells;
mod code;
mod complete;
mod derive;
mod failure;
mod find;
mod http;
mod input;
mod io;
mod mcp;
mod members;
mod open;
mod options;
mod render;
mod reply;
mod spoken;
mod sugar;
#[cfg(test)]
mod tests;
mod text;
mod token;
mod transport;
mod values;
mod values_told;

pub use code::FAULTS;
pub use complete::complete;
pub use derive::data_dir_arg;
pub use failure::{EXIT_NOT_RUNNING, EXIT_OK, EXIT_REFUSED, EXIT_UNAUTHORISED, EXIT_USAGE, tamed};
pub use io::Io;
pub use transport::{Request, RequestBody, Response, Transport, TransportError};

use beside::Beside;
use clap::{Arg, ArgAction, ArgMatches, Command};
use derive::{Entry, commands, common_args, entries};
use failure::Failure;
use find::Target;
use kit::Op;
use kit::setting::Spec;
use options::{Chain, flag, text};
use spoken::Spoken;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Opens the operations in process, on the data directory of a stopped program; the error is a sentence.
pub type Offline<'a> = dyn Fn(&Path) -> Result<Box<dyn Transport>, String> + 'a;
/// Shows an address in the person's browser or in the program's window; the error is a sentence.
pub type Opener<'a> = dyn Fn(&str) -> Result<(), String> + 'a;

/// The command line of the whole program.
pub struct Program<'a> {
    /// Every operation.
    pub ops: &'a [Op],
    /// What groups of commands are for: the words that lead to each, and a line for help.
    pub groups: &'a [(&'static str, &'static str)],
    /// Every setting, for completion and for reading values by type.
    pub settings: &'a [&'static Spec],
    /// The program's version.
    pub version: &'static str,
    /// The platform's data directory for this user, used where none is named.
    pub default_data_dir: Option<PathBuf>,
    /// What `--offline` works through; without it the option is not there.
    pub offline: Option<&'a Offline<'a>>,
    /// What `pilothouse open` shows the page with.
    pub opener: &'a Opener<'a>,
}

impl Program<'_> {
    /// `pilothouse` with the derived commands and `open`, `mcp` and `completion`; the app adds its own to it.
    pub fn command(&self) -> Command {
        let mut command = Command::new("pilothouse")
            .version(self.version)
            .about("Run and steer AI coding agents on this machine")
            .args(common_args(&[]))
            .subcommands(commands(&entries(self.ops), self));
        let print = Arg::new("print").long("print").action(ArgAction::SetTrue);
        let open = Command::new("open")
            .about("Open the page, signed in")
            .arg(print.help("Print the sign-in link instead. It works once, within a minute"))
            .args(common_args(&[]));
        let mcp = Command::new("mcp")
            .about("Serve MCP on standard input and output")
            .long_about("Pass MCP messages, one per line, between standard input and output and the running program.")
            .args(common_args(&[]));
        let shell = Arg::new("shell").value_name("SHELL").required(true).value_parser(complete::SHELLS);
        let completion =
            Command::new("completion").about("Print the completion script of a shell").arg(shell.help("The shell"));
        command = command.subcommands([open, mcp, completion]);
        command
    }

    /// Runs one of the commands of [`Program::command`]; one that the app added is not known here.
    pub fn run(&self, matches: &ArgMatches, io: &mut Io) -> ExitCode {
        ExitCode::from(self.run_for_code(matches, io))
    }

    /// The data directory that the command line or the environment names, or the platform's.
    pub fn data_dir(&self, matches: &ArgMatches, io: &Io) -> Option<PathBuf> {
        find::data_dir(&Chain::of(matches), self.default_data_dir.as_deref(), io)
    }

    fn run_for_code(&self, matches: &ArgMatches, io: &mut Io) -> u8 {
        let chain = Chain::of(matches);
        let done = match chain.words[..] {
            ["completion"] => self.print_completion(&chain, io),
            ["open"] => open::open(self, &chain, io),
            ["mcp"] => mcp::bridge(&self.target(&chain, io), self.version, io),
            _ => self.run_op(&chain, io),
        };
        match done.and_then(|()| Ok(io.stdout.flush()?)) {
            Ok(()) => EXIT_OK,
            Err(failure) => failure.tell(chain.flag("json"), io),
        }
    }

    fn print_completion(&self, chain: &Chain, io: &mut Io) -> Result<(), Failure> {
        Ok(complete::script(text(chain.leaf(), "shell").unwrap_or_default(), io.stdout)?)
    }

    fn target(&self, chain: &Chain, io: &Io) -> Target {
        Target::of(chain, self.default_data_dir.as_deref(), io)
    }

    fn run_op(&self, chain: &Chain, io: &mut Io) -> Result<(), Failure> {
        let entries = entries(self.ops);
        let Some(entry) = entries.iter().find(|entry| entry.words == chain.words) else {
            return Err(Failure::Usage(format!("Unknown command: {}.", chain.words.join(" "))));
        };
        let input = input::read(entry, chain.leaf(), self.settings, io)?;
        let transport = self.transport(entry, chain, io)?;
        let spoken = Spoken::of(entry, &input, chain.leaf());
        let boards = Beside::boards(&input);
        let request = input::request(entry.op, input, chain.leaf(), io)?;
        let response = transport.send(request).map_err(|error| self.with_hint(entry, error.into()))?;
        let beside = Beside::new(&*transport, boards);
        let shown = reply::show(response, (entry, &beside), chain, io).map_err(|failure| failure.spoken(spoken));
        if let (Err(failure), Some(file)) = (&shown, input::file_of(entry.op, chain.leaf()))
            && failure.is_of_what_was_sent()
            && !chain.flag("json")
        {
            // The refusal follows; several files may be sent one after another.
            write!(io.stderr, "{}: ", text::clean(file))?;
        }
        shown
    }

    fn transport(&self, entry: &Entry, chain: &Chain, io: &Io) -> Result<Box<dyn Transport>, Failure> {
        let target = self.target(chain, io);
        match self.offline {
            Some(offline) if flag(chain.leaf(), "offline") => {
                offline(target.directory()?).map_err(|what| Failure::Here(code::OFFLINE, what))
            }
            _ => {
                let http = target.connect(self.version).map_err(|failure| self.with_hint(entry, failure))?;
                Ok(Box::new(http))
            }
        }
    }

    /// Where the program does not run but the command works without it, says how.
    fn with_hint(&self, entry: &Entry, failure: Failure) -> Failure {
        let offline = self.offline.is_some() && entry.sugar.is_some_and(|sugar| sugar.offline);
        match failure {
            Failure::NotRunning(what) if offline => Failure::NotRunning(format!(
                "{what} With --offline, works on the data directory while Pilothouse isn't running."
            )),
            other => other,
        }
    }
}
