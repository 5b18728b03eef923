//! Options are looked up from the innermost command outwards, so that `--json` may stand before or after the command.

use clap::ArgMatches;

/// The words of the command and its matches at each level, outermost first.
pub(crate) struct Chain<'a> {
    pub words: Vec<&'a str>,
    levels: Vec<&'a ArgMatches>,
}

impl<'a> Chain<'a> {
    pub(crate) fn new(matches: &'a ArgMatches) -> Self {
        let mut chain = Chain { words: Vec::new(), levels: vec![matches] };
        let mut matches = matches;
        while let Some((word, inner)) = matches.subcommand() {
            chain.words.push(word);
            chain.levels.push(inner);
            matches = inner;
        }
        chain
    }

    /// The matches of the command itself.
    pub(crate) fn leaf(&self) -> &'a ArgMatches {
        self.levels[self.levels.len() - 1]
    }

    /// The innermost value of an option.
    pub(crate) fn text(&self, id: &str) -> Option<&'a str> {
        self.levels.iter().rev().find_map(|matches| text(matches, id))
    }

    /// Whether the flag stands at any level.
    pub(crate) fn flag(&self, id: &str) -> bool {
        self.levels.iter().any(|matches| flag(matches, id))
    }
}

/// A command's own option; `None` too where the command has no such option.
pub(crate) fn text<'a>(matches: &'a ArgMatches, id: &str) -> Option<&'a str> {
    matches.try_get_one::<String>(id).ok().flatten().map(String::as_str)
}

/// A command's own flag; `false` too where the command has no such flag.
pub(crate) fn flag(matches: &ArgMatches, id: &str) -> bool {
    matches.try_get_one::<bool>(id).ok().flatten().copied().unwrap_or(false)
}
