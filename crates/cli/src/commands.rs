//! Commands made from operations: `boards.items.create` is `boards items create`.

use crate::args::{file, positional};
use crate::argument_names::long_of;
use crate::argument_names::{with_argument_names, with_commands};
use crate::entry::{Entry, command_names, takes_json_body};
use crate::ids_by_name::list_of;
use crate::members::{self, Kind, Member};
use crate::program::Program;
use crate::text::{first_sentence, title};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Command, ValueHint};
use kit::op::{ANY_MEDIA, Takes};

/// The command tree below the program's own name.
pub(crate) fn commands(entries: &[Entry], program: &Program) -> Vec<Command> {
    let all: Vec<&Entry> = entries.iter().collect();
    level(&all, 0, (program, &command_names(entries)))
}

/// The program, and what its operations are called.
type Context<'a> = (&'a Program<'a>, &'a [(String, String)]);

fn level(entries: &[&Entry], depth: usize, context: Context) -> Vec<Command> {
    let (program, _) = context;
    let mut words: Vec<&str> = Vec::new();
    for entry in entries {
        if !words.contains(&entry.words[depth].as_str()) {
            words.push(&entry.words[depth]);
        }
    }
    let build = |word: &str| {
        let (mut own, mut below) = (None, Vec::new());
        for entry in entries.iter().filter(|entry| entry.words[depth] == word) {
            if entry.words.len() == depth + 1 { own = Some(*entry) } else { below.push(*entry) }
        }
        let command = match own {
            Some(entry) => leaf(word, entry, context),
            None => {
                let mut verbs: Vec<&str> = Vec::new();
                for verb in below.iter().map(|entry| entry.words[depth + 1].as_str()) {
                    if !verbs.contains(&verb) {
                        verbs.push(verb);
                    }
                }
                let about = format!("Commands: {}", verbs.join(", "));
                Command::new(word.to_owned())
                    .about(about)
                    .subcommand_required(true)
                    .arg_required_else_help(true)
                    .args(common_args(&[]).into_iter().map(|arg| arg.hide(true)))
            }
        };
        if below.is_empty() {
            return command;
        }
        let with_both = own.is_some();
        let path = below.first().map_or(String::new(), |entry| entry.words[..=depth].join(" "));
        let doc = program.groups.iter().find(|(group, _)| *group == path).map(|(_, doc)| *doc);
        let command = match doc {
            Some(doc) => command.about(doc),
            None => command,
        };
        command
            .subcommands(level(&below, depth + 1, context))
            .args_conflicts_with_subcommands(with_both)
            .subcommand_negates_reqs(with_both)
    };
    words.into_iter().map(build).collect()
}

fn leaf(word: &str, entry: &Entry, (program, names_of_commands): Context) -> Command {
    let op = entry.op;
    let (secrets, mut members): (Vec<Member>, Vec<Member>) =
        members::list(op).into_iter().partition(|member| member.kind == Kind::Secret);
    let custom = entry.overrides.and_then(|overrides| overrides.custom.as_ref());
    let names = members.iter().map(|member| match &member.name {
        name if entry.is_positional(name) => (name.clone(), name.to_uppercase()),
        name => (name.clone(), format!("--{}", long_of(name))),
    });
    let names: Vec<(String, String)> = names.filter(|_| custom.is_none()).collect();
    for member in &mut members {
        member.doc = with_commands(&with_argument_names(&member.doc, &names), names_of_commands);
        if member.name == "key" && member.doc.is_empty() && entry.overrides.is_some_and(|overrides| overrides.keys) {
            member.doc = "The setting".to_owned();
        }
        describe_id(member, list_of(program.ops, op, &member.name).is_some());
    }
    let mut doc =
        with_argument_names(entry.overrides.and_then(|overrides| overrides.doc).unwrap_or(op.doc).trim(), &names);
    doc = with_commands(&doc, names_of_commands);
    for secret in secrets.iter().filter(|member| member.required) {
        doc.push_str(&format!(" Prompts for the {} without showing it, or reads it from standard input.", secret.name));
    }
    let mut command = Command::new(word.to_owned()).about(first_sentence(&doc)).long_about(doc);
    let mut args = match custom {
        Some(custom) => (custom.arguments)(program.settings),
        None => derived_args(entry, &members),
    };
    if let Some(usage) = usage(entry, &members).filter(|_| custom.is_none()) {
        command = command.override_usage(usage);
    }
    if entry.overrides.is_some_and(|overrides| overrides.keys) {
        let complete =
            |arg: Arg| if arg.get_id() == "path:key" { arg.add(crate::complete::keys(program.settings)) } else { arg };
        args = args.into_iter().map(complete).collect();
    }
    command = command.args(args);
    if op.if_match {
        let help = "Change only if this is still the current revision";
        command = command.arg(Arg::new("if-match").long("if-match").value_name("REVISION").help(help));
    }
    if program.offline.is_some() && entry.overrides.is_some_and(|overrides| overrides.offline) {
        let help = "Work on the data directory while Pilothouse isn't running";
        command = command.arg(Arg::new("offline").long("offline").action(ArgAction::SetTrue).help(help));
    }
    let taken: Vec<String> = command.get_arguments().filter_map(|arg| arg.get_long().map(str::to_owned)).collect();
    command.args(common_args(&taken))
}

