//! What the command line is made from.

use crate::find::{self, Target};
use crate::io::Io;
use crate::options::Chain;
use crate::transport::Transport;
use clap::ArgMatches;
use kit::Op;
use kit::setting::Spec;
use std::path::{Path, PathBuf};

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
    /// The data directory that the command line or the environment names, or the platform's.
    pub fn data_dir(&self, matches: &ArgMatches, io: &Io) -> Option<PathBuf> {
        find::data_dir(&Chain::new(matches), self.default_data_dir.as_deref(), io)
    }

    pub(crate) fn target(&self, chain: &Chain, io: &Io) -> Target {
        Target::new(chain, self.default_data_dir.as_deref(), io)
    }
}
