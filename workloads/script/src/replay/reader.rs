//! Reads a log record by record. The log may start and end in the middle of a record.
//!
//! The reader must not stop at a broken record. It counts the record and finds the next one.
//!
//! Start reading at [`Reader::next`].

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use tacho_core::{Error, Result};

use super::event::{Event, Kind, LeftOut};
use super::format::{Format, LEAD_MAX, detect};
use super::lines::{Line, Lines, RECORD_MAX, open};
use super::prefix::Prefix;
use super::slow::Carried;
use super::{csvlog, general, jsonlog, slow, textlog};

/// Number of broken records above which the file is assumed not to be a log.
const BROKEN_MAX: u64 = 100;

/// Position of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub offset: u64,
    pub length: u64,
    pub line: u64,
}

/// Parts of the log that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Number of lines before the first record.
    pub before: u64,
    /// Number of truncated or broken records.
    pub broken: u64,
    /// Line of the first broken record.
    pub line: u64,
}

/// A reader for a log.
pub struct Reader {
    path: String,
    format: Format,
    lines: Lines,
    record: Vec<u8>,
    pub damage: Damage,
    /// True before the first record, and after a broken record.
    seeks: bool,
    /// Values that records of a general log or slow query log omit if they are the same as in the previous record.
    carried: Carried,
    pub length: u64,
}

impl Reader {
    /// Opens a log. `prefix` is the prefix of a text log, or empty to recognise it.
    pub fn open(path: &Path, prefix: &str) -> Result<Self> {
        let shown = path.display().to_string();
        let format = detect(path, prefix)?;
        let mut lines = Lines::new(open(path)?);
        let length = open(path)?.metadata()?.len();
        let carried = Carried { at: first_time(&mut lines, &format)?, ..Carried::default() };
        let (record, damage) = (Vec::new(), Damage::default());
        Ok(Self { path: shown, format, lines, record, damage, seeks: true, carried, length })
    }

    pub fn format(&self) -> Format {
        self.format.clone()
    }

    /// Returns the number of bytes read so far.
    pub fn offset(&self) -> u64 {
        self.lines.offset
    }

    /// Returns the next record and its position in the file.
    pub fn next(&mut self) -> Result<Option<(Place, Event)>> {
        loop {
            let start = Place { offset: self.lines.offset, length: 0, line: self.lines.number };
            self.record.clear();
            let Some(first) = self.lines.next(&mut self.record)? else { return Ok(None) };
            let (length, event) = match &self.format {
                Format::Csv => self.row(first)?,
                Format::Json => self.object(first),
                Format::Text(prefix) => {
                    let prefix = Arc::clone(prefix);
                    self.message(first, &prefix)?
                }
                Format::General | Format::Slow => self.entry(first)?,
            };
            if let Some(event) = event {
                self.seeks = false;
                return Ok(Some((Place { length, ..start }, event)));
            }
            if !self.seeks {
                self.note_broken(start.line)?;
                self.seeks = true;
            } else if self.damage.broken == 0 {
                self.damage.before += 1;
            }
            self.lines.back_to(start.offset + first.length, start.line + 1)?;
        }
    }

    fn note_broken(&mut self, line: u64) -> Result<()> {
        self.damage.broken += 1;
        if self.damage.broken == 1 {
            self.damage.line = line;
        }
        if self.damage.broken <= BROKEN_MAX {
            return Ok(());
        }
        let text = format!(
            "more than {BROKEN_MAX} broken records, the first one at line {}",
            self.damage.line
        );
        Err(Error::usage(text)
            .during(format!("read {}", self.path))
            .hint("the file is damaged or not a log: copy it from the server again"))
    }

    /// Reads the csvlog row that starts with this line. It ends at the first line end outside quotes.
    fn row(&mut self, first: Line) -> Result<(u64, Option<Event>)> {
        if !csvlog::begins(&self.record) {
            return Ok((0, None));
        }
        let (mut length, mut quotes, mut ended) = (first.length, first.quotes, first.ended);
        while quotes % 2 == 1 && ended {
            let Some(line) = self.lines.next(&mut self.record)? else { return Ok((0, None)) };
            (length, quotes, ended) = (length + line.length, quotes + line.quotes, line.ended);
        }
        if length > RECORD_MAX as u64 && quotes.is_multiple_of(2) {
            return Ok((length, Some(self.too_long())));
        }
        Ok((length, csvlog::read(&self.record)))
    }

