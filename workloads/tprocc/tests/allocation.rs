//! Checks that a warmed-up client allocates no memory when it draws inputs and runs transactions.

use tacho_driver::Form;
use tacho_testkit::allocation::Counting;
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract;
use tacho_workload::Choices;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn warm_clients_allocate_nothing() {
    let driver = tacho_driver_noop::driver();
    // This driver stores no data, so it accepts the statements of any dialect.
    let calls = tacho_driver_postgres::driver();
    let bench = Bench::new(&*driver, "noop");
    for profile in ["spec", "hammerdb"] {
        for form in [Form::Sql, Form::Pipelined, Form::Procedures] {
            let choices = Choices { form, ..contract::choices(10, profile) };
            let instance = contract::instance(&*tacho_workload_tprocc::workload(), &choices);
            let made = contract::warm_allocations(
                &bench,
                &*instance,
                calls.dialect(),
                form,
                [2_000, 20_000],
            );
            assert_eq!(made, 0, "{profile} {form:?}");
        }
    }
}
