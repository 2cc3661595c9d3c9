//! SQL files: every section can be read, has a name of its own, and an override keeps the signature
//! of what it replaces. And SQL stands in these files, not in code.

use std::collections::{BTreeMap, BTreeSet};

use super::Violation;
use super::names::drivers;
use super::rust::is_test_file;
use super::tree::{File, Tree};

const RULE: &str = "sql";

/// Longest SQL text in code, in characters and on one line.
const LITERAL_MAX: usize = 100;
const VERBS: &[&str] = &["SELECT", "INSERT", "UPDATE", "DELETE", "CREATE"];

/// Checks SQL files and string literals.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = sections(tree);
    for (path, source) in tree.rust().filter(|(path, _)| !is_test_file(path)) {
        for literal in source.literals.iter().filter(|literal| !source.is_test(literal.line)) {
            if is_long_sql(&literal.text) {
                let text = "SQL longer than a line belongs to a .sql file";
                found.push(Violation::new(path, literal.line, RULE, text));
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

/// A section's header and how much follows it.
struct Section {
    line: usize,
    name: String,
    /// Parameters and results, each with its type.
    signature: (Fields, Fields),
    has_text: bool,
}

type Fields = Vec<(String, String)>;

fn sections(tree: &Tree) -> Vec<Violation> {
    let (mut found, drivers) = (Vec::new(), drivers(tree));
    let mut folders: BTreeMap<&str, Vec<(&File, Vec<Section>)>> = BTreeMap::new();
    for file in tree.files.iter().filter(|file| file.is("sql")) {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let sections = read(file, &mut found);
        folders.entry(folder).or_default().push((file, sections));
    }
    for files in folders.into_values() {
        let (overrides, base): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|(file, _)| is_override(&file.path, &drivers));
        let mut known = BTreeMap::new();
        for (file, sections) in &base {
            for section in sections {
                if known.insert(section.name.as_str(), &section.signature).is_some() {
                    found.push(at(file, section, "is there twice"));
                }
            }
        }
        for (file, sections) in &overrides {
            found.extend(judge_overrides(file, sections, &known));
        }
    }
    found
}

fn judge_overrides(
    file: &File,
    sections: &[Section],
    base: &BTreeMap<&str, &(Fields, Fields)>,
) -> Vec<Violation> {
    let mut found = Vec::new();
    for (index, section) in sections.iter().enumerate() {
        if sections[..index].iter().any(|earlier| earlier.name == section.name) {
            found.push(at(file, section, "is there twice"));
        }
        match base.get(section.name.as_str()) {
            None => found.push(at(file, section, "overrides nothing")),
            Some(signature) if **signature != section.signature => {
                found.push(at(file, section, "has another signature than in the base file"));
            }
            Some(_) => {}
        }
    }
    found
}

/// Whether the file is named after a dialect. All other files of a folder are its base.
fn is_override(path: &str, drivers: &BTreeSet<&str>) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".sql");
    // In the folder of a workload of a user, `statements.NAME.sql`.
    let name = name.rsplit('.').next().unwrap_or_default();
    drivers.contains(name)
}

fn at(file: &File, section: &Section, text: &str) -> Violation {
    Violation::new(&file.path, section.line, RULE, format!("{} {text}", section.name))
}

fn read(file: &File, found: &mut Vec<Violation>) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for (line, text) in (1..).zip(file.text.lines()) {
        if let Some(header) = text.strip_prefix("-- name:") {
            match header_of(header.trim()) {
                Some((name, signature)) => {
                    sections.push(Section { line, name, signature, has_text: false });
                }
                None => found.push(Violation::new(&file.path, line, RULE, "bad section header")),
            }
        } else if let Some(section) = sections.last_mut() {
            let text = text.trim();
            section.has_text |= !text.is_empty() && !text.starts_with("--");
        }
    }
    found.extend(sections.iter().filter(|s| !s.has_text).map(|s| at(file, s, "has no text")));
    sections
}

/// Reads `name(a int, b text) -> (c decimal(2))`, as `tacho_driver::parse_sections` does.
fn header_of(header: &str) -> Option<(String, (Fields, Fields))> {
    let (head, results) = match header.split_once("->") {
        Some((head, results)) => (head.trim(), fields(results.trim())?),
        None => (header, Fields::new()),
    };
    let (name, _) = head.split_once('(')?;
    let name_is_good = !name.trim().is_empty() && !name.trim().contains(' ');
    let params = fields(&head[name.len()..])?;
    name_is_good.then(|| (name.trim().to_owned(), (params, results)))
}

fn fields(list: &str) -> Option<Fields> {
    let inside = list.strip_prefix('(')?.strip_suffix(')')?;
    let fields = inside.split(',').map(str::trim).filter(|field| !field.is_empty());
    fields
        .map(|field| {
            let (name, kind) = field.split_once(' ')?;
            let kind = kind.trim();
            let scale = kind.strip_prefix("decimal(").and_then(|rest| rest.strip_suffix(')'));
            let is_known = matches!(kind, "int" | "text" | "time")
                || scale.is_some_and(|scale| scale.parse::<u8>().is_ok());
            is_known.then(|| (name.to_owned(), kind.to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: (&str, &str) = (
        "w/sql/default.sql",
        "-- name: a(x int, y text) -> (z decimal(2))\nSELECT z FROM t\n-- name: b()\nDELETE FROM t\n",
    );

    const ONE: (&str, &str) = ("drivers/sqlite/docs.md", "");

    fn texts(files: &[(&str, &str)]) -> Vec<String> {
        check(&Tree::of(files)).into_iter().map(|found| found.to_string()).collect()
    }

    #[test]
    fn sections_must_be_readable_unique_and_not_empty() {
        assert_eq!(texts(&[BASE]), Vec::<String>::new());
        let bad =
            "-- name: a(x what)\nSELECT\n-- name: b()\n-- only words\n-- name: b()\nSELECT 1\n";
        assert_eq!(
            texts(&[("w/sql/default.sql", bad)]),
            [
                "w/sql/default.sql:1: sql: bad section header",
                "w/sql/default.sql:3: sql: b has no text",
                "w/sql/default.sql:5: sql: b is there twice",
            ]
        );
    }

    #[test]
    fn overrides_must_keep_name_and_signature() {
        let good = "-- name: a(x int,  y text) -> (z decimal(2))\nSELECT z\n";
        assert_eq!(texts(&[BASE, ONE, ("w/sql/sqlite.sql", good)]), Vec::<String>::new());
        let bad = "-- name: a(x int)\nSELECT z\n-- name: c()\nSELECT 1\n";
        assert_eq!(
            texts(&[BASE, ONE, ("w/sql/sqlite.sql", bad)]),
            [
                "w/sql/sqlite.sql:1: sql: a has another signature than in the base file",
                "w/sql/sqlite.sql:3: sql: c overrides nothing",
            ]
        );
    }

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
            assert_eq!(texts(&[("crates/a/src/a.rs", &text)]).len(), count, "{text}");
        }
    }

    /// Two readers of one format must agree, so this one is held against the product's.
    #[test]
    fn headers_are_read_as_the_driver_contract_reads_them() {
        let headers = [
            "a()",
            "a(x int)",
            "a(x int, y decimal(4)) -> (z time)",
            "a(x int) -> z int",
            "a(x)",
            "a(x float)",
            "a(x decimal)",
            "a(x decimal(300))",
            "a",
            "a(x int",
        ];
        for header in headers {
            let theirs = tacho_driver::parse_sections(&format!("-- name: {header}\nSELECT 1\n"));
            assert_eq!(header_of(header).is_some(), theirs.is_ok(), "{header}");
        }
    }
}
