//! Runs a compiled transaction: queues its statements, sends them, and reads the results.
//!
//! Statements are queued until a step reads a result or the transaction ends. How the queued statements are sent
//! depends on the statement form of the run.
//!
//! The code must not allocate memory once its buffers are warm.
//!
//! Start reading at [`run`].

use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Bind, Exchange, Reply, Row, Value, ValueKind};
use tacho_workload::Outcome;

use crate::vm::machine::{Fault, Machine, Node};
use crate::vm::program::{Capture, Execute, Op, Program};
use crate::vm::source::Piece;
use crate::vm::value::{Cause, Val, float};

/// Maximum number of iterations of a loop. A loop that exceeds it is assumed to be endless.
const TURNS_MAX: i64 = 100_000;
/// Maximum number of iterations of all loops in a transaction, because nested loops may be endless, too.
const ALL_TURNS_MAX: u64 = 10_000_000;
/// Maximum number of queued statements. They are sent when the maximum is reached.
pub const QUEUE_MAX: usize = 512;
/// Maximum number of bytes of text that a transaction can create and read.
const TEXT_BYTES_MAX: usize = 256 << 20;

/// A running loop.
#[derive(Clone, Copy, Debug, Default)]
struct Loop {
    turn: i64,
    turns: i64,
    /// Index of the loop's first row.
    first: usize,
    /// Position of the loop in the text.
    at: u32,
}

/// State of a running transaction.
#[derive(Debug, Default)]
pub struct Running {
    /// Statements whose results must be stored once they arrive: the position of each statement in
    /// the queue, and its capture.
    awaited: Vec<(usize, usize)>,
    /// Number of queued statements.
    queued: usize,
    /// True if anything must still be sent, including BEGIN, COMMIT or ROLLBACK.
    unsent: bool,
    /// True while statements are collected to be sent in a single round trip.
    together: bool,
    /// True if the last transaction ended with an intended rollback.
    rolled_back: bool,
    loops: Vec<Loop>,
    turns: u64,
    /// Rows over which the loops iterate. The rows of an outer loop come before those of the loop inside it.
    rows: Vec<Val>,
}

impl Running {
    fn begin(&mut self, program: &Program) {
        self.awaited.clear();
        self.rows.clear();
        (self.queued, self.unsent) = (0, false);
        (self.together, self.rolled_back) = (false, false);
        if program.loops > 0 {
            self.turns = 0;
            self.loops.clear();
            self.loops.resize(program.loops, Loop::default());
        }
    }
}

/// The reason why the steps pause.
enum Pause {
    /// The queue must be sent before the steps can continue. Contains the number of the next step.
    Send(usize),
    /// The queue must be sent. The transaction then ends with an intended rollback.
    RolledBack,
    /// The session must wait without sending anything. Contains the duration of the wait and the
    /// number of the next step.
    Wait(Duration, usize),
    /// There is no further step.
    Done,
}

/// Runs a transaction to its end.
pub async fn run(
    program: &Program,
    machine: &mut Machine,
    running: &mut Running,
    exchange: &mut Exchange,
) -> Result<Outcome> {
    running.begin(program);
    let mut at = 0;
    // The code waits for the server only inside this loop, because a single waiting point keeps the size of the future
    // small.
    loop {
        let pause = advance(program, machine, running, exchange, at)?;
        if let Pause::Wait(span, next) = pause {
            exchange.pause(span).await?;
            at = next;
            continue;
        }
        if running.unsent {
            let reply = if running.together {
                exchange.send_together().await?
            } else {
                exchange.send().await?
            };
            running.queued = 0;
            running.unsent = false;
            for (place, capture) in &running.awaited {
                keep(&program.captures[*capture], *place, reply, machine);
            }
            running.awaited.clear();
        }
        if machine.text.len() > TEXT_BYTES_MAX {
            return Err(too_much(program));
        }
        match pause {
            Pause::Send(next) => at = next,
            Pause::RolledBack => return Ok(Outcome::RolledBack),
            Pause::Done if running.rolled_back => return Ok(Outcome::RolledBack),
            Pause::Done | Pause::Wait(..) => return Ok(Outcome::Committed),
        }
    }
}

