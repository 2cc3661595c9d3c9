//! Builds the constants, generators and transactions of an instance from the definition and the choices.
//!
//! Start reading at [`constants`].

use std::collections::{BTreeMap, BTreeSet};

use tacho_core::{ParameterKind, Result, Seed, Type};
use tacho_workload::{Choices, Options};

use super::compile::{Compiler, Constants, is_constant, program};
use super::definition::{Definition, Named, TableDef, TransactionDef};
use super::generate::{Column, Generator};
use super::parser::{expression, steps};
use super::statements::Statements;
use super::syntax::{Expr, ExprKind};
use crate::vm::machine::Node;
use crate::vm::program::KindOfTransaction;
use crate::vm::source::{Fail, Piece};
use crate::vm::value::{Ty, Val, float};

/// The constants of a workload. For each name in `[let]`, this also contains the names used in its expression.
pub struct Known {
    pub constants: Constants,
    pub uses: BTreeMap<String, BTreeSet<String>>,
}

impl Known {
    /// Returns all names that are used, directly or indirectly, to compute `names`.
    pub fn closure(&self, names: BTreeSet<String>) -> BTreeSet<String> {
        let (mut all, mut new) = (BTreeSet::new(), names);
        while let Some(name) = new.pop_first() {
            if all.insert(name.clone()) {
                new.extend(self.uses.get(&name).into_iter().flatten().cloned());
            }
        }
        all
    }
}

/// Computes the scale, the parameters and the constants in `[let]`. A constant may refer to a later one.
pub fn constants(definition: &Definition, choices: &Choices, options: &Options) -> Result<Known> {
    let mut constants = Constants::default();
    let int = |number: i64| (Node::Const(Val::Int(number)), Ty::Int);
    for (name, number) in
        [("scale", choices.scale as i64), ("sessions", i64::from(choices.sessions))]
    {
        let (node, ty) = int(number);
        constants.set(name, node, ty);
    }
    constants.set("loaded_at", Node::Const(Val::Time(choices.loaded_at)), Ty::Time);
    for parameter in &definition.parameters {
        let text = options.text(parameter.key);
        let (node, ty) = match parameter.kind {
            ParameterKind::Count { .. } => {
                int(i64::try_from(options.count(parameter.key)).unwrap_or(i64::MAX))
            }
            ParameterKind::Factor { .. } => {
                (Node::Const(Val::Float(text.parse().unwrap_or_default())), Ty::Float)
            }
            ParameterKind::Switch => (Node::Const(Val::Bool(text == "true")), Ty::Bool),
            _ => (Node::Text(text.as_bytes().into()), Ty::Text),
        };
        constants.set(parameter.key, node, ty);
    }
    let mut known = Known { constants, uses: BTreeMap::new() };
    for constant in &definition.constants {
        resolve(constant, &definition.constants, &mut known, &mut Vec::new())?;
    }
    Ok(known)
}

fn resolve<'a>(
    definition: &'a Named<Piece>,
    all: &'a [Named<Piece>],
    known: &mut Known,
    path: &mut Vec<&'a str>,
) -> Result<()> {
    if known.constants.has(&definition.name) {
        return Ok(());
    }
    let piece = &definition.value;
    if path.contains(&definition.name.as_str()) {
        path.push(&definition.name);
        let text = format!("the constants depend on each other in a cycle: {}", path.join(", "));
        return Err(piece.error(Fail::new(0, text)));
    }
    path.push(&definition.name);
    let expr = expression(&piece.text).map_err(|fail| piece.error(fail))?;
    let mut names = BTreeSet::new();
    names_of(&expr, &mut names);
    for other in all.iter().filter(|other| names.contains(other.name.as_str())) {
        resolve(other, all, known, path)?;
    }
    path.pop();
    let (node, ty) = constant(piece, &expr, &known.constants)?;
    known.uses.insert(definition.name.clone(), known.constants.take_used());
    known.constants.set(&definition.name, node, ty);
    Ok(())
}

fn names_of<'a>(expr: &'a Expr, names: &mut BTreeSet<&'a str>) {
    match &expr.kind {
        ExprKind::Name(name) => {
            names.insert(name);
        }
        ExprKind::Call(_, arguments) => {
            for argument in arguments {
                names_of(argument, names);
            }
        }
        ExprKind::Negative(of) | ExprKind::Not(of) => names_of(of, names),
        ExprKind::Binary(_, sides) => sides.iter().for_each(|side| names_of(side, names)),
        _ => {}
    }
}

/// Evaluates an expression that is constant during a run.
fn constant(piece: &Piece, expr: &Expr, constants: &Constants) -> Result<(Node, Ty)> {
    let mut compiler = Compiler::new(constants, &[], &[], "");
    let (node, ty) = compiler.node(expr).map_err(|fail| piece.error(fail))?;
    if is_constant(&node) {
        return Ok((node, ty));
    }
    Err(piece.error(Fail::new(expr.at, "the value must be constant, not random")))
}

/// Evaluates a number that is constant during a run.
pub fn constant_number(piece: &Piece, constants: &Constants) -> Result<f64> {
    let expr = expression(&piece.text).map_err(|fail| piece.error(fail))?;
    match constant(piece, &expr, constants)? {
        (Node::Const(value), Ty::Int | Ty::Float) => Ok(float(value).unwrap_or_default()),
        (_, ty) => {
            let text = format!("expected a number, found {}", ty.words());
            Err(piece.error(Fail::new(expr.at, text)))
        }
    }
}

