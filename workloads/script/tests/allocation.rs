//! Checks that a warmed-up client allocates no memory when it draws inputs and runs transactions.
//!
//! Tests a bank workload, and the example with loops and strings.

#![expect(clippy::disallowed_methods, reason = "folders of tests")]

use std::path::Path;

use tacho_driver::Form;
use tacho_driver::lexer::Syntax;
use tacho_testkit::allocation::Counting;
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn warm_clients_allocate_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in tacho_workload_script::template("shop").expect("files") {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    let bank = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tpcb");
    let driver = tacho_driver_noop::driver();
    let bench = Bench::new(&*driver, "noop");
    let script = folder.path().join("values.sql");
    let text = "\\set a random(1, 9) / 4.0\n\\set b :a > 1\nBEGIN;\n\\if :b\nUPDATE t SET x = :a;\n\\endif\nINSERT INTO t \
                VALUES (:a, :b, :client_id);\nEND;";
    std::fs::write(&script, text).expect("a file");
    let scripts = format!("pgbench:tpcb-like@1,pgbench:{}@2", script.display());
    let read = |path: &Path| {
        tacho_workload_script::read(path, &[("sqlite", Syntax::PLAIN)]).expect("a workload")
    };
    let scripts = tacho_workload_script::pgbench(&scripts).expect("scripts");
    for workload in [read(&bank), read(folder.path()), scripts] {
        for form in [Form::Sql, Form::Pipelined] {
            let instance = contract::instance(&*workload, &contract::choices(10, "default"));
            let made = contract::warm_allocations(
                &bench,
                &*instance,
                driver.dialect(),
                form,
                [200, 5_000],
            );
            assert_eq!(made, 0, "{} {form:?}", workload.word());
        }
    }
}