/// Runs steps until one of them needs the server.
fn advance(
    program: &Program,
    machine: &mut Machine,
    running: &mut Running,
    exchange: &mut Exchange,
    mut at: usize,
) -> Result<Pause> {
    while let Some(step) = program.steps.get(at) {
        match step {
            Op::Execute(execute) => {
                if running.queued >= QUEUE_MAX {
                    return Ok(Pause::Send(at));
                }
                queue(execute, program, machine, exchange)?;
                if let Some(capture) = execute.capture {
                    running.awaited.push((running.queued, capture));
                }
                running.queued += 1;
                running.unsent = true;
            }
            Op::Begin(access) => {
                exchange.begin(*access);
                running.unsent = true;
            }
            Op::Commit => {
                exchange.commit();
                (running.unsent, running.rolled_back) = (true, false);
            }
            Op::Undo => {
                exchange.rollback();
                (running.unsent, running.rolled_back) = (true, true);
            }
            Op::Rollback => {
                exchange.rollback();
                running.unsent = true;
                return Ok(Pause::RolledBack);
            }
            Op::Expect(expected) if !running.unsent => {
                if expected.all.iter().all(|expectation| expectation.holds(exchange.reply())) {
                    at = expected.past;
                    continue;
                }
                // A requirement is not met. Capture the results, so that the steps can run one by one and find this
                // requirement.
                for (place, capture) in &expected.captures {
                    keep(&program.captures[*capture], *place, exchange.reply(), machine);
                }
            }
            Op::Await if running.awaited.is_empty() => {}
            Op::Send
            | Op::Await
            | Op::Expect(_)
            | Op::Fetch { .. }
            | Op::Pause { .. }
            | Op::Together(_)
                if running.unsent =>
            {
                return Ok(Pause::Send(at));
            }
            Op::Together(together) => running.together = *together,
            Op::Ended { rolled_back } => running.rolled_back = *rolled_back,
            Op::Pause { node, unit, at: place } => {
                let fault = |fault| fault_of(&program.piece, fault);
                let count = match machine.eval(node).map_err(fault)? {
                    Val::Int(count) => u64::try_from(count).unwrap_or(0),
                    _ => return Err(fault(Fault { cause: Cause::NoInteger, at: *place })),
                };
                let span = Duration::from_micros(count.saturating_mul(*unit as u64));
                return Ok(Pause::Wait(span, at + 1));
            }
            Op::Fetch { slot, capture, at: place } => {
                let fault = |cause| fault_of(&program.piece, Fault { cause, at: *place });
                let columns = &program.captures[*capture].columns;
                let rows = &mut running.rows;
                let fetched = fetch(columns, exchange.reply(), machine, rows).map_err(fault)?;
                running.loops[*slot] = Loop { at: *place, ..fetched };
            }
            _ => {
                at = step_here(step, at + 1, program, machine, running)?;
                continue;
            }
        }
        at += 1;
    }
    Ok(Pause::Done)
}

