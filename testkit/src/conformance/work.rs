//! Checks of the statistics that a database reports about its work.

use tacho_core::{QueryStats, Result};
use tacho_driver::{Exchange, Form};

use super::Bench;
use super::statement::{INSERT, TOTALS};

/// Returns the counts from one reading, in the order of the fields of [`QueryStats`].
fn counts(work: QueryStats) -> [Option<u64>; 6] {
    let QueryStats { temp_bytes, temp_files, temp_tables, read_bytes, cached_bytes, read_rows } =
        work;
    [temp_bytes, temp_files, temp_tables, read_bytes, cached_bytes, read_rows]
}

fn reading(bench: &Bench<'_>, exchange: &mut Exchange, alone: bool) -> Result<Option<QueryStats>> {
    let work = bench.wait(exchange.inspector().query_stats(alone))?;
    let told = |work: QueryStats| counts(work).iter().any(Option::is_some);
    assert!(work.is_none_or(told), "who tells no count tells nothing");
    Ok(work)
}

pub fn it_grows_with_what_is_read(bench: &Bench<'_>) -> Result<()> {
    let mut exchange = bench.exchange(Form::Sql)?;
    for id in 0..100 {
        exchange.execute(INSERT).int(id).int(id).decimal(10).null().null();
    }
    bench.send(&mut exchange)?;
    for alone in [false, true] {
        exchange.execute(TOTALS);
        bench.send(&mut exchange)?;
        let readings = [0, 1].map(|_| reading(bench, &mut exchange, alone));
        exchange.execute(TOTALS);
        bench.send(&mut exchange)?;
        let after = reading(bench, &mut exchange, alone)?;
        let [first, second] = readings;
        let (Some(first), Some(second), Some(after)) = (first?, second?, after) else {
            assert_eq!(after, None, "what was not told before is told after");
            continue;
        };
        let names = |work| counts(work).map(|count| count.is_some());
        assert_eq!([first, second].map(names), [names(after); 2], "the same counts each time");
        if !alone {
            // Compare only counts for a single session. Counts for all sessions also include the server's internal
            // work.
            assert_eq!(first, second, "nothing was done between two readings");
        }
        for work in [second.since(first), after.since(second)] {
            assert_eq!(names(work), names(after), "no count falls: {first:?} {second:?} {after:?}");
        }
        let QueryStats { read_bytes, cached_bytes, read_rows, .. } = after.since(second);
        let grown = [read_bytes, cached_bytes, read_rows].into_iter().flatten().sum::<u64>();
        assert!(grown > 0, "the table was read: {second:?} {after:?}");
    }
    Ok(())
}

pub fn nothing_is_told(bench: &Bench<'_>) -> Result<()> {
    let mut exchange = bench.exchange(Form::Sql)?;
    for alone in [false, true] {
        assert_eq!(reading(bench, &mut exchange, alone)?, None, "without data there is no work");
    }
    Ok(())
}
