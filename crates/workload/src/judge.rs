//! Judges the result of a check and counts the violations found.

use std::fmt;
use std::sync::Arc;

use tacho_driver::{Field, Reply, Value, ValueKind};

/// Rule for judging the result of a statement.
#[derive(Clone, Default)]
pub enum Judge {
    /// Each row of the result is a violation, or states a number of violations.
    #[default]
    NoRows,
    /// A function compares the result with the correct one, and counts wrong rows and values.
    Compare(Arc<Comparison>),
}

/// A function that compares a result; see [`Judge::Compare`].
pub type Comparison = dyn Fn(&[Field], &Reply) -> Violations + Send + Sync;

impl fmt::Debug for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoRows => "NoRows",
            Self::Compare(_) => "Compare",
        })
    }
}

/// Violations of one condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violations {
    /// Number of violations.
    pub count: u64,
    /// Description of the first violation. Empty if there is none.
    pub first: String,
}

pub(crate) fn in_words(value: Value<'_>, kind: ValueKind) -> String {
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
