//! Rewrites find commands that start a process for each file, so that one process gets many files.
//!
//! Invariant: the rewritten line prints the same to standard output, in the same order, and ends with the same status.
//! So only commands are batched that read files one after another and change nothing, and whose output doesn't depend
//! on how many they get; of anything that can't be read with certainty, nothing is rewritten.
//! Deliberately not here: messages on standard error. They can come at another position among the output, and an error
//! in the command itself, such as an invalid pattern, is reported once for each batch instead of for each file.

/// Maximum bytes of a line that is read.
const LINE_BYTES_MAX: usize = 16 * 1024;

/// Runs its arguments as a command, and succeeds. With `+`, a command that fails makes find fail, but with `;`, it doesn't.
const WRAPPER: &str = r#"sh -c '"$@"; :' sh "#;

/// Commands that may be on the line beside find: none of them changes what its words mean.
const HARMLESS: &[&str] = &["cat", "cd", "echo", "find", "git", "grep", "ls", "printf", "pwd", "true", "wc"];

/// Tests and options of find without an argument.
const ALONE: &[&str] = &[
    "-daystart",
    "-depth",
    "-empty",
    "-executable",
    "-false",
    "-follow",
    "-ignore_readdir_race",
    "-mount",
    "-nogroup",
    "-noignore_readdir_race",
    "-noleaf",
    "-nouser",
    "-nowarn",
    "-prune",
    "-readable",
    "-true",
    "-warn",
    "-writable",
    "-xdev",
];
/// Those with one. Access times aren't among them: the command changes those.
const WITH_ARGUMENT: &[&str] = &[
    "-cmin",
    "-cnewer",
    "-ctime",
    "-fstype",
    "-gid",
    "-group",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-name",
    "-newer",
    "-newermt",
    "-path",
    "-perm",
    "-regex",
    "-regextype",
    "-samefile",
    "-size",
    "-type",
    "-uid",
    "-user",
    "-wholename",
    "-xtype",
];

/// The line with its find commands batched. `None` if there is nothing to batch, or that isn't certain.
pub fn batched(line: &str) -> Option<String> {
    // Most lines have no find command.
    if line.len() > LINE_BYTES_MAX || !line.contains("-exec") {
        return None;
    }
    let commands = commands(line)?;
    let is_harmless = |command: &Vec<Word<'_>>| {
        command.first().is_some_and(|first| first.is_plain() && HARMLESS.contains(&base(&first.text)))
    };
    if !commands.iter().all(is_harmless) {
        return None;
    }
    let mut edits: Vec<Edit> = Vec::new();
    for command in &commands {
        edits.extend(edits_of(command).into_iter().flatten());
    }
    if edits.is_empty() {
        return None;
    }
    let mut text = String::with_capacity(line.len() + edits.len() * WRAPPER.len());
    let mut from = 0;
    for Edit { start, end, new } in edits {
        text.push_str(&line[from..start]);
        text.push_str(new);
        from = end;
    }
    text.push_str(&line[from..]);
    Some(text)
}

/// A replaced part of the line.
struct Edit {
    start: usize,
    end: usize,
    new: &'static str,
}

/// A word of a command, as written and without quotes.
#[derive(Debug)]
struct Word<'a> {
    start: usize,
    raw: &'a str,
    text: String,
}

impl Word<'_> {
    /// Whether it's written without quotes.
    fn is_plain(&self) -> bool {
        self.raw == self.text
    }

    fn end(&self) -> usize {
        self.start + self.raw.len()
    }
}

/// The last part of a program's path in a folder of the system.
fn base(program: &str) -> &str {
    ["/usr/bin/", "/bin/"].iter().find_map(|folder| program.strip_prefix(folder)).unwrap_or(program)
}

/// The simple commands of a line, joined by `&&`, `||`, `;`, or line ends. `None` if the line has anything else that a
/// shell gives a meaning, other than `2>/dev/null`.
fn commands(line: &str) -> Option<Vec<Vec<Word<'_>>>> {
    let mut commands = vec![Vec::new()];
    let mut rest = line;
    loop {
        let trimmed = rest.trim_start_matches([' ', '\t']);
        let start = line.len() - trimmed.len();
        let Some(first) = trimmed.chars().next() else { break };
        let is_end = ["&&", "||"].iter().find(|end| trimmed.starts_with(**end));
        if let Some(end) = is_end {
            rest = &trimmed[end.len()..];
            commands.push(Vec::new());
        } else if matches!(first, ';' | '\n') {
            rest = &trimmed[1..];
            commands.push(Vec::new());
        } else if let Some(after) = trimmed.strip_prefix("\\\n") {
            rest = after;
        } else if let Some(after) = without_errors(trimmed) {
            rest = after;
        } else {
            let (text, length) = word(trimmed)?;
            commands.last_mut()?.push(Word { start, raw: &trimmed[..length], text });
            rest = &trimmed[length..];
        }
    }
    // An empty one is left by a line end, or by `;` at the end. `;;` and the like are errors of the shell's.
    commands.retain(|command| !command.is_empty());
    Some(commands)
}

