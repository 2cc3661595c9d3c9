//! Compiles parsed text: resolves names, checks types, and computes constants.
//!
//! Start reading at [`Compiler::node`]; the steps are compiled in `steps.rs`.

mod expect;
mod steps;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use tacho_core::Seed;
use tacho_driver::{Section, ValueKind};
use tacho_workload::random::Zipf;

use crate::toml::syntax::{Expr, ExprKind};
use crate::vm::functions::{FUNCTIONS, Function, Gives, Signature, find};
use crate::vm::machine::{Machine, Node};
use crate::vm::program::{Argument, Capture};
use crate::vm::source::Fail;
use crate::vm::value::{Binary, Ty, Val, float};

pub use steps::program;

type Compiled<T> = Result<T, Fail>;

/// Functions on sequences.
const SEQUENCES: [&str; 2] = ["next", "last"];

/// Names whose values do not change during a run.
#[derive(Debug, Default)]
pub struct Constants {
    values: BTreeMap<String, (Node, Ty)>,
    /// Names that have been used so far.
    used: RefCell<BTreeSet<String>>,
}

impl Constants {
    /// Adds a constant.
    pub fn set(&mut self, name: &str, node: Node, ty: Ty) {
        self.values.insert(name.to_owned(), (node, ty));
    }

    /// Returns true if there is a constant called `name`.
    pub fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// Returns the names that expressions have used since the last call of this function.
    pub fn take_used(&self) -> BTreeSet<String> {
        self.used.take()
    }

    fn get(&self, name: &str) -> Option<(Node, Ty)> {
        let found = self.values.get(name)?;
        self.used.borrow_mut().insert(name.to_owned());
        Some(found.clone())
    }
}

/// Meaning of a name in steps.
#[derive(Clone, Copy, Debug)]
enum Binding {
    Variable(u16, Ty),
    /// The result of a statement, stored in a capture.
    Answer {
        section: usize,
        capture: usize,
    },
    /// A row of a statement's result. An earlier check has made sure that the row exists.
    Row {
        section: usize,
        capture: usize,
    },
}

/// The state of a compilation.
pub struct Compiler<'a> {
    constants: &'a Constants,
    sections: &'a [Section],
    sequences: &'a [String],
    names: Vec<(String, Binding)>,
    registers: usize,
    captures: Vec<Capture>,
    loops: usize,
    rolls_back: bool,
    /// True if the current expression reads a result.
    reads: bool,
    scratch: Machine,
}

impl<'a> Compiler<'a> {
    /// Creates a compiler with the given names. `first` is the name of the variable in the first register.
    pub fn new(
        constants: &'a Constants,
        sections: &'a [Section],
        sequences: &'a [String],
        first: &str,
    ) -> Self {
        Self {
            constants,
            sections,
            sequences,
            names: vec![(first.to_owned(), Binding::Variable(0, Ty::Int))],
            registers: 1,
            captures: Vec::new(),
            loops: 0,
            rolls_back: false,
            reads: false,
            scratch: Machine::new(0, Seed(0).rng(0)),
        }
    }

    /// Returns the number of registers in use.
    pub fn registers(&self) -> usize {
        self.registers
    }

    fn register(&mut self, at: u32) -> Compiled<u16> {
        let register =
            u16::try_from(self.registers).map_err(|_| Fail::new(at, "too many names"))?;
        self.registers += 1;
        Ok(register)
    }

    /// Assigns a name to a previously computed value.
    pub fn name(&mut self, name: &str, at: u32, ty: Ty) -> Compiled<u16> {
        self.require_free(name, at)?;
        let register = self.register(at)?;
        self.names.push((name.to_owned(), Binding::Variable(register, ty)));
        Ok(register)
    }

    fn require_free(&self, name: &str, at: u32) -> Compiled<()> {
        let taken = if self.constants.has(name) {
            "a parameter or a constant"
        } else if self.sections.iter().any(|section| section.name == name) {
            "a statement"
        } else {
            return Ok(());
        };
        Err(Fail::new(at, format!("\"{name}\" is {taken}")).hint("choose a different name"))
    }

