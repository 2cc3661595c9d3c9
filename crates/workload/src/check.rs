//! Consistency checks: conditions on the data, and the queries that evaluate them.
//!
//! A question is a query that evaluates one or more checks, for all keys or for a range of keys. If the query fails,
//! its checks do not count as passed.
//!
//! Start reading at [`Check`] and [`questions`].

use std::ops::RangeInclusive;

use crate::judge::in_words;
use crate::{Judge, Sample, Violations};
use tacho_core::Result;
use tacho_driver::{Catalog, Exchange, Field, Reply, StatementId, Value, Values};

/// Range of keys for a [`Check`] that covers all 32-bit keys, including those for which no row was
/// loaded.
const OUTERMOST: RangeInclusive<i64> = -(i32::MAX as i64)..=i32::MAX as i64;

/// A condition on the data.
///
/// The condition's statement returns one row for each violation.
///
/// A statement may check several conditions at once. For each condition, its result has a column with the number of
/// violations, such as `c5`, and columns that describe the violations, such as `c5_order`.
///
/// If the correct result is known, a check may instead compare the statement's result with it; see
/// [`Judge::Compare`].
#[derive(Clone, Debug)]
pub struct Check {
    /// Short name, such as `C1`.
    pub id: &'static str,
    /// The condition, in one line.
    pub rule: &'static str,
    /// Clause that defines the condition.
    pub clause: &'static str,
    /// Statement that finds the violations.
    pub statement: StatementId,
    /// Values of the statement's parameters.
    pub bound: Values,
    /// Range of keys that the check covers, if the check can be split into parts. The statement
    /// then has two more parameters: the first and the last key of a part.
    pub keys: Option<RangeInclusive<i64>>,
    /// Rule that evaluates the result.
    pub judge: Judge,
    /// Samples of the loaded rows, which are generated again from the seed of the load. If there are any samples, the
    /// check compares them with the database and does not run the statement.
    pub samples: Vec<Sample>,
    /// True if the condition holds only for data that Tacho itself has loaded and changed.
    pub by_loader: bool,
    /// The reason why the condition cannot hold with the selected parameters. The condition is not
    /// checked if there is such a reason.
    pub excused: Option<String>,
}

/// Result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No violation.
    Holds,
    /// The statement found violations.
    Violated {
        /// Number of violations.
        count: u64,
        /// Columns and values of the first violation.
        first: String,
    },
    /// The check was not run, for this reason.
    Excused(String),
}

/// A check and its verdict.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The check.
    pub check: Check,
    /// The verdict on the check.
    pub verdict: Verdict,
}

/// A single request to the database.
#[derive(Clone, Debug)]
pub struct Question {
    statement: StatementId,
    bound: Values,
    /// First and last key of the part.
    part: Option<(i64, i64)>,
    judge: Judge,
    /// The conditions that the question evaluates. Each consists of the check's index and of the
    /// condition's ID in lower case.
    answers: Vec<(usize, String)>,
}

/// Returns the questions for `checks`, quick ones first. Splits each check with keys into `parts` parts.
pub fn questions(checks: &[Check], parts: usize) -> Vec<Question> {
    let (mut whole, mut cut): (Vec<Question>, Vec<Question>) = (Vec::new(), Vec::new());
    for (at, check) in checks.iter().enumerate().filter(|(_, check)| check.excused.is_none()) {
        let id = check.id.to_ascii_lowercase();
        if !check.samples.is_empty() {
            whole.extend(check.samples.iter().map(|sample| Question::of(sample, at, &id)));
            continue;
        }
        let all = if check.keys.is_some() { &mut cut } else { &mut whole };
        let mut known = all.iter_mut().filter(|question| question.answers_too(check)).peekable();
        if known.peek().is_some() {
            known.for_each(|question| question.answers.push((at, id.clone())));
            continue;
        }
        let question = |part| Question {
            statement: check.statement,
            bound: check.bound.clone(),
            part,
            judge: check.judge.clone(),
            answers: vec![(at, id.clone())],
        };
        match &check.keys {
            None => whole.push(question(None)),
            Some(keys) => cut.extend(cuts(keys, parts).map(|part| question(Some(part)))),
        }
    }
    whole.append(&mut cut);
    whole
}

