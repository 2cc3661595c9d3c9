//! Checks that a package has a single integration test program, and that every test file is part of it.
//!
//! `tests/main.rs` lists the program's modules. A file that is not listed would never be compiled.

use super::Violation;
use super::tree::Tree;

/// Checks that each test file is either a module of the package's test program or listed as a
/// program in the manifest.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in &tree.files {
        let Some(folder) = file.path.strip_suffix("tests/main.rs") else { continue };
        let manifest = tree.file(&format!("{folder}Cargo.toml")).map_or("", |file| &file.text);
        let extended = tree.file(&format!("{folder}tests/extended/mod.rs"));
        for (path, _) in tree.rust() {
            let name = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix("tests/"));
            let Some(name) = name.and_then(|name| name.strip_suffix(".rs")) else { continue };
            let (list, name) = match name.strip_prefix("extended/") {
                Some("mod") => continue,
                Some(name) => (extended.map_or("", |file| &file.text), name),
                None => (file.text.as_str(), name),
            };
            let is_module = list.lines().any(|line| line == format!("mod {name};"));
            let is_named = manifest.contains(&format!("[[test]]\nname = \"{name}\"\n"));
            if !name.contains('/') && name != "main" && !is_module && !is_named {
                let text =
                    format!("{} does not list this module, so its tests are never run", file.path);
                found.push(Violation::new(path, 1, "program", text));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_nothing_names_is_found() {
        #[rustfmt::skip]
        let tree = Tree::of(&[
            ("drivers/x/Cargo.toml", "[[test]]\nname = \"apart\"\n"),
            ("drivers/x/tests/main.rs", "mod common;\nmod named;\n"),
            ("drivers/x/tests/named.rs", ""), ("drivers/x/tests/apart.rs", ""), ("drivers/x/tests/forgotten.rs", ""),
            ("drivers/x/tests/common/mod.rs", ""), ("drivers/x/tests/extended/mod.rs", "mod pairs;\n"),
            ("drivers/x/tests/extended/pairs.rs", ""), ("drivers/x/tests/extended/lost.rs", ""),
            ("drivers/y/tests/alone.rs", ""),
        ]);
        let paths: Vec<String> = check(&tree).into_iter().map(|found| found.path).collect();
        assert_eq!(paths, ["drivers/x/tests/forgotten.rs", "drivers/x/tests/extended/lost.rs"]);
    }
}
