//! A parameter, declared once: its flag, file key, environment variable, help and check follow.

use crate::units::{parse_amount, parse_count, parse_duration, parse_rate};
use crate::{Error, Result};

/// What a parameter's value may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// A whole number in this range; `k` and `m` suffixes are understood.
    Count {
        /// Smallest value allowed.
        min: u64,
        /// Largest value allowed.
        max: u64,
    },
    /// A span of time such as `90s`, `10m`, `1h30m`, up to 30 days.
    Duration,
    /// A number per second above zero.
    Rate,
    /// A number above zero, which need not be whole.
    Amount,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// `true` or `false`.
    Switch,
    /// A factor such as `0.5`, within these bounds.
    Factor {
        /// Smallest value allowed.
        min: f64,
        /// Largest value allowed.
        max: f64,
    },
    /// Any text; what it must look like is said in the help.
    Text,
}

impl ParameterKind {
    /// The values allowed, in words, such as `1 to 100 000`.
    pub fn words(self) -> String {
        match self {
            Self::Count { min, max: u64::MAX } => format!("{min} or more"),
            Self::Count { min, max } => format!("{min} to {max}"),
            Self::Duration => "a span such as 90s, 10m or 1h30m, at most 30d".into(),
            Self::Rate => "a number per second such as 500 or 5k".into(),
            Self::Amount => "a number above zero such as 1, 0.01 or 5k".into(),
            Self::Choice(words) => words.join(", "),
            Self::Switch => "true or false".into(),
            Self::Factor { min, max } => format!("{min} to {max}"),
            Self::Text => "text".into(),
        }
    }
}

/// One parameter of a run or of a workload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Key in files and after `--set`, lower case.
    pub key: &'static str,
    /// What the value may be.
    pub kind: ParameterKind,
    /// Value when none is given; empty if there is none.
    pub default: &'static str,
    /// One line of help, with the unit.
    pub help: &'static str,
}

impl Parameter {
    /// Fails with a usage error if `value` is not allowed. The default always is: data tell with which
    /// values they were made, also those that were not given.
    pub fn check(&self, value: &str) -> Result<()> {
        if value == self.default {
            return Ok(());
        }
        let good = match self.kind {
            ParameterKind::Count { min, max } => {
                parse_count(value).is_ok_and(|count| (min..=max).contains(&count))
            }
            ParameterKind::Duration => parse_duration(value).is_ok(),
            ParameterKind::Rate => parse_rate(value).is_ok(),
            ParameterKind::Amount => parse_amount(value).is_ok(),
            ParameterKind::Choice(words) => words.contains(&value),
            ParameterKind::Switch => matches!(value, "true" | "false"),
            ParameterKind::Factor { min, max } => {
                value.parse().is_ok_and(|factor: f64| (min..=max).contains(&factor))
            }
            ParameterKind::Text => true,
        };
        if good {
            return Ok(());
        }
        let error = Error::usage(format!("invalid value for {}: \"{value}\"", self.key));
        let error = error.hint(format!("allowed: {}", self.kind.words()));
        Err(match self.kind {
            ParameterKind::Choice(words) => with_nearest(error, value, words.iter().copied()),
            ParameterKind::Duration if parse_duration(&format!("{value}s")).is_ok() => {
                error.hint(format!("a span has a unit: for {value} seconds write {value}s"))
            }
            _ => error,
        })
    }
}

fn with_nearest<'a>(error: Error, word: &str, known: impl Iterator<Item = &'a str>) -> Error {
    match nearest(word, known).as_slice() {
        [] => error,
        close => error.hint(format!("did you mean {}?", close.join(", "))),
    }
}

/// The up to three known words nearest to a misspelt one, nearest first.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut scored: Vec<(usize, &str)> =
        known.map(|candidate| (edit_distance(word, candidate), candidate)).collect();
    scored.sort_unstable();
    scored.into_iter().take(3).map(|(_, candidate)| candidate).collect()
}

/// Levenshtein distance in characters: insertions, deletions and replacements count one each.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks() {
        let count = ParameterKind::Count { min: 1, max: 100_000 };
        let table: &[(ParameterKind, &str, bool)] = &[
            (count, "1", true),
            (count, "100k", true),
            (count, "0", false),
            (count, "-1", false),
            (count, "100001", false),
            (ParameterKind::Duration, "10m", true),
            (ParameterKind::Duration, "-3s", false),
            (ParameterKind::Rate, "0", false),
            (ParameterKind::Rate, "2.5k", true),
            (ParameterKind::Amount, "0.01", true),
            (ParameterKind::Amount, "0", false),
            (ParameterKind::Amount, "-3", false),
            (ParameterKind::Switch, "yes", false),
            (ParameterKind::Choice(&["a", "b"]), "b", true),
            (ParameterKind::Choice(&["a", "b"]), "c", false),
            (ParameterKind::Factor { min: 0.0, max: 1.0 }, "0.5", true),
            (ParameterKind::Factor { min: 0.0, max: 1.0 }, "NaN", false),
        ];
        for (kind, value, good) in table {
            let parameter = Parameter { key: "x", kind: *kind, default: "", help: "" };
            assert_eq!(parameter.check(value).is_ok(), *good, "{kind:?} {value}");
        }
    }

    #[test]
    fn a_bare_number_of_seconds_is_answered_with_how_to_write_it() {
        let parameter =
            Parameter { key: "x", kind: ParameterKind::Duration, default: "", help: "" };
        let hints = |value| parameter.check(value).expect_err("no span").hints().join("; ");
        assert!(hints("3").ends_with("for 3 seconds write 3s"), "{}", hints("3"));
        assert!(!hints("soon").contains("seconds"), "{}", hints("soon"));
    }

    #[test]
    fn nearest_names_at_most_three() {
        let known = ["tprocc", "tproch", "tpcb", "script", "oltp"];
        assert_eq!(nearest("tproc", known.into_iter()), ["tprocc", "tproch", "tpcb"]);
    }
}
