//! Plain lines in fixed columns. They are easy to read on a terminal and to search with `grep`.

use std::io::Write;
use std::time::Duration;

use tacho_core::units::{counted, grouped, latency, span};
use tacho_metrics::Phase;
use tacho_report::{interval_header, interval_line};
use tacho_store::event::{BuildState, CheckState, EndedQuery, StreamState};
use tacho_store::{Event, IntervalRecord, Listener};

use super::build::{BuildView, whole};
use crate::printer::say;
use crate::world::{Canvas, World};

/// Number of lines between two headers, which is about one screen.
const SCREEN: usize = 20;
/// Interval between lines in a log that report the progress of a running query stream.
const EVERY: Duration = Duration::from_secs(30);
/// Time until the progress of checks is first reported in a log, and the time between later reports.
const FIRST_CHECKS: Duration = Duration::from_secs(1);
const BETWEEN_CHECKS: Duration = Duration::from_secs(5);
/// Maximum number of streams that are listed in the last line of a terminal. If there are more, only their number
/// is shown.
const SHOWN: usize = 2;

/// Writes one line per interval.
pub(super) struct Plain {
    headline: Option<String>,
    terminal: bool,
    lines: usize,
    build: Option<BuildView>,
    /// Time of the next report on running query streams; absent until the first stream starts.
    streams: Option<Duration>,
    /// Time of the next report on running checks.
    checks: Duration,
}

impl Plain {
    pub(super) fn new(headline: Option<&str>, world: &World) -> Self {
        let headline = headline.map(str::to_owned);
        // A terminal without cursor control is treated like a log.
        let terminal = matches!(world.canvas, Canvas::Screen { .. });
        Self { headline, terminal, lines: 0, build: None, streams: None, checks: FIRST_CHECKS }
    }

    /// Overwrites the current line of a terminal.
    fn transient(&self, text: &str) {
        if self.terminal {
            let mut err = std::io::stderr().lock();
            let text = tacho_core::visible(text);
            let _ = write!(err, "\r\u{1b}[K{text}").and_then(|()| err.flush());
        }
    }
}

impl Listener for Plain {
    fn on(&mut self, event: &Event) {
        match event {
            Event::Note { text } => say(text),
            Event::Build { build } => self.build(build),
            Event::BuildOver => {
                if let Some(build) = self.build.take() {
                    build.over();
                }
            }
            Event::Phase { phase, length } => self.phase(phase, *length),
            Event::Streams { at, streams } => self.streams(*at, streams),
            Event::Interval { interval } => self.interval(interval),
            Event::Ending { step } => self.transient(&format!("{step} …")),
            Event::Check { check } => self.checking(check),
            Event::CheckOver => {
                self.checks = FIRST_CHECKS;
                self.transient("");
            }
            _ => {}
        }
    }
}

impl Plain {
    fn build(&mut self, state: &BuildState) {
        let terminal = self.terminal;
        self.build.get_or_insert_with(|| BuildView::new(terminal, state)).show(state);
    }

    fn phase(&mut self, phase: &str, length: Option<Duration>) {
        if phase == Phase::RampUp.name() || self.lines == 0 {
            let length = length.map_or_else(String::new, |length| format!(" for {}", span(length)));
            say(&format!("{phase}{length}; press Ctrl-C to stop and print the summary"));
        }
    }

    /// Prints a line for each finished transaction. Running transactions appear in a terminal's last line, or
    /// occasionally in a log.
    fn streams(&mut self, at: Duration, streams: &[StreamState]) {
        self.transient("");
        for (stream, asked) in
            streams.iter().flat_map(|one| one.ended.iter().map(move |asked| (one, asked)))
        {
            say(&ended(at, stream, asked));
        }
        let due = *self.streams.get_or_insert(EVERY);
        let going = streams.iter().filter(|stream| stream.now().is_some());
        if self.terminal {
            let all: Vec<String> = going.map(|stream| going_on(at, stream)).collect();
            let more = all.len().saturating_sub(SHOWN);
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            self.transient(&(all[..all.len().min(SHOWN)].join("; ") + &more));
        } else if at >= due {
            self.streams = Some(at + EVERY);
            going.for_each(|stream| say(&format!("{}  {}", clock(at), going_on(at, stream))));
        }
    }

    fn interval(&mut self, interval: &IntervalRecord) {
        // Do not print the intervals of query streams, because each query has its own line.
        if self.streams.is_some() {
            return;
        }
        if self.lines.is_multiple_of(SCREEN) {
            let (queries, open) = (interval.queries_per_hour.is_some(), interval.backlog.is_some());
            say(&interval_header(self.headline.as_deref(), queries, open));
        }
        self.lines += 1;
        say(&interval_line(interval));
    }

    /// Shows the progress of the checks in the last line of a terminal, or occasionally in a log.
    fn checking(&mut self, state: &CheckState) {
        let remaining = state
            .remaining
            .map_or_else(String::new, |rest| format!("   remaining about {}", span(whole(rest))));
        let elapsed = span(whole(state.elapsed));
        let (done, count) = (state.done, state.count);
        let line =
            format!("checking, {done} of {count} queries done   elapsed {elapsed}{remaining}");
        if self.terminal {
            self.transient(&line);
        } else if state.elapsed >= self.checks {
            self.checks = state.elapsed + BETWEEN_CHECKS;
            say(&line);
        }
    }
}

/// Describes a finished transaction: `00:12  session 1  q14 250 ms  1 row  3 of 22`.
fn ended(at: Duration, stream: &StreamState, asked: &EndedQuery) -> String {
    let outcome = match (&asked.failed, asked.rows) {
        (Some(why), _) => format!("FAILED: {why}"),
        (None, Some(rows)) => counted(rows, "row"),
        (None, None) => "done".into(),
    };
    let (session, name, took) = (stream.session, &asked.transaction, latency(asked.took));
    format!("{}  session {session}  {name:<6} {took:>8}  {outcome}", clock(at))
}

/// Describes a running stream: `session 1: q14 for 12s, 3 of 22 done, about 2m left`.
fn going_on(at: Duration, stream: &StreamState) -> String {
    let now = stream.now().map_or_else(String::new, |(name, since)| {
        format!("{name} for {}, ", span(whole(at.saturating_sub(since))))
    });
    let done = match stream.left {
        Some(left) => format!("{} of {} done", grouped(stream.done), grouped(stream.done + left)),
        None => format!("{} done", grouped(stream.done)),
    };
    let left = stream
        .remaining
        .map_or_else(String::new, |rest| format!(", about {} left", span(whole(rest))));
    format!("session {}: {now}{done}{left}", stream.session)
}

fn clock(at: Duration) -> String {
    let seconds = at.as_secs();
    format!("{:02}:{:02}", seconds / 60, seconds % 60)
}
