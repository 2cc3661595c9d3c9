//! Parses an expression into a form that the virtual machine can evaluate.
//!
//! Start reading at [`Reader::expression`]. `vm/machine/pgbench.rs` implements the operators.

use tacho_workload::random::Zipf;

use crate::vm::machine::{Machine, Node};
use crate::vm::source::Fail;
use crate::vm::tokens::{Token, Tokens, number, sign};
use crate::vm::value::{Binary, Ty, Val, float};

use crate::vm::machine::pgbench::{ARGUMENTS_MAX, Call, Operation, ZIPFIAN_MAX, ZIPFIAN_MIN};

type Read<T> = Result<T, Fail>;

/// Resolves variable names at a given position in a script.
pub trait Names {
    /// Returns the value of a variable in an expression, and its type if known.
    ///
    /// # Errors
    /// Returns an error if the variable has no value at this position.
    fn variable(&self, name: &str, at: u32) -> Read<(Node, Option<Ty>)>;

    /// Returns the seed for hashes that do not specify one.
    fn default_seed(&self) -> i64;
}

/// Signs, longer ones first.
const SIGNS: [&str; 21] = [
    "<<", ">>", "<=", ">=", "<>", "!=", "<", ">", "=", "+", "-", "*", "/", "%", "(", ")", ",", "|",
    "&", "#", "~",
];

/// Binary operators in order of increasing precedence. NOT has lower precedence, and unary signs have higher
/// precedence.
const LEVELS: [&[(&str, Operation)]; 4] = [
    &[
        ("<", Operation::Binary(Binary::Less)),
        (">", Operation::Binary(Binary::Greater)),
        ("=", Operation::Binary(Binary::Equal)),
        ("<=", Operation::Binary(Binary::LessEqual)),
        (">=", Operation::Binary(Binary::GreaterEqual)),
        ("<>", Operation::Binary(Binary::NotEqual)),
        ("!=", Operation::Binary(Binary::NotEqual)),
    ],
    &[
        ("|", Operation::BitOr),
        ("#", Operation::BitXor),
        ("&", Operation::BitAnd),
        ("<<", Operation::ShiftLeft),
        (">>", Operation::ShiftRight),
    ],
    &[("+", Operation::Binary(Binary::Add)), ("-", Operation::Binary(Binary::Subtract))],
    &[
        ("*", Operation::Binary(Binary::Multiply)),
        ("/", Operation::Binary(Binary::Divide)),
        ("%", Operation::Binary(Binary::Modulo)),
    ],
];

/// The functions, each with its name, its operation, and its minimum and maximum number of arguments.
const FUNCTIONS: [(&str, Operation, usize, usize); 21] = {
    use Operation as O;
    [
        ("abs", O::Abs, 1, 1),
        ("debug", O::Debug, 1, 1),
        ("double", O::ToDouble, 1, 1),
        ("exp", O::Exp, 1, 1),
        ("greatest", O::Greatest, 1, ARGUMENTS_MAX),
        ("hash", O::Murmur2, 1, 2),
        ("hash_fnv1a", O::Fnv1a, 1, 2),
        ("hash_murmur2", O::Murmur2, 1, 2),
        ("int", O::ToInt, 1, 1),
        ("least", O::Least, 1, ARGUMENTS_MAX),
        ("ln", O::Ln, 1, 1),
        ("mod", O::Binary(Binary::Modulo), 2, 2),
        ("permute", O::Permute, 2, 3),
        ("pi", O::Pi, 0, 0),
        ("pow", O::Power, 2, 2),
        ("power", O::Power, 2, 2),
        ("random", O::Random, 2, 2),
        ("random_exponential", O::Exponential, 3, 3),
        ("random_gaussian", O::Gaussian, 3, 3),
        ("random_zipfian", O::Zipfian, 3, 3),
        ("sqrt", O::Sqrt, 1, 1),
    ]
};

/// A parser for a script's expressions.
pub struct Reader<'a> {
    names: &'a dyn Names,
    tokens: Tokens,
    scratch: Machine,
}

impl<'a> Reader<'a> {
    /// Creates a reader for an expression that starts at byte `at` of its script.
    pub fn new(text: &str, at: u32, names: &'a dyn Names) -> Read<Self> {
        let scratch = Machine::new(0, tacho_core::Seed(0).rng(0));
        Ok(Self { names, tokens: Tokens::new(words(text, at)?), scratch })
    }

