//! Prints a run's queries as lines of virtual user output.
//!
//! The lines about a query are not printed as soon as the query finishes, but at the end of the current interval.

use std::collections::BTreeMap;
use std::time::Duration;

use tacho_engine::Interrupt;
use tacho_metrics::geometric_mean;
use tacho_store::record::{ExecutionRecord, Record};
use tacho_store::{Event, EventKind, Listener};

use super::super::run::version;
use super::super::transcript::{State, Transcript};
use super::StreamsTask;

/// Number of queries in a TPC-H query set, and in a set of cloud queries.
const QUERIES: [u64; 2] = [22, 13];

/// Texts of statements, by name.
pub(super) type Texts = BTreeMap<String, String>;

/// The state of one stream.
#[derive(Clone, Debug, Default)]
struct Stream {
    /// Number of queries that have finished, including failed ones.
    ended: u64,
    /// Number of completed pairs of refresh functions.
    pairs: u64,
    /// Start of the current pair.
    pair_from_s: f64,
    /// Time at which the first query was sent.
    begin_s: f64,
    /// Times of the queries in the current set that returned rows.
    times: Vec<Duration>,
}

/// Prints a run's queries as lines of virtual user output.
pub(super) struct StreamLines<'a> {
    task: &'a StreamsTask,
    transcript: &'a Transcript,
    /// The signal that stops the run. It is raised after a failed query if the script requests this.
    interrupt: Interrupt,
    streams: Vec<Stream>,
    texts: Texts,
    /// A description of the schema, if HammerDB built it.
    adopted: Option<String>,
    /// Number of queries that have been printed so far, over all streams.
    printed: usize,
    /// The virtual user whose failed query ended the run, if any.
    raised: Option<u32>,
}

impl<'a> StreamLines<'a> {
    pub(super) fn new(
        task: &'a StreamsTask,
        transcript: &'a Transcript,
        interrupt: Interrupt,
    ) -> Self {
        Self {
            task,
            transcript,
            interrupt,
            streams: vec![Stream::default(); task.plan.users as usize],
            texts: Texts::new(),
            adopted: None,
            printed: 0,
            raised: None,
        }
    }

    /// Sets the description of the schema, which is printed after the database version.
    pub(super) fn adopt(&mut self, words: String) {
        self.adopted = Some(words);
    }

    /// Enables printing the text of each query.
    pub(super) fn show(&mut self, texts: Texts) {
        self.texts = texts;
    }

    /// Returns the virtual user whose failed query ended the run, if any.
    pub(super) fn raised(&self) -> Option<u32> {
        self.raised
    }

    /// Returns true if a virtual user has completed all its queries.
    pub(super) fn is_complete(&self, user: u32) -> bool {
        let stream = self.streams.get(user as usize - 1);
        let plan = &self.task.plan;
        stream.is_some_and(|stream| {
            // One virtual user only refreshes the data. It runs one pair of refresh functions for each query stream.
            let (wanted, done) = if plan.refresher == Some(user) {
                (u64::from(plan.users - 1), stream.pairs)
            } else {
                (plan.query_sets * self.queries(), stream.ended)
            };
            done == wanted
        })
    }

    /// Prints the queries of a finished run that have not been printed yet.
    pub(super) fn rest(&mut self, all: &[ExecutionRecord]) {
        let rest = all.get(self.printed..).unwrap_or_default();
        self.executions(rest);
    }

    /// Returns the number of queries in a set.
    fn queries(&self) -> u64 {
        QUERIES[usize::from(self.task.plan.cloud)]
    }

    fn ended(&mut self, one: &ExecutionRecord) {
        let (user, queries) = (one.session + 1, self.queries());
        let Some(stream) = self.streams.get_mut(one.session as usize) else { return };
        if one.transaction.starts_with("rf") {
            return self.refreshed(one);
        }
        if stream.ended == 0 {
            stream.begin_s = one.sent_s;
        }
        stream.ended += 1;
        let place = (stream.ended - 1) % queries + 1;
        if one.failed.is_none() && one.rows != Some(0) {
            stream.times.push(Duration::from_secs_f64(one.took_s));
        }
        self.tell(one, place);
        if one.failed.is_some() && self.task.plan.raise_error && self.raised.is_none() {
            self.raised = Some(user);
            self.interrupt.press();
        }
        if place == queries {
            self.set_complete(one);
        }
    }