/// Says of an id what it identifies where nothing else does, and that a name will do.
fn describe_id(member: &mut Member, is_name_enough: bool) {
    if is_name_enough {
        // The API accepts only IDs; here, names are looked up.
        member.doc = member.doc.replace("ID, not the name.", "");
    }
    let Some(thing) = member.name.strip_suffix("Id").filter(|_| member.doc.trim().is_empty()) else {
        if is_name_enough && !member.doc.contains("name") {
            let first = first_sentence(&member.doc);
            let (thing, rest) = first.split_at(first.find(';').unwrap_or(first.len()));
            member.doc = format!("{}, by ID or unique name{rest}", thing.strip_suffix("'s ID").unwrap_or(thing));
        }
        return;
    };
    let thing = title(thing).to_lowercase();
    // An ask is a request in words; its short name is in paths only.
    let thing = if thing == "ask" { "request".to_owned() } else { thing };
    if thing == "request" {
        member.doc = "The request's ID, as `sessions asks` shows it".to_owned();
        return;
    }
    let how = if is_name_enough { ", by ID or unique name" } else { "'s ID; names aren't accepted" };
    member.doc = format!("The {thing}{how}");
}

/// The usage line, where options are required: the parser's own leaves them out, since the whole input may stand in one piece.
fn usage(entry: &Entry, members: &[Member]) -> Option<String> {
    let is_option = |member: &&Member| member.required && !entry.is_positional(&member.name);
    let required: Vec<&Member> = members.iter().filter(is_option).filter(|_| takes_json_body(entry.op)).collect();
    if required.is_empty() {
        return None;
    }
    let mut line = format!("pilothouse {} [OPTIONS]", entry.words.join(" "));
    for member in required.iter().filter(|member| member.name != entry.last()) {
        line.push_str(&format!(" --{} <{}>", long_of(&member.name), member.kind.value_name()));
    }
    for param in entry.op.path_params() {
        line.push_str(&format!(" <{}>", param.to_uppercase()));
    }
    for member in
        members.iter().filter(|m| entry.overrides.is_some_and(|overrides| overrides.promote.contains(&m.name.as_str())))
    {
        let name = member.name.to_uppercase();
        line.push_str(&if member.required { format!(" <{name}>") } else { format!(" [{name}]") });
    }
    if required.iter().any(|member| member.name == entry.last()) {
        line.push_str(&format!(" [{}]", entry.last().to_uppercase()));
    }
    Some(line)
}

fn derived_args(entry: &Entry, members: &[Member]) -> Vec<Arg> {
    let op = entry.op;
    let promoted: &[&str] = entry.overrides.map_or(&[], |overrides| overrides.promote);
    let params: Vec<&str> = op.path_params().collect();
    let mut args = Vec::new();
    for param in &params {
        let doc = members.iter().find(|m| m.name == *param).map_or("", |m| m.doc.as_str());
        args.push(positional(param, doc).required(true));
    }
    let has_body = takes_json_body(op);
    for member in members.iter().filter(|m| promoted.contains(&m.name.as_str())) {
        let arg = positional(&member.name, &member.doc);
        args.push(if member.required && has_body { arg.required_unless_present("input") } else { arg });
    }
    for member in members.iter().filter(|m| m.name == entry.last()) {
        args.push(positional(&member.name, &member.doc).allow_negative_numbers(true));
    }
    for member in members.iter().filter(|m| !params.contains(&m.name.as_str()) && !promoted.contains(&m.name.as_str()))
    {
        let arg = option(member, has_body);
        args.push(match (member.required, has_body) {
            _ if member.name == entry.last() => {
                let arg = arg.help(format!("The same as {}", member.name.to_uppercase()));
                let argument = format!("path:{}", member.name);
                arg.conflicts_with(&argument).required_unless_present_any(["input".to_owned(), argument])
            }
            (false, _) => arg,
            (true, false) => arg.required(true),
            (true, true) => arg.required_unless_present("input"),
        });
    }
    if has_body {
        let help = "The whole input as JSON, @FILE, or - for standard input. Other options take precedence";
        let arg = Arg::new("input").long("input").value_name("JSON").help(help);
        args.push(arg.add(crate::complete::json_files()));
    }
    if let Takes::File(media) = op.takes {
        args.push(file("file", "File to send, or - for standard input"));
        let help = "Media type of the file. Detected from its name by default";
        let arg = Arg::new("content-type").long("content-type").value_name("TYPE").help(help);
        // A form is what browsers wrap a file in; the file itself is sent here.
        let taken = media.iter().copied().filter(|media| !media.starts_with("multipart/"));
        let any = media.contains(&ANY_MEDIA);
        args.push(if any { arg } else { arg.value_parser(PossibleValuesParser::new(taken)) });
    }
    // Where the input names the form of the answer, that decides.
    if op.media.len() > 1 && !members.iter().any(|member| member.name == "format") {
        let help = "Media type of the result";
        args.push(
            Arg::new("accept")
                .long("accept")
                .value_name("TYPE")
                .value_parser(PossibleValuesParser::new(op.media))
                .help(help),
        );
    }
    if op.media.iter().any(|media| !matches!(*media, "application/json" | "text/event-stream")) {
        let help = "Write the result to this file, or - for standard output";
        let arg = Arg::new("output").long("output").value_name("FILE").help(help);
        args.push(arg.value_hint(ValueHint::FilePath));
    }
    args
}

