//! Evaluates expressions, with registers, a text buffer and a random number generator.
//!
//! The virtual machine must not allocate memory once its buffers are warm.
//!
//! Start reading at [`Machine::eval`].

pub mod pgbench;

use tacho_core::Rng;
use tacho_driver::text::{self, Moment, parse_moment};
use tacho_workload::Sequence;
use tacho_workload::random::{self, Zipf};

use crate::vm::functions::Function;
use crate::vm::value::{Binary, Cause, Val, binary, compared, float, whole};
use pgbench::Call;

const DAY_US: i64 = 86_400_000_000;
/// Maximum length of a string that an expression creates. A longer string is assumed to be a mistake.
const TEXT_MAX: usize = 1_000_000;
const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// An expression in the form in which it is evaluated.
#[derive(Clone, Debug)]
pub enum Node {
    /// A value that is not a string.
    Const(Val),
    /// A string.
    Text(Box<[u8]>),
    /// A register.
    Register(u16),
    /// A register that contains a value from a statement's result. It has no value if the result has no rows.
    Answer(u16, u32),
    /// The next number in a sequence.
    Next(u16),
    /// The last number that was drawn from a sequence. If no number has been drawn yet, this is a number that exists in
    /// the database.
    Last(u16),
    Negative(Box<Node>, u32),
    Not(Box<Node>),
    Binary(Binary, Box<[Node; 2]>, u32),
    /// True if each of these registers contains the given integer. Most `require` steps have this form.
    Are(Box<[(u16, i64)]>),
    /// `uniform` with constant bounds.
    Uniform(i64, u64),
    /// `zipf` with constant arguments. Contains the lowest possible number minus one, and the distribution of the
    /// ranks. Ranks start at 1.
    Zipf(i64, Box<Zipf>),
    Call(Function, Box<[Node]>, u32),
    /// A pgbench operator or function.
    Pgbench(Box<Call>),
}

impl Node {
    /// Returns true if the expression draws a random number.
    pub fn draws(&self) -> bool {
        self.any(&|node| match node {
            Self::Uniform(..) | Self::Zipf(..) => true,
            Self::Pgbench(call) => call.operation.draws(),
            Self::Call(function, ..) => function.draws(),
            _ => false,
        })
    }

    pub fn reads(&self, register: u16) -> bool {
        self.any(&|node| match node {
            Self::Register(used) | Self::Answer(used, _) => *used == register,
            Self::Are(all) => all.iter().any(|(used, _)| *used == register),
            _ => false,
        })
    }

    /// Returns true if `holds` returns true for this expression or for any of its subexpressions.
    fn any(&self, holds: &dyn Fn(&Self) -> bool) -> bool {
        holds(self)
            || match self {
                Self::Negative(of, _) | Self::Not(of) => of.any(holds),
                Self::Binary(_, sides, _) => sides.iter().any(|side| side.any(holds)),
                Self::Call(_, arguments, _) => arguments.iter().any(|argument| argument.any(holds)),
                Self::Pgbench(call) => call.arguments.iter().any(|argument| argument.any(holds)),
                _ => false,
            }
    }
}

/// The reason why an expression has no value, and the position of the error in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub cause: Cause,
    pub at: u32,
}

/// The state in which expressions are evaluated, for one virtual user or for one range of generated rows.
#[derive(Debug)]
pub struct Machine {
    pub registers: Vec<Val>,
    pub text: Vec<u8>,
    pub rng: Rng,
    /// The numbers of each sequence.
    pub sequences: Vec<Sequence>,
}

/// A value, or the reason why an expression has none.
pub type Evaluated = Result<Val, Fault>;

impl Machine {
    pub fn new(registers: usize, rng: Rng) -> Self {
        let registers = vec![Val::Null; registers];
        Self { registers, text: Vec::new(), rng, sequences: Vec::new() }
    }

    /// Returns the bytes of a string.
    #[inline]
    pub fn bytes(&self, start: u32, end: u32) -> &[u8] {
        &self.text[start as usize..end as usize]
    }

