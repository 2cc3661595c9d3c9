//! A run's time profile, computed from its histograms. It covers all virtual users and excludes the ramp-up.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use serde::Serialize;
use tacho_app::RunReport;
use tacho_core::{Error, Result};
use tacho_metrics::Latencies;
use tacho_store::{read_histograms, read_session_histograms};

use crate::clock;

/// Names of transactions in the record, each with the corresponding name in the profile.
const NAMES: [(&str, &str); 5] = [
    ("new_order", "NEWORD"),
    ("payment", "PAYMENT"),
    ("delivery", "DELIVERY"),
    ("stock_level", "SLEV"),
    ("order_status", "OSTAT"),
];

/// The times of one transaction. The fields have the same names as in the output of `jobs <id> timing`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Timing {
    /// The transaction's name in the profile. In JSON, it is the key of this object and not a field.
    #[serde(skip)]
    pub name: &'static str,
    /// Length of the measured phase.
    pub elapsed_ms: String,
    /// Number of calls.
    pub calls: String,
    /// Shortest time.
    pub min_ms: String,
    /// Mean time.
    pub avg_ms: String,
    /// Longest time.
    pub max_ms: String,
    /// Sum over all virtual users.
    pub total_ms: String,
    /// 99th percentile.
    pub p99_ms: String,
    /// 95th percentile.
    pub p95_ms: String,
    /// 75th percentile.
    pub p75_ms: String,
    /// Median.
    pub p50_ms: String,
    /// 25th percentile.
    pub p25_ms: String,
    /// Standard deviation.
    pub sd: String,
    /// Share of the total time of all virtual users.
    pub ratio_pct: String,
}

impl Timing {
    /// Returns the lines of a profile.
    fn lines(&self) -> String {
        let Self { name, calls, min_ms, avg_ms, max_ms, total_ms, sd, ratio_pct, .. } = self;
        let Self { p99_ms, p95_ms, p75_ms, p50_ms, p25_ms, .. } = self;
        format!(
            ">>>>> PROC: {name}\n\
             CALLS: {calls}\tMIN: {min_ms}ms\tAVG: {avg_ms}ms\tMAX: {max_ms}ms\tTOTAL: {total_ms}ms\n\
             P99: {p99_ms}ms\tP95: {p95_ms}ms\tP75: {p75_ms}ms\tP50: {p50_ms}ms\tP25: {p25_ms}ms\t\
             SD: {sd}ms\tRATIO: {ratio_pct}%\n"
        )
    }
}

/// Returns the transaction times of a stored run, starting with the largest share.
pub fn timings(folder: &Path, measured_s: f64, sessions: u32) -> Result<Vec<Timing>> {
    let mut all: BTreeMap<String, Latencies> = BTreeMap::new();
    for entry in read_histograms(folder)? {
        if let Some(name) = entry.tag.strip_suffix(".service") {
            all.entry(name.to_owned()).or_default().merge(&entry.latencies());
        }
    }
    Ok(sorted(&all, measured_s, sessions))
}

/// Returns the times of each virtual user, if they were recorded. There are `users` virtual users that run
/// transactions, and their numbers start at 2. Sessions are assigned to them in turn.
pub fn user_timings(
    folder: &Path,
    measured_s: f64,
    users: u32,
    sessions: u32,
) -> Result<BTreeMap<u32, Vec<Timing>>> {
    let users = users.max(1);
    let mut all: BTreeMap<u32, BTreeMap<String, Latencies>> = BTreeMap::new();
    for times in read_session_histograms(folder)? {
        let of_user = all.entry(times.session % users + 2).or_default();
        of_user.entry(times.transaction).or_default().merge(&times.service);
    }
    let each = (sessions / users).max(1);
    Ok(all.into_iter().map(|(user, of_user)| (user, sorted(&of_user, measured_s, each))).collect())
}

