//! The first pass over a log. It determines the sessions, their statements, the time of each, and the failures.
//!
//! The scan stores each statement's position, which takes 32 bytes, and not its text.
//!
//! Start reading at [`scan`].

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use tacho_core::{Error, Result};
use tacho_driver::lexer::{Lexeme, Syntax, Token, is_several, tokens, words};

use super::clock::SECOND;
use super::event::{Done, Event, Kind, LeftOut};
use super::format::Format;
use super::groups::{Groups, OTHER};
use super::messages::fill;
use super::prepared::{Command, Prepared};
use super::reader::{Damage, Place, Reader};

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
    /// Time of the statement in microseconds. During the scan, this is the time in the log. After the scan, it is
    /// relative to the first statement.
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
    /// Number of statements that are not sent, for each reason.
    pub left_out: BTreeMap<LeftOut, u64>,
    /// Line of the first statement that is not sent, for each reason.
    pub left_out_at: BTreeMap<LeftOut, u64>,
    pub damage: Damage,
    /// Number of sessions without a statement to send.
    pub idle_sessions: u64,
    /// Number of statements whose duration is in the log.
    pub timed: u64,
    pub failed: u64,
    /// True if the log contains the errors of statements.
    pub has_errors: bool,
}

impl Log {
    pub fn statements(&self) -> u64 {
        self.sessions.iter().map(|session| session.entries.len() as u64).sum()
    }
}

/// A session that has not been read completely.
#[derive(Default)]
struct Open {
    session: Session,
    database: Vec<u8>,
    /// True if the log contains the start of the session. If `database` is empty, the session then certainly used no
    /// database.
    has_begun: bool,
    /// Index and text of the statement that is still running at this point in the log.
    pending: Option<(usize, Vec<u8>)>,
    /// Time spent parsing and binding the next statement.
    prepared: f64,
    /// True if the server also logs the statement that the previous command ran or prepared, so
    /// that this echo must be skipped.
    echoes: bool,
    prepared_names: Prepared,
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
    /// Line of the first record, for the error about a log without statements.
    first: Option<u64>,
    /// For a log whose times are whole seconds: the position of the first record in each second, and the second.
    seconds: Vec<(u64, i64)>,
    has_fractions: bool,
}

