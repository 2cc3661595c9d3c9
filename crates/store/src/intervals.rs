//! The interval file: lines of JSON in one zstd frame, each line in a block of its own, so that
//! whatever was written before a crash can be read.
//!
//! It must never hold back a line that was given to it. Start reading at [`IntervalFile`].
#![expect(clippy::disallowed_methods, reason = "this crate is the one that writes run files")]

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tacho_core::{Error, ErrorKind, Result};
use zstd::stream::write::Encoder;

use crate::{IntervalRecord, ServerIntervalRecord, failure, folder, regular};

const FORMAT: &str = "tacho-intervals";
const VERSION: u32 = 1;
/// The library's default. Fixed, because another level makes other bytes of the same run.
const LEVEL: i32 = 3;

/// The first line.
#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
}

/// The file while it is written.
pub(crate) struct IntervalFile {
    path: PathBuf,
    /// Absent once closed.
    encoder: Option<Encoder<'static, File>>,
}

impl IntervalFile {
    /// Creates the file called `name` in a run's folder.
    pub(crate) fn create(folder: &Path, name: &str) -> Result<Self> {
        let path = folder.join(name);
        let encoder = File::create(&path)
            .and_then(|file| Encoder::new(file, LEVEL))
            .map_err(failure::writing(&path))?;
        let mut file = Self { path, encoder: Some(encoder) };
        file.line(&Header { format: FORMAT.into(), version: VERSION })?;
        Ok(file)
    }

    /// Appends one interval.
    pub(crate) fn append(&mut self, interval: &impl Serialize) -> Result<()> {
        self.line(interval)
    }

    fn line(&mut self, content: &impl Serialize) -> Result<()> {
        let Some(encoder) = &mut self.encoder else { return Ok(()) };
        let mut line = serde_json::to_vec(content).map_err(|error| {
            Error::new(ErrorKind::Other, "an interval is no JSON").source(error)
        })?;
        line.push(b'\n');
        let written = encoder.write_all(&line).and_then(|()| encoder.flush());
        written.map_err(failure::writing(&self.path))
    }

    /// Ends the frame and makes the file durable. Further lines are dropped.
    pub(crate) fn close(&mut self) -> Result<()> {
        let Some(encoder) = self.encoder.take() else { return Ok(()) };
        encoder.finish().and_then(|file| file.sync_data()).map_err(failure::writing(&self.path))
    }
}

/// Reads the intervals of the run in `folder`, up to the last one that was written as a whole.
pub fn read_intervals(folder: &Path) -> Result<Vec<IntervalRecord>> {
    read(&folder.join(folder::INTERVALS))
}

/// Reads what the server did in each interval of the run in `folder`; nothing if it was not watched.
pub fn read_server_intervals(folder: &Path) -> Result<Vec<ServerIntervalRecord>> {
    let path = folder.join(folder::SERVER);
    if path.exists() { read(&path) } else { Ok(Vec::new()) }
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = decompress(path).map_err(failure::reading(path))?;
    parse(&text).map_err(|error| error.during(format!("read {}", path.display())))
}

/// All complete blocks of a file whose tail may be missing.
fn decompress(path: &Path) -> io::Result<Vec<u8>> {
    let mut decoder = zstd::stream::read::Decoder::new(regular::open(path)?)?;
    let (mut all, mut part) = (Vec::new(), vec![0; 64 * 1024]);
    loop {
        match decoder.read(&mut part) {
            Ok(0) => return Ok(all),
            Ok(read) => all.extend_from_slice(&part[..read]),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(all),
            Err(error) => return Err(error),
        }
    }
}

fn parse<T: DeserializeOwned>(text: &[u8]) -> Result<Vec<T>> {
    // What follows the last line break is a line that was cut off.
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut lines = text[..whole].split_inclusive(|byte| *byte == b'\n').enumerate();
    let Some((_, header)) = lines.next() else { return Ok(Vec::new()) };
    check_header(header)?;
    lines.map(|(number, line)| parse_line(number + 1, line)).collect()
}

fn check_header(line: &[u8]) -> Result<()> {
    let header: Header = parse_line(1, line)?;
    if header.format != FORMAT {
        return Err(Error::new(ErrorKind::Protocol, "this is no interval file of a run"));
    }
    if header.version > VERSION {
        return Err(Error::new(ErrorKind::Unsupported, "written by a newer version of tacho")
            .hint("read it with the version of tacho that made the run, or a newer one"));
    }
    Ok(())
}

fn parse_line<T: DeserializeOwned>(number: usize, line: &[u8]) -> Result<T> {
    serde_json::from_slice(line).map_err(|error| {
        Error::new(ErrorKind::Protocol, format!("line {number} is damaged: {error}")).source(error)
    })
}
