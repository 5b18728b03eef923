//! No dead switch: every setting is obeyed, only stored, or waits for its feature, and never two of these.
//!
//! Obeyed means that the program or its page reads it. Rust reads a setting with `ctx.setting(account, &key)`, or as the
//! switch of an operation, `.switch(&key, ..)`; the page with `useSetting('key')`, or as `shownBy: 'key'` of an entry of the
//! navigation. The sources are searched for these, without tests, comments, texts and the rows themselves: a name in an
//! import, a message or a declaration obeys nothing.

use crate::features;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What becomes of the quoted texts of a source.
#[derive(Clone, Copy, PartialEq)]
enum Texts {
    Left,
    Blanked,
}

/// The source without its comments, and without its texts where they are to be blanked.
fn code_of(source: &str, texts: Texts) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if let Some(length) = text_length(rest, texts) {
            if texts == Texts::Left {
                code.push_str(&rest[..length]);
            }
            length
        } else {
            code.push(c);
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    code
}

/// How long the quoted text is that begins here, if one does.
fn text_length(rest: &str, texts: Texts) -> Option<usize> {
    if let Some(raw) = rest.strip_prefix('r').map(|raw| raw.trim_start_matches('#')).filter(|raw| raw.starts_with('"'))
    {
        let hashes = rest.len() - raw.len() - 1;
        let end = format!("\"{}", "#".repeat(hashes));
        return raw[1..].find(&end).map(|at| rest.len() - raw.len() + 1 + at + end.len());
    }
    let quote = rest.chars().next()?;
    // In Rust an apostrophe is a lifetime or one character; neither names a setting, and only '"' would mislead.
    let quotes: &[char] = if texts == Texts::Left { &['"', '\'', '`'] } else { &['"'] };
    if texts == Texts::Blanked && rest.starts_with("'\"'") {
        return Some(3);
    }
    if !quotes.contains(&quote) {
        return None;
    }
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            // An apostrophe in the text between two tags ends with its line.
            '\n' if quote == '\'' => return None,
            c if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// What stands between the bracket at the beginning and the one that closes it, and what follows.
fn bracketed(code: &str, open: char, close: char) -> Option<(&str, &str)> {
    let inside = code.strip_prefix(open)?;
    let mut depth = 1;
    for (at, c) in inside.char_indices() {
        depth += i32::from(c == open) - i32::from(c == close);
        if depth == 0 {
            return Some((&inside[..at], &inside[at + close.len_utf8()..]));
        }
    }
    None
}

/// The code without the blocks that begin like this.
fn without_blocks(code: &str, begin: &str) -> String {
    let mut kept = String::new();
    let mut rest = code;
    while let Some(at) = rest.find(begin) {
        kept.push_str(&rest[..at]);
        let after = &rest[at + begin.len()..];
        // `mod tests;` has its block in another file.
        let opens = after.find(['{', ';']).filter(|at| after[*at..].starts_with('{'));
        rest = opens.and_then(|at| bracketed(&after[at..], '{', '}')).map_or(after, |(_, after)| after);
    }
    kept + rest
}

/// Keys that a Rust source reads.
fn read_by_rust(source: &str) -> BTreeSet<String> {
    let code = code_of(source, Texts::Blanked);
    let code = without_blocks(&without_blocks(&code, "#[cfg(test)]"), "settings! ");
    let mut keys = BTreeSet::new();
    for (call, argument) in [(".setting(", 1), (".switch(", 0)] {
        for (at, _) in code.match_indices(call) {
            let Some((arguments, _)) = bracketed(&code[at + call.len() - 1..], '(', ')') else { continue };
            // A comma within the brackets of the account's argument would shift the count; there the last one is the key.
            let parts: Vec<&str> = arguments.trim_end().trim_end_matches(',').split(',').map(str::trim).collect();
            let key = if argument == 0 { parts.first() } else { parts.last() };
            let key = key.and_then(|path| path.strip_prefix('&')).and_then(|path| path.rsplit("::").next());
            keys.extend(key.map(str::to_owned));
        }
    }
    keys
}

/// Keys that a source of the page reads.
fn read_by_page(source: &str) -> BTreeSet<String> {
    let code = code_of(source, Texts::Left);
    let mut keys = BTreeSet::new();
    for (reader, until) in [("useSetting", "('"), ("shownBy:", "'")] {
        for (at, _) in code.match_indices(reader) {
            let after = &code[at + reader.len()..];
            let Some((between, text)) = after.split_once(until) else { continue };
            // `useSetting<number>('key')`: between the name and the bracket stands a type, or nothing.
            let is_call = between.trim().is_empty() || between.starts_with('<') && between.ends_with('>');
            keys.extend(text.split_once('\'').filter(|_| is_call).map(|(key, _)| key.to_owned()));
        }
    }
    keys
}

/// The sources below a folder that are no tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())).flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let for_tests = [
            "tests",
            "tests.rs",
            "testing",
            "testing.rs",
            "testkit",
            "benches",
            "e2e",
            "gen",
            "node_modules",
            "target",
        ];
        if for_tests.contains(&name.as_str()) || name.contains(".test.") {
            continue;
        }
        if entry.path().is_dir() {
            sources(&entry.path(), found);
        } else if [".rs", ".ts", ".tsx"].iter().any(|end| name.ends_with(end)) {
            found.push(entry.path());
        }
    }
}

