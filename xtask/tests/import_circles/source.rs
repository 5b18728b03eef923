//! A crate's modules with their imports, read from its source files.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

/// A module, without its tests.
#[derive(Default)]
pub struct Module {
    /// Names from the crate's root down; the root's is empty.
    pub path: Vec<String>,
    /// The path of the module that its file is of: another one where it stands as `mod name { … }` in that file.
    pub home: Vec<String>,
    pub file: PathBuf,
    /// Names of the items that it defines.
    pub items: BTreeSet<String>,
    pub uses: Vec<Use>,
    /// Paths outside `use`, such as `crate::rows::read`, also those of one name.
    pub paths: BTreeSet<Vec<String>>,
}

/// One name of a `use`; of `a::*` the name is `*`.
pub struct Use {
    pub path: Vec<String>,
    pub name: String,
    /// Whether other modules can take it from here on purpose: `pub use` and `pub(crate) use`.
    pub is_reexport: bool,
}

/// Reads the modules of the crate with this root file.
pub fn read(root: &Path) -> Vec<Module> {
    let mut modules = Vec::new();
    let folder = root.parent().expect("a root file is in a folder");
    read_file(root, folder, Vec::new(), &mut modules);
    modules
}

/// `folder` is where the files of the module's children are.
fn read_file(file: &Path, folder: &Path, path: Vec<String>, modules: &mut Vec<Module>) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let module = Module { home: path.clone(), path, file: file.to_owned(), ..Module::default() };
    read_items(&parsed.items, folder, module, modules);
}

fn read_items(items: &[syn::Item], folder: &Path, module: Module, modules: &mut Vec<Module>) {
    let module = Module { items: items.iter().filter_map(name_of).collect(), ..module };
    let mut reader = Reader { module, children: Vec::new() };
    items.iter().for_each(|item| reader.visit_item(item));
    let Reader { module, children } = reader;
    let (path, home, file) = (module.path.clone(), module.home.clone(), module.file.clone());
    modules.push(module);
    for child in children {
        let name = child.ident.to_string();
        let inner = folder.join(&name);
        let path: Vec<String> = path.iter().cloned().chain([name.clone()]).collect();
        if let Some((_, items)) = &child.content {
            let module = Module { path, home: home.clone(), file: file.clone(), ..Module::default() };
            read_items(items, &inner, module, modules);
        } else {
            let files = [folder.join(format!("{name}.rs")), inner.join("mod.rs")];
            let found = files.iter().find(|file| file.is_file());
            let found = found.unwrap_or_else(|| panic!("{}: no file for `mod {name}`", file.display()));
            read_file(found, &inner, path, modules);
        }
    }
}

fn name_of(item: &syn::Item) -> Option<String> {
    let name = match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Macro(item) => item.ident.as_ref()?,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        syn::Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// Collects the imports of a module; modules inside it are read after it.
struct Reader<'ast> {
    module: Module,
    children: Vec<&'ast syn::ItemMod>,
}

impl Reader<'_> {
    fn read_use(&mut self, tree: &syn::UseTree, before: &[String], is_reexport: bool) {
        let mut path = before.to_vec();
        let name = match tree {
            syn::UseTree::Path(step) => {
                path.push(step.ident.to_string());
                return self.read_use(&step.tree, &path, is_reexport);
            }
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.read_use(tree, before, is_reexport));
            }
            syn::UseTree::Name(name) => {
                let name = name.ident.to_string();
                // `a::{self}` is `a`.
                if name != "self" {
                    path.push(name);
                }
                path.last().cloned().unwrap_or_default()
            }
            syn::UseTree::Rename(renamed) => {
                if renamed.ident != "self" {
                    path.push(renamed.ident.to_string());
                }
                renamed.rename.to_string()
            }
            _ => "*".to_owned(),
        };
        self.module.uses.push(Use { path, name, is_reexport });
    }

    /// Finds `a::b::c` in what a macro is called with, which is not parsed.
    fn read_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.add_path(std::mem::take(&mut path));
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                other => {
                    self.add_path(std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.read_tokens(group.stream());
                    }
                }
            }
        }
        self.add_path(path);
    }

    fn add_path(&mut self, path: Vec<String>) {
        if !path.is_empty() {
            self.module.paths.insert(path);
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'ast> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Const(item) => &item.attrs,
            syn::Item::Enum(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Macro(item) => &item.attrs,
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Static(item) => &item.attrs,
            syn::Item::Struct(item) => &item.attrs,
            syn::Item::Trait(item) => &item.attrs,
            syn::Item::Type(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        if !is_test(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_test(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        self.children.push(module);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_reexport = !matches!(item.vis, syn::Visibility::Inherited);
        self.read_use(&item.tree, &[], is_reexport);
    }

    /// `pub(in crate::a)` names a module and imports nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.add_path(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.read_tokens(called.tokens.clone());
        visit::visit_macro(self, called);
    }
}

/// Whether an item is there for tests alone: `#[cfg(test)]`, also together with other conditions.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| names_test(list.tokens.clone()))
    })
}

fn names_test(condition: TokenStream) -> bool {
    let mut is_negated = false;
    for token in condition {
        match token {
            TokenTree::Ident(name) if name == "test" => return true,
            TokenTree::Ident(name) => is_negated = name == "not",
            TokenTree::Group(group) if !is_negated && names_test(group.stream()) => return true,
            _ => {}
        }
    }
    false
}
