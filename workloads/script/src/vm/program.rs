//! A transaction, compiled: inputs that are drawn before its time begins, and steps with their jumps.
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
    /// Its text, for errors.
    pub piece: Piece,
    /// Registers that keep their values from one transaction to the next, and what they begin a session with.
    pub kept: Vec<(u16, Node)>,
    /// Registers and what they are set to before the transaction begins.
    pub inputs: Vec<(u16, Node)>,
    /// What it does.
    pub steps: Vec<Op>,
    /// How many registers it needs.
    pub registers: usize,
    /// What it keeps of answers.
    pub captures: Vec<Capture>,
    /// How many loops stand within each other or one after the other.
    pub loops: usize,
    /// Whether it may end with a rollback on purpose.
    pub rolls_back: bool,
    /// Whether a step sets an input, so that a retry must begin with the inputs as they were drawn.
    pub sets_inputs: bool,
    /// Whether a step draws, and needs a generator of its own.
    pub draws: bool,
    /// What of the inputs is audited.
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
    /// Rolls back on purpose, and ends.
    Rollback,
    /// Rolls back on purpose; other steps may follow.
    Undo,
    /// Waits for so many times these microseconds.
    Pause {
        node: Node,
        unit: i64,
        at: u32,
    },
    /// From here on statements leave in one round trip, until they do not.
    Together(bool),
    /// Sends what is queued.
    Send,
    /// Sends what is queued if its answers are kept: the next step reads them.
    Await,
    Execute(Box<Execute>),
    /// Takes the rows of the last statement, for a loop.
    Fetch {
        slot: usize,
        capture: usize,
        at: u32,
    },
    /// Sets the registers to the next row, or leaves the loop.
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
    /// Sets the register to the number of the turn, or leaves the loop.
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
    /// A statement that was sent as it is has ended a transaction.
    Ended {
        rolled_back: bool,
    },
    Require {
        node: Node,
        at: u32,
    },
    /// Sends what is queued, and goes past requirements that are met.
    Expect(Box<Expected>),
}

impl Op {
    /// The expressions that it evaluates.
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

/// A statement with what its parameters are bound to.
#[derive(Debug)]
pub struct Execute {
    pub statement: StatementId,
    pub arguments: Vec<Argument>,
    /// The registers of the arguments if all are whole numbers in registers, as most are.
    pub whole: Option<Box<[u16]>>,
    /// What is kept of its answer.
    pub capture: Option<usize>,
}

impl Execute {
    /// A statement with these arguments.
    pub fn new(statement: StatementId, arguments: Vec<Argument>, capture: Option<usize>) -> Self {
        let whole = |(node, kind, _): &Argument| match (node, kind) {
            (Node::Register(register), ValueKind::Int) => Some(*register),
            _ => None,
        };
        Self { statement, whole: arguments.iter().map(whole).collect(), arguments, capture }
    }
}

/// A value of a statement, the kind of its parameter, and where it stands in the text.
pub type Argument = (Node, ValueKind, u32);

/// What is kept of an answer.
#[derive(Debug, Default)]
pub struct Capture {
    /// Columns, the registers that they go to, and their digits after the point.
    pub columns: Vec<(usize, u16, u8)>,
    /// Where the number of rows goes.
    pub rows: Option<u16>,
    /// Where the number of changed rows goes.
    pub changed: Option<u16>,
    /// Whether the last row is kept and not the first, and registers stay as they are if there is none.
    pub last: bool,
}

/// Requirements that are compared with the answers where they lie.
#[derive(Debug)]
pub struct Expected {
    pub all: Vec<Count>,
    /// The step after the requirements.
    pub past: usize,
    /// What of the answers the requirements read, and nothing else does: the places of the statements, and the captures.
    pub captures: Vec<(usize, usize)>,
}

/// A number of rows that a statement has to return or to change.
#[derive(Debug)]
pub struct Count {
    /// The place of the statement in what was sent.
    pub place: usize,
    /// Whether rows that are changed are counted, and not those returned.
    pub changed: bool,
    pub wanted: i64,
}

impl Count {
    /// Whether it is so.
    #[inline]
    pub fn holds(&self, reply: &Reply) -> bool {
        let affected = || reply.affected(self.place) as i64;
        let count = if self.changed { affected() } else { reply.rows(self.place) as i64 };
        count == self.wanted
    }
}

/// An input whose share of values up to a limit is known.
#[derive(Clone, Debug)]
pub struct Audited {
    /// What is counted.
    pub name: Arc<str>,
    /// Where its value is.
    pub register: u16,
    /// Values up to this one are counted.
    pub limit: i64,
    /// Their share.
    pub share: f64,
    /// Where it is drawn.
    pub place: Arc<str>,
}

impl Audited {
    /// What can be promised of an input: the share of the lower half, or of the most frequent value. An input that
    /// is drawn twice under one name is not promised, since only its last value is seen.
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

/// A kind of transaction.
#[derive(Debug)]
pub struct KindOfTransaction {
    pub name: &'static str,
    pub program: Program,
    pub weight: f64,
    /// Seconds that a user thinks after it.
    pub think: Option<(Piece, Node)>,
}

/// The kinds of transactions with a weight above 0.
#[derive(Debug)]
pub struct Kinds {
    pub all: Vec<KindOfTransaction>,
    sum: f64,
    /// The number of the first registers that all kinds share, if they keep their values; otherwise none.
    pub kept: usize,
}

impl Kinds {
    /// Kinds whose weights have this sum.
    pub fn new(all: Vec<KindOfTransaction>, sum: f64) -> Self {
        Self { all, sum, kept: 0 }
    }

    /// The same, of which the first registers keep their values if a program says so of one of them.
    pub fn keeping(self, registers: usize) -> Self {
        let keeps = self.all.iter().any(|kind| !kind.program.kept.is_empty());
        Self { kept: if keeps { registers } else { 0 }, ..self }
    }

    /// The kinds as the run records them.
    pub fn transactions(&self) -> Vec<Transaction> {
        let transaction = |kind: &KindOfTransaction| Transaction {
            name: kind.name,
            share: kind.weight / self.sum,
            rolls_back: kind.program.rolls_back,
        };
        self.all.iter().map(transaction).collect()
    }

    /// The sum of the weights.
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// Draws one of them.
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
