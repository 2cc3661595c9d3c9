//! Reads a log record by record. The log may start and end in the middle of a record.
//!
//! The reader must not stop at a broken record. It counts the record and finds the next one.
//!
//! Start reading at [`Reader::next`].

use std::fs::File;
use std::path::Path;

use tacho_core::{Error, Result};

use super::event::{Event, Kind, LeftOut};
use super::lines::{Line, Lines, RECORD_MAX, at, count, open};
use super::{csvlog, general};

/// Number of bytes within which the first record must start.
const LEAD_MAX: u64 = 1 << 20;
/// Number of broken records above which the file is assumed not to be a log.
const BROKEN_MAX: u64 = 100;

/// Format of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// PostgreSQL's `log_destination = csvlog`.
    #[default]
    Csv,
    /// The MySQL or MariaDB general log.
    General,
}

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
    /// True if no record has been found yet or if the last record was broken.
    seeks: bool,
    /// Time of the last record in a general log.
    at: i64,
    pub length: u64,
}

impl Reader {
    pub fn open(path: &Path) -> Result<Self> {
        let shown = path.display().to_string();
        let mut lines = Lines::new(open(path)?);
        let length = open(path)?.metadata()?.len();
        let format = format(&mut lines, &shown)?;
        lines.back_to(0, 1)?;
        let at = if format == Format::General { first_time(&mut lines)? } else { 0 };
        let (record, damage) = (Vec::new(), Damage::default());
        Ok(Self { path: shown, format, lines, record, damage, seeks: true, at, length })
    }

    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the number of bytes read so far.
    pub fn offset(&self) -> u64 {
        self.lines.offset
    }

    /// Returns the next record and its position.
    pub fn next(&mut self) -> Result<Option<(Place, Event)>> {
        loop {
            let start = Place { offset: self.lines.offset, length: 0, line: self.lines.number };
            self.record.clear();
            let Some(first) = self.lines.next(&mut self.record)? else { return Ok(None) };
            let (length, event) = match self.format {
                Format::Csv => self.row(first)?,
                Format::General => self.entry(first)?,
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

    /// Reads the general log record that starts with this line. It ends where the next record starts.
    fn entry(&mut self, first: Line) -> Result<(u64, Option<Event>)> {
        if general::is_start(&self.record) {
            return Ok((first.length, Some(self.other(Kind::Restart))));
        }
        if general::is_title(&self.record) {
            return Ok((first.length, Some(self.other(Kind::Other))));
        }
        if general::head(&self.record).is_none() {
            return Ok((0, None));
        }
        let (mut length, mut ended, mut next) = (first.length, first.ended, Vec::new());
        while ended {
            let (offset, number) = (self.lines.offset, self.lines.number);
            next.clear();
            let Some(line) = self.lines.next(&mut next)? else { break };
            if general::head(&next).is_some() || general::is_start(&next) {
                self.lines.back_to(offset, number)?;
                break;
            }
            let room = RECORD_MAX.saturating_sub(self.record.len()).min(next.len());
            self.record.extend_from_slice(&next[..room]);
            (length, ended) = (length + line.length, line.ended);
        }
        if !ended {
            // The file ends in the middle of this record.
            return Ok((0, None));
        }
        if length > RECORD_MAX as u64 {
            return Ok((length, Some(self.too_long())));
        }
        let event = general::read(&self.record, &mut self.at);
        Ok((length, event))
    }

    fn too_long(&self) -> Event {
        self.other(Kind::LeftOut(LeftOut::TooLong))
    }

    fn other(&self, kind: Kind) -> Event {
        Event { at: self.at, zone: Vec::new(), session: Vec::new(), database: Vec::new(), kind }
    }
}

/// Finds the first timestamp in a general log. If the file starts within a second, its first records have none.
fn first_time(lines: &mut Lines) -> Result<i64> {
    let (mut line, mut found) = (Vec::new(), None);
    while found.is_none() && lines.offset < LEAD_MAX {
        line.clear();
        if lines.next(&mut line)?.is_none() {
            break;
        }
        found = general::head(&line).and_then(|head| head.at);
    }
    lines.back_to(0, 1)?;
    Ok(found.unwrap_or(0))
}

/// Detects the format of a file from its contents.
fn format(lines: &mut Lines, path: &str) -> Result<Format> {
    let mut line = Vec::new();
    let mut first = Vec::new();
    while lines.offset < LEAD_MAX {
        line.clear();
        if lines.next(&mut line)?.is_none() {
            break;
        }
        if csvlog::begins(&line) && count(&line, b',') > 10 {
            return Ok(Format::Csv);
        }
        if general::head(&line).is_some() || general::is_start(&line) {
            return Ok(Format::General);
        }
        if first.len() < 400 {
            first.extend_from_slice(&line[..line.len().min(400)]);
        }
    }
    let wrong = |text: &str, hint: &str| {
        let text = format!("{} is not a log that can be replayed: {text}", at(path, 1));
        Err(Error::usage(text).hint(hint))
    };
    let holds = |word: &str| first.windows(word.len()).any(|part| part == word.as_bytes());
    let supported = "supported: PostgreSQL csvlog (log_destination = csvlog, log_statement = all), MySQL and \
                     MariaDB general log (general_log = ON)";
    match first.as_slice() {
        [] => wrong("the file is empty", supported),
        [0x1f, 0x8b, ..]
        | [0x28, 0xb5, 0x2f, 0xfd, ..]
        | [b'B', b'Z', b'h', ..]
        | [0xfd, b'7', b'z', ..] => wrong("it is compressed", "decompress it first"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => wrong("it is UTF-16", "convert it to UTF-8 first"),
        [b'{', ..] if holds("\"timestamp\"") => {
            wrong("it is a jsonlog", "set log_destination = csvlog")
        }
        _ if holds("LOG:  ") => wrong("it is a plain-text log", "set log_destination = csvlog"),
        _ if holds("# Time: ") || holds("# User@Host: ") => {
            wrong("it is a slow query log", "set general_log = ON")
        }
        _ => wrong("no record starts in the first MiB", supported),
    }
}

/// Writes the statement of a record that has already been read.
pub fn statement(format: Format, record: &[u8], out: &mut Vec<u8>) -> Result<(), LeftOut> {
    out.clear();
    match format {
        Format::Csv => match csvlog::read(record).map(|event| event.kind) {
            Some(Kind::Statement(done)) => match done.parameters {
                Some(detail) => csvlog::fill(&done.text, &detail, out)?,
                None => out.extend_from_slice(&done.text),
            },
            Some(Kind::Failed { text, .. }) => out.extend_from_slice(&text),
            _ => return Err(LeftOut::TooLong),
        },
        Format::General => match general::head(record) {
            Some(head) => out.extend_from_slice(general::text(record, &head)),
            None => return Err(LeftOut::TooLong),
        },
    }
    Ok(())
}

/// Opens a log again for a session that reads its own statements.
pub fn reopen(path: &Path) -> Result<File> {
    open(path)
}
