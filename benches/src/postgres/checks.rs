//! Measures how long consistency checks take after a load, both as single queries and as `tacho check`.

#![expect(clippy::print_stdout, reason = "the results are the output")]

use std::sync::Arc;

use tacho_core::Result;
use tacho_driver::{Exchange, Form};
use tacho_testkit::conformance::Bench;
use tacho_workload::questions;
use tokio::runtime::Builder;

use super::{Load, job, prepare, server, setup};
use crate::measure::measure;

const SCALE: u64 = 100;

pub(crate) fn run() -> Result<()> {
    let server = server(&[])?;
    println!(
        "{SCALE} warehouses; wall time of each query in seconds, each run twice by one session"
    );
    let load = Load {
        workload: "tprocc",
        profile: "spec",
        scale: SCALE,
        form: Form::Sql,
        sessions: 1,
        transactions: 0,
        set: &[],
    };
    prepare(&server.target(), &load, 2)?;
    let (setup, target) = (setup(&server.target(), &load)?, server.target());
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let _inside = runtime.enter();
    let bench = Bench::new(&*setup.driver, &target);
    let catalog = setup.instance.catalog(setup.driver.dialect())?;
    let mut session = bench.session()?;
    bench.wait(session.script(setup.driver.dialect().for_large_queries()))?;
    let mut exchange = bench.wait(Exchange::new(session, Arc::clone(&catalog), Form::Sql))?;
    let checks = setup.instance.checks();
    for question in questions(&checks, 1) {
        let ids: Vec<&str> = question.conditions().map(|at| checks[at].id).collect();
        let mut line = format!("{:15}", ids.join(" "));
        for _ in 0..2 {
            let (answers, cost) = measure(|| bench.wait(question.ask(&mut exchange, &catalog)));
            line = format!("{line} {:5.2}", cost.wall.as_secs_f64());
            let _ = answers?;
        }
        println!("{line}");
    }
    let folder = tempfile::tempdir()?;
    let (job, context) = job(&target, &load, 2, folder.path())?;
    let mut line = format!("{:15}", "tacho check");
    for _ in 0..2 {
        let (report, cost) =
            measure(|| tacho_app::check(tacho_app::Request::new(&job, &context), &mut ()));
        line = format!("{line} {:5.2}", cost.wall.as_secs_f64());
        let _ = report?;
    }
    println!("{line}");
    Ok(())
}
