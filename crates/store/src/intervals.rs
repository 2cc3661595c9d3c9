//! The interval file: lines of JSON in a zstd frame. Each line is compressed as a separate block, so all lines that
//! were written survive a crash.
//!
//! The writer must write every line immediately. Start reading at [`IntervalFile`].
#![expect(clippy::disallowed_methods, reason = "this crate writes the run files")]

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tacho_core::{Error, ErrorKind, Result};
use zstd::stream::write::Encoder;

use crate::merged::{Merge, Merged, by_host};
use crate::record::HostIntervalRecord;
use crate::{IntervalRecord, ServerIntervalRecord, failure, folder, regular};

const FORMAT: &str = "tacho-intervals";
const VERSION: u32 = 1;
/// The library's default compression level. It is stated explicitly, so that the same run always
/// produces the same bytes.
const LEVEL: i32 = 3;

/// The first line of the file.
#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
}

/// An interval file that is being written.
pub(crate) struct IntervalFile {
    path: PathBuf,
    /// The encoder, which is absent once the file is closed.
    encoder: Option<Encoder<'static, File>>,
}

impl IntervalFile {
    /// Creates a file called `name` in a run's folder.
    pub(crate) fn create(folder: &Path, name: &str) -> Result<Self> {
        let path = folder.join(name);
        let encoder = File::create(&path)
            .and_then(|file| Encoder::new(file, LEVEL))
            .map_err(failure::writing(&path))?;
        let mut file = Self { path, encoder: Some(encoder) };
        file.line(&Header { format: FORMAT.into(), version: VERSION })?;
        Ok(file)
    }

    /// Appends an interval.
    pub(crate) fn append(&mut self, interval: &impl Serialize) -> Result<()> {
        self.line(interval)
    }

    fn line(&mut self, content: &impl Serialize) -> Result<()> {
        let Some(encoder) = &mut self.encoder else { return Ok(()) };
        let mut line = serde_json::to_vec(content).map_err(|error| {
            Error::new(ErrorKind::Other, "invalid JSON in an interval").source(error)
        })?;
        line.push(b'\n');
        let written = encoder.write_all(&line).and_then(|()| encoder.flush());
        written.map_err(failure::writing(&self.path))
    }

    /// Finishes the frame and makes the file durable. Any later lines are dropped.
    pub(crate) fn close(&mut self) -> Result<()> {
        let Some(encoder) = self.encoder.take() else { return Ok(()) };
        encoder.finish().and_then(|file| file.sync_data()).map_err(failure::writing(&self.path))
    }
}

/// Reads a run's intervals. If there are more than [`INTERVALS_MAX`](crate::INTERVALS_MAX), merges neighbouring ones.
pub fn read_intervals(folder: &Path) -> Result<Vec<IntervalRecord>> {
    read_merged(&folder.join(folder::INTERVALS))
}

/// Reads all intervals of the run in `folder` without merging them. The memory needed grows with
/// the length of the run.
pub fn read_all_intervals(folder: &Path) -> Result<Vec<IntervalRecord>> {
    let mut all = Vec::new();
    read(&folder.join(folder::INTERVALS), |next| all.push(next))?;
    Ok(all)
}

/// Reads the server's activity, merged as in [`read_intervals`]. Empty if the server was not monitored.
pub fn read_server_intervals(folder: &Path) -> Result<Vec<ServerIntervalRecord>> {
    let path = folder.join(folder::SERVER);
    if path.exists() { read_merged(&path) } else { Ok(Vec::new()) }
}

/// Reads the activity of each observed machine, which is merged as in [`read_intervals`]. Empty if no machine was
/// observed.
pub fn read_host_intervals(folder: &Path) -> Result<Vec<HostIntervalRecord>> {
    let path = folder.join(folder::HOSTS);
    if path.exists() { by_host(|push| read(&path, push)) } else { Ok(Vec::new()) }
}

fn read_merged<T: DeserializeOwned + Merge>(path: &Path) -> Result<Vec<T>> {
    let mut merged = Merged::default();
    read(path, |next| merged.push(next))?;
    Ok(merged.into_all())
}

fn read<T: DeserializeOwned>(path: &Path, push: impl FnMut(T)) -> Result<()> {
    let file = regular::open(path).map_err(failure::reading(path))?;
    let limit = LEAST_LIMIT + RATIO * file.metadata().map_err(failure::reading(path))?.len();
    let decoder = zstd::stream::read::Decoder::new(file).map_err(failure::reading(path))?;
    let mut lines = Lines { text: BufReader::new(decoder), left: limit, line: Vec::new() };
    read_lines(&mut lines, push).map_err(failure::damaged(path))
}

