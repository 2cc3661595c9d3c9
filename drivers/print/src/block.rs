//! Collects the text of a transaction and writes it in one piece, so that it is not mixed with the text of other
//! sessions.

use std::sync::PoisonError;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::Output;

/// Maximum size of the text that is held in memory. A longer transaction is written in several pieces.
const PART_BYTES: usize = 1 << 20;

/// Text that is kept until its transaction ends.
pub struct Block {
    output: Output,
    text: Vec<u8>,
    heading: String,
    open: bool,
}

impl Block {
    /// Creates the block for the session with this number.
    pub fn new(output: Output, session: u32) -> Self {
        let heading = format!("-- session {session}\n");
        Self { output, text: Vec::new(), heading, open: false }
    }

    /// Appends a statement and a semicolon. If no transaction is open, writes the block.
    pub fn statement(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        if self.text.is_empty() {
            self.text.extend_from_slice(self.heading.as_bytes());
        }
        write(&mut self.text);
        self.text.extend_from_slice(b";\n");
        if self.open && self.text.len() < PART_BYTES { Ok(()) } else { self.write() }
    }

    /// Starts a transaction.
    pub fn begin(&mut self) -> Result<()> {
        self.open = true;
        self.statement(|out| out.extend_from_slice(b"BEGIN"))
    }

    /// Ends a transaction with this keyword, and writes the block.
    pub fn end(&mut self, word: &'static str) -> Result<()> {
        self.open = false;
        self.statement(|out| out.extend_from_slice(word.as_bytes()))
    }

    /// Writes the text collected so far and flushes the output.
    pub fn finish(&mut self) -> Result<()> {
        if !self.text.is_empty() {
            self.write()?;
        }
        self.output.lock().unwrap_or_else(PoisonError::into_inner).flush().map_err(failed)
    }

    fn write(&mut self) -> Result<()> {
        self.text.push(b'\n');
        // Write even if another thread panicked while writing, because that thread can have damaged only its own block.
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = output.write_all(&self.text).map_err(failed);
        self.text.clear();
        outcome
    }
}

/// Converts a write error. It is not a failure if a reader such as `head` closes the output early.
fn failed(error: std::io::Error) -> Error {
    let error = match error.kind() {
        std::io::ErrorKind::BrokenPipe => {
            Error::new(ErrorKind::Cancelled, "the reader closed the output").source(error)
        }
        _ => Error::from(error),
    };
    error.during("write the statements")
}
