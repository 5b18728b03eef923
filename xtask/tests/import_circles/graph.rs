//! Which modules of a crate import each other.

use crate::source::{Module, Use};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Modules beside each other that all reach each other by imports.
#[derive(Debug)]
pub struct Circle {
    /// The folder's names from the crate's root down; empty for the crate's top level.
    pub folder: Vec<String>,
    /// `(root)` is the folder's own file.
    pub modules: Vec<String>,
    /// Imports within the circle: by importing and imported module, what is imported and by which file.
    pub imports: Imports,
}

type Imports = BTreeMap<(String, String), BTreeSet<String>>;

const ROOT: &str = "(root)";

/// What a path leads to.
#[derive(Clone, Copy)]
enum Target {
    Module(usize),
    /// An item of a module.
    Item(usize),
}

impl Target {
    fn module(self) -> usize {
        match self {
            Target::Module(at) | Target::Item(at) => at,
        }
    }
}

struct Graph<'a> {
    modules: &'a [Module],
    at: HashMap<&'a [String], usize>,
}

/// `use` of `use` of `use`: how far it is followed. More only happens where `use`s go round in a circle.
const STEPS_MAX: usize = 16;

impl<'a> Graph<'a> {
    fn child(&self, module: usize, name: &str) -> Option<usize> {
        let path: Vec<String> = self.modules[module].path.iter().cloned().chain([name.to_owned()]).collect();
        self.at.get(path.as_slice()).copied()
    }

    fn parent(&self, module: usize) -> Option<usize> {
        let path = &self.modules[module].path;
        self.at.get(&path[..path.len().checked_sub(1)?]).copied()
    }

    /// Where a path in a module's source leads; none where that is another crate or the module's own item.
    fn resolve(&self, module: usize, path: &[String], steps: usize) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let start = match first.as_str() {
            "crate" => 0,
            "self" => module,
            "super" => self.parent(module)?,
            name => match self.child(module, name) {
                Some(child) => child,
                None => {
                    let imported = self.modules[module].uses.iter().find(|import| import.name == name);
                    return self.follow(module, imported.filter(|import| import.path != path)?, rest, steps);
                }
            },
        };
        self.walk(start, rest, steps)
    }

    /// Follows a `use` of a module, then the rest of a path that begins with its name.
    fn follow(&self, module: usize, import: &Use, rest: &[String], steps: usize) -> Option<Target> {
        match self.resolve(module, &import.path, steps.checked_sub(1)?)? {
            Target::Module(at) => self.walk(at, rest, steps - 1),
            item => Some(item),
        }
    }

    /// Follows a path from a module down, through what modules re-export.
    fn walk(&self, module: usize, path: &[String], steps: usize) -> Option<Target> {
        let Some((name, rest)) = path.split_first() else { return Some(Target::Module(module)) };
        if name == "super" {
            return self.walk(self.parent(module)?, rest, steps);
        }
        if let Some(child) = self.child(module, name) {
            return self.walk(child, rest, steps);
        }
        let here = &self.modules[module];
        if here.items.contains(name) {
            return Some(Target::Item(module));
        }
        let mut imports = here.uses.iter().filter(|import| &import.name == name);
        if let Some(found) = imports.find_map(|import| self.follow(module, import, rest, steps)) {
            return Some(found);
        }
        let globs = here.uses.iter().filter(|import| import.name == "*");
        for glob in globs {
            if let Some(Target::Module(from)) = self.resolve(module, &glob.path, steps.checked_sub(1)?)
                && from != module
                && self.has(from, name)
            {
                return self.walk(from, path, steps - 1);
            }
        }
        Some(Target::Item(module))
    }

    fn has(&self, module: usize, name: &str) -> bool {
        let here = &self.modules[module];
        here.items.contains(name) || here.uses.iter().any(|import| import.name == name)
    }

    /// The imports of a module: the module that each leads to, and its text.
    fn imports(&self, module: usize) -> Vec<(usize, String)> {
        let here = &self.modules[module];
        let mut imports = Vec::new();
        for import in &here.uses {
            let Some(target) = self.resolve(module, &import.path, STEPS_MAX) else { continue };
            // A folder's `pub use` of its own module hands a name on.
            let is_own = self.modules[target.module()].path.starts_with(&here.home);
            if !(import.is_reexport && is_own) {
                let star = if import.name == "*" { "::*" } else { "" };
                imports.push((target.module(), import.path.join("::") + star));
            }
        }
        for path in &here.paths {
            if self.is_import(module, path)
                && let Some(target) = self.resolve(module, path, STEPS_MAX)
            {
                imports.push((target.module(), path.join("::")));
            }
        }
        imports
    }

    /// Whether a path outside `use` imports something that no `use` of the module stands for.
    fn is_import(&self, module: usize, path: &[String]) -> bool {
        let (first, rest) = path.split_first().expect("a path has a name");
        let is_child = self.child(module, first).is_some();
        match self.modules[module].uses.iter().find(|import| &import.name == first && !is_child) {
            Some(import) if import.is_reexport => true,
            // After `use crate::a`, `a::b::C` says more than the `use` does. After `use crate::a::Kind`, `Kind::Variant` does not.
            Some(import) => {
                !rest.is_empty() && matches!(self.resolve(module, &import.path, STEPS_MAX), Some(Target::Module(_)))
            }
            // A lone name may be a variable's.
            None => !rest.is_empty(),
        }
    }
}

