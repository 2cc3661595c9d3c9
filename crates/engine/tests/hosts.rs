//! Tests runs on several hosts in one process. Their combined results must equal those of a single host.

use std::collections::VecDeque;
use std::time::Duration;

use tacho_core::{Instant, Result};
use tacho_engine::{
    Border, Closing, Collected, Hosts, Interrupt, LoadPlan, LostShare, Measurement, Observer,
    Presence, Setup, Share, Stop,
};
use tacho_metrics::{Phase, Recorder, Series};

use crate::common::{Seen, measured, plan, setup, simulate};

/// Everything that a share has reported.
#[derive(Default)]
struct Told {
    records: VecDeque<(Phase, Duration, Recorder)>,
}

impl Observer for Told {
    fn collected(&mut self, collected: &Collected<'_>) {
        let mut recorder = collected.recorder.clone();
        recorder.move_times(collected.origin, Instant(0));
        self.records.push_back((collected.phase, collected.span[1], recorder));
    }
}

/// Runs all shares of a plan, one after another.
struct InProcess {
    setup: Setup,
    of: u32,
    hosts: Vec<(Told, Measurement)>,
    /// A host, and the time at which it is lost.
    silent: Option<(usize, Duration)>,
}

impl InProcess {
    fn heard(&self, host: usize, to: Duration) -> bool {
        self.silent.is_none_or(|(silent, after)| silent != host || to <= after)
    }
}

impl Hosts for InProcess {
    fn ready(&mut self, interrupt: &Interrupt, _: &mut dyn Observer) -> Result<u32> {
        for place in 0..self.of {
            let share = Share { place, of: self.of };
            let setup = Setup { share, ..self.setup.clone() };
            let mut told = Told::default();
            let measurement = tacho_engine::run(&setup, interrupt, &mut told)?;
            self.hosts.push((told, measurement));
        }
        Ok(self.setup.plan.sessions)
    }

    #[expect(clippy::disallowed_methods, reason = "nothing reads this on virtual time")]
    fn start(&mut self, _: Presence, _: &Interrupt) -> Result<std::time::Instant> {
        Ok(std::time::Instant::now())
    }

    fn collect(
        &mut self,
        border: Border,
        into: &mut Recorder,
        _: &mut dyn Observer,
    ) -> Option<u64> {
        for host in 0..self.hosts.len() {
            let records = &mut self.hosts[host].0.records;
            let mut taken = Vec::new();
            while let Some((phase, to, _)) = records.front() {
                if *phase > border.phase || (*phase == border.phase && *to > border.to) {
                    break;
                }
                taken.extend(records.pop_front());
            }
            for (_, to, recorder) in taken {
                if self.heard(host, to) {
                    into.merge(&recorder);
                }
            }
        }
        None
    }

    fn stop(&mut self, _: u8) {}

    fn close(&mut self, into: &mut Recorder, _: &mut dyn Observer) -> Closing {
        let mut closing = Closing::default();
        for (host, (told, measurement)) in self.hosts.iter_mut().enumerate() {
            if self.silent.is_some_and(|(silent, _)| silent == host) {
                let share = Share { place: host as u32, of: self.of };
                let (told, never_taken) = (Vec::new(), 0);
                closing.lost_shares.push(LostShare { share, reported: told, never_taken });
                continue;
            }
            told.records.drain(..).for_each(|(_, _, recorder)| into.merge(&recorder));
            closing.gathered.add(measurement.gathered.clone()).expect("one workload");
        }
        closing
    }
}

fn conduct(target: &str, plan: LoadPlan, of: u32) -> Result<(Measurement, Seen)> {
    conduct_without(target, plan, of, None)
}

