//! The output of `jobs …` in HammerDB's formats.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tacho_store::record::Record;

use super::{ALL_COMPLETE, JobFile, Jobs};
use crate::work::{Timing, timings, user_timings};

/// The output of a `jobs` command, or an error message.
pub type Answer = Result<String, String>;

pub(super) fn pretty(value: &Value) -> String {
    format!("{value:#}")
}

fn list(texts: impl IntoIterator<Item = String>) -> String {
    pretty(&Value::Array(texts.into_iter().map(Value::String).collect()))
}

/// Formats a value as a list that has one element, on a single line.
fn fact(text: &str) -> String {
    Value::from(vec![text]).to_string()
}

/// Converts JSON to text. Each list element becomes a line. Pairs are formatted in the same way as in the output of
/// `print dict`.
pub fn plain(answer: &str) -> String {
    match serde_json::from_str(answer) {
        Ok(Value::Array(elements)) => elements.iter().map(word).collect::<Vec<_>>().join("\n"),
        Ok(Value::Object(pairs)) => block(&pairs, 0),
        _ => answer.to_owned(),
    }
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn block(pairs: &Map<String, Value>, depth: usize) -> String {
    let width = pairs.keys().map(String::len).max().unwrap_or(0);
    let margin = " ".repeat(depth);
    let line = |(key, value): (&String, &Value)| match value {
        Value::Object(inner) => {
            format!("{margin}{key} {{\n{}\n{margin}}}", block(inner, depth + 1))
        }
        Value::Array(elements) => {
            let words: Vec<String> = elements.iter().map(word).collect();
            format!("{margin}{key:width$} = {}", words.join(" "))
        }
        value => format!("{margin}{key:width$} = {}", word(value)),
    };
    pairs.iter().map(line).collect::<Vec<_>>().join("\n")
}

const NO_RESULT: &str = "Jobid has no test result";

impl Jobs {
    /// Returns the ids of all jobs.
    pub fn ids(&self) -> Vec<String> {
        self.all().into_iter().map(|job| job.jobid).collect()
    }

    /// Returns the table that `jobs` prints.
    pub fn table(&self) -> String {
        let head = ["Jobid", "Database", "Date", "Workload", "NOPM|Geomean", "Status"];
        let mut lines = vec![row(head)];
        lines.extend(self.rows().iter().map(|cells| row(cells.each_ref().map(String::as_str))));
        lines.join("\n")
    }

    /// Returns the rows of the table that `jobs` prints.
    pub fn rows(&self) -> Vec<[String; 6]> {
        let mut rows = Vec::new();
        let jobs = self.all();
        let scores: Vec<Option<(f64, String)>> = jobs.iter().map(|job| self.score(job)).collect();
        let best = |job: &JobFile, candidate: &Option<(f64, String)>| {
            let same = |other: &JobFile| other.db == job.db && other.bm == job.bm;
            let others = jobs.iter().zip(&scores).filter(|(other, _)| same(other));
            let mut others = others.filter_map(|(_, score)| score.as_ref());
            candidate.as_ref().is_some_and(|candidate| others.all(|other| other.0 <= candidate.0))
        };
        for (job, score) in jobs.iter().zip(&scores) {
            let figure = score.as_ref().map_or("-", |(_, figure)| figure);
            let status = if best(job, score) { "TOP" } else { &job.status };
            let workload = format!("{} {}", job.bm, kind(&job.kind));
            let cells = [&job.jobid, &job.db, &job.timestamp, workload.trim_end(), figure, status];
            rows.push(cells.map(str::to_owned));
        }
        rows
    }

    /// Returns the job's result as a number for sorting and as text. A higher number means a better result.
    fn score(&self, job: &JobFile) -> Option<(f64, String)> {
        if job.asks_queries() {
            let found = self.query_result(job)?;
            return Some((-found.geomean_s?, found.geomean()));
        }
        self.result(job).map(|(nopm, _)| (nopm as f64, nopm.to_string()))
    }

    /// Returns the output of `jobs result`.
    pub fn all_results(&self) -> String {
        let mut all = Map::new();
        for job in self.all() {
            let value = self.result_value(&job).unwrap_or_else(|| NO_RESULT.into());
            all.insert(job.jobid, value);
        }
        pretty(&Value::Object(all))
    }

    pub(super) fn result_value(&self, job: &JobFile) -> Option<Value> {
        if job.asks_queries() {
            return self.query_value(job);
        }
        let (nopm, tpm) = self.result(job)?;
        Some(json!({
            "db": job.db,
            "bm": job.bm,
            "tstamp": job.timestamp,
            "activevu": job.activevu.to_string(),
            "nopm": nopm.to_string(),
            "tpm": tpm.to_string(),
        }))
    }

    /// Returns the output of `jobs timestamp`.
    pub fn all_timestamps(&self) -> String {
        let all: Map<String, Value> =
            self.all().into_iter().map(|job| (job.jobid, job.timestamp.into())).collect();
        pretty(&Value::Object(all))
    }

    /// Returns the output of `jobs <id> …`.
    pub fn about(&self, id: &str, words: &[&str], as_text: bool) -> Answer {
        let answer = self.fact_of(id, words, as_text);
        if as_text { answer.map(|text| plain(&text)) } else { answer }
    }

    fn fact_of(&self, id: &str, words: &[&str], as_text: bool) -> Answer {
        let job = self.find(id)?;
        match words {
            [] => Ok(output(&job.output, as_text)),
            ["bm"] => Ok(fact(&job.bm)),
            ["db"] => Ok(fact(&job.db)),
            ["timestamp"] => Ok(pretty(&json!({ job.jobid: job.timestamp }))),
            ["dict"] => Ok(pretty(&json!(job.dict))),
            ["status"] => Ok(status(&job, as_text)),
            ["result"] => Ok(self.one_result(&job)),
            ["tcount"] => tcount(&job),
            ["timing"] if job.asks_queries() => self.query_timing_answer(&job, None),
            ["timing", user] if job.asks_queries() => self.query_timing_answer(&job, Some(user)),
            ["timing"] => self.timing(&job),
            ["timing", user] => self.user_timing(&job, user),
            ["metrics"] => metrics(&job),
            ["system"] => self.system(&job),
            ["delete"] => {
                job.remove(&job.folder).map_err(|error| error.to_string())?;
                let trouble = self.database.delete(id).err().map(|why| format!("\nWarning: {why}"));
                Ok(format!("Deleted Jobid {id}{}", trouble.unwrap_or_default()))
            }
            [user] if user.parse::<u32>().is_ok() => {
                let number = user.parse::<u32>().unwrap_or_default();
                let lines: Vec<(u32, String)> =
                    job.output.into_iter().filter(|(by, _)| *by == number).collect();
                if lines.is_empty() {
                    return Err(format!("Jobid {id} for virtual user {user} does not exist"));
                }
                Ok(output(&lines, as_text))
            }
            _ => Err(format!("Error: Usage: [ jobs <jobid> {} ]", FACTS.join(" | "))),
        }
    }

    fn query_timing_answer(&self, job: &JobFile, user: Option<&str>) -> Answer {
        let number = user.map(|user| user.parse().unwrap_or(0));
        let found = self.query_timing(job, number).map(|value| pretty(&value));
        found.ok_or_else(|| match user {
            Some(user) => format!("No Timing Data for VU {user} for JOB {}", job.jobid),
            None => format!("Jobid {} has no timing data", job.jobid),
        })
    }

    fn one_result(&self, job: &JobFile) -> String {
        if job.asks_queries() {
            let head = [job.jobid.clone()];
            return match self.query_lines(job) {
                Some(lines) => list(head.into_iter().chain([job.timestamp.clone()]).chain(lines)),
                None => list(head.into_iter().chain([NO_RESULT.into()])),
            };
        }
        let lines: Vec<String> = job
            .output
            .iter()
            .map(|(_, text)| text.clone())
            .filter(|text| text.ends_with(" configured") || text.starts_with("TEST RESULT"))
            .collect();
        if self.result(job).is_none() {
            return list([job.jobid.clone(), NO_RESULT.into()]);
        }
        list([job.jobid.clone(), job.timestamp.clone()].into_iter().chain(lines))
    }

    /// Returns the times of a job's transactions. Empty if there is no readable run record that contains measurements.
    pub(super) fn times(&self, job: &JobFile) -> Vec<Timing> {
        self.read_times(job).unwrap_or_default()
    }

    fn read_times(&self, job: &JobFile) -> tacho_core::Result<Vec<Timing>> {
        let Some(run) = self.run(job) else { return Ok(Vec::new()) };
        let measured_s = run.record.result.as_ref().map_or(0.0, |result| result.measured_s);
        timings(&run.path, measured_s, run.record.plan.load.sessions)
    }

    fn timing(&self, job: &JobFile) -> Answer {
        let none = format!("Jobid {} has no timing data", job.jobid);
        match self.read_times(job) {
            Ok(times) if times.is_empty() => Err(none),
            Ok(times) => Ok(profile(times)),
            Err(error) => Err(format!("{none}: {error}")),
        }
    }

    /// Returns the transaction times of each virtual user, if the run recorded them.
    pub(super) fn user_times(&self, job: &JobFile) -> BTreeMap<u32, Vec<Timing>> {
        let Some(run) = self.run(job) else { return BTreeMap::new() };
        let measured_s = run.record.result.as_ref().map_or(0.0, |result| result.measured_s);
        let sessions = run.record.plan.load.sessions;
        user_timings(&run.path, measured_s, job.activevu, sessions).unwrap_or_default()
    }

    /// Returns the transaction times of one virtual user.
    fn user_timing(&self, job: &JobFile, user: &str) -> Answer {
        let none = |why: &str| {
            let id = &job.jobid;
            Err(format!("No Timing Data for VU {user} for JOB {id}: {why}"))
        };
        let Ok(number) = user.parse::<u32>() else { return none("it is not a number") };
        if self.run(job).is_none() {
            return none("its run record no longer exists");
        }
        let all = self.user_times(job);
        if all.is_empty() {
            return none("it ran without timeprofile");
        }
        match all.into_iter().find(|(known, _)| *known == number) {
            Some((_, times)) => Ok(profile(times)),
            None => none("it ran no transactions"),
        }
    }

    pub(super) fn system_value(&self, job: &JobFile) -> Option<Value> {
        let Record { host, .. } = self.run(job)?.record;
        Some(json!({
            "hostname": host.name,
            "cpumodel": host.cpu,
            "cpucount": host.cores.to_string(),
            "system_vendor": "",
            "system_type": host.arch,
            "os_name": host.os,
            "memory": format!("{} MB", host.memory_bytes / 1_000_000),
            "nic": "",
            "storage": "",
            "cloud_instance": "",
            "other_software": "",
            "extra": host.kernel,
        }))
    }

    fn system(&self, job: &JobFile) -> Answer {
        let value = self.system_value(job);
        value
            .map(|value| pretty(&value))
            .ok_or_else(|| format!("Jobid {} has no system data", job.jobid))
    }
}

/// Formats times by transaction.
fn profile(times: Vec<Timing>) -> String {
    let all = times.into_iter().map(|timing| (timing.name.to_owned(), json!(timing)));
    pretty(&Value::Object(all.collect()))
}

/// Arguments of `jobs <id> …`.
const FACTS: [&str; 14] = [
    "bm",
    "db",
    "dict",
    "timestamp",
    "status",
    "result",
    "<vu>",
    "tcount",
    "timing",
    "metrics",
    "system",
    "delete",
    "save",
    "getchart",
];

fn row(cells: [&str; 6]) -> String {
    let [id, db, date, workload, nopm, status] = cells;
    format!("{id:24} {db:12} {date:19} {workload:21} {nopm:>12} {status}")
}

/// Returns HammerDB's name for a job type, which depends on the job's command.
fn kind(kind: &str) -> &'static str {
    match kind {
        "build" => "Schema Build",
        "check" => "Schema Check",
        "delete" => "Schema Delete",
        "run" => "Benchmark Run",
        _ => "",
    }
}

