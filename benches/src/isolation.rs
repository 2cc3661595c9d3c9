//! Checks histories of a million transactions, as databases would produce them at each isolation level. Prints the
//! time and the memory used.

#![expect(clippy::print_stdout, reason = "the results are the output")]
#![expect(clippy::disallowed_methods, reason = "reads /proc")]

use tacho_core::{AttemptOutcome, Error, Result, Rng, Seed};
use tacho_isolation::{History, check};

use crate::measure::measure;

const TRANSACTIONS: u64 = 1_000_000;
/// The number of hot keys and of other keys, and the number of appends after which a new key replaces one, as in the
/// workload's default profile.
const HOT: i64 = 4;
const COLD: i64 = 1_000;
const APPENDS: usize = 32;
/// Number of concurrent transactions, and the time between two commits in nanoseconds.
const SESSIONS: u64 = 16;
const STEP: u64 = 10_000;

/// The consistency of a transaction's reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reads {
    Latest,
    Snapshot,
    EachStatement,
}

/// The values of a list, each with the number of the transaction that committed it.
#[derive(Clone, Default)]
struct List {
    key: u64,
    values: Vec<u64>,
    committed: Vec<u64>,
}

impl List {
    /// Returns the values that were committed before transaction `number`.
    fn before(&self, number: u64) -> &[u64] {
        &self.values[..self.committed.partition_point(|committed| *committed < number)]
    }
}

pub(crate) fn run() -> Result<()> {
    for reads in [Reads::Latest, Reads::Snapshot, Reads::EachStatement] {
        let history = history(reads)?;
        let before = peak_mib()?;
        let (findings, cost) = measure(|| check(&history));
        let findings = findings?;
        let classes = findings.anomalies.iter();
        let classes = classes.map(|found| format!("{} × {}", found.count, found.class.name()));
        println!(
            "{reads:?}: {} transactions, {} operations: {:.2} s, peak {before:.0} MiB before and \
             {:.0} MiB after: {}",
            findings.transactions,
            findings.operations,
            cost.wall.as_secs_f64(),
            peak_mib()?,
            classes.collect::<Vec<String>>().join(", ")
        );
    }
    Ok(())
}

fn history(reads: Reads) -> Result<History> {
    let mut history = History::default();
    let mut next_key = (HOT + COLD) as u64;
    let mut lists: Vec<List> = (0..next_key).map(|key| List { key, ..List::default() }).collect();
    let mut rng = Seed(3).rng(0);
    for number in 0..TRANSACTIONS {
        let behind = |rng: &mut Rng| match reads {
            Reads::Latest => number,
            _ => number.saturating_sub(rng.between(0, SESSIONS as i64 - 1) as u64),
        };
        let snapshot = behind(&mut rng);
        let begun = number.saturating_sub(SESSIONS) * STEP;
        let session = (number % SESSIONS) as u32;
        history.begin(session, AttemptOutcome::Committed, begun, number * STEP)?;
        for at in 0..rng.between(1, 4) as u64 {
            let is_hot = rng.between(0, 1) == 0;
            let slot =
                if is_hot { rng.between(0, HOT - 1) } else { rng.between(HOT, HOT + COLD - 1) };
            let list = &mut lists[slot as usize];
            let is_own = list.committed.last() == Some(&number);
            if rng.between(0, 1) == 0 {
                let seen = if reads == Reads::EachStatement { behind(&mut rng) } else { snapshot };
                let values = if is_own { &list.values[..] } else { list.before(seen) };
                history.read(list.key, values.iter().copied())?;
                continue;
            }
            // With snapshots, a transaction must not overwrite a key that has changed since its snapshot was taken.
            let has_changed = list.committed.last().is_some_and(|last| *last >= snapshot);
            if reads == Reads::Snapshot && has_changed && !is_own {
                continue;
            }
            if list.values.len() >= APPENDS {
                *list = List { key: next_key, ..List::default() };
                next_key += 1;
            }
            let value = number * 4 + at;
            list.values.push(value);
            list.committed.push(number);
            history.append(list.key, value)?;
        }
    }
    Ok(history)
}

/// Returns the peak memory of this process.
fn peak_mib() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.map(|kib| kib / 1024.0).ok_or_else(|| Error::usage("/proc/self/status has no VmHWM"))
}