/// Number of bytes that any file may contain when it is unpacked, even if the compressed file is very small.
const LEAST_LIMIT: u64 = 64 << 20;
/// Maximum number of unpacked bytes for each byte of a compressed file. Even very repetitive lines reach only a tenth
/// of this number.
const RATIO: u64 = 500;
/// Maximum length of a line in bytes. Real lines have only a few thousand bytes.
pub(crate) const LINE_MAX: u64 = 8 << 20;

/// Reads a compressed file line by line. A small compressed file that unpacks to a huge size therefore cannot use up
/// the memory.
struct Lines<R> {
    text: R,
    /// Number of bytes that may still be read.
    left: u64,
    line: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    /// Returns the next complete line, or `None` at the end of the file. Ignores an incomplete last line.
    fn next(&mut self) -> Result<Option<&[u8]>> {
        self.line.clear();
        let most = LINE_MAX.min(self.left);
        let mut part = Read::take(&mut self.text, most + 1);
        match part.read_until(b'\n', &mut self.line) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        let length = self.line.len() as u64;
        if length > most {
            return Err(too_long());
        }
        self.left -= length;
        // If there is no line break at the end, the line is incomplete.
        Ok(self.line.ends_with(b"\n").then_some(&self.line))
    }
}

pub(crate) fn too_long() -> Error {
    Error::new(ErrorKind::Resource, "the file unpacks to far more data than a run's intervals")
        .hint("the file is damaged or was not written by Tacho; remove the run")
}

fn read_lines<T: DeserializeOwned>(
    lines: &mut Lines<impl BufRead>,
    mut push: impl FnMut(T),
) -> Result<()> {
    let Some(header) = lines.next()? else { return Ok(()) };
    check_header(header)?;
    let mut number = 2;
    while let Some(line) = lines.next()? {
        push(parse_line(number, line)?);
        number += 1;
    }
    Ok(())
}

pub(crate) fn check_header(line: &[u8]) -> Result<()> {
    let header: Header = parse_line(1, line)?;
    if header.format != FORMAT {
        return Err(Error::new(ErrorKind::Protocol, "not an interval file"));
    }
    if header.version > VERSION {
        return Err(Error::new(ErrorKind::Unsupported, "written by a newer version of Tacho")
            .hint("use the version of Tacho that created the run, or a newer one"));
    }
    Ok(())
}

pub(crate) fn parse_line<T: DeserializeOwned>(number: usize, line: &[u8]) -> Result<T> {
    serde_json::from_slice(line).map_err(|error| {
        Error::new(ErrorKind::Protocol, format!("line {number} is damaged: {error}")).source(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(lines: impl Iterator<Item = Vec<u8>>) -> Result<tempfile::NamedTempFile> {
        let mut file = tempfile::NamedTempFile::new()?;
        let mut encoder = Encoder::new(&mut file, LEVEL)?;
        let header = Header { format: FORMAT.into(), version: VERSION };
        serde_json::to_writer(&mut encoder, &header).map_err(io::Error::from)?;
        encoder.write_all(b"\n")?;
        for line in lines {
            encoder.write_all(&line)?;
        }
        encoder.finish()?;
        Ok(file)
    }

    /// Creates small files whose contents do not fit in memory when unpacked: one with a long line,
    /// and one with many lines.
    #[test]
    fn rejects_files_that_expand_without_end() -> Result<()> {
        let spaces = || std::iter::repeat_with(|| vec![b' '; 1 << 20]).take(300);
        let numbers = || {
            spaces().map(|mut line| {
                line.extend_from_slice(b"1\n");
                line
            })
        };
        let files = [written(spaces())?, written(numbers())?];
        for file in files {
            let size = file.as_file().metadata()?.len();
            assert!(size < 100_000, "{size}");
            let error = read::<u64>(file.path(), |_| {}).expect_err("too much");
            assert!(error.to_string().contains("unpacks to far more"), "{error}");
            assert_eq!(error.kind(), ErrorKind::Resource);
        }
        let few = written([b"1\n".to_vec(), b"2\n".to_vec(), b"3".to_vec()].into_iter())?;
        let mut all = Vec::new();
        read::<u64>(few.path(), |next| all.push(next))?;
        assert_eq!(all, [1, 2]);
        Ok(())
    }
}
