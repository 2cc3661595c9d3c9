//! The statements of a session, and the information needed to bind their parameters and to read their results.
//!
//! Each session has its own list of statements. The list is flat and takes 4 bytes per parameter and 3 bytes per
//! column.

use std::ops::Range;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Catalog, Field, Reply, Statement, StatementId, ValueKind, Values, Verbatim};
use tacho_net::unexpected;

use crate::request::{self, EXECUTE, Name};
use crate::types::WireType;
use crate::values;

/// One placeholder.
#[derive(Clone, Copy, Debug)]
struct Param {
    /// Index of the parameter's value in the list of values that are bound to the statement.
    source: u16,
    ty: WireType,
    /// Number of digits after the decimal point, for decimals.
    scale: u8,
}

/// One result column.
#[derive(Clone, Copy, Debug)]
struct Column {
    ty: WireType,
    kind: ValueKind,
    /// Position of the column in the rows that the server sends, or [`ABSENT`].
    at: u16,
}

/// Marks a column that the server does not return.
const ABSENT: u16 = u16::MAX;

/// The positions where a statement's parameters and columns start, and its number of bound values.
#[derive(Clone, Copy, Debug)]
struct Place {
    params: u32,
    columns: u32,
    bound: u16,
    /// `Some` if the user wrote the statement. Its values are then sent as text. If the statement declares no columns,
    /// its rows are discarded.
    verbatim: Option<Verbatim>,
}

/// The statements of a catalog, either prepared or sent as text.
#[derive(Debug, Default)]
pub struct Statements {
    places: Vec<Place>,
    params: Vec<Param>,
    columns: Vec<Column>,
    /// True if no statement is prepared on the server.
    simple: bool,
}

impl Statements {
    /// Creates the list for statements that are sent as text. The server describes the columns of such a statement each
    /// time it runs.
    pub fn simple(catalog: &Catalog) -> Self {
        let mut statements = Self { simple: true, ..Self::default() };
        for Statement { params, results, verbatim, .. } in catalog.statements() {
            let (columns, bound) = (statements.columns.len() as u32, params.len() as u16);
            statements.places.push(Place { params: 0, columns, bound, verbatim: *verbatim });
            statements.columns.extend(undescribed(results));
        }
        statements.finish();
        statements
    }

    /// Returns true if the statements are sent as text.
    #[inline]
    pub fn is_simple(&self) -> bool {
        self.simple
    }

    /// Returns the number of catalog statements that have been added so far.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Starts the next statement of the catalog, given its `ParameterDescription`.
    pub fn add(&mut self, statement: &Statement, body: &[u8]) -> Result<()> {
        let (params, columns) = (self.params.len() as u32, self.columns.len() as u32);
        let oids = body.get(2..).unwrap_or_default().chunks_exact(4);
        if oids.len() != statement.placeholders.len() {
            return Err(unexpected("wrong number of parameters"));
        }
        for (oid, source) in oids.zip(&statement.placeholders) {
            let field = &statement.params[usize::from(*source)];
            if statement.is_verbatim() {
                self.params.push(Param { source: *source, ty: WireType::Text, scale: 0 });
                continue;
            }
            let ty = wire_type(oid, field.kind, true, || format!("parameter {}", field.name))?;
            let scale = if let ValueKind::Decimal(scale) = field.kind { scale } else { 0 };
            self.params.push(Param { source: *source, ty, scale });
        }
        let (bound, verbatim) = (statement.params.len() as u16, statement.verbatim);
        self.places.push(Place { params, columns, bound, verbatim });
        Ok(())
    }

    /// Adds the columns of the statement that was added last, given its `RowDescription`.
    pub fn add_columns(&mut self, statement: &Statement, body: &[u8]) -> Result<()> {
        let first = self.columns.len();
        self.columns.extend(undescribed(&statement.results));
        describe(&mut self.columns[first..], body, statement)
    }

    /// Reads the `RowDescription` of a statement that was sent as text, and starts the statement's result.
    #[inline]
    pub fn described(
        &mut self,
        statement: StatementId,
        catalog: &Catalog,
        body: &[u8],
        reply: &mut Reply,
    ) -> Result<()> {
        let columns = self.columns_at(statement);
        describe(&mut self.columns[columns], body, catalog.get(statement))?;
        self.start(statement, reply);
        Ok(())
    }

    /// Starts the result of a statement for which the server sent no `RowDescription`. Returns an error if the
    /// statement declares columns.
    pub fn without_rows(&self, statement: StatementId, reply: &mut Reply) -> Result<()> {
        no_columns(self.columns_at(statement).len())?;
        self.start(statement, reply);
        Ok(())
    }

