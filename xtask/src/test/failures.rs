//! Test failures. They are shown at the end of the output, because readers of a CI log may see only its last lines.
//!
//! Start reading at [`Failure::all`].

use std::fmt;

/// Maximum number of lines shown of a test's output, and maximum length of these lines in characters.
const LINES_MAX: usize = 12;
const CHARS_MAX: usize = 240;

/// A failed test, with the start of its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub name: String,
    /// True if the test passed when it was repeated.
    pub is_flaky: bool,
    output: String,
}

impl Failure {
    /// Finds the failures of the given tests in the output of their program.
    pub fn all(names: &[String], log: &str) -> Vec<Self> {
        let of = |name: &String| Self {
            name: name.clone(),
            is_flaky: false,
            output: shortened(&output(name, log)),
        };
        names.iter().map(of).collect()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_flaky { "FLAKY" } else { "FAILED" };
        write!(f, "{kind} {}\n{}", self.name, self.output)
    }
}

/// Returns the captured output of a test. In the log, it starts after the line `---- name stdout ----` and ends before
/// the next line that starts with dashes, or at the end of the output.
fn output<'a>(name: &str, log: &'a str) -> Vec<&'a str> {
    let head = format!("---- {name} stdout ----");
    let lines = log.lines().skip_while(|line| *line != head).skip(1);
    let is_of_test = |line: &&str| !line.starts_with("---- ") && *line != "failures:";
    lines.take_while(is_of_test).filter(|line| !line.trim().is_empty()).collect()
}

fn shortened(lines: &[&str]) -> String {
    let shown = lines.iter().take(LINES_MAX).map(|line| {
        let short: String = line.chars().take(CHARS_MAX).collect();
        format!("    {short}\n")
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_a_test_is_found_and_shortened() {
        let long = "x".repeat(2 * CHARS_MAX);
        let output = format!(
            "test a::b ... FAILED\nfailures:\n\n---- a::c stdout ----\nother\n\n---- a::b stdout ----\n\n\
             panicked at 1\n{long}\n{}\nfailures:\n    a::b\n",
            "y\n".repeat(2 * LINES_MAX)
        );
        let [failure] = &Failure::all(&["a::b".to_owned()], &output)[..] else { panic!("one") };
        let text = failure.to_string();
        assert!(text.starts_with("FAILED a::b\n    panicked at 1\n    xxx"), "{text}");
        assert_eq!(text.lines().count(), 1 + LINES_MAX);
        assert!(text.lines().all(|line| line.len() <= CHARS_MAX + 4) && !text.contains("other"));
        let [none] = &Failure::all(&["a::d".to_owned()], &output)[..] else { panic!("one") };
        assert_eq!(none.to_string(), "FAILED a::d\n");
    }
}