    /// Parses the entire text as one expression. Returns the expression and, if known, its type.
    pub fn expression(mut self) -> Read<(Node, Option<Ty>)> {
        let read = self.or()?;
        match self.tokens.peek() {
            Token::End(_) => Ok(read),
            other => Err(Fail::new(self.tokens.at(), format!("unexpected {}", other.words()))),
        }
    }

    fn or(&mut self) -> Read<(Node, Option<Ty>)> {
        self.tokens.enter()?;
        let mut left = self.and()?;
        loop {
            let at = self.tokens.at();
            if !self.tokens.accepts("or") {
                self.tokens.leave();
                return Ok(left);
            }
            let right = self.and()?;
            left = self.made(Operation::Or, vec![left.0, right.0], at, Some(Ty::Bool))?;
        }
    }

    fn and(&mut self) -> Read<(Node, Option<Ty>)> {
        let mut left = self.not()?;
        loop {
            let at = self.tokens.at();
            if !self.tokens.accepts("and") {
                return Ok(left);
            }
            let right = self.not()?;
            left = self.made(Operation::And, vec![left.0, right.0], at, Some(Ty::Bool))?;
        }
    }

    fn not(&mut self) -> Read<(Node, Option<Ty>)> {
        let at = self.tokens.at();
        if self.tokens.accepts("not") {
            let of = self.not()?;
            return self.made(Operation::Not, vec![of.0], at, Some(Ty::Bool));
        }
        self.is()
    }

    fn is(&mut self) -> Read<(Node, Option<Ty>)> {
        let left = self.level(0)?;
        let at = self.tokens.at();
        let (negated, constant) = if self.tokens.accepts("isnull") {
            (false, Val::Null)
        } else if self.tokens.accepts("notnull") {
            (true, Val::Null)
        } else if self.tokens.accepts("is") {
            let negated = self.tokens.accepts("not");
            let constant = if self.tokens.accepts("null") {
                Val::Null
            } else if self.tokens.accepts("true") {
                Val::Bool(true)
            } else {
                self.tokens.expect("false", "NULL, TRUE or FALSE")?;
                Val::Bool(false)
            };
            (negated, constant)
        } else {
            return Ok(left);
        };
        let arguments = vec![left.0, Node::Const(constant)];
        let is = self.made(Operation::Is, arguments, at, Some(Ty::Bool))?;
        if negated { self.made(Operation::Not, vec![is.0], at, Some(Ty::Bool)) } else { Ok(is) }
    }