    /// Stores a string.
    #[inline]
    pub fn keep(&mut self, bytes: &[u8]) -> Val {
        let start = self.text.len();
        self.text.extend_from_slice(bytes);
        self.text_from(start)
    }

    fn text_from(&self, start: usize) -> Val {
        Val::Text(start as u32, self.text.len() as u32)
    }

    /// Removes all strings except those in the first `registers` registers. `spare` is a temporary buffer.
    pub fn keep_texts_of(&mut self, registers: usize, spare: &mut Vec<u8>) {
        spare.clear();
        for value in self.registers.iter_mut().take(registers) {
            if let Val::Text(start, end) = *value {
                let begin = spare.len();
                spare.extend_from_slice(&self.text[start as usize..end as usize]);
                *value = Val::Text(begin as u32, spare.len() as u32);
            }
        }
        std::mem::swap(&mut self.text, spare);
    }

    /// Evaluates an expression.
    #[inline]
    pub fn eval(&mut self, node: &Node) -> Evaluated {
        match node {
            Node::Const(value) => Ok(*value),
            Node::Register(register) => Ok(self.registers[usize::from(*register)]),
            Node::Are(all) => Ok(self.are(all)),
            _ => self.computed(node),
        }
    }

    /// Draws a number from `low` to `low + size - 1`.
    #[inline]
    pub fn uniform(&mut self, low: i64, size: u64) -> Val {
        Val::Int(low.wrapping_add(self.rng.below(size) as i64))
    }

    /// Compares registers with integers. Returns false if a register contains another integer. Otherwise, returns NULL
    /// if any register is NULL, and true if all of them match.
    #[inline]
    fn are(&self, all: &[(u16, i64)]) -> Val {
        let mut result = Val::Bool(true);
        for (register, wanted) in all {
            match self.registers[usize::from(*register)] {
                Val::Int(number) if number == *wanted => {}
                Val::Int(_) => return Val::Bool(false),
                _ => result = Val::Null,
            }
        }
        result
    }

    fn computed(&mut self, node: &Node) -> Evaluated {
        match node {
            Node::Uniform(low, size) => Ok(self.uniform(*low, *size)),
            Node::Zipf(below, zipf) => Ok(Val::Int(below.wrapping_add(zipf.draw(&mut self.rng)))),
            Node::Answer(register, at) => match self.registers[usize::from(*register)] {
                Val::Absent => Err(Fault { cause: Cause::NoRow, at: *at }),
                value => Ok(value),
            },
            Node::Binary(operator, sides, at) => {
                let (left, right) = (self.eval(&sides[0])?, self.eval(&sides[1])?);
                self.binary(*operator, left, right).map_err(|cause| Fault { cause, at: *at })
            }
            _ => self.other(node),
        }
    }

    fn other(&mut self, node: &Node) -> Evaluated {
        match node {
            Node::Text(bytes) => Ok(self.keep(bytes)),
            Node::Next(sequence) => Ok(Val::Int(self.sequences[usize::from(*sequence)].take())),
            Node::Last(sequence) => {
                let Sequence { next, step } = self.sequences[usize::from(*sequence)];
                Ok(Val::Int(next.wrapping_sub(step)))
            }
            Node::Negative(of, at) => {
                let value = self.eval(of)?;
                let negated = match value {
                    Val::Float(number) => Ok(Val::Float(-number)),
                    value => binary(Binary::Subtract, Val::Int(0), value),
                };
                negated.map_err(|cause| Fault { cause, at: *at })
            }
            Node::Not(of) => Ok(match self.eval(of)? {
                Val::Bool(value) => Val::Bool(!value),
                _ => Val::Null,
            }),
            Node::Call(function, arguments, at) => self.call(*function, arguments, *at),
            Node::Pgbench(call) => self.pgbench(call),
            _ => self.eval(node),
        }
    }

