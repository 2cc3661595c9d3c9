//! A warm client allocates nothing: neither drawing nor running.

use tacho_driver::{Exchange, Form};
use tacho_testkit::allocation::{Counting, allocations};
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract;
use tacho_workload::Choices;

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
            let before = allocations();
            for _ in 0..20_000 {
                clients[0].next();
                bench.wait(clients[0].run(&mut exchange)).expect("a transaction");
            }
            assert_eq!(allocations() - before, 0, "{profile} {form:?}");
        }
    }
    assert!(allocations() > 0, "the allocator counts");
}
