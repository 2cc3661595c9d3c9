//! The functions of expressions: names, arguments and types.
//!
//! What they do is in `machine.rs`. Start reading at [`FUNCTIONS`].

use crate::value::Ty;

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

/// What an argument may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    Int,
    /// A whole number or one with a fraction.
    Number,
    Text,
    Time,
    Bool,
    Any,
}

/// What the result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// Always this.
    Always(Ty),
    /// The common type of the arguments from this one on, every so many of them.
    Common(usize, usize),
}

/// A function as it is called.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// Its name.
    pub name: &'static str,
    /// Which one it is.
    pub function: Function,
    /// Its arguments; the last one is repeated if there may be more.
    pub takes: &'static [Takes],
    /// The least and the most arguments.
    pub count: (usize, usize),
    /// Its result.
    pub gives: Gives,
    /// Its arguments in words, for errors and the reference.
    pub usage: &'static str,
    /// What it returns.
    pub about: &'static str,
}

/// As many as are written.
const MANY: usize = 256;

const fn function(
    name: &'static str,
    function: Function,
    takes: &'static [Takes],
    count: (usize, usize),
    gives: Gives,
    usage: &'static str,
    about: &'static str,
) -> Signature {
    Signature { name, function, takes, count, gives, usage, about }
}

const INT: Gives = Gives::Always(Ty::Int);
const FLOAT: Gives = Gives::Always(Ty::Float);
const TEXT: Gives = Gives::Always(Ty::Text);
const TIME: Gives = Gives::Always(Ty::Time);
const BOOL: Gives = Gives::Always(Ty::Bool);
const SAME: Gives = Gives::Common(0, 1);

