//! A server that uses the TDS protocol but returns prepared responses without encryption. It can serve thousands of
//! sessions on one thread.
//!
//! The server must not inspect bound values. Start reading at [`serve`].

use std::collections::HashMap;
use std::net::TcpListener;
use std::sync::Arc;

use rusqlite::types::Value;
use tacho_core::Result;
use tacho_driver::{Catalog, Statement, ValueKind};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::dates::When;
use super::link::{BATCH, LOGIN, PRELOGIN, REPLY, RPC, TRANSACTION};
use super::login::prelogin;
use super::reader::Reader;
use super::tokens::{Column, DONE, DONE_IN_PROC, DONE_PROC, Reply};
use super::types::{Info, Ty};
use super::{COLLATION, VERSION};

const TDS_7_4: u32 = 0x7400_0004;
const NOT_ENCRYPTED: u8 = 2;
/// Status of a message's last packet.
const END: u8 = 1;
const HEADER: usize = 8;
/// Numbers of procedures that run statements, and of requests that begin and commit transactions.
const EXECUTE: u16 = 12;
const PREPARE_AND_EXECUTE: u16 = 13;
const BEGIN: u16 = 5;
const COMMIT: u16 = 7;
/// Descriptor of every transaction.
const DESCRIPTOR: [u8; 8] = [1, 0, 0, 0, 0, 0, 0, 0];
/// Command codes at the end of a response.
const SELECT: u16 = 0xC1;
const UPDATE: u16 = 0xC5;

/// The responses to the statements of a catalog. The handle of a statement is its number, counted from 1.
struct Answers {
    by_text: HashMap<String, usize>,
    rows: Vec<Vec<u8>>,
}

/// Serves the statements of a catalog until the program exits.
pub fn serve(listener: TcpListener, catalog: &Catalog) -> Result<()> {
    let statements = catalog.statements().iter();
    let answers = Arc::new(Answers {
        by_text: statements.clone().map(|statement| statement.sql.clone()).zip(0..).collect(),
        rows: statements.map(canned).collect(),
    });
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let answers = answers.clone();
            // If a client disconnects, only the task that serves it ends.
            tokio::spawn(async move { talk(stream, &answers).await });
        }
    })
}

/// Returns the row that a statement returns, and the end of its result.
fn canned(statement: &Statement) -> Vec<u8> {
    let mut reply = Reply::default();
    let kinds = || statement.results.iter().map(|field| field.kind);
    let columns: Vec<Column> =
        kinds().map(|kind| Column { name: String::new(), ty: ty(kind) }).collect();
    if !columns.is_empty() {
        reply.columns(&columns);
        reply.row(&columns, &kinds().map(value).collect::<Vec<_>>());
    }
    // A write may return rows.
    let writes = columns.is_empty() || statement.sql.starts_with("UPDATE");
    let kind = if writes { UPDATE } else { SELECT };
    reply.done(DONE_IN_PROC, kind, Some(1), false, false);
    reply.bytes
}

fn ty(kind: ValueKind) -> Ty {
    match kind {
        ValueKind::Int => Ty::Int(8),
        ValueKind::Decimal(scale) => Ty::Decimal(19, scale),
        ValueKind::Text => Ty::Text(true, false, 200),
        ValueKind::Time => Ty::When(When::DateTime2(6)),
    }
}

/// Returns the value that is sent for this kind: one, zero, a word, or the start of the year 2000.
fn value(kind: ValueKind) -> Value {
    match kind {
        ValueKind::Int => Value::Integer(1),
        ValueKind::Decimal(_) => Value::Real(0.0),
        ValueKind::Text => Value::Text("canned".into()),
        ValueKind::Time => Value::Text("2000-01-01 00:00:00.000000".into()),
    }
}

/// Serves a connection from the first message to the last.
async fn talk(mut stream: TcpStream, answers: &Answers) -> std::io::Result<()> {
    let mut body = Vec::new();
    loop {
        body.clear();
        let mut header = [0; HEADER];
        loop {
            stream.read_exact(&mut header).await?;
            let length = usize::from(u16::from_be_bytes([header[2], header[3]]));
            let start = body.len();
            body.resize(start + length.saturating_sub(HEADER), 0);
            stream.read_exact(&mut body[start..]).await?;
            if header[1] & END != 0 {
                break;
            }
        }
        let Some(answer) = answer(header[0], &body, answers) else { return Ok(()) };
        let length = (answer.len() + HEADER) as u16;
        let [high, low] = length.to_be_bytes();
        let mut packet = vec![REPLY, END, high, low, 0, 0, 1, 0];
        packet.extend(answer);
        stream.write_all(&packet).await?;
    }
}

/// Returns the response to a message. Returns `None` if the connection is to be closed without a response.
fn answer(kind: u8, body: &[u8], answers: &Answers) -> Option<Vec<u8>> {
    let mut reply = Reply::default();
    match kind {
        PRELOGIN => {
            let version = [&VERSION[..], &[0; 2]].concat();
            return Some(prelogin(&[(0, &version), (1, &[NOT_ENCRYPTED])]));
        }
        LOGIN => {
            reply.changed_bytes(7, &COLLATION, &[]);
            reply.login_ack(TDS_7_4);
        }
        BATCH => {}
        TRANSACTION => transaction(body, &mut reply)?,
        RPC => call(body, answers, &mut reply)?,
        _ => return None,
    }
    let end = if kind == RPC { DONE_PROC } else { DONE };
    reply.done(end, 0, None, false, false);
    reply.finish();
    Some(reply.bytes)
}

/// Returns the part of a message after its headers.
fn after_headers(body: &[u8]) -> Option<Reader<'_>> {
    let length = Reader(body).u32()?;
    Some(Reader(body.get(length as usize..)?))
}

fn transaction(body: &[u8], reply: &mut Reply) -> Option<()> {
    match after_headers(body)?.u16()? {
        BEGIN => reply.changed_bytes(8, &DESCRIPTOR, &[]),
        COMMIT => reply.changed_bytes(9, &[], &DESCRIPTOR),
        _ => reply.changed_bytes(10, &[], &DESCRIPTOR),
    }
    Some(())
}

/// Handles a procedure call. The result is empty unless the procedure runs a statement.
fn call(body: &[u8], answers: &Answers, reply: &mut Reply) -> Option<()> {
    let mut body = after_headers(body)?;
    body.u16()?;
    let procedure = body.u16()?;
    body.u16()?;
    if ![EXECUTE, PREPARE_AND_EXECUTE].contains(&procedure) {
        return Some(());
    }
    let handle = parameter(&mut body)?;
    let at = if procedure == EXECUTE {
        let Value::Integer(handle) = handle else { return None };
        usize::try_from(handle - 1).ok()?
    } else {
        parameter(&mut body)?;
        let Value::Text(sql) = parameter(&mut body)? else { return None };
        *answers.by_text.get(&sql)?
    };
    reply.bytes.extend(answers.rows.get(at)?);
    reply.return_status(0);
    if procedure == PREPARE_AND_EXECUTE {
        reply.return_value(0, "", Ty::Int(4), &Value::Integer(at as i64 + 1));
    }
    Some(())
}

fn parameter(body: &mut Reader<'_>) -> Option<Value> {
    let name = body.u8()?;
    body.take(2 * usize::from(name))?;
    body.u8()?;
    Info::read(body)?.value(body)
}
