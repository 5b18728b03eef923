//! Normalizes paths, so they can be compared.

use super::rows::matches;
use unicode_normalization::UnicodeNormalization;

/// The platform, which decides how file names are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Windows.
    W,
    /// macOS.
    M,
    /// Linux.
    L,
}

/// The absolute paths that decide what is sensitive for a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionPaths {
    /// The platform.
    pub platform: Platform,
    /// The user's home folder.
    pub home: String,
    /// Pilothouse's data directory.
    pub data_dir: String,
    /// The session's project folder.
    pub project: String,
}

/// An absolute path in normalized components: no `.`, `..`, `~`, or look-alike letters; lower case if the platform
/// ignores case. The first component of a Windows path is its drive.
#[derive(Debug, Clone)]
pub(super) struct Normal(Vec<Name>);

/// A component of a path or of a row.
#[derive(Debug, Clone)]
pub(super) struct Name {
    text: String,
    is_glob: bool,
}

impl Name {
    pub(super) fn new(text: String) -> Self {
        Name { is_glob: text.bytes().any(|byte| matches!(byte, b'*' | b'?')), text }
    }
    /// Whether two components match. Either can be a pattern: of a row, or a glob on a command line. As in a shell, a
    /// glob doesn't match a leading dot.
    pub(super) fn is(&self, rule: &Name) -> bool {
        if !self.is_glob && !rule.is_glob {
            return self.text == rule.text;
        }
        let dots = self.text.starts_with('.') == rule.text.starts_with('.');
        (rule.is_glob && matches(&rule.text, &self.text)) || (self.is_glob && dots && matches(&self.text, &rule.text))
    }
    /// A very general glob, such as `*`, doesn't name any file.
    pub(super) fn says_something(&self) -> bool {
        !self.is_glob || self.text.chars().filter(|c| !matches!(c, '*' | '?')).nth(1).is_some()
    }
    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

impl Normal {
    /// Normalizes a path relative to this folder; none if it's empty.
    pub(super) fn parse(path: &str, cwd: &str, paths: &SessionPaths) -> Option<Normal> {
        let path = address(path.trim());
        if path.is_empty() {
            return None;
        }
        let path = with_home(&path, paths);
        let path = if is_absolute(&path, paths.platform) { path } else { join(cwd, &path) };
        let path = plain(&with_home(&path, paths), paths.platform);
        let mut names: Vec<Name> = Vec::new();
        for name in path.split('/') {
            let name = plain_name(name, paths.platform);
            match name.as_str() {
                "" | "." => {}
                ".." => {
                    names.pop();
                }
                _ => names.push(Name::new(name)),
            }
        }
        resolve_aliases(&mut names, paths.platform, &paths.home);
        Some(Normal(names))
    }
    pub(super) fn is_within(&self, folder: &Normal) -> bool {
        self.0.len() >= folder.0.len() && folder.0.iter().zip(&self.0).all(|(rule, name)| name.is(rule))
    }
    /// Whether it's a folder above the other path.
    pub(super) fn is_above(&self, other: &Normal) -> bool {
        self.0.len() < other.0.len() && self.0.iter().zip(&other.0).all(|(name, rule)| name.is(rule))
    }
    /// The absolute path as text.
    pub(super) fn written(&self, paths: &SessionPaths) -> String {
        let names: Vec<&str> = self.0.iter().map(Name::text).collect();
        let begin = if paths.platform == Platform::W { "" } else { "/" };
        format!("{begin}{}", names.join("/"))
    }
    pub(super) fn names(&self) -> &[Name] {
        &self.0
    }
}

/// Other names of the same place, which each platform has.
fn resolve_aliases(names: &mut Vec<Name>, platform: Platform, home: &str) {
    let is = |at: usize, text: &str| names.get(at).is_some_and(|name: &Name| name.text == text);
    match platform {
        // A process's view of the whole machine is the machine.
        Platform::L if is(0, "proc") && is(2, "root") => drop(names.drain(..3)),
        Platform::L => {}
        Platform::M if is(0, "system") && is(1, "volumes") && is(2, "data") => drop(names.drain(..3)),
        Platform::M if is(0, "private") && (is(1, "etc") || is(1, "var")) => drop(names.remove(0)),
        Platform::M => {}
        Platform::W => {
            let is_this_machine = is(0, "localhost") || is(0, "127.0.0.1");
            let is_mount = is(0, "mnt") || is(0, "cygdrive");
            let at = usize::from((is_this_machine || is_mount) && names.len() > 1);
            let drive = names.get(at).map(|name| name.text.trim_end_matches('$').to_owned()).unwrap_or_default();
            if drive.len() == 1 {
                // `/c/Users`, `/mnt/c/Users` and `//localhost/C$/Users`.
                names.splice(..=at, [Name::new(format!("{drive}:"))]);
            } else if !is(0, &drive) || !drive.ends_with(':') {
                // Without a drive, the home folder's drive is used.
                names.insert(0, Name::new(home.chars().take(2).collect::<String>().to_lowercase()));
            }
        }
    }
}

pub(super) fn join(folder: &str, path: &str) -> String {
    format!("{}/{}", folder.trim_end_matches(['/', '\\']), path)
}

fn is_absolute(path: &str, platform: Platform) -> bool {
    let is_drive = || {
        let bytes = path.as_bytes();
        bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && matches!(bytes[2], b'/' | b'\\')
    };
    path.starts_with('/') || (platform == Platform::W && (path.starts_with('\\') || is_drive()))
}

/// Converts `file://` addresses to paths.
fn address(path: &str) -> String {
    let Some(rest) = path.strip_prefix("file://") else { return path.to_owned() };
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let bytes = rest.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%').then(|| rest.get(at + 1..at + 3)).flatten();
        if let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            plain.push(byte);
            at += 3;
        } else {
            plain.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}

/// Replaces `~`, `$HOME`, and similar names at the start by the home folder.
fn with_home(path: &str, paths: &SessionPaths) -> String {
    const HOMES: [&str; 8] =
        ["~", "$HOME", "${HOME}", "$env:HOME", "%USERPROFILE%", "$env:USERPROFILE", "%HOMEPATH%", "$USERPROFILE"];
    let user = paths.home.rsplit(['/', '\\']).next().unwrap_or_default();
    let begins = HOMES.iter().find_map(|home| {
        let begin = path.get(..home.len()).filter(|begin| begin.eq_ignore_ascii_case(home))?;
        Some(&path[begin.len()..])
    });
    let begins = begins.map(|rest| match rest.strip_prefix(user) {
        // `~ada`, if the user is ada.
        Some(rest) if path.starts_with('~') && !user.is_empty() => rest,
        _ => rest,
    });
    match begins {
        Some(rest) if rest.is_empty() || rest.starts_with(['/', '\\']) => format!("{}{rest}", paths.home),
        _ => path.to_owned(),
    }
}

/// Uses one kind of separator, and removes Windows prefixes.
fn plain(path: &str, platform: Platform) -> String {
    // Converts fullwidth slashes and dots to plain ones.
    let path: String = path.nfkc().collect();
    if platform != Platform::W {
        return path;
    }
    let path = path.replace('\\', "/");
    let path = ["//?/", "//./", "/??/"].iter().find_map(|prefix| path.strip_prefix(prefix)).unwrap_or(&path);
    path.to_owned()
}

fn plain_name(name: &str, platform: Platform) -> String {
    let mut plain: String = name.chars().filter(|c| !is_invisible(*c)).map(lookalike).collect();
    if platform != Platform::L {
        plain = plain.to_lowercase();
    }
    if platform == Platform::W && plain != "." && plain != ".." {
        // Windows ignores these, and text after a colon is a stream of the same file; a drive keeps its colon.
        if let Some(at) = plain.find(':').filter(|at| *at > 1) {
            plain.truncate(at);
        }
        plain.truncate(plain.trim_end_matches(['.', ' ']).len());
    }
    plain
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}')
        || c.is_control()
}

