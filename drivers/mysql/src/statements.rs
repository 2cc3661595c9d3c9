//! The statements of a session, and the information needed to bind their parameters and to read their results.
//!
//! Each session has its own list of statements, so the list is kept small and flat.

use std::ops::Range;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::lexer::{self, Syntax};
use tacho_driver::{Catalog, Statement, StatementId, Value, ValueKind, Values};
use tacho_net::unexpected;

use crate::bytes::Bytes;
use crate::values::{self, WireType};
use crate::wire::packet;

/// Command bytes.
const PREPARE: u8 = 0x16;
const EXECUTE: u8 = 0x17;
const CLOSE: u8 = 0x19;
/// No cursor, one iteration.
const EXECUTE_HOW: [u8; 5] = [0, 1, 0, 0, 0];
/// Distance of the type byte from the end of a column description. The start cannot be used, because the names that
/// come first have different lengths.
const TYPE_FROM_END: usize = 6;
const UNSIGNED: u8 = 0x20;
/// In a binary row, the first two bits of the NULL bitmap are unused.
const NULL_OFFSET: usize = 2;
/// Marks NULL in place of a string length.
const TEXT_NULL: u8 = 0xFB;

/// One placeholder.
#[derive(Clone, Copy, Debug)]
struct Param {
    /// Index of the parameter's value in the list of values that are bound to the statement.
    source: u16,
    kind: ValueKind,
}

/// A result column, as most recently described by the server.
#[derive(Clone, Copy, Debug)]
struct Column {
    ty: WireType,
    /// The column's type when the statement is sent as text. It may differ from `ty`, because a literal may have a
    /// different type than a parameter.
    in_text: WireType,
    kind: ValueKind,
}

/// Where a prepared statement is stored: its number on the server, and the positions where its parameters and columns
/// start in the lists of all statements.
#[derive(Clone, Copy, Debug)]
struct Place {
    number: u32,
    params: u32,
    columns: u32,
    bound: u16,
    /// True if the server knows the parameter types.
    typed: bool,
    /// True if the statement has exactly one result, so that it can be joined with other statements into one text.
    joins: bool,
    /// True if the user wrote the statement. Its values may then have any type.
    verbatim: bool,
    /// Number of SQL statements in the text, which may be more than one.
    parts: u16,
}

/// The statements of a catalog, either prepared or sent as text.
#[derive(Debug, Default)]
pub struct Statements {
    places: Vec<Place>,
    params: Vec<Param>,
    columns: Vec<Column>,
    /// The statement that is always followed directly by COMMIT, and the way in which it is sent together with COMMIT.
    last: Option<(StatementId, Last)>,
    simple: bool,
}

/// A way to send a transaction's last statement together with the COMMIT after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Last {
    /// Sent as one prepared block, which contains the statement and the COMMIT.
    Block(StatementId),
    /// Sent as two commands.
    Followed,
}

impl Last {
    /// Returns the block that contains both statements.
    #[inline]
    pub fn block(self) -> Option<StatementId> {
        match self {
            Self::Block(block) => Some(block),
            Self::Followed => None,
        }
    }
}

/// The server's response to a prepare command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// The server's number for the statement.
    pub number: u32,
    /// Number of result columns.
    pub columns: u16,
    /// Number of placeholders.
    pub params: u16,
}

impl Prepared {
    /// Reads the response.
    pub fn read(body: &[u8]) -> Result<Self> {
        let mut bytes = Bytes(body);
        if bytes.u8()? != 0 {
            return Err(unexpected("no prepared statement"));
        }
        Ok(Self { number: bytes.u32()?, columns: bytes.u16()?, params: bytes.u16()? })
    }
}

impl Statements {
    /// Creates the list for statements that are sent as text and not prepared.
    pub fn simple(catalog: &Catalog) -> Self {
        let mut statements = Self { simple: true, ..Self::default() };
        for statement in catalog.statements() {
            statements.push(0, statement, &[]);
        }
        statements.finish();
        statements
    }

    /// Returns true if the statements are sent as text.
    #[inline]
    pub fn is_simple(&self) -> bool {
        self.simple
    }

    /// Adds the catalog's next statement, with the types of its columns.
    pub fn add(
        &mut self,
        statement: &Statement,
        prepared: Prepared,
        types: &[WireType],
    ) -> Result<()> {
        if usize::from(prepared.params) != statement.placeholders.len() {
            return Err(unexpected("wrong number of parameters"));
        }
        // What a CALL returns is not known until it runs.
        let (found, declared) = (usize::from(prepared.columns), statement.results.len());
        let discarded = declared == 0 && statement.is_verbatim();
        if found != declared && found != 0 && !discarded {
            let text = format!(
                "the statement returns {found} columns, but its signature declares {declared}"
            );
            return Err(Error::new(ErrorKind::Syntax, text));
        }
        self.push(prepared.number, statement, types);
        Ok(())
    }