    fn binary(&mut self, operator: Binary, left: Val, right: Val) -> Result<Val, Cause> {
        let (Val::Text(a, b), Val::Text(c, d)) = (left, right) else {
            return binary(operator, left, right);
        };
        if operator != Binary::Join {
            let order = self.bytes(a, b).cmp(self.bytes(c, d));
            return compared(operator, Some(order));
        }
        let start = self.text.len();
        if (b - a) as usize + (d - c) as usize > TEXT_MAX {
            return Err(Cause::TextTooLong);
        }
        self.text.extend_from_within(a as usize..b as usize);
        self.text.extend_from_within(c as usize..d as usize);
        Ok(self.text_from(start))
    }

    fn int(&mut self, node: &Node, at: u32) -> Result<i64, Fault> {
        match self.eval(node)? {
            Val::Int(number) => Ok(number),
            Val::Null => Err(Fault { cause: Cause::IsNull, at }),
            _ => Err(Fault { cause: Cause::DoesNotFit, at }),
        }
    }

    fn number(&mut self, node: &Node, at: u32) -> Result<f64, Fault> {
        let value = self.eval(node)?;
        let cause = if value == Val::Null { Cause::IsNull } else { Cause::DoesNotFit };
        float(value).ok_or(Fault { cause, at })
    }

    fn call(&mut self, function: Function, arguments: &[Node], at: u32) -> Evaluated {
        use Function as F;
        match function {
            F::Uniform | F::Zipf | F::Normal | F::Exponential | F::Pareto | F::Nurand => {
                self.draw(function, arguments, at)
            }
            F::Random => Ok(Val::Float(self.rng.unit())),
            F::Chance => {
                let share = self.number(&arguments[0], at)?;
                Ok(Val::Bool(self.rng.unit() < share))
            }
            F::Pick => {
                let place = self.rng.below(arguments.len() as u64) as usize;
                self.eval(&arguments[place])
            }
            F::Weighted => self.weighted(arguments, at),
            F::If => match self.eval(&arguments[0])? {
                Val::Bool(true) => self.eval(&arguments[1]),
                _ => self.eval(&arguments[2]),
            },
            F::Coalesce => {
                for argument in arguments {
                    let value = self.eval(argument)?;
                    if value != Val::Null {
                        return Ok(value);
                    }
                }
                Ok(Val::Null)
            }
            F::IsNull => Ok(Val::Bool(self.eval(&arguments[0])? == Val::Null)),
            F::RandomText | F::RandomDigits | F::ToText | F::Pad | F::Fill => {
                self.make_text(function, arguments, at)
            }
            F::Permute => {
                let number = self.int(&arguments[0], at)?;
                let (low, high) = self.range(&arguments[1..], at)?;
                Ok(Val::Int(random::permuted(number, low, high)))
            }
            F::Date | F::AddDays | F::AddSeconds => self.time(function, arguments, at),
            _ => {
                let value = self.eval(&arguments[0])?;
                if value == Val::Null {
                    return Ok(Val::Null);
                }
                self.mathematics(function, value, &arguments[1..], at)
            }
        }
    }

    fn range(&mut self, bounds: &[Node], at: u32) -> Result<(i64, i64), Fault> {
        let (low, high) = (self.int(&bounds[0], at)?, self.int(&bounds[1], at)?);
        let size = high.checked_sub(low).and_then(|size| size.checked_add(1));
        match size {
            None => Err(Fault { cause: Cause::OutOfRange, at }),
            Some(..=0) => Err(Fault { cause: Cause::EmptyRange, at }),
            Some(_) => Ok((low, high)),
        }
    }

