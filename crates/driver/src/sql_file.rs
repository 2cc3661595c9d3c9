//! SQL files. A file consists of named sections, each of which has a typed signature.
//!
//! ```sql
//! -- name: district_tax(w int, d int) -> (d_tax decimal(4))
//! SELECT d_tax FROM district WHERE d_w_id = :w AND d_id = :d
//! ```
//!
//! The line `-- then` separates the statements of a section, for example a write from a subsequent read. The dialect
//! translates `EXTRACT(YEAR FROM column)`, `substring(`, `column % number` and, on the last line, `LIMIT n`.
//!
//! A result can also be written like a parameter, as in `RETURNING a INTO :a`, because some databases return values
//! into variables.

use std::collections::HashMap;
use std::ops::Range;

use tacho_core::{Error, ErrorKind, Result};

use crate::dialect::{SUBSTRING, YEAR};
use crate::lexer::{self, Lexeme, Syntax, Token, Variable};
use crate::{Dialect, Field, Place, Statement, ValueKind, Verbatim};

/// A named section of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The name, unique in its file.
    pub name: String,
    /// The declared parameters, which are written as `:name` in the text.
    pub params: Vec<Field>,
    /// The declared result columns.
    pub results: Vec<Field>,
    /// The text of each statement, without the header and comment lines. There is at least one statement.
    pub sql: Vec<String>,
    /// Properties of a text that is sent unchanged, or `None` for any other text; see [`Statement::verbatim`].
    pub verbatim: Option<Verbatim>,
}

/// The line between two statements in a section.
const THEN: &str = "-- then";
const REMAINDER: &str = " % ";
const TIMES: &str = " * ";
/// The start of a statement's last line, if that line limits the number of rows.
const LIMIT: &str = "LIMIT ";

/// Parses all sections of a file. Text before the first header is ignored.
///
/// # Errors
/// Returns a syntax error if a header is invalid.
pub fn parse_sections(file: &str) -> Result<Vec<Section>> {
    parse_sections_by(file, Syntax::STANDARD)
}

/// Parses all sections of a file with these lexical rules.
///
/// # Errors
/// Fails like [`parse_sections`].
pub fn parse_sections_by(file: &str, syntax: Syntax) -> Result<Vec<Section>> {
    let mut sections: Vec<Section> = Vec::new();
    let mut spans = spans_of_lines(file, syntax).into_iter().peekable();
    let mut at = 0;
    for line in file.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        while spans.next_if(|span| span.end <= start).is_some() {}
        // A line that starts inside a string or a comment cannot be a header.
        let is_inside = spans.peek().is_some_and(|span| span.start < start);
        while spans.next_if(|span| span.end < end).is_some() {}
        let continues = spans.peek().is_some_and(|span| span.start < end);
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some(header) = line.strip_prefix("-- name:").filter(|_| !is_inside) {
            let section = parse_header(header.trim())
                .ok_or_else(|| Error::new(ErrorKind::Syntax, format!("invalid header: {line}")))?;
            sections.push(section);
        } else if line.trim() == THEN && !is_inside {
            if let Some(section) = sections.last_mut() {
                section.sql.push(String::new());
            }
        } else if let Some(sql) = sections.last_mut().and_then(|section| section.sql.last_mut())
            && (is_inside || !(is_comment(line, syntax) || line.trim().is_empty()))
        {
            if !sql.is_empty() {
                sql.push('\n');
            }
            sql.push_str(if continues { line } else { line.trim_end() });
        }
    }
    for sql in sections.iter_mut().flat_map(|section| &mut section.sql) {
        let end = end_of_code(sql, syntax);
        sql.truncate(end);
    }
    Ok(sections)
}

/// Returns the ranges of all strings, quoted names and comments that span several lines.
fn spans_of_lines(file: &str, syntax: Syntax) -> Vec<Range<usize>> {
    let spans = |part: Lexeme| {
        let holds_text = matches!(part.token, Token::Text | Token::Name | Token::Comment);
        (holds_text && file[part.range.clone()].contains('\n')).then_some(part.range)
    };
    lexer::tokens(file, syntax).filter_map(spans).collect()
}

