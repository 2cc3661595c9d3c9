//! The results of TPROC-H jobs. They contain the query times of each stream.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tacho_metrics::geometric_mean;
use tacho_store::record::{ExecutionRecord, ResultRecord};

use super::{JobFile, Jobs};

/// Number of queries in a query set.
const QUERIES: usize = 22;

/// A job's result, which is the result of its slowest stream.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct QueryResult {
    /// The virtual user that ran the stream.
    pub(super) user: u32,
    /// Number of queries that returned rows.
    pub(super) queries: usize,
    /// Number of complete query sets.
    pub(super) sets: usize,
    /// Geometric mean of the times of queries that returned rows. `None` if there were none.
    pub(super) geomean_s: Option<f64>,
    /// Time from the start of the first query to the end of the last.
    pub(super) elapsed_s: f64,
}

impl QueryResult {
    /// Returns the mean as text.
    pub(super) fn geomean(&self) -> String {
        self.geomean_s.map_or_else(|| "-".into(), |mean| format!("{mean:.5}"))
    }
}

/// Computes the result of a run of queries, or returns `None` if no query set is complete.
fn result(result: &ResultRecord) -> Option<QueryResult> {
    let queries = || result.executions.iter().filter(|one| one.transaction.starts_with('q'));
    // A session that runs only refresh functions does not count as a stream.
    let streams =
        result.streams.iter().filter(|one| queries().any(|query| query.session == one.session));
    let slowest = streams.max_by(|a, b| a.elapsed_s.total_cmp(&b.elapsed_s))?;
    let all: Vec<&ExecutionRecord> =
        queries().filter(|one| one.session == slowest.session).collect();
    let (first, last) = (all.first()?, all.last()?);
    let with_rows = all.iter().filter(|one| one.failed.is_none() && one.rows != Some(0));
    let times: Vec<Duration> = with_rows.map(|one| Duration::from_secs_f64(one.took_s)).collect();
    let sets = all.len() / QUERIES;
    (sets > 0).then(|| QueryResult {
        user: slowest.session + 1,
        queries: times.len(),
        sets,
        geomean_s: geometric_mean(times.iter().copied()),
        elapsed_s: last.sent_s + last.took_s - first.sent_s,
    })
}

/// Returns the total time of each query across all sets, in order of query number.
fn times(result: &ResultRecord, user: u32) -> Vec<(String, f64)> {
    let queries = result.executions.iter().filter(|one| one.transaction.starts_with('q'));
    let of_user = queries.filter(|one| one.session + 1 == user);
    let mut times: Vec<(u32, f64)> = Vec::new();
    for one in of_user.filter(|one| one.failed.is_none()) {
        let number = one.transaction.trim_start_matches('q').parse().unwrap_or(0);
        match times.iter_mut().find(|(known, _)| *known == number) {
            Some((_, sum)) => *sum += one.took_s,
            None => times.push((number, one.took_s)),
        }
    }
    times.sort_by_key(|(number, _)| *number);
    times.into_iter().map(|(number, sum)| (format!("Q{number}"), sum)).collect()
}

impl Jobs {
    /// Returns the result of a TPROC-H job, or `None` if no query set is complete.
    pub(super) fn query_result(&self, job: &JobFile) -> Option<QueryResult> {
        result(self.run(job)?.record.result.as_ref()?)
    }

    /// Returns the query times of one virtual user. If no user is specified, these are the times of the user whose
    /// result is reported.
    pub(super) fn query_times(&self, job: &JobFile, user: Option<u32>) -> Vec<(String, f64)> {
        let Some(result) = self.run(job).and_then(|run| run.record.result) else {
            return Vec::new();
        };
        let user = user.or_else(|| self.query_result(job).map(|found| found.user));
        user.map_or_else(Vec::new, |user| times(&result, user))
    }

    pub(super) fn query_value(&self, job: &JobFile) -> Option<Value> {
        let found = self.query_result(job)?;
        Some(json!({
            "db": job.db,
            "bm": job.bm,
            "tstamp": job.timestamp,
            "activevu": job.activevu.to_string(),
            "queries": found.queries.to_string(),
            "querysets": found.sets.to_string(),
            "geomean": found.geomean(),
            "querytime": format!("{:.3}", found.elapsed_s),
        }))
    }

