//! Throughput and activity in each interval, which show what happened while the throughput was low.
//!
//! If an activity increased while the throughput was low, this is reported as a coincidence and never as the cause.
//!
//! Start reading at [`Moments::disturbance`].

use tacho_core::WaitKind;
use tacho_store::record::{
    Activity, CoincidenceRecord, DisturbanceRecord, HostIntervalRecord, ServerLoadRecord,
    WaitRecord,
};

/// Maximum number of recorded moments. When it is reached, adjacent moments are merged to save memory.
const MOMENTS_MAX: usize = 3_600;
/// Minimum number of moments. With fewer, their median would not represent the usual throughput.
const MOMENTS_MIN: usize = 10;
/// Maximum throughput that counts as low, as a fraction of the median.
const LOW: f64 = 0.7;
/// Minimum loss of work due to a drop in throughput, as a fraction of the work in the measured phase. Smaller losses
/// are not reported.
const LOST_MIN: f64 = 0.01;
/// Minimum number of transactions lost in a reported drop in throughput, in standard errors of the expected number. A
/// smaller loss may be random.
const ERRORS_MIN: f64 = 5.0;
/// Smallest increase in an activity that is reported, in cores, sessions, or checkpoints per minute.
const INCREASE_MIN: f64 = 0.25;
/// An activity is reported only if it is at least this many times as high as usual.
const TIMES_MIN: f64 = 1.5;
/// The kinds of activity in the order of [`Moment::activities`].
const ACTIVITIES: [Activity; 6] = [
    Activity::OtherPrograms,
    Activity::IoWait,
    Activity::Checkpoints,
    Activity::Locks,
    Activity::LogWrites,
    Activity::DataFiles,
];

/// The amount of each kind of activity, or `None` if it was not observed.
type Amounts = [Option<f64>; ACTIVITIES.len()];

/// An interval of the measured phase, or several merged ones.
#[derive(Clone, Copy, Debug, Default)]
struct Moment {
    from: f64,
    to: f64,
    throughput: f64,
    activities: Amounts,
}

/// The intervals of the measured phase in order.
#[derive(Default)]
pub(super) struct Moments {
    all: Vec<Moment>,
    /// Number of intervals that were merged into each moment. The last moment may have fewer.
    merged: usize,
    /// Number of intervals in the last moment.
    pending: usize,
}

impl Moments {
    /// Adds an interval of the measured phase and its throughput in transactions per second.
    pub(super) fn note(
        &mut self,
        [from, to]: [f64; 2],
        throughput: f64,
        hosts: &[HostIntervalRecord],
        server: Option<&ServerLoadRecord>,
    ) {
        let length = to - from;
        if length <= 0.0 {
            return;
        }
        let moment = Moment { from, to, throughput, activities: amounts(hosts, server, length) };
        match self.all.last_mut() {
            Some(last) if self.pending < self.merged => {
                *last = merge(last, &moment);
                self.pending += 1;
            }
            _ => {
                self.all.push(moment);
                self.pending = 1;
            }
        }
        if self.all.len() > MOMENTS_MAX {
            self.all = self
                .all
                .chunks(2)
                .map(|pair| match pair {
                    [one, other] => merge(one, other),
                    _ => pair[0],
                })
                .collect();
            self.merged = self.merged.max(1) * 2;
            self.pending = self.merged;
        }
    }

    /// Returns the drop in throughput that cost the most transactions. Returns `None` if it cost only a few, or if it
    /// coincides with a known event at one of the `excused` times.
    pub(super) fn disturbance(&self, excused: &[f64]) -> Option<DisturbanceRecord> {
        let usual = median(self.all.iter().map(|moment| moment.throughput))?;
        if self.all.len() < MOMENTS_MIN || usual <= 0.0 {
            return None;
        }
        let lost = |moments: &[Moment]| -> f64 {
            moments
                .iter()
                .map(|moment| (usual - moment.throughput) * (moment.to - moment.from))
                .sum()
        };
        let is_low = |moment: &Moment| moment.throughput < LOW * usual;
        let falls = self.all.chunk_by(|one, other| is_low(one) == is_low(other));
        let fall = falls
            .filter(|fall| is_low(&fall[0]))
            .max_by(|one, other| lost(one).total_cmp(&lost(other)))?;
        let (from_s, to_s) = (fall[0].from, fall[fall.len() - 1].to);
        let whole: f64 =
            self.all.iter().map(|moment| moment.throughput * (moment.to - moment.from)).sum();
        let chance = ERRORS_MIN * (usual * (to_s - from_s)).sqrt();
        // A fault at the end of one interval lowers the throughput only in the next interval.
        let before_s = from_s - (fall[0].to - from_s);
        let is_excused = excused.iter().any(|at| (before_s..to_s).contains(at));
        if lost(fall) < (LOST_MIN * whole).max(chance) || is_excused {
            return None;
        }
        let outside: Vec<Moment> = self
            .all
            .iter()
            .filter(|moment| moment.to <= from_s || moment.from >= to_s)
            .copied()
            .collect();
        Some(DisturbanceRecord {
            from_s,
            to_s,
            throughput_per_s: mean(fall, |moment| Some(moment.throughput)).unwrap_or_default(),
            usual_per_s: usual,
            coincided: coincided(fall, &outside),
        })
    }
}

/// Returns the activities that were clearly higher during the drop in throughput than at other times.
fn coincided(fall: &[Moment], outside: &[Moment]) -> Vec<CoincidenceRecord> {
    let found = ACTIVITIES.iter().enumerate().filter_map(|(place, activity)| {
        let amount = mean(fall, |moment| moment.activities[place])?;
        let usual = mean(outside, |moment| moment.activities[place])?;
        let is_higher = amount - usual >= INCREASE_MIN && amount >= TIMES_MIN * usual;
        is_higher.then_some(CoincidenceRecord { activity: *activity, amount, usual })
    });
    found.collect()
}

