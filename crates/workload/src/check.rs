//! Consistency checks: queries that return one row for each violation.

use tacho_core::Result;
use tacho_driver::{Exchange, StatementId, Value, ValueKind};

/// One condition on the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Short name, such as `C1`.
    pub id: &'static str,
    /// What must hold, in one line.
    pub rule: &'static str,
    /// Where it is written.
    pub clause: &'static str,
    /// Returns one row per violation; has no parameters.
    pub statement: StatementId,
    /// Why the condition cannot hold with the chosen parameters, if so; it is then not run.
    pub excused: Option<String>,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No violation.
    Holds,
    /// So many violations; the first one in words.
    Violated {
        /// Number of rows that the query returned.
        count: u64,
        /// Columns and values of the first one.
        first: String,
    },
    /// Not run, and why.
    Excused(String),
}

/// A check with its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The check.
    pub check: Check,
    /// What it found.
    pub verdict: Verdict,
}

/// Runs one check on an exchange that has the workload's catalog prepared. `names` are the result
/// columns of the check's statement, for the description of the first violation.
pub async fn run_check(
    exchange: &mut Exchange,
    check: &Check,
    columns: &[(String, ValueKind)],
) -> Result<Finding> {
    let finding = |verdict| Finding { check: check.clone(), verdict };
    if let Some(reason) = &check.excused {
        return Ok(finding(Verdict::Excused(reason.clone())));
    }
    exchange.execute(check.statement);
    let reply = exchange.send().await?;
    let Some(row) = reply.get(0, 0) else { return Ok(finding(Verdict::Holds)) };
    let words: Vec<String> = columns
        .iter()
        .enumerate()
        .map(|(index, (name, kind))| format!("{name} {}", in_words(row.get(index), *kind)))
        .collect();
    let count = reply.rows(0) as u64;
    Ok(finding(Verdict::Violated { count, first: words.join(", ") }))
}

fn in_words(value: Value<'_>, kind: ValueKind) -> String {
    match (value, kind) {
        (Value::Null, _) => "null".into(),
        (Value::Text(text), _) => String::from_utf8_lossy(text).into_owned(),
        (Value::Int(number) | Value::Decimal(number), ValueKind::Decimal(scale)) => {
            let unit = 10_i64.pow(u32::from(scale));
            let sign = if number < 0 { "−" } else { "" };
            let (whole, part) =
                (number.unsigned_abs() / unit as u64, number.unsigned_abs() % unit as u64);
            format!("{sign}{whole}.{part:0width$}", width = usize::from(scale))
        }
        (Value::Int(number) | Value::Decimal(number) | Value::Time(number), _) => {
            number.to_string()
        }
    }
}
