//! `cargo xtask ci`: runs every step and reports how long it took.
//!
//! A failure does not stop the later steps, so that one run reports all failures. The last line of
//! the output is the test result.

use std::time::{Duration, Instant};

use xtask::{Outcome, process};

use crate::testing::Testing;
use crate::{DIST, dist, docs, needs, site, test, tidy};

const FORMAT: &[&str] = &["fmt", "--all", "--check"];
const CLIPPY: &[&str] =
    &["clippy", "--workspace", "--all-targets", "--locked", "--", "--deny", "warnings"];

struct Step {
    name: &'static str,
    passed: bool,
    took: Duration,
}

/// Runs all steps. Returns true if all of them passed.
pub fn run() -> Outcome {
    let testing = Testing::read()?;
    needs::ensure(&testing)?;
    needs::fetch(&testing);
    let mut steps = vec![
        step("format", || process::succeeds("cargo", FORMAT)),
        step("clippy", || process::succeeds("cargo", CLIPPY)),
        step("tidy", tidy::run),
    ];
    let (mut tests, mut program) = (test::Tests::default(), None);
    steps.push(step("test", || {
        let built = test::programs::build()?;
        program = Some(built.tacho.clone());
        tests = test::run_tier(&built, test::Tier::All)?;
        Ok(tests.summary.good())
    }));
    // Use the program that was built for the tests, because building it separately would recompile
    // its dependencies.
    steps.push(step("docs", || docs::run(true, program.clone().map(docs::Tacho))));
    steps.push(step("site", site::run));
    steps.push(step("packages", || {
        let program = program.as_ref().ok_or("the program was not built")?.display().to_string();
        let tests = process::succeeds("cargo", &["test", "--quiet", "--package", DIST])?;
        Ok(dist(&["--built", &program])? && tests)
    }));
    for Step { name, passed, took } in &steps {
        let verdict = if *passed { "ok" } else { "FAILED" };
        println!("{name:<8}{verdict:<8}{:>7.1} s", took.as_secs_f64());
    }
    tests.announce(&testing);
    Ok(steps.iter().all(|step| step.passed))
}

#[expect(clippy::disallowed_methods, reason = "step durations are only displayed")]
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
