//! A warm client allocates nothing: neither drawing nor running.

use tacho_driver::{Exchange, Form};
use tacho_testkit::allocation::{Counting, allocations};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn warm_clients_allocate_nothing() {
    let driver = tacho_driver_noop::driver();
    let bench = Bench::new(&*driver, "noop");
    for profile in
        ["read-write", "point-select", "insert", "bulk-insert", "random-points", "random-ranges"]
    {
        for form in [Form::Sql, Form::Pipelined] {
            let choices = contract::choices(4, profile);
            let instance = contract::instance(&*tacho_workload_oltp::workload(), &choices);
            let catalog = instance.catalog(driver.dialect()).expect("a catalog");
            let session = bench.session().expect("a session");
            let mut exchange =
                bench.wait(Exchange::new(session, catalog, form)).expect("an exchange");
            let mut clients = vec![instance.client(0)];
            contract::drive(&bench, &mut exchange, &mut clients, 100);
            let before = allocations();
            for _ in 0..2_000 {
                clients[0].next();
                bench.wait(clients[0].run(&mut exchange)).expect("an event");
            }
            assert_eq!(allocations() - before, 0, "{profile} {form:?}");
        }
    }
    assert!(allocations() > 0, "the allocator counts");
}