fn output(lines: &[(u32, String)], as_text: bool) -> String {
    if as_text {
        let lines: Vec<String> =
            lines.iter().map(|(user, text)| format!("Virtual User {user}: {text}")).collect();
        return lines.join("\n");
    }
    list(lines.iter().flat_map(|(user, text)| [user.to_string(), text.clone()]))
}

fn status(job: &JobFile, as_text: bool) -> String {
    let mut lines: Vec<(u32, String)> =
        job.output.iter().filter(|(user, _)| *user == 0).cloned().collect();
    // The output must end with the line that reports completion. Add this line if it is missing, because earlier
    // versions did not record it.
    let complete = |(_, text): &(u32, String)| text == ALL_COMPLETE;
    if job.status != "RUNNING" && !lines.last().is_some_and(complete) {
        lines.push((0, ALL_COMPLETE.to_owned()));
    }
    output(&lines, as_text)
}

fn tcount(job: &JobFile) -> Answer {
    if job.tcount.is_empty() {
        return Err(format!("Jobid {} has no transaction counter data", job.jobid));
    }
    let mut points = Map::new();
    for (at, value) in &job.tcount {
        // Keep the first value of each second, so that a series starts with 0 even if another value follows in the same
        // second.
        points.entry(at.clone()).or_insert_with(|| value.to_string().into());
    }
    Ok(pretty(&json!({ job.counter.clone(): Value::Object(points) })))
}

fn metrics(job: &JobFile) -> Answer {
    if job.metrics.is_empty() {
        return Err(format!("Jobid {} has no metrics data", job.jobid));
    }
    let text = |value: f64| format!("{value:.2}");
    let samples = job.metrics.iter().map(|sample| {
        let value = json!({
            "usr%": text(sample.usr), "sys%": text(sample.sys), "irq%": text(sample.irq),
            "idle%": text(sample.idle), "iops": text(sample.iops), "mbps": text(sample.mbps),
        });
        (sample.timestamp.clone(), value)
    });
    Ok(pretty(&Value::Object(samples.collect())))
}
