//! Checks of statements that are sent as text. They contain literals and are not prepared.

use std::future::poll_fn;

use tacho_core::{ErrorKind, Result, Rng, Seed};
use tacho_driver::{Batch, Exchange, Form, Reply, Session, StatementId, Step, Values};

use super::Bench;
use super::statement::{INSERT, READ};

/// Number of random rows to compare.
const DRAWN: u64 = 300;
/// Strings that might end a literal, or be taken for a parameter, a comment or an escape sequence.
const AWKWARD: [&str; 20] = [
    "'", "''", "\\", "\\'", "\"", "`", "$1", "$$", ":n", "?", "?1", "--", "/*", "%s", ";", "\n",
    "\t", "\u{1a}", "\u{85}", "数",
];

/// One row of values.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    n: Option<i64>,
    d: Option<i64>,
    s: Option<Vec<u8>>,
    t: Option<i64>,
}

/// Sends the same values as literals and as parameters. The rows must be the same, and the same values must be
/// rejected.
pub fn they_give_what_parameters_give(bench: &Bench<'_>) -> Result<()> {
    if !bench.driver.capabilities().simple {
        return Ok(());
    }
    let mut forms = [bench.exchange(Form::Sql)?, bench.exchange(Form::Simple)?];
    let mut taken = 0;
    let drawn = (0..DRAWN).map(|number| draw(&mut Seed(5).rng(number)));
    for (number, row) in edges().into_iter().chain(drawn).enumerate() {
        let ids = [2 * number as i64, 2 * number as i64 + 1];
        let [first, second] = &mut forms;
        let written = [insert(bench, first, ids[0], &row), insert(bench, second, ids[1], &row)];
        assert_eq!(written[0].is_ok(), written[1].is_ok(), "{row:?}: {written:?}");
        taken += u64::from(written[0].is_ok());
        let mut found = Vec::new();
        for exchange in &mut forms {
            for id in ids {
                found.push(read(bench, exchange, id)?);
            }
        }
        assert!(found.iter().all(|other| *other == found[0]), "{row:?}: {found:?}");
        assert_eq!(found[0].is_some(), written[0].is_ok(), "{row:?}");
    }
    assert!(taken > DRAWN, "{taken} rows were taken");
    Ok(())
}

/// Returns values at the limits of their ranges, and strings that not every database can store.
fn edges() -> Vec<Row> {
    let row = |n, d, s: &[u8], t| Row { n: Some(n), d: Some(d), s: Some(s.to_vec()), t: Some(t) };
    vec![
        Row { n: None, d: None, s: None, t: None },
        row(0, 0, b"", 0),
        row(i64::MAX, 999_999_999_999, b" both ends ", 253_402_300_799_999_999),
        row(i64::MIN, -999_999_999_999, b"NULL", -30_610_224_000_000_000),
        row(-1, -1, b"-1", -1),
        row(1, 1, b"a zero\0byte", 1),
        row(2, 2, b"not\xff UTF-8", 2),
        row(3, 3, b"not\xff UTF-8 and a \\", 3),
        // This number has more digits than its column allows.
        row(4, i64::MAX, b"", 4),
    ]
}

fn draw(rng: &mut Rng) -> Row {
    let mut text = String::new();
    for _ in 0..rng.between(0, 12) {
        let at = rng.between(0, 2 * AWKWARD.len() as i64) as usize;
        text.push_str(AWKWARD.get(at).unwrap_or(&"x"));
    }
    let mut some = |low, high| (rng.between(0, 9) > 0).then(|| rng.between(low, high));
    Row {
        n: some(i64::MIN / 4, i64::MAX / 4),
        d: some(-999_999_999_999, 999_999_999_999),
        s: Some(text.into_bytes()),
        t: some(-2_000_000_000_000_000, 4_000_000_000_000_000),
    }
}

fn insert(bench: &Bench<'_>, exchange: &mut Exchange, id: i64, row: &Row) -> Result<()> {
    let mut bind = exchange.execute(INSERT).int(id);
    bind = if let Some(n) = row.n { bind.int(n) } else { bind.null() };
    bind = if let Some(d) = row.d { bind.decimal(d) } else { bind.null() };
    bind = if let Some(s) = &row.s { bind.text(s) } else { bind.null() };
    let _ = if let Some(t) = row.t { bind.time(t) } else { bind.null() };
    let outcome = bench.send(exchange).map(|_| ());
    bench.wait(exchange.reset())?;
    outcome
}

/// Returns the values of a row. Strings are compared byte by byte.
fn read(bench: &Bench<'_>, exchange: &mut Exchange, id: i64) -> Result<Option<String>> {
    exchange.execute(READ).int(id);
    let reply = bench.wait(exchange.send())?;
    let values = |row: tacho_driver::Row<'_>| {
        let all = (0..row.columns()).map(|column| format!("{:?}", row.get(column)));
        all.collect::<Vec<_>>().join(" ")
    };
    Ok(reply.get(0, 0).map(values))
}

/// Checks that a statement with a mistake fails only when it is executed, because it is not prepared.
pub fn nothing_is_prepared(bench: &Bench<'_>) -> Result<()> {
    if !bench.driver.capabilities().simple {
        return Ok(());
    }
    let catalog = bench.catalog("-- name: gone() -> (n int)\nSELECT n FROM conformance_absent")?;
    let mut exchange = bench.wait(Exchange::new(bench.session()?, catalog, Form::Simple))?;
    exchange.execute(StatementId(0));
    let error = bench.send(&mut exchange).expect_err("no such table");
    assert_eq!(error.kind(), ErrorKind::Missing);
    assert!(error.to_string().contains("gone"), "it names the statement: {error}");
    Ok(())
}

/// Checks that a session accepts several steps at once that are sent as text, and that it stops at the first error.
pub fn several_stop_at_an_error(bench: &Bench<'_>) -> Result<()> {
    if !bench.driver.capabilities().simple {
        return Ok(());
    }
    let mut session = bench.session()?;
    bench.wait(session.simple(bench.catalog(super::SQL)?))?;
    let batch = |ids: [i64; 3]| {
        let mut batch = Batch::default();
        for id in ids {
            batch.execute(INSERT);
            batch.bound(|values| values.int(id));
            batch.bound(|values| values.int(id));
            batch.bound(|values| values.decimal(100));
            batch.bound(Values::null);
            batch.bound(Values::null);
        }
        batch.push(Step::Rollback);
        batch
    };
    let mut reply = Reply::default();
    send(bench, &mut *session, &batch([1, 2, 3]), &mut reply)?;
    assert_eq!((reply.len(), reply.affected(2)), (3, 1));
    reply.clear();
    let error = send(bench, &mut *session, &batch([4, 1, 5]), &mut reply);
    assert_eq!(error.expect_err("a key twice").kind(), ErrorKind::UniqueViolation);
    assert_eq!(bench.totals()?, ["4 400e"]);
    bench.wait(session.close())
}

fn send(
    bench: &Bench<'_>,
    session: &mut dyn Session,
    batch: &Batch,
    reply: &mut Reply,
) -> Result<()> {
    let steps = batch.steps(0..batch.len());
    bench.wait(poll_fn(|context| session.poll_exchange(steps, reply, context)))
}
