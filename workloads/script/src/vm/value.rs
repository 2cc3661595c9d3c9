//! Expression values, and the results of operators.
//!
//! As in SQL, the result is NULL if any operand is NULL. Start reading at [`Val`].

use std::cmp::Ordering;

/// A value. Strings are stored in the buffer of the machine that created them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Val {
    /// SQL NULL.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// Microseconds since 1970.
    Time(i64),
    /// A string at these bytes.
    Text(u32, u32),
    /// A column from a result that had no row.
    Absent,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Join,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

/// The type of an expression, which is known before the expression is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    /// Always NULL.
    Null,
    Bool,
    Int,
    Float,
    Time,
    Text,
}

impl Ty {
    /// Describes the type.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a condition",
            Self::Int => "a whole number",
            Self::Float => "a number with a fraction",
            Self::Time => "a time",
            Self::Text => "a text",
        }
    }

    /// Returns a type that includes the values of both types, or `None` if there is no such type.
    pub fn with(self, other: Self) -> Option<Self> {
        match (self, other) {
            (a, b) if a == b => Some(a),
            (Self::Null, other) | (other, Self::Null) => Some(other),
            (Self::Int, Self::Float) | (Self::Float, Self::Int) => Some(Self::Float),
            _ => None,
        }
    }
}

/// The reason why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The divisor is 0.
    DivisionByZero,
    /// The result does not fit into 64 bits.
    OutOfRange,
    /// The statement returned no row.
    NoRow,
    /// The first bound is greater than the second.
    EmptyRange,
    /// The text is not a number.
    NoNumber,
    /// A loop has too many iterations.
    TooManyTurns,
    /// The loops have too many iterations in total.
    TooManySteps,
    /// A condition does not hold.
    NotAsRequired,
    /// The value does not fit its column or parameter, because of its type or its length.
    DoesNotFit,
    /// The string is too long.
    TextTooLong,
    /// A count or a limit is NULL.
    IsNull,
    /// A variable was not set.
    NotSet,
    /// The value is not a condition.
    NoBoolean,
    /// The value is not an integer.
    NoInteger,
    /// The value is not a number.
    NotANumber,
    /// A parameter of a distribution is out of range.
    NoParameter,
    /// The statement returned no row or more than one row.
    NotOneRow,
}

impl Cause {
    /// Describes the cause.
    pub const fn words(self) -> &'static str {
        match self {
            Self::DivisionByZero => "division by zero",
            Self::OutOfRange => "the number is out of range",
            Self::NoRow => "the statement returned no row",
            Self::EmptyRange => "the lower bound is greater than the upper bound",
            Self::NoNumber => "the text is not a number",
            Self::TooManyTurns => "the loop has more than 100000 iterations",
            Self::TooManySteps => "the transaction's loops have more than 10000000 iterations",
            Self::NotAsRequired => "the required condition is not met",
            Self::DoesNotFit => "the value does not fit into its column or parameter",
            Self::TextTooLong => "the text is longer than 1000000 bytes",
            Self::IsNull => "the value is NULL",
            Self::NotSet => "the variable is not set",
            Self::NoBoolean => "the value is not a condition",
            Self::NoInteger => "the value is not a whole number",
            Self::NotANumber => "the value is not a number",
            Self::NoParameter => "the distribution parameter is out of range",
            Self::NotOneRow => "the statement did not return exactly one row",
        }
    }
}

/// Converts a number to floating point. Returns `None` for any other value.
pub fn float(value: Val) -> Option<f64> {
    match value {
        Val::Int(number) => Some(number as f64),
        Val::Float(number) => Some(number),
        _ => None,
    }
}

/// Converts a number to an integer if it is in range.
pub fn whole(number: f64) -> Result<Val, Cause> {
    // The bounds are powers of two, so floating-point numbers represent them exactly.
    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number);
    if fits { Ok(Val::Int(number as i64)) } else { Err(Cause::OutOfRange) }
}