    fn draw(&mut self, function: Function, arguments: &[Node], at: u32) -> Evaluated {
        if function == Function::Nurand {
            let a = self.int(&arguments[0], at)?;
            let (low, high) = self.range(&arguments[1..3], at)?;
            let constant = arguments.get(3).map_or(Ok(0), |node| self.int(node, at))?;
            if !(0..i64::MAX).contains(&a) {
                return Err(Fault { cause: Cause::OutOfRange, at });
            }
            return Ok(Val::Int(random::nurand(a, low, high, constant, &mut self.rng)));
        }
        let (low, high) = self.range(arguments, at)?;
        let shape = match arguments.get(2) {
            Some(node) => self.number(node, at)?,
            None => 0.0,
        };
        let allowed = match function {
            Function::Zipf => shape >= 0.0,
            Function::Pareto => shape > 0.0 && shape < 1.0,
            Function::Normal => shape >= 1.0,
            Function::Exponential => shape > 0.0,
            _ => true,
        };
        if !allowed || !shape.is_finite() {
            return Err(Fault { cause: Cause::OutOfRange, at });
        }
        let rng = &mut self.rng;
        Ok(Val::Int(match function {
            Function::Zipf => low - 1 + Zipf::new((high - low + 1) as u64, shape).draw(rng),
            Function::Normal => random::normal(low, high, shape, rng),
            Function::Exponential => random::exponential(low, high, shape, rng),
            Function::Pareto => random::pareto(low, high, shape, rng),
            _ => rng.between(low, high),
        }))
    }

    fn weighted(&mut self, arguments: &[Node], at: u32) -> Evaluated {
        let mut sum = 0.0;
        for weight in arguments.iter().step_by(2) {
            let weight = self.number(weight, at)?;
            if weight < 0.0 {
                return Err(Fault { cause: Cause::OutOfRange, at });
            }
            sum += weight;
        }
        let mut left = self.rng.unit() * sum;
        for pair in arguments.chunks_exact(2) {
            left -= self.number(&pair[0], at)?;
            if left < 0.0 {
                return self.eval(&pair[1]);
            }
        }
        // The code gets here only because of rounding errors, or if all weights are 0.
        self.eval(&arguments[arguments.len() - 1])
    }

    fn make_text(&mut self, function: Function, arguments: &[Node], at: u32) -> Evaluated {
        let too_long = Fault { cause: Cause::TextTooLong, at };
        if function == Function::ToText {
            let value = self.eval(&arguments[0])?;
            return Ok(self.written(value));
        }
        if function == Function::Fill {
            let value = self.eval(&arguments[0])?;
            let length = self.int(&arguments[1], at)?;
            let length = usize::try_from(length).map_err(|_| too_long)?;
            let Val::Text(from, to) = value else { return Ok(Val::Null) };
            let (from, to, start) = (from as usize, to as usize, self.text.len());
            if length > TEXT_MAX || (to == from && length > 0) {
                return Err(too_long);
            }
            while self.text.len() - start < length {
                let part = (to - from).min(length - (self.text.len() - start));
                self.text.extend_from_within(from..from + part);
            }
            return Ok(self.text_from(start));
        }
        let first = self.int(&arguments[0], at)?;
        let second = arguments.get(1).map_or(Ok(first), |node| self.int(node, at))?;
        let start = self.text.len();
        if function == Function::Pad {
            text::whole(first.abs(), &mut self.text);
            let zeros = usize::try_from(second).unwrap_or(0).min(TEXT_MAX);
            while self.text.len() - start < zeros {
                self.text.insert(start, b'0');
            }
            if first < 0 {
                self.text.insert(start, b'-');
            }
            return Ok(self.text_from(start));
        }
        if first < 0 || first > second {
            return Err(Fault { cause: Cause::EmptyRange, at });
        }
        if second > TEXT_MAX as i64 {
            return Err(too_long);
        }
        let letters = if function == Function::RandomText { LETTERS } else { &LETTERS[52..] };
        let length = self.rng.between(first, second) as usize;
        self.rng.string(length, letters, &mut self.text);
        Ok(self.text_from(start))
    }

    /// Converts a value to a string.
    fn written(&mut self, value: Val) -> Val {
        use std::io::Write;
        let start = self.text.len();
        // Writing to a vector cannot fail.
        let _ = match value {
            Val::Int(number) => {
                text::whole(number, &mut self.text);
                Ok(())
            }
            Val::Float(number) => write!(self.text, "{number}"),
            Val::Bool(value) => write!(self.text, "{value}"),
            Val::Time(micros) => {
                if let Some(moment) = Moment::from_micros(micros) {
                    moment.write(&mut self.text);
                }
                Ok(())
            }
            Val::Text(..) | Val::Null | Val::Absent => return value,
        };
        self.text_from(start)
    }

