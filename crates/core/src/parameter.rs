//! Parameter declarations. Flags, file keys, environment variables, help texts and validation are all derived from
//! them.

use crate::units::{meant_duration, parse_amount, parse_count, parse_duration, parse_rate};
use crate::{Error, Result};

/// The type and range of a parameter's values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// An integer in this range. The suffixes `k` (thousand) and `M` (million) are accepted.
    Count {
        /// Smallest value allowed.
        min: u64,
        /// Largest value allowed.
        max: u64,
    },
    /// A duration such as `90s`, `10m`, or `1h30m`, up to 30 days.
    Duration,
    /// A positive number per second.
    Rate,
    /// A positive number, which may have a fractional part.
    Amount,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// `true` or `false`.
    Switch,
    /// A factor within these bounds, such as `0.5`.
    Factor {
        /// Smallest value allowed.
        min: f64,
        /// Largest value allowed.
        max: f64,
    },
    /// Any text. The help says what it should look like.
    Text,
}

impl ParameterKind {
    /// Returns the name of this kind.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count { .. } => "count",
            Self::Duration => "duration",
            Self::Rate => "rate",
            Self::Amount => "amount",
            Self::Choice(_) => "choice",
            Self::Switch => "switch",
            Self::Factor { .. } => "factor",
            Self::Text => "text",
        }
    }

    /// Describes the allowed values, such as `1 to 100 000`.
    pub fn words(self) -> String {
        match self {
            Self::Count { min, max: u64::MAX } => format!("{min} or more"),
            Self::Count { min, max } => format!("{min} to {max}"),
            Self::Duration => "a duration such as 90s, 10m, or 1h30m, at most 30d".into(),
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
    /// Key in files and after `--set`, in lower case.
    pub key: &'static str,
    /// Type and range of the value.
    pub kind: ParameterKind,
    /// Value used if none is specified; empty if the parameter has no default.
    pub default: &'static str,
    /// One line of help, including the unit.
    pub help: &'static str,
}

impl Parameter {
    /// Creates a parameter.
    pub const fn new(
        key: &'static str,
        kind: ParameterKind,
        default: &'static str,
        help: &'static str,
    ) -> Self {
        Self { key, kind, default, help }
    }

    /// Validates a value. The default is always accepted, even if it is empty, because default values are also stored
    /// with loaded data and must be valid when they are read again.
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
        let error = error.of_setting(self.key).hint(format!("allowed: {}", self.kind.words()));
        Err(match self.kind {
            ParameterKind::Choice(words) => error.did_you_mean(value, words.iter().copied()),
            ParameterKind::Duration => match meant_duration(value) {
                Some(meant) if parse_count(value).is_ok() => error
                    .hint(format!("a duration needs a unit: for {value} seconds, write {meant}")),
                Some(meant) => error.hint(format!("for {value}, write {meant}")),
                None => error,
            },
            ParameterKind::Count { .. } => match meant_list(value) {
                Some(list) => error.hint(format!(
                    "write a range as a list: tacho sweep --vary {}={list}",
                    self.key
                )),
                None => error,
            },
            _ => error,
        })
    }
}

/// Converts a range such as `1..8` or `1-8` to the list that the user probably means, with doubling values: `1,2,4,8`.
fn meant_list(value: &str) -> Option<String> {
    let (low, high) = value.split_once("..").or_else(|| value.split_once('-'))?;
    let high = high.trim_start_matches(['.', '=']);
    let (low, high) = (parse_count(low).ok()?.max(1), parse_count(high).ok()?);
    let doubled = std::iter::successors(Some(low), |value| value.checked_mul(2));
    let below = doubled.take_while(|value| *value < high).map(|value| value.to_string());
    let list: Vec<String> = below.chain([high.to_string()]).collect();
    (low < high).then(|| list.join(","))
}

/// Maximum number of known words for which a hint lists all of them. If there are more, it lists only the closest ones.
const LISTED: usize = 40;

impl Error {
    /// Adds the hint of [`suggestion`].
    #[must_use]
    pub fn did_you_mean<'a>(self, word: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        match suggestion(word, known) {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }
}

/// Returns a hint with the known words that resemble a misspelled word.
///
/// If no known word resembles it, the hint lists all known words. If there are too many, it lists only the three
/// closest ones.
pub fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let known: Vec<&str> = known.into_iter().collect();
    // The path of a key is not misspelled.
    let is_path = !known.iter().any(|candidate| candidate.contains('.'));
    let word = word.rsplit('.').next().filter(|_| is_path).unwrap_or(word);
    let letters = word.chars().count();
    let most = (letters / 2).max(letters.min(3));
    let is_close = |candidate: &&str| edit_distance(word, candidate) <= most;
    let close = nearest(word, known.iter().copied().filter(is_close));
    match (close.as_slice(), known.len()) {
        ([], 0) => None,
        ([], ..=LISTED) => Some(format!("known names: {}", known.join(", "))),
        ([], _) => {
            let nearest = nearest(word, known.iter().copied());
            Some(format!("the closest names: {}", nearest.join(", ")))
        }
        (close, _) => Some(format!("did you mean {}?", close.join(", "))),
    }
}

