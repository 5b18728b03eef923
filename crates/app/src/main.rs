//! `pilothouse`: the list of features, the order of start-up and shut-down, and the embedded page.
//!
//! Invariant: this is the only place that names every feature. Deliberately not here: anything that a feature does.

mod embedded;
mod features;
mod logging;
mod login_socket;
mod offline;
mod program;
mod public_door;

#[cfg(test)]
mod tests;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use cli::Io;
use program::{Failure, Options, Then};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use store::Holder;

/// The control server's default port.
const PORT: u16 = 19519;
/// The default port of published pages.
const PUBLISH_PORT: u16 = 19520;
/// The default port of the proxy of running apps.
const APPS_PORT: u16 = 19521;
const AFTER_HELP: &str = "Without a command, Pilothouse starts and opens in its window, or in your browser where the window isn't installed.

PILOTHOUSE_LOG sets the log level on standard error: error, warn (the default), info, debug, or trace. Set it for one component \
with warn,store=debug. Requests, responses, and tokens are never logged; libraries log only warnings and errors.

PILOTHOUSE_MESSAGES_URL is the address of messages from the developers, such as your own; empty turns it off.";

fn main() -> ExitCode {
    // The practice agent is this program too, and needs nothing of the rest.
    if std::env::args_os().nth(1).is_some_and(|word| word == sessions::PRACTICE_AGENT) {
        sessions::practice_agent();
    }
    // The hook runs before each tool use, so it must be fast.
    match std::env::args_os().nth(1) {
        Some(word) if word == sessions::TOOL_HOOK => return sessions::tool_hook(std::env::args_os().skip(2)),
        #[cfg(unix)]
        Some(word) if word == sessions::APPROVED => return sessions::approved(std::env::args_os().skip(2)),
        #[cfg(unix)]
        Some(word) if word == sessions::STAND_IN => return sessions::stand_in(std::env::args_os().skip(2)),
        _ => {}
    }
    let (ops, groups, settings) = (features::ops(), features::groups(), features::settings());
    let line = cli::Program {
        ops: &ops,
        groups: &groups,
        settings: &settings,
        version: env!("CARGO_PKG_VERSION"),
        default_data_dir: platform::data_dir(),
        offline: Some(&offline::open),
        opener: &|url| platform::open_url(url).map_err(|e| format!("couldn't start a browser ({e}).")),
    };
    cli::complete(|| command(&line));
    logging::begin();
    let matches = match command(&line).try_get_matches() {
        Ok(matches) => matches,
        Err(complaint) => return tell(&complaint),
    };
    Io::of_process(|io| carry_out(&line, &matches, io))
}

/// Runs the command.
fn carry_out(line: &cli::Program<'_>, matches: &ArgMatches, io: &mut Io<'_>) -> ExitCode {
    let dir = line.data_dir(matches, io);
    match (matches.subcommand(), dir) {
        (Some((word, _)), _) if word != "serve" && start_options(matches).next().is_some() => {
            let named: Vec<_> = start_options(matches).map(|id| format!("--{id}")).collect();
            fail(io, &format!("{} only applies when Pilothouse starts; {word} doesn't accept it.", named.join(" and ")))
        }
        (None, Some(dir)) => match start(&[matches], &dir, true) {
            // If Pilothouse is already running, its page is shown.
            Err(_) if start_options(matches).next().is_none() && runs_already(&dir) => show_page(line, &dir, io),
            ended => exit_code(ended, io),
        },
        (Some(("serve", own)), Some(dir)) => exit_code(start(&[own, matches], &dir, false), io),
        (Some(("restore", own)), Some(dir)) => restore(own, &dir, io),
        (Some(("open", own)), Some(dir)) if private_page(&dir) => open_privately(own, &dir, io),
        (None | Some(("serve" | "restore", _)), None) => {
            fail(io, "No home folder. Name a data directory with --data-dir.")
        }
        _ => line.run(matches, io),
    }
}

/// Prints an error of the command line, or the requested help.
fn tell(complaint: &clap::Error) -> ExitCode {
    match cli::tamed(complaint, std::env::args_os()) {
        Some(text) => {
            Io::of_process(|io| {
                let _ = io.stderr.write_all(text.as_bytes());
            });
            ExitCode::from(cli::EXIT_USAGE)
        }
        None => complaint.exit(),
    }
}