/// Returns true if a line starts with a comment other than an optimizer hint (`--+`).
fn is_comment(line: &str, syntax: Syntax) -> bool {
    let line = line.trim_start();
    let begins = |part: Lexeme| part.token == Token::Comment;
    line.starts_with("--")
        && !line.starts_with("--+")
        && lexer::tokens(line, syntax).next().is_some_and(begins)
}

/// Returns the end of a statement's text, not including semicolons and comments at the end.
fn end_of_code(sql: &str, syntax: Syntax) -> usize {
    let mut end = None;
    for Lexeme { token, range, .. } in lexer::tokens(sql, syntax) {
        match token {
            Token::Sign(b';') => end = end.or(Some(range.start)),
            Token::Blank | Token::Comment => {}
            _ => end = None,
        }
    }
    end.unwrap_or(sql.len())
}

/// Parses `name(a int, b text) -> (c decimal(2))`. The arrow and results are optional.
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
        sql: vec![String::new()],
        verbatim: None,
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
    /// Writes the statements with the dialect's placeholders. Each parameter must be used. The last statement provides
    /// the result.
    pub(crate) fn render(&self, dialect: &dyn Dialect) -> Result<Vec<Statement>> {
        let written = self.sql.iter().map(|text| self.statement(text, dialect));
        let mut statements = written.collect::<Result<Vec<Statement>>>()?;
        if let Some((_, others)) = statements.split_last_mut() {
            for statement in others {
                statement.results.clear();
            }
        }
        let mut used = vec![false; self.params.len() + self.results.len()];
        for param in statements.iter().flat_map(|each| &each.placeholders) {
            used[usize::from(*param)] = true;
        }
        if let Some(unused) = (0..self.params.len()).find(|index| !used[*index]) {
            return Err(self.unknown(&self.params[unused].name));
        }
        Ok(statements)
    }

    fn statement(&self, text: &str, dialect: &dyn Dialect) -> Result<Statement> {
        if let Some(verbatim) = self.verbatim {
            self.require(verbatim, dialect)?;
            let is_used = |variable: &Variable<'_>| verbatim.everywhere || is_code(variable);
            return self.numbered(
                text,
                lexer::variables(text, Syntax::STANDARD).filter(is_used),
                dialect,
            );
        }
        let syntax = dialect.syntax();
        let (text, limit) = match text.rsplit_once('\n') {
            Some((text, last)) if last.starts_with(LIMIT) => (text, Some(&last[LIMIT.len()..])),
            _ => (text, None),
        };
        let first = limit.and_then(|rows| dialect.first_rows(rows));
        let bounded = first.as_ref().map(|words| after_first_select(text, words, syntax));
        let text = bounded.as_deref().unwrap_or(text);
        let code = |code: &str| with_remainders(&with_years(code, dialect), dialect);
        let text = &in_code(text, syntax, code);
        let mut statement = self.numbered(text, parameters(text, syntax), dialect)?;
        if let Some(rows) = limit.filter(|_| first.is_none()) {
            statement.sql.push('\n');
            dialect.row_limit(rows, &mut statement.sql);
        }
        Ok(statement)
    }

    /// Returns an error if a user-written text contains something that the database does not support.
    fn require(&self, verbatim: Verbatim, dialect: &dyn Dialect) -> Result<()> {
        let (what, hint) = if verbatim.parts > 1 && !dialect.several_statements() {
            ("several statements in one request are", "send each separately")
        } else if verbatim.by_name && !dialect.results_by_name() {
            ("results addressed by column name are", "name the columns in the statement")
        } else {
            return Ok(());
        };
        let text = format!("{}: {what} not supported by {}", self.name, dialect.id());
        Err(Error::new(ErrorKind::Unsupported, text).hint(hint))
    }

    /// Returns the statement with the dialect's placeholders in place of its variables.
    fn numbered<'a>(
        &self,
        text: &'a str,
        uses: impl Iterator<Item = Variable<'a>>,
        dialect: &dyn Dialect,
    ) -> Result<Statement> {
        let mut sql = String::with_capacity(text.len());
        // Number the parameters first and the results after them. Numbers are looked up in a map, because a statement
        // that inserts many rows has thousands of parameters.
        let mut fields = HashMap::new();
        for (field, number) in self.params.iter().chain(&self.results).zip(0_u16..) {
            fields.entry(field.name.as_str()).or_insert(number);
        }
        // In a statement written by the user, each use of a variable becomes a separate parameter, because the server
        // may infer a different type for each use.
        let reuses = dialect.reuses_placeholders() && self.verbatim.is_none();
        let mut known: HashMap<u16, usize> = HashMap::new();
        let mut placeholders: Vec<u16> = Vec::new();
        let mut places = Vec::new();
        let mut rest = 0;
        for variable in uses {
            let Some(param) = fields.get(variable.name).copied() else {
                if self.verbatim.is_none() && variable.place != lexer::Place::Brackets {
                    return Err(self.unknown(variable.name));
                }
                continue;
            };
            let position = match known.get(&param) {
                Some(position) if reuses => *position,
                _ => {
                    placeholders.push(param);
                    placeholders.len() - 1
                }
            };
            known.entry(param).or_insert(position);
            sql.push_str(&text[rest..variable.colon]);
            rest = variable.end();
            let start = sql.len();
            dialect.placeholder(position + 1, &mut sql);
            places.push(Place { bytes: start..sql.len(), param });
        }
        sql.push_str(&text[rest..]);
        let (name, params, results) =
            (self.name.clone(), self.params.clone(), self.results.clone());
        let verbatim = self.verbatim;
        Ok(Statement { name, params, results, sql, placeholders, places, verbatim })
    }

    fn unknown(&self, name: &str) -> Error {
        Error::new(
            ErrorKind::Syntax,
            format!("statement {}: parameter {name} must be both declared and used", self.name),
        )
    }
}