    /// Adds a block of a statement and its COMMIT, which the server has prepared as one.
    pub fn add_block(&mut self, id: StatementId, statement: &Statement, prepared: Prepared) {
        self.last = Some((id, Last::Block(StatementId(self.places.len() as u16))));
        self.push(prepared.number, statement, &[]);
    }

    /// Records that a statement and its COMMIT are sent at once, as two commands.
    pub fn follow(&mut self, id: StatementId) {
        self.last = Some((id, Last::Followed));
    }

    /// Returns how to send a statement together with the COMMIT that always follows it, or `None` if there is no such
    /// COMMIT.
    #[inline]
    pub fn last(&self, statement: StatementId) -> Option<Last> {
        self.last.filter(|(last, _)| *last == statement).map(|(_, how)| how)
    }

    fn push(&mut self, number: u32, statement: &Statement, types: &[WireType]) {
        let place = Place {
            number,
            params: self.params.len() as u32,
            columns: self.columns.len() as u32,
            bound: statement.params.len() as u16,
            typed: false,
            joins: has_one_result(statement),
            verbatim: statement.is_verbatim(),
            parts: statement.parts(),
        };
        self.places.push(place);
        let param = |source: &u16| {
            let kind = statement.params[usize::from(*source)].kind;
            Param { source: *source, kind }
        };
        self.params.extend(statement.placeholders.iter().map(param));
        let unknown = WireType { number: 0, unsigned: false, stored: false };
        let types = types.iter().copied().chain(std::iter::repeat(unknown));
        let columns = statement.results.iter().zip(types);
        self.columns.extend(columns.map(|(field, ty)| Column {
            ty,
            in_text: ty,
            kind: field.kind,
        }));
    }

    /// Completes the list.
    pub fn finish(&mut self) {
        self.places.shrink_to_fit();
        self.params.shrink_to_fit();
        self.columns.shrink_to_fit();
    }

    /// Returns the server's numbers for all prepared statements.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.places.iter().filter(|_| !self.simple).map(|place| place.number)
    }

    /// Appends the command that runs a statement with the parameters in this range.
    #[inline]
    pub fn execute(
        &self,
        statement: StatementId,
        bound: &Range<u32>,
        from: &Values,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let index = usize::from(statement.0);
        let place = self.places[index];
        if bound.len() != usize::from(place.bound) {
            return Err(Error::usage(format!("it was bound {} parameters", bound.len())));
        }
        let end = self.places.get(index + 1).map_or(self.params.len(), |next| next.params as usize);
        let params = &self.params[place.params as usize..end];
        packet(0, out, |out| {
            begin_execute(place.number, out);
            if params.is_empty() {
                return Ok(());
            }
            let nulls = out.len();
            out.resize(nulls + params.len().div_ceil(8), 0);
            out.push(u8::from(!place.typed));
            if !place.typed {
                for param in params {
                    push_type(param.kind, out);
                }
            }
            for (at, param) in params.iter().enumerate() {
                match from.get(bound.start as usize + usize::from(param.source)) {
                    Value::Null => out[nulls + at / 8] |= 1 << (at % 8),
                    value if place.verbatim => values::encode_any(value, param.kind, out)?,
                    value => values::encode(value, param.kind, out)?,
                }
            }
            Ok(())
        })
    }

    /// Records that the server has run a statement, and whether the server now knows the types of the parameters.
    #[inline]
    pub fn has_run(&mut self, statement: StatementId, typed: bool) {
        self.places[usize::from(statement.0)].typed = typed;
    }

    /// Returns true if the statement can be sent as part of one text with other statements.
    #[inline]
    pub fn joins(&self, statement: StatementId) -> bool {
        self.places[usize::from(statement.0)].joins
    }

    /// Returns the number of SQL statements in a statement's text, which may be more than one.
    #[inline]
    pub fn parts(&self, statement: StatementId) -> u16 {
        self.places[usize::from(statement.0)].parts
    }

    /// Returns the number of columns that a statement declares.
    #[inline]
    pub fn width(&self, statement: StatementId) -> usize {
        self.columns_of(statement).len()
    }

    /// Records the description of a result column. If `text` is true, the statement was sent as text; otherwise, it was
    /// prepared.
    #[inline]
    pub fn describe(
        &mut self,
        statement: StatementId,
        column: usize,
        body: &[u8],
        text: bool,
    ) -> Result<()> {
        let range = self.columns_of(statement);
        let ty = column_type(body)?;
        if let Some(column) = self.columns[range].get_mut(column) {
            *(if text { &mut column.in_text } else { &mut column.ty }) = ty;
        }
        Ok(())
    }

    /// Appends the values of one row. If `text` is true, the statement was sent as text, so the row is in text form.
    #[inline]
    pub fn row(
        &self,
        statement: StatementId,
        body: &[u8],
        text: bool,
        values: &mut Values,
    ) -> Result<()> {
        let columns = &self.columns[self.columns_of(statement)];
        let mut bytes = Bytes(body);
        let verbatim = self.places[usize::from(statement.0)].verbatim;
        if text {
            text_row(columns, &mut bytes, verbatim, values)?;
        } else {
            binary_row(columns, &mut bytes, verbatim, values)?;
        }
        if bytes.0.is_empty() { Ok(()) } else { Err(unexpected("a row of the wrong width")) }
    }

    #[inline]
    fn columns_of(&self, statement: StatementId) -> Range<usize> {
        let index = usize::from(statement.0);
        let next = self.places.get(index + 1).map_or(self.columns.len(), |n| n.columns as usize);
        self.places[index].columns as usize..next
    }
}