/// All circles of a crate: of its top level, and of each folder.
pub fn circles(modules: &[Module]) -> Vec<Circle> {
    let at = modules.iter().enumerate().map(|(at, module)| (module.path.as_slice(), at)).collect();
    let graph = Graph { modules, at };
    let imports: Vec<Vec<(usize, String)>> = (0..modules.len()).map(|module| graph.imports(module)).collect();
    let mut circles = Vec::new();
    for folder in modules.iter().filter(|module| module.path == module.home) {
        let depth = folder.path.len();
        let beside = |module: usize| {
            let path = &modules[module].home;
            let is_inside = path.starts_with(&folder.path);
            is_inside.then(|| path.get(depth).cloned().unwrap_or_else(|| ROOT.to_owned()))
        };
        let mut all = Imports::new();
        for (module, its) in imports.iter().enumerate() {
            for (target, text) in its {
                if let (Some(from), Some(to)) = (beside(module), beside(*target))
                    && from != to
                {
                    let text = format!("{text} ({})", modules[module].file.display());
                    all.entry((from, to)).or_default().insert(text);
                }
            }
        }
        for members in components(&all) {
            let imports = all.iter().filter(|((from, to), _)| members.contains(from) && members.contains(to));
            circles.push(Circle {
                folder: folder.path.clone(),
                imports: imports.map(|(ends, texts)| (ends.clone(), texts.clone())).collect(),
                modules: members.into_iter().collect(),
            });
        }
    }
    circles
}

/// The strongly connected components of two modules or more.
fn components(imports: &Imports) -> Vec<BTreeSet<String>> {
    let mut to: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, target) in imports.keys() {
        to.entry(from).or_default().push(target);
    }
    let reach: BTreeMap<&str, BTreeSet<&str>> = to.keys().map(|from| (*from, reached(&to, from))).collect();
    let mut found = BTreeSet::new();
    for (from, reached) in &reach {
        let back = |other: &&&str| reach.get(**other).is_some_and(|back| back.contains(from));
        let members: BTreeSet<String> = reached.iter().filter(back).map(|name| (*name).to_owned()).collect();
        if members.len() > 1 {
            found.insert(members);
        }
    }
    found.into_iter().collect()
}

/// All that is reached from a module by one import or more.
fn reached<'a>(to: &BTreeMap<&'a str, Vec<&'a str>>, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(module) = next.pop() {
        for target in to.get(module).into_iter().flatten() {
            if reached.insert(*target) {
                next.push(target);
            }
        }
    }
    reached
}
