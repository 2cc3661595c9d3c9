//! Requirements on numbers of rows, compared with the answers where they lie: what most transactions end with.
//!
//! Without it each number is copied to a register first, which costs a transaction of five statements 20 ns.
//! Start reading at [`compare_in_place`].

use crate::vm::execute::QUEUE_MAX;
use crate::vm::machine::Node;
use crate::vm::program::{Capture, Count, Expected, Op};

/// The place of each statement whose answer is kept in what is sent together, and its capture.
type Places = Vec<(usize, usize)>;

/// Lets requirements that follow a send, and are about what was sent alone, look at the answers.
pub fn compare_in_place(ops: &mut [Op], captures: &[Capture]) {
    let (mut from, mut at) = (0, 0);
    while at < ops.len() {
        let mut next = at + 1;
        match ops[at] {
            Op::Await => {
                let past = next + requirements(&ops[next..]);
                if let Some(expected) = expected(ops, from, at, past, captures) {
                    detach(&mut ops[from..at], &expected);
                    ops[at] = Op::Expect(Box::new(expected));
                    (from, next) = (past, past);
                }
            }
            // Nothing is queued behind it.
            Op::Send => from = next,
            _ => {}
        }
        at = next;
    }
}

/// How many of the steps are requirements on numbers, which each wait for answers that are there.
fn requirements(ops: &[Op]) -> usize {
    let is_one = |op: &Op| matches!(op, Op::Require { node: Node::Are(_), .. });
    let others = ops.iter().position(|op| !is_one(op) && !matches!(op, Op::Await));
    let last = ops[..others.unwrap_or(ops.len())].iter().rposition(is_one);
    last.map_or(0, |last| last + 1)
}

/// What the requirements up to `past` say of the statements from `from` to `at`; `None` if that is not all that they say.
fn expected(
    ops: &[Op],
    from: usize,
    at: usize,
    past: usize,
    captures: &[Capture],
) -> Option<Expected> {
    let places = places(&ops[from..at])?;
    let mut all = Vec::new();
    for op in &ops[at + 1..past] {
        if let Op::Require { node: Node::Are(numbers), .. } = op {
            for (register, wanted) in numbers {
                let (place, changed) = source(*register, &places, captures)?;
                all.push(Count { place, changed, wanted: *wanted });
            }
        }
    }
    let others = || ops[..at].iter().chain(&ops[past..]).flat_map(Op::nodes);
    let is_read = |register: u16| others().any(|node| node.reads(register));
    let unread = |(_, capture): &(usize, usize)| {
        let Capture { columns, rows, changed, .. } = &captures[*capture];
        columns.is_empty() && !rows.iter().chain(changed).any(|register| is_read(*register))
    };
    (!all.is_empty()).then(|| Expected {
        all,
        past,
        captures: places.into_iter().filter(unread).collect(),
    })
}

/// The places of statements that are sent together; `None` if it is not known when they are sent.
fn places(ops: &[Op]) -> Option<Places> {
    let (mut places, mut place) = (Vec::new(), 0);
    for op in ops {
        match op {
            Op::Execute(execute) => {
                places.extend(execute.capture.map(|capture| (place, capture)));
                place += 1;
            }
            Op::Begin(_) | Op::Commit => {}
            _ => return None,
        }
    }
    (place < QUEUE_MAX).then_some(places)
}

/// The place of the statement whose number of rows is in a register, and whether they are those that it changed.
fn source(register: u16, places: &Places, captures: &[Capture]) -> Option<(usize, bool)> {
    places.iter().find_map(|(place, capture)| {
        let Capture { rows, changed, .. } = &captures[*capture];
        let is_changed = *changed == Some(register);
        (is_changed || *rows == Some(register)).then_some((*place, is_changed))
    })
}

/// Keeps nothing of answers that the requirements alone read.
fn detach(ops: &mut [Op], expected: &Expected) {
    for op in ops {
        if let Op::Execute(execute) = op
            && expected.captures.iter().any(|(_, capture)| execute.capture == Some(*capture))
        {
            execute.capture = None;
        }
    }
}
