//! Compiles a transaction's steps. Keeps track of the names in each block, of the jumps, and of
//! whether a database transaction is open.
//!
//! Start reading at [`program`].

use tacho_driver::StatementId;

use crate::toml::syntax::{Expr, ExprKind, Step, StepKind};
use crate::vm::machine::Node;
use crate::vm::program::{Audited, Capture, Execute, Op, Program};
use crate::vm::source::{Fail, Piece};
use crate::vm::value::Ty;

use super::{Binding, Compiled, Compiler, expect};

/// State of the database transaction after a step, as known at compile time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    /// No database transaction is open.
    Closed,
    /// A database transaction is open.
    Open,
    /// The transaction has been rolled back, so no further step is allowed.
    Ended,
}

/// Compiles the steps of a transaction.
pub fn program(mut compiler: Compiler<'_>, piece: &Piece, steps: &[Step]) -> Compiled<Program> {
    let (mut inputs, mut audited) = (Vec::new(), Vec::new());
    let drawn = |step: &&Step| match &step.kind {
        StepKind::Let(_, expr) => !compiler.is_statement(expr),
        _ => false,
    };
    let first = steps.iter().take_while(drawn).count();
    for step in &steps[..first] {
        let StepKind::Let(name, expr) = &step.kind else { continue };
        let (node, ty) = compiler.node(expr)?;
        let register = compiler.assigned(name, step.at, ty)?;
        audited.extend(Audited::of(name, register, &node, &inputs, piece, step.at));
        inputs.push((register, node));
    }
    let mut ops = Vec::new();
    let flow = compiler.block(&steps[first..], Flow::Closed, &mut ops)?;
    if flow == Flow::Open {
        let begun = steps.iter().rev().find(|step| matches!(step.kind, StepKind::Begin(_)));
        let at = begun.map_or(0, |step| step.at);
        return Err(Fail::new(at, "the transaction begins here but never ends")
            .hint("add commit as the last step"));
    }
    if ops.is_empty() {
        return Err(Fail::new(0, "the transaction does not execute any statements"));
    }
    expect::compare_in_place(&mut ops, &compiler.captures);
    let is_input = |register: &u16| inputs.iter().any(|(input, _)| input == register);
    Ok(Program {
        piece: piece.clone(),
        kept: Vec::new(),
        sets_inputs: ops
            .iter()
            .any(|op| matches!(op, Op::Set { register, .. } if is_input(register))),
        draws: ops.iter().flat_map(Op::nodes).any(Node::draws),
        inputs,
        steps: ops,
        registers: compiler.registers,
        captures: compiler.captures,
        loops: compiler.loops,
        rolls_back: compiler.rolls_back,
        audited,
    })
}

