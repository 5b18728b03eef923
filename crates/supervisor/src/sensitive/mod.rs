//! Which files are sensitive, and what a command line mentions of them.
//!
//! One row of `rows` declares each place. A path is compared lexically, after `path` made it plain; it is never
//! looked up, so a symbolic link must be followed by the caller and asked about as well. A match too many costs one question;
//! a match too few is held by the operating system's wall, which is made of the same rows ([`Sensitive::wall`]).

mod path;
mod rows;
mod shell;

pub use path::{Platform, SessionPaths};
pub use shell::Mention;

use path::{Name, Normal, join};
use rows::{At, ROWS, Row};

/// What is done to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// It is read, searched or listed.
    Read,
    /// It is written, moved or deleted.
    Write,
}

/// What a sensitive path is, in words that follow "because it is": `an SSH key or setting`.
pub type What = &'static str;

/// The rules for one session's place, made once.
#[derive(Debug, Clone)]
pub struct Sensitive {
    paths: SessionPaths,
    project: Option<Normal>,
    data: Option<Normal>,
    /// Rows that are places on this platform.
    places: Vec<(&'static Row, Normal)>,
    /// Rows that are names.
    names: Vec<(&'static Row, Name)>,
}

impl Sensitive {
    /// The rules where the session works.
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

    /// The place that the rules are for.
    pub fn paths(&self) -> &SessionPaths {
        &self.paths
    }

    /// Whether a path is sensitive when it is named in this folder and used like this.
    ///
    /// Environment files (`.env`, `.env.production`) count wherever they lie, as they are where keys are kept; samples of them
    /// (`.env.example`) do not.
    pub fn path(&self, path: &str, cwd: &str, access: Access) -> Option<What> {
        self.normal(&Normal::parse(path, cwd, &self.paths)?, access)
    }

    /// Whether a folder that is gone through whole is sensitive or holds a sensitive place.
    pub fn folder(&self, path: &str, cwd: &str) -> Option<What> {
        let path = Normal::parse(path, cwd, &self.paths)?;
        self.normal(&path, Access::Read).or_else(|| self.holds(&path))
    }

    /// A sensitive place in the home folder or our own data, below a folder that holds it.
    fn holds(&self, folder: &Normal) -> Option<What> {
        if self.data.as_ref().is_some_and(|data| folder.is_above(data)) {
            return Some("a folder with Pilothouse's own data");
        }
        let mut rules = self.places.iter().filter(|(row, _)| row.at == At::Home && row.is_read);
        rules.any(|(_, rule)| folder.is_above(rule)).then_some("a folder with keys and credentials")
    }

    /// Whether a path lies in the session's project.
    pub fn is_in_project(&self, path: &str, cwd: &str) -> bool {
        let path = Normal::parse(path, cwd, &self.paths);
        path.zip(self.project.as_ref()).is_some_and(|(path, project)| path.is_within(project))
    }

    /// Whether a path is this folder or lies below it.
    pub fn is_within(&self, path: &str, cwd: &str, folder: &str) -> bool {
        let folder = Normal::parse(folder, "/", &self.paths);
        Normal::parse(path, cwd, &self.paths).zip(folder).is_some_and(|(path, folder)| path.is_within(&folder))
    }

    fn normal(&self, path: &Normal, access: Access) -> Option<What> {
        if self.data.as_ref().is_some_and(|data| path.is_within(data)) {
            return Some("Pilothouse's own data");
        }
        let counts = |row: &Row| access == Access::Write || row.is_read;
        // A project that lies in a system folder is a project all the same.
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

/// Where a row's place is, as a path.
fn written(row: &Row, paths: &SessionPaths) -> Option<String> {
    match row.at {
        At::Home => Some(join(&paths.home, row.path)),
        At::Root => Some(row.path.to_owned()),
        At::Anywhere => None,
    }
}

/// A place that the operating system is to deny to an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied {
    /// An absolute path; all below it is meant.
    pub path: String,
    /// Reading is denied too, else writing only.
    pub is_read: bool,
}

impl Sensitive {
    /// The concrete paths for the operating system's wall: all rows that are places, without those that the engine itself
    /// needs (its own login, say) or that hold the project or one of them. Names that count anywhere cannot be listed; the
    /// policy alone holds them.
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