    fn time(&mut self, function: Function, arguments: &[Node], at: u32) -> Evaluated {
        let value = self.eval(&arguments[0])?;
        if function == Function::Date {
            let Val::Text(from, to) = value else { return Ok(Val::Null) };
            let micros = parse_moment(self.bytes(from, to));
            return micros.map(Val::Time).ok_or(Fault { cause: Cause::DoesNotFit, at });
        }
        let unit = if function == Function::AddDays { DAY_US } else { 1_000_000 };
        let count = self.eval(&arguments[1])?;
        let (Val::Time(micros), Val::Int(count)) = (value, count) else { return Ok(Val::Null) };
        let later = count.checked_mul(unit).and_then(|more| micros.checked_add(more));
        later.map(Val::Time).ok_or(Fault { cause: Cause::OutOfRange, at })
    }

    fn mathematics(&mut self, function: Function, value: Val, more: &[Node], at: u32) -> Evaluated {
        use Function as F;
        let fault = |cause| Fault { cause, at };
        match (function, value) {
            (F::Hash, Val::Int(number)) => {
                return Ok(Val::Int((random::hashed(number as u64) >> 1) as i64));
            }
            (F::Length, Val::Text(from, to)) => return Ok(Val::Int(i64::from(to - from))),
            (F::Abs, Val::Int(number)) => {
                let positive = number.checked_abs().ok_or(fault(Cause::OutOfRange))?;
                return Ok(Val::Int(positive));
            }
            (F::Floor | F::Ceil | F::Round | F::ToInt, Val::Int(_)) => return Ok(value),
            (F::ToInt, Val::Text(from, to)) => {
                let number = std::str::from_utf8(self.bytes(from, to)).ok();
                let number = number.and_then(|text| text.trim().parse().ok());
                return number.map(Val::Int).ok_or(fault(Cause::NoNumber));
            }
            (F::Least | F::Greatest, _) => {
                let wanted = if function == F::Least { Binary::Less } else { Binary::Greater };
                let mut best = value;
                for node in more {
                    let other = self.eval(node)?;
                    match binary(wanted, other, best).map_err(fault)? {
                        Val::Bool(true) => best = other,
                        Val::Bool(false) => {}
                        _ => return Ok(Val::Null),
                    }
                }
                return Ok(best);
            }
            _ => {}
        }
        let number = float(value).ok_or(fault(Cause::DoesNotFit))?;
        let result = match function {
            F::Floor => return whole(number.floor()).map_err(fault),
            F::Ceil => return whole(number.ceil()).map_err(fault),
            F::Round => return whole(number.round()).map_err(fault),
            F::ToInt => return whole(number.trunc()).map_err(fault),
            F::Abs => number.abs(),
            F::Sqrt => number.sqrt(),
            F::Ln => number.ln(),
            F::Exp => number.exp(),
            F::Power => number.powf(self.number(&more[0], at)?),
            _ => number,
        };
        if result.is_finite() { Ok(Val::Float(result)) } else { Err(fault(Cause::OutOfRange)) }
    }
}

#[cfg(test)]
mod tests {
    use tacho_core::Seed;

    use super::*;

    #[test]
    fn joined_equalities_are_those_of_sql() {
        let mut machine = Machine::new(3, Seed(1).rng(0));
        machine.registers = vec![Val::Int(1), Val::Null, Val::Int(3)];
        let table: [(&[(u16, i64)], Val); 5] = [
            (&[(0, 1), (2, 3)], Val::Bool(true)),
            (&[(0, 1), (2, 4)], Val::Bool(false)),
            (&[(0, 1), (1, 2)], Val::Null),
            (&[(1, 2), (0, 2)], Val::Bool(false)),
            (&[(0, 2), (1, 2)], Val::Bool(false)),
        ];
        for (all, expected) in table {
            assert_eq!(machine.eval(&Node::Are(all.into())), Ok(expected), "{all:?}");
        }
    }
}
