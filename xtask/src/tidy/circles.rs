//! No files of a crate import each other in a circle.
//!
//! What a file takes from a module above it is left out: that is the vocabulary that a folder shares. So is
//! what stands under `#[cfg(test)]`. Start reading at [`check`].

use std::collections::{BTreeMap, BTreeSet};

use super::Violation;
use super::rust::Source;
use super::tree::Tree;

/// Files by the modules that they are, such as `run::judge`; the root of a crate has no name.
type Modules<'a> = BTreeMap<String, &'a str>;
/// The modules that each module imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Checks each crate.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut crates: BTreeMap<&str, Vec<(&str, &Source)>> = BTreeMap::new();
    for (path, source) in tree.rust() {
        if let Some((folder, _)) = path.split_once("/src/") {
            crates.entry(folder).or_default().push((path, source));
        }
    }
    crates.into_values().flat_map(|files| circles(&files)).collect()
}

fn circles(files: &[(&str, &Source)]) -> Vec<Violation> {
    let modules: Modules<'_> = files.iter().map(|(path, _)| (module(path), *path)).collect();
    let imports: Imports = files
        .iter()
        .map(|(path, source)| (module(path), imported(&module(path), source, &modules)))
        .collect();
    let mut found: BTreeSet<Vec<String>> = BTreeSet::new();
    for start in imports.keys() {
        let around = reachable(start, &imports);
        let circle: Vec<String> = around
            .iter()
            .filter(|other| reachable(other, &imports).contains(start))
            .cloned()
            .collect();
        if circle.len() > 1 {
            found.insert(circle);
        }
    }
    let violation = |circle: Vec<String>| {
        let text = format!("these import each other in a circle: {}", circle.join(", "));
        Violation::new(modules[&circle[0]], 1, "circle", text)
    };
    found.into_iter().map(violation).collect()
}

/// The modules that can be reached by imports; one is among them if it is in a circle.
fn reachable(start: &str, imports: &Imports) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut next = vec![start.to_owned()];
    while let Some(module) = next.pop() {
        for other in imports.get(&module).into_iter().flatten() {
            if reached.insert(other.clone()) {
                next.push(other.clone());
            }
        }
    }
    reached
}

/// The module of a file.
fn module(path: &str) -> String {
    let inner = path.split_once("/src/").map_or(path, |(_, inner)| inner);
    let inner = inner.trim_end_matches(".rs");
    let name = inner.strip_suffix("/mod").unwrap_or(inner);
    if matches!(name, "lib" | "main" | "mod") { String::new() } else { name.replace('/', "::") }
}

/// The modules of the crate that a file names, but for itself and those above it.
fn imported(own: &str, source: &Source, modules: &Modules<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (line, start, code) in paths(&source.code) {
        if source.is_test(line) {
            continue;
        }
        let mut base = own;
        let mut rest = code;
        if start == "crate::" {
            base = "";
        } else {
            base = parent(base);
            while let Some(above) = rest.strip_prefix("super::") {
                (base, rest) = (parent(base), above);
            }
        }
        let mut leaves = Vec::new();
        expand(base, rest, &mut leaves);
        found.extend(leaves.iter().map(|leaf| deepest(leaf, modules)));
    }
    let above =
        |other: &String| own == other || other.is_empty() || own.starts_with(&format!("{other}::"));
    found.retain(|other| !above(other));
    found
}

/// The paths of a file that begin at the crate or above the file: line, beginning, and what follows.
fn paths(code: &str) -> impl Iterator<Item = (usize, &'static str, &str)> {
    ["crate::", "super::"].into_iter().flat_map(move |start| {
        code.match_indices(start).filter_map(move |(at, _)| {
            let before = code[..at].chars().next_back();
            let is_inner =
                before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '$'));
            let line = code[..at].matches('\n').count() + 1;
            (!is_inner).then_some((line, start, &code[at + start.len()..]))
        })
    })
}

fn parent(module: &str) -> &str {
    module.rsplit_once("::").map_or("", |(parent, _)| parent)
}

/// All names that a path with groups stands for; returns what follows it.
fn expand<'a>(base: &str, text: &'a str, leaves: &mut Vec<String>) -> &'a str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let path = match (base, name) {
        (base, "") => base.to_owned(),
        ("", name) => name.to_owned(),
        (base, name) => format!("{base}::{name}"),
    };
    if let Some(inner) = rest.strip_prefix("::") {
        return expand(&path, inner, leaves);
    }
    let Some(mut group) = rest.strip_prefix('{').filter(|_| name.is_empty()) else {
        leaves.push(path);
        return rest;
    };
    loop {
        group = group.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        if group.is_empty() || group.starts_with('}') {
            return group.strip_prefix('}').unwrap_or(group);
        }
        let after = expand(&path, group, leaves);
        // A character that belongs to no path is passed over.
        group = if after.len() == group.len() { &group[1..] } else { after };
    }
}

/// The module at a path, or the one that has the item at it.
fn deepest(path: &str, modules: &Modules<'_>) -> String {
    let mut path = path;
    while !path.is_empty() && !modules.contains_key(path) {
        path = parent(path);
    }
    path.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files)).into_iter().map(|found| found.to_string()).collect()
    }

    #[test]
    fn circles_are_found_through_groups_and_paths() {
        let files = [
            ("crates/a/src/lib.rs", "mod b; mod c; mod d; pub use b::B;"),
            ("crates/a/src/b.rs", "use crate::{c::{C, E}, B};"),
            ("crates/a/src/c.rs", "fn f() { super::d::g() }"),
            ("crates/a/src/d/mod.rs", "use crate::b::B;\nmod e;"),
            ("crates/a/src/d/e.rs", "use super::D; use super::super::c::C;"),
        ];
        assert_eq!(
            texts(&files),
            ["crates/a/src/b.rs:1: circle: these import each other in a circle: b, c, d"]
        );
    }

    #[test]
    fn modules_above_and_tests_are_no_imports() {
        let files = [
            ("crates/a/src/lib.rs", "mod b; mod c;"),
            ("crates/a/src/b.rs", "use crate::c::C;"),
            ("crates/a/src/c.rs", "use crate::B;\n#[cfg(test)]\nmod tests { use crate::b::B; }"),
        ];
        assert_eq!(texts(&files), Vec::<String>::new());
    }
}
