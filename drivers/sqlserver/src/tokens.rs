//! Reads a response, which is a sequence of tokens. The end of a token may be in the next packet.
//!
//! Responses are specified in [MS-TDS] 2.2.7. Reading a response that fits into a single packet must not allocate
//! memory.
//!
//! Start reading at [`Tokens::take`].

use tacho_core::{Error, Result};
use tacho_net::{MESSAGE_MAX, unexpected};

use crate::bytes::{Bytes, Read, Stop, string};
use crate::errors::server;
use crate::types::{Column, Layout};

const OFFSET: u8 = 0x78;
const RETURN_STATUS: u8 = 0x79;
const COLUMNS: u8 = 0x81;
const TABLE_NAME: u8 = 0xA4;
const COLUMN_INFO: u8 = 0xA5;
const ORDER: u8 = 0xA9;
const ERROR: u8 = 0xAA;
const INFO: u8 = 0xAB;
const RETURN_VALUE: u8 = 0xAC;
const LOGIN_ACK: u8 = 0xAD;
const FEATURES: u8 = 0xAE;
const ROW: u8 = 0xD1;
const ROW_WITH_NULLS: u8 = 0xD2;
const ENVIRONMENT: u8 = 0xE3;
const SESSION_STATE: u8 = 0xE4;
const SSPI: u8 = 0xED;
const FED_AUTH: u8 = 0xEE;
const DONE: u8 = 0xFD;
const DONE_PROC: u8 = 0xFE;
const DONE_IN_PROC: u8 = 0xFF;
/// Column count that the server sends if it omits the column descriptions.
const NO_COLUMNS: u16 = 0xFFFF;
/// The flag `DONE_COUNT`, and the command code of SELECT statements.
const COUNTED: u16 = 0x10;
const SELECT: u16 = 0xC1;

/// The meaning of one token.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The start of a table, with its columns and their description.
    Columns(&'a [Column], &'a [u8]),
    /// A row of the table.
    Row(Row<'a>),
    /// The end of a statement that wrote this number of rows.
    Done(u64),
    /// An output parameter whose value is a whole number.
    Value(i32),
    /// A successful login, with the server's name and version.
    Login(&'a [u8]),
}

/// The values of a row.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    columns: &'a [Column],
    /// One bit for each column, which is set if the value is NULL. Empty if NULL is encoded in the values themselves.
    nulls: &'a [u8],
    bytes: Bytes<'a>,
}

impl<'a> Row<'a> {
    /// Passes each value to `take`, together with its index and type.
    #[inline]
    pub fn each(
        self,
        mut take: impl FnMut(usize, &Column, Option<&'a [u8]>) -> Result<()>,
    ) -> Result<()> {
        let mut bytes = self.bytes;
        for (at, column) in self.columns.iter().enumerate() {
            let is_null = self.nulls.get(at / 8).is_some_and(|bits| bits >> (at % 8) & 1 != 0);
            take(at, column, if is_null { None } else { column.value(&mut bytes)? })?;
        }
        Ok(())
    }
}

/// The session's state, as reported by the server, [MS-TDS] 2.2.7.9.
#[derive(Clone, Debug)]
pub struct Environment {
    /// The open transaction, or 0.
    pub transaction: u64,
    /// Packet size in bytes.
    pub packet_bytes: usize,
    /// The database's collation.
    pub collation: [u8; 5],
    /// The host and port to which the server redirects the client.
    pub routing: Option<Box<(String, u16)>>,
}

/// Maximum size of a row. SQL Server supports single values of twice this size, but no measured statement reads such a
/// value.
const ROW_MAX: usize = 1 << 30;

/// The token reader. It also stores the state of the session, which the server reports in tokens.
pub struct Tokens {
    /// The session's environment.
    pub environment: Environment,
    /// Columns of the current table.
    columns: Vec<Column>,
    /// The start of an incomplete token.
    rest: Vec<u8>,
    /// True if the server has reported the row count of at least one statement in the current procedure call.
    counted: bool,
}

impl Tokens {
    pub fn new(packet_bytes: usize) -> Self {
        let environment =
            Environment { transaction: 0, packet_bytes, collation: [0; 5], routing: None };
        Self { environment, columns: Vec::new(), rest: Vec::new(), counted: false }
    }

