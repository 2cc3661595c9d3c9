//! Measures Tacho's own cost in a complete run against a database that responds immediately.

#![expect(clippy::print_stdout, reason = "the results are the output")]

use tacho_core::Result;
use tacho_driver::Form;
use tacho_engine::{Interrupt, Observer, Setup};

use crate::load::{self, Load};
use crate::measure::{measure, median, rounds};

const TRANSACTIONS: u64 = 400_000;
const ROUNDS: usize = 7;

struct Deaf;

impl Observer for Deaf {}

pub(crate) fn run() -> Result<()> {
    println!("{TRANSACTIONS} transactions of tprocc on noop, one session, {ROUNDS} rounds");
    for form in [Form::Sql, Form::Pipelined] {
        let (mut statement, mut transaction) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let setup = setup(form)?;
            let (measurement, cost) =
                measure(|| tacho_engine::run(&setup, &Interrupt::default(), &mut Deaf));
            let traffic = measurement?.traffic;
            let nanos = cost.cpu.as_nanos() as f64;
            statement.push(nanos / traffic.statements as f64);
            transaction.push(nanos / TRANSACTIONS as f64);
        }
        let form = form.word();
        println!("{form:10} CPU ns per statement    {}", rounds(&statement, 1));
        println!("{form:10}   median {:.1}", median(statement));
        println!("{form:10} CPU ns per transaction  {}", rounds(&transaction, 0));
        println!("{form:10}   median {:.0}", median(transaction));
    }
    Ok(())
}

fn setup(form: Form) -> Result<Setup> {
    let load = Load {
        workload: "tprocc",
        profile: "spec",
        set: &[],
        scale: 10,
        form,
        sessions: 1,
        transactions: TRANSACTIONS,
    };
    load::setup("noop", &load)
}
