//! A statement cut at its placeholders, so that writing it with values is a walk over its pieces.

use std::ops::Range;

use tacho_driver::{Statement, ValueKind, Values};

use crate::literal;

/// One piece of a statement.
#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Param { index: usize, kind: ValueKind },
}

/// A statement that waits for its values.
#[derive(Debug)]
pub struct Template {
    pieces: Vec<Piece>,
}

impl Template {
    /// Cuts the text of a statement at every `$1`, `$2` … outside quotes.
    pub fn new(statement: &Statement) -> Self {
        let mut pieces = Vec::new();
        let mut rest = statement.sql.as_str();
        while let Some((place, position)) = next_placeholder(rest) {
            pieces.push(Piece::Text(rest[..place.start].to_owned()));
            let index = position.checked_sub(1).and_then(|at| statement.placeholders.get(at));
            if let Some(index) = index.map(|index| usize::from(*index)) {
                pieces.push(Piece::Param { index, kind: statement.params[index].kind });
            } else {
                pieces.push(Piece::Text(rest[place.clone()].to_owned()));
            }
            rest = &rest[place.end..];
        }
        pieces.push(Piece::Text(rest.to_owned()));
        Self { pieces }
    }

    /// Appends the statement with the values at `params`, without a semicolon.
    pub fn write(&self, params: Range<u32>, values: &Values, out: &mut Vec<u8>) {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
                Piece::Param { index, kind } => {
                    literal::write(values.get(params.start as usize + index), scale(*kind), out);
                }
            }
        }
    }
}

fn scale(kind: ValueKind) -> u8 {
    if let ValueKind::Decimal(scale) = kind { scale } else { 0 }
}

/// The next placeholder: where it stands, and its number.
fn next_placeholder(text: &str) -> Option<(Range<usize>, usize)> {
    let bytes = text.as_bytes();
    let mut quoted = false;
    for start in 0..bytes.len() {
        match bytes[start] {
            b'\'' => quoted = !quoted,
            b'$' if !quoted => {
                let digits = bytes[start + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
                let place = start..start + 1 + digits;
                if let Ok(position) = text[start + 1..place.end].parse() {
                    return Some((place, position));
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacho_core::Result;
    use tacho_driver::{Catalog, StatementId, parse_sections};

    #[test]
    fn values_stand_where_their_placeholders_stood() -> Result<()> {
        let file = "-- name: x(a int, b text, c decimal(2))
SELECT '$1 :a', $$, x::text FROM t WHERE c = :c AND b = :b AND (a = :a OR a2 = :a)";
        let catalog = Catalog::build(&crate::dialect::Print, &["x"], &[parse_sections(file)?])?;
        let mut values = Values::default();
        values.int(99);
        values.int(7);
        values.text(b"it's");
        values.decimal(-1205);
        let mut out = Vec::new();
        Template::new(catalog.get(StatementId(0))).write(1..4, &values, &mut out);
        assert_eq!(
            String::from_utf8_lossy(&out),
            "SELECT '$1 :a', $$, x::text FROM t \
             WHERE c = -12.05 AND b = 'it''s' AND (a = 7 OR a2 = 7)"
        );
        Ok(())
    }
}
