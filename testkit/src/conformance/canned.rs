//! Checks for drivers that return made-up results. Drivers that return real results also pass these checks.

use tacho_core::Result;
use tacho_driver::{Access, Exchange, StatementId};

use super::Bench;
use super::statement::{CHANGE, INSERT, READ, TOTALS};

pub fn answers_have_the_declared_shape(bench: &Bench<'_>) -> Result<()> {
    for form in bench.forms() {
        let mut exchange = bench.exchange(form)?;
        exchange.begin(Access::Write);
        exchange.execute(INSERT).int(1).null().decimal(-5).text(b"it's").time(0);
        exchange.execute(READ).int(1);
        exchange.execute(CHANGE).int(1).int(2);
        exchange.execute(TOTALS);
        exchange.commit();
        // A statement that writes may return the rows that it has written, so a returned row counts as written.
        let row = |text: &str| (vec![text.to_owned()], 1);
        let written = (vec![], 1);
        let expected = [written.clone(), row("1 1e 'noop' 0us"), written, row("1 1e")];
        assert_eq!(bench.send(&mut exchange)?, expected);
    }
    Ok(())
}

pub fn no_tables_are_listed(bench: &Bench<'_>) -> Result<()> {
    assert!(bench.wait(bench.session()?.inspector().tables())?.is_empty());
    Ok(())
}

pub fn a_catalog_replaces_another(bench: &Bench<'_>) -> Result<()> {
    let first = "-- name: a() -> (n int)\nSELECT count(*) FROM conformance";
    let second = "-- name: b() -> (n int, m int)\nSELECT count(*), count(*) FROM conformance";
    let mut session = bench.session()?;
    // Test every pair of consecutive forms.
    let forms = bench.forms();
    let pairs = forms.iter().flat_map(|one| forms.iter().flat_map(move |other| [*one, *other]));
    for (form, (sql, width)) in pairs.zip([(first, 1), (second, 2)].into_iter().cycle()) {
        let mut exchange = bench.wait(Exchange::new(session, bench.catalog(sql)?, form))?;
        exchange.execute(StatementId(0));
        let rows = bench.send(&mut exchange)?.remove(0).0;
        assert_eq!(rows[0].split(' ').count(), width, "{form:?}: {rows:?}");
        session = exchange.into_session();
    }
    bench.wait(session.close())
}
