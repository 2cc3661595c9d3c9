//! Collects a transaction's text, so that all of it is written under one lock.

use std::sync::PoisonError;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::Output;

/// Size above which a block is written before its transaction ends, which limits memory use.
const PART_BYTES: usize = 1 << 20;

/// Text that is held until its transaction ends.
pub struct Block {
    output: Output,
    text: Vec<u8>,
    heading: String,
    open: bool,
}

impl Block {
    /// Creates the block for the session with the given number.
    pub fn new(output: Output, session: u32) -> Self {
        let heading = format!("-- session {session}\n");
        Self { output, text: Vec::new(), heading, open: false }
    }

    /// Appends one statement and a semicolon. Writes the block if no transaction is open.
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

    /// Ends a transaction with the given keyword.
    pub fn end(&mut self, word: &'static str) -> Result<()> {
        self.open = false;
        self.statement(|out| out.extend_from_slice(word.as_bytes()))
    }

    /// Writes the pending text and flushes the output.
    pub fn finish(&mut self) -> Result<()> {
        if !self.text.is_empty() {
            self.write()?;
        }
        self.output.lock().unwrap_or_else(PoisonError::into_inner).flush().map_err(failed)
    }

    fn write(&mut self) -> Result<()> {
        self.text.push(b'\n');
        // If another thread panics while it writes, at most its own block is damaged.
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = output.write_all(&self.text).map_err(failed);
        self.text.clear();
        outcome
    }
}

/// Converts a write error. A reader such as `head` may close the output early, which is not a failure.
fn failed(error: std::io::Error) -> Error {
    let error = match error.kind() {
        std::io::ErrorKind::BrokenPipe => {
            Error::new(ErrorKind::Cancelled, "the reader closed the output").source(error)
        }
        _ => Error::from(error),
    };
    error.during("write the statements")
}
