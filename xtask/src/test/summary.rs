//! Test counts reported by test programs.

use std::fmt;

/// Combined counts from several test programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub passed: u64,
    pub failed: u64,
    /// Tests that failed at first but passed when they were repeated.
    pub flaky: u64,
    /// Programs that did not compile or that ended without a result.
    pub broken: u64,
}

/// Maximum number of flaky tests with which a test run can still succeed. Live server tests share
/// cores and depend on real time, so a few may fail by chance.
///
/// Each flaky test is reported as a defect.
const FLAKY_MAX: u64 = 3;

impl Summary {
    /// Returns true if there were tests and all of them passed. A few may have needed a second attempt.
    pub fn good(self) -> bool {
        self.passed > 0 && self.failed + self.broken == 0 && self.flaky <= FLAKY_MAX
    }

    /// Returns a description of any problem other than a failed test.
    pub fn remark(self) -> Option<&'static str> {
        if self.broken > 0 {
            Some("a test program did not compile or ended without a result")
        } else if self.flaky > 0 {
            Some("a test failed, and passed when it was run again: it is FLAKY")
        } else if self.passed + self.failed == 0 {
            Some("no test was run")
        } else {
            None
        }
    }

    /// Returns the sum of two summaries.
    pub fn and(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            flaky: self.flaky + other.flaky,
            broken: self.broken + other.broken,
        }
    }

    /// Returns the counts after the failed tests have been repeated. The counts of the repetition are in `again`.
    pub fn with_second(self, again: Self) -> Self {
        let flaky = again.passed.min(self.failed);
        Self { failed: self.failed - flaky, flaky: self.flaky + flaky, ..self }
    }

    /// Adds the counts from a line such as `test result: ok. 3 passed; 0 failed; …`. Returns false for other lines.
    pub fn add(&mut self, line: &str) -> bool {
        let Some(rest) = line.strip_prefix("test result: ") else { return false };
        let counts = rest.split_once(". ").map_or("", |(_, counts)| counts);
        for part in counts.split(';') {
            match part.trim().split_once(' ') {
                Some((number, "passed")) => self.passed += number.parse().unwrap_or(0),
                Some((number, "failed")) => self.failed += number.parse().unwrap_or(0),
                _ => {}
            }
        }
        true
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed + self.flaky, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_summed() {
        let mut summary = Summary::default();
        assert_eq!(summary.remark(), Some("no test was run"));
        for line in [
            "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
            "test other ... ok",
            "prefix test result: ok. 9 passed; 9 failed",
            "test result: FAILED. 4 passed; 2 failed; 0 ignored; finished in 0.01s\n",
        ] {
            summary.add(line);
        }
        assert_eq!(summary.to_string(), "7 passed, 2 failed");
        assert!(!summary.good());
    }

    #[test]
    fn only_passed_tests_are_good() {
        for (passed, failed, broken, good) in
            [(1, 0, 0, true), (0, 0, 0, false), (1, 1, 0, false), (1, 0, 1, false)]
        {
            assert_eq!(Summary { passed, failed, broken, flaky: 0 }.good(), good);
        }
    }

    #[test]
    fn what_passes_at_its_second_try_is_flaky() {
        let first = Summary { passed: 7, failed: 2, ..Summary::default() };
        let second = first.with_second(Summary { passed: 2, ..Summary::default() });
        assert_eq!(second.to_string(), "9 passed, 0 failed");
        assert!(second.good() && second.remark().is_some());
        assert!(!Summary { flaky: 4, ..second }.good(), "too many for chance");
        let second = first.with_second(Summary { passed: 1, failed: 1, ..Summary::default() });
        assert_eq!(second.to_string(), "8 passed, 1 failed");
    }
}
