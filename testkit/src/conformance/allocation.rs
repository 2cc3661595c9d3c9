//! Checks of the memory that a session allocates. The test program must count allocations; see [`crate::allocation`].

#![expect(clippy::missing_panics_doc, reason = "a check panics with what it expected")]

use tacho_core::Result;
use tacho_driver::{Access, Exchange, Form};

use super::{Bench, SQL, statement};
use crate::allocation::{allocations, bytes};

/// Number of sessions that are opened in order to measure the memory per session.
const SESSIONS: i64 = 20;
/// Maximum size of an idle session and its exchange. With 5,000 sessions, one more KiB per session takes 5 MB.
const SESSION_BYTES_MAX: i64 = 6 * 1024;

/// Checks that a warmed-up exchange no longer allocates memory.
pub fn warm_exchange(bench: &Bench<'_>, form: Form) -> Result<()> {
    bench.reset()?;
    let mut exchange = bench.exchange(form)?;
    for id in 0..10 {
        transaction(bench, &mut exchange, id)?;
    }
    let before = allocations();
    assert!(before > 0, "the allocator counts");
    for id in 0..500 {
        transaction(bench, &mut exchange, id)?;
    }
    assert_eq!(allocations() - before, 0, "{} {form:?}", bench.place);
    Ok(())
}

/// Checks that an idle session uses little memory.
pub fn idle_session(bench: &Bench<'_>, form: Form) -> Result<()> {
    bench.reset()?;
    let catalog = bench.catalog(SQL)?;
    let open = || -> Result<Exchange> {
        let mut exchange = bench.wait(Exchange::new(bench.session()?, catalog.clone(), form))?;
        transaction(bench, &mut exchange, 1)?;
        Ok(exchange)
    };
    let _first = open()?;
    let before = bytes();
    let sessions: Result<Vec<_>> = (0..SESSIONS).map(|_| open()).collect();
    let each = (bytes() - before) / SESSIONS;
    assert!(each < SESSION_BYTES_MAX, "{each} bytes with what its exchange holds");
    assert_eq!(sessions?.len() as i64, SESSIONS);
    Ok(())
}

fn transaction(bench: &Bench<'_>, exchange: &mut Exchange, id: i64) -> Result<()> {
    exchange.begin(Access::Write);
    exchange.execute(statement::INSERT).int(id).null().decimal(-5).text(b"some text").time(9);
    exchange.execute(statement::READ).int(id);
    bench.wait(exchange.send())?;
    exchange.execute(statement::CHANGE).int(id).int(id);
    exchange.rollback();
    let reply = bench.wait(exchange.send())?;
    assert_eq!(reply.affected(0), 1);
    Ok(())
}