    /// Compiles an expression.
    pub fn node(&mut self, expr: &Expr) -> Compiled<(Node, Ty)> {
        let at = expr.at;
        match &expr.kind {
            ExprKind::Null => Ok((Node::Const(Val::Null), Ty::Null)),
            ExprKind::Bool(value) => Ok((Node::Const(Val::Bool(*value)), Ty::Bool)),
            ExprKind::Int(number) => Ok((Node::Const(Val::Int(*number)), Ty::Int)),
            ExprKind::Float(number) => Ok((Node::Const(Val::Float(*number)), Ty::Float)),
            ExprKind::Text(text) => Ok((Node::Text(text.as_bytes().into()), Ty::Text)),
            ExprKind::Name(name) => self.named(name, at),
            ExprKind::Field(name, column) => self.field(name, column, at),
            ExprKind::Negative(of) => {
                let (node, ty) = self.node(of)?;
                self.require(matches!(ty, Ty::Int | Ty::Float | Ty::Null), of.at, "a number", ty)?;
                self.folded(Node::Negative(Box::new(node), at), ty)
            }
            ExprKind::Not(of) => {
                let (node, ty) = self.node(of)?;
                self.require(matches!(ty, Ty::Bool | Ty::Null), of.at, "a condition", ty)?;
                self.folded(Node::Not(Box::new(node)), Ty::Bool)
            }
            ExprKind::Binary(operator, sides) => self.binary(*operator, sides, at),
            ExprKind::Call(name, arguments) => self.call(name, arguments, at),
        }
    }

    /// Compiles an expression whose type must be one of `allowed`.
    pub fn typed(&mut self, expr: &Expr, allowed: &[Ty], words: &str) -> Compiled<Node> {
        let (node, ty) = self.node(expr)?;
        self.require(ty == Ty::Null || allowed.contains(&ty), expr.at, words, ty)?;
        Ok(node)
    }

    #[expect(clippy::unused_self, reason = "keeps the calls short and readable")]
    fn require(&self, holds: bool, at: u32, wanted: &str, ty: Ty) -> Compiled<()> {
        if holds {
            return Ok(());
        }
        Err(Fail::new(at, format!("expected {wanted}, found {}", ty.words())))
    }

    fn find(&self, name: &str) -> Option<Binding> {
        self.names.iter().rev().find(|(known, _)| known == name).map(|(_, binding)| *binding)
    }

    fn named(&mut self, name: &str, at: u32) -> Compiled<(Node, Ty)> {
        match self.find(name) {
            Some(Binding::Variable(register, ty)) => return Ok((Node::Register(register), ty)),
            Some(_) => {
                let fail = Fail::new(at, format!("{name} is the result of a statement"));
                return Err(
                    fail.hint(format!("write {name}.COLUMN, {name}.rows or {name}.changed"))
                );
            }
            None => {}
        }
        self.constants.get(name).ok_or_else(|| {
            let known = self.names.iter().map(|(known, _)| known.as_str());
            let constants = self.constants.values.keys().map(String::as_str);
            Fail::unknown(at, "name", name, known.chain(constants))
        })
    }