/// Letters of other scripts that look like Latin ones, limited to those in the rows' names. A file with such a name is
/// a different file, so this only protects a user who might misread it.
fn lookalike(c: char) -> char {
    const PAIRS: &[(char, char)] = &[
        ('а', 'a'),
        ('ɑ', 'a'),
        ('α', 'a'),
        ('с', 'c'),
        ('ϲ', 'c'),
        ('ԁ', 'd'),
        ('е', 'e'),
        ('һ', 'h'),
        ('і', 'i'),
        ('ı', 'i'),
        ('ј', 'j'),
        ('κ', 'k'),
        ('ӏ', 'l'),
        ('ո', 'n'),
        ('о', 'o'),
        ('ο', 'o'),
        ('р', 'p'),
        ('ρ', 'p'),
        ('ѕ', 's'),
        ('υ', 'u'),
        ('ѵ', 'v'),
        ('ν', 'v'),
        ('ԝ', 'w'),
        ('х', 'x'),
        ('у', 'y'),
        ('‐', '-'),
        ('‑', '-'),
        ('–', '-'),
        ('․', '.'),
        ('∕', '/'),
        ('⁄', '/'),
    ];
    PAIRS.iter().find(|(like, _)| *like == c).map_or(c, |(_, latin)| *latin)
}
