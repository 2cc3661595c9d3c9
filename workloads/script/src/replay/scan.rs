//! The first pass over a log. It determines the sessions, their statements, when each was sent, and which failed.
//!
//! The scan stores each statement's position and not its text, which takes 32 bytes per statement.
//!
//! Start reading at [`scan`].

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use tacho_core::{Error, Result};
use tacho_driver::lexer::{Lexeme, Syntax, Token, is_several, tokens, words};

use super::csvlog;
use super::event::{Done, Event, Kind, LeftOut};
use super::groups::{Groups, OTHER};
use super::reader::{Damage, Format, Place, Reader};

/// Maximum number of statements in a log. Their positions take up to 320 MB.
const STATEMENTS_MAX: u64 = 10_000_000;
/// Number of bytes between two progress reports.
const REPORT_EVERY: u64 = 4 << 20;

/// The effect of a statement on its session's transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Border {
    None,
    Opens,
    Closes,
}

/// A statement to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub offset: u64,
    /// Microseconds on the log's clock. After the scan, microseconds since the first statement.
    pub at: i64,
    pub length: u32,
    pub line: u32,
    /// Kind of the statement's text.
    pub group: u32,
    /// Index of the error code in [`Log::states`], counted from 1, or 0 if the statement succeeded.
    pub failed: u16,
    pub border: Border,
}

/// A session in the log.
#[derive(Debug, Default)]
pub struct Session {
    pub entries: Vec<Entry>,
    /// Time of the session's last record.
    pub last: i64,
}

/// Contents of a log.
#[derive(Debug, Default)]
pub struct Log {
    pub path: String,
    pub format: Format,
    /// Sessions with statements, ordered by the time of their first statement.
    pub sessions: Vec<Session>,
    pub groups: Groups,
    /// Error codes of failed statements.
    pub states: Vec<String>,
    /// Number of statements that are not sent, by reason.
    pub left_out: BTreeMap<LeftOut, u64>,
    /// Line of the first statement that is not sent, by reason.
    pub left_out_at: BTreeMap<LeftOut, u64>,
    pub damage: Damage,
    /// Number of sessions without a statement to send.
    pub idle_sessions: u64,
    /// Number of statements whose duration is in the log.
    pub timed: u64,
    pub failed: u64,
}

impl Log {
    /// Returns the number of statements to send.
    pub fn statements(&self) -> u64 {
        self.sessions.iter().map(|session| session.entries.len() as u64).sum()
    }
}

fn syntax(format: Format) -> Syntax {
    if format == Format::Csv { Syntax::STANDARD } else { Syntax::BACKSLASH }
}

/// A session that has not been read completely.
#[derive(Default)]
struct Open {
    session: Session,
    database: Vec<u8>,
    /// The statement whose end has not been read yet, and its text.
    pending: Option<(usize, Vec<u8>)>,
    /// Time spent parsing and binding the next statement.
    prepared: f64,
    /// True if the server also logs the statement that the last one ran or prepared.
    echoes: bool,
    /// True if the last statement is omitted, together with its duration and error.
    ignores: bool,
}

#[derive(Default)]
struct Scan<'a> {
    log: Log,
    open: HashMap<Vec<u8>, Open>,
    wanted: &'a [u8],
    databases: BTreeSet<Vec<u8>>,
    zone: Option<Vec<u8>>,
    count: u64,
    text: Vec<u8>,
    /// Line of the first record, which the error for a log without statements names.
    first: Option<u64>,
}