/// Reads a log. If `database` is not empty, omits statements in other databases. `prefix` is the prefix of a text log.
///
/// `progress` receives the bytes read and the total, and returns false to stop the scan.
///
/// # Errors
/// Returns a usage error if the file is not a log or cannot be replayed.
pub fn scan(
    path: &Path,
    database: &str,
    prefix: &str,
    progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Log> {
    let mut reader = Reader::open(path, prefix)?;
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
    scan.finish(reader.length)
}

impl<'a> Scan<'a> {
    fn new(path: &Path, database: &'a str, format: Format) -> Self {
        let has_errors = format.is_postgresql();
        let log = Log { path: path.display().to_string(), format, has_errors, ..Log::default() };
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
        self.note_second(at, place.offset);
        if kind == Kind::Begin
            && let Some(before) = self.open.remove(&session)
        {
            self.close(before);
        }
        let mut open = self.open.remove(&session).unwrap_or_default();
        if matches!(kind, Kind::Begin | Kind::Database) || !database.is_empty() {
            open.database = database;
        }
        open.has_begun |= kind == Kind::Begin;
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

    /// Records where a second starts in a log whose times are whole seconds.
    fn note_second(&mut self, at: i64, offset: u64) {
        self.has_fractions |= at % SECOND != 0;
        if self.has_fractions {
            self.seconds = Vec::new();
        } else if self.seconds.last().is_none_or(|(_, second)| *second != at) {
            self.seconds.push((offset, at));
        }
    }

    /// Fails if the time zone changes, because times before and after the change cannot be compared.
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
                return self.statement(open, at, place, done, false);
            }
            Kind::Echo(_) if std::mem::take(&mut open.echoes) => {
                self.leave_out(LeftOut::Echo, place.line);
            }
            Kind::Echo(done) => return self.statement(open, at, place, done, true),
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

    /// Adds a statement. `is_echo` is true if the server logged it because another statement ran it.
    fn statement(
        &mut self,
        open: &mut Open,
        at: i64,
        place: Place,
        done: Done,
        is_echo: bool,
    ) -> Result<()> {
        open.pending = None;
        let prepared = std::mem::take(&mut open.prepared);
        let is_postgresql = self.log.format.is_postgresql();
        let hidden = if is_echo || is_postgresql { None } else { self.hidden(open, &done.text) };
        let spoken = match &done.parameters {
            Some(detail) => {
                let mut text = std::mem::take(&mut self.text);
                let filled = fill(&done.text, detail, &mut text);
                let why = filled.err().or_else(|| left_out(&text, &self.log.format));
                self.text = text;
                why
            }
            None => hidden.or_else(|| left_out(&done.text, &self.log.format)),
        };
        self.log.has_errors |= done.state.is_some();
        if let Some(why) = spoken.or_else(|| self.other_database(open)) {
            self.leave_out(why, place.line);
            open.ignores = is_postgresql && done.took.is_none();
            return Ok(());
        }
        open.ignores = false;
        // The server writes a row with a duration at the end of a statement, so subtract the
        // duration to get its start.
        let begin = at - done.took.unwrap_or(0.0) as i64;
        let mut entry = self.entry(begin, place, &done.text)?;
        let group = entry.group;
        if let Some(state) = done.state.filter(|state| !state.is_empty()) {
            entry.failed = self.note_failure(group, &state);
        } else if let Some(rows) = done.rows {
            self.log.groups.returned(group, rows);
        }
        open.session.entries.push(entry);
        match done.took {
            Some(took) => self.took(group, took + prepared),
            None if is_postgresql => {
                open.prepared = prepared;
                open.pending = Some((open.session.entries.len() - 1, done.text));
            }
            None => {}
        }
        Ok(())
    }

    /// Returns the reason why a command for a prepared statement cannot be sent, or `None` if it can.
    fn hidden(&self, open: &mut Open, text: &[u8]) -> Option<LeftOut> {
        let is_general = self.log.format == Format::General;
        let command = open.prepared_names.command(text)?;
        let why = match command {
            Command::Sent => None,
            Command::Immediate if is_general => None,
            Command::HiddenExecute if !is_general => Some(LeftOut::NotPrepared),
            _ => Some(LeftOut::Hidden),
        };
        open.echoes = is_general && why.is_none();
        why
    }

    /// Counts a failed statement and returns the index of its error code, counted from 1.
    fn note_failure(&mut self, group: u32, state: &str) -> u16 {
        let known = self.log.states.iter().position(|known| known == state);
        let number = known.unwrap_or_else(|| {
            self.log.states.push(state.to_owned());
            self.log.states.len() - 1
        });
        self.log.groups.failed(group);
        self.log.failed += 1;
        (number + 1).min(usize::from(u16::MAX)) as u16
    }

    fn other_database(&mut self, open: &Open) -> Option<LeftOut> {
        let is_known = !open.database.is_empty();
        if is_known && !self.databases.contains(&open.database) {
            self.databases.insert(open.database.clone());
        }
        let is_other = !self.wanted.is_empty() && self.wanted != open.database;
        let why = if is_known || open.has_begun {
            LeftOut::OtherDatabase
        } else {
            LeftOut::UnknownDatabase
        };
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
        let syntax = self.log.format.syntax();
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

    /// Records that a statement failed. The statement itself may already have been read from an earlier record.
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
        let pending = open.pending.take();
        let same = |(_, begun): &(usize, Vec<u8>)| begun.trim_ascii() == text.trim_ascii();
        if let Some((entry, _)) = pending.filter(|begun| text.is_empty() || same(begun)) {
            let entry = &mut open.session.entries[entry];
            entry.failed = self.note_failure(entry.group, state);
            return Ok(());
        }
        if text.is_empty() {
            return Ok(());
        }
        let is_parameter = |part: Lexeme| matches!(part.token, Token::Parameter(_));
        let has_parameters = || tokens(text, Syntax::STANDARD).any(is_parameter);
        let why = left_out(text, &self.log.format);
        let why = why.or_else(|| has_parameters().then_some(LeftOut::NoParameters));
        if let Some(why) = why.or_else(|| self.other_database(open)) {
            self.leave_out(why, place.line);
            return Ok(());
        }
        let entry = self.entry(at, place, text)?;
        let failed = self.note_failure(entry.group, state);
        open.session.entries.push(Entry { failed, ..entry });
        Ok(())
    }

    fn close(&mut self, open: Open) {
        if open.session.entries.is_empty() {
            self.log.idle_sessions += 1;
        } else {
            self.log.sessions.push(open.session);
        }
    }

    /// Spreads the statements of each second over that second, in the order of the log.
    fn spread(&mut self, length: u64) {
        let seconds = std::mem::take(&mut self.seconds);
        for entry in self.log.sessions.iter_mut().flat_map(|session| &mut session.entries) {
            let next = seconds.partition_point(|(offset, _)| *offset <= entry.offset);
            let Some((start, _)) = next.checked_sub(1).map(|at| seconds[at]) else { continue };
            let end = seconds.get(next).map_or(length, |(offset, _)| *offset);
            let share = (entry.offset - start) as f64 / (end - start).max(1) as f64;
            entry.at += (share * SECOND as f64) as i64;
        }
    }

    fn finish(mut self, length: u64) -> Result<Log> {
        for (_, open) in std::mem::take(&mut self.open) {
            self.close(open);
        }
        self.require_statements()?;
        self.require_one_database()?;
        self.spread(length);
        let mut log = self.log;
        for session in &mut log.sessions {
            // If the clock was set back, statements still keep the order in which they were sent.
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
        Err(Error::usage(text).hint(self.log.format.hint()))
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
fn left_out(text: &[u8], format: &Format) -> Option<LeftOut> {
    if text.contains(&0) {
        return Some(LeftOut::ZeroByte);
    }
    let syntax = format.syntax();
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
        ["kill" | "shutdown", ..] if !format.is_postgresql() => LeftOut::Server,
        _ if format.is_postgresql() && is_several(text, syntax) => LeftOut::Several,
        _ => return None,
    })
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
mod tests;