fn option(member: &Member, has_body: bool) -> Arg {
    let long = long_of(&member.name);
    let kind = member.kind.clone();
    let mut help = first_sentence(&member.doc);
    let written = match kind {
        Kind::Json => "JSON, @FILE, or -",
        Kind::List(_) if takes_commas(member) => "separate several by commas",
        Kind::List(_) => "repeat the option for several",
        Kind::Any => "text, JSON, @FILE, or -. Quote text that looks like JSON, such as '\"12\"'",
        _ => "",
    };
    match (help.is_empty(), written) {
        (_, "") => {}
        (true, written) => help = written.to_owned(),
        (false, written) => help.push_str(&format!(" ({written})")),
    }
    if member.required && has_body {
        help.push_str(if help.is_empty() { "Required" } else { " (required)" });
    }
    let arg = Arg::new(format!("in:{}", member.name)).long(long).value_name(kind.value_name()).help(help);
    let arg = match &kind {
        Kind::Flag => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
        Kind::List(_) => arg.action(ArgAction::Append),
        Kind::Integer | Kind::Number => arg.allow_negative_numbers(true),
        Kind::Any => arg.allow_negative_numbers(true).add(crate::complete::json_files()),
        Kind::Json => arg.add(crate::complete::json_files()),
        _ => arg,
    };
    match kind {
        Kind::Choice(words) => arg.value_parser(PossibleValuesParser::new(words)),
        Kind::List(inner) => match *inner {
            Kind::Choice(words) => arg.value_parser(PossibleValuesParser::new(words)),
            inner => {
                let arg = arg.allow_negative_numbers(true).value_parser(checked(inner));
                if takes_commas(member) { arg.value_delimiter(',') } else { arg }
            }
        },
        Kind::Text | Kind::Json | Kind::Any => arg,
        kind => arg.value_parser(checked(kind)),
    }
}

/// Whether one option may hold several values: identifiers hold no commas, other texts may.
fn takes_commas(member: &Member) -> bool {
    member.name.ends_with("Ids")
}

/// Checks a scalar while the text is kept, so that all options are looked up the same way.
fn checked(kind: Kind) -> impl Fn(&str) -> Result<String, String> + Clone + Send + Sync + 'static {
    move |text| kind.read(text).map(|_| text.to_owned())
}

/// The options that every command takes; a member of an operation that has the same name wins there, and the option is
/// then given before the command.
pub(crate) fn common_args(taken: &[String]) -> Vec<Arg> {
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help).help_heading("Connection and output")
    };
    let flag = |name: &'static str, help: &'static str| {
        let arg = Arg::new(name).long(name).action(ArgAction::SetTrue);
        arg.help(help).help_heading("Connection and output")
    };
    let mut args = vec![
        data_dir_arg().help_heading("Connection and output"),
        text("url", "URL", "URL of the control server [env: PILOTHOUSE_URL]"),
        text("token-file", "FILE", "File with the token, of mode 0600 [env: APP_CLI_TOKEN has the token itself] [default: cli-token in the data directory]")
            .value_hint(ValueHint::FilePath),
        text("source-session", "ID", "Session on whose behalf to act [env: APP_SESSION_ID]"),
        flag("json", "Print the result as JSON"),
        flag("quiet", "Print nothing on success"),
    ];
    args.retain(|arg| !taken.iter().any(|long| Some(long.as_str()) == arg.get_long()));
    args
}

/// `--data-dir`, for the app's own commands too.
pub fn data_dir_arg() -> Arg {
    let help = "Data directory [env: PILOTHOUSE_DATA_DIR]";
    Arg::new("data-dir").long("data-dir").value_name("DIR").help(help).value_hint(ValueHint::DirPath)
}
