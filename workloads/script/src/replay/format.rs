//! The formats of logs. Start reading at [`detect`].

use std::path::Path;
use std::sync::Arc;

use tacho_core::{Error, Result};
use tacho_driver::lexer::Syntax;

use super::event::{Kind, LeftOut};
use super::lines::{Lines, at, count, open};
use super::prefix::{Prefix, has_label};
use super::{csvlog, general, jsonlog, messages, slow, textlog};

/// Number of bytes within which the first record must start.
pub const LEAD_MAX: u64 = 1 << 20;

/// Maximum number of lines that are read to recognise the prefix of a log, and maximum length of each of these lines.
const LINES_MAX: usize = 2000;
const LINE_MAX: usize = 1000;

const SUPPORTED: &str = "supported: PostgreSQL logs (log_statement = all) as csvlog, jsonlog or text, and general and \
                         slow query logs of MySQL and MariaDB (general_log = ON)";

/// Format of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// PostgreSQL's `log_destination = csvlog`.
    #[default]
    Csv,
    /// PostgreSQL's `log_destination = jsonlog`.
    Json,
    /// PostgreSQL's `log_destination = stderr`.
    Text(Arc<Prefix>),
    /// The MySQL or MariaDB general log.
    General,
    /// The MySQL or MariaDB slow query log.
    Slow,
}

impl Format {
    /// Returns true if PostgreSQL wrote the log.
    pub fn is_postgresql(&self) -> bool {
        matches!(self, Self::Csv | Self::Json | Self::Text(_))
    }

    pub fn syntax(&self) -> Syntax {
        if self.is_postgresql() { Syntax::STANDARD } else { Syntax::BACKSLASH }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Csv => "PostgreSQL csvlog",
            Self::Json => "PostgreSQL jsonlog",
            Self::Text(_) => "PostgreSQL text log",
            Self::General => "MySQL or MariaDB general log",
            Self::Slow => "MySQL or MariaDB slow query log",
        }
    }

    /// Returns the setting that makes the server write statements to the log.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Csv | Self::Json | Self::Text(_) => {
                "set log_statement = all or log_min_duration_statement = 0, and lc_messages = C"
            }
            Self::General => "set general_log = ON",
            Self::Slow => "set slow_query_log = ON and long_query_time = 0",
        }
    }

    /// Writes the text of the statement in a record to `out`. The record has been parsed once before, when the log was
    /// scanned.
    pub fn statement(&self, record: &[u8], out: &mut Vec<u8>) -> std::result::Result<(), LeftOut> {
        out.clear();
        let event = match self {
            Self::Csv => csvlog::read(record),
            Self::Json => jsonlog::read(record),
            Self::Text(prefix) => textlog::read(record, prefix),
            Self::General => {
                let head = general::head(record).ok_or(LeftOut::TooLong)?;
                out.extend_from_slice(general::text(record, &head));
                return Ok(());
            }
            Self::Slow => {
                out.extend_from_slice(slow::text(record));
                return Ok(());
            }
        };
        match event.map(|event| event.kind) {
            Some(Kind::Statement(done)) => match done.parameters {
                Some(detail) => messages::fill(&done.text, &detail, out)?,
                None => out.extend_from_slice(&done.text),
            },
            Some(Kind::Failed { text, .. }) => out.extend_from_slice(&text),
            _ => return Err(LeftOut::TooLong),
        }
        Ok(())
    }
}

/// Checks that a file is a supported log, even if the prefix of its lines is not yet known.
pub fn check(path: &Path) -> Result<()> {
    contents(path).map(|_| ())
}

/// Detects the format of a file from its contents. `prefix` is the prefix of a text log, or empty if it is to be
/// recognised.
pub fn detect(path: &Path, prefix: &str) -> Result<Format> {
    match contents(path)? {
        Contents::Known(format) => Ok(format),
        Contents::Text(lines) if !prefix.is_empty() => {
            let text = prefix;
            let prefix = Prefix::new(text)?;
            if lines.iter().any(|line| prefix.matches(line).is_some()) {
                return Ok(Format::Text(Arc::new(prefix)));
            }
            let known = Prefix::recognise(&lines).is_some();
            let message =
                format!("no line of {} starts with the prefix \"{text}\"", path.display());
            Err(Error::usage(message).hint(if known {
                "omit the parameter prefix: Tacho recognises the prefix of this log"
            } else {
                "specify the value that SHOW log_line_prefix returned when the log was written"
            }))
        }
        Contents::Text(lines) => {
            let prefix = Prefix::recognise(&lines).ok_or_else(|| {
                let text = format!(
                    "{} is a PostgreSQL text log with an unknown line prefix",
                    path.display()
                );
                let hint =
                    "specify the server's log_line_prefix, as in --set 'prefix=%m [%p] %u@%d'";
                Error::usage(text).hint(hint)
            })?;
            Ok(Format::Text(Arc::new(prefix)))
        }
    }
}

enum Contents {
    Known(Format),
    /// Lines at the start of a PostgreSQL text log.
    Text(Vec<Vec<u8>>),
}

fn contents(path: &Path) -> Result<Contents> {
    let mut lines = Lines::new(open(path)?);
    let (mut first, mut texts, mut line) = (Vec::new(), Vec::new(), Vec::new());
    let mut is_mysql = false;
    while lines.offset < LEAD_MAX {
        line.clear();
        if lines.next(&mut line)?.is_none() {
            break;
        }
        if csvlog::begins(&line) && count(&line, b',') > 10 {
            return Ok(Contents::Known(Format::Csv));
        }
        if jsonlog::begins(&line) && jsonlog::read(&line).is_some() {
            return Ok(Contents::Known(Format::Json));
        }
        if general::head(&line).is_some() {
            return Ok(Contents::Known(Format::General));
        }
        if slow::begins(&line) {
            return Ok(Contents::Known(Format::Slow));
        }
        is_mysql |= general::is_start(&line);
        if first.len() < 400 {
            first.extend_from_slice(&line[..line.len().min(400)]);
        }
        if texts.len() < LINES_MAX && !line.starts_with(b"\t") && has_label(&line) {
            line.truncate(LINE_MAX);
            texts.push(line.clone());
        }
    }
    if !texts.is_empty() {
        return Ok(Contents::Text(texts));
    }
    if is_mysql {
        return Ok(Contents::Known(Format::General));
    }
    Err(unknown(&first, &path.display().to_string()))
}

fn unknown(first: &[u8], path: &str) -> Error {
    let (text, hint) = match first {
        [] => ("the file is empty", SUPPORTED),
        [0x1f, 0x8b, ..]
        | [0x28, 0xb5, 0x2f, 0xfd, ..]
        | [b'B', b'Z', b'h', ..]
        | [0xfd, b'7', b'z', ..] => ("it is compressed", "decompress it first"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => ("it is UTF-16", "convert it to UTF-8 first"),
        _ => ("no record starts in the first MiB", SUPPORTED),
    };
    let text = format!("{} is not a log that can be replayed: {text}", at(path, 1));
    Error::usage(text).hint(hint)
}