/// Returns the mean of a value over time, or `None` if it was never observed.
fn mean(moments: &[Moment], value: impl Fn(&Moment) -> Option<f64>) -> Option<f64> {
    let observed =
        moments.iter().filter_map(|moment| Some((value(moment)?, moment.to - moment.from)));
    let (sum, length) = observed
        .fold((0.0, 0.0), |(sum, all), (value, length)| (sum + value * length, all + length));
    (length > 0.0).then(|| sum / length)
}

fn merge(one: &Moment, other: &Moment) -> Moment {
    let both = [*one, *other];
    let activities =
        std::array::from_fn(|place| mean(&both, |moment: &Moment| moment.activities[place]));
    let throughput = mean(&both, |moment| Some(moment.throughput)).unwrap_or_default();
    Moment { from: one.from, to: other.to, throughput, activities }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut all: Vec<f64> = values.collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied()
}

fn amounts(
    hosts: &[HostIntervalRecord],
    server: Option<&ServerLoadRecord>,
    length: f64,
) -> Amounts {
    let others = hosts.iter().find_map(HostIntervalRecord::other_cores);
    let io_wait = |host: &HostIntervalRecord| host.load.cpu.io_wait * host.load.cores.len() as f64;
    let waits = |kinds: &[WaitKind]| {
        let of = |wait: &&WaitRecord| wait.kind.is_some_and(|kind| kinds.contains(&kind));
        let load = server.filter(|load| load.samples > 0)?;
        Some(load.waits.iter().filter(of).map(|wait| wait.sessions).sum())
    };
    let checkpoints = server.and_then(|load| load.counters.get("checkpoints"));
    [
        others,
        hosts.iter().map(io_wait).max_by(f64::total_cmp),
        checkpoints.map(|count| *count as f64 * 60.0 / length),
        waits(&[WaitKind::Lock, WaitKind::TableLock]),
        waits(&[WaitKind::Log]),
        waits(&[WaitKind::DataFiles]),
    ]
}

#[cfg(test)]
mod tests {
    use tacho_store::record::{CpuShares, HostLoadRecord};

    use super::*;

    /// Creates the load of a machine with two cores. The argument is the number of cores that other programs use.
    fn host(others: f64) -> HostIntervalRecord {
        let cpu = CpuShares { idle: 0.75 - others / 2.0, ..CpuShares::default() };
        let load = HostLoadRecord { cpu, cores: vec![cpu; 2], ..HostLoadRecord::default() };
        let (tacho_cores, server_cores) = (Some(0.2), Some(0.3));
        HostIntervalRecord { load, tacho_cores, server_cores, ..HostIntervalRecord::default() }
    }

    /// Creates one-second intervals from pairs of a throughput and the cores that other programs use.
    fn moments(values: impl Iterator<Item = (f64, f64)>) -> Moments {
        let mut moments = Moments::default();
        for (at, (throughput, others)) in values.enumerate() {
            let at = at as f64;
            moments.note([at, at + 1.0], throughput, &[host(others)], None);
        }
        moments
    }

    #[test]
    fn names_the_programs_that_ran_while_the_throughput_was_low() {
        let low = |at: u32| (30..41).contains(&at);
        let values = |at| if low(at) { (20.0, 1.3) } else { (92.0 + f64::from(at % 3), 0.1) };
        let found = moments((0..60).map(values)).disturbance(&[]).expect("a disturbance");
        assert_eq!((found.from_s, found.to_s, found.throughput_per_s), (30.0, 41.0, 20.0));
        let [one] = &found.coincided[..] else { panic!("{found:?}") };
        assert_eq!(one.activity, Activity::OtherPrograms);
        assert!((one.amount - 1.3).abs() < 1e-9 && (one.usual - 0.1).abs() < 1e-9, "{one:?}");
        for fault in [29.9, 35.0] {
            assert_eq!(moments((0..60).map(values)).disturbance(&[fault]), None, "at {fault}");
        }
    }

    #[test]
    fn an_even_run_and_a_short_one_have_no_disturbance() {
        assert_eq!(
            moments((0..60).map(|at| (90.0 + f64::from(at % 7), 0.1))).disturbance(&[]),
            None
        );
        assert_eq!(moments([(9.0, 0.1), (1.0, 2.0)].into_iter()).disturbance(&[]), None);
        // One of 300 intervals was slow, but this cost less than one per cent of the work.
        let values = |at| if at == 77 { (50.0, 1.0) } else { (90.0, 0.0) };
        assert_eq!(moments((0..300).map(values)).disturbance(&[]), None);
        // At one transaction per second, many intervals are empty by chance.
        let values = |at: u32| (f64::from(u8::from(!at.is_multiple_of(3))), 0.1);
        assert_eq!(moments((0..60).map(values)).disturbance(&[]), None);
        assert_eq!(Moments::default().disturbance(&[]), None);
    }

    #[test]
    fn a_long_run_keeps_few_moments_and_the_same_times() {
        let values =
            |at: u32| if (40_000..44_000).contains(&at) { (10.0, 1.0) } else { (90.0, 0.0) };
        let long = moments((0..100_000).map(values));
        assert!(long.all.len() <= MOMENTS_MAX, "{}", long.all.len());
        let found = long.disturbance(&[]).expect("a disturbance");
        assert!((found.from_s - 40_000.0).abs() <= 64.0 && (found.to_s - 44_000.0).abs() <= 64.0);
        assert!((found.coincided[0].amount - 1.0).abs() < 0.05, "{found:?}");
    }
}
