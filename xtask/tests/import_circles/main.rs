//! Modules that import each other in a circle can only be understood together: no circle is larger than a handful.

mod graph;
mod source;

use graph::Circle;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Modules of a circle at most.
const MODULES_MAX: usize = 5;

/// Imports that the message shows for each pair of modules.
const SHOWN_MAX: usize = 6;

/// The checkout. Read while running: several checkouts may share a target folder and with it one build of this test.
fn checkout() -> PathBuf {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs the tests");
    Path::new(&folder).parent().expect("xtask is in the checkout").to_owned()
}

/// The folders of all crates and features, as `crates/kit`.
fn crates(checkout: &Path) -> Vec<String> {
    let mut found = vec!["xtask".to_owned()];
    for parent in ["crates", "features"] {
        for folder in
            std::fs::read_dir(checkout.join(parent)).expect("a folder").map(|folder| folder.expect("a folder"))
        {
            found.push(format!("{parent}/{}", folder.file_name().to_string_lossy()));
        }
    }
    found.retain(|name| checkout.join(name).join("Cargo.toml").is_file());
    found.sort();
    found
}

/// The circles of a crate, of the modules below `lib.rs` or `main.rs`.
fn circles(folder: &Path) -> Vec<Circle> {
    let roots = ["lib.rs", "main.rs"].map(|root| folder.join("src").join(root));
    let roots: Vec<&PathBuf> = roots.iter().filter(|root| root.is_file()).collect();
    assert!(!roots.is_empty(), "{}: no src/lib.rs and no src/main.rs", folder.display());
    roots.iter().flat_map(|root| graph::circles(&source::read(root))).collect()
}

/// The circle and the imports that make it.
fn described(name: &str, circle: &Circle) -> String {
    let mut text = format!("{name}: {} modules import each other: ", circle.modules.len());
    text += &circle.modules.join(", ");
    for ((from, to), imports) in &circle.imports {
        let shown: Vec<&str> = imports.iter().take(SHOWN_MAX).map(String::as_str).collect();
        let more = imports.len() - shown.len();
        let more = if more == 0 { String::new() } else { format!(", and {more} more") };
        let _ = write!(text, "\n  {from} -> {to}: {}{more}", shown.join(", "));
    }
    text
}

#[test]
fn no_crate_has_a_large_import_circle() {
    let checkout = checkout();
    let mut large = Vec::new();
    for name in crates(&checkout) {
        for circle in circles(&checkout.join(&name)) {
            let name = [std::slice::from_ref(&name), &circle.folder].concat().join("::");
            if circle.modules.len() > MODULES_MAX {
                large.push(described(&name, &circle));
            }
        }
    }
    let large = large.join("\n\n").replace(&format!("{}/", checkout.display()), "");
    assert!(
        large.is_empty(),
        "Move what both sides need into a module below them. More than {MODULES_MAX}:\n\n{large}"
    );
}

/// The circles of a crate with these files, each as its folder and its modules.
fn circles_of(files: &[(&str, &str)]) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let file = folder.path().join("src").join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, text).expect("a file");
    }
    let found = circles(folder.path());
    found.iter().map(|circle| (circle.folder.join("::"), circle.modules.join(" "))).collect()
}

#[test]
fn imports_of_all_forms_are_found() {
    let found = circles_of(&[
        ("lib.rs", "mod a; mod b; mod c; mod d; mod e; mod f; fn root() {} fn calls() { a::a(); }"),
        ("a.rs", "use crate::{root, b::{self, Thing as Other}}; pub fn a() {}"),
        ("b.rs", "pub struct Thing(super::c::C);"),
        ("c.rs", "pub struct C; fn c() { use crate::d::*; }"),
        ("d.rs", "fn d() { println!(\"{}\", crate::e::e()); }"),
        ("e.rs", "pub fn e() { crate::a::a() }"),
        ("f.rs", "use crate::a::a;"),
    ]);
    assert_eq!(found, [(String::new(), "(root) a b c d e".to_owned())]);
}

#[test]
fn a_reexport_counts_as_the_module_it_names() {
    let files = |root| [("lib.rs", root), ("a.rs", "use crate::B;"), ("b.rs", "pub struct B;")];
    assert_eq!(circles_of(&files("mod a; mod b; pub use a::A; pub use b::*;")), []);
    // Where the root's own code needs it, it is an import.
    let needed = circles_of(&[
        ("lib.rs", "mod a; pub use a::A; pub struct Root(A);"),
        ("a.rs", "use crate::Root; pub struct A;"),
    ]);
    assert_eq!(needed, [(String::new(), "(root) a".to_owned())]);
}

#[test]
fn folders_are_looked_into() {
    let found = circles_of(&[
        ("lib.rs", "mod folder; mod other;"),
        ("folder.rs", "pub mod a; pub mod b; pub fn shared() {}"),
        ("folder/a.rs", "use super::b; use crate::other::other;"),
        ("folder/b.rs", "use crate::folder::a; use super::shared;"),
        ("other.rs", "pub fn other() {}"),
    ]);
    assert_eq!(found, [("folder".to_owned(), "a b".to_owned())]);
}

#[test]
fn a_module_within_a_file_is_part_of_the_file() {
    let found = circles_of(&[
        ("lib.rs", "mod a; pub mod errors { pub const LATE: u8 = 1; } fn root() { a::a(); }"),
        ("a.rs", "use crate::errors::LATE; pub fn a() {}"),
    ]);
    assert_eq!(found, [(String::new(), "(root) a".to_owned())]);
}

#[test]
fn tests_do_not_count() {
    let found = circles_of(&[
        ("lib.rs", "mod a; mod b; #[cfg(test)] mod tests; #[cfg(any(test, feature = \"testing\"))] mod testing;"),
        ("a.rs", "use crate::b::B; #[cfg(not(test))] pub struct A; #[cfg(test)] mod tests { use crate::tests::all; }"),
        ("b.rs", "pub struct B; #[cfg(all(test, unix))] mod tests { use crate::a::A; } #[cfg(test)] use crate::a::A;"),
    ]);
    assert_eq!(found, []);
}
