//! Arguments that derived commands and commands with arguments of their own share.

use crate::text::first_sentence;
use clap::{Arg, ValueHint};

/// A positional argument for a member that addresses something.
pub(crate) fn positional(name: &str, doc: &str) -> Arg {
    Arg::new(format!("path:{name}")).value_name(name.to_uppercase()).help(first_sentence(doc))
}

/// A positional argument for a file, whose name shells complete.
pub(crate) fn file(id: &'static str, help: &'static str) -> Arg {
    Arg::new(id).value_name("FILE").required(true).help(help).value_hint(ValueHint::FilePath)
}
