//! Measures TPROC-C on MariaDB and MySQL with each statement form. Prints the transactions per minute, and
//! compares the client's CPU time with its goal.

#![expect(clippy::print_stdout, reason = "the results are the output")]

use tacho_core::Result;
use tacho_driver::Form;

use super::{products, server};
use crate::load::{Load, Took, ours, prepare};
use crate::measure::{median, rounds};

const ROUNDS: usize = 3;
/// One row of the benchmark: name, statement form, workload parameters, transactions per round, and the client's
/// maximum CPU time per transaction in microseconds.
///
/// The maximum for SQL statements is 0.4 times the CPU time that sysbench-tpcc uses. The maximum for procedures is a
/// third of the CPU time that HammerDB uses.
type Row = (&'static str, Form, &'static [(&'static str, &'static str)], u64, f64);

const FORMS: [Row; 3] = [
    ("sql, orders", Form::Sql, &[("statements", "orders")], 4_000, 228.0),
    ("sql, lines", Form::Sql, &[("statements", "lines")], 4_000, 228.0),
    ("procedures", Form::Procedures, &[], 12_000, 25.0),
];

pub(crate) fn run() -> Result<()> {
    for product in products() {
        for profile in ["spec", "hammerdb"] {
            compare(product, profile)?;
        }
    }
    Ok(())
}

fn compare(product: &str, profile: &'static str) -> Result<()> {
    let server = server(product)?;
    println!("tprocc, profile {profile}, 10 warehouses, Unix socket, {ROUNDS} alternating rounds");
    let load = Load {
        workload: "tprocc",
        profile,
        scale: 10,
        form: Form::Sql,
        sessions: 1,
        transactions: 0,
        set: &[],
    };
    prepare(&server.target(), &load, 2)?;
    for sessions in [1, 8] {
        let mut took: [Vec<Took>; FORMS.len()] = Default::default();
        for _ in 0..ROUNDS {
            for (took, (_, form, set, transactions, _)) in took.iter_mut().zip(FORMS) {
                let load = Load { form, sessions, transactions, set, ..load };
                took.push(ours(&server.target(), &load)?);
            }
        }
        for (took, (name, .., most)) in took.iter().zip(FORMS) {
            let all = |value: fn(&Took) -> f64| took.iter().map(value).collect::<Vec<f64>>();
            let (micros, tpm) = (all(|took| took.micros), all(|took| took.tpm));
            println!(
                "  {name:11} {sessions} sessions  client us {}  median {:.1} (at most {most:.0})  TPM {:.0}",
                rounds(&micros, 1),
                median(micros.clone()),
                median(tpm)
            );
        }
    }
    Ok(())
}
