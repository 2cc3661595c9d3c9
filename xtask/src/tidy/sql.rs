//! Checks that SQL is kept in `.sql` files rather than in code.

use super::Violation;
use super::rust::is_test_file;
use super::tree::Tree;

/// Maximum number of characters of SQL in code. The SQL must also be on a single line.
const LITERAL_MAX: usize = 100;
const VERBS: &[&str] = &["SELECT", "INSERT", "UPDATE", "DELETE", "CREATE"];

/// Checks string literals.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (path, source) in tree.rust().filter(|(path, _)| !is_test_file(path)) {
        for literal in source.literals.iter().filter(|literal| !source.is_test(literal.line)) {
            if is_long_sql(&literal.text) {
                let text = "SQL longer than one line belongs in a .sql file";
                found.push(Violation::new(path, literal.line, "sql", text));
            }
        }
    }
    found
}

fn is_long_sql(text: &str) -> bool {
    let text = text.trim();
    let is_long = text.contains('\n') || text.chars().count() > LITERAL_MAX;
    is_long && text.split_whitespace().next().is_some_and(|word| VERBS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sql_in_code_is_found() {
        let long = format!("SELECT {} FROM t", "column_name, ".repeat(8));
        let table = [
            (format!("let a = \"{long}\";\n"), 1),
            ("let a = \"SELECT a\nFROM t\";\n".to_owned(), 1),
            ("let a = \"SELECT a FROM t\";\n".to_owned(), 0),
            (format!("let a = \"{}\";\n", long.replace("SELECT", "We select")), 0),
            (format!("#[cfg(test)]\nfn f() {{ \"{long}\"; }}\n"), 0),
        ];
        for (text, count) in table {
            assert_eq!(check(&Tree::of(&[("crates/a/src/a.rs", &text)])).len(), count, "{text}");
        }
    }
}
