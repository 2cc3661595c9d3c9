//! Compares the results of many expressions with pgbench 15's results.

use std::collections::BTreeMap;

use super::expressions::{Names, Reader};
use crate::vm::machine::{Machine, Node};
use crate::vm::numbers;
use crate::vm::source::Fail;
use crate::vm::value::{Ty, Val};

/// Each line has an expression, a tab, and the type and value that pgbench 15.18's `debug()` printed, or `error`.
const PRINTED: &str = include_str!("../../tests/pgbench-15.txt");

struct NoNames;

impl Names for NoNames {
    fn variable(&self, name: &str, at: u32) -> Result<(Node, Option<Ty>), Fail> {
        match name {
            "client_id" => Ok((Node::Const(Val::Int(0)), Some(Ty::Int))),
            _ => Err(Fail::unknown(at, "variable", name, std::iter::empty())),
        }
    }

    fn default_seed(&self) -> i64 {
        0
    }
}

/// Returns the value as `debug()` would print it.
fn debugged(text: &str) -> Option<String> {
    let (node, ty) = Reader::new(text, 0, &NoNames).and_then(Reader::expression).ok()?;
    let mut machine = Machine::new(1, tacho_core::Seed(1).rng(0));
    let value = machine.eval(&node).ok()?;
    let word = match value {
        Val::Int(_) => "int ",
        Val::Float(_) => "double ",
        Val::Bool(_) => "boolean ",
        _ => "",
    };
    let known =
        ty.is_none_or(|ty| (ty == Ty::Int) == matches!(value, Val::Int(_)) || value == Val::Null);
    assert!(known, "{text}: {value:?} is not {ty:?}");
    assert!(ty != Some(Ty::Int) || matches!(value, Val::Int(_)), "{text}: {value:?} is not whole");
    let mut out = word.as_bytes().to_vec();
    let written = match value {
        Val::Null => {
            out.extend_from_slice(b"null");
            true
        }
        value => numbers::write(value, &mut out),
    };
    written.then(|| String::from_utf8_lossy(&out).into_owned())
}

#[test]
fn expressions_have_the_values_of_pgbench() {
    let (mut wrong, mut right) = (BTreeMap::new(), 0);
    for line in PRINTED.lines() {
        let (text, expected) = line.split_once('\t').expect("a tab");
        let found = debugged(text).unwrap_or_else(|| "error".into());
        if found == expected {
            right += 1;
        } else {
            wrong.insert(text, (found, expected));
        }
    }
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), right + wrong.len());
    assert!(right > 1_000, "{right}");
}
