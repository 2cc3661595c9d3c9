//! The statement `INSERT BULK`, and the message after it, which contains the rows (MS-TDS 2.2.6.1).
//!
//! Start reading at [`rows`].

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::reader::Reader;
use super::run::Stop;
use super::state::Session;
use super::store;
use super::tokens::{DONE, Reply, Trouble};
use super::types::Info;

/// Decodes column names and rows.
fn decode(body: &[u8]) -> Option<(Vec<String>, Vec<Vec<Value>>)> {
    let mut from = Reader(body);
    if from.u8()? != 0x81 {
        return None;
    }
    let count = from.u16()?;
    let (mut names, mut infos, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..count {
        from.take(6)?;
        infos.push(Info::read(&mut from)?);
        names.push(from.name()?);
    }
    loop {
        let nulls = match from.u8()? {
            0xd1 => vec![0; infos.len().div_ceil(8)],
            0xd2 => from.take(infos.len().div_ceil(8))?.to_vec(),
            0xfd => return Some((names, rows)),
            _ => return None,
        };
        let value = |(at, info): (usize, &Info)| {
            let null = nulls[at / 8] >> (at % 8) & 1 == 1;
            if null { Some(Value::Null) } else { info.value(&mut from) }
        };
        rows.push(infos.iter().enumerate().map(value).collect::<Option<Vec<_>>>()?);
    }
}

/// Inserts all rows of a bulk load, or none of them.
pub fn rows(session: &mut Session, body: &[u8], reply: &mut Reply) -> Result<(), Stop> {
    let Some(table) = session.bulk.take() else {
        session.report(reply, &Trouble::new(4002, 16, "No INSERT BULK came before the rows."));
        return Ok(());
    };
    let Some((names, rows)) = decode(body) else {
        let text = "The bulk load stream is incorrect: invalid column type from bcp client.";
        session.report(reply, &Trouble::new(4816, 16, text));
        return Ok(());
    };
    let outcome = insert(session, &table, &names, &rows);
    if outcome.is_err() && session.cancelled() {
        return Err(Stop::Cancelled);
    }
    if let Err(trouble) = outcome {
        if session.settings.xact_abort {
            session.rollback(reply);
        }
        session.report(reply, &trouble);
        return Ok(());
    }
    reply.done(DONE, 0xf0, Some(rows.len() as u64), false, session.depth > 0);
    Ok(())
}

fn insert(
    session: &Session,
    table: &str,
    names: &[String],
    rows: &[Vec<Value>],
) -> Result<(), Trouble> {
    if let Some(number) = session.shared.ordered(&format!("insert bulk {table}")) {
        return Err(store::ordered(number));
    }
    session.lock()?;
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let marks = vec!["?"; names.len()].join(", ");
    let sql = format!("INSERT INTO \"{table}\" ({}) VALUES ({marks})", quoted.join(", "));
    let all = || {
        session.db.execute_batch("SAVEPOINT bulk")?;
        let mut statement = session.db.prepare(&sql)?;
        rows.iter().try_for_each(|row| statement.execute(params_from_iter(row)).map(|_| ()))
    };
    let outcome = all().map_err(|error| store::trouble(&error));
    let _ = session.db.execute_batch(if outcome.is_ok() {
        "RELEASE bulk"
    } else {
        "ROLLBACK TO bulk; RELEASE bulk"
    });
    if session.depth == 0 {
        session.end(outcome.is_ok())?;
    }
    outcome
}