    fn field(&mut self, name: &str, column: &str, at: u32) -> Compiled<(Node, Ty)> {
        let (section, capture, of_row) = match self.find(name) {
            Some(Binding::Answer { section, capture }) => (section, capture, false),
            Some(Binding::Row { section, capture }) => (section, capture, true),
            _ => {
                let answers = self.names.iter().filter(|(_, binding)| {
                    matches!(binding, Binding::Answer { .. } | Binding::Row { .. })
                });
                let known = answers.map(|(known, _)| known.as_str());
                return Err(Fail::unknown(at, "answer", name, known)
                    .hint("to keep a result, write let NAME = statement(...)"));
            }
        };
        self.reads |= !of_row;
        let results = &self.sections[section].results;
        let Some(place) = results.iter().position(|field| field.name == column) else {
            let is_count = matches!(column, "rows" | "changed") && !of_row;
            if !is_count {
                let known = results.iter().map(|field| field.name.as_str());
                return Err(Fail::unknown(at, "column", column, known.chain(["rows", "changed"])));
            }
            return self.counted(capture, column, at);
        };
        let (ty, digits) = match results[place].kind {
            ValueKind::Int => (Ty::Int, 0),
            ValueKind::Decimal(digits) => (Ty::Float, digits),
            ValueKind::Text => (Ty::Text, 0),
            ValueKind::Time => (Ty::Time, 0),
        };
        let known = self.captures[capture].columns.iter().find(|(known, ..)| *known == place);
        let register = if let Some((_, register, _)) = known {
            *register
        } else {
            let register = self.register(at)?;
            self.captures[capture].columns.push((place, register, digits));
            register
        };
        let node = if of_row { Node::Register(register) } else { Node::Answer(register, at) };
        Ok((node, ty))
    }

    /// Returns the number of rows in a result, or the number of rows that the statement changed.
    fn counted(&mut self, capture: usize, what: &str, at: u32) -> Compiled<(Node, Ty)> {
        let known = |capture: &mut Capture| match what {
            "rows" => capture.rows,
            _ => capture.changed,
        };
        let register = match known(&mut self.captures[capture]) {
            Some(register) => register,
            None => self.register(at)?,
        };
        let kept = &mut self.captures[capture];
        *(if what == "rows" { &mut kept.rows } else { &mut kept.changed }) = Some(register);
        Ok((Node::Register(register), Ty::Int))
    }

    fn binary(&mut self, operator: Binary, sides: &[Expr; 2], at: u32) -> Compiled<(Node, Ty)> {
        let (left, a) = self.node(&sides[0])?;
        let (right, b) = self.node(&sides[1])?;
        let each = |allowed: &[Ty], words: &str| {
            for (side, ty) in sides.iter().zip([a, b]) {
                self.require(ty == Ty::Null || allowed.contains(&ty), side.at, words, ty)?;
            }
            Ok(())
        };
        let ty = match operator {
            Binary::And | Binary::Or => {
                each(&[Ty::Bool], "a condition")?;
                Ty::Bool
            }
            Binary::Join => {
                each(&[Ty::Text], "a text").map_err(|fail: Fail| {
                    fail.hint("to convert a value to text, write text(value)")
                })?;
                Ty::Text
            }
            Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide | Binary::Modulo => {
                each(&[Ty::Int, Ty::Float], "a number")?;
                a.with(b).unwrap_or(Ty::Float)
            }
            _ if a.with(b).is_none() => {
                let text = format!("{} cannot be compared with {}", a.words(), b.words());
                return Err(Fail::new(at, text));
            }
            _ => Ty::Bool,
        };
        if let Some(quick) = equalities(operator, &left, &right, [a, b]) {
            return Ok((quick, ty));
        }
        self.folded(Node::Binary(operator, Box::new([left, right]), at), ty)
    }

