//! Checks for circular imports between a crate's files. Start reading at [`check`].

use std::collections::{BTreeMap, BTreeSet};

use super::Violation;
use super::imports::Crate;
use super::tree::Tree;

/// Checks each crate.
pub fn check(tree: &Tree) -> Vec<Violation> {
    Crate::all(tree).iter().flat_map(circles).collect()
}

fn circles(files: &Crate<'_>) -> Vec<Violation> {
    let imports: BTreeMap<&str, Vec<String>> = files
        .modules()
        .map(|(module, _)| (module, files.imports(module).into_keys().collect()))
        .collect();
    let mut found = BTreeSet::new();
    let mut violations = Vec::new();
    for (start, path) in files.modules() {
        let is_around = |other: &String| reachable(other, &imports).contains(start);
        let circle: Vec<String> =
            reachable(start, &imports).into_iter().filter(is_around).collect();
        if circle.len() > 1 && found.insert(circle.clone()) {
            let text = format!("modules import each other in a cycle: {}", circle.join(", "));
            violations.push(Violation::new(path, 1, "circle", text));
        }
    }
    violations
}

/// Returns all modules that can be reached through imports. The start module is one of them only if it is in a cycle.
fn reachable(start: &str, imports: &BTreeMap<&str, Vec<String>>) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut next = vec![start];
    while let Some(module) = next.pop() {
        for other in imports.get(module).into_iter().flatten() {
            if reached.insert(other.clone()) {
                next.push(other);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files)).into_iter().map(|found| found.to_string()).collect()
    }

    #[test]
    fn circles_are_found_through_groups_paths_and_children() {
        let files = [
            ("crates/a/src/lib.rs", "mod b; mod c; mod d;"),
            ("crates/a/src/b.rs", "use crate::{c::{C, E}, B};"),
            ("crates/a/src/c.rs", "fn f() { super::d::g() }"),
            ("crates/a/src/d/mod.rs", "mod e;\nfn g() { e::h() }"),
            ("crates/a/src/d/e.rs", "use super::D; use super::super::b::F;"),
        ];
        assert_eq!(
            texts(&files),
            ["crates/a/src/b.rs:1: circle: modules import each other in a cycle: b, c, d, d::e"]
        );
    }

    #[test]
    fn a_re_export_counts_as_an_import_of_the_defining_file() {
        let files = [
            ("crates/a/src/lib.rs", "mod b; mod c; pub use b::{inner::B as Renamed, Other};"),
            ("crates/a/src/b/mod.rs", "mod inner; use crate::c::C;"),
            ("crates/a/src/b/inner.rs", "use super::C;"),
            ("crates/a/src/c.rs", "use crate::Renamed;"),
        ];
        assert_eq!(
            texts(&files),
            [
                "crates/a/src/b/inner.rs:1: circle: modules import each other in a cycle: b::inner, c"
            ]
        );
    }

    #[test]
    fn items_of_modules_above_and_tests_are_no_imports() {
        let files = [
            ("crates/a/src/lib.rs", "mod b; mod c; struct B; use tacho_core::C;"),
            ("crates/a/src/b.rs", "use crate::c::C;"),
            (
                "crates/a/src/c.rs",
                "use crate::{B, C};\n#[cfg(test)]\nmod tests { use crate::b::B; }",
            ),
        ];
        assert_eq!(texts(&files), Vec::<String>::new());
    }
}
