//! Rewrites `UPDATE … OUTPUT` for Babelfish, whose OUTPUT clause returns wrong results.
//!
//! In Babelfish 4.3, `UPDATE … OUTPUT` reports that no rows were written, and may return outdated values. Tacho instead
//! sends one batch with the UPDATE and a SELECT of the same rows.
//!
//! The UPDATE locks the rows, so they cannot change before the SELECT reads them.
//!
//! Start reading at [`read_back`].

use std::ops::Range;

use tacho_driver::lexer::{self, Lexeme, Token};
use tacho_driver::{Dialect, Place, Statement};

use crate::dialect::SqlServer;

/// Prefix of a column in OUTPUT. The prefix selects the column's value after the UPDATE.
const INSERTED: &str = "inserted.";

/// Returns the two statements that replace the UPDATE, or `None` if the UPDATE cannot be replaced.
///
/// An UPDATE can be replaced if it changes a single table, returns the new values of its rows, and does not change a
/// column that occurs in WHERE.
pub fn read_back(statement: &Statement) -> Option<Statement> {
    let sql = &statement.sql;
    let words = words(sql);
    let is = |range: &Range<usize>, word: &str| sql[range.clone()].eq_ignore_ascii_case(word);
    let find = |word: &str| words.iter().find(|range| is(range, word));
    let [first, table, third, ..] = &words[..] else { return None };
    let (output, filter) = (find("OUTPUT")?, find("WHERE")?);
    let is_plain = is(first, "UPDATE")
        && is(third, "SET")
        && find("FROM").is_none()
        && output.end < filter.start
        && statement.verbatim.is_none();
    if !is_plain {
        return None;
    }
    let columns = sql[output.end..filter.start].replace(INSERTED, "");
    if ["inserted.", "deleted."].iter().any(|row| columns.to_ascii_lowercase().contains(row)) {
        return None;
    }
    let columns = format!("SELECT{columns}FROM {} ", &sql[table.clone()]);
    let (set, rows) = (0..output.start, filter.start..sql.len());
    let mut both = Both { from: statement, sql: String::new(), places: Vec::new() };
    both.push(set);
    both.push(rows.clone());
    both.sql.push_str(";\n");
    both.sql.push_str(&columns);
    both.push(rows);
    let Both { sql, places, .. } = both;
    Some(Statement { sql, places, ..statement.clone() })
}

/// Returns the words that are neither quoted nor inside parentheses.
fn words(sql: &str) -> Vec<Range<usize>> {
    let mut depth = 0;
    let word = |Lexeme { token, range, .. }| {
        match token {
            Token::Sign(b'(') => depth += 1,
            Token::Sign(b')') => depth -= 1,
            _ => {}
        }
        (depth == 0 && token == Token::Word).then_some(range)
    };
    lexer::tokens(sql, SqlServer.syntax()).filter_map(word).collect()
}

struct Both<'a> {
    from: &'a Statement,
    sql: String,
    places: Vec<Place>,
}

impl Both<'_> {
    /// Appends a part of the statement's text, and the parameters that occur in it.
    fn push(&mut self, part: Range<usize>) {
        let Self { from, sql, places } = self;
        let start = sql.len();
        let moved = |at: usize| at - part.start + start;
        let inside = from.places.iter().filter(|place| part.contains(&place.bytes.start));
        places.extend(inside.map(|Place { bytes, param }| Place {
            bytes: moved(bytes.start)..moved(bytes.end),
            param: *param,
        }));
        sql.push_str(&from.sql[part]);
    }
}

#[cfg(test)]
mod tests {
    use tacho_core::Result;
    use tacho_driver::{Catalog, Values, parse_sections};

    use super::*;

    fn statement(signature: &str, sql: &str) -> Result<Statement> {
        let sections = parse_sections(&format!("-- name: one{signature}\n{sql}"))?;
        Ok(Catalog::build(&SqlServer, &["one"], &[sections])?.statements()[0].clone())
    }

    #[test]
    fn an_update_is_followed_by_a_query_of_its_rows() -> Result<()> {
        let one = statement(
            "(a int, b int) -> (n int, s text)",
            "UPDATE t\nSET n = n + :b\nOUTPUT inserted.n - 1, LEFT(inserted.s, 5)\nWHERE a = :a AND c = :b",
        )?;
        let both = read_back(&one).expect("two statements");
        let expected = "UPDATE t\nSET n = n + @P1\nWHERE a = @P2 AND c = @P1;\n\
                        SELECT n - 1, LEFT(s, 5)\nFROM t WHERE a = @P2 AND c = @P1";
        assert_eq!(both.sql, expected);
        assert_eq!((&both.placeholders, &both.results), (&one.placeholders, &one.results));
        let mut values = Values::default();
        values.int(7);
        values.int(8);
        let literals = both.text("", &SqlServer, &values)?;
        assert_eq!(literals, expected.replace("@P1", "8").replace("@P2", "7"));
        Ok(())
    }

    #[test]
    fn other_statements_are_left_alone() -> Result<()> {
        for sql in [
            "DELETE FROM t OUTPUT deleted.n WHERE a = :a",
            "UPDATE t SET n = 1 OUTPUT deleted.n WHERE a = :a",
            "UPDATE t SET n = 1 OUTPUT inserted.n FROM u WHERE a = :a",
            "UPDATE t SET n = 1 WHERE a = :a",
            "UPDATE dbo.t SET n = 1 OUTPUT inserted.n WHERE a = :a",
            "SELECT n, 'UPDATE t OUTPUT x WHERE' FROM t WHERE a = :a",
        ] {
            assert_eq!(read_back(&statement("(a int) -> (n int)", sql)?), None, "{sql}");
        }
        Ok(())
    }
}
