//! Sensitive files, and the ones that a command line names.
//!
//! One row of `rows` declares each place. Paths are normalized by `path` and compared as text, without access to the
//! disk, so the caller must also pass the targets of symbolic links. A false match costs one question; a missed one is
//! blocked by the operating system's sandbox, which is built from the same rows ([`Sensitive::wall`]).

mod path;
mod rows;
mod shell;

pub use path::{Platform, SessionPaths};
pub use shell::Mention;
pub(crate) use shell::commands;

use path::{Name, Normal, join};
use rows::{At, ROWS, Row};

/// The kind of access to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// Read, search, or list.
    Read,
    /// Write, move, or delete.
    Write,
}

/// A description of a sensitive path, such as `an SSH key or setting`. Follows "is" in a sentence.
pub type What = &'static str;

/// The rules for one session's folders, built once.
#[derive(Debug, Clone)]
pub struct Sensitive {
    paths: SessionPaths,
    project: Option<Normal>,
    data: Option<Normal>,
    /// Rows with a path on this platform.
    places: Vec<(&'static Row, Normal)>,
    /// Rows with only a name.
    names: Vec<(&'static Row, Name)>,
}

impl Sensitive {
    /// Builds the rules for a session's folders.
    pub fn new(paths: SessionPaths) -> Self {
        let here = || ROWS.iter().filter(|row| row.platforms.contains(paths.platform));
        let places =
            here().filter_map(|row| Some((row, Normal::parse(&written(row, &paths)?, "/", &paths)?))).collect();
        Sensitive {
            places,
            names: here()
                .filter(|row| row.at == At::Anywhere)
                .map(|row| (row, Name::new(row.path.to_owned())))
                .collect(),
            project: Normal::parse(&paths.project, "/", &paths),
            data: Normal::parse(&paths.data_dir, "/", &paths),
            paths,
        }
    }

    /// The folders that the rules are for.
    pub fn paths(&self) -> &SessionPaths {
        &self.paths
    }

    /// Whether a path is sensitive, given the current folder and the kind of access.
    ///
    /// Environment files (`.env`, `.env.production`) are sensitive in every folder, because they often contain keys;
    /// examples (`.env.example`) aren't.
    pub fn path(&self, path: &str, cwd: &str, access: Access) -> Option<What> {
        self.normal(&Normal::parse(path, cwd, &self.paths)?, access)
    }

    /// Whether a folder that is read recursively is sensitive or contains a sensitive place.
    pub fn folder(&self, path: &str, cwd: &str) -> Option<What> {
        let path = Normal::parse(path, cwd, &self.paths)?;
        self.normal(&path, Access::Read).or_else(|| self.holds(&path))
    }

    /// A sensitive place in the home folder or in Pilothouse's data, below the given folder.
    fn holds(&self, folder: &Normal) -> Option<What> {
        if self.data.as_ref().is_some_and(|data| folder.is_above(data)) {
            return Some("a folder with Pilothouse's own data");
        }
        let mut rules = self.places.iter().filter(|(row, _)| row.at == At::Home && row.is_read);
        rules.any(|(_, rule)| folder.is_above(rule)).then_some("a folder with keys and credentials")
    }

    /// Whether a path is in the session's project.
    pub fn is_in_project(&self, path: &str, cwd: &str) -> bool {
        let path = Normal::parse(path, cwd, &self.paths);
        path.zip(self.project.as_ref()).is_some_and(|(path, project)| path.is_within(project))
    }

    /// Whether a path is this folder or below it.
    pub fn is_within(&self, path: &str, cwd: &str, folder: &str) -> bool {
        let folder = Normal::parse(folder, "/", &self.paths);
        Normal::parse(path, cwd, &self.paths).zip(folder).is_some_and(|(path, folder)| path.is_within(&folder))
    }

    /// The sensitive place that a path is in, as one of [`Sensitive::denied_paths`]. Pilothouse's own data isn't one.
    pub fn place(&self, path: &str, cwd: &str) -> Option<String> {
        let path = Normal::parse(path, cwd, &self.paths)?;
        let (row, _) = self.places.iter().find(|(row, rule)| row.is_read && path.is_within(rule))?;
        written(row, &self.paths)
    }

    fn normal(&self, path: &Normal, access: Access) -> Option<What> {
        if self.data.as_ref().is_some_and(|data| path.is_within(data)) {
            return Some("Pilothouse's own data");
        }
        let counts = |row: &Row| access == Access::Write || row.is_read;
        // A project in a system folder is still a project.
        let is_project = |row: &Row, rule: &Normal| {
            let is_in = |project: &Normal| project.is_within(rule) && path.is_within(project);
            !row.is_read && self.project.as_ref().is_some_and(is_in)
        };
        let mut places = self.places.iter();
        if let Some((row, _)) = places.find(|(row, rule)| counts(row) && path.is_within(rule) && !is_project(row, rule))
        {
            return Some(row.what);
        }
        if path.names().last().is_some_and(|name| rows::is_sample(name.text())) {
            return None;
        }
        let names = path.names().iter().filter(|name| name.says_something());
        let row_of = |name: &Name| self.names.iter().find(|(_, rule)| name.is(rule)).map(|(row, _)| row.what);
        names.filter_map(row_of).next()
    }
}

/// The path of a row's place.
fn written(row: &Row, paths: &SessionPaths) -> Option<String> {
    match row.at {
        At::Home => Some(join(&paths.home, row.path)),
        At::Root => Some(row.path.to_owned()),
        At::Anywhere => None,
    }
}

/// A path that the operating system must block for an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied {
    /// An absolute path, with everything below it.
    pub path: String,
    /// Whether reading is blocked too, or only writing.
    pub is_read: bool,
}

impl Sensitive {
    /// The paths for the operating system's sandbox: all rows with a path, except those that the engine itself needs
    /// (such as its own login), and those that contain the project or are in it. Names that are sensitive in every
    /// folder can't be listed; only the policy covers them.
    pub fn denied_paths(&self, needed: &[&str]) -> Vec<Denied> {
        let needed: Vec<Normal> = needed.iter().filter_map(|path| Normal::parse(path, "/", &self.paths)).collect();
        let is_free = |path: &Normal| {
            let holds_project = self.project.as_ref().is_some_and(|project| project.is_within(path));
            !holds_project && !needed.iter().any(|needed| needed.is_within(path) || path.is_within(needed))
        };
        let data = Denied { path: self.paths.data_dir.clone(), is_read: true };
        let places = self.places.iter().filter(|(row, path)| !row.path.contains('*') && is_free(path));
        let denied =
            places.filter_map(|(row, _)| Some(Denied { path: written(row, &self.paths)?, is_read: row.is_read }));
        std::iter::once(data).chain(denied).collect()
    }
}
