//! Expressions and steps as written, before their names are resolved.
//!
//! Start reading at [`Expr`] and [`Step`].

use tacho_driver::Access;

use crate::vm::value::Binary;

/// An expression and its position in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub at: u32,
    pub kind: ExprKind,
}

/// The kind of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    Name(String),
    /// `answer.column`
    Field(String, String),
    /// `function(arguments)` or `statement(arguments)`
    Call(String, Vec<Expr>),
    Negative(Box<Expr>),
    Not(Box<Expr>),
    Binary(Binary, Box<[Expr; 2]>),
}

/// A transaction step and its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub at: u32,
    pub kind: StepKind,
}

/// The kind of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// `let name = expression`, or `let name` with a statement's result.
    Let(String, Expr),
    /// `statement(arguments)`
    Call(Expr),
    /// `begin`, `begin read`
    Begin(Access),
    Commit,
    /// Rolls back the transaction on purpose, and ends it.
    Rollback,
    /// Sends the queued statements.
    Send,
    /// `if` and `elif` with their steps, followed by the steps for `else`.
    If(Vec<(Expr, Vec<Step>)>, Vec<Step>),
    /// `repeat count as name`
    Repeat(Expr, Option<String>, Vec<Step>),
    /// `for row in statement(arguments)`
    For(String, Expr, Vec<Step>),
    /// `require condition`
    Require(Expr),
}
