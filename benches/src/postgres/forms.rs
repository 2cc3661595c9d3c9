//! Compares the three forms in which TPROC-C sends statements: transactions per minute and the client's CPU time.

#![expect(clippy::print_stdout, reason = "the results are the output")]

use tacho_core::Result;
use tacho_driver::Form;

use super::{Load, Took, ours, prepare, print_pairs, server};

const ROUNDS: usize = 3;
const TRANSACTIONS: u64 = 4_000;

pub(crate) fn run() -> Result<()> {
    for settings in [&[("synchronous_commit", "off")][..], &[("fsync", "on")]] {
        compare(settings)?;
    }
    Ok(())
}

fn compare(settings: &[(&str, &str)]) -> Result<()> {
    let server = server(settings)?;
    println!("tprocc, profile spec, 10 warehouses, Unix socket, {ROUNDS} alternating rounds");
    let load = Load {
        workload: "tprocc",
        profile: "spec",
        scale: 10,
        form: Form::Sql,
        sessions: 1,
        transactions: TRANSACTIONS,
        set: &[],
    };
    prepare(&server.target(), &load, 2)?;
    for sessions in [1, 8] {
        let mut took: [Vec<Took>; 3] = Default::default();
        let forms = [Form::Sql, Form::Pipelined, Form::Procedures];
        for _ in 0..ROUNDS {
            for (took, form) in took.iter_mut().zip(forms) {
                took.push(ours(&server.target(), &Load { form, sessions, ..load })?);
            }
        }
        let all = |at: usize, value: fn(&Took) -> f64| took[at].iter().map(value).collect();
        let sql: Vec<f64> = all(0, |took| took.tpm);
        for (at, form) in [(1, "pipelined"), (2, "procedures")] {
            let other: Vec<f64> = all(at, |took| took.tpm);
            let what = format!("transactions per minute, {sessions} sessions");
            print_pairs(&what, (form, &other), ("sql", &sql));
        }
        let sql: Vec<f64> = all(0, |took| took.micros);
        for (at, form) in [(1, "pipelined"), (2, "procedures")] {
            let other: Vec<f64> = all(at, |took| took.micros);
            let what = format!("client CPU time per transaction (us), {sessions} sessions");
            print_pairs(&what, (form, &other), ("sql", &sql));
        }
    }
    Ok(())
}
