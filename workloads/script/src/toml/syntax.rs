//! Expressions and steps as they are written, before a name in them means anything.
//!
//! Start reading at [`Expr`] and [`Step`].

use tacho_driver::Access;

use crate::vm::value::Binary;

/// An expression and where it begins in its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub at: u32,
    pub kind: ExprKind,
}

/// What an expression is.
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

/// A step of a transaction and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub at: u32,
    pub kind: StepKind,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// `let name = expression`, also of a statement's answer.
    Let(String, Expr),
    /// `statement(arguments)`
    Call(Expr),
    /// `begin`, `begin read`
    Begin(Access),
    Commit,
    /// Ends the transaction as the workload wants it.
    Rollback,
    /// Sends what is queued.
    Send,
    /// `if` and `elif` with their steps, then those of `else`.
    If(Vec<(Expr, Vec<Step>)>, Vec<Step>),
    /// `repeat count as name`
    Repeat(Expr, Option<String>, Vec<Step>),
    /// `for row in statement(arguments)`
    For(String, Expr, Vec<Step>),
    /// `require condition`
    Require(Expr),
}
