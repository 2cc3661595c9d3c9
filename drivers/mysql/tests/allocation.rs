//! A warm exchange allocates nothing, whatever its form, and an idle session is small.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use tacho_core::Result;
use tacho_driver::{Access, Exchange, Form};
use tacho_testkit::conformance::{Bench, SQL, statement};

use common::{driver, enter, places};

/// Counts the allocations of each thread, so that those of others do not count.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<i64> = const { Cell::new(0) };
}

fn count(allocations: u64, bytes: i64) {
    // A thread that is ending has no counter any more, and none of interest.
    let _ = ALLOCATIONS.try_with(|counter| counter.set(counter.get() + allocations));
    let _ = BYTES.try_with(|counter| counter.set(counter.get() + bytes));
}

#[expect(unsafe_code, reason = "only a global allocator sees every allocation")]
// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as i64);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, -(layout.size() as i64));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(1, size as i64 - layout.size() as i64);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

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

#[test]
fn warm_exchanges_allocate_nothing() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let targets: Vec<String> = places().iter().map(|place| place.database("allocation")).collect();
    for (target, form) in targets.iter().zip([Form::Sql, Form::Pipelined].into_iter().cycle()) {
        let bench = Bench::new(&*driver, target);
        bench.reset()?;
        let mut exchange = bench.exchange(form)?;
        for id in 0..10 {
            transaction(&bench, &mut exchange, id)?;
        }
        let before = ALLOCATIONS.get();
        for id in 0..500 {
            transaction(&bench, &mut exchange, id)?;
        }
        assert_eq!(ALLOCATIONS.get() - before, 0, "{form:?}");
    }
    assert!(ALLOCATIONS.get() > 0, "the allocator counts");
    Ok(())
}

/// With 5,000 sessions, each KiB is 5 MB.
#[test]
fn an_idle_session_is_small() -> Result<()> {
    const SESSIONS: i64 = 20;
    let _inside = enter();
    let driver = driver();
    let place = places().pop().expect("a server");
    let bench = Bench::new(&*driver, &place.database("small"));
    bench.reset()?;
    let catalog = bench.catalog(SQL)?;
    let open = || -> Result<Exchange> {
        let mut exchange =
            bench.wait(Exchange::new(bench.session()?, catalog.clone(), Form::Sql))?;
        transaction(&bench, &mut exchange, 1)?;
        Ok(exchange)
    };
    let _first = open()?;
    let before = BYTES.get();
    let sessions: Result<Vec<_>> = (0..SESSIONS).map(|_| open()).collect();
    let each = (BYTES.get() - before) / SESSIONS;
    assert!(each < 6 * 1024, "{each} bytes with what its exchange holds");
    assert_eq!(sessions?.len() as i64, SESSIONS);
    Ok(())
}
