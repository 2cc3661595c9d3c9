//! Checks that a warmed-up client allocates no memory when it draws inputs and runs transactions.

use tacho_driver::Form;
use tacho_testkit::allocation::Counting;
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn warm_clients_allocate_nothing() {
    let driver = tacho_driver_noop::driver();
    let bench = Bench::new(&*driver, "noop");
    for profile in ["append", "read-write"] {
        for form in [Form::Sql, Form::Pipelined] {
            let choices = contract::choices(1, profile);
            let instance = contract::instance(&*tacho_workload_append::workload(), &choices);
            let made = contract::warm_allocations(
                &bench,
                &*instance,
                driver.dialect(),
                form,
                [100, 5_000],
            );
            assert_eq!(made, 0, "{profile} {form:?}");
        }
    }
}
