//! SQL files: named sections, each with a typed signature.
//!
//! ```sql
//! -- name: district_tax(w int, d int) -> (d_tax decimal(4))
//! SELECT d_tax FROM district WHERE d_w_id = :w AND d_id = :d
//! ```
//!
//! A section that writes and returns what it wrote has a second statement after the line `-- then`,
//! which reads it back. Where a database returns rows from the write itself, its override has one.

use tacho_core::{Error, ErrorKind, Result};

use crate::{Dialect, Field, Statement, ValueKind};

/// One named statement as written in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Name, unique in its file.
    pub name: String,
    /// Declared parameters, written `:name` in the text.
    pub params: Vec<Field>,
    /// Declared result columns.
    pub results: Vec<Field>,
    /// The statement, without the header and without comments of its own line.
    pub sql: String,
    /// The statement that reads back what the first one wrote; empty if there is none.
    pub read_back: String,
}

/// The line between a section's two statements.
const THEN: &str = "-- then";

/// Reads all sections of a file. Text before the first header is a comment to the reader.
pub fn parse_sections(file: &str) -> Result<Vec<Section>> {
    let mut sections: Vec<Section> = Vec::new();
    let mut in_read_back = false;
    for line in file.lines() {
        if let Some(header) = line.strip_prefix("-- name:") {
            let section = parse_header(header.trim())
                .ok_or_else(|| Error::new(ErrorKind::Syntax, format!("bad header: {line}")))?;
            sections.push(section);
            in_read_back = false;
        } else if line.trim() == THEN {
            in_read_back = true;
        } else if let Some(section) = sections.last_mut()
            && !line.trim_start().starts_with("--")
            && !line.trim().is_empty()
        {
            let sql = if in_read_back { &mut section.read_back } else { &mut section.sql };
            if !sql.is_empty() {
                sql.push('\n');
            }
            sql.push_str(line.trim_end().trim_end_matches(';'));
        }
    }
    Ok(sections)
}

/// Reads `name(a int, b text) -> (c decimal(2))`; the arrow and what follows may be absent.
fn parse_header(header: &str) -> Option<Section> {
    let (head, results) = match header.split_once("->") {
        Some((head, results)) => (head.trim(), parse_fields(results.trim())?),
        None => (header, Vec::new()),
    };
    let open = head.find('(')?;
    Some(Section {
        name: head[..open].trim().to_owned(),
        params: parse_fields(&head[open..])?,
        results,
        sql: String::new(),
        read_back: String::new(),
    })
}

fn parse_fields(list: &str) -> Option<Vec<Field>> {
    let inner = list.strip_prefix('(')?.strip_suffix(')')?;
    inner.split(',').map(str::trim).filter(|field| !field.is_empty()).map(parse_field).collect()
}

fn parse_field(field: &str) -> Option<Field> {
    let (name, kind) = field.split_once(' ')?;
    let kind = match kind.trim() {
        "int" => ValueKind::Int,
        "text" => ValueKind::Text,
        "time" => ValueKind::Time,
        other => {
            let scale = other.strip_prefix("decimal(")?.strip_suffix(')')?;
            ValueKind::Decimal(scale.parse().ok()?)
        }
    };
    Some(Field { name: name.to_owned(), kind })
}

impl Section {
    /// Writes the statement, and the one that reads back, with the dialect's placeholders. Each
    /// parameter must stand in one of them.
    pub(crate) fn render(&self, dialect: &dyn Dialect) -> Result<(Statement, Option<Statement>)> {
        let mut first = self.statement(&self.sql, dialect)?;
        let mut second = None;
        if !self.read_back.is_empty() {
            second = Some(self.statement(&self.read_back, dialect)?);
            first.results.clear();
        }
        let used = |param: u16| {
            let texts = std::iter::once(&first).chain(&second);
            texts.into_iter().any(|statement| statement.placeholders.contains(&param))
        };
        if let Some(unused) = (0..self.params.len()).find(|index| !used(*index as u16)) {
            return Err(self.unknown(&self.params[unused].name));
        }
        Ok((first, second))
    }

    fn statement(&self, text: &str, dialect: &dyn Dialect) -> Result<Statement> {
        let mut sql = String::with_capacity(text.len());
        let mut placeholders: Vec<u16> = Vec::new();
        let mut rest = text;
        while let Some((before, name, after)) = next_placeholder(rest) {
            sql.push_str(before);
            let param = self.params.iter().position(|field| field.name == name);
            let param = param.ok_or_else(|| self.unknown(name))? as u16;
            let known = placeholders.iter().position(|seen| *seen == param);
            let position = match known {
                Some(position) if dialect.reuses_placeholders() => position,
                _ => {
                    placeholders.push(param);
                    placeholders.len() - 1
                }
            };
            dialect.placeholder(position + 1, &mut sql);
            rest = after;
        }
        sql.push_str(rest);
        let (name, params, results) =
            (self.name.clone(), self.params.clone(), self.results.clone());
        Ok(Statement { name, params, results, sql, placeholders })
    }

