//! How long the consistency conditions take after a load.

#![expect(clippy::print_stdout, reason = "the results are the output")]

use std::sync::Arc;

use tacho_core::Result;
use tacho_driver::{Exchange, Form};
use tacho_testkit::conformance::Bench;
use tacho_workload::run_check;
use tokio::runtime::Builder;

use super::{Load, prepare, server, setup};
use crate::measure::measure;

const SCALE: u64 = 10;

pub(crate) fn run() -> Result<()> {
    let server = server(&[])?;
    println!("{SCALE} warehouses; wall seconds of each condition, twice");
    let load = Load {
        workload: "tprocc",
        profile: "spec",
        scale: SCALE,
        form: Form::Sql,
        sessions: 1,
        transactions: 0,
    };
    prepare(&server.target(), &load, 2)?;
    let (setup, target) = (setup(&server.target(), &load)?, server.target());
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let _inside = runtime.enter();
    let bench = Bench::new(&*setup.driver, &target);
    let catalog = setup.instance.catalog(setup.driver.dialect())?;
    let session = bench.session()?;
    let mut exchange = bench.wait(Exchange::new(session, Arc::clone(&catalog), Form::Sql))?;
    let mut sums = [0.0; 2];
    for check in setup.instance.checks() {
        let mut line = format!("{:4}", check.id);
        for sum in &mut sums {
            let (finding, cost) = measure(|| bench.wait(run_check(&mut exchange, &check, &[])));
            let seconds = cost.wall.as_secs_f64();
            *sum += seconds;
            line = format!("{line} {seconds:5.2}");
            let _ = finding?;
        }
        println!("{line}");
    }
    println!("all  {:5.2} {:5.2}", sums[0], sums[1]);
    Ok(())
}
