//! Parses tokens into expressions and steps.
//!
//! Start reading at [`expression`] and [`steps`].

use tacho_driver::Access;

use super::lexer::tokens;
use super::syntax::{Expr, ExprKind, Step, StepKind};
use crate::vm::source::Fail;
use crate::vm::tokens::{Token, Tokens as Parser};
use crate::vm::value::Binary;

type Parsed<T> = Result<T, Fail>;

/// Keywords that start a step.
const STEPS: [&str; 9] =
    ["let", "begin", "commit", "rollback", "send", "if", "repeat", "for", "require"];

/// Parses one expression.
pub fn expression(text: &str) -> Parsed<Expr> {
    let mut parser = Parser::new(tokens(text)?);
    parser.skip_lines();
    let expr = parser.expr()?;
    parser.skip_lines();
    parser.end_of("expression")?;
    Ok(expr)
}

/// Parses the steps of a transaction, one per line.
pub fn steps(text: &str) -> Parsed<Vec<Step>> {
    let mut parser = Parser::new(tokens(text)?);
    let steps = parser.block()?;
    parser.end_of("steps")?;
    Ok(steps)
}

/// The operators in order of increasing precedence. Those on the same line have equal precedence.
const LEVELS: [&[(&str, Binary)]; 6] = [
    &[("or", Binary::Or)],
    &[("and", Binary::And)],
    &[
        ("=", Binary::Equal),
        ("==", Binary::Equal),
        ("!=", Binary::NotEqual),
        ("<>", Binary::NotEqual),
        ("<", Binary::Less),
        ("<=", Binary::LessEqual),
        (">", Binary::Greater),
        (">=", Binary::GreaterEqual),
    ],
    &[("||", Binary::Join)],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[("*", Binary::Multiply), ("/", Binary::Divide), ("%", Binary::Modulo)],
];

impl Parser {
    fn name(&mut self, what: &str) -> Parsed<String> {
        let fail = self.unexpected(what);
        match self.take() {
            Token::Name(name) => Ok(name),
            _ => Err(fail),
        }
    }

    fn skip_lines(&mut self) {
        while matches!(self.peek(), Token::Newline | Token::Sign(";")) {
            self.take();
        }
    }

    fn end_of(&self, what: &str) -> Parsed<()> {
        match self.peek() {
            Token::End(_) => Ok(()),
            _ => Err(self.unexpected(&format!("the end of the {what}"))),
        }
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.enter()?;
        let read = read(self);
        self.leave();
        read
    }