/// Splits the keys into nearly equal parts that together cover all possible keys.
fn cuts(keys: &RangeInclusive<i64>, parts: usize) -> impl Iterator<Item = (i64, i64)> {
    let (first, last) = (*keys.start(), *keys.end());
    let count = (last - first + 1).max(1);
    let parts = (parts as i64).clamp(1, count);
    let start = move |part: i64| first + part * count / parts;
    (0..parts).map(move |part| {
        let from = if part == 0 { *OUTERMOST.start() } else { start(part) };
        let to = if part + 1 == parts { *OUTERMOST.end() } else { start(part + 1) - 1 };
        (from, to)
    })
}

impl Question {
    fn of(sample: &Sample, at: usize, id: &str) -> Self {
        let Sample { statement, bound, judge } = sample.clone();
        Self { statement, bound, part: None, judge, answers: vec![(at, id.to_owned())] }
    }

    /// Returns true if the question also evaluates this condition.
    fn answers_too(&self, check: &Check) -> bool {
        matches!((&self.judge, &check.judge), (Judge::NoRows, Judge::NoRows))
            && self.statement == check.statement
            && self.bound == check.bound
    }

    /// Returns the indexes of the checks that the question evaluates.
    pub fn conditions(&self) -> impl Iterator<Item = usize> {
        self.answers.iter().map(|(at, _)| *at)
    }

    /// Runs the question. For each condition, returns the check's index and the violations. The
    /// statements of `catalog` must already be prepared.
    pub async fn ask(
        &self,
        exchange: &mut Exchange,
        catalog: &Catalog,
    ) -> Result<Vec<(usize, Violations)>> {
        let bind = exchange.execute(self.statement).all(&self.bound);
        if let Some((first, last)) = self.part {
            bind.int(first).int(last);
        }
        let reply = exchange.send().await?;
        let columns = &catalog.get(self.statement).results;
        let found = |id: &str| match &self.judge {
            Judge::NoRows => self.violations(id, columns, reply),
            Judge::Compare(compare) => compare(columns, reply),
        };
        Ok(self.answers.iter().map(|(at, id)| (*at, found(id))).collect())
    }

    fn violations(&self, id: &str, columns: &[Field], reply: &Reply) -> Violations {
        let counted = columns.iter().position(|column| column.name == id);
        let mut found = Violations::default();
        for index in 0..reply.rows(0) {
            let Some(row) = reply.get(0, index) else { break };
            let count = match counted.map(|column| row.get(column)) {
                None => 1,
                Some(Value::Int(number)) => number.unsigned_abs(),
                // An unknown value counts as a violation.
                Some(other) => u64::from(other != Value::Null),
            };
            if count > 0 && found.count == 0 {
                let words = self.described(id, columns).map(|(column, name)| {
                    format!("{name} {}", in_words(row.get(column), columns[column].kind))
                });
                found.first = words.collect::<Vec<String>>().join(", ");
            }
            found.count += count;
        }
        found
    }

    /// Returns the columns that describe a violation, each with a readable name.
    fn described<'a>(
        &'a self,
        id: &'a str,
        columns: &'a [Field],
    ) -> impl Iterator<Item = (usize, &'a str)> {
        let ids = || self.answers.iter().map(|(_, id)| id.as_str());
        let first = columns.iter().position(|column| ids().any(|id| id == column.name));
        columns.iter().enumerate().filter_map(move |(at, column)| {
            if first.is_none_or(|first| at < first) {
                return Some((at, column.name.as_str()));
            }
            column.name.strip_prefix(id)?.strip_prefix('_').map(|name| (at, name))
        })
    }
}

