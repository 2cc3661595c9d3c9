//! Compares the cost of a workload folder with a built-in workload, on a database that responds immediately.

#![expect(clippy::print_stdout, reason = "the results are the output")]

use tacho_core::Result;
use tacho_driver::Form;
use tacho_engine::{Interrupt, Observer};

use crate::load::{self, Load};
use crate::measure::{measure, median, rounds};

const TRANSACTIONS: u64 = 1_000_000;
const ROUNDS: usize = 7;
/// The name or folder of each workload, and the profile to run it with.
const SIDES: [(&str, &str); 2] =
    [("tpcb", "tpcb-like"), ("workloads/script/tests/tpcb", "default")];

struct Deaf;

impl Observer for Deaf {}

pub(crate) fn run() -> Result<()> {
    println!("{TRANSACTIONS} transactions of tpcb-like on noop, one session, {ROUNDS} rounds");
    for form in [Form::Sql, Form::Pipelined] {
        let mut costs = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            for (side, (workload, profile)) in SIDES.into_iter().enumerate() {
                let load = Load {
                    workload,
                    profile,
                    set: &[],
                    scale: 10,
                    form,
                    sessions: 1,
                    transactions: TRANSACTIONS,
                };
                let setup = load::setup("noop", &load)?;
                let (measurement, cost) =
                    measure(|| tacho_engine::run(&setup, &Interrupt::default(), &mut Deaf));
                measurement?;
                costs[side].push(cost.cpu.as_nanos() as f64 / TRANSACTIONS as f64);
            }
        }
        let (form, [built_in, folder]) = (form.word(), costs);
        println!("{form:10} built-in, CPU ns per transaction  {}", rounds(&built_in, 0));
        println!("{form:10} folder,   CPU ns per transaction  {}", rounds(&folder, 0));
        let (built_in, folder) = (median(built_in), median(folder));
        println!(
            "{form:10}   medians {built_in:.0} and {folder:.0}, ratio {:.2}",
            folder / built_in
        );
    }
    Ok(())
}
