//! Measures CPU time, and computes the median of several rounds.

#![expect(
    clippy::disallowed_methods,
    reason = "measures the wall time of a benchmark and reads /proc"
)]

use std::time::{Duration, Instant};

/// The cost of a piece of work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) cpu: Duration,
    pub(crate) wall: Duration,
}

/// Runs some work and measures it.
pub(crate) fn measure<T>(work: impl FnOnce() -> T) -> (T, Cost) {
    let (wall, cpu) = (Instant::now(), tacho_collect::cpu_time().unwrap_or_default());
    let result = work();
    let cpu = tacho_collect::cpu_time().unwrap_or_default().saturating_sub(cpu);
    (result, Cost { cpu, wall: wall.elapsed() })
}

/// Returns the median.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}

/// Returns the 95 % confidence interval of the median, or `None` if there are too few values. The bounds are the values
/// with the ranks n/2 ± 0.98·√n among the n sorted values.
pub(crate) fn median_interval(values: &[f64]) -> Option<(f64, f64)> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let low = (count / 2.0 - 0.98 * count.sqrt()).floor();
    let at = (low >= 1.0).then_some(low as usize - 1)?;
    Some((sorted[at], sorted[sorted.len() - 1 - at]))
}

/// Formats all rounds of a metric on one line.
pub(crate) fn rounds(values: &[f64], digits: usize) -> String {
    let all: Vec<String> = values.iter().map(|value| format!("{value:.digits$}")).collect();
    all.join(" ")
}

/// Number of clock ticks per second in `/proc`, which is the same on all Linux systems.
const TICKS: f64 = 100.0;

/// Returns the CPU time in seconds of all exited child processes, from fields 16 and 17 of `/proc/self/stat`.
pub(crate) fn children_cpu() -> tacho_core::Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    let ticks: f64 = fields.skip(13).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
    Ok(ticks / TICKS)
}

/// Runs a program, and returns an error if it fails.
pub(crate) fn succeed(command: &mut std::process::Command) -> tacho_core::Result<()> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let name = command.get_program().to_string_lossy().into_owned();
    let error = tacho_core::Error::new(tacho_core::ErrorKind::Other, text);
    Err(error.during(format!("run {name}")))
}