/// Returns up to three known words that most resemble a misspelled word, closest first.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut scored: Vec<(usize, &str)> =
        known.map(|candidate| (edit_distance(word, candidate), candidate)).collect();
    scored.sort_unstable();
    scored.into_iter().take(3).map(|(_, candidate)| candidate).collect()
}

/// Returns the known words that resemble a misspelled word, closest first. At most a third of its letters may differ.
pub fn similar<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let most = (word.chars().count() / 3).max(1);
    nearest(word, known.filter(|candidate| edit_distance(word, candidate) <= most))
}

/// Returns the edit distance in characters. It counts insertions, deletions, replacements and swaps of neighbors.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let first: Vec<usize> = (0..=b.len()).collect();
    // The two previous rows of the distance matrix, which belong to the two preceding letters of `a`.
    let (mut before, mut row) = (first.clone(), first);
    for (i, from) in a.iter().enumerate() {
        let mut next = vec![i + 1; b.len() + 1];
        for (j, to) in b.iter().enumerate() {
            let replaced = row[j] + usize::from(from != to);
            next[j + 1] = replaced.min(next[j] + 1).min(row[j + 1] + 1);
            let is_swapped = i > 0 && j > 0 && *from == b[j - 1] && a[i - 1] == *to;
            if is_swapped {
                next[j + 1] = next[j + 1].min(before[j - 1] + 1);
            }
        }
        (before, row) = (row, next);
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
    fn bare_numbers_of_seconds_get_a_hint() {
        let parameter =
            Parameter { key: "x", kind: ParameterKind::Duration, default: "", help: "" };
        let hints = |value| parameter.check(value).expect_err("no span").hints().join("; ");
        assert!(hints("3").ends_with("for 3 seconds, write 3s"), "{}", hints("3"));
        assert!(!hints("soon").contains("seconds"), "{}", hints("soon"));
    }

    #[test]
    fn misspelt_spans_and_ranges_get_a_hint() {
        let count = ParameterKind::Count { min: 1, max: 100 };
        let table = [
            (ParameterKind::Duration, "1 minute", "for 1 minute, write 1m"),
            (ParameterKind::Duration, "5 Secs", "for 5 Secs, write 5s"),
            (ParameterKind::Duration, "5 ms", "for 5 ms, write 5ms"),
            (ParameterKind::Duration, "1 hour, 30 min", "for 1 hour, 30 min, write 1h30m"),
            (count, "1..8", "tacho sweep --vary sessions=1,2,4,8"),
            (count, "2..=6", "tacho sweep --vary sessions=2,4,6"),
            (count, "1-3", "tacho sweep --vary sessions=1,2,3"),
        ];
        for (kind, value, hint) in table {
            let parameter = Parameter { key: "sessions", kind, default: "", help: "" };
            let error = parameter.check(value).expect_err(value);
            assert!(error.hints().join("; ").ends_with(hint), "{:?}", error.hints());
        }
        let parameter = Parameter { key: "sessions", kind: count, default: "", help: "" };
        for value in ["8..1", "-3", "a..b", "1 fortnight", "%"] {
            assert_eq!(parameter.check(value).expect_err(value).hints().len(), 1, "{value}");
        }
        for value in ["%", "1 fortnight", "", "min"] {
            assert_eq!(meant_duration(value), None, "{value}");
        }
    }

    #[test]
    fn only_similar_words_are_suggested() {
        let known = ["run", "runs", "up", "show"];
        assert_eq!(similar("rnu", known.into_iter()), ["run"]);
        assert_eq!(similar("shwo", known.into_iter()), ["show"]);
        assert_eq!(similar("benchmark", known.into_iter()), [""; 0]);
    }

    #[test]
    fn an_error_suggests_similar_words_or_lists_a_few() {
        let hint = |word| suggestion(word, ["require", "target", "attempts"]);
        assert_eq!(hint("atempts").as_deref(), Some("did you mean attempts?"));
        assert_eq!(hint("table_size").as_deref(), Some("known names: require, target, attempts"));
        assert_eq!(hint("run.a.taget").as_deref(), Some("did you mean target?"));
        assert_eq!(suggestion("x", []), None);
        let many: Vec<String> = (0..50).map(|n| format!("setting{n}")).collect();
        let hint = suggestion("unlike", many.iter().map(String::as_str));
        assert!(hint.is_some_and(|hint| hint.starts_with("the closest names: setting")));
    }

    #[test]
    fn nearest_names_at_most_three() {
        let known = ["tprocc", "tproch", "tpcb", "script", "oltp"];
        assert_eq!(nearest("tproc", known.into_iter()), ["tprocc", "tproch", "tpcb"]);
    }
}