    fn call(&mut self, name: &str, arguments: &[Expr], at: u32) -> Compiled<(Node, Ty)> {
        if SEQUENCES.contains(&name) {
            return self.sequence(name, arguments, at);
        }
        let Some(signature) = find(name) else {
            if self.sections.iter().any(|section| section.name == name) {
                let fail =
                    Fail::new(at, format!("statement {name} cannot be used in an expression"));
                return Err(
                    fail.hint(format!("to keep its result, write let answer = {name}(...)"))
                );
            }
            if let Some(ours) = ours_for(name) {
                return Err(Fail::new(at, format!("unknown function \"{name}\"")).hint(ours));
            }
            let known = FUNCTIONS.iter().map(|known| known.name).chain(SEQUENCES);
            let sections = self.sections.iter().map(|section| section.name.as_str());
            return Err(Fail::unknown(at, "function", name, known.chain(sections)));
        };
        let (least, most) = signature.count;
        let paired = signature.function != Function::Weighted || arguments.len().is_multiple_of(2);
        if !(least..=most).contains(&arguments.len()) || !paired {
            let text = format!("wrong number of arguments for {name}: {}", arguments.len());
            return Err(Fail::new(at, text).hint(format!("call it as {}", signature.usage)));
        }
        let (mut nodes, mut types) = (Vec::new(), Vec::new());
        for (place, argument) in arguments.iter().enumerate() {
            let (node, ty) = self.node(argument)?;
            let takes = signature.takes[place.min(signature.takes.len() - 1)];
            self.require(takes.accepts(ty), argument.at, takes.words(), ty)
                .map_err(|fail| fail.hint(format!("call it as {}", signature.usage)))?;
            nodes.push(node);
            types.push(ty);
        }
        let ty = self.result(signature, arguments, &types)?;
        if let Some(quick) = quick(signature.function, &nodes) {
            return Ok((quick, ty));
        }
        if signature.function.draws() && nodes.iter().all(is_constant) && !types.contains(&Ty::Text)
        {
            // Evaluating the call detects invalid bounds now rather than during the run.
            let node = Node::Call(signature.function, nodes.into(), at);
            self.computed(&node)?;
            return Ok((node, ty));
        }
        self.folded(Node::Call(signature.function, nodes.into(), at), ty)
    }

    fn result(&self, signature: &Signature, arguments: &[Expr], types: &[Ty]) -> Compiled<Ty> {
        let (first, every) = match signature.gives {
            Gives::Always(ty) => return Ok(ty),
            Gives::Common(first, every) => (first, every),
        };
        let mut common = Ty::Null;
        for (argument, ty) in arguments.iter().zip(types).skip(first).step_by(every) {
            common = common.with(*ty).ok_or_else(|| {
                let text = format!("expected {}, found {}", common.words(), ty.words());
                Fail::new(argument.at, text).hint(format!("call it as {}", signature.usage))
            })?;
        }
        if signature.function == Function::Weighted {
            for (argument, ty) in arguments.iter().zip(types).step_by(2) {
                self.require(matches!(ty, Ty::Int | Ty::Float), argument.at, "a weight", *ty)?;
            }
        }
        Ok(common)
    }

    fn sequence(&self, function: &str, arguments: &[Expr], at: u32) -> Compiled<(Node, Ty)> {
        let [Expr { kind: ExprKind::Name(name), at }] = arguments else {
            return Err(Fail::new(at, format!("{function} requires the name of a sequence")));
        };
        let place = self.sequences.iter().position(|known| known == name).ok_or_else(|| {
            let known = self.sequences.iter().map(String::as_str);
            Fail::unknown(*at, "sequence", name, known)
                .hint("declare the sequence in [sequences]; only transactions can use sequences")
        })?;
        let place = place as u16;
        Ok((if function == "next" { Node::Next(place) } else { Node::Last(place) }, Ty::Int))
    }

    /// Replaces a node with its value if it is constant.
    fn folded(&mut self, node: Node, ty: Ty) -> Compiled<(Node, Ty)> {
        let constant = match &node {
            Node::Negative(of, _) | Node::Not(of) => is_constant(of),
            Node::Binary(_, sides, _) => sides.iter().all(is_constant),
            Node::Call(function, arguments, _) => {
                !function.draws() && arguments.iter().all(is_constant)
            }
            _ => false,
        };
        if !constant {
            return Ok((node, ty));
        }
        let value = self.computed(&node)?;
        Ok((value, ty))
    }

    fn computed(&mut self, node: &Node) -> Compiled<Node> {
        self.scratch.text.clear();
        let value = self.scratch.eval(node);
        let value = value.map_err(|fault| Fail::new(fault.at, fault.cause.words()))?;
        Ok(match value {
            Val::Text(from, to) => Node::Text(self.scratch.bytes(from, to).into()),
            value => Node::Const(value),
        })
    }

