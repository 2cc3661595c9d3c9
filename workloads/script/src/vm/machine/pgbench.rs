//! The operators and functions of pgbench expressions, as in pgbench's manual.
//!
//! The types of expressions are not known in advance, so a type error is found only during evaluation.
//!
//! Start reading at [`Machine::pgbench`].

use tacho_workload::random::{self, Zipf};

use super::{Evaluated, Fault, Machine, Node};
use crate::vm::value::{Binary, Cause, Ty, Val, binary, float, whole};
use crate::vm::{mixing, numbers};

/// An operator or a function with its arguments.
#[derive(Clone, Debug)]
pub struct Call {
    pub operation: Operation,
    pub arguments: Box<[Node]>,
    pub at: u32,
}

/// The operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Binary(Binary),
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    And,
    Or,
    Not,
    Is,
    Case,
    Abs,
    Least,
    Greatest,
    Debug,
    ToDouble,
    ToInt,
    Pi,
    Sqrt,
    Ln,
    Exp,
    Power,
    Random,
    Gaussian,
    Exponential,
    Zipfian,
    Fnv1a,
    Murmur2,
    Permute,
    /// A variable that a statement or `-D` sets. It may not have a value yet.
    Variable,
    /// A variable in the text form in which it is inserted into a statement.
    Given,
    /// Converts a value to a Boolean. Numbers are allowed, too.
    Truth,
    /// Fails unless a statement returned exactly one row.
    OneRow,
}

impl Operation {
    /// Returns true if the operation draws a random number.
    pub const fn draws(self) -> bool {
        matches!(self, Self::Random | Self::Gaussian | Self::Exponential | Self::Zipfian)
    }

    /// Returns the type of the operation's result if it is always the same, whatever the arguments are.
    pub const fn result(self) -> Option<Ty> {
        match self {
            Self::Random | Self::Gaussian | Self::Exponential | Self::Zipfian => Some(Ty::Int),
            _ => None,
        }
    }
}

/// Returns true if a condition of `\if` or CASE with this value is met.
fn truth(value: Val) -> Result<bool, Cause> {
    Ok(match value {
        Val::Bool(value) => value,
        Val::Int(number) => number != 0,
        Val::Float(number) => number != 0.0,
        Val::Null => false,
        _ => return Err(Cause::NoBoolean),
    })
}

fn boolean(value: Val) -> Result<bool, Cause> {
    if let Val::Bool(value) = value { Ok(value) } else { Err(Cause::NoBoolean) }
}

fn integer(value: Val) -> Result<i64, Cause> {
    match value {
        Val::Int(number) => Ok(number),
        Val::Float(number) => match whole(number.round_ties_even())? {
            Val::Int(number) => Ok(number),
            _ => Err(Cause::NoInteger),
        },
        _ => Err(Cause::NoInteger),
    }
}

fn double(value: Val) -> Result<f64, Cause> {
    float(value).ok_or(Cause::NotANumber)
}

#[expect(clippy::float_cmp, reason = "pgbench compares exactly")]
fn arithmetic(operator: Binary, left: Val, right: Val) -> Result<Val, Cause> {
    let fraction = matches!(left, Val::Float(_)) || matches!(right, Val::Float(_));
    if !fraction || operator == Binary::Modulo {
        return binary(operator, Val::Int(integer(left)?), Val::Int(integer(right)?));
    }
    // Infinity and NaN are valid values.
    let (a, b) = (double(left)?, double(right)?);
    Ok(match operator {
        Binary::Add => Val::Float(a + b),
        Binary::Subtract => Val::Float(a - b),
        Binary::Multiply => Val::Float(a * b),
        Binary::Divide => Val::Float(a / b),
        Binary::Equal => Val::Bool(a == b),
        Binary::NotEqual => Val::Bool(a != b),
        Binary::Less => Val::Bool(a < b),
        Binary::LessEqual => Val::Bool(a <= b),
        Binary::Greater => Val::Bool(a > b),
        _ => Val::Bool(a >= b),
    })
}