fn command(line: &cli::Program<'_>) -> Command {
    let port = Arg::new("port").long("port").value_name("N").value_parser(value_parser!(u16));
    let port = port.help(format!(
        "Port of the control server, on the loopback address. 0 lets the system choose [default: {PORT}]"
    ));
    let publish_port = Arg::new("publish-port").long("publish-port").value_name("N").value_parser(value_parser!(u16));
    let publish_port = publish_port.help(format!(
        "Loopback port for published dashboards, open only while one is published; 0 lets the system choose [default: {PUBLISH_PORT}, with --port 0 also 0]"
    ));
    let apps_port = Arg::new("apps-port").long("apps-port").value_name("N").value_parser(value_parser!(u16));
    let apps_port = apps_port.help(format!(
        "Loopback port for running apps at http://NAME.localhost:N; another one is used if it's taken, and 0 lets the system choose [default: {APPS_PORT}, with --port 0 also 0]"
    ));
    let database = Arg::new("database").long("database").value_name("URL");
    let database = database.help("Database (default: a file in the data directory)");
    let backup = Arg::new("file").value_name("FILE").value_parser(value_parser!(PathBuf)).action(ArgAction::Set);
    let own = [
        Command::new("serve").about("Start without opening the browser").args([
            cli::data_dir_arg(),
            port.clone(),
            publish_port.clone(),
            apps_port.clone(),
            database.clone(),
        ]),
        Command::new("restore")
            .about("Restore a backup. The replaced database is saved in the same folder")
            .long_about(
                "Restore a backup. The replaced database is saved in the same folder. Pilothouse backs up daily to `backups` in the \
                 data directory, first when it starts with existing data; `pilothouse backup` makes one now. Stop \
                 Pilothouse before you restore. A data directory that doesn't exist is created. Attached files and transcripts aren't included: copy the \
                 `files` and `transcripts` folders of the data directory too. Sessions that ran when the backup was made \
                 are interrupted: resume them yourself.",
            )
            .args([cli::data_dir_arg(), backup.help("Backup file. The default is the newest")]),
    ];
    line.command().args([port, publish_port, apps_port, database]).subcommands(own).after_help(AFTER_HELP)
}

/// Start options before the command.
fn start_options(matches: &ArgMatches) -> impl Iterator<Item = &'static str> {
    ["port", "publish-port", "apps-port", "database"].into_iter().filter(|id| matches.contains_id(id))
}

/// The port to listen on, from the first match that has it.
fn port(matches: &[&ArgMatches]) -> u16 {
    matches.iter().find_map(|matches| matches.get_one("port")).copied().unwrap_or(PORT)
}

/// The port of published pages, from the first match that has it.
fn publish_port(matches: &[&ArgMatches]) -> u16 {
    let unless_named = if port(matches) == 0 { 0 } else { PUBLISH_PORT };
    matches.iter().find_map(|matches| matches.get_one("publish-port")).copied().unwrap_or(unless_named)
}

/// The port of the proxy of running apps, from the first match that has it.
fn apps_port(matches: &[&ArgMatches]) -> u16 {
    let unless_named = if port(matches) == 0 { 0 } else { APPS_PORT };
    matches.iter().find_map(|matches| matches.get_one("apps-port")).copied().unwrap_or(unless_named)
}

/// Runs Pilothouse until it ends. Options can be before and after `serve`; those after it take precedence.
fn start(matches: &[&ArgMatches], dir: &Path, open: bool) -> Result<(), Failure> {
    if matches.iter().any(|matches| matches.get_one::<String>("database").is_some()) {
        return Err("This version supports only the embedded database. Leave out --database.".to_owned());
    }
    let (port, publish_port, apps_port) = (port(matches), publish_port(matches), apps_port(matches));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| format!("Can't start threads: {e}."))?;
    let program = platform::Program::running().map_err(|e| format!("Can't find the program's file: {e}."))?;
    let options = Options { dir: dir.to_owned(), port, publish_port, apps_port, open, program: program.clone() };
    let outcome = runtime.block_on(program::run(options));
    // The writer's last commit was awaited, within a limit. Remaining threads are abandoned after a while.
    program::end(runtime);
    match outcome? {
        Then::Exit => Ok(()),
        Then::StartAgain { chosen } => {
            program.start_again(chosen).map_err(|e| format!("Pilothouse quit but couldn't restart: {e}."))
        }
    }
}

