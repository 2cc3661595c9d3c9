//! The server's response to a command. A response consists of acknowledgements and tables. It ends early if the server
//! reports an error.
//!
//! The same code handles statements sent as text and prepared statements, which differ only in the format of their
//! rows. It must never allocate.
//!
//! Start reading at [`Answer::take`].

use tacho_core::Result;
use tacho_net::unexpected;

use crate::bytes::Bytes;
use crate::errors::server;
use crate::greeting::Abilities;
use crate::wire::BODY_END;

/// Status flag: more results follow.
const MORE_RESULTS: u16 = 8;
/// Status flag: a transaction is open.
const IN_TRANSACTION: u16 = 1;
/// Status flag: the rows contain the output parameters of a stored procedure.
const OUT_PARAMS: u16 = 1 << 12;
/// Maximum size of an EOF packet. A larger packet that starts with the same byte is a row.
const MARK_END: usize = 9;

/// The meaning of one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The start of a table. The value is the number of its columns.
    Table(usize),
    /// A description of the column with this index.
    Column(usize),
    /// The packet is a row.
    Row,
    /// A result has ended.
    End(End),
    /// A request for the rows to load.
    WantsRows,
    /// A packet without information.
    Mark,
}

/// The end of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// Number of rows written.
    pub affected: u64,
    /// Number of warnings that the server has recorded.
    pub warnings: u16,
    status: u16,
}

impl End {
    /// Returns true if this was the last result.
    #[inline]
    pub fn is_last(&self) -> bool {
        self.status & MORE_RESULTS == 0
    }

    /// Returns true if the last result contained the output parameters of a stored procedure.
    #[inline]
    pub fn is_parameters(&self) -> bool {
        self.status & OUT_PARAMS != 0
    }

    /// Returns true if a transaction is open.
    pub fn in_transaction(&self) -> bool {
        self.status & IN_TRANSACTION != 0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    First,
    Columns { next: u32, count: u32 },
    ColumnsEnd,
    Rows,
}

/// The state of reading a response.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    abilities: Abilities,
    phase: Phase,
}

impl Answer {
    /// Returns the initial state, for a command that was just sent.
    #[inline]
    pub fn new(abilities: Abilities) -> Self {
        Self { abilities, phase: Phase::First }
    }

    /// Processes the next packet. An error from the server ends the response.
    #[inline]
    pub fn take(&mut self, body: &[u8]) -> Result<Event> {
        let first = *body.first().ok_or_else(|| unexpected("an empty packet"))?;
        match (self.phase, first) {
            (Phase::Rows, 0xFE) if body.len() < self.abilities.mark_end() => {
                self.phase = Phase::First;
                if self.abilities.has_marks() { old_end(body) } else { end(body) }
            }
            (Phase::Rows | Phase::First, 0xFF) => Err(server(body)),
            (Phase::Rows, _) => Ok(Event::Row),
            (Phase::First, 0x00) => end(body),
            (Phase::First, 0xFB) => Ok(Event::WantsRows),
            (Phase::First, _) => self.table(body),
            (Phase::Columns { next, count }, _) => {
                self.phase = self.columns(next + 1, count);
                Ok(Event::Column(next as usize))
            }
            (Phase::ColumnsEnd, _) => {
                self.phase = Phase::Rows;
                Ok(Event::Mark)
            }
        }
    }

    /// Returns true if the next packet may be a row.
    #[inline]
    pub fn reads_rows(&self) -> bool {
        self.phase == Phase::Rows
    }

    #[inline]
    fn table(&mut self, body: &[u8]) -> Result<Event> {
        let mut bytes = Bytes(body);
        let count = bytes.number()?;
        // Some servers omit the column descriptions if the client already has them.
        let described = !self.abilities.remembers_columns() || bytes.u8()? != 0;
        let count = count as u32;
        self.phase = self.columns(if described { 0 } else { count }, count);
        Ok(Event::Table(count as usize))
    }

    #[inline]
    fn columns(&self, next: u32, count: u32) -> Phase {
        if next < count {
            Phase::Columns { next, count }
        } else if self.abilities.has_marks() {
            Phase::ColumnsEnd
        } else {
            Phase::Rows
        }
    }
}

impl Abilities {
    /// Returns the maximum size of an EOF packet. A larger packet that starts with the same byte is a row.
    #[inline]
    fn mark_end(self) -> usize {
        if self.has_marks() { MARK_END } else { BODY_END }
    }
}

#[inline]
fn end(body: &[u8]) -> Result<Event> {
    let mut bytes = Bytes(&body[1..]);
    let affected = bytes.number()?;
    bytes.number()?;
    let (status, warnings) = (bytes.u16()?, bytes.u16()?);
    Ok(Event::End(End { affected, warnings, status }))
}

fn old_end(body: &[u8]) -> Result<Event> {
    let mut bytes = Bytes(&body[1..]);
    let (warnings, status) = (bytes.u16()?, bytes.u16()?);
    Ok(Event::End(End { affected: 0, warnings, status }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(abilities: Abilities, packets: &[&[u8]]) -> Result<Vec<Event>> {
        let mut answer = Answer::new(abilities);
        packets.iter().map(|packet| answer.take(packet)).collect()
    }

    #[test]
    fn a_table_and_an_acknowledgement_follow_each_other() -> Result<()> {
        let last = Event::End(End { affected: 3, warnings: 1, status: 2 });
        let more = |affected| Event::End(End { affected, warnings: 0, status: 8 });
        let table = [Event::Table(2), Event::Column(0), Event::Column(1)];
        let new: [&[u8]; 6] = [
            b"\x02",
            b"\x03def",
            b"\x03def",
            b"\0\0row",
            b"\xFE\0\0\x08\0\0\0",
            b"\0\x03\0\x02\0\x01\0",
        ];
        let found = events(Abilities::default(), &new)?;
        assert_eq!(found, [&table[..], &[Event::Row, more(0), last]].concat());
        let old: [&[u8]; 7] =
            [new[0], new[1], new[2], b"\xFE\0\0\x02\0", new[3], b"\xFE\0\0\x08\0", new[5]];
        let found = events(Abilities::with_marks(), &old)?;
        assert_eq!(found, [&table[..], &[Event::Mark, Event::Row, more(0), last]].concat());
        Ok(())
    }

    #[test]
    fn remembered_columns_are_not_described() -> Result<()> {
        let abilities = Abilities::remembering();
        assert_eq!(events(abilities, &[b"\x02\0", b"\0row"])?, [Event::Table(2), Event::Row]);
        let described: [&[u8]; 3] = [b"\x01\x01", b"\x03def", b"\0row"];
        assert_eq!(events(abilities, &described)?, [Event::Table(1), Event::Column(0), Event::Row]);
        Ok(())
    }

    #[test]
    fn rejects_malformed_packets() {
        let table: [&[&[u8]]; 4] =
            [&[b""], &[b"\0"], &[b"\x01", b"def", b"\0", b"\xFF\x15\x04#28000no"], &[b"\xFE\0"]];
        for packets in table {
            assert!(events(Abilities::default(), packets).is_err(), "{packets:?}");
        }
        assert_eq!(events(Abilities::default(), &[b"\xFBname"]).ok(), Some(vec![Event::WantsRows]));
    }
}