    fn expr(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| parser.binary(0))
    }

    fn binary(&mut self, level: usize) -> Parsed<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let at = self.at();
        if level == 2 && self.accepts("not") {
            let of = self.deeper(|parser| parser.binary(level))?;
            return Ok(Expr { at, kind: ExprKind::Not(Box::new(of)) });
        }
        let mut left = self.binary(level + 1)?;
        loop {
            let at = self.at();
            let found = operators.iter().find(|(word, _)| self.accepts(word));
            let Some((_, operator)) = found else { return Ok(left) };
            let right = self.binary(level + 1)?;
            left = Expr { at, kind: ExprKind::Binary(*operator, Box::new([left, right])) };
        }
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let at = self.at();
        if self.accepts("-") {
            let of = self.deeper(Self::unary)?;
            return Ok(Expr { at, kind: ExprKind::Negative(Box::new(of)) });
        }
        self.primary()
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let at = self.at();
        let kind = match self.take() {
            Token::Int(number) => ExprKind::Int(number as i64),
            Token::Float(number) => ExprKind::Float(number),
            Token::Text(text) => ExprKind::Text(text),
            Token::Sign("(") => {
                let inner = self.expr()?;
                self.expect(")", "\")\"")?;
                return Ok(inner);
            }
            Token::Name(name) => match name.as_str() {
                "null" => ExprKind::Null,
                "true" => ExprKind::Bool(true),
                "false" => ExprKind::Bool(false),
                _ if self.accepts("(") => ExprKind::Call(name, self.arguments()?),
                _ if self.accepts(".") => ExprKind::Field(name, self.name("the name of a column")?),
                _ => ExprKind::Name(name),
            },
            other => {
                let text = format!("unexpected {}: expected a value", other.words());
                return Err(Fail::new(at, text));
            }
        };
        Ok(Expr { at, kind })
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut all = Vec::new();
        if self.accepts(")") {
            return Ok(all);
        }
        loop {
            all.push(self.expr()?);
            if self.accepts(")") {
                return Ok(all);
            }
            if !self.accepts(",") {
                return Err(self.unexpected("\",\" or \")\""));
            }
        }
    }

    /// Parses steps up to `end`, `else`, `elif` or the end of the text.
    fn block(&mut self) -> Parsed<Vec<Step>> {
        let mut all = Vec::new();
        loop {
            self.skip_lines();
            match self.peek() {
                Token::End(_) => return Ok(all),
                Token::Name(word) if matches!(word.as_str(), "end" | "else" | "elif") => {
                    return Ok(all);
                }
                _ => {}
            }
            all.push(self.deeper(Self::step)?);
            if !matches!(self.peek(), Token::Newline | Token::Sign(";") | Token::End(_)) {
                return Err(self.unexpected("the end of the line"));
            }
        }
    }

    fn step(&mut self) -> Parsed<Step> {
        let at = self.at();
        let word = match self.peek() {
            Token::Name(word) => word.clone(),
            _ => return Err(self.unexpected("a step")),
        };
        if !STEPS.contains(&word.as_str()) {
            let call = self.expr()?;
            return match call.kind {
                ExprKind::Call(..) => Ok(Step { at, kind: StepKind::Call(call) }),
                _ => Err(Fail::unknown(at, "step", &word, STEPS.into_iter())
                    .hint("call a statement as name(value, ...)")),
            };
        }
        self.take();
        let kind = match word.as_str() {
            "let" => {
                let name = self.name("a name")?;
                self.expect("=", "\"=\"")?;
                StepKind::Let(name, self.expr()?)
            }
            "begin" => {
                StepKind::Begin(if self.accepts("read") { Access::Read } else { Access::Write })
            }
            "commit" => StepKind::Commit,
            "rollback" => StepKind::Rollback,
            "send" => StepKind::Send,
            "require" => StepKind::Require(self.expr()?),
            "if" => self.branches()?,
            "repeat" => {
                let count = self.expr()?;
                let name = if self.accepts("as") { Some(self.name("a name")?) } else { None };
                StepKind::Repeat(count, name, self.body(at)?)
            }
            _ => {
                let name = self.name("a name")?;
                self.expect("in", "\"in\"")?;
                let call = self.expr()?;
                StepKind::For(name, call, self.body(at)?)
            }
        };
        Ok(Step { at, kind })
    }

    fn body(&mut self, at: u32) -> Parsed<Vec<Step>> {
        let body = self.block()?;
        self.closing(at)?;
        Ok(body)
    }

    fn closing(&mut self, at: u32) -> Parsed<()> {
        if self.accepts("end") {
            return Ok(());
        }
        Err(match self.peek() {
            Token::End(_) => Fail::new(at, "this block has no \"end\""),
            _ => self.unexpected("\"end\""),
        })
    }

    fn branches(&mut self) -> Parsed<StepKind> {
        let at = self.at();
        let mut all = vec![(self.expr()?, self.block()?)];
        while self.accepts("elif") {
            all.push((self.expr()?, self.block()?));
        }
        let other = if self.accepts("else") { self.block()? } else { Vec::new() };
        self.closing(at)?;
        Ok(StepKind::If(all, other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Binary(operator, sides) => {
                format!("({} {operator:?} {})", shown(&sides[0]), shown(&sides[1]))
            }
            ExprKind::Negative(of) => format!("-{}", shown(of)),
            ExprKind::Not(of) => format!("not {}", shown(of)),
            ExprKind::Name(name) => name.clone(),
            ExprKind::Int(number) => number.to_string(),
            ExprKind::Call(name, all) => {
                format!("{name}({})", all.iter().map(shown).collect::<Vec<_>>().join(", "))
            }
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn operators_bind_as_in_sql() {
        for (text, expected) in [
            ("1 + 2 * 3", "(1 Add (2 Multiply 3))"),
            ("(1 + 2) * -3", "((1 Add 2) Multiply -3)"),
            ("a - b - c", "((a Subtract b) Subtract c)"),
            ("not a = 1 or b < 2 and c", "(not (a Equal 1) Or ((b Less 2) And c))"),
            ("f(1, g()) % 2", "(f(1, g()) Modulo 2)"),
        ] {
            assert_eq!(shown(&expression(text).expect(text)), expected, "{text}");
        }
    }

    #[test]
    fn steps_are_read_line_by_line() {
        let text = "let a = 1\nbegin\nx(a)\nfor r in rows_of(a)\n  if r.n > 1\n    y(r.n)\n  elif a = 2\n  \
                    else\n    rollback\n  end\nend\nrepeat 3 as i; z(i); end\ncommit\n";
        let steps = steps(text).expect("steps");
        assert_eq!(steps.len(), 6);
        assert!(matches!(&steps[3].kind, StepKind::For(_, _, body) if body.len() == 1));
        assert!(matches!(&steps[4].kind, StepKind::Repeat(_, Some(name), _) if name == "i"));
    }

    #[test]
    fn rejects_invalid_steps_at_their_position() {
        for (text, at) in [
            ("x(1", 3),
            ("if a\n x(1)\n", 3),
            ("let = 1", 4),
            ("lte a = 1", 0),
            ("x(1) y(2)", 5),
            ("end", 0),
            ("for r rows()\nend", 6),
            ("let a = 1 +", 11),
        ] {
            assert_eq!(steps(text).expect_err(text).at, at, "{text}");
        }
        let deep = "(".repeat(100_000);
        assert!(expression(&deep).is_err());
        let deep = "-".repeat(100_000) + "1";
        assert!(expression(&deep).is_err());
        let deep = "not ".repeat(100_000) + "true";
        assert!(expression(&deep).is_err());
    }
}
