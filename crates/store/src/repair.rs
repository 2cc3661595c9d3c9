//! Rebuilds a damaged `run.json` from the other files of the run.
//!
//! A rebuilt record is INVALID, because some data is lost. The damaged record is kept in another file.
//!
//! Start reading at [`Store::repair`].

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use tacho_core::{Error, ErrorKind, Result};
use tacho_metrics::Latencies;

use crate::entry::{self, Entry, Run, file_name};
use crate::lock::{self, EditLock};
use crate::record::{
    DistributionRecord, FORMAT, HostRecord, LedgerRecord, NoticeRecord, PlanRecord, Record,
    ResultRecord, RunState, RunVerdict, ServerRecord, TransactionRecord, VERSION,
};
use crate::select::place;
use crate::{
    HistogramEntry, IntervalRecord, IntervalTransaction, Seal, Store, failure, folder,
    read_all_intervals, read_histograms, regular, seal, writer,
};

/// Id, name and hint of the notice that a run's record was rebuilt.
pub const REPAIRED: (&str, &str, &str) = (
    "V31",
    "record-repaired",
    "run again: only the intervals and histograms were recovered; errors, checks, warnings and other data are lost",
);
/// Filename suffix under which a damaged record is kept.
const DAMAGED: &str = "damaged";
const MEASURED: &str = "measure";
/// The name used for the total over all transactions.
const ALL: &str = "all";
/// Length of the date at the start of a folder name, including the following dash.
const DATE_CHARS: usize = 20;

impl Store {
    /// Rebuilds the damaged record of the run that `selector` identifies.
    ///
    /// # Errors
    /// Returns a usage error if the record is intact or the run is in progress.
    pub fn repair(&self, selector: &str) -> Result<Run> {
        let mut entries = self.list()?;
        let at = place(&entries, selector)?;
        let entry = entries.swap_remove(at);
        let (id, path) = (entry.id().to_owned(), entry.path().to_owned());
        if path.is_symlink() {
            let text = format!("the folder {} of run {id} is a symbolic link", path.display());
            return Err(Error::usage(text).hint("move the folder itself here"));
        }
        let _lock = EditLock::take(&path)?;
        require_damaged(entry)?;
        if lock::is_held(&path) {
            return Err(Error::usage(format!("run {id} is still in progress"))
                .hint("wait until it has ended"));
        }
        let record = rebuilt(&path, folder::id(&file_name(&path)))?;
        keep_damaged(&path)?;
        writer::write_record(&path, &record, Some(seal::of_files(&path)))?;
        match Entry::read(path) {
            Some(Entry::Loaded(run)) => Ok(*run),
            Some(Entry::Broken(broken)) => Err(broken.reason),
            None => Err(Error::new(ErrorKind::Missing, "the run no longer exists")),
        }
    }
}

/// Returns an error if the record is readable and unmodified, or if a newer version wrote it.
fn require_damaged(entry: Entry) -> Result<()> {
    let run = match entry {
        Entry::Broken(broken) if broken.reason.kind() == ErrorKind::Unsupported => {
            return Err(broken.reason);
        }
        Entry::Broken(_) => return Ok(()),
        Entry::Loaded(run) if run.seal == Seal::Broken => return Ok(()),
        Entry::Loaded(run) => run.verified(),
    };
    let error = Error::usage(format!("the record of run {} is not damaged", run.record.id));
    Err(match run.seal {
        Seal::Broken => {
            error.hint("another of the run's files was changed: restore that file from a copy")
        }
        _ => error.hint("to print it, use tacho show"),
    })
}

/// Copies the damaged record to another file, so that none of its contents are lost.
fn keep_damaged(run: &Path) -> Result<()> {
    let record = run.join(folder::RECORD);
    let mut from = match regular::open(&record) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        // Remove a link or a special file, because it cannot contain any data of the run.
        Err(_) => return fs::remove_file(&record).map_err(failure::writing(&record)),
        Ok(file) => file,
    };
    let names = (0..).map(|number| match number {
        0 => run.join(format!("{}.{DAMAGED}", folder::RECORD)),
        more => run.join(format!("{}.{DAMAGED}-{more}", folder::RECORD)),
    });
    let mut free = names.skip_while(|path: &PathBuf| path.symlink_metadata().is_ok());
    let path = free.next().unwrap_or_default();
    let to = File::options().write(true).create_new(true).open(&path);
    let mut to = to.map_err(failure::writing(&path))?;
    io::copy(&mut from, &mut to).and_then(|_| to.sync_all()).map_err(failure::writing(&path))
}

/// Returns a record rebuilt from the run's other files and the readable parts of the damaged record.
fn rebuilt(path: &Path, id: &str) -> Result<Record> {
    let damaged = regular::read(&path.join(folder::RECORD)).unwrap_or_default();
    let damaged = String::from_utf8_lossy(&damaged);
    let intervals = read_all_intervals(path).map_err(|error| {
        error.hint(
            "a run cannot be rebuilt without its intervals: restore the run's folder from a copy",
        )
    })?;
    let (histograms, lost) = match read_histograms(path) {
        Ok(histograms) => (histograms, String::new()),
        Err(error) => (Vec::new(), format!("; its histograms cannot be read: {error}")),
    };
    let plan: Option<PlanRecord> = field(&damaged, "plan");
    let kept = if plan.is_some() { "" } else { ", and its plan is lost" };
    let text = format!(
        "the record was damaged and has been rebuilt from intervals and histograms{kept}{lost}"
    );
    Ok(Record {
        format: FORMAT.into(),
        version: VERSION,
        id: id.to_owned(),
        state: RunState::Complete,
        started_at: started_at(&damaged, path),
        tags: field(&damaged, "tags").unwrap_or_default(),
        note: field(&damaged, "note").unwrap_or_default(),
        tool_version: field(&damaged, "tool_version").unwrap_or_default(),
        plan: plan.unwrap_or_else(|| plan_of(path, &intervals)),
        host: field(&damaged, "host").unwrap_or_else(HostRecord::default),
        server: field(&damaged, "server").unwrap_or_else(ServerRecord::default),
        data: field(&damaged, "data").unwrap_or_default(),
        result: Some(result(&intervals, &histograms, text)),
        repaired: true,
    })
}