/// Evaluates a count that is constant during a run.
pub fn constant_count(piece: &Piece, constants: &Constants) -> Result<u64> {
    let number = constant_number(piece, constants)?;
    if number.fract() == 0.0 && (0.0..9e15).contains(&number) {
        return Ok(number as u64);
    }
    Err(piece.error(Fail::new(0, format!("expected a non-negative whole number, found {number}"))))
}

/// Creates the generator for the rows of a table.
pub fn generator(def: &TableDef, constants: &Constants, seed: Seed) -> Result<Generator> {
    let slots = constant_count(&def.rows, constants)?;
    let mut compiler = Compiler::new(constants, &[], &[], "row");
    let mut columns = Vec::new();
    for (column, piece) in def.table.columns.iter().zip(&def.values) {
        let expr = expression(&piece.text).map_err(|fail| piece.error(fail))?;
        let (allowed, words): (&[Ty], _) = match column.ty {
            Type::SmallInt | Type::Int | Type::BigInt => (&[Ty::Int], "a whole number"),
            Type::Decimal { .. } => (&[Ty::Int, Ty::Float], "a number"),
            Type::Char(_) | Type::Varchar(_) => (&[Ty::Text], "a text"),
            Type::Timestamp | Type::Date => (&[Ty::Time], "a time"),
        };
        let node = compiler.typed(&expr, allowed, words).map_err(|fail| piece.error(fail))?;
        let register = compiler.name(column.name, 0, allowed[allowed.len() - 1]);
        let register = register.map_err(|fail| piece.error(fail))?;
        let (name, ty, nullable, piece) = (column.name, column.ty, column.nullable, piece.clone());
        columns.push(Column { name, ty, nullable, node, register, piece });
    }
    let (table, registers) = (def.table.name, compiler.registers());
    Ok(Generator { table, slots, columns, seed: seed.child(table), registers })
}

/// Compiles a transaction.
pub fn transaction(
    def: &TransactionDef,
    name: &'static str,
    statements: &Statements,
    sequences: &[String],
    constants: &Constants,
) -> Result<KindOfTransaction> {
    let piece = &def.steps;
    let compile = || {
        let steps = steps(&piece.text)?;
        let compiler = Compiler::new(constants, &statements.common, sequences, "session");
        program(compiler, piece, &steps)
    };
    let program = compile().map_err(|fail| piece.error(fail))?;
    let weight = match &def.weight {
        Some(piece) => constant_number(piece, constants)?,
        None => 1.0,
    };
    if weight < 0.0 {
        let piece = def.weight.as_ref().unwrap_or(piece);
        return Err(piece.error(Fail::new(0, "use a weight of 0 or more")));
    }
    let think = match &def.think {
        Some(piece) => {
            let expr = expression(&piece.text).map_err(|fail| piece.error(fail))?;
            let mut compiler = Compiler::new(constants, &[], &[], "session");
            let node = compiler.typed(&expr, &[Ty::Int, Ty::Float], "a number of seconds");
            Some((piece.clone(), node.map_err(|fail| piece.error(fail))?))
        }
        None => None,
    };
    Ok(KindOfTransaction { name, program, weight, think })
}

/// The first number in a sequence.
#[derive(Clone, Debug)]
pub enum Begins {
    /// After this number.
    After(i64),
    /// After the number that a statement returns, such as the highest number in a table. Contains the index of this
    /// statement.
    AfterFound(usize),
}

/// Returns the first number in each sequence.
pub fn sequences(
    definition: &Definition,
    statements: &Statements,
    constants: &Constants,
) -> Result<Vec<Begins>> {
    let begin = |sequence: &Named<Piece>| {
        let found =
            statements.common.iter().position(|section| *section.name == *sequence.value.text);
        let Some(place) = found else {
            let number = constant_number(&sequence.value, constants)?;
            return Ok(Begins::After(number as i64 - 1));
        };
        let section = &statements.common[place];
        if section.params.is_empty() && section.results.len() == 1 {
            return Ok(Begins::AfterFound(place));
        }
        let text =
            format!("statement {} must take no parameters and return one number", section.name);
        Err(sequence.value.error(Fail::new(0, text)))
    };
    definition.sequences.iter().map(begin).collect()
}

/// Returns a digest of everything that determines the data: tables, columns, and the constants in them.
pub fn digest(definition: &Definition, statements: &Statements, used: &BTreeSet<String>) -> String {
    let mut text = String::new();
    let mut add = |part: &str| {
        text.push_str(part.trim());
        text.push('\n');
    };
    for constant in definition.constants.iter().filter(|constant| used.contains(&constant.name)) {
        add(&constant.name);
        add(&constant.value.text);
    }
    for TableDef { table, rows, values } in &definition.tables {
        add(table.name);
        add(&rows.text);
        let indexes: Vec<_> =
            table.indexes.iter().map(|index| (&index.columns, index.unique)).collect();
        add(&format!("{:?} {indexes:?}", table.key));
        for (column, value) in table.columns.iter().zip(values) {
            let declared = column.declared.unwrap_or_default();
            add(&format!("{} {:?} {} {declared}", column.name, column.ty, column.nullable));
            add(&value.text);
        }
    }
    for (dialect, _, sections) in &statements.tables {
        for section in sections {
            add(&format!("{dialect:?} {} {}", section.name, section.sql.join(";")));
        }
    }
    format!("{:016x}", Seed(0).child(&text).0)
}