/// Returns the text with each `EXTRACT(YEAR FROM column)` rewritten in the dialect's syntax.
fn with_years(text: &str, dialect: &dyn Dialect) -> String {
    let mut parts = text.split(YEAR);
    let mut sql = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // If the column's name is quoted, it is not in this part of the text, and neither is the closing parenthesis.
        // Such an expression is left unchanged.
        let Some((column, rest)) = part.split_once(')') else {
            sql.extend([YEAR, part]);
            continue;
        };
        dialect.year(column, &mut sql);
        sql.push_str(rest);
    }
    sql.replace(SUBSTRING, dialect.substring())
}

/// Returns the text with each modulo operation rewritten in the dialect's syntax. The dividend must be a column or a
/// product of columns.
fn with_remainders(text: &str, dialect: &dyn Dialect) -> String {
    let mut parts = text.split(REMAINDER);
    let mut sql = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        let mut start = sql.len();
        loop {
            start = sql[..start].rfind(|c| !is_name(c)).map_or(0, |at| at + 1);
            match sql[..start].strip_suffix(TIMES) {
                Some(before) => start = before.len(),
                None => break,
            }
        }
        let number = sql.split_off(start);
        let end = part.find(|c| !is_name(c)).unwrap_or(part.len());
        // A quoted name is not part of this text.
        if end == 0 || !number.starts_with(is_name) {
            sql.extend([&*number, REMAINDER, part]);
            continue;
        }
        dialect.remainder(&number, &part[..end], &mut sql);
        sql.push_str(&part[end..]);
    }
    sql
}

/// Returns each use of a parameter in a statement from a SQL file, in order.
pub fn parameters(text: &str, syntax: Syntax) -> impl Iterator<Item = Variable<'_>> {
    let is_lower =
        |variable: &Variable<'_>| variable.name.starts_with(|c: char| c.is_ascii_lowercase());
    lexer::variables(text, syntax).filter(move |variable| is_code(variable) && is_lower(variable))
}

