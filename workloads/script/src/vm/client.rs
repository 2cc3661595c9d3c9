//! A virtual user, which draws transactions with their inputs and runs them.
//!
//! Start reading at [`User`].

use std::sync::Arc;
use std::time::Duration;

use tacho_core::{Error, Result, Rng, Seed};
use tacho_driver::Exchange;
use tacho_workload::{AuditRule, Client, Draws, Run, Sequence, Tally, Ticket, boxed};

use crate::vm::execute::{Running, fault_of, run};
use crate::vm::machine::{Fault, Machine, Node};
use crate::vm::program::Kinds;
use crate::vm::source::Texts;
use crate::vm::value::{Val, float};

/// Maximum think time.
const THINK_MAX_S: f64 = 86_400.0;
/// Permitted difference between the expected and the actual fraction of a transaction type or an input. It is larger
/// for short runs.
const TOLERANCE: f64 = 0.01;

/// The state of one session.
pub struct User {
    kinds: Arc<Kinds>,
    draws: Draws,
    /// The last transaction drawn.
    kind: usize,
    machine: Machine,
    running: Running,
    /// Values of the registers directly after the inputs were drawn. If a step changes an input, a retry restores these
    /// values.
    inputs: Vec<Val>,
    /// Length of the text buffer directly after the inputs were drawn.
    texts: usize,
    /// The current values of the registers that persist between transactions, and the length of their text.
    kept: Vec<Val>,
    kept_texts: usize,
    spare: Vec<u8>,
    /// Random number generator for steps that draw numbers while the transaction runs.
    rng: Rng,
    /// An error that occurred when a random value was drawn. The flag is true if the value was a think time, and false
    /// if it was an input.
    fault: Option<(Fault, bool)>,
    /// Number of transactions of each type.
    tickets: Vec<u64>,
    /// Number of times that inputs were drawn for each type.
    drawn: Vec<u64>,
    /// For each type and each of its audited inputs, the number of values that did not exceed the limit.
    hits: Vec<Vec<u64>>,
}

impl User {
    /// Creates virtual user `session`. `sequences` contains the first number of each sequence.
    pub fn new(kinds: Arc<Kinds>, seed: Seed, session: u32, sequences: Vec<Sequence>) -> Self {
        let registers = kinds.all.iter().map(|kind| kind.program.registers).max().unwrap_or(1);
        let mut machine = Machine::new(registers, seed.nth(u64::from(session)).rng(0));
        machine.sequences = sequences;
        machine.registers[0] = Val::Int(i64::from(session));
        let hits = kinds.all.iter().map(|kind| vec![0; kind.program.audited.len()]).collect();
        for (register, node) in kinds.all.iter().flat_map(|kind| &kind.program.kept) {
            // These expressions are constants, so evaluating them cannot fail.
            if let Ok(value) = machine.eval(node) {
                machine.registers[usize::from(*register)] = value;
            }
        }
        Self {
            draws: Draws::of(seed, session),
            kind: 0,
            inputs: Vec::with_capacity(registers),
            texts: 0,
            kept: Vec::with_capacity(kinds.kept),
            kept_texts: 0,
            spare: Vec::new(),
            rng: machine.rng.clone(),
            machine,
            running: Running::default(),
            fault: None,
            tickets: vec![0; kinds.all.len()],
            drawn: vec![0; kinds.all.len()],
            hits,
            kinds,
        }
    }

    /// Draws the inputs for a transaction of the current type.
    fn draw(&mut self, mut rng: Rng) {
        let Self { kinds, machine, kind, .. } = self;
        let program = &kinds.all[*kind].program;
        if program.draws {
            // All random numbers in the steps come from one seed, so that a retry draws the same numbers again.
            self.rng = Seed(rng.bits()).rng(0);
        }
        machine.rng = rng;
        machine.text.truncate(self.kept_texts);
        self.fault = None;
        for (register, node) in &program.inputs {
            // Draw the most common kind of input here, which is faster than a function call.
            if let Node::Uniform(low, size) = node {
                machine.registers[usize::from(*register)] = machine.uniform(*low, *size);
                continue;
            }
            match machine.eval(node) {
                Ok(value) => machine.registers[usize::from(*register)] = value,
                Err(fault) => {
                    self.fault = Some((fault, false));
                    break;
                }
            }
        }
        if program.sets_inputs {
            self.inputs.clear();
            self.inputs.extend_from_slice(&machine.registers[..program.registers]);
        }
        self.texts = machine.text.len();
        self.drawn[*kind] += 1;
        for (hits, audited) in self.hits[*kind].iter_mut().zip(&program.audited) {
            let value = machine.registers[usize::from(audited.register)];
            *hits += u64::from(matches!(value, Val::Int(number) if number <= audited.limit));
        }
    }