    /// Completes the list.
    pub fn finish(&mut self) {
        self.places.shrink_to_fit();
        self.params.shrink_to_fit();
        self.columns.shrink_to_fit();
    }

    /// Appends the messages `Bind` and `Execute`, which run a statement with the given values. `name` is the
    /// statement's name on the server.
    #[inline]
    pub fn execute(
        &self,
        statement: StatementId,
        name: Name,
        bound: Range<u32>,
        from: &Values,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let params = self.params_of(statement, bound.len())?;
        if self.places[usize::from(statement.0)].verbatim.is_some() {
            request::bind_text(name, params.len(), out, |out| {
                let at = |param: &Param| bound.start as usize + usize::from(param.source);
                params.iter().try_for_each(|param| values::encode_text(from.get(at(param)), out))
            })?;
            out.extend_from_slice(&EXECUTE);
            return Ok(());
        }
        request::bind(name, params.len(), out, |out| {
            for param in params {
                let value = from.get(bound.start as usize + usize::from(param.source));
                values::encode(value, param.ty, param.scale, out)?;
            }
            Ok(())
        })?;
        out.extend_from_slice(&EXECUTE);
        Ok(())
    }

    /// Starts a statement's result.
    #[inline]
    pub fn start(&self, statement: StatementId, reply: &mut Reply) {
        reply.start(self.columns_at(statement).len());
    }

    /// Appends the values of one `DataRow`.
    #[inline]
    pub fn row(&self, statement: StatementId, body: &[u8], values: &mut Values) -> Result<()> {
        let verbatim = self.places[usize::from(statement.0)].verbatim;
        if verbatim.is_some_and(|text| text.by_name) {
            return self.row_by_name(statement, body, values);
        }
        let mut rest = body.get(2..).unwrap_or_default();
        for column in &self.columns[self.columns_at(statement)] {
            let (length, after) = rest.split_first_chunk().ok_or_else(|| unexpected("a row"))?;
            rest = after;
            // A length of -1 means NULL.
            let Ok(length) = usize::try_from(i32::from_be_bytes(*length)) else {
                values.null();
                continue;
            };
            let (bytes, after) =
                rest.split_at_checked(length).ok_or_else(|| unexpected("a row"))?;
            rest = after;
            if self.simple || verbatim.is_some() {
                values::read(bytes, column.ty, column.kind, values)?;
            } else {
                values::decode(bytes, column.ty, column.kind, values)?;
            }
        }
        Ok(())
    }

    /// Appends the values of one `DataRow`. Its columns may be in any order.
    #[inline(never)]
    fn row_by_name(&self, statement: StatementId, body: &[u8], values: &mut Values) -> Result<()> {
        let broken = || unexpected("a row");
        for column in &self.columns[self.columns_at(statement)] {
            if column.at == ABSENT {
                values.absent();
                continue;
            }
            let mut rest = body.get(2..).unwrap_or_default();
            for at in 0..=column.at {
                let (length, after) = rest.split_first_chunk().ok_or_else(broken)?;
                let length = usize::try_from(i32::from_be_bytes(*length)).ok();
                let (bytes, after) =
                    after.split_at_checked(length.unwrap_or(0)).ok_or_else(broken)?;
                rest = after;
                match length {
                    _ if at < column.at => {}
                    Some(_) => values::read(bytes, column.ty, column.kind, values)?,
                    None => values.null(),
                }
            }
        }
        Ok(())
    }

    /// Returns the number of SQL statements in the text of a catalog statement.
    #[inline]
    pub fn parts(&self, statement: StatementId) -> u16 {
        self.places[usize::from(statement.0)].verbatim.map_or(1, |text| text.parts)
    }

    #[inline]
    fn params_of(&self, statement: StatementId, bound: usize) -> Result<&[Param]> {
        let index = usize::from(statement.0);
        let place = self.places[index];
        if bound != usize::from(place.bound) {
            return Err(Error::usage(format!("it was bound {bound} parameters")));
        }
        let end = self.places.get(index + 1).map_or(self.params.len(), |next| next.params as usize);
        Ok(&self.params[place.params as usize..end])
    }

    #[inline]
    fn columns_at(&self, statement: StatementId) -> Range<usize> {
        let index = usize::from(statement.0);
        let first = self.places[index].columns as usize;
        let next = self.places.get(index + 1);
        first..next.map_or(self.columns.len(), |next| next.columns as usize)
    }
}

/// Appends the requests that prepare a catalog and close the `old` statements.
pub fn prepare(catalog: &Catalog, old: usize, out: &mut Vec<u8>) {
    for number in 0..old {
        request::close(Name::Numbered(number as u16), out);
    }
    for (number, statement) in catalog.statements().iter().enumerate() {
        let name = Name::Numbered(number as u16);
        request::parse(name, &statement.sql, out);
        request::describe(name, out);
    }
}

