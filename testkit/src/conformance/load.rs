//! Checks of the bulk-load path.

use tacho_core::{ErrorKind, Result};
use tacho_driver::{Access, Form, RowSource, Values};

use super::Bench;
use super::bench::tables;
use super::statement::{DAY, DAYS_BETWEEN, READ, TOTALS};

const BATCHES: usize = 3;
const BATCH_ROWS: usize = 100;
const ROWS: u64 = (BATCHES * BATCH_ROWS) as u64;

/// Rows for the suite's first table.
struct Rows {
    batches: usize,
    next: i64,
}

fn rows() -> Rows {
    Rows { batches: BATCHES, next: 0 }
}

impl RowSource for Rows {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        if self.batches == 0 {
            return 0;
        }
        self.batches -= 1;
        for _ in 0..BATCH_ROWS {
            rows.int(self.next);
            if self.next % 7 == 0 {
                rows.null();
            } else {
                rows.int(-self.next);
            }
            rows.decimal(10);
            rows.text("O'Brien, naïve\n数".as_bytes());
            rows.time(1_700_000_000_123_456);
            self.next += 1;
        }
        BATCH_ROWS
    }
}

pub fn loading_counts_the_rows(bench: &Bench<'_>) -> Result<()> {
    let mut session = bench.session()?;
    let [table, ..] = tables();
    assert_eq!(bench.wait(session.load(&table, &mut rows()))?, ROWS);
    assert_eq!(bench.wait(session.load(&table, &mut Rows { batches: 0, next: 0 }))?, 0);
    bench.wait(session.close())
}

pub fn loaded_rows_are_there(bench: &Bench<'_>) -> Result<()> {
    let mut session = bench.session()?;
    let [table, ..] = tables();
    bench.wait(session.load(&table, &mut rows()))?;
    assert_eq!(bench.totals()?, [format!("{ROWS} {}e", ROWS * 10)]);
    let mut exchange = bench.exchange(Form::Sql)?;
    for id in [7, 8] {
        exchange.execute(READ).int(id);
    }
    let text = "10e 'O'Brien, naïve\n数' 1700000000123456us";
    let got = bench.send(&mut exchange)?;
    assert_eq!(
        (&got[0].0, &got[1].0),
        (&vec![format!("NULL {text}")], &vec![format!("-8 {text}")])
    );
    let error = bench.wait(session.load(&table, &mut rows())).expect_err("rows twice");
    assert_eq!(error.kind(), ErrorKind::UniqueViolation);
    Ok(())
}

pub fn a_load_is_part_of_the_transaction(bench: &Bench<'_>) -> Result<()> {
    let [table, ..] = tables();
    let mut exchange = bench.exchange(Form::Sql)?;
    for keep in [false, true] {
        exchange.begin(Access::Write);
        bench.send(&mut exchange)?;
        assert_eq!(bench.wait(exchange.session().load(&table, &mut rows()))?, ROWS);
        exchange.execute(TOTALS);
        if keep {
            exchange.commit();
        } else {
            exchange.rollback();
        }
        let got = bench.send(&mut exchange)?;
        assert_eq!(got[0].0, [format!("{ROWS} {}e", ROWS * 10)], "seen by itself");
        let left = if keep { format!("{ROWS} {}e", ROWS * 10) } else { "0 NULL".into() };
        assert_eq!(bench.totals()?, [left]);
    }
    Ok(())
}

/// Dates close to the limits of common calendars, in days since 1970.
const DAYS: [i64; 5] = [-141_427, -1, 0, 8_035, 47_541];
const DAY_US: i64 = 86_400_000_000;

/// One row per day.
struct Days(bool);

impl RowSource for Days {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        if std::mem::take(&mut self.0) {
            for (id, day) in (0..).zip(DAYS) {
                rows.int(id);
                rows.time(day * DAY_US);
            }
            return DAYS.len();
        }
        0
    }
}

pub fn days_are_loaded_and_compared(bench: &Bench<'_>) -> Result<()> {
    let mut exchange = bench.exchange(Form::Sql)?;
    let [.., table] = tables();
    let loaded = bench.wait(exchange.session().load(&table, &mut Days(true)))?;
    assert_eq!(loaded, DAYS.len() as u64);
    let shown = |days: &[i64]| -> Vec<String> {
        days.iter().map(|day| format!("{}us", day * DAY_US)).collect()
    };
    exchange.execute(DAY).int(9).time(DAYS[3] * DAY_US);
    exchange.execute(DAYS_BETWEEN).time(DAYS[1] * DAY_US).time(DAYS[4] * DAY_US);
    exchange.execute(DAYS_BETWEEN).time(DAYS[0] * DAY_US).time(DAYS[1] * DAY_US);
    let got = bench.send(&mut exchange)?;
    assert_eq!(got[0].1, 1);
    assert_eq!(got[1].0, shown(&[DAYS[1], DAYS[2], DAYS[3], DAYS[3]]));
    assert_eq!(got[2].0, shown(&DAYS[..1]));
    Ok(())
}