fn bits(operation: Operation, left: Val, right: Val) -> Result<Val, Cause> {
    use Operation as O;
    let (a, b) = (integer(left)?, integer(right)?);
    Ok(Val::Int(match operation {
        O::BitAnd => a & b,
        O::BitOr => a | b,
        O::BitXor => a ^ b,
        // As on most processors, only the lowest six bits of the shift count are used.
        O::ShiftLeft => a.wrapping_shl(b as u32),
        _ => a.wrapping_shr(b as u32),
    }))
}

fn same(left: Val, right: Val) -> bool {
    matches!((left, right), (Val::Null, Val::Null))
        || matches!((left, right), (Val::Bool(a), Val::Bool(b)) if a == b)
}

impl Machine {
    /// Evaluates a call.
    pub fn pgbench(&mut self, call: &Call) -> Evaluated {
        use Operation as O;
        let Call { operation, arguments, at } = call;
        let fault = |cause| Fault { cause, at: *at };
        match operation {
            O::And | O::Or => {
                let stops = *operation == O::Or;
                let left = self.eval(&arguments[0])?;
                if left == Val::Null {
                    return Ok(Val::Null);
                }
                if boolean(left).map_err(fault)? == stops {
                    return Ok(Val::Bool(stops));
                }
                match self.eval(&arguments[1])? {
                    Val::Null => Ok(Val::Null),
                    right => boolean(right).map(Val::Bool).map_err(fault),
                }
            }
            O::Case => {
                let (conditions, other) = arguments.split_at(arguments.len() - 1);
                for pair in conditions.chunks_exact(2) {
                    let holds = self.eval(&pair[0])?;
                    if truth(holds).map_err(fault)? {
                        return self.eval(&pair[1]);
                    }
                }
                self.eval(&other[0])
            }
            O::Is => Ok(Val::Bool(same(self.eval(&arguments[0])?, self.eval(&arguments[1])?))),
            O::Debug => self.eval(&arguments[0]),
            O::Truth => truth(self.eval(&arguments[0])?).map(Val::Bool).map_err(fault),
            O::OneRow => match self.eval(&arguments[0])? {
                Val::Int(1) => Ok(Val::Bool(true)),
                _ => Err(fault(Cause::NotOneRow)),
            },
            O::Variable => match self.eval(&arguments[0])? {
                Val::Absent => Err(fault(Cause::NotSet)),
                Val::Text(from, to) => numbers::read(self.bytes(from, to)).map_err(fault),
                value => Ok(value),
            },
            O::Given => match self.eval(&arguments[0])? {
                Val::Absent => Err(fault(Cause::NotSet)),
                value @ (Val::Float(_) | Val::Bool(_)) => {
                    let start = self.text.len() as u32;
                    numbers::write(value, &mut self.text);
                    Ok(Val::Text(start, self.text.len() as u32))
                }
                value => Ok(value),
            },
            _ => self.strict(*operation, arguments, *at),
        }
    }

    /// Evaluates an operation for which the result is NULL if any of the arguments is NULL.
    fn strict(&mut self, operation: Operation, arguments: &[Node], at: u32) -> Evaluated {
        let mut values = [Val::Null; ARGUMENTS_MAX];
        let mut has_null = false;
        for (value, node) in values.iter_mut().zip(arguments) {
            *value = self.eval(node)?;
            has_null |= *value == Val::Null;
        }
        if has_null {
            return Ok(Val::Null);
        }
        let values = &values[..arguments.len()];
        self.strict_of(operation, values).map_err(|cause| Fault { cause, at })
    }

