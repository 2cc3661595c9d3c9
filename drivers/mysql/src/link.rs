//! A connection and what both of its ends can do.

use tacho_core::Result;
use tacho_net::{Framing, Message, unexpected};

use crate::answer::{Answer, Event};
use crate::greeting::Abilities;
use crate::wire::{Packets, Wire, packet};

/// Statements as text.
pub const QUERY: u8 = 0x03;
/// Begins a packet that says what went wrong.
const ERROR: u8 = 0xFF;

/// A connection after its login.
pub struct Link {
    /// The connection.
    pub wire: Wire,
    /// What both ends can do.
    pub abilities: Abilities,
}

impl Link {
    /// Begins a command. Whatever has come since the last answer answers nothing that was sent: were it taken for the
    /// answer to this command, each later one would be that to the command before, and a commit would seem to be done
    /// that is not. Last words of a server that ends the connection are errors, and are read as such.
    #[inline]
    pub fn begin(&mut self) -> Result<()> {
        let first = self.wire.unread().get(Packets::HEADER);
        if first.is_some_and(|first| *first != ERROR) {
            self.wire.give_up();
            return Err(unexpected("it came without a request"));
        }
        self.wire.begin()
    }

    /// Begins a command with statements as text.
    #[inline]
    pub fn query(&mut self, sql: &[u8]) -> Result<Answer> {
        self.begin()?;
        let begun = query(sql, &mut self.wire.out);
        self.begun(begun)
    }

    /// The answer to a command, or its withdrawal if it could not be written.
    #[inline]
    pub fn begun(&mut self, begun: Result<()>) -> Result<Answer> {
        if let Err(error) = begun {
            self.wire.withdraw();
            return Err(error);
        }
        Ok(Answer::new(self.abilities))
    }

    /// Waits for the next packet and what it says.
    pub async fn event(&mut self, answer: &mut Answer) -> Result<(Event, Message)> {
        let message = self.wire.message().await?;
        let event = answer.take(self.wire.body(&message))?;
        self.wire.expect_rows(answer.reads_rows());
        Ok((event, message))
    }
}

/// Appends the command that runs statements as text.
#[inline]
pub fn query(sql: &[u8], out: &mut Vec<u8>) -> Result<()> {
    query_with(out, |out| {
        out.extend_from_slice(sql);
        Ok(())
    })
}

/// Appends the command that runs the statement whose text `write` appends.
#[inline]
pub fn query_with(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
    packet(0, out, |out| {
        out.push(QUERY);
        write(out)
    })
}