/// Runs a step that does not need the server. Returns the number of the next step.
#[inline(never)]
fn step_here(
    step: &Op,
    next: usize,
    program: &Program,
    machine: &mut Machine,
    running: &mut Running,
) -> Result<usize> {
    let eval = |machine: &mut Machine, node: &Node| {
        machine.eval(node).map_err(|fault| fault_of(&program.piece, fault))
    };
    match step {
        Op::Set { register, node, .. } => {
            machine.registers[usize::from(*register)] = eval(machine, node)?;
        }
        Op::Jump(_) if machine.text.len() > TEXT_BYTES_MAX => return Err(too_much(program)),
        Op::Jump(_) if running.turns > ALL_TURNS_MAX => {
            let at = running.loops.iter().map(|active| active.at).max().unwrap_or(0);
            return Err(fault_of(&program.piece, Fault { cause: Cause::TooManySteps, at }));
        }
        Op::Jump(to) => return Ok(*to),
        Op::JumpUnless { node, to, .. } => {
            let holds = eval(machine, node)? == Val::Bool(true);
            return Ok(if holds { next } else { *to });
        }
        Op::Require { node, at, .. } => {
            let holds = eval(machine, node)? == Val::Bool(true);
            let fault = Fault { cause: Cause::NotAsRequired, at: *at };
            return if holds { Ok(next) } else { Err(fault_of(&program.piece, fault)) };
        }
        Op::Repeat { slot, node, at, .. } => {
            let turns = match eval(machine, node)? {
                Val::Int(turns) if turns <= TURNS_MAX => turns,
                Val::Int(_) => {
                    return Err(fault_of(
                        &program.piece,
                        Fault { cause: Cause::TooManyTurns, at: *at },
                    ));
                }
                _ => return Err(fault_of(&program.piece, Fault { cause: Cause::IsNull, at: *at })),
            };
            running.loops[*slot] = Loop { turn: 0, turns, first: 0, at: *at };
        }
        Op::NextTurn { slot, register, end } => {
            let current = &mut running.loops[*slot];
            if current.turn >= current.turns {
                return Ok(*end);
            }
            current.turn += 1;
            running.turns += 1;
            if let Some(register) = register {
                machine.registers[usize::from(*register)] = Val::Int(current.turn);
            }
        }
        Op::NextRow { slot, capture, end } => {
            let current = &mut running.loops[*slot];
            if current.turn >= current.turns {
                running.rows.truncate(current.first);
                return Ok(*end);
            }
            let columns = &program.captures[*capture].columns;
            let first = current.first + current.turn as usize * columns.len();
            current.turn += 1;
            running.turns += 1;
            for ((_, register, _), value) in columns.iter().zip(&running.rows[first..]) {
                machine.registers[usize::from(*register)] = *value;
            }
        }
        _ => {}
    }
    Ok(next)
}

/// Queues a statement with its parameter values.
#[inline]
fn queue(
    execute: &Execute,
    program: &Program,
    machine: &mut Machine,
    exchange: &mut Exchange,
) -> Result<()> {
    let bind = exchange.execute(execute.statement);
    if let Some(registers) = &execute.whole {
        bind.ints(registers.iter().map(|register| {
            match machine.registers[usize::from(*register)] {
                Val::Int(number) => Some(number),
                // All parameters of this statement are integers, so any other value can only be NULL.
                _ => None,
            }
        }));
        return Ok(());
    }
    queue_values(bind, execute, program, machine)
}

/// Binds values of any type.
#[inline(never)]
fn queue_values(
    mut bind: Bind<'_>,
    execute: &Execute,
    program: &Program,
    machine: &mut Machine,
) -> Result<()> {
    for (node, kind, at) in &execute.arguments {
        let value = machine.eval(node).map_err(|fault| fault_of(&program.piece, fault))?;
        bind = bound(bind, value, *kind, machine)
            .map_err(|cause| fault_of(&program.piece, Fault { cause, at: *at }))?;
    }
    Ok(())
}

#[inline]
fn bound<'a>(
    bind: Bind<'a>,
    value: Val,
    kind: ValueKind,
    machine: &Machine,
) -> Result<Bind<'a>, Cause> {
    Ok(match (value, kind) {
        // A text parameter also accepts a number, as pgbench statements require.
        (Val::Int(number), ValueKind::Int | ValueKind::Text) => bind.int(number),
        (Val::Text(from, to), ValueKind::Text) => bind.text(machine.bytes(from, to)),
        (Val::Time(micros), ValueKind::Time) => bind.time(micros),
        (Val::Null, _) => bind.null(),
        (value, ValueKind::Decimal(digits)) => bind.decimal(unscaled(value, digits)?),
        _ => return Err(Cause::DoesNotFit),
    })
}