fn conduct_without(
    target: &str,
    plan: LoadPlan,
    of: u32,
    silent: Option<(usize, Duration)>,
) -> Result<(Measurement, Seen)> {
    let setup = setup(tacho_driver_sim::driver().into(), target, plan)?;
    let mut hosts = InProcess { setup: setup.clone(), of, hosts: Vec::new(), silent };
    let mut seen = Seen::default();
    let measurement = tacho_engine::conduct(&setup, &mut hosts, &Interrupt::default(), &mut seen)?;
    Ok((measurement, seen))
}

/// Formats all values of a series.
fn shown(series: &[Series]) -> String {
    let one = |series: &Series| {
        let of = |times: &tacho_metrics::Latencies| {
            times
                .inner()
                .iter_recorded()
                .map(|v| (v.value_iterated_to(), v.count_at_value()))
                .collect::<Vec<_>>()
        };
        format!(
            "{:?} {:?} {:?} {:?}\n",
            series.ledger,
            series.ended,
            of(&series.latency),
            of(&series.service)
        )
    };
    series.iter().map(one).collect()
}

/// Sessions that never wait for each other must have the same results on one host as on seven.
#[test]
fn hosts_measure_together_what_one_does() -> Result<()> {
    let target = "sim:?latency=2ms";
    for paced in [LoadPlan { pacing: 0.01, ..plan() }, LoadPlan { pacing: 0.0, ..plan() }] {
        let (alone, seen_alone) = simulate(target, paced)?;
        for of in [1, 3, 7] {
            let (many, seen) = conduct(target, paced, of)?;
            assert!(many.imbalance.is_none(), "{:?}", many.imbalance);
            for phase in [Phase::RampUp, Phase::Measure] {
                assert_eq!(
                    shown(alone.total.series(phase)),
                    shown(many.total.series(phase)),
                    "{of}"
                );
            }
            assert_eq!(alone.throughput, many.throughput, "{of}");
            assert_eq!(seen_alone.intervals, seen.intervals, "{of}");
            assert_eq!(alone.traffic, many.traffic);
            assert_eq!(alone.tally.counts(), many.tally.counts());
        }
    }
    Ok(())
}

/// Two runs with a hundred hosts of a thousand sessions each must have the same result.
#[test]
fn a_hundred_hosts_repeat() -> Result<()> {
    let plan = LoadPlan {
        pacing: 1.0,
        interval: Duration::from_secs(5),
        seed: plan().seed,
        ..LoadPlan::closed(100_000, Stop::After(Duration::from_secs(10)))
    };
    let first = conduct("sim:?latency=1ms", plan, 100)?;
    let again = conduct("sim:?latency=1ms", plan, 100)?;
    let of = |measurement: &Measurement| shown(measurement.total.series(Phase::Measure));
    assert_eq!(of(&first.0), of(&again.0));
    assert_eq!(first.1.intervals, again.1.intervals);
    let all = measured(&first.0);
    assert!(all.ended.good() > 20_000, "{}", all.ended.good());
    assert_eq!(all.ledger.balance(0), Ok(()));
    Ok(())
}

/// Arrivals assigned to a lost host must be counted as not taken.
#[test]
fn arrivals_of_a_lost_host_are_counted() -> Result<()> {
    let arrival = tacho_engine::Arrival::open(300.0, tacho_engine::Spacing::Uniform);
    let plan = LoadPlan { arrival, ..plan() };
    let (alone, _) = simulate("sim:?latency=1ms", plan)?;
    let due =
        |measurement: &Measurement| measured(measurement).ledger.due + measurement.never_taken;
    let (whole, _) = conduct("sim:?latency=1ms", plan, 3)?;
    assert_eq!((due(&alone), whole.never_taken), (due(&whole), alone.never_taken));
    let (less, _) = conduct_without("sim:?latency=1ms", plan, 3, Some((1, Duration::ZERO)))?;
    assert!(less.imbalance.is_none(), "{:?}", less.imbalance);
    assert_eq!(due(&less), due(&alone), "none is forgotten");
    assert!(less.never_taken.abs_diff(1_000) <= 1, "{}", less.never_taken);
    Ok(())
}
