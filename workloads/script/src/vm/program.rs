//! A compiled transaction. Its inputs are drawn before the measured time starts. Its steps may contain jumps.
//!
//! Start reading at [`Program`].

use std::sync::Arc;

use tacho_core::Rng;
use tacho_driver::{Access, Reply, StatementId, ValueKind};
use tacho_workload::Transaction;
use tacho_workload::random::Zipf;

use crate::vm::machine::Node;
use crate::vm::source::Piece;

/// A compiled transaction.
#[derive(Debug)]
pub struct Program {
    /// Text of the transaction, for error messages.
    pub piece: Piece,
    /// Registers whose values persist between transactions, with their values at the start of a session.
    pub kept: Vec<(u16, Node)>,
    /// Registers for the inputs. Each has an expression, which computes its value before the transaction starts.
    pub inputs: Vec<(u16, Node)>,
    /// Steps of the transaction.
    pub steps: Vec<Op>,
    /// Number of registers that the transaction needs.
    pub registers: usize,
    /// Captures of results.
    pub captures: Vec<Capture>,
    /// Number of loops in the transaction. Nested loops count separately.
    pub loops: usize,
    /// True if the transaction may end with an intended rollback.
    pub rolls_back: bool,
    /// True if a step changes an input, so that a retry must restore all inputs.
    pub sets_inputs: bool,
    /// True if a step draws random numbers, which requires a separate generator.
    pub draws: bool,
    /// Inputs that are audited.
    pub audited: Vec<Audited>,
}

/// A step.
#[derive(Debug)]
pub enum Op {
    Set {
        register: u16,
        node: Node,
    },
    Begin(Access),
    Commit,
    /// Rolls back on purpose and ends the transaction.
    Rollback,
    /// Rolls back on purpose. Unlike after `Rollback`, other steps can follow.
    Undo,
    /// Waits. The expression is the number of units to wait, each of which is `unit` microseconds long.
    Pause {
        node: Node,
        unit: i64,
        at: u32,
    },
    /// Starts or ends a group of statements that are sent in a single round trip.
    Together(bool),
    /// Sends the queued statements.
    Send,
    /// Sends the queued statements if the next step reads their results.
    Await,
    Execute(Box<Execute>),
    /// Stores the rows of the last statement, so that a loop can iterate through them.
    Fetch {
        slot: usize,
        capture: usize,
        at: u32,
    },
    /// Sets the registers to the next row or, if there is none, exits the loop.
    NextRow {
        slot: usize,
        capture: usize,
        end: usize,
    },
    Repeat {
        slot: usize,
        node: Node,
        at: u32,
    },
    /// Sets the register to the iteration number. After the last iteration, leaves the loop.
    NextTurn {
        slot: usize,
        register: Option<u16>,
        end: usize,
    },
    JumpUnless {
        node: Node,
        to: usize,
    },
    Jump(usize),
    /// Records that the transaction was ended by a statement that is sent as written in the script.
    Ended {
        rolled_back: bool,
    },
    Require {
        node: Node,
        at: u32,
    },
    /// Sends the queued statements and checks their row counts. If all counts are as expected, skips the `require`
    /// steps that follow.
    Expect(Box<Expected>),
}

impl Op {
    /// Returns the expressions that the step evaluates.
    pub fn nodes(&self) -> Vec<&Node> {
        match self {
            Self::Set { node, .. }
            | Self::Repeat { node, .. }
            | Self::JumpUnless { node, .. }
            | Self::Pause { node, .. }
            | Self::Require { node, .. } => vec![node],
            Self::Execute(execute) => execute.arguments.iter().map(|(node, ..)| node).collect(),
            _ => Vec::new(),
        }
    }
}

/// A statement and its arguments.
#[derive(Debug)]
pub struct Execute {
    pub statement: StatementId,
    pub arguments: Vec<Argument>,
    /// The registers of the arguments, if all arguments are integers in registers. This is the most common case.
    pub whole: Option<Box<[u16]>>,
    /// Capture of the result.
    pub capture: Option<usize>,
}

impl Execute {
    /// Creates a statement with the given arguments.
    pub fn new(statement: StatementId, arguments: Vec<Argument>, capture: Option<usize>) -> Self {
        let whole = |(node, kind, _): &Argument| match (node, kind) {
            (Node::Register(register), ValueKind::Int) => Some(*register),
            _ => None,
        };
        Self { statement, whole: arguments.iter().map(whole).collect(), arguments, capture }
    }
}

/// An argument: its expression, its parameter's type, and its place in the text.
pub type Argument = (Node, ValueKind, u32);