    /// Returns the statement in a call, along with its arguments.
    fn statement(&mut self, call: &Expr) -> Compiled<(usize, Vec<Argument>)> {
        let ExprKind::Call(name, arguments) = &call.kind else {
            return Err(Fail::new(call.at, "expected a statement, such as name(value, ...)"));
        };
        let place = self.sections.iter().position(|section| section.name == *name);
        let place = place.ok_or_else(|| {
            let known = self.sections.iter().map(|section| section.name.as_str());
            Fail::unknown(call.at, "statement", name, known)
        })?;
        let params = self.sections[place].params.clone();
        if params.len() != arguments.len() {
            let names: Vec<&str> = params.iter().map(|field| field.name.as_str()).collect();
            let text = format!(
                "{name} requires {} values, but {} were given",
                params.len(),
                arguments.len()
            );
            return Err(Fail::new(call.at, text).hint(format!("{name}({})", names.join(", "))));
        }
        let mut bound = Vec::new();
        for (field, argument) in params.iter().zip(arguments) {
            let (allowed, words): (&[Ty], _) = match field.kind {
                ValueKind::Int => (&[Ty::Int], "a whole number"),
                ValueKind::Decimal(_) => (&[Ty::Int, Ty::Float], "a number"),
                ValueKind::Text => (&[Ty::Text], "a text"),
                ValueKind::Time => (&[Ty::Time], "a time"),
            };
            let node = self
                .typed(argument, allowed, words)
                .map_err(|fail| fail.hint(format!("{} of {name} is {words}", field.name)))?;
            bound.push((node, field.kind, argument.at));
        }
        Ok((place, bound))
    }
}

/// Returns true if a node always has the same value.
pub fn is_constant(node: &Node) -> bool {
    matches!(node, Node::Const(_) | Node::Text(_))
}

/// Combines comparisons such as `a = 1 and b = 2` into one node, if each compares an integer
/// register with a constant.
fn equalities(operator: Binary, left: &Node, right: &Node, types: [Ty; 2]) -> Option<Node> {
    match (operator, left, right) {
        (Binary::Equal, Node::Register(register), Node::Const(Val::Int(number)))
        | (Binary::Equal, Node::Const(Val::Int(number)), Node::Register(register))
            if types == [Ty::Int; 2] =>
        {
            Some(Node::Are([(*register, *number)].into()))
        }
        (Binary::And, Node::Are(some), Node::Are(others)) => {
            Some(Node::Are(some.iter().chain(others).copied().collect()))
        }
        _ => None,
    }
}

/// Returns a faster expression for a random function whose bounds are constant. Everything that depends only on the
/// constants is computed in advance.
fn quick(function: Function, nodes: &[Node]) -> Option<Node> {
    let [Node::Const(Val::Int(low)), Node::Const(Val::Int(high)), shape @ ..] = nodes else {
        return None;
    };
    let size = high.checked_sub(*low)?.checked_add(1).filter(|size| *size > 0)? as u64;
    match (function, shape) {
        (Function::Uniform, []) => Some(Node::Uniform(*low, size)),
        (Function::Zipf, [Node::Const(exponent)]) => {
            let exponent =
                float(*exponent).filter(|exponent| exponent.is_finite() && *exponent >= 0.0)?;
            Some(Node::Zipf(low.wrapping_sub(1), Box::new(Zipf::new(size, exponent))))
        }
        _ => None,
    }
}
/// Suggests a replacement for a function from SQL or another language.
fn ours_for(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "now" | "current_timestamp" | "getdate" | "today" => {
            "loaded_at is the time of the load; in a transaction, use CURRENT_TIMESTAMP in the statement"
        }
        "concat" => "to concatenate two strings, write a || b",
        "str" | "string" | "to_string" | "to_char" | "cast" => {
            "to convert a value to text, write text(value)"
        }
        "rand" | "randint" | "random_int" | "rand_range" => {
            "to draw a whole number, write uniform(low, high); to draw a number from 0 to 1, \
             write random()"
        }
        "choice" | "one_of" | "choose" => "to choose a value at random, write pick(a, b, ...)",
        _ => return None,
    })
}
