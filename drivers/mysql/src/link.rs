//! A connection and what both of its ends can do.

use tacho_core::Result;
use tacho_net::Message;

use crate::answer::{Answer, Event};
use crate::greeting::Abilities;
use crate::wire::{Wire, packet};

/// Statements as text.
pub const QUERY: u8 = 0x03;

/// A connection after its login.
pub struct Link {
    /// The connection.
    pub wire: Wire,
    /// What both ends can do.
    pub abilities: Abilities,
}

impl Link {
    /// Begins a command with statements as text.
    #[inline]
    pub fn query(&mut self, sql: &[u8]) -> Result<Answer> {
        self.wire.begin()?;
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
        Ok((answer.take(self.wire.body(&message))?, message))
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
