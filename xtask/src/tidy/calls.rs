//! Only front ends print and end the process; no test is set aside.

use super::Violation;
use super::rust::{is_test_file, words};
use super::tree::Tree;

const FRONT_ENDS: &[&str] = &["crates/cli/", "crates/tui/", "crates/web/", "xtask/"];
const PRINTS: &[&str] = &["println!", "eprintln!", "print!", "eprint!"];

/// Checks calls in code, not in comments and literals.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (path, source) in tree.rust() {
        let may_print = is_test_file(path)
            || path.ends_with("/build.rs")
            || FRONT_ENDS.iter().any(|front_end| path.starts_with(front_end));
        for (line, code) in (1..).zip(source.code.lines()) {
            let mut add = |text: String| found.push(Violation::new(path, line, "call", text));
            let has = |word: &str| words(code, word).next().is_some();
            if !may_print && !source.is_test(line) {
                for call in PRINTS.iter().filter(|call| has(call)) {
                    add(format!("{call} belongs to a front end"));
                }
                if code.contains("process::exit") {
                    add("process::exit belongs to a front end".into());
                }
            }
            if has("dbg!") {
                add("dbg! is for a moment, not for the repository".into());
            }
            if code.contains("#[ignore") || code.contains("test, ignore") {
                add("no test is ignored: mend it or remove it".into());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_is_found_where_it_does_not_belong() {
        let table: &[(&str, &str, usize)] = &[
            ("crates/engine/src/a.rs", "println!(); eprint!();\n", 2),
            ("crates/engine/src/a.rs", "std::process::exit(1);\n", 1),
            ("crates/engine/src/a.rs", "// println!()\nlet a = \"println!\";\n", 0),
            ("crates/engine/src/a.rs", "#[cfg(test)]\nfn f() { println!(); }\n", 0),
            ("crates/cli/src/a.rs", "println!(); process::exit(1);\n", 0),
            ("tests/src/a.rs", "eprintln!();\n", 0),
            ("tests/src/a.rs", "dbg!();\n", 1),
            ("xtask/src/a.rs", "#[test]\n#[ignore = \"slow\"]\nfn f() {}\n", 1),
        ];
        for (path, text, count) in table {
            let found = check(&Tree::of(&[(path, text)]));
            assert_eq!(found.len(), *count, "{path} {text:?}: {found:?}");
        }
    }
}
