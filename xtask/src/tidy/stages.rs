//! Checks that modules do not import from higher layers. This applies to the modules in files that assign layers.
//!
//! In a file, a comment `// Layer N: …` above a block of `mod` lines assigns a layer. Blank lines separate blocks.

use std::collections::BTreeMap;

use super::Violation;
use super::imports::{Crate, is_in, join};
use super::tree::Tree;

/// Checks the imports of the modules in each file that assigns layers.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for files in Crate::all(tree) {
        for (parent, path) in files.modules() {
            let layers = layers(parent, tree.file(path).map_or("", |file| &file.text));
            if layers.values().any(|layer| *layer > 0) {
                let missing = layers.iter().filter(|(_, layer)| **layer == 0);
                let text = |(module, _): (&String, _)| format!("{module} has no layer");
                found.extend(missing.map(|module| Violation::new(path, 1, "layer", text(module))));
                found.extend(later_imports(&files, &layers));
            }
        }
    }
    found
}

fn later_imports(files: &Crate<'_>, layers: &BTreeMap<String, usize>) -> Vec<Violation> {
    let layer_of = |module: &str| layers.iter().find(|(listed, _)| is_in(module, listed));
    let mut found = Vec::new();
    for (module, path) in files.modules() {
        let Some((_, layer)) = layer_of(module) else { continue };
        for (other, line) in files.imports(module) {
            if let Some((_, later)) = layer_of(&other).filter(|(_, later)| *later > layer) {
                let text = format!("layer {layer} must not import {other} (layer {later})");
                found.push(Violation::new(path, line, "layer", text));
            }
        }
    }
    found
}

/// Returns the modules that a file declares, each with its layer. The layer is 0 if the file assigns none.
fn layers(parent: &str, text: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for block in text.split("\n\n") {
        let comment = block.lines().find_map(|line| line.strip_prefix("// Layer "));
        let number = comment.and_then(|rest| rest.split(':').next()?.parse().ok()).unwrap_or(0);
        for (before, name) in block.lines().filter_map(|line| line.split_once("mod ")) {
            if let ("" | "pub " | "pub(crate) ", Some(name)) = (before, name.strip_suffix(';')) {
                found.insert(join(parent, name), number);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_of_later_layers_and_modules_without_one_are_found() {
        let lib = "//! Text.\n\nmod lost;\n\nmod b;\n// Layer 1: the base.\nmod a;\n\n\
                   // Layer 2: above it.\npub(crate) mod c;\n\npub use c::C;\n";
        let files = [
            ("crates/x/src/lib.rs", lib),
            ("crates/x/src/a.rs", "use crate::b::B;"),
            ("crates/x/src/b/mod.rs", "mod inner;"),
            ("crates/x/src/b/inner.rs", "use std::fmt;\nuse crate::C;"),
            ("crates/x/src/c.rs", "use crate::a::A; use crate::lost::L;"),
            ("crates/x/src/lost.rs", ""),
        ];
        let found = check(&Tree::of(&files));
        let places: Vec<(&str, usize)> = found.iter().map(|one| (&*one.path, one.line)).collect();
        assert_eq!(places, [("crates/x/src/lib.rs", 1), ("crates/x/src/b/inner.rs", 2)]);
    }
}
