//! Checks that a warmed-up exchange never allocates, whether statements are prepared or sent as text.

use tacho_core::Result;
use tacho_driver::{Access, Exchange, Form};
use tacho_testkit::allocation::{Counting, allocations};
use tacho_testkit::conformance::{Bench, statement};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn transaction(exchange: &mut Exchange) -> Result<()> {
    exchange.begin(Access::Write);
    exchange.execute(statement::READ).int(1);
    exchange.execute(statement::INSERT).int(1).null().decimal(5).text(b"some text").time(9);
    pollster::block_on(exchange.send())?;
    exchange.execute(statement::TOTALS);
    exchange.commit();
    let reply = pollster::block_on(exchange.send())?;
    assert_eq!(reply.one(0)?.number(0)?, 1);
    Ok(())
}

#[test]
fn warm_exchanges_allocate_nothing() -> Result<()> {
    let driver = tacho_driver_noop::driver();
    let bench = Bench::new(&*driver, "noop");
    for form in [Form::Sql, Form::Pipelined] {
        let mut exchange = bench.exchange(form)?;
        for _ in 0..10 {
            transaction(&mut exchange)?;
        }
        let before = allocations();
        for _ in 0..10_000 {
            transaction(&mut exchange)?;
        }
        assert_eq!(allocations() - before, 0, "{form:?}");
    }
    assert!(allocations() > 0, "the allocator counts");
    Ok(())
}
