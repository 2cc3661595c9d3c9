//! A server that uses PostgreSQL's protocol but returns prepared responses, so that only the client's cost is measured.
//!
//! The server must not inspect bound values. Start reading at [`serve`].

use std::collections::HashMap;
use std::net::TcpListener;
use std::sync::Arc;

use tacho_core::Result;
use tacho_driver::{Catalog, Statement, ValueKind};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Request codes that may precede a login.
const TLS_REQUEST: u32 = 80_877_103;
const CANCEL_REQUEST: u32 = 80_877_102;
const BUFFER_BYTES: usize = 8 * 1024;
const READY: &[u8] = b"Z\0\0\0\x05I";

/// Responses to the statements of a catalog.
struct Answers {
    by_text: HashMap<Vec<u8>, Canned>,
}

/// The response to a statement. The first part describes its parameters and columns, and the second part contains a
/// row.
#[derive(Clone, Default)]
struct Canned {
    described: Arc<[u8]>,
    executed: Arc<[u8]>,
}

/// Serves the statements of a catalog until the program exits.
pub fn serve(listener: TcpListener, catalog: &Catalog) -> Result<()> {
    let answers = Arc::new(Answers::new(catalog));
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

impl Answers {
    fn new(catalog: &Catalog) -> Self {
        let statements = catalog.statements().iter();
        let mut by_text: HashMap<Vec<u8>, Canned> = statements
            .map(|statement| (statement.sql.clone().into_bytes(), Canned::of(statement)))
            .collect();
        for word in ["BEGIN", "COMMIT", "ROLLBACK"] {
            let mut described = message(b't', &[0, 0]);
            described.extend(message(b'n', b""));
            let executed = message(b'C', &zero_ended(word));
            let canned = Canned { described: described.into(), executed: executed.into() };
            by_text.insert(word.into(), canned);
        }
        Self { by_text }
    }
}

impl Canned {
    fn of(statement: &Statement) -> Self {
        let kinds = statement.placeholders.iter().map(|at| statement.params[usize::from(*at)].kind);
        let mut params = (statement.placeholders.len() as u16).to_be_bytes().to_vec();
        kinds.for_each(|kind| params.extend(oid(kind).to_be_bytes()));
        let mut described = message(b't', &params);
        let mut executed = Vec::new();
        if statement.results.is_empty() {
            described.extend(message(b'n', b""));
            executed.extend(message(b'C', &zero_ended("UPDATE 1")));
        } else {
            let count = (statement.results.len() as u16).to_be_bytes();
            let (mut columns, mut row) = (count.to_vec(), count.to_vec());
            for field in &statement.results {
                columns.extend(zero_ended(&field.name));
                columns.extend([0; 6]);
                columns.extend(oid(field.kind).to_be_bytes());
                columns.extend([0; 8]);
                let value = value(field.kind);
                row.extend((value.len() as u32).to_be_bytes());
                row.extend(value);
            }
            described.extend(message(b'T', &columns));
            executed.extend(message(b'D', &row));
            // A write may return rows.
            let tag = if statement.sql.starts_with("UPDATE") { "UPDATE 1" } else { "SELECT 1" };
            executed.extend(message(b'C', &zero_ended(tag)));
        }
        Self { described: described.into(), executed: executed.into() }
    }
}

/// Returns the type ID of `bigint`, `numeric`, `text` or `timestamptz`.
fn oid(kind: ValueKind) -> u32 {
    match kind {
        ValueKind::Int => 20,
        ValueKind::Decimal(_) => 1_700,
        ValueKind::Text => 25,
        ValueKind::Time => 1_184,
    }
}

/// Returns the value that is sent for this kind: one, zero, a word, or the start of the year 2000.
fn value(kind: ValueKind) -> Vec<u8> {
    match kind {
        ValueKind::Int => 1_i64.to_be_bytes().into(),
        ValueKind::Decimal(scale) => vec![0, 0, 0, 0, 0, 0, 0, scale],
        ValueKind::Text => b"canned".to_vec(),
        ValueKind::Time => 0_i64.to_be_bytes().into(),
    }
}

fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![tag];
    bytes.extend((body.len() as u32 + 4).to_be_bytes());
    bytes.extend(body);
    bytes
}

fn zero_ended(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    bytes
}

async fn talk(mut stream: TcpStream, answers: &Answers) -> std::io::Result<()> {
    loop {
        let length = stream.read_u32().await? as usize;
        let mut body = vec![0; length.saturating_sub(4)];
        stream.read_exact(&mut body).await?;
        match body.first_chunk().map(|code| u32::from_be_bytes(*code)) {
            Some(TLS_REQUEST) => stream.write_all(b"N").await?,
            Some(CANCEL_REQUEST) | None => return Ok(()),
            Some(_) => break,
        }
    }
    let mut out = message(b'R', &[0; 4]);
    out.extend(message(b'S', b"server_version\x0015.0\0"));
    out.extend(message(b'K', &[0; 8]));
    out.extend(READY);
    stream.write_all(&out).await?;
    let mut session = Session { answers, named: HashMap::new(), bound: Canned::default(), out };
    let (mut input, mut end) = (vec![0; BUFFER_BYTES], 0);
    loop {
        session.out.clear();
        let mut start = 0;
        while let Some((tag, body)) = next(&input[start..end]) {
            start += body.len() + 5;
            if tag == b'X' {
                return Ok(());
            }
            session.take(tag, body);
        }
        input.copy_within(start..end, 0);
        end -= start;
        stream.write_all(&session.out).await?;
        if end == input.len() {
            input.resize(end * 2, 0);
        }
        match stream.read(&mut input[end..]).await? {
            0 => return Ok(()),
            count => end += count,
        }
    }
}

/// Returns the tag and body of the first message if it is complete.
fn next(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let (header, rest) = bytes.split_first_chunk::<5>()?;
    let length = u32::from_be_bytes([header[1], header[2], header[3], header[4]]) as usize;
    Some((header[0], rest.get(..length.checked_sub(4)?)?))
}

struct Session<'a> {
    answers: &'a Answers,
    named: HashMap<Vec<u8>, Canned>,
    bound: Canned,
    out: Vec<u8>,
}

impl Session<'_> {
    fn take(&mut self, tag: u8, body: &[u8]) {
        let mut words = body.split(|byte| *byte == 0);
        let mut word = || words.next().unwrap_or_default();
        match tag {
            b'P' => {
                let (name, text) = (word(), word());
                let canned = self.answers.by_text.get(text).cloned().unwrap_or_default();
                self.named.insert(name.to_vec(), canned);
                self.out.extend(b"1\0\0\0\x04");
            }
            b'C' => self.out.extend(b"3\0\0\0\x04"),
            b'D' => {
                let canned = self.named.get(word().get(1..).unwrap_or_default());
                self.out.extend(canned.map_or(&[][..], |canned| &canned.described));
            }
            b'B' => {
                let (_portal, name) = (word(), word());
                self.bound = self.named.get(name).cloned().unwrap_or_default();
                self.out.extend(b"2\0\0\0\x04");
            }
            b'E' => self.out.extend(self.bound.executed.iter()),
            b'S' => self.out.extend(READY),
            b'Q' => {
                // The only simple query reads three counters, so respond with three zeros.
                self.out.extend(message(b'D', b"\0\x03\0\0\0\x010\0\0\0\x010\0\0\0\x010"));
                self.out.extend(message(b'C', b"SELECT 1\0"));
                self.out.extend(READY);
            }
            _ => {}
        }
    }
}