    /// Returns the lines of `jobs <id> result`, which show the slowest stream.
    pub(super) fn query_lines(&self, job: &JobFile) -> Option<Vec<String>> {
        let found = self.query_result(job)?;
        let lines = job.output.iter().filter(|(user, _)| *user == found.user);
        let is_mean = |text: &str| text.starts_with("Geometric mean");
        let is_set = |text: &str| text.starts_with("Completed ") && text.contains("query set");
        let (mut means, mut sets) = (Vec::new(), Vec::new());
        for (_, text) in lines {
            if is_mean(text) {
                means.push(text.clone());
            } else if is_set(text) {
                sets.push(text.clone());
            }
        }
        // The lines with the geometric mean come first, even if they were printed after the others.
        means.append(&mut sets);
        Some(means)
    }

    /// Returns the output of `jobs <id> timing` for one virtual user.
    pub(super) fn query_timing(&self, job: &JobFile, user: Option<u32>) -> Option<Value> {
        let times = self.query_times(job, user);
        let one = |(name, seconds): (String, f64)| {
            let value = json!({
                "total_ms": format!("{:.3}", seconds * 1e3), "seconds": format!("{seconds:.3}"),
            });
            (name, value)
        };
        let is_some = !times.is_empty();
        is_some.then(|| Value::Object(times.into_iter().map(one).collect::<Map<_, _>>()))
    }

    pub(super) fn query_report(&self, job: &JobFile) -> Option<Value> {
        let found = self.query_result(job)?;
        Some(json!({
            "type": "tproc_h_result",
            "database_display": job.db,
            "active_virtual_users": job.activevu,
            "queries": found.queries,
            "query_sets": found.sets,
            "geomean_seconds": found.geomean_s,
            "total_query_time_seconds": found.elapsed_s,
            "chart_data": [
                { "metric": "Geomean", "value": found.geomean_s },
                { "metric": "Query time", "value": found.elapsed_s },
            ],
        }))
    }

    pub(super) fn query_times_report(&self, job: &JobFile) -> Value {
        let rows: Vec<Value> = self
            .query_times(job, None)
            .into_iter()
            .map(|(name, seconds)| {
                json!({ "name": name, "total_ms": seconds * 1e3, "seconds": seconds })
            })
            .collect();
        json!({ "type": "bar", "rows": rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacho_store::record::StreamRecord;

    fn execution(
        session: u32,
        number: usize,
        sent_s: f64,
        took_s: f64,
        rows: u64,
    ) -> ExecutionRecord {
        let transaction = format!("q{number}");
        ExecutionRecord {
            session,
            transaction,
            sent_s,
            took_s,
            rows: Some(rows),
            ..Default::default()
        }
    }

    #[test]
    fn the_slowest_stream_counts_and_queries_without_rows_do_not() {
        let mut executions: Vec<ExecutionRecord> = Vec::new();
        for number in (1..=QUERIES).rev() {
            let begin = (QUERIES - number) as f64;
            executions.push(execution(0, number, begin, 1.0, 1));
            executions.push(execution(1, number, begin * 2.0, 2.0, u64::from(number != 5)));
        }
        // A session that runs only refresh functions does not count as a stream, even if it takes the longest.
        let refresh = ExecutionRecord {
            session: 2,
            transaction: "rf1".into(),
            ..execution(2, 1, 0.0, 99.0, 1)
        };
        executions.push(refresh);
        let streams = [(0, 22.0), (1, 44.0), (2, 99.0)];
        let stream =
            |(session, elapsed_s)| StreamRecord { session, elapsed_s, ..StreamRecord::default() };
        let streams = streams.map(stream).to_vec();
        let record = ResultRecord { executions, streams, ..ResultRecord::default() };
        let found = result(&record).expect("a result");
        assert_eq!((found.user, found.queries, found.sets), (2, 21, 1));
        assert_eq!((found.geomean().as_str(), found.elapsed_s), ("2.00000", 44.0));
        let times = times(&record, 1);
        assert_eq!((times.len(), &times[0]), (22, &("Q1".to_owned(), 1.0)));
        // A stream that ended before completing a set has no result.
        let cut = record.executions[..30].to_vec();
        assert_eq!(result(&ResultRecord { executions: cut, ..record }), None);
    }
}
