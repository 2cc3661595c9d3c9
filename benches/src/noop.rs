//! Our own cost: a whole run against a database that answers at once, everything included —
//! inputs, session loop, statements, results, histograms, ledger, controller.

#![expect(clippy::print_stdout, reason = "the results are the output")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tacho_core::{Result, Seed};
use tacho_driver::{Form, Target};
use tacho_engine::{
    Arrival, Interrupt, LoadPlan, Observer, OnDisconnect, RetryInput, RetryPolicy, Setup, Stop,
};
use tacho_workload::Choices;

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
        let form = form.name();
        println!("{form:10} CPU ns per statement    {}", rounds(&statement, 1));
        println!("{form:10}   median {:.1}", median(statement));
        println!("{form:10} CPU ns per transaction  {}", rounds(&transaction, 0));
        println!("{form:10}   median {:.0}", median(transaction));
    }
    Ok(())
}

fn setup(form: Form) -> Result<Setup> {
    let choices = Choices {
        scale: 10,
        data_seed: Seed(1),
        seed: Seed(1),
        loaded_at: 0,
        profile: "spec".into(),
        set: [].into(),
        form,
        sessions: 1,
        dialect: String::new(),
        sets: 1,
    };
    Ok(Setup {
        driver: tacho_registry::driver("noop")?,
        target: Target::parse("noop")?,
        instance: tacho_registry::workload("tprocc")?.instance(&choices)?,
        form,
        plan: LoadPlan {
            sessions: 1,
            workers: 1,
            arrival: Arrival::Closed,
            pacing: 0.0,
            ramp_up: Duration::ZERO,
            stop: Stop::Count(TRANSACTIONS),
            ramp_down: Duration::ZERO,
            retry: RetryPolicy { input: RetryInput::None, attempts: 1, backoff: Duration::ZERO },
            on_disconnect: OnDisconnect::Stop,
            interval: Duration::from_secs(1),
            drain: Duration::from_secs(1),
            seed: Seed(1),
            stagger: Duration::ZERO,
            session_times: false,
        },
        output: Arc::new(Mutex::new(std::io::sink())),
        routes: None,
        sets: 1,
    })
}