/// Returns the number of transactions in the measured phase, by virtual user and by name of the transaction.
pub(super) fn user_counts(
    folder: &Path,
    users: u32,
) -> Result<BTreeMap<u32, BTreeMap<String, u64>>> {
    let mut all: BTreeMap<u32, BTreeMap<String, u64>> = BTreeMap::new();
    for times in read_session_histograms(folder)? {
        let of_user = all.entry(times.session % users.max(1) + 2).or_default();
        *of_user.entry(times.transaction).or_default() += times.service.count();
    }
    Ok(all)
}

/// Returns the times of all transactions, starting with the largest share.
fn sorted(all: &BTreeMap<String, Latencies>, measured_s: f64, sessions: u32) -> Vec<Timing> {
    let mut timings: Vec<(f64, Timing)> = NAMES
        .iter()
        .filter_map(|(ours, name)| Some((*name, all.get(*ours)?)))
        .map(|(name, times)| timing(name, times, measured_s, sessions))
        .collect();
    timings.sort_by(|a, b| b.0.total_cmp(&a.0));
    timings.into_iter().map(|(_, timing)| timing).collect()
}

fn timing(name: &'static str, times: &Latencies, measured_s: f64, sessions: u32) -> (f64, Timing) {
    let text = |ms: f64| format!("{ms:.3}");
    let ms = |nanos: f64| text(nanos / 1e6);
    let at = |quantile: f64| text(times.quantile(quantile).as_secs_f64() * 1e3);
    let total_ms = times.inner().mean() * times.count() as f64 / 1e6;
    let ratio = total_ms / (measured_s * 1e3 * f64::from(sessions.max(1))) * 100.0;
    let timing = Timing {
        name,
        elapsed_ms: format!("{:.0}", measured_s * 1e3),
        calls: times.count().to_string(),
        min_ms: text(times.min().as_secs_f64() * 1e3),
        avg_ms: ms(times.inner().mean()),
        max_ms: text(times.max().as_secs_f64() * 1e3),
        total_ms: text(total_ms),
        p99_ms: at(0.99),
        p95_ms: at(0.95),
        p75_ms: at(0.75),
        p50_ms: at(0.5),
        p25_ms: at(0.25),
        sd: ms(times.inner().stdev()),
        ratio_pct: text(ratio),
    };
    (ratio, timing)
}

/// Length of the rulers in a time profile.
const RULER: usize = 75;

/// Returns a ruler of the given length, as HammerDB prints it below the title of a file.
pub fn ruler(length: usize) -> String {
    "+-".repeat(length.div_ceil(2))[..length].to_owned()
}

/// Appends the profile of a run to a file. Returns the number of virtual users whose times were recorded.
pub(super) fn write(path: &Path, database: &str, users: u32, report: &RunReport) -> Result<usize> {
    let (record, result) = (&report.record, report.record.result.as_ref());
    let measured_s = result.map_or(0.0, |result| result.measured_s);
    let sessions = record.plan.load.sessions;
    let timings = timings(&report.folder, measured_s, sessions)?;
    let each = user_timings(&report.folder, measured_s, users, sessions)?;
    let ruler = ruler(RULER);
    let mut text = format!("{database} Hammerdb Time Profile Report @ {}\n{ruler}\n", clock::now());
    let elapsed = format!("ELAPSED TIME : {:.0}ms", measured_s * 1e3);
    for (user, of_user) in &each {
        let head = format!(">>>>> VIRTUAL USER {user} : {elapsed}\n");
        text.push_str(&head);
        text.extend(of_user.iter().map(Timing::lines));
        text.push_str(&ruler);
        text.push('\n');
    }
    let summary = format!(">>>>> SUMMARY OF {users} ACTIVE VIRTUAL USERS : MEDIAN {elapsed}\n");
    text.push_str(&summary);
    text.extend(timings.iter().map(Timing::lines));
    text.push_str(&ruler);
    text.push('\n');
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| {
        Error::from(error)
            .during(format!("write {}", path.display()))
            .hint("set TMP to a writable folder")
    })?;
    Ok(each.len())
}
