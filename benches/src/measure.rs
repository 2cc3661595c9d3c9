//! CPU time of a piece of work, and the middle of several rounds.

#![expect(clippy::disallowed_methods, reason = "wall time of a benchmark")]

use std::time::{Duration, Instant};

/// What a piece of work took.
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

/// The middle value.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}

/// All rounds of one figure in a line.
pub(crate) fn rounds(values: &[f64], digits: usize) -> String {
    let all: Vec<String> = values.iter().map(|value| format!("{value:.digits$}")).collect();
    all.join(" ")
}
