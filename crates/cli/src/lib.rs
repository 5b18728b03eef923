//! The command line: `pilothouse settings get KEY`, made from the rows of operations and settings, over HTTP.
//!
//! Invariant: an operation has its command from its row alone; what a row cannot say is in the one table of `override_table`.
//! Deliberately not here: starting the program, and anything that touches the data directory beyond the token and the
//! running instance's address. `--offline` goes through a transport that the app hands in.

mod address;
mod answers;
mod args;
mod argument_names;
mod cells;
mod code;
mod commands;
mod complete;
mod dashboard_values;
mod entry;
mod failure;
mod find;
mod http;
mod ids_by_name;
mod import_columns;
mod input;
mod io;
mod json_argument;
mod lists;
mod mcp;
mod members;
mod naming;
mod open;
mod options;
mod override_table;
mod overrides;
mod program;
mod render;
mod reply;
mod response;
#[cfg(test)]
mod tests;
mod text;
mod token;
mod transcript;
mod transport;
mod values;

pub use code::FAULTS;
pub use commands::data_dir_arg;
pub use complete::complete;
pub use failure::{EXIT_NOT_RUNNING, EXIT_OK, EXIT_REFUSED, EXIT_UNAUTHORISED, EXIT_USAGE, tamed};
pub use io::Io;
pub use program::{Offline, Opener, Program};
pub use transport::{Request, RequestBody, Response, Transport, TransportError};

use clap::{Arg, ArgAction, ArgMatches, Command};
use commands::{commands, common_args};
use entry::{Entry, entries};
use failure::Failure;
use ids_by_name::replace_names;
use naming::Namer;
use options::{Chain, flag, text};
use response::accepted;
use serde_json::{Map, Value};
use std::process::ExitCode;

impl Program<'_> {
    /// `pilothouse` with the derived commands and `open`, `mcp` and `completion`; the app adds its own to it.
    pub fn command(&self) -> Command {
        let mut command = Command::new("pilothouse")
            .bin_name("pilothouse")
            .version(self.version)
            .about("Run and steer AI coding agents on this machine")
            .args(common_args(&[]))
            .subcommands(commands(&entries(self.ops), self));
        let print = Arg::new("print").long("print").action(ArgAction::SetTrue);
        let open = Command::new("open")
            .about("Open Pilothouse in your browser, signed in")
            .arg(print.help("Print the sign-in link instead. It works once, within a minute"))
            .args(common_args(&[]));
        let mcp = Command::new("mcp")
            .about("Serve MCP on standard input and output")
            .long_about(
                "Pass MCP messages, one per line, between standard input and output and Pilothouse. It uses \
                 the token in --token-file, else in APP_CLI_TOKEN, else the command-line token. Configure it in a client as:\n\n  \
                 {\"mcpServers\": {\"pilothouse\": {\"command\": \"pilothouse\", \"args\": [\"mcp\"]}}}",
            )
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

    fn run_for_code(&self, matches: &ArgMatches, io: &mut Io) -> u8 {
        let chain = Chain::new(matches);
        let done = match chain.words[..] {
            ["completion"] => self.print_completion(&chain, io),
            ["open"] => open::open(self, &chain, io),
            ["mcp"] => mcp::bridge(&self.target(&chain, io), self.version, io),
            _ => self.run_op(&chain, io),
        };
        match done.and_then(|()| Ok(io.stdout.flush()?)) {
            Ok(()) => EXIT_OK,
            Err(failure) => failure.report(chain.flag("json"), io),
        }
    }

    fn print_completion(&self, chain: &Chain, io: &mut Io) -> Result<(), Failure> {
        Ok(complete::script(text(chain.leaf(), "shell").unwrap_or_default(), io.stdout)?)
    }

    fn run_op(&self, chain: &Chain, io: &mut Io) -> Result<(), Failure> {
        let entries = entries(self.ops);
        let Some(entry) = entries.iter().find(|entry| entry.words == chain.words) else {
            return Err(Failure::Usage(format!("Unknown command: {}.", chain.words.join(" "))));
        };
        let input = input::read(entry, chain.leaf(), self.settings, io)?;
        let transport = self.transport(entry, chain, io)?;
        let names = entry.argument_names(&input, chain.leaf());
        let shown = self
            .answer(entry, input, chain, &*transport, io)
            .and_then(|(response, input)| {
                let namer = Namer::new(&*transport, &input);
                reply::show(response, (entry, &namer), chain, io)
            })
            .map_err(|failure| failure.with_names(names.with_commands(entry::command_names(&entries))));
        if let (Err(failure), Some(file)) = (&shown, input::file_of(entry.op, chain.leaf()))
            && failure.is_about_whole_body()
            && !chain.flag("json")
        {
            // The refusal follows; several files may be sent one after another.
            write!(io.stderr, "{}: ", text::clean(file))?;
        }
        let already = entry.overrides.and_then(|overrides| overrides.already);
        match (&shown, already) {
            (Err(failure), Some(already)) if let Some(words) = failure.problem().as_ref().and_then(already) => {
                if !chain.flag("quiet") && !chain.flag("json") {
                    writeln!(io.stdout, "{words}")?;
                }
                if chain.flag("json") { failure.report_json(io).map_err(Failure::from) } else { Ok(()) }
            }
            _ => shown,
        }
    }

    /// The answer, and what was sent for it. Where the program finds nothing with the ids, they may be names.
    fn answer(
        &self,
        entry: &Entry,
        mut input: Map<String, Value>,
        chain: &Chain,
        transport: &dyn Transport,
        io: &mut Io,
    ) -> Result<(Response, Map<String, Value>), Failure> {
        let send = |input: &Map<String, Value>, io: &mut Io| {
            let request = input::request(entry.op, input.clone(), chain.leaf(), io)?;
            accepted(transport.send(request).map_err(|error| self.with_hint(entry, error.into()))?)
        };
        // Standard input is sent only once.
        let is_streamed = input::is_streamed(entry.op, chain.leaf());
        if is_streamed && let Ok(Some(with_ids)) = replace_names(transport, self.ops, entry.op, &input) {
            input = with_ids;
        }
        let mut response = send(&input, io);
        if let Err(failure @ Failure::Problem { status: 404, .. }) = response {
            response = match replace_names(transport, self.ops, entry.op, &input) {
                Ok(Some(with_ids)) if !is_streamed => {
                    input = with_ids;
                    send(&input, io)
                }
                Ok(_) => Err(failure),
                Err(problem) => Err(failure.with_detail(&problem)),
            };
        }
        Ok((response?, input))
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
        let offline = self.offline.is_some() && entry.overrides.is_some_and(|overrides| overrides.offline);
        match failure {
            Failure::NotRunning(what) if offline => Failure::NotRunning(format!(
                "{what} With --offline, works on the data directory while Pilothouse isn't running."
            )),
            other => other,
        }
    }
}
