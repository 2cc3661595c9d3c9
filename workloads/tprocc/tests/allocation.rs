//! A warm client allocates nothing: neither drawing nor running.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use tacho_driver::{Exchange, Form};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract;
use tacho_workload::Choices;

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

#[test]
fn warm_clients_allocate_nothing() {
    let driver = tacho_driver_noop::driver();
    // A database without data does not mind how the statements are written.
    let calls = tacho_driver_postgres::driver();
    let bench = Bench::new(&*driver, "noop");
    for profile in ["spec", "hammerdb"] {
        for form in [Form::Sql, Form::Pipelined, Form::Procedures] {
            let choices = Choices { form, ..contract::choices(10, profile) };
            let instance = contract::instance(&*tacho_workload_tprocc::workload(), &choices);
            let catalog = instance.catalog(calls.dialect()).expect("a catalog");
            let session = bench.session().expect("a session");
            let mut exchange =
                bench.wait(Exchange::new(session, catalog, form)).expect("an exchange");
            let mut clients = vec![instance.client(0)];
            contract::drive(&bench, &mut exchange, &mut clients, 2_000);
            let before = ALLOCATIONS.get();
            for _ in 0..20_000 {
                clients[0].next();
                bench.wait(clients[0].run(&mut exchange)).expect("a transaction");
            }
            assert_eq!(ALLOCATIONS.get() - before, 0, "{profile} {form:?}");
        }
    }
    assert!(ALLOCATIONS.get() > 0, "the allocator counts");
}
