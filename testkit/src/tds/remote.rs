//! Remote procedure calls (MS-TDS 2.2.6.6). They run statements with parameters, which may be prepared.
//!
//! Start reading at [`call`].

use rusqlite::types::Value;

use super::parse::{self, Kind};
use super::reader::Reader;
use super::run::{Run, Stop, check};
use super::state::Session;
use super::tokens::{DONE_IN_PROC, DONE_PROC, Reply, Trouble};
use super::types::{Info, Ty};

const EXECUTE_SQL: u16 = 10;
const PREPARE: u16 = 11;
const EXECUTE: u16 = 12;
const PREPARE_EXECUTE: u16 = 13;
const UNPREPARE: u16 = 15;
const BY_REFERENCE: u8 = 1;
const SEPARATORS: [u8; 3] = [0x80, 0xff, 0xfe];

struct Parameter {
    name: String,
    output: bool,
    ty: Ty,
    value: Value,
}

/// Runs the calls in a message in order.
pub fn call(session: &mut Session, body: &mut Reader<'_>, reply: &mut Reply) -> Result<(), Stop> {
    while !body.0.is_empty() {
        let Some((number, name, parameters)) = read(body) else {
            let trouble = Trouble::new(8009, 16, "The incoming RPC protocol stream is incorrect.");
            session.report(reply, &trouble);
            return Ok(());
        };
        let outcome = one(session, number, &name, &parameters, reply);
        let failed = outcome.is_err();
        match outcome {
            Err(Stop::Cancelled) => return Err(Stop::Cancelled),
            Err(Stop::Caught(trouble)) => reply.error(&trouble),
            Err(Stop::Ended | Stop::Returned) | Ok(()) => {}
        }
        reply.done(DONE_PROC, 0, None, failed, session.depth > 0);
    }
    Ok(())
}

fn read(body: &mut Reader<'_>) -> Option<(u16, String, Vec<Parameter>)> {
    let (number, name) = match body.u16()? {
        0xffff => (body.u16()?, String::new()),
        length => (0, body.wide(length.into())?),
    };
    let number = match name.trim_start_matches("sys.").to_lowercase().as_str() {
        "sp_executesql" => EXECUTE_SQL,
        "sp_prepare" => PREPARE,
        "sp_execute" => EXECUTE,
        "sp_prepexec" => PREPARE_EXECUTE,
        "sp_unprepare" => UNPREPARE,
        _ => number,
    };
    body.u16()?;
    let mut parameters = Vec::new();
    while let Some(next) = body.0.first() {
        if SEPARATORS.contains(next) {
            body.u8()?;
            break;
        }
        let name = body.name()?.to_lowercase();
        let output = body.u8()? & BY_REFERENCE != 0;
        let info = Info::read(body)?;
        parameters.push(Parameter { name, output, ty: info.ty, value: info.value(body)? });
    }
    Some((number, name, parameters))
}

/// Returns the parameter names in a declaration such as `@P1 int, @P2 nvarchar(20)`.
fn names(declaration: &str) -> Vec<String> {
    let tokens = parse::tokens(declaration).unwrap_or_default();
    let variables = tokens.into_iter().filter(|token| token.kind == Kind::Variable);
    variables.map(|token| token.text).collect()
}

fn one(
    session: &mut Session,
    number: u16,
    name: &str,
    parameters: &[Parameter],
    reply: &mut Reply,
) -> Result<(), Stop> {
    let text = |at: usize| match parameters.get(at).map(|parameter| &parameter.value) {
        Some(Value::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let handle = match parameters.first().map(|parameter| &parameter.value) {
        Some(Value::Integer(handle)) => *handle as i32,
        _ => 0,
    };
    let rest = |from: usize| parameters.get(from..).unwrap_or_default();
    match number {
        EXECUTE_SQL => execute(session, &names(&text(1)), &text(0), rest(2), 2, reply),
        PREPARE | PREPARE_EXECUTE => {
            let (sql, names) = (text(2), names(&text(1)));
            if let Err(trouble) =
                parse::batch(&sql).and_then(|nodes| check(&session.db, &nodes, true))
            {
                reply.error(&trouble);
                reply.error(&Trouble::new(8180, 16, "Statement(s) could not be prepared."));
                return Err(Stop::Ended);
            }
            session.handles += 1;
            let made = session.handles;
            session.prepared.insert(made, (names.clone(), sql.clone()));
            let outcome = if number == PREPARE {
                reply.return_status(0);
                Ok(())
            } else {
                execute(session, &names, &sql, rest(3), 3, reply)
            };
            if !matches!(outcome, Err(Stop::Cancelled)) {
                reply.return_value(0, "", Ty::Int(4), &Value::Integer(made.into()));
            }
            outcome
        }
        EXECUTE | UNPREPARE => {
            let Some((names, sql)) = session.prepared.get(&handle).cloned() else {
                let text = format!("Could not find prepared statement with handle {handle}.");
                reply.error(&Trouble::new(8179, 16, text));
                return Err(Stop::Ended);
            };
            if number == EXECUTE {
                return execute(session, &names, &sql, rest(1), 1, reply);
            }
            session.prepared.remove(&handle);
            reply.return_status(0);
            Ok(())
        }
        _ => {
            let text = format!("Could not find stored procedure '{name}'.");
            reply.error(&Trouble::new(2812, 16, text));
            Err(Stop::Ended)
        }
    }
}

/// Runs a statement whose parameters are given by name or by position. Returns the output parameters.
fn execute(
    session: &mut Session,
    names: &[String],
    sql: &str,
    parameters: &[Parameter],
    skipped: usize,
    reply: &mut Reply,
) -> Result<(), Stop> {
    let mut run = Run::new(session, reply, DONE_IN_PROC);
    let mut given = Vec::new();
    for (at, parameter) in parameters.iter().enumerate() {
        let name = if parameter.name.is_empty() { names.get(at) } else { Some(&parameter.name) };
        let Some(name) = name else {
            run.reply.error(&Trouble::new(
                8144,
                16,
                "The statement has too many arguments specified.",
            ));
            return Err(Stop::Ended);
        };
        run.variables.insert(name.clone(), parameter.value.clone());
        given.push(name.clone());
    }
    if let Some(missing) = names.iter().find(|name| !given.contains(name)) {
        let text = format!(
            "The parameterized query expects the parameter '{missing}', which was not supplied."
        );
        run.reply.error(&Trouble::new(8178, 16, text));
        return Err(Stop::Ended);
    }
    let outcome = run.text(sql);
    let values: Vec<Value> =
        given.iter().map(|name| run.variables.get(name).cloned().unwrap_or(Value::Null)).collect();
    if !matches!(outcome, Err(Stop::Cancelled)) {
        reply.return_status(i32::from(outcome.is_err()));
        for (at, (parameter, value)) in parameters.iter().zip(&values).enumerate() {
            if parameter.output {
                reply.return_value((at + skipped) as u16, &parameter.name, parameter.ty, value);
            }
        }
    }
    outcome
}
