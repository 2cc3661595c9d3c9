//! Histories in the input format of Elle: one EDN map for each start and each end of a transaction.
//!
//! Start reading at [`read_elle`].

mod edn;

use std::collections::HashMap;
use std::io::{self, Write};

use tacho_core::{AttemptOutcome, Error, ErrorKind, Result};

use self::edn::{Reader, Value};
use crate::history::{FINAL_READ, History, Operation};

/// A transaction that has started.
struct Open {
    begun: u64,
    operations: Value,
}

/// Reads a history of list appends in Elle's format. Times are in nanoseconds; without times, the order of the lines
/// is used.
///
/// # Errors
/// Returns [`ErrorKind::Protocol`] if the text is not such a history.
pub fn read_elle(text: &str) -> Result<History> {
    let mut history = History::default();
    let mut open: HashMap<u64, Open> = HashMap::new();
    let mut last = 0;
    let mut events = 0;
    let mut reader = Reader::new(text);
    while let Some(value) = reader.next_value()? {
        let maps = if let Value::List(maps) = value { maps } else { vec![value] };
        for map in maps {
            last = event(&mut history, &mut open, map, events)?;
            events += 1;
        }
    }
    let mut unfinished: Vec<(u64, Open)> = open.into_iter().collect();
    unfinished.sort_by_key(|(process, open)| (open.begun, *process));
    for (process, Open { begun, operations }) in unfinished {
        add(&mut history, process, AttemptOutcome::Unknown, (begun, last.max(begun)), operations)?;
    }
    Ok(history)
}

/// Reads an event. Returns its time.
fn event(
    history: &mut History,
    open: &mut HashMap<u64, Open>,
    map: Value,
    events: u64,
) -> Result<u64> {
    let Value::Map(mut entries) = map else { return Err(broken("an event is not a map")) };
    let mut take = |name: &str| {
        let at = entries.iter().position(|(key, _)| *key == Value::Word(name.to_owned()));
        at.map(|at| entries.swap_remove(at).1)
    };
    let time = match take(":time") {
        Some(Value::Number(time)) => time,
        _ => events,
    };
    // Events of other processes, such as `:nemesis`, are not transactions.
    let Some(Value::Number(process)) = take(":process") else { return Ok(time) };
    let value = take(":value").unwrap_or(Value::Nil);
    let outcome = match take(":type") {
        Some(Value::Word(word)) => match word.as_str() {
            ":invoke" => {
                open.insert(process, Open { begun: time, operations: value });
                return Ok(time);
            }
            ":ok" => AttemptOutcome::Committed,
            ":fail" => AttemptOutcome::Failed,
            ":info" => AttemptOutcome::Unknown,
            _ => return Err(broken(&format!("unknown :type {word}"))),
        },
        _ => return Err(broken("an event has no :type")),
    };
    let begun = open.remove(&process);
    let times = (begun.as_ref().map_or(time, |open| open.begun), time);
    let operations = match (value, begun) {
        (Value::Nil, Some(open)) => open.operations,
        (value, _) => value,
    };
    add(history, process, outcome, times, operations)?;
    Ok(time)
}

/// Adds a transaction to the history.
fn add(
    history: &mut History,
    process: u64,
    outcome: AttemptOutcome,
    (begun, ended): (u64, u64),
    operations: Value,
) -> Result<()> {
    let session = u32::try_from(process).map_err(|_| broken("a :process is too large"))?;
    history.begin(session, outcome, begun, ended)?;
    let operations = match operations {
        Value::List(operations) => operations,
        Value::Nil => Vec::new(),
        _ => return Err(broken("a :value is not a list of operations")),
    };
    for operation in operations {
        let Value::List(parts) = operation else {
            return Err(broken("an operation is not a list"));
        };
        let Ok([Value::Word(word), Value::Number(key), value]) = <[Value; 3]>::try_from(parts)
        else {
            return Err(broken(
                "an operation is not of the form [:append key value] or [:r key list]",
            ));
        };
        match (word.as_str(), value) {
            (":append", Value::Number(value)) => history.append(key, value)?,
            (":r", Value::Nil) => history.read(key, [])?,
            (":r", Value::List(list)) => history.read(key, numbers(list)?)?,
            _ => return Err(broken(&format!("unknown operation {word}"))),
        }
    }
    Ok(())
}

fn numbers(list: Vec<Value>) -> Result<Vec<u64>> {
    let number = |value| match value {
        Value::Number(number) => Ok(number),
        _ => Err(broken("a list contains a value that is not a number")),
    };
    list.into_iter().map(number).collect()
}

fn broken(why: &str) -> Error {
    Error::new(ErrorKind::Protocol, format!("not a history in Elle's format: {why}")).hint(
        "each line must be a map such as {:type :ok, :process 0, :f :txn, :value [[:append 5 1]]}",
    )
}

/// Writes a history in Elle's format: two lines for each transaction, in order of time.
///
/// # Errors
/// Returns any I/O error.
pub fn write_elle(history: &History, out: &mut impl Write) -> io::Result<()> {
    let transactions = history.transactions();
    let mut events: Vec<(u64, u64)> = Vec::with_capacity(transactions.len() * 2);
    for (at, transaction) in (0..).zip(transactions) {
        events.push((transaction.begun, at * 2));
        events.push((transaction.ended, at * 2 + 1));
    }
    events.sort_unstable();
    let sessions = transactions.iter().map(|transaction| transaction.session);
    let last = sessions.filter(|session| *session != FINAL_READ).max().unwrap_or(0);
    // In Jepsen's histories, a process ends with an unknown outcome, and another one takes its place.
    let stride = u64::from(last) + 2;
    let mut ended: HashMap<u32, u64> = HashMap::new();
    for (index, (time, event)) in events.into_iter().enumerate() {
        let (at, is_end) = ((event / 2) as usize, event % 2 == 1);
        let transaction = &transactions[at];
        let session = transaction.session;
        let number = if session == FINAL_READ { stride - 1 } else { u64::from(session) };
        let earlier = ended.entry(session).or_default();
        let process = number + *earlier * stride;
        let kind = match (is_end, transaction.outcome) {
            (false, _) => "invoke",
            (true, AttemptOutcome::Committed) => "ok",
            (true, AttemptOutcome::Failed) => "fail",
            (true, AttemptOutcome::Unknown) => "info",
        };
        *earlier += u64::from(kind == "info");
        write!(out, "{{:index {index}, :type :{kind}, :process {process}, :time {time}, ")?;
        write!(out, ":f :txn, :value [")?;
        write_operations(history, at, kind == "ok", out)?;
        writeln!(out, "]}}")?;
    }
    Ok(())
}

fn write_operations(
    history: &History,
    at: usize,
    has_results: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    for (position, operation) in history.operations(at).iter().enumerate() {
        if position > 0 {
            write!(out, " ")?;
        }
        match *operation {
            Operation::Append { key, value, .. } => {
                write!(out, "[:append {} {value}]", history.key(key))?;
            }
            Operation::Read { key, version } if has_results => {
                let list: Vec<String> = history.list(version).iter().map(u64::to_string).collect();
                write!(out, "[:r {} [{}]]", history.key(key), list.join(" "))?;
            }
            Operation::Read { key, .. } => write!(out, "[:r {} nil]", history.key(key))?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
