//! Measures the memory and the punctuality of a million terminals that share 64 sessions.
//!
//! Start reading at [`run`].

#![expect(clippy::print_stdout, reason = "the results are the output")]
#![expect(clippy::disallowed_methods, reason = "reads the memory usage from /proc")]

use std::time::Duration;

use tacho_core::Result;
use tacho_driver::Form;
use tacho_engine::{Interrupt, LoadPlan, Observer, Setup, Stop};
use tacho_metrics::Phase;

use crate::load::{self, Load};
use crate::measure::measure;

const TERMINALS: u32 = 1_000_000;
const SESSIONS: u32 = 64;
const RAMP_UP: Duration = Duration::from_secs(10);
const MEASURED: Duration = Duration::from_mins(1);
const KIB: f64 = 1_024.0;

struct Deaf;

impl Observer for Deaf {}

pub(crate) fn run() -> Result<()> {
    for target in ["noop", "sim:?latency=500us"] {
        let setup = setup(target)?;
        let (measurement, cost) =
            measure(|| tacho_engine::run(&setup, &Interrupt::default(), &mut Deaf));
        let measurement = measurement?;
        let late = measurement.total.lateness(Phase::Measure);
        let waits = measurement.total.session_wait(Phase::Measure);
        let series = measurement.total.series(Phase::Measure);
        let due: u64 = series.iter().map(|one| one.ledger.due).sum();
        println!("{target:18} terminals {TERMINALS} on {SESSIONS} sessions");
        println!("{target:18} due per second {:.0}", due as f64 / MEASURED.as_secs_f64());
        println!("{target:18} peak resident memory of the process {:.0} MiB", peak_kib() / KIB);
        for quantile in [0.5, 0.99, 0.999] {
            let [late, wait] =
                [late, waits].map(|times| times.quantile(quantile).as_secs_f64() * 1e3);
            let name = quantile * 100.0;
            println!("{target:18} lateness p{name:<5} {late:.3} ms, queueing {wait:.3} ms");
        }
        println!(
            "{target:18} CPU {:.2} s in {:.0} s",
            cost.cpu.as_secs_f64(),
            cost.wall.as_secs_f64()
        );
    }
    Ok(())
}

/// Returns the largest resident memory of this process so far, in KiB.
fn peak_kib() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.unwrap_or(f64::NAN)
}

fn setup(target: &str) -> Result<Setup> {
    let load = Load {
        workload: "tprocc",
        profile: "spec",
        set: &[],
        scale: u64::from(TERMINALS / 10),
        form: Form::Pipelined,
        sessions: TERMINALS,
        transactions: 0,
    };
    let mut setup = load::setup(target, &load)?;
    setup.plan = LoadPlan {
        sessions: SESSIONS,
        terminals: Some(TERMINALS),
        pacing: 1.0,
        ramp_up: RAMP_UP,
        stop: Stop::After(MEASURED),
        ..setup.plan
    };
    Ok(setup)
}
