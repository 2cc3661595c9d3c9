//! Runs a real workload on the simulated database. An hour of virtual time takes an instant, and every result is
//! repeatable.

#![allow(dead_code, reason = "each test file uses a part of this module")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tacho_core::{Result, Seed};
use tacho_driver::{Driver, Form, Target};
use tacho_engine::{
    Interrupt, Interval, LoadPlan, Measurement, Observer, Setup, Share, Step, Stop,
};
use tacho_metrics::{Phase, Series};
use tacho_workload::Choices;

/// Values observed in each interval.
#[derive(Debug, Default)]
pub struct Seen {
    /// The number of connected sessions before the load. Their number in each interval is in `sessions`.
    pub connected: u32,
    pub sessions: Vec<u32>,
    pub intervals: Vec<(f64, f64, Phase, u64)>,
    pub backlog: Vec<Option<u64>>,
}

impl Observer for Seen {
    fn connected(&mut self, sessions: u32) {
        self.connected = sessions;
    }

    fn interval(&mut self, interval: &Interval<'_>) {
        let series = interval.recorder.series(interval.phase);
        let ended = series.iter().map(|one| one.ended.all()).sum();
        let (from, to) = (interval.from.as_secs_f64(), interval.to.as_secs_f64());
        self.sessions.push(interval.sessions);
        self.backlog.push(interval.backlog);
        self.intervals.push((from, to, interval.phase, ended));
    }
}

/// A plan with ten closed sessions that run for 10 s after a ramp-up of 2 s.
pub fn plan() -> LoadPlan {
    LoadPlan {
        ramp_up: Duration::from_secs(2),
        seed: Seed(7),
        ..LoadPlan::closed(10, Stop::After(Duration::from_secs(10)))
    }
}

pub fn setup(driver: Arc<dyn Driver>, target: &str, plan: LoadPlan) -> Result<Setup> {
    let choices = Choices {
        scale: 10,
        data_seed: Seed(1),
        seed: plan.seed,
        loaded_at: 0,
        profile: "spec".into(),
        set: [].into(),
        form: Form::Pipelined,
        sessions: plan.users(),
        dialect: String::new(),
        sets: 1,
        turn: 0,
    };
    Ok(Setup {
        driver,
        target: Target::parse(target)?,
        instance: tacho_workload_tprocc::workload().instance(&choices)?,
        form: Form::Pipelined,
        plan,
        output: Arc::new(Mutex::new(std::io::sink())),
        routes: None,
        commits: None,
        history: None,
        steps: Arc::new([]),
        sets: 1,
        share: Share::WHOLE,
        gate: None,
    })
}

/// Runs a plan on the simulated database.
pub fn simulate(target: &str, plan: LoadPlan) -> Result<(Measurement, Seen)> {
    simulate_steps(target, plan, &[])
}

/// Runs a plan with steps on the simulated database.
pub fn simulate_steps(target: &str, plan: LoadPlan, steps: &[Step]) -> Result<(Measurement, Seen)> {
    let mut seen = Seen::default();
    let setup = setup(tacho_driver_sim::driver().into(), target, plan)?;
    let setup = Setup { steps: steps.into(), ..setup };
    let measurement = tacho_engine::run(&setup, &Interrupt::default(), &mut seen)?;
    Ok((measurement, seen))
}

/// Returns the combined records of all transactions in the measured phase.
pub fn measured(measurement: &Measurement) -> Series {
    let mut all = Series::default();
    measurement.total.series(Phase::Measure).iter().for_each(|one| all.merge(one));
    all
}
