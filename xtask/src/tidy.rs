//! `cargo xtask tidy` checks the project's rules. Each rule is a function of the source tree and returns violations.
//!
//! A rule must never read files itself, so that its tests can use a small [`Tree`].
//!
//! To add a rule, add a file and an entry in [`RULES`].

mod circles;
mod commits;
mod docs;
mod folders;
mod imports;
mod layers;
mod lines;
mod names;
mod openings;
mod opens;
mod programs;
mod rust;
mod sizes;
mod sql;
mod stages;
mod tree;
mod whitespace;
mod words;

use std::fmt;

use xtask::Outcome;

pub use lines::print as print_lines;
pub use rust::{Literal, Source};
use tree::Tree;

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Violation {
    path: String,
    line: usize,
    rule: &'static str,
    text: String,
}

impl Violation {
    fn new(path: &str, line: usize, rule: &'static str, text: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, rule, text: text.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.rule, self.text)
    }
}

/// All rules.
#[rustfmt::skip]
const RULES: &[fn(&Tree) -> Vec<Violation>] = &[
    layers::check, folders::check, sizes::check, opens::check, circles::check, names::check, programs::check, sql::check,
    words::check, whitespace::check, docs::check, stages::check, openings::check,
];

/// Checks the workspace against all rules and prints each violation. Returns true if there are none.
pub fn run() -> Outcome {
    let tree = Tree::load()?;
    let mut violations = violations(&tree);
    violations.extend(commits::check());
    for violation in &violations {
        println!("{violation}");
    }
    println!("tidy: {} Rust files, {} violations", tree.rust().count(), violations.len());
    Ok(violations.is_empty())
}

fn violations(tree: &Tree) -> Vec<Violation> {
    let mut all: Vec<Violation> = RULES.iter().flat_map(|rule| rule(tree)).collect();
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_sees_the_tree_and_violations_are_sorted() {
        let driver = ("drivers/x/src/lib.rs", "fn f() {} \n");
        let tree = Tree::of(&[driver, ("crates/engine/src/a.rs", "fn f() {}\t\n")]);
        let found = violations(&tree);
        let has = |rule| found.iter().any(|violation| violation.rule == rule);
        assert!(found.is_sorted() && has("folder") && has("whitespace"), "{found:?}");
        assert!(found[0].to_string().starts_with("crates/engine/src/a.rs:1: whitespace: "));
    }
}