/// The parts of a result to store.
#[derive(Debug, Default)]
pub struct Capture {
    /// The columns to store: each one's index, its register, and the number of digits after the decimal point.
    pub columns: Vec<(usize, u16, u8)>,
    /// Register for the number of rows.
    pub rows: Option<u16>,
    /// Register for the number of changed rows.
    pub changed: Option<u16>,
    /// True if the last row is stored instead of the first one. If there is no row, the registers keep their values.
    pub last: bool,
}

/// Required row counts, which are compared directly with the results of statements.
#[derive(Debug)]
pub struct Expected {
    pub all: Vec<Count>,
    /// The step that follows the requirements.
    pub past: usize,
    /// Results that only the `require` steps read: the position of each statement, and the number of its capture.
    pub captures: Vec<(usize, usize)>,
}

/// A required number of rows that a statement returns or changes.
#[derive(Debug)]
pub struct Count {
    /// The statement's position in the batch that was sent.
    pub place: usize,
    /// True for the number of changed rows, and false for the number of returned rows.
    pub changed: bool,
    pub wanted: i64,
}

impl Count {
    #[inline]
    pub fn holds(&self, reply: &Reply) -> bool {
        let affected = || reply.affected(self.place) as i64;
        let count = if self.changed { affected() } else { reply.rows(self.place) as i64 };
        count == self.wanted
    }
}

/// An input that can be audited, because the fraction of its values that are at most a certain limit is known.
#[derive(Clone, Debug)]
pub struct Audited {
    /// Describes which values are counted, for the audit report.
    pub name: Arc<str>,
    /// Register of the value.
    pub register: u16,
    /// Largest value that is counted.
    pub limit: i64,
    /// Expected share of these values.
    pub share: f64,
    /// Position where the input is drawn.
    pub place: Arc<str>,
}

impl Audited {
    /// Returns how an input can be audited, if at all. Usually, this is the fraction of values in the lower half. If
    /// the distribution is skewed, it is the fraction of the most frequent value.
    ///
    /// An input cannot be audited if it is drawn twice under the same name, because only the second value is visible.
    pub fn of(
        name: &str,
        register: u16,
        node: &Node,
        before: &[(u16, Node)],
        piece: &Piece,
        at: u32,
    ) -> Option<Self> {
        if before.iter().any(|(known, _)| *known == register) {
            return None;
        }
        let (limit, share, what) = match node {
            Node::Uniform(low, size) => {
                let half = size / 2;
                let limit = low.wrapping_add(half as i64).wrapping_sub(1);
                (limit, half as f64 / *size as f64, "in the lower half")
            }
            Node::Zipf(below, zipf) => {
                let (size, exponent) = zipf.shape();
                (below.wrapping_add(1), Zipf::share_of_first(size, exponent), "the most frequent")
            }
            _ => return None,
        };
        Some(Self {
            name: format!("{name} {what}").into(),
            register,
            limit,
            share,
            place: Arc::from(piece.place(at)),
        })
    }
}

/// A transaction type.
#[derive(Debug)]
pub struct KindOfTransaction {
    pub name: &'static str,
    pub program: Program,
    pub weight: f64,
    /// Think time after the transaction, in seconds.
    pub think: Option<(Piece, Node)>,
}

/// The transaction types with a weight above 0.
#[derive(Debug)]
pub struct Kinds {
    pub all: Vec<KindOfTransaction>,
    sum: f64,
    /// Number of registers whose values persist between transactions. These are the first registers, and all types
    /// share them.
    pub kept: usize,
}

impl Kinds {
    /// Creates transaction types whose weights add up to `sum`.
    pub fn new(all: Vec<KindOfTransaction>, sum: f64) -> Self {
        Self { all, sum, kept: 0 }
    }

    /// Returns the transaction types. If one of their programs requires persistent registers, the first `registers`
    /// registers become persistent.
    pub fn keeping(self, registers: usize) -> Self {
        let keeps = self.all.iter().any(|kind| !kind.program.kept.is_empty());
        Self { kept: if keeps { registers } else { 0 }, ..self }
    }

    /// Returns the transaction types in the form in which a run records them.
    pub fn transactions(&self) -> Vec<Transaction> {
        let transaction = |kind: &KindOfTransaction| Transaction {
            name: kind.name,
            share: kind.weight / self.sum,
            rolls_back: kind.program.rolls_back,
        };
        self.all.iter().map(transaction).collect()
    }

    /// Returns the sum of the weights.
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// Draws a transaction type.
    #[inline]
    pub fn draw(&self, rng: &mut Rng) -> usize {
        if self.all.len() == 1 {
            return 0;
        }
        let mut left = rng.unit() * self.sum;
        for (at, kind) in self.all.iter().enumerate() {
            left -= kind.weight;
            if left < 0.0 {
                return at;
            }
        }
        self.all.len() - 1
    }
}