/// Checks the signature of a statement for which the server sent no `RowDescription`. Returns an error if the signature
/// declares columns.
pub fn no_columns(declared: usize) -> Result<()> {
    if declared == 0 {
        return Ok(());
    }
    let text = "the statement returns no rows, but its signature declares columns";
    Err(Error::new(ErrorKind::Syntax, text))
}

/// Returns the declared columns. Their types are set later, when the server describes them.
fn undescribed(results: &[Field]) -> impl Iterator<Item = Column> {
    let places = results.iter().zip(0..);
    places.map(|(field, at)| Column { ty: WireType::Void, kind: field.kind, at })
}

/// Reads the column types from a `RowDescription`.
///
/// The description of a column contains its name with a zero byte, the object ID of its table, 2 unused bytes, its
/// type, and 8 more bytes.
#[inline]
fn describe(columns: &mut [Column], body: &[u8], statement: &Statement) -> Result<()> {
    let verbatim = statement.is_verbatim();
    if verbatim && columns.is_empty() {
        return Ok(());
    }
    if statement.is_by_name() {
        return find_by_name(columns, body, statement);
    }
    let broken = || unexpected("an invalid row description");
    let (count, mut rest) = body.split_first_chunk().ok_or_else(broken)?;
    let (found, declared) = (usize::from(u16::from_be_bytes(*count)), columns.len());
    let mut columns = columns.iter_mut().enumerate();
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == 0).ok_or_else(broken)?;
        let table: &[u8; 4] =
            rest.get(end + 1..).and_then(<[u8]>::first_chunk).ok_or_else(broken)?;
        let oid: &[u8; 4] = rest.get(end + 7..).and_then(<[u8]>::first_chunk).ok_or_else(broken)?;
        rest = rest.get(end + 19..).ok_or_else(broken)?;
        // A function that returns `void` produces one column without a value. Its statement need not declare this
        // column.
        if (declared, found, u32::from_be_bytes(*oid)) == (0, 1, WireType::VOID_OID) {
            return Ok(());
        }
        if found != declared {
            let text = format!(
                "the statement returns {found} columns, but its signature declares {declared}"
            );
            return Err(Error::new(ErrorKind::Syntax, text));
        }
        if let Some((at, column)) = columns.next() {
            column.ty = if verbatim {
                WireType::Text
            } else {
                // True if the column comes from a table rather than from an expression.
                let is_stored = *table != [0; 4];
                let name = || format!("column {}", statement.results[at].name);
                wire_type(oid, column.kind, is_stored, name)?
            };
        }
    }
    Ok(())
}

/// Finds columns in a `RowDescription` by name.
fn find_by_name(columns: &mut [Column], body: &[u8], statement: &Statement) -> Result<()> {
    let broken = || unexpected("an invalid row description");
    let mut found: Vec<&[u8]> = Vec::new();
    let mut rest = body.get(2..).ok_or_else(broken)?;
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == 0).ok_or_else(broken)?;
        found.push(&rest[..end]);
        rest = rest.get(end + 19..).ok_or_else(broken)?;
    }
    for (place, (column, field)) in columns.iter_mut().zip(&statement.results).enumerate() {
        // If several columns have the same name, the last one is used, as pgbench does.
        let at = found.iter().rposition(|name| *name == field.name.as_bytes());
        if at.is_none() && !statement.requires(place) {
            column.at = ABSENT;
            continue;
        }
        let Some(at) = at else {
            let names: Vec<_> = found.iter().map(|name| String::from_utf8_lossy(name)).collect();
            let text = format!("the result has no column \"{}\"", field.name);
            return Err(Error::new(ErrorKind::Syntax, text)
                .hint(format!("its columns are {}", names.join(", "))));
        };
        (column.at, column.ty) = (at as u16, WireType::Text);
    }
    Ok(())
}

fn wire_type(
    oid: &[u8],
    kind: ValueKind,
    is_stored: bool,
    what: impl FnOnce() -> String,
) -> Result<WireType> {
    let oid = u32::from_be_bytes(oid.try_into().unwrap_or_default());
    let ty = WireType::from_oid(oid);
    let carries = |ty: &WireType| ty.carries(kind) || (is_stored && ty.carries_stored(kind));
    if let Some(ty) = ty.filter(carries) {
        return Ok(ty);
    }
    let ty = ty.map_or_else(|| format!("oid {oid}"), |ty| format!("{ty:?}"));
    let text = format!(
        "{} has type {ty} on the server, but {kind:?} in the statement's signature",
        what()
    );
    Err(Error::new(ErrorKind::Syntax, text)
        .hint("cast it in the statement, for example x::bigint or x::numeric"))
}
