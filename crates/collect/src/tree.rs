//! CPU time used by a server's processes, on Linux.
//!
//! A server's processes are its first process and all its descendants. For example, PostgreSQL starts a process for
//! each connection.
//!
//! Start reading at [`CpuMeter`].

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::machine::cpu_quota_of;
use crate::observe::tick_seconds;

/// Maximum share of the time to spend on readings, which are slow because each one opens one file per process.
const COST_MAX: f64 = 0.005;

/// Total CPU time used by a process and its descendants until a point in time.
#[derive(Clone, Copy, Debug)]
pub struct CpuReading {
    at: Instant,
    used_s: f64,
}

impl CpuReading {
    /// Returns the average number of cores used between an earlier reading and this one.
    pub fn cores_since(&self, earlier: &Self) -> Option<f64> {
        let seconds = self.at.saturating_duration_since(earlier.at).as_secs_f64();
        let used = (self.used_s - earlier.used_s) / seconds;
        (seconds > 0.0 && used >= 0.0).then_some(used)
    }
}

/// A meter for the CPU time of a process and its descendants. Each reading takes time, so the meter limits how often it
/// reads.
#[derive(Debug)]
pub struct CpuMeter {
    root: u32,
    last: Option<CpuReading>,
    /// Duration of the last reading.
    cost: Duration,
}

impl CpuMeter {
    /// Creates a meter for the process with this ID.
    pub fn new(root: u32) -> Self {
        Self { root, last: None, cost: Duration::ZERO }
    }

    /// Returns a new reading, or the previous one if it is too recent. Returns `None` if the process has ended.
    #[expect(
        clippy::disallowed_methods,
        reason = "this clock is used for observation, not for measurement"
    )]
    pub fn read(&mut self) -> Option<CpuReading> {
        let at = Instant::now();
        let pause = self.cost.div_f64(COST_MAX);
        if let Some(last) = self.last.filter(|last| at.duration_since(last.at) < pause) {
            return Some(last);
        }
        let used_s = used(self.root)?;
        self.cost = at.elapsed();
        self.last = Some(CpuReading { at, used_s });
        self.last
    }
}

/// Returns the number of cores available to a process according to its affinity mask and its control group's quota.
/// Returns `None` if both are unknown.
#[expect(clippy::disallowed_methods, reason = "a file of the kernel")]
pub fn allowed_cores(pid: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    let mask = list_length(list.trim())?;
    let quota = cpu_quota_of(&pid.to_string());
    Some(quota.map_or(mask, |quota| quota.min(mask)))
}

/// Returns the number of elements in a list such as `0-3,6`.
fn list_length(cores: &str) -> Option<f64> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(last.parse::<u32>().ok()?.checked_sub(first.parse().ok()?)? + 1)
    };
    cores.split(',').map(range).sum::<Option<u32>>().map(f64::from)
}

/// A process as described by `/proc/PID/stat`.
struct Process {
    parent: u32,
    /// Ticks used by the process itself.
    ticks: u64,
    /// Ticks used by children that have exited.
    ended_children: u64,
}

impl Process {
    /// Parses the line that describes a process. The name in parentheses can contain any characters.
    fn parse(stat: &str) -> Option<Self> {
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        Some(Self {
            parent: number(1)? as u32,
            ticks: number(11)? + number(12)?,
            ended_children: number(13)? + number(14)?,
        })
    }
}

/// Returns the CPU seconds used by a process and its descendants.
fn used(root: u32) -> Option<f64> {
    let entries = Path::new("/proc").read_dir().ok()?.flatten();
    let processes: BTreeMap<u32, Process> = entries
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read(entry.path().join("stat")).ok()?;
            Some((pid, Process::parse(&String::from_utf8_lossy(&stat))?))
        })
        .collect();
    Some(tick_seconds(ticks(root, &processes)?))
}

fn ticks(root: u32, processes: &BTreeMap<u32, Process>) -> Option<u64> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (pid, process) in processes {
        children.entry(process.parent).or_default().push(*pid);
    }
    processes.get(&root)?;
    let (mut sum, mut open) = (0, vec![root]);
    while let Some(pid) = open.pop() {
        sum += processes.get(&pid).map_or(0, |process| process.ticks + process.ended_children);
        open.extend(children.remove(&pid).unwrap_or_default());
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_and_their_ended_children_are_summed() {
        let line = |parent: u32, ticks: u64, ended: u64| {
            format!("1 (a) b)) S {parent} 1 1 0 -1 0 0 0 0 0 {ticks} 1 {ended} 0 20 0 1 0 5")
        };
        let tree = [(10, 1, 100, 7), (11, 10, 20, 0), (12, 11, 3, 0), (13, 1, 999, 0)];
        let processes = tree
            .map(|(pid, parent, ticks, ended)| {
                (pid, Process::parse(&line(parent, ticks, ended)).expect("a line"))
            })
            .into();
        assert_eq!(ticks(10, &processes), Some(101 + 7 + 21 + 4));
        assert_eq!(ticks(14, &processes), None);
    }

    #[test]
    fn lists_of_cores_are_counted() {
        for (list, expected) in [("0-3,6", Some(5.0)), ("2", Some(1.0)), ("", None), ("3-1", None)]
        {
            assert_eq!(list_length(list), expected, "{list}");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "keeps a processor busy in real time")]
    fn a_busy_process_is_measured() {
        let pid = std::process::id();
        let mut meter = CpuMeter::new(pid);
        let Some(before) = meter.read() else { return };
        let until = before.at + Duration::from_millis(300);
        while std::hint::black_box(Instant::now()) < until {}
        meter.cost = Duration::ZERO;
        let cores = meter.read().expect("it lives").cores_since(&before).expect("time passed");
        // The test expects only a small value, because other tests may keep the machine busy.
        assert!(cores > 0.05, "{cores}");
        assert!(allowed_cores(pid).is_some_and(|allowed| allowed >= 0.1));
        assert!(CpuMeter::new(u32::MAX).read().is_none());
    }
}