/// Exit code of the program; prints the failure.
fn exit_code(ended: Result<(), Failure>, io: &mut Io<'_>) -> ExitCode {
    ended.map_or_else(|failure| fail(io, &failure), |()| ExitCode::SUCCESS)
}

/// Opens the page of the Pilothouse that runs with this directory.
fn show_page(line: &cli::Program<'_>, dir: &Path, io: &mut Io<'_>) -> ExitCode {
    if program::shows_window(dir) {
        let _ = writeln!(io.stdout, "Pilothouse is already running. Opening its window.");
        return ExitCode::SUCCESS;
    }
    let words = ["pilothouse".as_ref(), "open".as_ref(), "--data-dir".as_ref(), dir.as_os_str()];
    match command(line).try_get_matches_from(words) {
        Ok(open) => {
            let outcome = carry_out(line, &open, io);
            if outcome == ExitCode::SUCCESS {
                let _ = writeln!(io.stdout, "Pilothouse is already running. Opening its page.");
            }
            outcome
        }
        Err(e) => fail(io, &e.to_string()),
    }
}

fn restore(matches: &ArgMatches, dir: &Path, io: &mut Io<'_>) -> ExitCode {
    let backup = matches.get_one::<PathBuf>("file").map(PathBuf::as_path);
    match store::restore(dir, backup, &features::migrations()) {
        Ok(done) => {
            let _ = writeln!(io.stdout, "{done} {}", about_folders(dir));
            ExitCode::SUCCESS
        }
        Err(e) => fail(io, &e.to_string()),
    }
}

/// Message of a restore about folders that backups don't include.
fn about_folders(dir: &Path) -> String {
    let folders = [boards::FILES_FOLDER, sessions::TRANSCRIPTS_FOLDER].map(|name| dir.join(name));
    let (there, missing): (Vec<_>, Vec<_>) = folders.iter().partition(|folder| folder.is_dir());
    let named = |folders: &[&PathBuf]| {
        folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(" and ")
    };
    let mut text = "Attached files and transcripts aren't part of a backup.".to_owned();
    if !there.is_empty() {
        text += &format!(" Unchanged: {}.", named(&there));
    }
    if !missing.is_empty() {
        text += &format!(" Not found: {}. Copy from the data directory of the backup.", named(&missing));
    }
    text + " Sessions that ran when the backup was made are interrupted."
}

/// The instance file of the Pilothouse that runs, or was killed, with this directory.
fn instance(dir: &Path) -> Option<Value> {
    std::fs::read(dir.join("instance.json")).ok().and_then(|text| serde_json::from_slice(&text).ok())
}

/// Whether the Pilothouse that has locked this directory can be reached. False for one that is starting (after a short
/// wait) or ending, and for a restore.
fn runs_already(dir: &Path) -> bool {
    match (store::holder(dir), instance(dir)) {
        (Some(Holder::Process(pid)), Some(instance)) => instance["pid"] == pid,
        (Some(Holder::Unknown), instance) => instance.is_some(),
        _ => false,
    }
}

/// Whether the Pilothouse that runs with this directory has its control server off.
fn private_page(dir: &Path) -> bool {
    instance(dir).is_some_and(|instance| instance["controlServer"] == false)
}

fn open_privately(matches: &ArgMatches, dir: &Path, io: &mut Io<'_>) -> ExitCode {
    let address = match login_socket::ask(dir) {
        Ok(address) => address,
        Err(e) => {
            return fail(
                io,
                &format!("Can't reach Pilothouse: {e}. Start it with `pilothouse`. Its control server is off."),
            );
        }
    };
    if matches.get_flag("print") {
        let _ = writeln!(io.stdout, "{address}");
    } else if let Err(e) = platform::open_url(&address) {
        return fail(io, &format!("Couldn't start a browser ({e}). `pilothouse open --print` prints a sign-in link."));
    }
    ExitCode::SUCCESS
}

fn fail(io: &mut Io<'_>, what: &str) -> ExitCode {
    let _ = writeln!(io.stderr, "pilothouse: {what}");
    ExitCode::FAILURE
}