/// What follows `2>/dev/null`, if that's next.
fn without_errors(text: &str) -> Option<&str> {
    let after = text.strip_prefix("2>")?.trim_start_matches([' ', '\t']).strip_prefix("/dev/null")?;
    (after.is_empty() || after.starts_with([' ', '\t', '\n', ';', '&', '|'])).then_some(after)
}

/// The text of the word at the beginning, and its length. `None` if it has anything that isn't plain text or quotes.
fn word(line: &str) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut chars = line.char_indices().peekable();
    while let Some(&(at, c)) = chars.peek() {
        if matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|') {
            return (at > 0).then_some((text, at));
        }
        chars.next();
        match c {
            '\'' => loop {
                match chars.next()?.1 {
                    '\'' => break,
                    quoted => text.push(quoted),
                }
            },
            '"' => loop {
                match chars.next()?.1 {
                    '"' => break,
                    '`' => return None,
                    // Before these, it's a dollar sign.
                    '$' if matches!(chars.peek()?.1, '"' | ' ') => text.push('$'),
                    '$' => return None,
                    '\\' => match chars.next()?.1 {
                        '\n' => return None,
                        escaped @ ('$' | '`' | '"' | '\\') => text.push(escaped),
                        other => text.extend(['\\', other]),
                    },
                    quoted => text.push(quoted),
                }
            },
            '\\' => match chars.next()?.1 {
                '\n' => return None,
                escaped => text.push(escaped),
            },
            // The name of a file in find's arguments.
            '{' if at == 0 && line[1..].starts_with('}') => {
                text.push_str("{}");
                chars.next();
                if chars.peek().is_some_and(|(_, next)| !matches!(next, ' ' | '\t' | '\n')) {
                    return None;
                }
            }
            '!' if at == 0 && line[1..].starts_with([' ', '\t']) => text.push('!'),
            '~' if at == 0 => text.push('~'),
            '=' if at > 0 => text.push('='),
            '%' | '+' | ',' | '-' | '.' | '/' | ':' | '@' | '_' => text.push(c),
            c if c.is_alphanumeric() => text.push(c),
            _ => return None,
        }
    }
    Some((text, line.len()))
}

/// How a command is rewritten, if it's find with one `-exec` at its end that can be batched.
fn edits_of(command: &[Word<'_>]) -> Option<Vec<Edit>> {
    let (name, rest) = command.split_first()?;
    if base(&name.text) != "find" {
        return None;
    }
    let exec = exec_at_end(rest)?;
    let (terminator, inner) = rest[exec + 1..].split_last()?;
    // A quoted semicolon: a bare one would have ended the command.
    let (file, inner) = inner.split_last()?;
    if terminator.text != ";" || file.text != "{}" || inner.iter().any(|word| word.text.contains("{}")) {
        return None;
    }
    let (program, args) = inner.split_first()?;
    let args: Vec<&str> = args.iter().map(|word| &*word.text).collect();
    let same = output_of_several(base(&program.text), &args)?;
    if !program.is_plain() {
        return None;
    }
    let mut edits = vec![Edit { start: program.start, end: program.start, new: WRAPPER }];
    if same == Output::SameWithoutNames {
        edits.push(Edit { start: program.end(), end: program.end(), new: " -h" });
    }
    edits.push(Edit { start: terminator.start, end: terminator.end(), new: "+" });
    Some(edits)
}

/// The position of `-exec` in the arguments of find, if everything before it is known, and neither prints, nor changes
/// anything, nor depends on the command.
fn exec_at_end(args: &[Word<'_>]) -> Option<usize> {
    let is_expression = |word: &Word<'_>| word.text.starts_with('-') || matches!(&*word.text, "(" | ")" | "!" | ",");
    let mut at = args.iter().take_while(|word| matches!(&*word.text, "-H" | "-L" | "-P")).count();
    at += args[at..].iter().take_while(|word| !is_expression(word)).count();
    let mut depth = 0_u32;
    let mut is_negated = false;
    loop {
        let word = &*args.get(at)?.text;
        match word {
            "-exec" if depth == 0 && !is_negated => return Some(at),
            "(" => depth += 1,
            ")" => depth = depth.checked_sub(1)?,
            "!" | "-not" => {
                is_negated = true;
                at += 1;
                continue;
            }
            "-a" | "-and" | "-o" | "-or" => {}
            word if ALONE.contains(&word) => {}
            word if WITH_ARGUMENT.contains(&word) => {
                at += 1;
                args.get(at)?;
            }
            _ => return None,
        }
        is_negated = false;
        at += 1;
    }
}

/// Compares the output for several files with that for each of them, one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Output {
    Same,
    /// If names of files are left out, as for a single file.
    SameWithoutNames,
}

/// What a command prints for several files. `None` if it isn't known to print the same.
fn output_of_several(program: &str, args: &[&str]) -> Option<Output> {
    match program {
        "cat" => args.is_empty().then_some(Output::Same),
        "grep" => grep(args),
        "md5sum" | "sha1sum" | "sha224sum" | "sha256sum" | "sha384sum" | "sha512sum" | "b2sum" => {
            args.iter().all(|arg| matches!(*arg, "-b" | "-t" | "--tag")).then_some(Output::Same)
        }
        "stat" => stat(args),
        _ => None,
    }
}

fn stat(args: &[&str]) -> Option<Output> {
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match *arg {
            "-L" | "-t" => {}
            "-c" => drop(args.next()?),
            arg if arg.starts_with("--format=") || arg.starts_with("--printf=") => {}
            _ => return None,
        }
    }
    Some(Output::Same)
}