/// Rounds a number to `digits` decimal places and returns it as an integer, in units of the last decimal place.
pub fn unscaled(value: Val, digits: u8) -> Result<i64, Cause> {
    let unit = 10_i64.checked_pow(u32::from(digits)).ok_or(Cause::OutOfRange)?;
    if let Val::Int(number) = value {
        return number.checked_mul(unit).ok_or(Cause::OutOfRange);
    }
    let number = float(value).ok_or(Cause::DoesNotFit)?;
    match crate::vm::value::whole((number * unit as f64).round())? {
        Val::Int(number) => Ok(number),
        _ => Err(Cause::DoesNotFit),
    }
}

#[inline]
fn keep(capture: &Capture, place: usize, reply: &Reply, machine: &mut Machine) {
    if let Some(register) = capture.rows {
        machine.registers[usize::from(register)] = Val::Int(reply.rows(place) as i64);
    }
    if let Some(register) = capture.changed {
        machine.registers[usize::from(register)] = Val::Int(reply.affected(place) as i64);
    }
    if capture.columns.is_empty() {
        return;
    }
    let rows = reply.rows(place);
    if capture.last && rows == 0 {
        return;
    }
    let row = reply.get(place, if capture.last { rows - 1 } else { 0 });
    for (column, register, digits) in &capture.columns {
        // If the server did not return this column, the variable keeps its value.
        if row.is_some_and(|row| row.is_absent(*column)) {
            continue;
        }
        let value = row.map_or(Val::Absent, |row| read(row, *column, *digits, machine));
        machine.registers[usize::from(*register)] = value;
    }
}

fn read(row: Row<'_>, column: usize, digits: u8, machine: &mut Machine) -> Val {
    match row.get(column) {
        Value::Null => Val::Null,
        Value::Int(number) => Val::Int(number),
        Value::Decimal(unscaled) => Val::Float(unscaled as f64 / 10_f64.powi(i32::from(digits))),
        Value::Time(micros) => Val::Time(micros),
        Value::Text(text) => machine.keep(text),
    }
}

/// Stores the rows of a statement's result, so that a loop can iterate through them.
fn fetch(
    columns: &[(usize, u16, u8)],
    reply: &Reply,
    machine: &mut Machine,
    rows: &mut Vec<Val>,
) -> Result<Loop, Cause> {
    let first = rows.len();
    let place = reply.len().saturating_sub(1);
    let count = reply.rows(place);
    if count as i64 > TURNS_MAX {
        return Err(Cause::TooManyTurns);
    }
    for row in (0..count).map_while(|number| reply.get(place, number)) {
        rows.extend(columns.iter().map(|(column, _, digits)| read(row, *column, *digits, machine)));
    }
    Ok(Loop { turn: 0, turns: count as i64, first, at: 0 })
}

#[cold]
pub fn fault_of(piece: &Piece, fault: Fault) -> Error {
    let kind = match fault.cause {
        Cause::NoRow | Cause::NotAsRequired | Cause::NotOneRow => ErrorKind::Missing,
        _ => ErrorKind::Usage,
    };
    let text = format!("{}: {}", piece.place(fault.at), fault.cause.words());
    let error = Error::new(kind, text);
    match fault.cause {
        Cause::NoRow => error.hint("use NAME.rows to get the number of rows in a result"),
        Cause::NotOneRow => error.hint("use \\aset to store the last row"),
        Cause::NotSet => error
            .hint("use \\set before this position, or -D NAME=VALUE")
            .hint("\\gset and \\aset set the columns that the server returns"),
        _ => error,
    }
}

#[cold]
fn too_much(program: &Program) -> Error {
    let text = format!(
        "{}: the transaction has read or created more than 256 MiB of text",
        program.piece.place(0)
    );
    Error::new(ErrorKind::Resource, text).hint(
        "change the statement to return fewer or shorter \
                                                rows",
    )
}