    /// Saves the persistent values at the start of a transaction, so that they can be restored when it has ended.
    fn note_kept(&mut self) {
        let Self { kinds, machine, kept, spare, .. } = self;
        machine.keep_texts_of(kinds.kept, spare);
        kept.clear();
        kept.extend_from_slice(&machine.registers[..kinds.kept]);
        self.kept_texts = machine.text.len();
    }

    fn think(&mut self) -> Duration {
        let Some((_, node)) = &self.kinds.all[self.kind].think else { return Duration::ZERO };
        match self.machine.eval(node).map(float) {
            Ok(Some(seconds)) => Duration::from_secs_f64(seconds.clamp(0.0, THINK_MAX_S)),
            Ok(None) => Duration::ZERO,
            Err(fault) => {
                self.fault = Some((fault, true));
                Duration::ZERO
            }
        }
    }

    #[cold]
    fn failure(&self, fault: Fault, thinks: bool) -> Error {
        let kind = &self.kinds.all[self.kind];
        match &kind.think {
            Some((piece, _)) if thinks => fault_of(piece, fault),
            _ => fault_of(&kind.program.piece, fault),
        }
    }
}

impl Client for User {
    fn next(&mut self) -> Ticket {
        let mut rng = self.draws.draw();
        self.kind = self.kinds.draw(&mut rng);
        self.tickets[self.kind] += 1;
        if self.kinds.kept > 0 {
            self.note_kept();
        }
        self.draw(rng);
        let think = self.think();
        Ticket { transaction: self.kind, keying: Duration::ZERO, think }
    }

    fn redraw(&mut self) {
        let rng = self.draws.redraw();
        self.machine.registers[..self.kept.len()].copy_from_slice(&self.kept);
        self.draw(rng);
    }

    fn run<'a>(&'a mut self, exchange: &'a mut Exchange) -> Run<'a> {
        if let Some((fault, thinks)) = self.fault {
            let error: Result<_> = Err(self.failure(fault, thinks));
            return boxed(async move { error });
        }
        let Self { kinds, machine, running, inputs, kind, .. } = self;
        let program = &kinds.all[*kind].program;
        if program.sets_inputs {
            machine.registers[..inputs.len()].copy_from_slice(inputs);
        }
        machine.text.truncate(self.texts);
        if program.draws {
            machine.rng = self.rng.clone();
        }
        boxed(run(program, machine, running, exchange))
    }

    fn audit(&self, tally: &mut Tally) {
        let all: u64 = self.tickets.iter().sum();
        let mut rule = 0;
        for (at, hits) in self.hits.iter().enumerate() {
            if self.kinds.all.len() > 1 {
                tally.add(rule, self.tickets[at], all);
                rule += 1;
            }
            for hit in hits {
                tally.add(rule, *hit, self.drawn[at]);
                rule += 1;
            }
        }
    }
}

/// Returns the rules with the expected fractions of transaction types and inputs, in the order of [`User::audit`].
pub fn audits(texts: &Texts, kinds: &Kinds) -> Vec<AuditRule> {
    let rule = |name: String, share: f64, clause: String| {
        let tolerance = if share > 0.0 && share < 1.0 { TOLERANCE } else { 0.0 };
        let band = (share - tolerance, share + tolerance);
        AuditRule::share(texts.keep(name), share, band, texts.keep(clause))
    };
    let mut rules = Vec::new();
    for kind in &kinds.all {
        if kinds.all.len() > 1 {
            let place = kind.program.piece.place(0);
            rules.push(rule(
                format!("{} of all transactions", kind.name),
                kind.weight / kinds.sum(),
                place,
            ));
        }
        for draw in &kind.program.audited {
            rules.push(rule(
                format!("{}: {}", kind.name, draw.name),
                draw.share,
                draw.place.to_string(),
            ));
        }
    }
    rules
}