/// Returns a top-level field's value in the damaged record, if that value is intact.
fn field<T: DeserializeOwned>(damaged: &str, name: &str) -> Option<T> {
    // A damaged file may contain two versions of the record, one written over the other. In that case, use the first
    // value of a field.
    let start = format!("\n  \"{name}\": ");
    let at = damaged.find(&start)? + start.len();
    serde_json::Deserializer::from_str(&damaged[at..]).into_iter().next()?.ok()
}

fn started_at(damaged: &str, path: &Path) -> String {
    let kept: Option<String> = field(damaged, "started_at");
    if let Some(kept) = kept.filter(|kept| folder::started(kept).is_ok()) {
        return kept;
    }
    let known = entry::from_files(path).or_else(|| entry::from_name(path));
    Timestamp::try_from(known.unwrap_or(SystemTime::UNIX_EPOCH)).unwrap_or_default().to_string()
}

/// Returns as much of the plan as can be determined from the folder name and the intervals.
fn plan_of(path: &Path, intervals: &[IntervalRecord]) -> PlanRecord {
    let name = file_name(path);
    let rest = name.get(DATE_CHARS..).unwrap_or_default();
    let rest = rest.rsplit_once('-').map_or(rest, |(rest, _)| rest);
    let (workload, target_name) = rest.split_once('-').unwrap_or((rest, ""));
    let mut plan = PlanRecord {
        workload: workload.into(),
        target_name: target_name.into(),
        ..PlanRecord::default()
    };
    let sessions = intervals.iter().map(|interval| interval.sessions_planned).max();
    plan.load.sessions = sessions.unwrap_or(plan.load.sessions);
    plan
}

fn result(
    intervals: &[IntervalRecord],
    histograms: &[HistogramEntry],
    text: String,
) -> ResultRecord {
    let measured = || intervals.iter().filter(|interval| interval.phase == MEASURED);
    let measured_s: f64 = measured().map(|interval| interval.length_s).sum();
    let mut counts: Vec<IntervalTransaction> = Vec::new();
    for one in measured().flat_map(|interval| &interval.transactions) {
        add(&mut counts, one);
    }
    let mut all = IntervalTransaction { name: ALL.into(), ..IntervalTransaction::default() };
    for one in &counts {
        all.committed += one.committed;
        all.rolled_back += one.rolled_back;
        all.failed += one.failed;
    }
    let ended = all.count() + all.failed;
    let skipped = measured().map(|interval| interval.skipped).sum();
    let throughput_per_s = if measured_s > 0.0 { all.count() as f64 / measured_s } else { 0.0 };
    let kinds = counts.iter().chain([&all]);
    let (id, name, hint) = REPAIRED;
    ResultRecord {
        valid: false,
        verdict: Some(RunVerdict::Invalid),
        notices: vec![NoticeRecord {
            id: id.into(),
            name: name.into(),
            invalidates: true,
            text,
            hint: hint.into(),
        }],
        throughput_per_s,
        measured_s,
        transactions: kinds.map(|one| transaction(one, ended, &counts, histograms)).collect(),
        accounting: LedgerRecord {
            due: ended + skipped,
            started: ended,
            committed: all.committed,
            rolled_back: all.rolled_back,
            failed: all.failed,
            skipped,
            ..LedgerRecord::default()
        },
        ..ResultRecord::default()
    }
}

/// Adds an interval's counts to the totals of its transaction.
fn add(counts: &mut Vec<IntervalTransaction>, one: &IntervalTransaction) {
    let at = counts.iter().position(|known| known.name == one.name).unwrap_or_else(|| {
        counts.push(IntervalTransaction { name: one.name.clone(), ..Default::default() });
        counts.len() - 1
    });
    let sum = &mut counts[at];
    sum.committed += one.committed;
    sum.rolled_back += one.rolled_back;
    sum.failed += one.failed;
}

fn transaction(
    one: &IntervalTransaction,
    ended: u64,
    counts: &[IntervalTransaction],
    histograms: &[HistogramEntry],
) -> TransactionRecord {
    let is_own = |tag: &str| match one.name.as_str() {
        ALL => counts.iter().any(|known| known.name == tag),
        name => name == tag,
    };
    let times = |suffix: &str| {
        let mut sum = Latencies::new();
        for entry in histograms {
            if entry.tag.strip_suffix(suffix).is_some_and(is_own) {
                sum.merge(&entry.latencies());
            }
        }
        DistributionRecord::from(&sum)
    };
    TransactionRecord {
        name: one.name.clone(),
        share: (one.count() + one.failed) as f64 / ended.max(1) as f64,
        count: one.count(),
        rolled_back: one.rolled_back,
        failed: one.failed,
        rollback_intended: one.rolled_back > 0,
        latency: times(""),
        service: times(".service"),
    }
}
