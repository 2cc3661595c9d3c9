//! Finds imports between the files of a crate.
//!
//! If a file imports a re-exported name, this counts as an import from the file that defines the item.
//!
//! Imports in test code and imports from a parent module are ignored. A parent module may contain
//! what its child modules share.

use std::collections::BTreeMap;

use super::rust::Source;
use super::tree::Tree;

/// The files of a crate, keyed by module, such as `run::judge`. The crate root has an empty name.
pub struct Crate<'a> {
    files: BTreeMap<String, File<'a>>,
}

struct File<'a> {
    path: &'a str,
    /// All paths in the code, as seen from the crate root, and the line in which each one occurs.
    paths: Vec<(String, usize)>,
    /// The names declared by `use`, each with the path to which it refers.
    names: BTreeMap<String, String>,
}

/// A path that `use` imports, as written in the code, and the name under which `use` imports it.
type Leaf = (String, String);

impl<'a> Crate<'a> {
    /// Reads the crates of a tree.
    pub fn all(tree: &'a Tree) -> Vec<Self> {
        let mut crates: BTreeMap<&str, BTreeMap<String, (&str, &Source)>> = BTreeMap::new();
        for (path, source) in tree.rust() {
            if let Some((folder, inner)) = path.split_once("/src/") {
                crates.entry(folder).or_default().insert(module(inner), (path, source));
            }
        }
        crates.into_values().map(|sources| Self::read(&sources)).collect()
    }

    fn read(sources: &BTreeMap<String, (&'a str, &Source)>) -> Self {
        let file = |(module, (path, source)): (&String, &(&'a str, &Source))| {
            let mut file = File { path, paths: Vec::new(), names: BTreeMap::new() };
            let is_module = |name: &str| sources.contains_key(name);
            for (start, line) in starts(source) {
                let mut leaves = Vec::new();
                expand("", &source.code[start..], &mut leaves);
                let declares = source.code[..start].trim_end().ends_with("use");
                for (path, name) in leaves {
                    let Some(path) = absolute(module, &path, is_module) else { continue };
                    if declares {
                        file.names.insert(name, path.clone());
                    }
                    file.paths.push((path, line));
                }
            }
            (module.clone(), file)
        };
        Self { files: sources.iter().map(file).collect() }
    }

    /// Returns the modules and the paths of their files.
    pub fn modules(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.files.iter().map(|(module, file)| (module.as_str(), file.path))
    }

    /// Returns the modules that a module imports from, each with the line of the first import.
    pub fn imports(&self, module: &str) -> BTreeMap<String, usize> {
        let mut found = BTreeMap::new();
        for (path, line) in self.files.get(module).iter().flat_map(|file| &file.paths) {
            let other = self.definer(path, 0);
            if !is_in(module, &other) {
                found.entry(other).or_insert(*line);
            }
        }
        found
    }

    /// Returns the module that defines the item with the given path.
    fn definer(&self, path: &str, depth: usize) -> String {
        let mut at = String::new();
        let mut rest = path;
        while !rest.is_empty() {
            let (name, after) = rest.split_once("::").unwrap_or((rest, ""));
            let inner = join(&at, name);
            if self.files.contains_key(&inner) {
                (at, rest) = (inner, after);
                continue;
            }
            return match self.files.get(&at).and_then(|file| file.names.get(name)) {
                Some(target) if depth < 8 => self.definer(&join(target, after), depth + 1),
                _ => at,
            };
        }
        at
    }
}

/// Returns true if `module` is the module `other` or is nested in it.
pub fn is_in(module: &str, other: &str) -> bool {
    let rest = module.strip_prefix(other);
    other.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Returns the path of an item in a module.
pub fn join(module: &str, name: &str) -> String {
    let parts: Vec<&str> = [module, name].into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("::")
}

/// Returns the name of the module in a file, given the file's path within `src`.
fn module(path: &str) -> String {
    let inner = path.trim_end_matches(".rs");
    let name = inner.strip_suffix("/mod").unwrap_or(inner);
    if matches!(name, "lib" | "main" | "mod") { String::new() } else { name.replace('/', "::") }
}

/// Returns the position and the line number of the start of each path in the code.
fn starts(source: &Source) -> impl Iterator<Item = (usize, usize)> {
    let (mut line, mut read) = (1, 0);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    source.code.match_indices("::").filter_map(move |(at, _)| {
        let start = source.code[..at].trim_end_matches(is_name).len();
        line += source.code[read..at].matches('\n').count();
        read = at;
        let is_inner = source.code[..start].ends_with([':', '$', '.']);
        (start < at && !is_inner && !source.is_test(line)).then_some((start, line))
    })
}

/// Returns the path as seen from the crate root, or `None` if it refers to another crate or to a local name.
fn absolute(module: &str, path: &str, is_module: impl Fn(&str) -> bool) -> Option<String> {
    let (first, mut rest) = path.split_once("::").unwrap_or((path, ""));
    let mut base = module;
    match first {
        "crate" => base = "",
        "self" => {}
        "super" => {
            base = parent(base);
            while let Some(above) = rest.strip_prefix("super::") {
                (base, rest) = (parent(base), above);
            }
        }
        child if is_module(&join(module, child)) => rest = path,
        _ => return None,
    }
    Some(join(base, rest.trim_end_matches("::self")))
}

fn parent(module: &str) -> &str {
    module.rsplit_once("::").map_or("", |(parent, _)| parent)
}

/// Expands a path that contains groups, such as `a::{b, c}`, into separate paths, and returns the
/// text that follows it.
fn expand<'a>(base: &str, text: &'a str, leaves: &mut Vec<Leaf>) -> &'a str {
    let is_other = |c: char| !c.is_alphanumeric() && c != '_';
    let (name, rest) = text.split_at(text.find(is_other).unwrap_or(text.len()));
    let path = join(base, name);
    if let Some(inner) = rest.strip_prefix("::") {
        return expand(&path, inner, leaves);
    }
    let Some(mut group) = rest.strip_prefix('{').filter(|_| name.is_empty()) else {
        let alias = rest.trim_start().strip_prefix("as ").unwrap_or(name);
        let alias = alias.split(is_other).next().unwrap_or(name);
        let last = path.trim_end_matches("::self").rsplit("::").next().unwrap_or_default();
        leaves.push((path.clone(), if alias == "self" { last } else { alias }.to_owned()));
        return rest;
    };
    loop {
        group = group.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        if group.is_empty() || group.starts_with('}') {
            return group.strip_prefix('}').unwrap_or(group);
        }
        let after = expand(&path, group, leaves);
        // Skip an alias, or a character that is not part of a path.
        group = if after.len() == group.len() { &group[1..] } else { after };
        if let Some(alias) = group.trim_start().strip_prefix("as ") {
            group = alias.trim_start_matches(|c| !is_other(c));
        }
    }
}