    /// Prints a message saying that a refresh function has finished or failed.
    fn refreshed(&mut self, one: &ExecutionRecord) {
        let user = one.session + 1;
        let is_new = one.transaction == "rf1";
        let name = if is_new { "New Sales refresh" } else { "Old Sales refresh" };
        self.transcript.says(user, name);
        if let Some(class) = &one.failed {
            return self.transcript.says(user, format!("{name} failed : {class}"));
        }
        self.transcript.says(user, format!("{name} complete in {} seconds", seconds(one.took_s)));
        let stream = &mut self.streams[one.session as usize];
        if is_new {
            stream.pair_from_s = one.sent_s;
            return;
        }
        stream.pairs += 1;
        let elapsed = one.sent_s + one.took_s - stream.pair_from_s;
        let text = format!("Completed update set(s) {} in {elapsed:.0} seconds", stream.pairs);
        self.transcript.says(user, text);
    }

    fn tell(&self, one: &ExecutionRecord, place: u64) {
        let (user, query) = (one.session + 1, one.transaction.trim_start_matches(['q', 'c']));
        let (queries, cloud) = (self.queries(), self.task.plan.cloud);
        let number = if cloud { String::new() } else { format!("{query} ") };
        self.transcript.says(user, format!("Executing Query {number}({place} of {queries})"));
        for line in self.texts.get(&one.transaction).into_iter().flat_map(|text| text.lines()) {
            self.transcript.says(user, line);
        }
        if let Some(class) = &one.failed {
            return self.transcript.says(user, format!("Query Failed : query {query} : {class}"));
        }
        if let (true, Some(rows)) = (cloud, one.rows) {
            let text = format!("{rows} rows returned in {} seconds", seconds(one.took_s));
            return self.transcript.says(user, text);
        }
        self.transcript
            .says(user, format!("query {query} completed in {} seconds", seconds(one.took_s)));
        if let Some(rows) = one.rows
            && (self.task.plan.verbose || self.task.prefix != "pg")
        {
            self.transcript.says(user, format!("query {query} returned {rows} rows"));
        }
    }

    /// Prints a message saying that a query set has finished. Called after the last query of the set.
    fn set_complete(&mut self, last: &ExecutionRecord) {
        let (user, queries) = (last.session + 1, self.queries());
        let stream = &mut self.streams[last.session as usize];
        let sets = stream.ended / queries;
        let elapsed = last.sent_s + last.took_s - stream.begin_s;
        let times = std::mem::take(&mut stream.times);
        let done = if self.task.plan.cloud {
            format!("Completed query set in {elapsed:.0} seconds")
        } else {
            format!("Completed {sets} query set(s) in {elapsed:.0} seconds")
        };
        self.transcript.says(user, done);
        let text = match geometric_mean(times.iter().copied()) {
            Some(mean) => {
                // For cloud queries on PostgreSQL, HammerDB does not print the number of queries.
                let bare = self.task.plan.cloud && self.task.prefix == "pg";
                let count = if bare { String::new() } else { format!(" ({})", times.len()) };
                format!("Geometric mean of query times returning rows{count} is {mean:.5}")
            }
            None => "No geometric mean: no query returned rows".into(),
        };
        self.transcript.says(user, text);
    }
}

/// Formats seconds with up to three decimal places, as HammerDB does.
fn seconds(span_s: f64) -> String {
    format!("{span_s:.3}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Listener for StreamLines<'_> {
    fn on(&mut self, event: &Event) {
        match event {
            Event::Note { text } => self.transcript.says(1, text.as_str()),
            Event::Begins { record, .. } => self.begins(record),
            Event::Executions { executions } => self.executions(executions),
            _ => {}
        }
    }

    fn wants(&self, kind: EventKind) -> bool {
        kind != EventKind::Standing
    }
}

impl StreamLines<'_> {
    fn executions(&mut self, executions: &[ExecutionRecord]) {
        for one in executions {
            self.ended(one);
        }
        self.printed += executions.len();
    }

    fn begins(&mut self, record: &Record) {
        self.transcript.record(&record.id);
        let (loaded, wanted) = (&record.plan.scale.to_string(), &self.task.plan.scale);
        for user in 1..=self.task.plan.users {
            self.transcript.is(user, State::Running);
            if user == 1 {
                self.transcript.says(1, format!("DBVersion:{}", version(&record.server.version)));
                if let Some(words) = self.adopted.take() {
                    self.transcript.says(1, words);
                }
            }
            self.transcript.says(user, "Verifying the scale factor of the existing schema...");
            if loaded != wanted {
                self.transcript.says(
                    user,
                    format!(
                        "The setting of the scale factor ({wanted}) is different from that of the \
                         schema ({loaded}), updating the scale factor to {loaded}."
                    ),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_no_trailing_zeros() {
        for (span, text) in [(0.0014, "0.001"), (12.5, "12.5"), (3.0, "3"), (0.0, "0")] {
            assert_eq!(seconds(span), text);
        }
    }
}