/// Returns true if a statement always has one result. Calls and users' statements may have several.
fn has_one_result(statement: &Statement) -> bool {
    const ONE: [&str; 6] = ["select", "insert", "update", "delete", "replace", "with"];
    let first = lexer::words(&statement.sql, Syntax::BACKSLASH, 1);
    !statement.is_verbatim() && first.iter().any(|word| ONE.contains(&word.as_str()))
}

/// A row in binary: a zero byte, the NULL bitmap, and the values that are not NULL.
#[inline]
fn binary_row(
    columns: &[Column],
    bytes: &mut Bytes<'_>,
    verbatim: bool,
    values: &mut Values,
) -> Result<()> {
    bytes.u8()?;
    let nulls = bytes.take((columns.len() + NULL_OFFSET).div_ceil(8))?;
    for (at, column) in columns.iter().enumerate() {
        let bit = at + NULL_OFFSET;
        if nulls[bit / 8] >> (bit % 8) & 1 != 0 {
            values.null();
        } else if verbatim {
            values::decode_any(bytes, column.ty, values)?;
        } else {
            values::decode(bytes, column.ty, column.kind, values)?;
        }
    }
    Ok(())
}

/// A row in text: each value as a length-prefixed string, or the NULL marker.
#[inline]
fn text_row(
    columns: &[Column],
    bytes: &mut Bytes<'_>,
    verbatim: bool,
    values: &mut Values,
) -> Result<()> {
    for column in columns {
        if bytes.0.first() == Some(&TEXT_NULL) {
            bytes.u8()?;
            values.null();
        } else if verbatim {
            values.text(bytes.text()?);
        } else {
            values::read(bytes, column.in_text, column.kind, values)?;
        }
    }
    Ok(())
}

#[inline]
pub fn column_type(body: &[u8]) -> Result<WireType> {
    let at = body.len().checked_sub(TYPE_FROM_END).ok_or_else(|| unexpected("a column"))?;
    let unsigned = body[at + 1] & UNSIGNED != 0;
    Ok(WireType { number: body[at], unsigned, stored: is_of_table(body) })
}

/// Returns true if a column description refers to a column of a table. For an expression, the description contains no
/// table name.
fn is_of_table(body: &[u8]) -> bool {
    let mut rest = body;
    for _ in 0..3 {
        let Some((length, after)) = rest.split_first() else { return false };
        rest = after.get(usize::from(*length)..).unwrap_or_default();
    }
    rest.first().is_some_and(|length| *length > 0)
}

/// Appends the start of the command that runs a statement, up to its parameters.
#[inline]
pub fn begin_execute(number: u32, out: &mut Vec<u8>) {
    out.push(EXECUTE);
    out.extend_from_slice(&number.to_le_bytes());
    out.extend_from_slice(&EXECUTE_HOW);
}

/// Appends a parameter's type.
#[inline]
pub fn push_type(kind: ValueKind, out: &mut Vec<u8>) {
    out.extend_from_slice(&[values::param_type(kind), 0]);
}

/// Appends the command that prepares a statement.
pub fn prepare(sql: &str, out: &mut Vec<u8>) -> Result<()> {
    packet(0, out, |out| {
        out.push(PREPARE);
        out.extend_from_slice(sql.as_bytes());
        Ok(())
    })
}

/// Appends the command that closes a statement. The server sends no response.
pub fn close(number: u32, out: &mut Vec<u8>) -> Result<()> {
    packet(0, out, |out| {
        out.push(CLOSE);
        out.extend_from_slice(&number.to_le_bytes());
        Ok(())
    })
}

/// Appends the commands that prepare a catalog and close older statements.
pub fn prepare_all(catalog: &Catalog, old: &Statements, out: &mut Vec<u8>) -> Result<()> {
    old.numbers().try_for_each(|number| close(number, out))?;
    catalog.statements().iter().try_for_each(|statement| prepare(&statement.sql, out))
}