impl Compiler<'_> {
    fn is_statement(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Call(name, _) => self.sections.iter().any(|section| section.name == *name),
            _ => false,
        }
    }

    /// Returns the register for a variable that a step sets. If the variable does not exist yet, creates a register for
    /// it.
    fn assigned(&mut self, name: &str, at: u32, ty: Ty) -> Compiled<u16> {
        let Some(Binding::Variable(register, known)) =
            self.find(name).filter(|_| name != "session")
        else {
            return self.name(name, at, ty);
        };
        match known.with(ty) {
            // A register for integers must not be set to a number with a fraction.
            Some(common) if common == known || known == Ty::Null => {}
            _ => {
                let text =
                    format!("{name} is {} and cannot be set to {}", known.words(), ty.words());
                return Err(Fail::new(at, text).hint("choose a different name"));
            }
        }
        if known == Ty::Null {
            self.names.push((name.to_owned(), Binding::Variable(register, ty)));
        }
        Ok(register)
    }

    fn block(&mut self, steps: &[Step], mut flow: Flow, ops: &mut Vec<Op>) -> Compiled<Flow> {
        let names = self.names.len();
        for step in steps {
            if flow == Flow::Ended {
                return Err(Fail::new(step.at, "this step is never reached"));
            }
            flow = self.step(step, flow, ops)?;
        }
        self.names.truncate(names);
        Ok(flow)
    }

    fn step(&mut self, step: &Step, flow: Flow, ops: &mut Vec<Op>) -> Compiled<Flow> {
        let at = step.at;
        self.reads = false;
        match &step.kind {
            StepKind::Let(name, expr) if self.is_statement(expr) => {
                let (section, capture) = self.execute(expr, true, ops)?;
                self.require_free(name, at)?;
                self.names.push((name.clone(), Binding::Answer { section, capture }));
            }
            StepKind::Let(name, expr) => {
                let (node, ty) = self.node(expr)?;
                self.wait(ops);
                let register = self.assigned(name, at, ty)?;
                ops.push(Op::Set { register, node });
            }
            StepKind::Call(expr) => {
                self.execute(expr, false, ops)?;
            }
            StepKind::Begin(_) if flow == Flow::Open => {
                return Err(Fail::new(at, "a transaction is already open"));
            }
            StepKind::Begin(access) => {
                ops.push(Op::Begin(*access));
                return Ok(Flow::Open);
            }
            StepKind::Commit | StepKind::Rollback if flow == Flow::Closed => {
                return Err(Fail::new(at, "no transaction is open")
                    .hint("to open a transaction, write begin"));
            }
            StepKind::Commit => {
                ops.push(Op::Commit);
                return Ok(Flow::Closed);
            }
            StepKind::Rollback => {
                self.rolls_back = true;
                ops.push(Op::Rollback);
                return Ok(Flow::Ended);
            }
            StepKind::Send => ops.push(Op::Send),
            StepKind::Require(expr) => {
                let node = self.typed(expr, &[Ty::Bool], "a condition")?;
                self.wait(ops);
                ops.push(Op::Require { node, at });
            }
            StepKind::If(branches, other) => return self.branches(branches, other, flow, ops),
            StepKind::Repeat(count, name, body) => {
                let node = self.typed(count, &[Ty::Int], "a whole number")?;
                self.wait(ops);
                let slot = self.slot();
                ops.push(Op::Repeat { slot, node, at });
                let names = self.names.len();
                let register = match name {
                    Some(name) => Some(self.name(name, at, Ty::Int)?),
                    None => None,
                };
                let next = Op::NextTurn { slot, register, end: 0 };
                self.looped(next, body, at, flow, ops)?;
                self.names.truncate(names);
            }
            StepKind::For(name, call, body) => {
                let (section, capture) = self.execute(call, true, ops)?;
                let slot = self.slot();
                ops.push(Op::Fetch { slot, capture, at });
                let names = self.names.len();
                self.require_free(name, at)?;
                self.names.push((name.clone(), Binding::Row { section, capture }));
                self.looped(Op::NextRow { slot, capture, end: 0 }, body, at, flow, ops)?;
                self.names.truncate(names);
            }
        }
        Ok(flow)
    }

    /// Inserts an instruction that waits for results, if the next step reads any.
    fn wait(&self, ops: &mut Vec<Op>) {
        if self.reads {
            ops.push(Op::Await);
        }
    }

    fn slot(&mut self) -> usize {
        self.loops += 1;
        self.loops - 1
    }

    fn execute(&mut self, call: &Expr, keeps: bool, ops: &mut Vec<Op>) -> Compiled<(usize, usize)> {
        self.reads = false;
        let (section, arguments) = self.statement(call)?;
        let statement = StatementId(section as u16);
        let capture = self.captures.len();
        if keeps {
            self.captures.push(Capture::default());
        }
        let kept = keeps.then_some(capture);
        self.wait(ops);
        ops.push(Op::Execute(Box::new(Execute::new(statement, arguments, kept))));
        Ok((section, capture))
    }

    /// Compiles a loop. Its first step leaves the loop when there are no more iterations.
    fn looped(
        &mut self,
        next: Op,
        body: &[Step],
        at: u32,
        flow: Flow,
        ops: &mut Vec<Op>,
    ) -> Compiled<()> {
        let start = ops.len();
        ops.push(next);
        let after = self.block(body, flow, ops)?;
        if after != flow && after != Flow::Ended {
            return Err(Fail::new(
                at,
                "the loop opens a transaction without ending it, or ends one without opening it",
            )
            .hint("put both begin and commit inside the loop, or both outside"));
        }
        ops.push(Op::Jump(start));
        let over = ops.len();
        if let Op::NextTurn { end, .. } | Op::NextRow { end, .. } = &mut ops[start] {
            *end = over;
        }
        Ok(())
    }

    fn branches(
        &mut self,
        branches: &[(Expr, Vec<Step>)],
        other: &[Step],
        flow: Flow,
        ops: &mut Vec<Op>,
    ) -> Compiled<Flow> {
        let (mut ends, mut flows, mut at) = (Vec::new(), Vec::new(), 0);
        for (condition, body) in branches {
            at = condition.at;
            self.reads = false;
            let node = self.typed(condition, &[Ty::Bool], "a condition")?;
            self.wait(ops);
            let place = ops.len();
            ops.push(Op::JumpUnless { node, to: 0 });
            flows.push(self.block(body, flow, ops)?);
            ends.push(ops.len());
            ops.push(Op::Jump(0));
            let here = ops.len();
            if let Op::JumpUnless { to, .. } = &mut ops[place] {
                *to = here;
            }
        }
        flows.push(self.block(other, flow, ops)?);
        let here = ops.len();
        for end in ends {
            ops[end] = Op::Jump(here);
        }
        flows.retain(|flow| *flow != Flow::Ended);
        match flows.as_slice() {
            [] => Ok(Flow::Ended),
            [first, rest @ ..] if rest.iter().all(|flow| flow == first) => Ok(*first),
            _ => Err(Fail::new(at, "one branch ends the transaction, but another does not")),
        }
    }
}