    fn level(&mut self, level: usize) -> Read<(Node, Option<Ty>)> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        loop {
            let at = self.tokens.at();
            let found = operators.iter().find(|(sign, _)| self.tokens.accepts(sign));
            let Some((_, operation)) = found else { return Ok(left) };
            let right = self.level(level + 1)?;
            let divides = matches!(operation, Operation::Binary(Binary::Divide | Binary::Modulo));
            let by_zero = matches!(right.0, Node::Const(Val::Int(0)));
            if divides && by_zero && left.1 == Some(Ty::Int) {
                return Err(Fail::new(at, "division by zero"));
            }
            let whole = (left.1, right.1) == (Some(Ty::Int), Some(Ty::Int));
            let ty = match level {
                0 => Some(Ty::Bool),
                _ => whole.then_some(Ty::Int),
            };
            left = self.made(*operation, vec![left.0, right.0], at, ty)?;
            if level == 0 {
                // Comparisons cannot be chained.
                return Ok(left);
            }
        }
    }

    fn unary(&mut self) -> Read<(Node, Option<Ty>)> {
        let at = self.tokens.at();
        if self.tokens.accepts("+") {
            return self.unary();
        }
        if self.tokens.accepts("-") {
            if self.tokens.peek() == &Token::Int(1 << 63) {
                self.tokens.take();
                return Ok((Node::Const(Val::Int(i64::MIN)), Some(Ty::Int)));
            }
            let (of, ty) = self.unary()?;
            let zero = Node::Const(Val::Int(0));
            return self.made(Operation::Binary(Binary::Subtract), vec![zero, of], at, ty);
        }
        if self.tokens.accepts("~") {
            // In pgbench, `~` has the same low precedence as the other bitwise operators.
            let (of, ty) = self.level(2)?;
            let ones = Node::Const(Val::Int(-1));
            return self.made(Operation::BitXor, vec![ones, of], at, ty);
        }
        if self.tokens.accepts("not") {
            let of = self.not()?;
            return self.made(Operation::Not, vec![of.0], at, Some(Ty::Bool));
        }
        self.primary()
    }

    fn primary(&mut self) -> Read<(Node, Option<Ty>)> {
        let at = self.tokens.at();
        match self.tokens.take() {
            Token::Int(number) => match i64::try_from(number) {
                Ok(number) => Ok((Node::Const(Val::Int(number)), Some(Ty::Int))),
                Err(_) => Err(Fail::new(at, format!("{number} does not fit into 64 bits"))),
            },
            Token::Float(number) => Ok((Node::Const(Val::Float(number)), Some(Ty::Float))),
            Token::Variable(name) => self.names.variable(&name, at),
            Token::Sign("(") => {
                let inner = self.or()?;
                self.tokens.expect(")", "\")\"")?;
                Ok(inner)
            }
            Token::Name(word) => match word.as_str() {
                "null" => Ok((Node::Const(Val::Null), None)),
                "true" => Ok((Node::Const(Val::Bool(true)), Some(Ty::Bool))),
                "false" => Ok((Node::Const(Val::Bool(false)), Some(Ty::Bool))),
                "case" => self.case(at),
                _ => self.call(&word, at),
            },
            other => {
                let text = format!("unexpected {}: expected a value", other.words());
                Err(Fail::new(at, text))
            }
        }
    }

    fn case(&mut self, at: u32) -> Read<(Node, Option<Ty>)> {
        let mut arguments = Vec::new();
        while self.tokens.accepts("when") {
            arguments.push(self.or()?.0);
            self.tokens.expect("then", "THEN")?;
            arguments.push(self.or()?.0);
        }
        if arguments.is_empty() {
            return Err(self.tokens.unexpected("WHEN"));
        }
        let other = if self.tokens.accepts("else") { self.or()?.0 } else { Node::Const(Val::Null) };
        arguments.push(other);
        self.tokens.expect("end", "END")?;
        self.made(Operation::Case, arguments, at, None)
    }

    fn call(&mut self, name: &str, at: u32) -> Read<(Node, Option<Ty>)> {
        let Some((_, operation, least, most)) = FUNCTIONS.iter().find(|known| known.0 == name)
        else {
            return Err(Fail::unknown(
                at,
                "function",
                name,
                FUNCTIONS.iter().map(|function| function.0),
            ));
        };
        self.tokens.expect("(", "\"(\"")?;
        let (mut arguments, mut types) = (Vec::new(), Vec::new());
        while !self.tokens.accepts(")") {
            if !arguments.is_empty() {
                self.tokens.expect(",", "\",\" or \")\"")?;
            }
            let (node, ty) = self.or()?;
            arguments.push(node);
            types.push(ty);
        }
        if !(*least..=*most).contains(&arguments.len()) {
            let text = format!("wrong number of arguments for {name}: {}", arguments.len());
            let wanted =
                if least == most { least.to_string() } else { format!("{least} to {most}") };
            return Err(Fail::new(at, text).hint(format!("it requires {wanted}")));
        }
        let all_whole = types.iter().all(|ty| *ty == Some(Ty::Int));
        let ty = match operation {
            Operation::Fnv1a | Operation::Murmur2 | Operation::Permute => {
                if arguments.len() < *most {
                    arguments.push(Node::Const(Val::Int(self.names.default_seed())));
                }
                all_whole.then_some(Ty::Int)
            }
            Operation::Abs
            | Operation::Least
            | Operation::Greatest
            | Operation::ToInt
            | Operation::Debug
            | Operation::Binary(Binary::Modulo) => all_whole.then_some(Ty::Int),
            // The result is NULL if either bound is NULL.
            _ => operation.result().filter(|_| types[..2] == [Some(Ty::Int); 2]),
        };
        self.made(*operation, arguments, at, ty)
    }

    /// Returns a call, or its value if it is constant.
    fn made(
        &mut self,
        operation: Operation,
        arguments: Vec<Node>,
        at: u32,
        ty: Option<Ty>,
    ) -> Read<(Node, Option<Ty>)> {
        if let Some(quick) = quick(operation, &arguments) {
            return Ok((quick, ty));
        }
        let constant = arguments.iter().all(|node| matches!(node, Node::Const(_)));
        let call = Call { operation, arguments: arguments.into(), at };
        if constant {
            // Calls with constant arguments are evaluated here, which also detects invalid bounds
            // of random functions.
            let value = self.scratch.pgbench(&call);
            let value = value.map_err(|fault| Fail::new(fault.at, fault.cause.words()))?;
            if !operation.draws() {
                let known = match value {
                    Val::Int(_) => Some(Ty::Int),
                    Val::Float(_) => Some(Ty::Float),
                    Val::Bool(_) => Some(Ty::Bool),
                    _ => None,
                };
                return Ok((Node::Const(value), known));
            }
        }
        Ok((Node::Pgbench(Box::new(call)), ty))
    }
}