    fn unknown(&self, name: &str) -> Error {
        Error::new(
            ErrorKind::Syntax,
            format!("statement {}: parameter {name} is not both declared and used", self.name),
        )
    }
}

/// Splits at the next `:name` that is outside quotes and no `::` cast: (before, name, after).
fn next_placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let bytes = text.as_bytes();
    let mut quoted = false;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\'' => quoted = !quoted,
            b':' if !quoted && bytes.get(at + 1) == Some(&b':') => at += 1,
            b':' if !quoted && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase) => {
                let name = &text[at + 1..];
                let end = name
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .unwrap_or(name.len());
                return Some((&text[..at], &name[..end], &name[end..]));
            }
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalog;

    struct Numbered;
    impl Dialect for Numbered {
        fn id(&self) -> &'static str {
            "numbered"
        }
        fn placeholder(&self, position: usize, sql: &mut String) {
            sql.push('$');
            sql.push_str(&position.to_string());
        }
    }
    struct Marks;
    impl Dialect for Marks {
        fn id(&self) -> &'static str {
            "marks"
        }
        fn placeholder(&self, _: usize, sql: &mut String) {
            sql.push('?');
        }
        fn reuses_placeholders(&self) -> bool {
            false
        }
    }

    const FILE: &str = "-- a note to the reader
-- name: take(d int, q decimal(2)) -> (s text)
-- why
SELECT s::text FROM t
WHERE d = :d AND e = :d AND q > :q AND n = ':x';

-- name: plain()
DELETE FROM t
";

    #[test]
    fn sections_are_rendered_for_the_dialect() -> Result<()> {
        let sections = parse_sections(FILE)?;
        assert_eq!(sections.len(), 2);
        let (take, none) = sections[0].render(&Numbered)?;
        assert!(none.is_none());
        assert_eq!(
            take.sql,
            "SELECT s::text FROM t\nWHERE d = $1 AND e = $1 AND q > $2 AND n = ':x'"
        );
        assert_eq!(take.placeholders, [0, 1]);
        let (take, _) = sections[0].render(&Marks)?;
        assert_eq!(take.sql.matches('?').count(), 3);
        assert_eq!(take.placeholders, [0, 0, 1]);
        assert_eq!(take.results[0].kind, ValueKind::Text);
        Ok(())
    }

    #[test]
    fn what_reads_back_is_a_statement_of_its_own() -> Result<()> {
        let file = "-- name: take(d int, q int) -> (n int)
UPDATE t SET n = n - :q WHERE d = :d;
-- then
SELECT n FROM t
WHERE d = :d
-- name: other()
DELETE FROM t";
        let sections = parse_sections(file)?;
        let (first, second) = sections[0].render(&Numbered)?;
        let second = second.ok_or_else(|| Error::usage("no second statement"))?;
        assert_eq!(first.sql, "UPDATE t SET n = n - $1 WHERE d = $2");
        assert_eq!((&first.placeholders[..], first.results.len()), (&[1, 0][..], 0));
        assert_eq!(second.sql, "SELECT n FROM t\nWHERE d = $1");
        assert_eq!((&second.placeholders[..], second.results.len()), (&[0][..], 1));
        let catalog = Catalog::build(&Numbered, &["take", "other"], &[sections])?;
        let names: Vec<&str> = catalog.statements().iter().map(|each| &*each.name).collect();
        assert_eq!(names, ["take", "other", "take"]);
        let ids = [0, 1, 2].map(|id| catalog.read_back(crate::StatementId(id)));
        assert_eq!(ids, [Some(crate::StatementId(2)), None, None]);
        Ok(())
    }

    #[test]
    fn a_wrong_parameter_is_refused() -> Result<()> {
        for bad in ["-- name: x(a int)\nSELECT :b", "-- name: x(a int, b int)\nSELECT :a"] {
            assert!(parse_sections(bad)?[0].render(&Numbered).is_err(), "{bad}");
        }
        assert!(parse_sections("-- name: x(a what)\nSELECT :a").is_err());
        Ok(())
    }

    #[test]
    fn a_later_file_overrides_and_must_keep_the_signature() -> Result<()> {
        let base = parse_sections(FILE)?;
        let over = parse_sections("-- name: plain()\nTRUNCATE t")?;
        let catalog = Catalog::build(&Numbered, &["plain"], &[base.clone(), over])?;
        assert_eq!(catalog.statements()[0].sql, "TRUNCATE t");
        let other = parse_sections("-- name: plain(a int)\nSELECT :a")?;
        assert!(Catalog::build(&Numbered, &["plain"], &[base.clone(), other]).is_err());
        assert!(Catalog::build(&Numbered, &["absent"], &[base]).is_err());
        Ok(())
    }
}
