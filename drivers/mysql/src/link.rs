//! An authenticated connection and the capabilities negotiated with the server.

use tacho_core::Result;
use tacho_net::{Framing, Message, unexpected};

use crate::answer::{Answer, Event};
use crate::greeting::Abilities;
use crate::wire::{Packets, Wire, packet};

/// The command that runs statements sent as text.
pub const QUERY: u8 = 0x03;
/// First byte of an error packet.
const ERROR: u8 = 0xFF;

/// An authenticated connection.
pub struct Link {
    /// The framed connection.
    pub wire: Wire,
    /// The capabilities that both ends support.
    pub abilities: Abilities,
}

impl Link {
    /// Starts a command. Fails if data has already arrived, because the session would otherwise mistake it for the
    /// response and could report a failed commit as successful.
    ///
    /// Reports the error that the server sent before it closed the connection.
    #[inline]
    pub fn begin(&mut self) -> Result<()> {
        let first = self.wire.unread().get(Packets::HEADER);
        if first.is_some_and(|first| *first != ERROR) {
            self.wire.give_up();
            return Err(unexpected("it arrived without a request"));
        }
        self.wire.begin()
    }

    /// Starts a command whose statements are sent as text.
    #[inline]
    pub fn query(&mut self, sql: &[u8]) -> Result<Answer> {
        self.begin()?;
        let begun = query(sql, &mut self.wire.out);
        self.begun(begun)
    }

    /// Returns a reader for the response to a command that was just written. If writing the command failed, discards
    /// what was written and returns the error.
    #[inline]
    pub fn begun(&mut self, begun: Result<()>) -> Result<Answer> {
        if let Err(error) = begun {
            self.wire.withdraw();
            return Err(error);
        }
        Ok(Answer::new(self.abilities))
    }

    /// Waits for the next packet and interprets it.
    pub async fn event(&mut self, answer: &mut Answer) -> Result<(Event, Message)> {
        let message = self.wire.message().await?;
        let event = answer.take(self.wire.body(&message))?;
        self.wire.expect_rows(answer.reads_rows());
        Ok((event, message))
    }
}

/// Appends the command that runs statements sent as text.
#[inline]
pub fn query(sql: &[u8], out: &mut Vec<u8>) -> Result<()> {
    query_with(out, |out| {
        out.extend_from_slice(sql);
        Ok(())
    })
}

/// Appends the command that runs one statement. `write` appends the statement's text.
#[inline]
pub fn query_with(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
    packet(0, out, |out| {
        out.push(QUERY);
        write(out)
    })
}