/// Applies an operator to two numbers, conditions or times. The virtual machine handles strings itself.
#[inline]
pub fn binary(operator: Binary, left: Val, right: Val) -> Result<Val, Cause> {
    match (operator, left, right) {
        (Binary::Add, Val::Int(a), Val::Int(b)) => checked(a.checked_add(b)),
        (Binary::Subtract, Val::Int(a), Val::Int(b)) => checked(a.checked_sub(b)),
        (Binary::Multiply, Val::Int(a), Val::Int(b)) => checked(a.checked_mul(b)),
        (Binary::Divide | Binary::Modulo, Val::Int(_), Val::Int(0)) => Err(Cause::DivisionByZero),
        (Binary::Divide, Val::Int(a), Val::Int(b)) => checked(a.checked_div(b)),
        (Binary::Modulo, Val::Int(a), Val::Int(b)) => Ok(Val::Int(a.checked_rem(b).unwrap_or(0))),
        (Binary::And, Val::Bool(false), _) | (Binary::And, _, Val::Bool(false)) => {
            Ok(Val::Bool(false))
        }
        (Binary::Or, Val::Bool(true), _) | (Binary::Or, _, Val::Bool(true)) => Ok(Val::Bool(true)),
        (_, Val::Null, _) | (_, _, Val::Null) => Ok(Val::Null),
        (Binary::And, Val::Bool(a), Val::Bool(b)) => Ok(Val::Bool(a && b)),
        (Binary::Or, Val::Bool(a), Val::Bool(b)) => Ok(Val::Bool(a || b)),
        (
            Binary::Equal
            | Binary::NotEqual
            | Binary::Less
            | Binary::LessEqual
            | Binary::Greater
            | Binary::GreaterEqual,
            a,
            b,
        ) => compared(operator, order(a, b)),
        (_, a, b) => fraction(operator, a, b),
    }
}

fn checked(number: Option<i64>) -> Result<Val, Cause> {
    number.map(Val::Int).ok_or(Cause::OutOfRange)
}

fn order(left: Val, right: Val) -> Option<Ordering> {
    match (left, right) {
        (Val::Int(a), Val::Int(b)) | (Val::Time(a), Val::Time(b)) => Some(a.cmp(&b)),
        (Val::Bool(a), Val::Bool(b)) => Some(a.cmp(&b)),
        (a, b) => float(a)?.partial_cmp(&float(b)?),
    }
}

/// Applies a comparison operator to the ordering of two values.
pub fn compared(operator: Binary, order: Option<Ordering>) -> Result<Val, Cause> {
    let order = order.ok_or(Cause::DoesNotFit)?;
    Ok(Val::Bool(match operator {
        Binary::Equal => order.is_eq(),
        Binary::NotEqual => order.is_ne(),
        Binary::Less => order.is_lt(),
        Binary::LessEqual => order.is_le(),
        Binary::Greater => order.is_gt(),
        _ => order.is_ge(),
    }))
}

fn fraction(operator: Binary, left: Val, right: Val) -> Result<Val, Cause> {
    let (Some(a), Some(b)) = (float(left), float(right)) else { return Err(Cause::DoesNotFit) };
    let result = match operator {
        Binary::Add => a + b,
        Binary::Subtract => a - b,
        Binary::Multiply => a * b,
        Binary::Divide | Binary::Modulo if b == 0.0 => return Err(Cause::DivisionByZero),
        Binary::Divide => a / b,
        Binary::Modulo => a % b,
        _ => return Err(Cause::DoesNotFit),
    };
    if result.is_finite() { Ok(Val::Float(result)) } else { Err(Cause::OutOfRange) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_those_of_sql() {
        let table = [
            (Binary::Divide, Val::Int(-7), Val::Int(2), Ok(Val::Int(-3))),
            (Binary::Modulo, Val::Int(-7), Val::Int(2), Ok(Val::Int(-1))),
            (Binary::Divide, Val::Int(7), Val::Float(2.0), Ok(Val::Float(3.5))),
            (Binary::Divide, Val::Int(7), Val::Int(0), Err(Cause::DivisionByZero)),
            (Binary::Divide, Val::Int(i64::MIN), Val::Int(-1), Err(Cause::OutOfRange)),
            (Binary::Modulo, Val::Int(i64::MIN), Val::Int(-1), Ok(Val::Int(0))),
            (Binary::Divide, Val::Float(1.0), Val::Int(0), Err(Cause::DivisionByZero)),
            (Binary::Add, Val::Int(i64::MAX), Val::Int(1), Err(Cause::OutOfRange)),
            (Binary::Add, Val::Int(1), Val::Null, Ok(Val::Null)),
            (Binary::Less, Val::Int(1), Val::Float(1.5), Ok(Val::Bool(true))),
            (Binary::And, Val::Bool(false), Val::Null, Ok(Val::Bool(false))),
            (Binary::Or, Val::Null, Val::Bool(true), Ok(Val::Bool(true))),
            (Binary::And, Val::Bool(true), Val::Null, Ok(Val::Null)),
        ];
        for (operator, left, right, expected) in table {
            assert_eq!(binary(operator, left, right), expected, "{operator:?} {left:?} {right:?}");
        }
        assert_eq!(whole(9.3e18), Err(Cause::OutOfRange));
    }
}