    fn strict_of(&mut self, operation: Operation, values: &[Val]) -> Result<Val, Cause> {
        use Operation as O;
        let first = values.first().copied().unwrap_or_default();
        let second = values.get(1).copied().unwrap_or_default();
        Ok(match operation {
            O::BitAnd | O::BitOr | O::BitXor | O::ShiftLeft | O::ShiftRight => {
                return bits(operation, first, second);
            }
            O::Not => Val::Bool(!boolean(first)?),
            O::Abs => match first {
                Val::Float(number) => Val::Float(number.abs()),
                value => Val::Int(integer(value)?.wrapping_abs()),
            },
            O::Least | O::Greatest => return extreme(operation, values),
            O::ToDouble => Val::Float(double(first)?),
            O::ToInt => Val::Int(integer(first)?),
            O::Pi => Val::Float(std::f64::consts::PI),
            O::Sqrt => Val::Float(double(first)?.sqrt()),
            O::Ln => Val::Float(double(first)?.ln()),
            O::Exp => Val::Float(double(first)?.exp()),
            O::Power => Val::Float(double(first)?.powf(double(second)?)),
            O::Random | O::Gaussian | O::Exponential | O::Zipfian => {
                return self.drawn(operation, values);
            }
            O::Fnv1a => Val::Int(mixing::fnv1a(integer(first)?, integer(second)?)),
            O::Murmur2 => Val::Int(mixing::murmur2(integer(first)?, integer(second)?)),
            O::Permute => {
                let size = integer(second)?;
                if size < 1 {
                    return Err(Cause::OutOfRange);
                }
                let seed = integer(values.get(2).copied().unwrap_or_default())?;
                Val::Int(mixing::permuted(integer(first)?, size, seed))
            }
            O::Binary(operator) => return arithmetic(operator, first, second),
            // Other operations may have a different number of arguments and are evaluated elsewhere.
            _ => return Err(Cause::DoesNotFit),
        })
    }

    fn drawn(&mut self, operation: Operation, values: &[Val]) -> Result<Val, Cause> {
        let (low, high) = (integer(values[0])?, integer(values[1])?);
        if low > high {
            return Err(Cause::EmptyRange);
        }
        if high.checked_sub(low).and_then(|size| size.checked_add(1)).is_none() {
            return Err(Cause::OutOfRange);
        }
        let shape = values.get(2).map_or(Ok(0.0), |value| double(*value))?;
        let allowed = match operation {
            Operation::Gaussian => shape >= GAUSSIAN_MIN,
            Operation::Exponential => shape > 0.0,
            Operation::Zipfian => (ZIPFIAN_MIN..=ZIPFIAN_MAX).contains(&shape),
            _ => true,
        };
        if !allowed {
            return Err(Cause::NoParameter);
        }
        let rng = &mut self.rng;
        Ok(Val::Int(match operation {
            Operation::Gaussian => random::normal(low, high, shape, rng),
            Operation::Exponential => random::exponential(low, high, shape, rng),
            Operation::Zipfian => low - 1 + Zipf::new((high - low + 1) as u64, shape).draw(rng),
            _ => rng.between(low, high),
        }))
    }
}

/// Maximum number of function arguments.
pub const ARGUMENTS_MAX: usize = 16;
/// Minimum value of the third argument of `random_gaussian`.
const GAUSSIAN_MIN: f64 = 2.0;
/// Permitted range of the third argument of `random_zipfian`.
pub const ZIPFIAN_MIN: f64 = 1.001;
pub const ZIPFIAN_MAX: f64 = 1000.0;

fn extreme(operation: Operation, values: &[Val]) -> Result<Val, Cause> {
    let least = operation == Operation::Least;
    if values.iter().any(|value| matches!(value, Val::Float(_))) {
        let mut best = double(values[0])?;
        for value in &values[1..] {
            let other = double(*value)?;
            if if least { other < best } else { other > best } {
                best = other;
            }
        }
        return Ok(Val::Float(best));
    }
    let mut best = integer(values[0])?;
    for value in &values[1..] {
        let other = integer(*value)?;
        best = if least { best.min(other) } else { best.max(other) };
    }
    Ok(Val::Int(best))
}
