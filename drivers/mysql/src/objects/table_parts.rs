//! Reads the columns, indexes, constraints and triggers of tables from the output of SHOW CREATE statements.
//!
//! This module must never change anything. Start reading at [`table_parts`].

use tacho_core::Result;
use tacho_driver::TablePart;
use tacho_net::table_part;

use crate::admin::{TextRow, rows};
use crate::link::Link;

const TRIGGERS: &str = include_str!("../../sql/triggers.sql");
/// Error number for a table that does not exist.
const NO_TABLE: &str = "1146";
/// Prefix of a table option that is ignored, because its value changes when rows are added.
const NEXT_NUMBER: &str = "AUTO_INCREMENT=";

/// Returns the parts of each table, and all triggers in the session's database. A table that does not exist has no
/// parts.
pub async fn table_parts(link: &mut Link, tables: &[&str]) -> Result<Vec<TablePart>> {
    let mut parts = Vec::new();
    for table in tables {
        let sql = format!("SHOW CREATE TABLE `{}`", table.replace('`', "``"));
        match rows(link, &sql).await {
            Ok(found) => parts.extend(found.iter().flat_map(|row| parts_of(table, row))),
            Err(error) if error.native_code() == Some(NO_TABLE) => {}
            Err(error) => return Err(error),
        }
    }
    parts.extend(rows(link, TRIGGERS).await?.into_iter().map(table_part));
    Ok(parts)
}

/// Parses a table's parts from the second column of `SHOW CREATE TABLE`.
fn parts_of(table: &str, row: &TextRow) -> Vec<TablePart> {
    let text = row.get(1).cloned().flatten().unwrap_or_default();
    // Skip the first line, which contains the table's name.
    let mut lines = text.lines().skip(1);
    let part = |kind: &str, name: &str, definition: &str| TablePart {
        table: table.to_owned(),
        kind: kind.to_owned(),
        name: name.to_owned(),
        definition: definition.to_owned(),
        ..TablePart::default()
    };
    let inner = lines.by_ref().map_while(|line| line.strip_prefix("  "));
    let inner: Vec<&str> = inner.map(|line| line.trim_end_matches(',')).collect();
    let mut parts: Vec<TablePart> =
        inner.iter().map(|line| part(kind(line), name(line), line)).collect();
    // This line ends the list of columns and indexes. Table options and partitions follow it.
    let options = text.lines().skip(1 + inner.len()).flat_map(str::split_whitespace);
    let options = options.filter(|word| !word.starts_with(NEXT_NUMBER)).collect::<Vec<_>>();
    parts.push(part("table", "", &options.join(" ")));
    parts
}

/// Returns the kind of a table part, which its first word determines.
fn kind(line: &str) -> &'static str {
    match line.split(' ').next() {
        Some("CONSTRAINT" | "CHECK" | "FOREIGN") => "constraint",
        Some(word) if word.starts_with(['`', '"']) => "column",
        Some("PERIOD") => "period",
        _ => "index",
    }
}

/// Returns the first quoted name in the text of a part. A primary key has no name.
fn name(line: &str) -> &str {
    let Some(start) = line.find(['`', '"', '(']) else { return line };
    let quote = &line[start..=start];
    if quote == "(" {
        return line[..start].trim();
    }
    line[start + 1..].split(quote).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_split_into_parts() {
        let text = "CREATE TABLE `a` (\n  `x` int(11) NOT NULL AUTO_INCREMENT,\n  `y` varchar(9) DEFAULT ',',\n  \
                    PRIMARY KEY (`x`),\n  UNIQUE KEY `u` (`y`),\n  KEY `i` (`y`) /*!80000 INVISIBLE */,\n  \
                    CONSTRAINT `c` FOREIGN KEY (`y`) REFERENCES `b` (`z`)\n) ENGINE=InnoDB \
                    AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4\n PARTITION BY HASH (`x`)\nPARTITIONS 4";
        let found = parts_of("a", &vec![Some("a".into()), Some(text.into())]);
        let shown: Vec<(&str, &str)> =
            found.iter().map(|part| (part.kind.as_str(), part.name.as_str())).collect();
        let expected = [
            ("column", "x"),
            ("column", "y"),
            ("index", "PRIMARY KEY"),
            ("index", "u"),
            ("index", "i"),
            ("constraint", "c"),
            ("table", ""),
        ];
        assert_eq!(shown, expected);
        assert!(found[4].definition.contains("INVISIBLE"), "{:?}", found[4]);
        let options =
            ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 PARTITION BY HASH (`x`) PARTITIONS 4";
        assert_eq!(found[6].definition, options);
    }
}