/// Returns a faster expression for a random function whose bounds are constant. Everything that depends only on the
/// constants is computed in advance.
fn quick(operation: Operation, arguments: &[Node]) -> Option<Node> {
    let [Node::Const(Val::Int(low)), Node::Const(Val::Int(high)), shape @ ..] = arguments else {
        return None;
    };
    if !operation.draws() {
        return None;
    }
    let size = high.checked_sub(*low)?.checked_add(1).filter(|size| *size > 0)? as u64;
    match (operation, shape) {
        (Operation::Random, []) => Some(Node::Uniform(*low, size)),
        (Operation::Zipfian, [Node::Const(exponent)]) => {
            let exponent = float(*exponent)?;
            let allowed = (ZIPFIAN_MIN..=ZIPFIAN_MAX).contains(&exponent);
            let zipf = allowed.then(|| Box::new(Zipf::new(size, exponent)))?;
            Some(Node::Zipf(low.wrapping_sub(1), zipf))
        }
        _ => None,
    }
}

fn words(text: &str, start: u32) -> Read<Vec<(Token, u32)>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let place = start + at as u32;
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
        let word =
            |from: usize| rest[from..].find(|c| !is_word(c)).map_or(rest.len(), |end| from + end);
        let (token, length) = match first {
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            // The line continues.
            '\\' => {
                at += 1;
                continue;
            }
            ':' if word(1) > 1 => (Token::Variable(rest[1..word(1)].to_owned()), word(1)),
            c if c.is_ascii_alphabetic() || c == '_' => {
                (Token::Name(rest[..word(0)].to_ascii_lowercase()), word(0))
            }
            c if c.is_ascii_digit() || c == '.' => {
                number(rest, true).map_err(|_| Fail::new(place, "invalid number"))?
            }
            _ => sign(rest, &SIGNS, place)?,
        };
        found.push((token, place));
        at += length;
    }
    found.push((Token::End("the end of the line"), start + text.trim_end().len() as u32));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoNames;

    impl Names for NoNames {
        fn variable(&self, name: &str, at: u32) -> Read<(Node, Option<Ty>)> {
            Err(Fail::unknown(at, "variable", name, std::iter::empty()))
        }

        fn default_seed(&self) -> i64 {
            1
        }
    }

    fn value(text: &str) -> Result<Val, u32> {
        let read = Reader::new(text, 0, &NoNames).and_then(Reader::expression);
        match read.map_err(|fail| fail.at)? {
            (Node::Const(value), _) => Ok(value),
            (node, _) => panic!("{text} is not constant: {node:?}"),
        }
    }

    #[test]
    fn operators_bind_as_in_pgbench() {
        let table = [
            ("1 + 2 * 3", Val::Int(7)),
            ("NOT 1 = 2 AND true", Val::Bool(true)),
            ("1 | 2 + 4", Val::Int(7)),
            ("- -3", Val::Int(3)),
            ("-9223372036854775808", Val::Int(i64::MIN)),
            ("~5", Val::Int(-6)),
            ("7 / 2 * 2.0", Val::Float(6.0)),
            ("CASE WHEN 1 > 2 THEN 1 WHEN 3 THEN 2 END", Val::Int(2)),
            ("1 IS NULL OR NULL ISNULL", Val::Bool(true)),
            ("NULL IS NOT NULL", Val::Bool(false)),
            ("GREATEST(1, 2.5, 2)", Val::Float(2.5)),
            ("true IS TRUE", Val::Bool(true)),
            ("1.0 / 0", Val::Float(f64::INFINITY)),
            (".5e1", Val::Float(5.0)),
        ];
        for (text, expected) in table {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn rejects_invalid_expressions_at_their_position() {
        let table = [
            ("1 / 0", 2),
            ("9223372036854775807 + 1", 20),
            ("9223372036854775808", 0),
            ("1 < 2 < 3", 6),
            ("random(5, 1)", 0),
            ("random_gaussian(1, 5, 1.9)", 0),
            ("1 AND true", 2),
            ("abs()", 0),
            ("absolute(1)", 0),
            ("(1", 2),
            ("1 $ 2", 2),
            (":a", 0),
        ];
        for (text, at) in table {
            assert_eq!(value(text), Err(at), "{text}");
        }
    }
}