fn is_code(variable: &Variable<'_>) -> bool {
    matches!(variable.place, lexer::Place::Code | lexer::Place::Brackets)
}

/// Rewrites the code in a text, but not its strings, quoted names and comments.
fn in_code(text: &str, syntax: Syntax, rewrite: impl Fn(&str) -> String) -> String {
    let (mut sql, mut code) = (String::with_capacity(text.len()), 0);
    for Lexeme { token, range, .. } in lexer::tokens(text, syntax) {
        if matches!(token, Token::Text | Token::Name | Token::Comment) {
            sql.push_str(&rewrite(&text[code..range.start]));
            sql.push_str(&text[range.clone()]);
            code = range.end;
        }
    }
    sql.push_str(&rewrite(&text[code..]));
    sql
}

fn after_first_select(text: &str, words: &str, syntax: Syntax) -> String {
    let is_select = |part: &Lexeme| {
        part.token == Token::Word && text[part.range.clone()].eq_ignore_ascii_case("SELECT")
    };
    match lexer::tokens(text, syntax).find(is_select) {
        Some(part) => [&text[..part.range.end], " ", words, &text[part.range.end..]].concat(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Catalog, StatementId, Values};

    struct Numbered;
    impl Dialect for Numbered {
        fn id(&self) -> &'static str {
            "numbered"
        }
        fn placeholder(&self, position: usize, sql: &mut String) {
            sql.push('$');
            sql.push_str(&position.to_string());
        }
        fn row_limit(&self, rows: &str, sql: &mut String) {
            sql.extend(["FETCH FIRST ", rows, " ROWS ONLY"]);
        }
        fn year(&self, column: &str, sql: &mut String) {
            sql.extend(["YEAR(", column, ")"]);
        }
        fn remainder(&self, number: &str, divisor: &str, sql: &mut String) {
            sql.extend(["MOD(", number, ", ", divisor, ")"]);
        }
        fn substring(&self) -> &'static str {
            "SUBSTR("
        }
    }
    struct Top;
    impl Dialect for Top {
        fn id(&self) -> &'static str {
            "top"
        }
        fn placeholder(&self, _: usize, sql: &mut String) {
            sql.push('?');
        }
        fn first_rows(&self, rows: &str) -> Option<String> {
            Some(format!("TOP {rows}"))
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
        let take = sections[0].render(&Numbered)?.remove(0);
        assert_eq!(
            take.sql,
            "SELECT s::text FROM t\nWHERE d = $1 AND e = $1 AND q > $2 AND n = ':x'"
        );
        assert_eq!(take.placeholders, [0, 1]);
        let take = sections[0].render(&Marks)?.remove(0);
        assert_eq!(take.sql.matches('?').count(), 3);
        assert_eq!(take.placeholders, [0, 0, 1]);
        assert_eq!(take.results[0].kind, ValueKind::Text);
        Ok(())
    }

    #[test]
    fn the_dialect_writes_remainders_and_parts_of_texts() -> Result<()> {
        let file =
            "-- name: a()\nSELECT substring(x, 1, 2) WHERE t.a * b % 10 = c AND d % 3 >= '5 %'";
        let section = parse_sections(file)?.remove(0);
        let expected = "SELECT SUBSTR(x, 1, 2) WHERE MOD(t.a * b, 10) = c AND MOD(d, 3) >= '5 %'";
        assert_eq!(section.render(&Numbered)?.remove(0).sql, expected);
        assert_eq!(section.render(&Marks)?.remove(0).sql, file.split_once('\n').unwrap().1);
        Ok(())
    }

    #[test]
    fn a_limit_follows_the_first_select_or_the_whole() -> Result<()> {
        let file =
            "-- name: a(x int)\nSELECT a FROM t WHERE a IN (SELECT b FROM u) AND x = :x\nLIMIT 1";
        let section = parse_sections(file)?.remove(0);
        let first = section.render(&Top)?.remove(0);
        assert_eq!(first.sql, "SELECT TOP 1 a FROM t WHERE a IN (SELECT b FROM u) AND x = ?");
        assert_eq!(&first.sql[first.places[0].bytes.clone()], "?");
        let whole = section.render(&Marks)?.remove(0);
        assert!(whole.sql.ends_with("AND x = ?\nLIMIT 1"), "{}", whole.sql);
        Ok(())
    }

    #[test]
    fn results_may_be_variables_of_a_statement() -> Result<()> {
        let file = "-- name: a(x int) -> (y int, z text)\nBEGIN p(:x, :z, :y); END;";
        let statement = parse_sections(file)?.remove(0).render(&Numbered)?.remove(0);
        assert_eq!(statement.sql, "BEGIN p($1, $2, $3); END");
        assert_eq!(statement.placeholders, [0, 2, 1]);
        // A statement that returns results into variables cannot be sent as text.
        let mut values = Values::default();
        values.int(1);
        assert!(statement.text("", &Numbered, &values).is_err());
        Ok(())
    }

    #[test]
    fn a_catalog_takes_the_statements_of_another_behind_its_own() -> Result<()> {
        let build =
            |names: &[&str], file: &str| Catalog::build(&Marks, names, &[parse_sections(file)?]);
        let first = build(&["a", "b"], "-- name: a()\nA1\n-- then\nA2\n-- name: b()\nB1")?;
        let second = build(&["c", "d"], "-- name: c()\nC1\n-- name: d()\nD1\n-- then\nD2")?;
        let both = first.and(&second);
        let sql: Vec<&str> = both.statements().iter().map(|one| one.sql.as_str()).collect();
        assert_eq!(sql, ["A1", "B1", "C1", "D1", "A2", "D2"]);
        let next: Vec<Option<u16>> =
            (0..6).map(|id| both.next(StatementId(id)).map(|id| id.0)).collect();
        assert_eq!(next, [Some(4), None, None, Some(5), None, None]);
        let follows = |id| both.follows(StatementId(id));
        assert!(!follows(3) && follows(4) && follows(5));
        Ok(())
    }

    #[test]
    fn literals_stand_where_the_placeholders_stood() -> Result<()> {
        let file = "-- name: x(a int, b text, c decimal(2))
SELECT '$1 :a', '$$', x::text FROM t WHERE c = :c AND b = :b AND (a =-:a OR a2 = -:a)";
        let mut values = Values::default();
        values.int(99);
        values.int(-7);
        values.text(b"it's $2 ? :b");
        values.decimal(-1205);
        for dialect in [&Numbered as &dyn Dialect, &Marks] {
            let statement = parse_sections(file)?[0].render(dialect)?.remove(0);
            let mut out = Vec::new();
            statement.write(dialect, &(1..4), &values, &mut out)?;
            assert_eq!(
                String::from_utf8_lossy(&out),
                "SELECT '$1 :a', '$$', x::text FROM t \
                 WHERE c = -12.05 AND b = 'it''s $2 ? :b' AND (a =- -7 OR a2 = - -7)"
            );
            assert!(statement.write(dialect, &(0..2), &values, &mut out).is_err());
            assert!(statement.write(dialect, &(0..3), &values, &mut out).is_err());
        }
        Ok(())
    }

    #[test]
    fn then_starts_another_statement() -> Result<()> {
        let file = "-- name: take(d int, q int) -> (n int)
UPDATE t SET n = n - :q WHERE d = :d;
-- then
SELECT n FROM t
WHERE d = :d
-- name: other()
DELETE FROM t";
        let sections = parse_sections(file)?;
        let statements = sections[0].render(&Numbered)?;
        let [first, second] = &statements[..] else { return Err(Error::usage("not two")) };
        assert_eq!(first.sql, "UPDATE t SET n = n - $1 WHERE d = $2");
        assert_eq!((&first.placeholders[..], first.results.len()), (&[1, 0][..], 0));
        assert_eq!(second.sql, "SELECT n FROM t\nWHERE d = $1");
        assert_eq!((&second.placeholders[..], second.results.len()), (&[0][..], 1));
        let catalog = Catalog::build(&Numbered, &["take", "other"], &[sections])?;
        let names: Vec<&str> = catalog.statements().iter().map(|each| &*each.name).collect();
        assert_eq!(names, ["take", "other", "take"]);
        let next = |catalog: &Catalog, id| catalog.next(StatementId(id)).map(|id| id.0);
        assert_eq!([0, 1, 2].map(|id| next(&catalog, id)), [Some(2), None, None]);
        Ok(())
    }

    #[test]
    fn several_statements_follow_each_other() -> Result<()> {
        let file = "-- name: one()
DELETE FROM t
-- name: call(d int) -> (n int)
SET @a = 0
-- then
CALL c(:d, @a)
-- then
SELECT @a";
        let catalog = Catalog::build(&Numbered, &["call", "one"], &[parse_sections(file)?])?;
        let texts: Vec<&str> = catalog.statements().iter().map(|each| &*each.sql).collect();
        assert_eq!(texts, ["SET @a = 0", "DELETE FROM t", "CALL c($1, @a)", "SELECT @a"]);
        let next = [0, 1, 2, 3].map(|id| catalog.next(StatementId(id)).map(|id| id.0));
        assert_eq!(next, [Some(2), None, Some(3), None]);
        let widths: Vec<usize> =
            catalog.statements().iter().map(|each| each.results.len()).collect();
        assert_eq!(widths, [0, 0, 0, 1]);
        let follows = [1, 2, 3].map(|id| catalog.follows(StatementId(id)));
        assert_eq!(follows, [false, true, true]);
        Ok(())
    }

    #[test]
    fn the_last_line_bounds_the_rows_as_the_dialect_writes_it() -> Result<()> {
        let section = |text: &str| -> Result<Section> {
            Ok(parse_sections(&format!("-- name: one(a int)\n{text}"))?.remove(0))
        };
        let ordered = "SELECT b FROM t WHERE a = :a\nORDER BY b\nLIMIT 20";
        for (dialect, expected) in [
            (&Numbered as &dyn Dialect, "ORDER BY b\nFETCH FIRST 20 ROWS ONLY"),
            (&Marks, "ORDER BY b\nLIMIT 20"),
        ] {
            let statement = section(ordered)?.render(dialect)?.remove(0);
            assert!(statement.sql.ends_with(expected), "{}", statement.sql);
        }
        // Only files for a single dialect use LIMIT inside a query, so it need not be translated there.
        let inner = "SELECT (\n  SELECT b FROM t\n  LIMIT 1\n) WHERE a = :a";
        let statement = section(inner)?.render(&Numbered)?.remove(0);
        assert!(statement.sql.contains("\n  LIMIT 1\n"), "{}", statement.sql);
        Ok(())
    }

    #[test]
    fn years_are_as_the_dialect_writes_them() -> Result<()> {
        let file = "-- name: one(a int)\n\
                    SELECT EXTRACT(YEAR FROM b) AS y, EXTRACT(YEAR FROM c) FROM t WHERE a = :a";
        for (dialect, expected) in [
            (&Numbered as &dyn Dialect, "SELECT YEAR(b) AS y, YEAR(c) FROM t WHERE a = $1"),
            (&Marks, "SELECT EXTRACT(YEAR FROM b) AS y, EXTRACT(YEAR FROM c) FROM t WHERE a = ?"),
        ] {
            assert_eq!(parse_sections(file)?[0].render(dialect)?.remove(0).sql, expected);
        }
        Ok(())
    }

    #[test]
    fn quotes_and_comments_of_any_kind_hold_no_parameters() -> Result<()> {
        let file = "-- name: one(a int)\n\
                    SELECT E'it\\'s :b', $$don't :c$$, \"d':d\", x[1:2] /* it's :e */ -- '\nFROM t WHERE a = :a;";
        let statement = parse_sections(file)?.remove(0).render(&Numbered)?.remove(0);
        assert!(statement.sql.ends_with("WHERE a = $1"), "{}", statement.sql);
        assert_eq!(statement.sql.matches('$').count(), 5, "{}", statement.sql);
        Ok(())
    }

    #[test]
    fn the_dialect_rewrites_code_alone() -> Result<()> {
        let file = "-- name: a()\n\
                    SELECT b % 3 FROM t /* SELECT c % 4 */ WHERE d LIKE 'x % y substring(' OR \"e % f\" = 1\nLIMIT 2";
        let section = parse_sections(file)?.remove(0);
        let numbered = section.render(&Numbered)?.remove(0).sql;
        assert_eq!(numbered.matches("MOD(").count(), 1, "{numbered}");
        let quoted = "SELECT \"a\" % 3, b % \"c\", EXTRACT(YEAR FROM \"d\") FROM t";
        let section = parse_sections(&format!("-- name: a()\n{quoted}"))?.remove(0);
        assert_eq!(section.render(&Numbered)?.remove(0).sql, quoted);
        assert!(numbered.contains("'x % y substring('"), "{numbered}");
        let section =
            parse_sections(&file.replace("a()\nSELECT", "a()\n/* SELECT */ select"))?.remove(0);
        let top = section.render(&Top)?.remove(0).sql;
        assert!(top.starts_with("/* SELECT */ select TOP 2 b"), "{top}");
        Ok(())
    }

    #[test]
    fn lines_within_quotes_and_comments_are_text() -> Result<()> {
        let file = "-- name: one()\nSELECT 'a;\n\n-- name: two()\n-- then  \n', $$x;\ny;\n$$; -- it's\n\
                    /*\n-- name: three()\n*/\n-- name: four()\nB;\n-- then\nC;;";
        let sections = parse_sections(file)?;
        assert_eq!(sections.len(), 2);
        assert_eq!(sections[0].sql, ["SELECT 'a;\n\n-- name: two()\n-- then  \n', $$x;\ny;\n$$"]);
        assert_eq!(sections[1].sql, ["B", "C"]);
        let file = "-- name: one()\nSELECT\n--+ INDEX(t)\n-- b\n--c\na /*! b; */;\n/* d */";
        let sections = parse_sections(file)?;
        assert_eq!(sections[0].sql, ["SELECT\n--+ INDEX(t)\na /*! b; */"]);
        let sections = parse_sections_by(file, Syntax::BACKSLASH)?;
        assert_eq!(sections[0].sql, ["SELECT\n--+ INDEX(t)\n--c\na /*! b; */"]);
        let file = "-- name: one()\nSELECT 'it\\'s'\n-- name: two()\nB";
        assert_eq!(parse_sections_by(file, Syntax::BACKSLASH)?.len(), 2);
        Ok(())
    }

    #[test]
    fn each_use_of_a_variable_in_a_users_text_is_a_parameter() -> Result<()> {
        let section = |everywhere| Section {
            name: "one".into(),
            params: vec![Field { name: "a".into(), kind: ValueKind::Text }],
            results: Vec::new(),
            sql: vec!["VALUES ('n' || :a, :a, ':a') -- :a\n, :b, :1a".into()],
            verbatim: Some(Verbatim { everywhere, ..Verbatim::default() }),
        };
        let statement = section(false).render(&Numbered)?.remove(0);
        assert_eq!(statement.sql, "VALUES ('n' || $1, $2, ':a') -- :a\n, :b, :1a");
        assert_eq!(statement.placeholders, [0, 0]);
        let mut values = Values::default();
        values.text(b"x");
        let text = section(true).render(&Numbered)?.remove(0).text("", &Numbered, &values)?;
        assert_eq!(text, "VALUES ('n' || x, x, 'x') -- x\n, :b, :1a");
        Ok(())
    }

    #[test]
    fn rejects_invalid_parameters() -> Result<()> {
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
