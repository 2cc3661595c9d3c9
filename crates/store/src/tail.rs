//! Reads the intervals of a run in progress while another process writes them. It uses only the
//! run's files.
//!
//! Start reading at [`Tail::interval`].

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use tacho_core::Result;
use zstd::stream::read::Decoder;

use crate::intervals::{LINE_MAX, check_header, parse_line, too_long};
use crate::{IntervalRecord, ServerIntervalRecord, failure, folder, regular};

/// A file to which another process may still append, so reaching its end does not mean that it is
/// complete.
struct Growing(File);

impl Read for Growing {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.0.read(into) {
            // At the end of the file, report that data is not available yet. Otherwise, the decoder would consider the
            // unfinished frame complete.
            Ok(0) if !into.is_empty() => Err(io::ErrorKind::WouldBlock.into()),
            other => other,
        }
    }
}

/// A reader's position in one of a run's interval files. There is one file for the sessions and one
/// for the server.
pub struct Tail<T = IntervalRecord> {
    path: PathBuf,
    text: BufReader<Decoder<'static, BufReader<Growing>>>,
    /// The line that is being read. It may still be incomplete.
    line: Vec<u8>,
    lines: usize,
    read: PhantomData<T>,
}

impl Tail {
    /// Opens the intervals of the run in `folder`. Reading starts at the first one.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::of(folder.join(folder::INTERVALS))
    }
}

impl Tail<ServerIntervalRecord> {
    /// Opens the server activity of the run in `folder`. Returns `None` if nothing has been written yet.
    pub fn of_server(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(folder::SERVER);
        if path.exists() { Self::of(path).map(Some) } else { Ok(None) }
    }
}

impl<T: DeserializeOwned> Tail<T> {
    fn of(path: PathBuf) -> Result<Self> {
        let decoder = regular::open(&path).and_then(|file| Decoder::new(Growing(file)));
        let text = BufReader::new(decoder.map_err(failure::reading(&path))?);
        Ok(Self { path, text, line: Vec::new(), lines: 0, read: PhantomData })
    }

    /// Returns the next interval, or `None` if it has not been written yet or the run has ended.
    pub fn interval(&mut self) -> Result<Option<T>> {
        while self.read_line()? {
            self.lines += 1;
            let line = std::mem::take(&mut self.line);
            if self.lines == 1 {
                check_header(&line)?;
            } else {
                return parse_line(self.lines, &line).map(Some);
            }
        }
        Ok(None)
    }

    /// Returns true if a complete line has been read.
    fn read_line(&mut self) -> Result<bool> {
        let most = LINE_MAX.saturating_sub(self.line.len() as u64);
        let mut part = Read::take(&mut self.text, most + 1);
        match part.read_until(b'\n', &mut self.line) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(failure::reading(&self.path)(error)),
        }
        if self.line.len() as u64 > LINE_MAX {
            return Err(too_long());
        }
        Ok(self.line.ends_with(b"\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intervals::IntervalFile;

    #[test]
    fn each_interval_is_read_as_soon_as_it_is_written() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let mut file = IntervalFile::create(folder.path(), folder::INTERVALS)?;
        let mut tail = Tail::open(folder.path())?;
        assert!(tail.interval()?.is_none());
        let interval = |sessions| IntervalRecord { sessions, ..IntervalRecord::default() };
        for sessions in 1..=300 {
            file.append(&interval(sessions))?;
            assert_eq!(tail.interval()?.map(|interval| interval.sessions), Some(sessions));
            assert!(tail.interval()?.is_none());
        }
        file.append(&interval(7))?;
        file.append(&interval(8))?;
        file.close()?;
        let rest: Vec<u32> = std::iter::from_fn(|| tail.interval().transpose())
            .map(|interval| Ok(interval?.sessions))
            .collect::<Result<_>>()?;
        assert_eq!(rest, [7, 8]);
        let all = Tail::open(folder.path())?.interval()?;
        assert_eq!(all.map(|interval| interval.sessions), Some(1));
        Ok(())
    }
}
