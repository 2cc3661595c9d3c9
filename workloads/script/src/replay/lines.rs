//! Reads a file line by line with bounded memory, regardless of its contents.
//!
//! Start reading at [`Lines::next`].

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use tacho_core::{Error, Result};

/// Maximum number of bytes of a record that are kept. Longer statements are omitted.
pub const RECORD_MAX: usize = 16 << 20;
const BUFFER: usize = 1 << 18;

/// The lines of a file.
pub struct Lines {
    file: BufReader<File>,
    /// Position of the next line.
    pub offset: u64,
    /// Number of the next line, counted from 1.
    pub number: u64,
}

/// A line that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Length of the line in the file in bytes, including the line end.
    pub length: u64,
    /// Number of quotes in the line.
    pub quotes: u64,
    /// True if the line ends with a line feed.
    pub ended: bool,
}

pub fn open(path: &Path) -> Result<File> {
    let failed = |error: std::io::Error| {
        let text = error.to_string();
        let error = Error::usage(text).source(error).during(format!("read {}", path.display()));
        error.hint("name a server's log file, as in replay:server.log")
    };
    if path.metadata().map_err(failed)?.is_file() {
        return tacho_core::file::open(path).map_err(failed);
    }
    let text = format!("{} is not a regular file", path.display());
    Err(Error::usage(text).hint("write the log to a file; replay requires a seekable file"))
}

impl Lines {
    pub fn new(file: File) -> Self {
        Self { file: BufReader::with_capacity(BUFFER, file), offset: 0, number: 1 }
    }

    /// Appends the next line to `text`, up to a maximum length. Returns `None` at the end of the file.
    pub fn next(&mut self, text: &mut Vec<u8>) -> Result<Option<Line>> {
        let mut line = Line::default();
        loop {
            let buffer = self.file.fill_buf()?;
            if buffer.is_empty() {
                break;
            }
            let end = buffer.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
            let part = &buffer[..end.unwrap_or(buffer.len())];
            line.quotes += count(part, b'"');
            let room = RECORD_MAX.saturating_sub(text.len()).min(part.len());
            text.extend_from_slice(&part[..room]);
            let length = part.len();
            line.length += length as u64;
            self.file.consume(length);
            if end.is_some() {
                line.ended = true;
                break;
            }
        }
        if line.length == 0 {
            return Ok(None);
        }
        self.offset += line.length;
        self.number += 1;
        Ok(Some(line))
    }

    /// Moves back to an earlier line.
    pub fn back_to(&mut self, offset: u64, number: u64) -> Result<()> {
        // A relative seek keeps the read buffer if it already contains the position.
        self.file.seek_relative(offset as i64 - self.offset as i64)?;
        (self.offset, self.number) = (offset, number);
        Ok(())
    }
}

/// Returns the number of times that a byte occurs in the text.
pub fn count(text: &[u8], wanted: u8) -> u64 {
    text.iter().map(|byte| u64::from(*byte == wanted)).sum()
}

/// Reads part of the file into `text`.
pub fn read_at(file: &mut File, offset: u64, length: usize, text: &mut Vec<u8>) -> Result<()> {
    text.clear();
    text.resize(length, 0);
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(text).map_err(|error| {
        Error::from(error)
            .during("read the log again")
            .hint("the log was changed or removed during the replay: replay a copy instead")
    })
}

/// Formats a line number as a position in the file for use in messages.
pub fn at(path: &str, line: u64) -> String {
    format!("{path}:{line}")
}