    /// Processes the body of a packet and passes its events to `take`. Keeps the first error in `error`, and passes no
    /// rows after it.
    ///
    /// # Errors
    /// Returns an error if the response violates the protocol, because the rest of it cannot be read.
    #[inline]
    pub fn take(
        &mut self,
        body: &[u8],
        error: &mut Option<Error>,
        mut take: impl FnMut(Event<'_>) -> Result<()>,
    ) -> Result<()> {
        let Self { environment, columns, rest, counted } = self;
        let mut reader = Reader { environment, columns, counted, error, take: &mut take };
        if rest.is_empty() {
            let left = reader.all(body)?;
            rest.extend_from_slice(left);
        } else {
            rest.extend_from_slice(body);
            let left = reader.all(rest)?.len();
            rest.drain(..rest.len() - left);
        }
        let is_row = matches!(rest.first(), Some(&(ROW | ROW_WITH_NULLS)));
        if rest.len() > if is_row { ROW_MAX } else { MESSAGE_MAX } {
            return Err(unexpected("invalid token length"));
        }
        Ok(())
    }

    /// Returns an error if the response ended in the middle of a token.
    #[inline]
    pub fn end(&self) -> Result<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(Stop::Cut.into()) }
    }

    /// Frees the additional memory that a large response needed.
    pub fn shrink(&mut self) {
        self.rest.shrink_to_fit();
        self.columns.shrink_to_fit();
    }
}

struct Reader<'a, F> {
    environment: &'a mut Environment,
    columns: &'a mut Vec<Column>,
    counted: &'a mut bool,
    error: &'a mut Option<Error>,
    take: &'a mut F,
}