/// Reads a log. If `database` is not empty, omits statements in other databases.
///
/// `progress` receives the bytes read and the total, and returns false to stop the scan.
///
/// # Errors
/// Returns a usage error if the file is not a log or cannot be replayed.
pub fn scan(
    path: &Path,
    database: &str,
    progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Log> {
    let mut reader = Reader::open(path)?;
    let mut scan = Scan::new(path, database, reader.format());
    let mut next_report = REPORT_EVERY;
    while let Some((place, event)) = reader.next()? {
        scan.take(place, event)?;
        if reader.offset() >= next_report {
            next_report = reader.offset() + REPORT_EVERY;
            if !progress(reader.offset(), reader.length) {
                let error = Error::new(tacho_core::ErrorKind::Cancelled, "stopped by the user");
                return Err(error.hint("run the same command again"));
            }
        }
    }
    scan.log.damage = reader.damage.clone();
    scan.finish()
}

impl<'a> Scan<'a> {
    fn new(path: &Path, database: &'a str, format: Format) -> Self {
        let log = Log { path: path.display().to_string(), format, ..Log::default() };
        Self { log, wanted: database.as_bytes(), ..Self::default() }
    }

    fn take(&mut self, place: Place, event: Event) -> Result<()> {
        self.first.get_or_insert(place.line);
        self.require_zone(&event, place)?;
        let Event { at, session, database, kind, .. } = event;
        if kind == Kind::Restart {
            for (_, open) in std::mem::take(&mut self.open) {
                self.close(open);
            }
            return Ok(());
        }
        if session.is_empty() {
            if let Kind::LeftOut(why) = kind {
                self.leave_out(why, place.line);
            }
            return Ok(());
        }
        if kind == Kind::Begin
            && let Some(before) = self.open.remove(&session)
        {
            self.close(before);
        }
        let mut open = self.open.remove(&session).unwrap_or_default();
        if matches!(kind, Kind::Begin | Kind::Database) || !database.is_empty() {
            open.database = database;
        }
        open.session.last = at.max(open.session.last);
        let ends = kind == Kind::End;
        let taken = self.take_kind(&mut open, at, place, kind);
        if ends {
            self.close(open);
        } else {
            self.open.insert(session, open);
        }
        taken
    }

    /// Fails if the time zone changes, because the times before and after the change are not comparable.
    fn require_zone(&mut self, event: &Event, place: Place) -> Result<()> {
        let known = self.zone.get_or_insert_with(|| event.zone.clone());
        if *known == event.zone || event.session.is_empty() {
            return Ok(());
        }
        let shown = |zone: &[u8]| String::from_utf8_lossy(zone).into_owned();
        let (before, now) = (shown(known), shown(&event.zone));
        let text = format!(
            "{}:{}: the time zone changes from {before} to {now}",
            self.log.path, place.line
        );
        Err(Error::usage(text)
            .hint("split the file at this line, and set log_timezone = UTC for the next log"))
    }

    fn take_kind(&mut self, open: &mut Open, at: i64, place: Place, kind: Kind) -> Result<()> {
        match kind {
            Kind::Statement(done) => {
                open.echoes = false;
                return self.statement(open, at, place, done);
            }
            Kind::Echo(_) if std::mem::take(&mut open.echoes) => {
                self.leave_out(LeftOut::Echo, place.line);
            }
            Kind::Echo(done) => return self.statement(open, at, place, done),
            Kind::Took(_) if std::mem::take(&mut open.ignores) => open.prepared = 0.0,
            Kind::Took(micros) => match open.pending.take() {
                Some((entry, _)) => {
                    let took = micros + std::mem::take(&mut open.prepared);
                    self.took(open.session.entries[entry].group, took);
                }
                None => open.prepared += micros,
            },
            Kind::Prepared(micros) => open.prepared += micros,
            Kind::Failed { state, text } => return self.failed(open, at, place, &state, &text),
            Kind::LeftOut(why) => self.leave_out(why, place.line),
            Kind::Database => self.leave_out(LeftOut::UseDatabase, place.line),
            Kind::Begin | Kind::End | Kind::Restart | Kind::Other => {}
        }
        Ok(())
    }

    fn took(&mut self, group: u32, micros: f64) {
        self.log.timed += 1;
        self.log.groups.took(group, micros);
    }

    fn leave_out(&mut self, why: LeftOut, line: u64) {
        *self.log.left_out.entry(why).or_default() += 1;
        self.log.left_out_at.entry(why).or_insert(line);
    }

    fn statement(&mut self, open: &mut Open, at: i64, place: Place, done: Done) -> Result<()> {
        open.pending = None;
        let prepared = std::mem::take(&mut open.prepared);
        let format = self.log.format;
        open.echoes = format == Format::General && repeats(&done.text);
        let spoken = match &done.parameters {
            Some(detail) => {
                let mut text = std::mem::take(&mut self.text);
                let filled = csvlog::fill(&done.text, detail, &mut text);
                let why = filled.err().or_else(|| left_out(&text, format));
                self.text = text;
                why
            }
            None => left_out(&done.text, format),
        };
        if let Some(why) = spoken.or_else(|| self.other_database(open)) {
            self.leave_out(why, place.line);
            open.ignores = format == Format::Csv && done.took.is_none();
            return Ok(());
        }
        open.ignores = false;
        // A row with a duration is written when the statement ends, and a row without one when it starts.
        let begin = at - done.took.unwrap_or(0.0) as i64;
        let entry = self.entry(begin, place, &done.text)?;
        let group = entry.group;
        open.session.entries.push(entry);
        match done.took {
            Some(took) => self.took(group, took + prepared),
            None if format == Format::Csv => {
                open.prepared = prepared;
                open.pending = Some((open.session.entries.len() - 1, done.text));
            }
            None => {}
        }
        Ok(())
    }

    fn other_database(&mut self, open: &Open) -> Option<LeftOut> {
        let is_known = !open.database.is_empty();
        if is_known && !self.databases.contains(&open.database) {
            self.databases.insert(open.database.clone());
        }
        let is_other = !self.wanted.is_empty() && self.wanted != open.database;
        let why = if is_known { LeftOut::OtherDatabase } else { LeftOut::UnknownDatabase };
        is_other.then_some(why)
    }

    fn entry(&mut self, at: i64, place: Place, text: &[u8]) -> Result<Entry> {
        self.count += 1;
        if self.count > STATEMENTS_MAX {
            let text = format!("{} has more than {STATEMENTS_MAX} statements", self.log.path);
            return Err(
                Error::usage(text).hint("split the file and replay the parts one after another")
            );
        }
        let syntax = syntax(self.log.format);
        Ok(Entry {
            offset: place.offset,
            at,
            length: place.length as u32,
            line: place.line.min(u64::from(u32::MAX)) as u32,
            group: self.log.groups.note(text, syntax),
            failed: 0,
            border: border(text, syntax),
        })
    }

    /// Records that a statement failed. The log contains an earlier record of the statement, or only this one.
    fn failed(
        &mut self,
        open: &mut Open,
        at: i64,
        place: Place,
        state: &str,
        text: &[u8],
    ) -> Result<()> {
        open.prepared = 0.0;
        if std::mem::take(&mut open.ignores) {
            return Ok(());
        }
        let known = self.log.states.iter().position(|known| known == state);
        let number = known.unwrap_or_else(|| {
            self.log.states.push(state.to_owned());
            self.log.states.len() - 1
        });
        let number = (number + 1).min(usize::from(u16::MAX)) as u16;
        let pending = open.pending.take();
        let same = |(_, begun): &(usize, Vec<u8>)| begun.trim_ascii() == text.trim_ascii();
        if let Some((entry, _)) = pending.filter(|begun| text.is_empty() || same(begun)) {
            let entry = &mut open.session.entries[entry];
            entry.failed = number;
            self.log.groups.failed(entry.group);
            self.log.failed += 1;
            return Ok(());
        }
        if text.is_empty() {
            return Ok(());
        }
        let format = self.log.format;
        let is_parameter = |part: Lexeme| matches!(part.token, Token::Parameter(_));
        let has_parameters = || tokens(text, syntax(format)).any(is_parameter);
        let why = left_out(text, format);
        let why = why.or_else(|| has_parameters().then_some(LeftOut::NoParameters));
        if let Some(why) = why.or_else(|| self.other_database(open)) {
            self.leave_out(why, place.line);
            return Ok(());
        }
        let entry = self.entry(at, place, text)?;
        self.log.groups.failed(entry.group);
        self.log.failed += 1;
        open.session.entries.push(Entry { failed: number, ..entry });
        Ok(())
    }

    fn close(&mut self, open: Open) {
        if open.session.entries.is_empty() {
            self.log.idle_sessions += 1;
        } else {
            self.log.sessions.push(open.session);
        }
    }

    fn finish(mut self) -> Result<Log> {
        for (_, open) in std::mem::take(&mut self.open) {
            self.close(open);
        }
        self.require_statements()?;
        self.require_one_database()?;
        let mut log = self.log;
        for session in &mut log.sessions {
            // Keep the order in which statements were sent, even if the clock was set back.
            let mut before = i64::MIN;
            for entry in &mut session.entries {
                entry.at = entry.at.max(before);
                before = entry.at;
            }
            session.last = session.last.max(before);
        }
        log.sessions.sort_by_key(|session| session.entries[0].at);
        let first = log.sessions[0].entries[0].at;
        let places = log.groups.finish();
        for session in &mut log.sessions {
            session.last -= first;
            for entry in &mut session.entries {
                entry.at -= first;
                entry.group = places.get(entry.group as usize).copied().unwrap_or(OTHER);
            }
        }
        Ok(log)
    }

    fn require_statements(&self) -> Result<()> {
        if !self.log.sessions.is_empty() {
            return Ok(());
        }
        let path = &self.log.path;
        let line = self.first.unwrap_or(1);
        if !self.wanted.is_empty() && !self.databases.is_empty() {
            let text = format!(
                "{path} contains no statements for database \"{}\"",
                String::from_utf8_lossy(self.wanted)
            );
            return Err(Error::usage(text)
                .hint(format!("the log contains these databases: {}", names(&self.databases))));
        }
        let left_out: u64 = self.log.left_out.values().sum();
        let text = format!(
            "{path}:{line}: no statements to replay: the log contains records, including \
             {left_out} statements that are not replayed"
        );
        let hint = match self.log.format {
            Format::Csv => {
                "set log_statement = all or log_min_duration_statement = 0, and lc_messages = C"
            }
            Format::General => "set general_log = ON",
        };
        Err(Error::usage(text).hint(hint))
    }

    fn require_one_database(&self) -> Result<()> {
        if !self.wanted.is_empty() || self.databases.len() < 2 {
            return Ok(());
        }
        let text = format!(
            "{} contains statements for several databases: {}",
            self.log.path,
            names(&self.databases)
        );
        Err(Error::usage(text).hint("choose one: --set database=NAME"))
    }
}

fn names(databases: &BTreeSet<Vec<u8>>) -> String {
    let name = |name: &Vec<u8>| String::from_utf8_lossy(name).into_owned();
    databases.iter().take(10).map(name).collect::<Vec<_>>().join(", ")
}

/// Returns the reason why a statement is not sent, or `None` if it is sent.
fn left_out(text: &[u8], format: Format) -> Option<LeftOut> {
    if text.contains(&0) {
        return Some(LeftOut::ZeroByte);
    }
    let syntax = syntax(format);
    let first = words(text, syntax, 3);
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let is_copy =
        || words(text, syntax, usize::MAX).iter().any(|word| word == "stdin" || word == "stdout");
    Some(match first.as_slice() {
        ["copy", ..] if is_copy() => LeftOut::Copy,
        ["load", "data" | "xml", "local"] => LeftOut::LoadData,
        ["listen" | "unlisten", ..] => LeftOut::Listen,
        [
            "start_replication"
            | "identify_system"
            | "create_replication_slot"
            | "drop_replication_slot"
            | "base_backup"
            | "timeline_history"
            | "read_replication_slot",
            ..,
        ] => LeftOut::Replication,
        ["kill" | "shutdown", ..] if format == Format::General => LeftOut::Server,
        _ if format == Format::Csv && is_several(text, syntax) => LeftOut::Several,
        _ => return None,
    })
}

/// Returns true if the server also logs the statement that this statement runs or prepares.
fn repeats(text: &[u8]) -> bool {
    matches!(
        words(text, Syntax::BACKSLASH, 1).first().map(String::as_str),
        Some("execute" | "prepare")
    )
}

/// Returns the effect of a statement on its transaction.
fn border(text: &[u8], syntax: Syntax) -> Border {
    let first = words(text, syntax, 3);
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    match first.as_slice() {
        ["begin", ..] | ["start", "transaction", ..] => Border::Opens,
        ["rollback", "to", ..]
        | ["rollback" | "commit", "prepared", ..]
        | ["rollback", "work" | "transaction", "to"] => Border::None,
        ["commit" | "end" | "rollback" | "abort", ..] | ["prepare", "transaction", ..] => {
            Border::Closes
        }
        _ => Border::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_no_replay_sends_are_known() {
        let table = [
            ("COPY t FROM stdin", Some(LeftOut::Copy)),
            ("copy (select 1) to STDOUT with csv", Some(LeftOut::Copy)),
            ("COPY t FROM '/tmp/x'", None),
            ("listen a", Some(LeftOut::Listen)),
            ("SELECT 1; SELECT 2", Some(LeftOut::Several)),
            ("SELECT E'it\\'s; SELECT 2' -- ; x", None),
            ("CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END;", None),
            ("SELECT '\0'", Some(LeftOut::ZeroByte)),
            ("/* c */ SELECT 1;", None),
        ];
        for (text, expected) in table {
            assert_eq!(left_out(text.as_bytes(), Format::Csv), expected, "{text}");
        }
        assert_eq!(left_out(b"KILL 7", Format::General), Some(LeftOut::Server));
    }

    #[test]
    fn borders_of_transactions_are_seen() {
        let table = [
            ("BEGIN", Border::Opens),
            ("start transaction read only", Border::Opens),
            ("COMMIT AND CHAIN", Border::Closes),
            ("ROLLBACK TO a", Border::None),
            ("ROLLBACK WORK TO a", Border::None),
            ("COMMIT PREPARED 'a'", Border::None),
            ("SELECT 1", Border::None),
            ("/* don't */ ROLLBACK", Border::Closes),
            ("-- it's\nBEGIN", Border::Opens),
        ];
        for (text, expected) in table {
            assert_eq!(border(text.as_bytes(), Syntax::STANDARD), expected, "{text}");
        }
    }
}