/// Options of grep that count for each line or file alone.
const GREP_LONG: &[&str] = &[
    "--basic-regexp",
    "--binary-files=text",
    "--binary-files=without-match",
    "--byte-offset",
    "--color=always",
    "--color=never",
    "--extended-regexp",
    "--fixed-strings",
    "--ignore-case",
    "--invert-match",
    "--line-number",
    "--line-regexp",
    "--no-messages",
    "--null",
    "--null-data",
    "--only-matching",
    "--perl-regexp",
    "--text",
    "--word-regexp",
];
const GREP_SHORT: &[char] = &['E', 'F', 'G', 'I', 'P', 'Z', 'a', 'b', 'i', 'n', 'o', 's', 'v', 'w', 'x', 'y', 'z'];

/// What is known of grep's options so far.
#[derive(Default)]
struct Grep {
    has_pattern: bool,
    /// Whether it says itself if names are shown.
    has_names: bool,
    /// Whether it prints only names.
    lists: bool,
    counts: bool,
}

fn grep(args: &[&str]) -> Option<Output> {
    let mut grep = Grep::default();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        if *arg == "--" {
            at += 1;
            break;
        }
        if !arg.starts_with('-') || *arg == "-" {
            break;
        }
        at += if arg.starts_with("--") { grep.long(arg)? } else { grep.short(&arg[1..], args.get(at + 1).copied())? };
    }
    // A pattern, where no option gave one, and nothing else. Options can come after it.
    let operands = args.get(at..)?;
    let is_one = usize::from(!grep.has_pattern) == operands.len();
    if !is_one || operands.iter().any(|word| word.starts_with('-') && args.get(at.wrapping_sub(1)) != Some(&"--")) {
        return None;
    }
    match (grep.lists, grep.counts, grep.has_names) {
        // Which of both wins differs.
        (true, true, _) => None,
        (true, false, _) | (_, _, true) => Some(Output::Same),
        (false, _, false) => Some(Output::SameWithoutNames),
    }
}

impl Grep {
    /// Reads a long option. Returns the number of words it has.
    fn long(&mut self, arg: &str) -> Option<usize> {
        match arg {
            "--files-with-matches" | "--files-without-match" => self.lists = true,
            "--no-filename" | "--with-filename" => self.has_names = true,
            "--count" => self.counts = true,
            arg if arg.starts_with("--regexp=") => self.has_pattern = true,
            arg if arg.starts_with("--max-count=") => {}
            arg => GREP_LONG.contains(&arg).then_some(())?,
        }
        Some(1)
    }

    /// Reads a word of short options, after its hyphen. Returns the number of words they have.
    fn short(&mut self, options: &str, next: Option<&str>) -> Option<usize> {
        for (at, option) in options.char_indices() {
            match option {
                'l' | 'L' => self.lists = true,
                'h' | 'H' => self.has_names = true,
                'c' => self.counts = true,
                'e' | 'm' => {
                    self.has_pattern |= option == 'e';
                    // Its value is the rest of the word, or the next one.
                    if options.len() > at + 1 {
                        return Some(1);
                    }
                    return next.map(|_| 2);
                }
                option => GREP_SHORT.contains(&option).then_some(())?,
            }
        }
        Some(1)
    }
}
