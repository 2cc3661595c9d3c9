//! Measures how many rows of each table one core generates per second, without sending them.

#![expect(clippy::print_stdout, reason = "the results are the output")]

use tacho_core::{Result, Seed};
use tacho_driver::{Form, Values};
use tacho_workload::{Choices, Slice};

use crate::measure::{measure, median};

const WAREHOUSES: u64 = 4;
const ROUNDS: usize = 5;

pub(crate) fn run() -> Result<()> {
    println!(
        "{WAREHOUSES} warehouses, {ROUNDS} rounds, one core, in millions of rows per CPU second"
    );
    for profile in ["spec", "hammerdb"] {
        let choices = Choices {
            scale: WAREHOUSES,
            data_seed: Seed(1),
            seed: Seed(1),
            loaded_at: 0,
            profile: profile.into(),
            set: [].into(),
            form: Form::Sql,
            sessions: 1,
            dialect: String::new(),
            sets: 1,
            turn: 0,
        };
        let instance = tacho_registry::workload("tprocc")?.instance(&choices)?;
        for (table, entry) in instance.schema().tables.iter().enumerate() {
            let slots = instance.slots(table);
            let (mut rates, mut made) = (Vec::new(), 0);
            for _ in 0..ROUNDS {
                let (rows, cost) = measure(|| {
                    let mut source = instance.rows(&Slice { table, slots: 0..slots });
                    let (mut values, mut rows) = (Values::default(), 0);
                    loop {
                        values.clear();
                        match source.next_batch(&mut values) {
                            0 => return rows,
                            more => rows += more as u64,
                        }
                    }
                });
                made = rows;
                rates.push(rows as f64 / cost.cpu.as_secs_f64().max(1e-9) / 1e6);
            }
            println!("{profile:9} {:11} {made:8} rows  {:6.2}", entry.name, median(rates));
        }
    }
    Ok(())
}