/// Every key that some source reads.
fn read_somewhere() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["crates", "features", "ui/src"] {
        sources(&root.join(folder), &mut found);
    }
    let read = |path: &PathBuf| {
        let source = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        if path.extension().is_some_and(|end| end == "rs") { read_by_rust(&source) } else { read_by_page(&source) }
    };
    found.iter().flat_map(read).collect()
}

#[test]
fn no_dead_switch() {
    let catalog = features::catalog();
    let mut read = read_somewhere();
    // The inbox obeys the settings that show kinds of rows, whichever kinds there are.
    read.extend(catalog.inbox_kinds.iter().filter_map(|kind| kind.shown_by).map(|shown| shown.spec.key.to_owned()));
    let mut wrong = Vec::new();
    for spec in &catalog.rows {
        let states = (read.contains(spec.key), catalog.awaiting.contains(spec.key), spec.stored_only);
        match states {
            (true, false, false) | (false, true, false) | (false, false, true) => {}
            (false, false, false) => wrong.push(format!(
                "{} is read nowhere: obey it with `ctx.setting(..)`, `.switch(..)` or `useSetting(..)`, or let it wait in features/settings/src/awaiting/",
                spec.key
            )),
            (true, true, _) => wrong.push(format!(
                "{} is read, so it waits no more: move its row to the feature that obeys it",
                spec.key
            )),
            (true, false, true) => wrong.push(format!("{} is read, so it is not only stored", spec.key)),
            (false, true, true) => wrong.push(format!("{} is only stored, so it waits for nothing", spec.key)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_reader_finds_reading_and_nothing_else() {
    let rust = r##"
        use settings::{imported, read};
        kit::settings! { "A" / "b" { /// Doc.
            declared: bool = toggle(true).requires(&needed); } }
        // ctx.setting(account, &commented)
        fn f() {
            let text = "ctx.setting(account, &quoted)";
            let raw = r#"ctx.setting(account, &raw) " "#;
            ctx.setting(call.account(), &settings::read);
            ctx.setting(
                tokens.first(1, 2),
                &wrapped,
            );
            let quote = '"';
            Op::new("x").switch(&switch, &OFF);
            let sideways = &referred;
        }
        #[cfg(test)]
        mod tests { fn f() { ctx.setting(account, &tested) } }
    "##;
    assert_eq!(Vec::from_iter(read_by_rust(rust)), ["read", "switch", "wrapped"]);
    let page = "
        // useSetting('commented')
        const seconds = useSetting<number>('typed'); const plain = useSetting('plain');
        const nav = [{ label: 'It\\'s', shownBy: 'shown' }];
        <p>Don't useSetting</p>
        const text = 'named'; /* shownBy: 'blocked' */ useSetting(key); other('else');
    ";
    assert_eq!(Vec::from_iter(read_by_page(page)), ["plain", "shown", "typed"]);
}
