//! The functions that can be used in expressions, with their names, arguments and types.
//!
//! The functions are implemented in `machine.rs`. Start reading at [`FUNCTIONS`].

use crate::vm::value::Ty;

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Uniform,
    Random,
    Zipf,
    Normal,
    Exponential,
    Pareto,
    Nurand,
    Chance,
    Pick,
    Weighted,
    RandomText,
    RandomDigits,
    Permute,
    Hash,
    If,
    Coalesce,
    IsNull,
    Abs,
    Least,
    Greatest,
    Floor,
    Ceil,
    Round,
    Sqrt,
    Ln,
    Exp,
    Power,
    ToText,
    ToInt,
    ToFloat,
    Pad,
    Fill,
    Length,
    Date,
    AddDays,
    AddSeconds,
}

/// Types that an argument can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    Int,
    /// An integer or a number with a fraction.
    Number,
    Text,
    Time,
    Bool,
    Any,
}

/// Type of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// Always this type.
    Always(Ty),
    /// The type that several arguments have in common. Contains the index of the first of these arguments, and their
    /// distance from each other. For example, the distance is 2 if every second argument counts.
    Common(usize, usize),
}

/// The signature of a function.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// Name.
    pub name: &'static str,
    /// The function itself.
    pub function: Function,
    /// Types of the arguments. If there are more arguments than types, the last type applies to the others.
    pub takes: &'static [Takes],
    /// Minimum and maximum number of arguments.
    pub count: (usize, usize),
    /// Type of the result.
    pub gives: Gives,
    /// A call with named arguments, as it is shown in errors and in the reference.
    pub usage: &'static str,
    /// Description of the result.
    pub about: &'static str,
}

/// Maximum number of arguments for functions that otherwise accept any number.
const MANY: usize = 256;

/// Returns a function's signature. `usage` contains the name and the arguments, with an ellipsis if
/// there can be any number of them.
const fn function(
    usage: &'static str,
    function: Function,
    takes: &'static [Takes],
    least: usize,
    gives: Gives,
    about: &'static str,
) -> Signature {
    let (mut name, text) = (0, usage.as_bytes());
    while text[name] != b'(' {
        name += 1;
    }
    let most = if matches!(text, [.., b'.', b'.', b'.', b')']) { MANY } else { takes.len() };
    let name = usage.split_at(name).0;
    Signature { name, function, takes, count: (least, most), gives, usage, about }
}

const INT: Gives = Gives::Always(Ty::Int);
const FLOAT: Gives = Gives::Always(Ty::Float);
const TEXT: Gives = Gives::Always(Ty::Text);
const TIME: Gives = Gives::Always(Ty::Time);
const BOOL: Gives = Gives::Always(Ty::Bool);
const SAME: Gives = Gives::Common(0, 1);