impl Check {
    /// Converts the violations to the outcome of the check. All questions of the check must have
    /// been answered before.
    pub fn finding(&self, found: Violations) -> Finding {
        let verdict = match (&self.excused, found.count) {
            (Some(reason), _) => Verdict::Excused(reason.clone()),
            (None, 0) => Verdict::Holds,
            (None, count) => Verdict::Violated { count, first: found.first },
        };
        Finding { check: self.clone(), verdict }
    }
}

impl Violations {
    /// Adds the violations found in another part.
    pub fn add(&mut self, other: Self) {
        if self.count == 0 {
            self.first = other.first;
        }
        self.count += other.count;
    }
}

/// Runs all checks one after another. The statements of `catalog` must already be prepared on the
/// exchange.
pub async fn run_checks(
    exchange: &mut Exchange,
    catalog: &Catalog,
    checks: &[Check],
) -> Result<Vec<Finding>> {
    let mut found = vec![Violations::default(); checks.len()];
    for question in questions(checks, 1) {
        for (at, violations) in question.ask(exchange, catalog).await? {
            found[at].add(violations);
        }
    }
    Ok(checks.iter().zip(found).map(|(check, found)| check.finding(found)).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tacho_driver::ValueKind;

    use super::*;

    fn check(id: &'static str, statement: u16, keys: Option<RangeInclusive<i64>>) -> Check {
        let statement = StatementId(statement);
        let (bound, judge) = (Values::default(), Judge::NoRows);
        Check {
            id,
            rule: "",
            clause: "",
            statement,
            bound,
            keys,
            judge,
            samples: Vec::new(),
            by_loader: false,
            excused: None,
        }
    }

    #[test]
    fn parts_cover_every_key_once() {
        for (keys, parts) in [(1..=1, 8), (1..=10, 3), (1..=100, 8), (5..=7, 3), (1..=3, 0)] {
            let parts: Vec<(i64, i64)> = cuts(&keys, parts).collect();
            assert_eq!(parts[0].0, *OUTERMOST.start());
            assert_eq!(parts[parts.len() - 1].1, *OUTERMOST.end());
            assert!(parts.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0), "{parts:?}");
            assert!(parts.iter().all(|(first, last)| first <= last), "{parts:?}");
        }
    }

    #[test]
    fn conditions_of_one_statement_share_its_questions() {
        let mut checks = vec![
            check("C1", 9, Some(1..=4)),
            check("C2", 3, None),
            check("C3", 9, Some(1..=4)),
            check("C4", 5, None),
        ];
        checks[3].excused = Some("of no use".into());
        let asked = questions(&checks, 2);
        let seen: Vec<(u16, Vec<usize>)> = asked
            .iter()
            .map(|question| {
                (question.statement.0, question.answers.iter().map(|(at, _)| *at).collect())
            })
            .collect();
        assert_eq!(seen, [(3, vec![1]), (9, vec![0, 2]), (9, vec![0, 2])]);
        let columns = ["w", "c1", "c1_order", "c3", "c3_by"];
        let columns =
            columns.map(|name| Field { name: name.into(), kind: ValueKind::Int }).to_vec();
        let described = |id| asked[1].described(id, &columns).collect::<Vec<_>>();
        assert_eq!(described("c1"), [(0, "w"), (2, "order")]);
        assert_eq!(described("c3"), [(0, "w"), (4, "by")]);
        assert_eq!(asked[0].described("c2", &columns).count(), columns.len());
    }
    #[test]
    fn only_what_is_asked_and_judged_alike_is_shared() {
        let mut checks: Vec<Check> =
            ["C1", "C2", "C3", "C4", "C5"].map(|id| check(id, 9, None)).into();
        checks[2].bound.int(1);
        for compared in &mut checks[3..] {
            compared.judge = Judge::Compare(Arc::new(|_, _| Violations::default()));
        }
        let conditions: Vec<Vec<usize>> =
            questions(&checks, 8).iter().map(|question| question.conditions().collect()).collect();
        assert_eq!(conditions, [vec![0, 1], vec![2], vec![3], vec![4]]);
    }
}
