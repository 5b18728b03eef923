//! The window of Pilothouse: a program of its own that shows the page which `pilothouse` serves, so that Pilothouse never
//! links a web view.
//!
//! Invariants: the page gets no way into this program but a few addresses that move the window (`pilothouse-window:`); what
//! isn't Pilothouse's own page opens in the browser; without Pilothouse there is no window.

mod again;
mod browser;
mod commands;
mod keys;
mod link;
mod memory;
mod panels;
mod pilothouse;
mod window;

use pilothouse::Pilothouse;
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
Usage: pilothouse-desktop [--data-dir DIR] [--hidden] [LINK]

Shows Pilothouse in a window, and starts it if it isn't running. LINK is a page such as pilothouse://sessions/ID. With
--hidden, the window is shown when something asks for it.";

/// What the command line asks for.
#[derive(Debug, Default, PartialEq)]
struct Options {
    data_dir: Option<PathBuf>,
    is_hidden: bool,
    /// A page, `/app/…`.
    page: Option<String>,
}

fn main() -> ExitCode {
    let options = match options(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => return fail(&problem),
    };
    if let Err(problem) = window::expect_display() {
        return fail(&problem);
    }
    let again = again::Again::of_this_program();
    if let Some(again) = &again {
        again.start_plain_where_needed();
    }
    let pilothouse = match Pilothouse::reach(options.data_dir.as_deref()) {
        Ok(pilothouse) => pilothouse,
        Err(problem) => return fail(&problem),
    };
    // One window: the one that is open comes to the front, and this program ends.
    let about = window::about(keys::problem());
    let stream = match pilothouse.follow(&about) {
        Ok(Some(stream)) => stream,
        Ok(None) => match pilothouse.raise(options.page.as_deref()) {
            Ok(()) => return ExitCode::SUCCESS,
            Err(problem) => return fail(&problem),
        },
        Err(problem) => return fail(&problem),
    };
    match window::run(pilothouse, stream, options, again) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => fail(&problem),
    }
}

fn options(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options::default();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--help" | "-h" => {
                println!("{USAGE}");
                std::process::exit(0);
            }
            "--data-dir" => match args.next() {
                Some(dir) => options.data_dir = Some(dir.into()),
                None => return Err(format!("--data-dir needs a folder.\n\n{USAGE}")),
            },
            "--hidden" => options.is_hidden = true,
            _ if options.page.is_none() && !arg.starts_with('-') => options.page = Some(link::page(&arg)?),
            _ => return Err(format!("Unknown argument: {arg}\n\n{USAGE}")),
        }
    }
    Ok(options)
}

fn fail(problem: &str) -> ExitCode {
    eprintln!("pilothouse-desktop: {problem}");
    ExitCode::FAILURE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_a_folder_and_a_link() {
        let read = |args: &[&str]| options(args.iter().map(|arg| (*arg).to_owned()));
        assert_eq!(read(&[]), Ok(Options::default()));
        let all = read(&["--data-dir", "/tmp/x", "--hidden", "pilothouse://inbox"]).unwrap();
        let data_dir = Some("/tmp/x".into());
        assert_eq!(all, Options { data_dir, is_hidden: true, page: Some("/app/inbox".into()) });
        assert!(read(&["--data-dir"]).unwrap_err().starts_with("--data-dir needs a folder."));
        assert!(read(&["--what"]).unwrap_err().starts_with("Unknown argument: --what"));
        assert!(read(&["https://example.com"]).unwrap_err().contains("pilothouse://"));
    }
}