/// All functions.
#[rustfmt::skip]
pub const FUNCTIONS: [Signature; 36] = {
    use Function as F;
    use Takes::{Any, Bool, Int, Number, Text, Time};
    [
        function("uniform(low, high)", F::Uniform, &[Int, Int], 2, INT, "a whole number; all numbers in the range are equally likely"),
        function("random()", F::Random, &[], 0, FLOAT, "a number from 0 to 1, excluding 1"),
        function("zipf(low, high, exponent)", F::Zipf, &[Int, Int, Number], 3, INT, "a whole number; the n-th number in the range has a probability proportional to n ^ -exponent"),
        function("normal(low, high, spread)", F::Normal, &[Int, Int, Number], 3, INT, "a whole number, normally distributed around the middle of the range; the range ends `spread` standard deviations from its middle"),
        function("exponential(low, high, steepness)", F::Exponential, &[Int, Int, Number], 3, INT, "a whole number; the last number in the range is e ^ steepness times less likely than the first"),
        function("pareto(low, high, hot)", F::Pareto, &[Int, Int, Number], 3, INT, "a whole number; the lowest numbers, a fraction `hot` of the range, receive a fraction 1 - `hot` of the draws, as in sysbench"),
        function("nurand(a, low, high, c)", F::Nurand, &[Int, Int, Int, Int], 3, INT, "TPC-C's NURand, clause 2.1.6; without c, the constant is 0"),
        function("chance(share)", F::Chance, &[Number], 1, BOOL, "true with this probability, from 0 to 1"),
        function("pick(a, b, ...)", F::Pick, &[Any], 1, SAME, "one of the values; all are equally likely"),
        function("weighted(weight, a, weight, b, ...)", F::Weighted, &[Any], 2, Gives::Common(1, 2), "one of the values, each with a probability proportional to the weight before it"),
        function("random_text(least, most)", F::RandomText, &[Int, Int], 1, TEXT, "a text of `least` to `most` letters and digits"),
        function("random_digits(least, most)", F::RandomDigits, &[Int, Int], 1, TEXT, "a text of `least` to `most` digits"),
        function("permute(n, low, high)", F::Permute, &[Int, Int, Int], 3, INT, "a different number in the range for each n; spreads the frequent numbers of zipf over the range"),
        function("hash(n)", F::Hash, &[Int], 1, INT, "a pseudorandom number of 63 bits that is \
                                                      derived from n"),
        function("if(condition, a, b)", F::If, &[Bool, Any, Any], 3, Gives::Common(1, 1), "a if the condition holds, b otherwise"),
        function("coalesce(a, b, ...)", F::Coalesce, &[Any], 1, SAME, "the first value that is not NULL"),
        function("is_null(a)", F::IsNull, &[Any], 1, BOOL, "true if the value is NULL"),
        function("abs(n)", F::Abs, &[Number], 1, SAME, "the absolute value of n"),
        function("least(a, b, ...)", F::Least, &[Number], 1, SAME, "the smallest number"),
        function("greatest(a, b, ...)", F::Greatest, &[Number], 1, SAME, "the largest number"),
        function("floor(n)", F::Floor, &[Number], 1, INT, "the number, rounded down to a whole \
                                                           number"),
        function("ceil(n)", F::Ceil, &[Number], 1, INT, "the number, rounded up to a whole number"),
        function("round(n)", F::Round, &[Number], 1, INT, "the nearest whole number; halves are \
                                                           rounded away from 0"),
        function("sqrt(n)", F::Sqrt, &[Number], 1, FLOAT, "the square root"),
        function("ln(n)", F::Ln, &[Number], 1, FLOAT, "the natural logarithm"),
        function("exp(n)", F::Exp, &[Number], 1, FLOAT, "e to the power n"),
        function("power(a, b)", F::Power, &[Number, Number], 2, FLOAT, "a to the power b"),
        function("text(a)", F::ToText, &[Any], 1, TEXT, "the value, converted to a text"),
        function("int(a)", F::ToInt, &[Any], 1, INT, "a number without its fraction, or a string \
            converted to a whole number"),
        function("float(n)", F::ToFloat, &[Number], 1, FLOAT, "the number, converted to a number with a fraction"),
        function("pad(n, digits)", F::Pad, &[Int, Int], 2, TEXT, "the number with leading zeros"),
        function("fill(text, length)", F::Fill, &[Text, Int], 2, TEXT, "the text, repeated and truncated to this length"),
        function("length(text)", F::Length, &[Text], 1, INT, "the length of the text in bytes"),
        function("date('2026-01-31')", F::Date, &[Text], 1, TIME, "the time that the text represents"),
        function("add_days(time, n)", F::AddDays, &[Time, Int], 2, TIME, "the time n days later"),
        function("add_seconds(time, n)", F::AddSeconds, &[Time, Int], 2, TIME, "the time n seconds later"),
    ]
};

/// Returns the function called `name`.
pub fn find(name: &str) -> Option<&'static Signature> {
    FUNCTIONS.iter().find(|known| known.name == name)
}

impl Function {
    /// Returns true if the function draws a random number. Its result may then be different each time, even if its
    /// arguments are the same.
    pub const fn draws(self) -> bool {
        matches!(
            self,
            Self::Uniform
                | Self::Random
                | Self::Zipf
                | Self::Normal
                | Self::Exponential
                | Self::Pareto
                | Self::Nurand
                | Self::Chance
                | Self::Pick
                | Self::Weighted
                | Self::RandomText
                | Self::RandomDigits
        )
    }
}

impl Takes {
    /// Returns true if a value of this type is accepted.
    pub const fn accepts(self, ty: Ty) -> bool {
        match self {
            Self::Any => true,
            Self::Int => matches!(ty, Ty::Int | Ty::Null),
            Self::Number => matches!(ty, Ty::Int | Ty::Float | Ty::Null),
            Self::Text => matches!(ty, Ty::Text | Ty::Null),
            Self::Time => matches!(ty, Ty::Time | Ty::Null),
            Self::Bool => matches!(ty, Ty::Bool | Ty::Null),
        }
    }

    /// Returns a description of the accepted values.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Any => "a value",
            Self::Int => "a whole number",
            Self::Number => "a number",
            Self::Text => "a text",
            Self::Time => "a time",
            Self::Bool => "a condition",
        }
    }
}