/// All functions.
pub const FUNCTIONS: [Signature; 36] = {
    use Function as F;
    use Takes::{Any, Bool, Int, Number, Text, Time};
    [
        function(
            "uniform",
            F::Uniform,
            &[Int, Int],
            (2, 2),
            INT,
            "uniform(low, high)",
            "a whole number, each of the range equally often",
        ),
        function(
            "random",
            F::Random,
            &[],
            (0, 0),
            FLOAT,
            "random()",
            "a number from 0 to 1, without 1",
        ),
        function(
            "zipf",
            F::Zipf,
            &[Int, Int, Number],
            (3, 3),
            INT,
            "zipf(low, high, exponent)",
            "a whole number; the n-th of the range in proportion to n ^ -exponent",
        ),
        function(
            "normal",
            F::Normal,
            &[Int, Int, Number],
            (3, 3),
            INT,
            "normal(low, high, spread)",
            "a whole number around the middle of the range, which ends at so many standard deviations",
        ),
        function(
            "exponential",
            F::Exponential,
            &[Int, Int, Number],
            (3, 3),
            INT,
            "exponential(low, high, steepness)",
            "a whole number; the last of the range e ^ steepness times as rarely as the first",
        ),
        function(
            "pareto",
            F::Pareto,
            &[Int, Int, Number],
            (3, 3),
            INT,
            "pareto(low, high, hot)",
            "a whole number; the lowest part `hot` of the range in the part 1 - `hot` of cases, as in sysbench",
        ),
        function(
            "nurand",
            F::Nurand,
            &[Int, Int, Int, Int],
            (3, 4),
            INT,
            "nurand(a, low, high, c)",
            "NURand of TPC-C, clause 2.1.6; without c, the constant is 0",
        ),
        function(
            "chance",
            F::Chance,
            &[Number],
            (1, 1),
            BOOL,
            "chance(share)",
            "true in this share of cases, from 0 to 1",
        ),
        function(
            "pick",
            F::Pick,
            &[Any],
            (1, MANY),
            SAME,
            "pick(a, b, ...)",
            "one of the values, each equally often",
        ),
        function(
            "weighted",
            F::Weighted,
            &[Any],
            (2, MANY),
            Gives::Common(1, 2),
            "weighted(weight, a, weight, b, ...)",
            "one of the values, each in proportion to the weight before it",
        ),
        function(
            "random_text",
            F::RandomText,
            &[Int, Int],
            (1, 2),
            TEXT,
            "random_text(least, most)",
            "letters and digits, so many of them",
        ),
        function(
            "random_digits",
            F::RandomDigits,
            &[Int, Int],
            (1, 2),
            TEXT,
            "random_digits(least, most)",
            "digits, so many of them",
        ),
        function(
            "permute",
            F::Permute,
            &[Int, Int, Int],
            (3, 3),
            INT,
            "permute(n, low, high)",
            "another number of the range for each n of it, no two alike: spreads the frequent ones of zipf",
        ),
        function(
            "hash",
            F::Hash,
            &[Int],
            (1, 1),
            INT,
            "hash(n)",
            "a number of 63 bits that follows from n and looks random",
        ),
        function(
            "if",
            F::If,
            &[Bool, Any, Any],
            (3, 3),
            Gives::Common(1, 1),
            "if(condition, a, b)",
            "a if the condition holds, b otherwise",
        ),
        function(
            "coalesce",
            F::Coalesce,
            &[Any],
            (1, MANY),
            SAME,
            "coalesce(a, b, ...)",
            "the first value that is not NULL",
        ),
        function(
            "is_null",
            F::IsNull,
            &[Any],
            (1, 1),
            BOOL,
            "is_null(a)",
            "whether the value is NULL",
        ),
        function("abs", F::Abs, &[Number], (1, 1), SAME, "abs(n)", "n without its sign"),
        function(
            "least",
            F::Least,
            &[Number],
            (1, MANY),
            SAME,
            "least(a, b, ...)",
            "the smallest number",
        ),
        function(
            "greatest",
            F::Greatest,
            &[Number],
            (1, MANY),
            SAME,
            "greatest(a, b, ...)",
            "the largest number",
        ),
        function(
            "floor",
            F::Floor,
            &[Number],
            (1, 1),
            INT,
            "floor(n)",
            "the next whole number below",
        ),
        function("ceil", F::Ceil, &[Number], (1, 1), INT, "ceil(n)", "the next whole number above"),
        function(
            "round",
            F::Round,
            &[Number],
            (1, 1),
            INT,
            "round(n)",
            "the nearest whole number, halves away from 0",
        ),
        function("sqrt", F::Sqrt, &[Number], (1, 1), FLOAT, "sqrt(n)", "the square root"),
        function("ln", F::Ln, &[Number], (1, 1), FLOAT, "ln(n)", "the natural logarithm"),
        function("exp", F::Exp, &[Number], (1, 1), FLOAT, "exp(n)", "e to the power n"),
        function(
            "power",
            F::Power,
            &[Number, Number],
            (2, 2),
            FLOAT,
            "power(a, b)",
            "a to the power b",
        ),
        function("text", F::ToText, &[Any], (1, 1), TEXT, "text(a)", "the value as a text"),
        function(
            "int",
            F::ToInt,
            &[Any],
            (1, 1),
            INT,
            "int(a)",
            "a number without its fraction, or the number that a text is",
        ),
        function(
            "float",
            F::ToFloat,
            &[Number],
            (1, 1),
            FLOAT,
            "float(n)",
            "the number as one with a fraction",
        ),
        function(
            "pad",
            F::Pad,
            &[Int, Int],
            (2, 2),
            TEXT,
            "pad(n, digits)",
            "the number with zeros in front",
        ),
        function(
            "fill",
            F::Fill,
            &[Text, Int],
            (2, 2),
            TEXT,
            "fill(text, length)",
            "the text repeated and cut to this length",
        ),
        function(
            "length",
            F::Length,
            &[Text],
            (1, 1),
            INT,
            "length(text)",
            "the bytes of the text",
        ),
        function(
            "date",
            F::Date,
            &[Text],
            (1, 1),
            TIME,
            "date('2026-01-31')",
            "the time that the text is",
        ),
        function(
            "add_days",
            F::AddDays,
            &[Time, Int],
            (2, 2),
            TIME,
            "add_days(time, n)",
            "the time n days later",
        ),
        function(
            "add_seconds",
            F::AddSeconds,
            &[Time, Int],
            (2, 2),
            TIME,
            "add_seconds(time, n)",
            "the time n seconds later",
        ),
    ]
};

/// The function of this name.
pub fn find(name: &str) -> Option<&'static Signature> {
    FUNCTIONS.iter().find(|known| known.name == name)
}

impl Function {
    /// Whether it draws a random number, so that equal arguments do not give equal results.
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
    /// Whether a value of a type may stand here.
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

    /// What may stand here, in words.
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
