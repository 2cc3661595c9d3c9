//! `cargo xtask ci`: every step, each with its time.
//!
//! A failed step does not keep the later ones from running, so one run reports everything; the line of the tests
//! is the last. Clippy runs next to the tests, at the lowest priority: tests of servers mostly wait, and the time that
//! they leave is enough for it.

use std::thread;
use std::time::{Duration, Instant};

use crate::{Outcome, dist, docs, needs, process, site, test, tidy};

const FORMAT: &[&str] = &["fmt", "--all", "--check"];
const CLIPPY: &[&str] =
    &["clippy", "--workspace", "--all-targets", "--locked", "--", "--deny", "warnings"];

struct Step {
    name: &'static str,
    passed: bool,
    took: Duration,
}

/// Runs all steps; true if all passed.
pub fn run() -> Outcome {
    needs::ensure()?;
    needs::fetch();
    let mut steps =
        vec![step("format", || process::succeeds("cargo", FORMAT)), step("tidy", tidy::run)];
    let mut built = None;
    steps.push(step("build", || {
        built = Some(test::programs::build()?);
        Ok(true)
    }));
    let mut summary = test::Summary::default();
    thread::scope(|scope| {
        let clippy = scope.spawn(|| step("clippy", lint));
        if let Some(built) = &built {
            steps.push(step("test", || {
                summary = test::run_all(built)?;
                Ok(summary.good())
            }));
        }
        let panicked = |_| step("clippy", || Err("it has panicked".into()));
        steps.push(clippy.join().unwrap_or_else(panicked));
    });
    steps.push(step("site", site::run));
    if let Some(built) = built {
        steps.push(step("packages", || dist::of_built(&built.tacho)));
        // Built alone, the program would have fewer features, and all that it uses would be built a second time.
        steps.push(step("docs", || docs::run(true, Some(docs::Tacho::at(built.tacho)))));
    }
    for Step { name, passed, took } in &steps {
        let verdict = if *passed { "ok" } else { "FAILED" };
        println!("{name:<8}{verdict:<8}{:>7.1} s", took.as_secs_f64());
    }
    if let Some(remark) = summary.remark() {
        println!("error: {remark}");
    }
    needs::announce_untested();
    println!("{summary}");
    Ok(steps.iter().all(|step| step.passed))
}

/// Runs clippy with the processor time that the tests leave; what it reports is printed in one piece.
fn lint() -> Outcome {
    let words = [&["-n", "19", "cargo"], CLIPPY].concat();
    let done = process::program("nice", &words).output();
    let done = done.map_err(|error| format!("cannot start nice: {error}"))?;
    if !done.status.success() {
        println!("{}", String::from_utf8_lossy(&done.stderr));
    }
    Ok(done.status.success())
}

#[expect(clippy::disallowed_methods, reason = "the time of a step is for people to read")]
fn step(name: &'static str, work: impl FnOnce() -> Outcome) -> Step {
    println!("== {name}");
    let start = Instant::now();
    let passed = work().unwrap_or_else(|message| {
        println!("error: {message}");
        false
    });
    Step { name, passed, took: start.elapsed() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_cannot_start_has_failed() {
        assert!(step("a", || Ok(true)).passed);
        assert!(!step("b", || Ok(false)).passed);
        assert!(!step("c", || Err("no".into())).passed);
    }
}