impl<F: FnMut(Event<'_>) -> Result<()>> Reader<'_, F> {
    /// Processes all tokens that are complete. Returns the bytes after them.
    #[inline]
    fn all<'b>(&mut self, body: &'b [u8]) -> Result<&'b [u8]> {
        let mut bytes = Bytes(body);
        while !bytes.0.is_empty() {
            let start = bytes.0;
            match self.token(&mut bytes) {
                Ok(()) => {}
                Err(Stop::Cut) => return Ok(start),
                Err(Stop::Broken(what)) => return Err(unexpected(what)),
            }
        }
        Ok(bytes.0)
    }

    #[inline]
    fn token(&mut self, bytes: &mut Bytes<'_>) -> Read<()> {
        match bytes.u8()? {
            ROW => self.row(&[], bytes)?,
            ROW_WITH_NULLS => {
                let nulls = bytes.take(self.columns.len().div_ceil(8))?;
                self.row(nulls, bytes)?;
            }
            COLUMNS => self.columns(bytes)?,
            token @ (DONE | DONE_PROC | DONE_IN_PROC) => {
                let (status, kind, rows) = (bytes.u16()?, bytes.u16()?, bytes.u64()?);
                // The end of a call may repeat the row count of the call's last statement, so do not count these rows
                // twice.
                let again = std::mem::replace(self.counted, token == DONE_IN_PROC);
                let is_again = token == DONE_PROC && again;
                let wrote = status & COUNTED != 0 && kind != SELECT && !is_again;
                self.tell(Event::Done(if wrote { rows } else { 0 }));
            }
            RETURN_STATUS | OFFSET => {
                bytes.u32()?;
            }
            RETURN_VALUE => self.return_value(bytes)?,
            ERROR => {
                let length = bytes.u16()?;
                let body = bytes.take(usize::from(length))?;
                self.error.get_or_insert_with(|| server(body));
            }
            ENVIRONMENT => {
                let length = bytes.u16()?;
                let body = bytes.take(usize::from(length))?;
                self.environment.change(&mut Bytes(body))?;
            }
            LOGIN_ACK => {
                let length = bytes.u16()?;
                let body = bytes.take(usize::from(length))?;
                self.tell(Event::Login(body));
            }
            INFO | ORDER | TABLE_NAME | COLUMN_INFO | SSPI => {
                let length = bytes.u16()?;
                bytes.take(usize::from(length))?;
            }
            SESSION_STATE | FED_AUTH => {
                let length = bytes.u32()?;
                bytes.take(length as usize)?;
            }
            FEATURES => {
                while bytes.u8()? != 0xFF {
                    let length = bytes.u32()?;
                    bytes.take(length as usize)?;
                }
            }
            _ => return Err(Stop::Broken("an unknown token")),
        }
        Ok(())
    }

    #[inline]
    fn tell(&mut self, event: Event<'_>) {
        if let Err(error) = (self.take)(event) {
            self.error.get_or_insert(error);
        }
    }

    /// Processes a row. Passes it to `take` only after checking that all of its values have arrived.
    #[inline]
    fn row(&mut self, nulls: &[u8], bytes: &mut Bytes<'_>) -> Read<()> {
        let start = *bytes;
        for (at, column) in self.columns.iter().enumerate() {
            if nulls.get(at / 8).is_none_or(|bits| bits >> (at % 8) & 1 == 0) {
                column.value(bytes)?;
            }
        }
        if self.error.is_none()
            && let Err(error) =
                (self.take)(Event::Row(Row { columns: self.columns, nulls, bytes: start }))
        {
            *self.error = Some(error);
        }
        Ok(())
    }

    #[inline]
    fn columns(&mut self, bytes: &mut Bytes<'_>) -> Read<()> {
        let start = bytes.0;
        self.columns.clear();
        read_columns(bytes, |column, _| self.columns.push(column))?;
        if let Err(error) = (self.take)(Event::Columns(self.columns, start)) {
            self.error.get_or_insert(error);
        }
        Ok(())
    }

    /// Processes a return value, which must be a whole number, because Tacho requests only statement handles.
    fn return_value(&mut self, bytes: &mut Bytes<'_>) -> Read<()> {
        bytes.u16()?;
        bytes.short_text()?;
        bytes.take(7)?;
        let column = Column::read(bytes)?;
        let value = column.value(bytes)?.and_then(|value| value.try_into().ok());
        if let Some(number) = value.map(i32::from_le_bytes) {
            self.tell(Event::Value(number));
        }
        Ok(())
    }
}

/// Reads the descriptions of columns. Calls `each` with every column and the column's name in UTF-16.
#[inline]
pub fn read_columns<'a>(bytes: &mut Bytes<'a>, mut each: impl FnMut(Column, &'a [u8])) -> Read<()> {
    let count = bytes.u16()?;
    for _ in 0..if count == NO_COLUMNS { 0 } else { count } {
        bytes.u32()?;
        let flags = bytes.u16()?;
        let column = Column { flags, ..Column::read(bytes)? };
        if column.layout == Layout::Pointer {
            for _ in 0..bytes.u8()? {
                bytes.long_text()?;
            }
        }
        each(column, bytes.short_text()?);
    }
    Ok(())
}

