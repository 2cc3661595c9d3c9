//! A job's rows in HammerDB's job database.

use serde_json::{Value, json};

use super::database::Row;
use super::{JobFile, Jobs};
use crate::tcl::nested;
use crate::work::Timing;

/// A table with one of its rows.
type Placed = (&'static str, Row);

impl Jobs {
    /// Stores a job that begins, so that scripts find it while it runs.
    pub(super) fn store_beginning(&mut self, job: &JobFile) {
        self.database.put(&job.jobid, &[main(job)]);
    }

    /// Stores all rows of a job that has ended, unless there is no job database.
    pub(super) fn store_ended(&mut self, job: &JobFile) {
        if self.database.path().is_none() {
            return;
        }
        let mut rows = vec![main(job)];
        rows.extend(
            job.output
                .iter()
                .map(|(user, text)| ("JOBOUTPUT", vec![pair("vu", user), pair("output", text)])),
        );
        rows.extend(job.tcount.iter().map(|(at, value)| {
            let metric = pair("metric", &job.counter);
            ("JOBTCOUNT", vec![pair("counter", value), metric, pair("timestamp", at)])
        }));
        rows.extend(job.metrics.iter().map(|sample| ("JOBMETRIC", fields(&json!(sample)))));
        rows.extend(self.system_value(job).map(|system| ("JOBSYSTEM", fields(&system))));
        if !job.asks_queries() && job.stores_timing {
            rows.extend(self.timing_rows(job));
        }
        self.database.put(&job.jobid, &rows);
    }

    /// Returns the times of each virtual user and, with number 0, of all virtual users.
    fn timing_rows(&self, job: &JobFile) -> Vec<Placed> {
        let each = self.user_times(job).into_iter().flat_map(|(user, times)| {
            times.into_iter().map(move |timing| timing_row(user, "0", &timing))
        });
        let all = self.times(job);
        each.chain(all.iter().map(|timing| timing_row(0, "1", timing))).collect()
    }
}

fn main(job: &JobFile) -> Placed {
    let sections = job.dict.iter().map(|(section, pairs)| {
        let pairs = pairs.as_object().into_iter().flatten();
        let pairs = pairs.map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default()));
        (section.as_str(), pairs.collect())
    });
    let row = vec![
        pair("db", &job.db),
        pair("bm", &job.bm),
        pair("jobdict", nested(sections)),
        pair("timestamp", &job.timestamp),
        pair("profile_id", job.profile_id),
    ];
    ("JOBMAIN", row)
}

fn timing_row(user: u32, summary: &str, timing: &Timing) -> Placed {
    let mut row = fields(&json!(timing));
    row.extend([pair("vu", user), pair("procname", timing.name), pair("summary", summary)]);
    ("JOBTIMING", row)
}

#[expect(clippy::needless_pass_by_value, reason = "numbers and references are passed")]
fn pair(name: &str, value: impl ToString) -> (String, String) {
    (name.to_owned(), value.to_string())
}

/// Returns the fields of a JSON object.
fn fields(value: &Value) -> Row {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let fields = value.as_object().into_iter().flatten();
    fields.map(|(name, value)| (name.clone(), text(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dictionary_is_one_of_tcl() {
        let dict =
            json!({ "connection": { "pg_host": "a b", "pg_pass": "" }, "tpcc": { "pg_vu": "1" } });
        let job =
            JobFile { dict: dict.as_object().expect("sections").clone(), ..JobFile::default() };
        let (table, row) = main(&job);
        assert_eq!(table, "JOBMAIN");
        assert!(
            row.contains(&pair("jobdict", "connection {pg_host {a b} pg_pass {}} tpcc {pg_vu 1}")),
            "{row:?}"
        );
    }
}
