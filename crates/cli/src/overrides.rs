//! What an operation's row cannot say of its command.

use crate::failure::Failure;
use crate::io::Io;
use crate::render::Style;
use clap::{Arg, ArgMatches};
use kit::Method;
use kit::setting::Spec;
use serde_json::{Map, Value};

/// What is special about the command of one operation.
pub(crate) struct Override {
    /// The operation, by method and path.
    pub op: (Method, &'static str),
    /// The command's words.
    pub command: &'static [&'static str],
    /// Replaces the operation's doc.
    pub doc: Option<&'static str>,
    /// Members that are optional positionals instead of options.
    pub promote: &'static [&'static str],
    /// A required member that may stand as the last positional instead of behind its option; empty for none.
    pub last: &'static str,
    /// The member `key` is a setting's key and is completed.
    pub keys: bool,
    /// Works on a stopped program's data directory too.
    pub offline: bool,
    /// Replaces the derived arguments.
    pub custom: Option<CustomArguments>,
    /// Shows the answer in words of its own.
    pub show: Option<fn(&Value, Style) -> Option<String>>,
    /// Other words for the same command.
    pub also: &'static [&'static str],
    /// Whether the answer says that what was asked for isn't accepted: the exit code says it too.
    pub refused: Option<fn(&Value) -> bool>,
    /// What to say where a refusal means that there is nothing left to do: that is success.
    pub already: Option<fn(&Value) -> Option<&'static str>>,
    /// Says in the answer what its empty members stand for, before it is shown to people.
    pub fill: Option<fn(&mut Value)>,
}

/// Arguments of its own, and the operation's input made from them.
pub(crate) struct CustomArguments {
    pub arguments: fn(&[&'static Spec]) -> Vec<Arg>,
    pub input: fn(&ArgMatches, &[&'static Spec], &mut Io) -> Input,
}

/// The input of an operation, or why the command line gives none.
pub(crate) type Input = Result<Map<String, Value>, Failure>;

/// Nothing special.
pub(crate) const PLAIN: Override = Override {
    op: (Method::Get, ""),
    command: &[],
    doc: None,
    promote: &[],
    last: "",
    keys: false,
    offline: false,
    custom: None,
    show: None,
    also: &[],
    refused: None,
    already: None,
    fill: None,
};
