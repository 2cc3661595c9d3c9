//! The metrics of a phase in progress, for listeners that request them.
//!
//! The metrics are calculated by the same functions as the result of a run. After the last interval, they are therefore
//! equal to the metrics in the record. Values that the database counts are not included.
//!
//! Start reading at [`SoFar`].

use std::time::Duration;

use tacho_metrics::{Phase, Recorder, Series};
use tacho_store::event::{BUCKETS_US, Buckets, HostLoad, Standing, StandingHeadline};
use tacho_store::record::{
    DistributionRecord, HeadlineRecord, ResultRecord, ThresholdRecord, ToolRecord,
};
use tacho_workload::Instance;

use super::series::{errors, own_kinds, per_minute, stated, sum, transactions};
use super::thresholds::Threshold;

fn buckets(name: &str, series: &Series) -> Buckets {
    let latency = &series.latency;
    let up_to = |us: &u64| latency.inner().count_between(0, us.saturating_mul(NANOS));
    let count = latency.count();
    Buckets {
        name: name.to_owned(),
        counts: BUCKETS_US.iter().map(up_to).collect(),
        count,
        sum_s: latency.mean().as_secs_f64() * count as f64,
    }
}

/// Nanoseconds in a microsecond.
const NANOS: u64 = 1_000;

/// The inputs of the current metrics.
pub(super) struct SoFar<'a> {
    pub(super) instance: &'a dyn Instance,
    pub(super) thresholds: &'a [Threshold],
    /// The records of the whole run.
    pub(super) total: &'a Recorder,
    pub(super) phase: Phase,
    /// The time since the phase started.
    pub(super) elapsed: Duration,
    /// This process's CPU time since the start of the measured phase. Absent before the measured phase or if time is
    /// virtual.
    pub(super) cpu: Option<Duration>,
    pub(super) host: Option<HostLoad>,
}

impl SoFar<'_> {
    pub(super) fn standing(&self) -> Standing {
        let kinds = own_kinds(self.instance).len();
        let (series, queries) = self.total.series(self.phase).split_at(kinds);
        let (of_load, of_streams) = self.instance.transactions().split_at(kinds);
        let mut of_streams = transactions(of_streams, queries, &sum(queries));
        of_streams.pop_if(|_| queries.is_empty());
        let elapsed_s = self.elapsed.as_secs_f64();
        let headline = stated(self.instance).map(|headline| {
            let count = series[headline.transaction].ended.committed;
            StandingHeadline {
                name: headline.name.to_owned(),
                per_minute: per_minute(count, self.elapsed),
            }
        });
        let mut standing = Standing {
            phase: self.phase.name().into(),
            elapsed_s,
            transactions: transactions(of_load, series, &sum(series)),
            queries: of_streams,
            headline,
            buckets: self
                .instance
                .transactions()
                .iter()
                .zip(self.total.series(self.phase))
                .map(|(kind, series)| buckets(kind.name, series))
                .collect(),
            errors: errors(self.instance, &self.total.faults),
            thresholds: Vec::new(),
            lateness: DistributionRecord::from(self.total.lateness(self.phase)),
            session_wait: DistributionRecord::from(self.total.session_wait(self.phase)),
            cpu_cores: self
                .cpu
                .filter(|_| elapsed_s > 0.0)
                .map(|cpu| cpu.as_secs_f64() / elapsed_s),
            cores: tacho_collect::cores(),
            host: self.host,
        };
        if self.phase == Phase::Measure {
            standing.thresholds = self.judged(&standing);
        }
        standing
    }

    fn judged(&self, standing: &Standing) -> Vec<ThresholdRecord> {
        let headline = standing.headline.as_ref().map(|headline| HeadlineRecord {
            per_minute: headline.per_minute,
            ..HeadlineRecord::default()
        });
        let tool = ToolRecord { lateness: standing.lateness, ..ToolRecord::default() };
        let transactions = standing.transactions.clone();
        let measured_s = standing.elapsed_s;
        let so_far =
            ResultRecord { transactions, measured_s, headline, tool, ..ResultRecord::default() };
        self.thresholds.iter().map(|threshold| threshold.judge(&so_far)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tacho_config::{Source, resolve};
    use tacho_core::Result;
    use tacho_engine::Interrupt;
    use tacho_store::{Event, EventKind, Listener};

    use super::*;
    use crate::{Context, Job, Request};

    /// A listener that collects the values it receives.
    #[derive(Default)]
    struct Last(Vec<Standing>);

    impl Listener for Last {
        fn on(&mut self, event: &Event) {
            if let Event::Standing { standing } = event {
                self.0.push(standing.as_ref().clone());
            }
        }

        fn wants(&self, kind: EventKind) -> bool {
            kind == EventKind::Standing
        }
    }

    /// In virtual time, the last interval ends exactly with the measured phase.
    #[test]
    fn in_the_end_a_phase_stands_as_the_record_says() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let context = Context {
            folder: folder.path().to_owned(),
            output: Arc::new(Mutex::new(std::io::sink())),
            interrupt: Interrupt::default(),
            reading: Arc::new(|_, _| {}),
            trust: crate::Trust::default(),
        };
        let flags = [
            ("target", "sim:?deadlocks=1%"),
            ("sessions", "20"),
            ("duration", "30s"),
            ("ramp_up", "5s"),
            ("ramp_down", "5s"),
            ("threshold", "errors<0.01%"),
        ];
        let flags = flags.map(|(key, value)| (key.to_owned(), vec![value.to_owned()])).to_vec();
        let job = Job::new(resolve(Source { flags, ..Source::default() })?, &context)?;
        let mut last = Last::default();
        let report = crate::run(Request { job: &job, context: &context }, &mut last)?;
        let result = report.record.result.expect("a result");
        assert_eq!(last.0.len(), 35, "one for each interval of the ramp-up and the measured phase");
        assert!(last.0[..5].iter().all(|one| one.phase == "ramp-up" && one.thresholds.is_empty()));
        let end = last.0.pop().expect("the last one");
        assert_eq!((end.phase.as_str(), end.elapsed_s), ("measure", result.measured_s));
        assert!(end.transactions.iter().all(|one| one.count > 100), "{:?}", end.transactions);
        assert_eq!(end.transactions, result.transactions);
        assert_eq!(end.thresholds, result.thresholds);
        assert_eq!(end.lateness, result.tool.lateness);
        for (bucket, kind) in end.buckets.iter().zip(&end.transactions) {
            assert_eq!((bucket.name.as_str(), bucket.count), (kind.name.as_str(), kind.count));
            assert!(
                bucket.counts.is_sorted() && bucket.counts.last() == Some(&bucket.count),
                "{bucket:?}"
            );
        }
        let figure = result.headline.expect("a figure");
        let headline = end.headline.expect("a figure");
        assert_eq!((headline.name, headline.per_minute), (figure.name, figure.per_minute));
        Ok(())
    }
}