    /// Reads the jsonlog record in this line.
    fn object(&self, first: Line) -> (u64, Option<Event>) {
        if first.length > RECORD_MAX as u64 && jsonlog::begins(&self.record) {
            return (first.length, Some(self.too_long()));
        }
        (first.length, jsonlog::read(&self.record))
    }

    /// Reads the text log record that starts with this line.
    fn message(&mut self, first: Line, prefix: &Prefix) -> Result<(u64, Option<Event>)> {
        let head = match textlog::line(&self.record, prefix, None) {
            textlog::Line::First(head) => head,
            textlog::Line::Foreign => return Ok((first.length, Some(self.other(Kind::Other)))),
            textlog::Line::Further | textlog::Line::Broken => return Ok((0, None)),
        };
        let is_further = |line: &[u8], record: &[u8]| {
            textlog::line(line, prefix, Some((record, &head))) == textlog::Line::Further
        };
        let length = self.gather(first, |line, record| !is_further(line, record))?;
        Ok(match length {
            None => (0, None),
            Some(length) if length > RECORD_MAX as u64 => (length, Some(self.too_long())),
            Some(length) => (length, textlog::read(&self.record, prefix)),
        })
    }

    /// Reads the record of a general log or slow query log that starts with this line.
    fn entry(&mut self, first: Line) -> Result<(u64, Option<Event>)> {
        if general::is_start(&self.record) {
            return Ok((first.length, Some(self.other(Kind::Restart))));
        }
        if general::is_title(&self.record) {
            return Ok((first.length, Some(self.other(Kind::Other))));
        }
        let is_slow = self.format == Format::Slow;
        let begins = |line: &[u8]| {
            if is_slow { slow::begins(line) } else { general::head(line).is_some() }
        };
        if !begins(&self.record) {
            return Ok((0, None));
        }
        let length = self.gather(first, |line, record| {
            let is_next = if is_slow { slow::begins_after(line, record) } else { begins(line) };
            is_next || general::is_start(line)
        })?;
        Ok(match length {
            None => (0, None),
            Some(length) if length > RECORD_MAX as u64 => (length, Some(self.too_long())),
            Some(length) if is_slow => (length, slow::read(&self.record, &mut self.carried)),
            Some(length) => (length, general::read(&self.record, &mut self.carried.at)),
        })
    }

    /// Appends a record's further lines. Returns the record's length, or `None` if the file ends in the middle of the
    /// record.
    fn gather(
        &mut self,
        first: Line,
        is_next: impl Fn(&[u8], &[u8]) -> bool,
    ) -> Result<Option<u64>> {
        let (mut length, mut ended, mut line_text) = (first.length, first.ended, Vec::new());
        while ended {
            let (offset, number) = (self.lines.offset, self.lines.number);
            line_text.clear();
            let Some(line) = self.lines.next(&mut line_text)? else { break };
            if is_next(&line_text, &self.record) {
                self.lines.back_to(offset, number)?;
                break;
            }
            let room = RECORD_MAX.saturating_sub(self.record.len()).min(line_text.len());
            self.record.extend_from_slice(&line_text[..room]);
            (length, ended) = (length + line.length, line.ended);
        }
        Ok(ended.then_some(length))
    }

    fn too_long(&self) -> Event {
        self.other(Kind::LeftOut(LeftOut::TooLong))
    }

    fn other(&self, kind: Kind) -> Event {
        Event {
            at: self.carried.at,
            zone: Vec::new(),
            session: Vec::new(),
            database: Vec::new(),
            kind,
        }
    }
}

/// Finds the first timestamp in a general log or slow query log, because the first records may have none.
fn first_time(lines: &mut Lines, format: &Format) -> Result<i64> {
    if format.is_postgresql() {
        return Ok(0);
    }
    let (mut line, mut found) = (Vec::new(), None);
    while found.is_none() && lines.offset < LEAD_MAX {
        line.clear();
        if lines.next(&mut line)?.is_none() {
            break;
        }
        found = general::head(&line).and_then(|head| head.at).or_else(|| slow::time(&line));
    }
    lines.back_to(0, 1)?;
    Ok(found.unwrap_or(0))
}

/// Opens a log again, so that a session can read the text of its statements during the replay.
pub fn reopen(path: &Path) -> Result<File> {
    open(path)
}
