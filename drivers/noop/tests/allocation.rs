//! A warm exchange allocates nothing, whatever its form.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use tacho_core::Result;
use tacho_driver::{Access, Exchange, Form};
use tacho_testkit::conformance::{Bench, statement};

/// Counts the allocations of each thread, so that the test harness's own do not count.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // A thread that is ending has no counter any more, and none of interest.
    let _ = ALLOCATIONS.try_with(|counter| counter.set(counter.get() + 1));
}

#[expect(unsafe_code, reason = "only a global allocator sees every allocation")]
// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

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
        let before = ALLOCATIONS.get();
        for _ in 0..10_000 {
            transaction(&mut exchange)?;
        }
        assert_eq!(ALLOCATIONS.get() - before, 0, "{form:?}");
    }
    assert!(ALLOCATIONS.get() > 0, "the allocator counts");
    Ok(())
}