impl Environment {
    fn change(&mut self, bytes: &mut Bytes<'_>) -> Read<()> {
        match bytes.u8()? {
            4 => {
                let size = string(bytes.short_text()?).parse();
                let allowed = size.ok().filter(|size| (512..=32_767).contains(size));
                self.packet_bytes = allowed.ok_or(Stop::Broken("no packet size"))?;
            }
            7 => {
                if let Ok(collation) = bytes.short_bytes()?.try_into() {
                    self.collation = collation;
                }
            }
            8 => {
                let transaction = bytes.short_bytes()?.try_into();
                let transaction = transaction.map_err(|_| Stop::Broken("no transaction"))?;
                self.transaction = u64::from_le_bytes(transaction);
            }
            // The transaction has ended: it was committed, rolled back, or aborted by the server.
            9 | 10 | 17 => self.transaction = 0,
            20 => {
                bytes.take(3)?;
                let port = bytes.u16()?;
                self.routing = Some(Box::new((string(bytes.long_text()?), port)));
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::to_utf16;
    use crate::types::{INT_N, INT4, NCHAR_VAR};

    /// Returns the description of two columns, `id` and `s`.
    fn metadata() -> Vec<u8> {
        let mut out = vec![COLUMNS, 2, 0, 0, 0, 0, 0, 0, 0, INT4, 2, b'i', 0, b'd', 0];
        out.extend([0, 0, 0, 0, 9, 0, NCHAR_VAR, 20, 0, 9, 4, 0, 0, 0, 1, b's', 0]);
        out
    }

    fn answer() -> Vec<u8> {
        let mut out = metadata();
        out.extend([ROW, 7, 0, 0, 0, 4, 0, b'h', 0, b'i', 0]);
        out.extend([ROW_WITH_NULLS, 0b10, 8, 0, 0, 0]);
        out.extend([ORDER, 2, 0, 1, 0]);
        out.extend([DONE_IN_PROC, COUNTED as u8, 0, SELECT as u8, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
        out.extend([DONE_IN_PROC, COUNTED as u8, 0, 0xC5, 0, 3, 0, 0, 0, 0, 0, 0, 0]);
        out.extend([RETURN_STATUS, 0, 0, 0, 0]);
        out.extend([RETURN_VALUE, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, INT_N, 4, 4, 5, 0, 0, 0]);
        out.extend([ENVIRONMENT, 11, 0, 8, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0]);
        // The end of a call repeats the row count of the last statement.
        out.extend([DONE_PROC, COUNTED as u8, 0, 0xE0, 0, 3, 0, 0, 0, 0, 0, 0, 0]);
        out
    }

    fn show(event: Event<'_>) -> Result<String> {
        Ok(match event {
            Event::Columns(columns, _) => format!("columns {}", columns.len()),
            Event::Row(row) => {
                let mut values = Vec::new();
                row.each(|_, _, value| {
                    values.push(value.map(<[u8]>::to_vec));
                    Ok(())
                })?;
                format!("row {values:?}")
            }
            other => format!("{other:?}"),
        })
    }

    #[test]
    fn an_answer_is_the_same_wherever_its_packets_are_cut() -> Result<()> {
        let whole = answer();
        for first in 0..=whole.len() {
            for second in [first, (first + 9).min(whole.len()), whole.len()] {
                let (mut tokens, mut error, mut seen) = (Tokens::new(512), None, Vec::new());
                for part in [&whole[..first], &whole[first..second], &whole[second..]] {
                    tokens.take(part, &mut error, |event| {
                        seen.push(show(event)?);
                        Ok(())
                    })?;
                }
                tokens.end()?;
                let expected = [
                    "columns 2",
                    "row [Some([7, 0, 0, 0]), Some([104, 0, 105, 0])]",
                    "row [Some([8, 0, 0, 0]), None]",
                    "Done(0)",
                    "Done(3)",
                    "Value(5)",
                    "Done(0)",
                ];
                assert_eq!(seen, expected, "cut at {first} and {second}");
                assert!(error.is_none());
                assert_eq!(tokens.environment.transaction, 0x0807_0605_0403_0201);
            }
        }
        Ok(())
    }

    #[test]
    fn the_first_error_stays_and_no_row_follows_it() -> Result<()> {
        let mut out = metadata();
        let mut body = vec![0xB5, 4, 0, 0, 1, 13, 4, 0];
        to_utf16(b"dead", &mut body)?;
        body.extend([0, 0, 1, 0, 0, 0]);
        out.extend([ERROR, body.len() as u8, 0]);
        out.extend(body);
        out.extend([ROW, 7, 0, 0, 0, 0xFF, 0xFF]);
        let (mut error, mut rows) = (None, 0);
        Tokens::new(512).take(&out, &mut error, |event| {
            rows += i32::from(matches!(event, Event::Row(_)));
            Ok(())
        })?;
        assert_eq!(rows, 0);
        assert_eq!(error.map(|error| error.to_string()), Some("dead (1205)".into()));
        Ok(())
    }

    #[test]
    fn rejects_unknown_tokens() {
        let refused = |bytes: &[u8]| Tokens::new(512).take(bytes, &mut None, |_| Ok(())).is_err();
        assert!(refused(&[0x00]) && refused(&[COLUMNS, 1, 0, 0, 0, 0, 0, 0, 0, 0x99]));
        assert!(refused(&[ENVIRONMENT, 4, 0, 4, 1, b'x', 0]));
        let mut tokens = Tokens::new(512);
        assert!(tokens.take(&[ERROR, 9], &mut None, |_| Ok(())).is_ok() && tokens.end().is_err());
    }

    /// Passes a token with endless data to the token reader. Returns the number of bytes that the reader accepted
    /// before it failed.
    fn read_of(tokens: &mut Tokens, token: &[u8]) -> Result<usize> {
        tokens.take(token, &mut None, |_| Ok(()))?;
        let block = vec![0; 60_000];
        let mut count = 0;
        while count < 4 * MESSAGE_MAX && tokens.take(&block, &mut None, |_| Ok(())).is_ok() {
            count += block.len();
        }
        Ok(count)
    }

    #[test]
    fn only_a_row_can_be_long() -> Result<()> {
        for token in [SESSION_STATE, FED_AUTH] {
            let mut tokens = Tokens::new(512);
            let count = read_of(&mut tokens, &[token, 0xFF, 0xFF, 0xFF, 0xFF])?;
            assert!(count <= MESSAGE_MAX, "{count}");
            let room = tokens.rest.capacity();
            assert!(room <= 2 * (MESSAGE_MAX + 60_000), "{room}");
        }
        let mut tokens = Tokens::new(512);
        // Describe a text column without a length limit, and start a row whose value has a chunk of 256 MiB.
        let mut row = vec![COLUMNS, 1, 0, 0, 0, 0, 0, 9, 0, NCHAR_VAR, 0xFF, 0xFF];
        row.extend([9, 4, 0, 0, 0, 1, b's', 0, ROW, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x10]);
        assert!(read_of(&mut tokens, &row)? >= 4 * MESSAGE_MAX);
        Ok(())
    }

    #[test]
    fn a_call_without_statements_of_its_own_has_its_number_at_the_end() -> Result<()> {
        let mut written = 0;
        let body = [DONE_PROC, COUNTED as u8, 0, 0xC5, 0, 3, 0, 0, 0, 0, 0, 0, 0];
        Tokens::new(512).take(&body, &mut None, |event| {
            if let Event::Done(rows) = event {
                written += rows;
            }
            Ok(())
        })?;
        assert_eq!(written, 3);
        Ok(())
    }

    #[test]
    fn reads_the_routing_token() -> Result<()> {
        let mut body = vec![ENVIRONMENT, 14, 0, 20, 9, 0, 0, 0x99, 5, 2, 0];
        to_utf16(b"db", &mut body)?;
        body.extend([0, 0]);
        body[1] = (body.len() - 3) as u8;
        let mut tokens = Tokens::new(512);
        tokens.take(&body, &mut None, |_| Ok(()))?;
        assert_eq!(tokens.environment.routing.as_deref(), Some(&("db".to_owned(), 1_433)));
        Ok(())
    }

    #[test]
    fn a_transaction_ends_as_the_server_says() -> Result<()> {
        let mut tokens = Tokens::new(512);
        for kind in [9, 10, 17] {
            tokens.environment.transaction = 5;
            let body = [ENVIRONMENT, 11, 0, kind, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8];
            tokens.take(&body, &mut None, |_| Ok(()))?;
            assert_eq!(tokens.environment.transaction, 0);
        }
        Ok(())
    }
}
