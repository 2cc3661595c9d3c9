//! Limits on metrics, such as `new_order.p95<50ms` and `nopm>100k`. If the metric has no data, the limit is not met.

use tacho_core::units::{self, parse_duration};
use tacho_core::{Error, Result};
use tacho_store::record::{DistributionRecord, ResultRecord, ThresholdRecord};

/// The name that refers to all transactions together.
pub(super) const ALL: &str = "all";

/// A limit that has been parsed and validated before the run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Threshold {
    expression: String,
    /// The transaction name, or `all`.
    transaction: String,
    metric: Metric,
    operator: Operator,
    /// The limit in the metric's unit, which is microseconds, a share, or a plain number.
    limit: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Metric {
    Quantile(usize),
    Max,
    Mean,
    Errors,
    Throughput,
    Tpm,
    Headline,
    LateP99,
    /// The number of acknowledged commits that are missing from the database.
    Lost,
    /// The longest time from the first lost connection of an outage to the first commit after it.
    Recovery,
    /// The maximum staleness of the data at any address, that is, the time by which it lagged behind.
    Staleness,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

const OPERATORS: [(&str, Operator); 4] = [
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

const METRICS: [(&str, Metric); 14] = [
    ("p50", Metric::Quantile(0)),
    ("p90", Metric::Quantile(1)),
    ("p95", Metric::Quantile(2)),
    ("p99", Metric::Quantile(3)),
    ("p99.9", Metric::Quantile(4)),
    ("max", Metric::Max),
    ("mean", Metric::Mean),
    ("errors", Metric::Errors),
    ("tps", Metric::Throughput),
    ("tpm", Metric::Tpm),
    ("late", Metric::LateP99),
    ("lost", Metric::Lost),
    ("rto", Metric::Recovery),
    ("stale", Metric::Staleness),
];

impl Threshold {
    /// Parses an expression. It may contain the names of the given transactions and the name of the headline metric.
    pub(super) fn parse(text: &str, transactions: &[&str], headline: Option<&str>) -> Result<Self> {
        let form = || {
            Error::usage(format!("invalid threshold \"{text}\""))
                .hint("use a threshold such as new_order.p95<50ms, errors<0.1% or tps>500")
        };
        let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let (mark, operator) =
            OPERATORS.iter().find(|(mark, _)| compact.contains(mark)).ok_or_else(form)?;
        let (name, value) = compact.split_once(mark).ok_or_else(form)?;
        let (transaction, metric) = split_name(name, transactions, headline)?;
        let limit = limit(metric, value).ok_or_else(|| {
            Error::usage(format!("invalid value \"{value}\" for {name}"))
                .hint(format!("use a value such as {}", example(metric)))
        })?;
        let operator = *operator;
        Ok(Self { expression: compact, transaction, metric, operator, limit })
    }

    /// Returns true if the limit can be checked for individual steps of a varying load.
    pub(super) fn is_of_steps(&self) -> bool {
        let by_step = !matches!(self.metric, Metric::Tpm | Metric::LateP99);
        by_step && self.transaction == ALL
    }

    /// Evaluates the limit for a result.
    pub(super) fn judge(&self, result: &ResultRecord) -> ThresholdRecord {
        let measured = self.measure(result).filter(|value| value.is_finite());
        let passed = measured.is_some_and(|value| match self.operator {
            Operator::Less => value < self.limit,
            Operator::LessOrEqual => value <= self.limit,
            Operator::Greater => value > self.limit,
            Operator::GreaterOrEqual => value >= self.limit,
        });
        ThresholdRecord {
            expression: self.expression.clone(),
            measured,
            measured_text: measured.map_or_else(|| "no data".into(), |v| self.words(v)),
            passed,
        }
    }

    fn measure(&self, result: &ResultRecord) -> Option<f64> {
        let series = result.transactions.iter().find(|t| t.name == self.transaction)?;
        let ended = series.count + series.failed;
        let latency = &series.latency;
        match self.metric {
            Metric::Quantile(index) => quantile(latency, index),
            Metric::Max => (latency.count > 0).then_some(latency.max_us),
            Metric::Mean => (latency.count > 0).then_some(latency.mean_us),
            Metric::Errors => (ended > 0).then(|| series.failed as f64 / ended as f64),
            Metric::Throughput => {
                (result.measured_s > 0.0).then(|| series.count as f64 / result.measured_s)
            }
            Metric::Tpm => {
                (result.measured_s > 0.0).then(|| series.count as f64 * 60.0 / result.measured_s)
            }
            Metric::Headline => result.headline.as_ref().map(|headline| headline.per_minute),
            Metric::LateP99 => result.tool.lateness.p99_us,
            Metric::Lost => lost(result),
            Metric::Recovery => recovery_us(result),
            Metric::Staleness => staleness_us(result),
        }
    }

    fn words(&self, value: f64) -> String {
        match self.metric {
            Metric::Errors => format!("{:.4}{}%", value * 100.0, units::THIN_SPACE),
            Metric::Throughput | Metric::Tpm | Metric::Headline => units::significant(value),
            Metric::Lost => units::grouped(value as u64),
            _ => units::latency(std::time::Duration::from_nanos((value * 1e3) as u64)),
        }
    }
}

/// Returns the number of lost commits, or `None` if some acknowledged commits could not be checked.
fn lost(result: &ResultRecord) -> Option<f64> {
    let found = result.acknowledged.as_ref()?;
    found.unread.is_none().then_some(found.lost as f64)
}

/// Returns the longest recovery time of all outages, or `None` if there was no outage or one of them did not end.
fn recovery_us(result: &ResultRecord) -> Option<f64> {
    let times: Option<Vec<f64>> =
        result.outages.iter().map(|outage| outage.first_commit_after_s).collect();
    times?.into_iter().reduce(f64::max).map(|seconds| seconds * 1e6)
}

/// Returns the maximum staleness of all addresses, or `None` if it is unknown because a row was not written or not
/// read.
fn staleness_us(result: &ResultRecord) -> Option<f64> {
    let fed = || result.addresses.iter().filter(|address| address.written > 0);
    let times: Option<Vec<f64>> = fed()
        .map(|address| Some(address.staleness.as_ref().filter(|_| address.unread == 0)?.max_us))
        .collect();
    times?.into_iter().reduce(f64::max)
}

fn split_name(
    name: &str,
    transactions: &[&str],
    headline: Option<&str>,
) -> Result<(String, Metric)> {
    let known = |name: &str| METRICS.iter().find(|(known, _)| *known == name).map(|(_, m)| *m);
    if headline.is_some_and(|headline| headline.eq_ignore_ascii_case(name)) {
        return Ok(("all".into(), Metric::Headline));
    }
    if let Some(metric) = known(name) {
        return Ok(("all".into(), metric));
    }
    if let Some((transaction, metric)) = name.split_once('.')
        && let Some(metric) = known(metric)
    {
        if transactions.contains(&transaction) {
            return Ok((transaction.to_owned(), metric));
        }
        return Err(Error::usage(format!("unknown transaction \"{transaction}\""))
            .did_you_mean(transaction, transactions.iter().copied()));
    }
    Err(Error::usage(format!("unknown metric \"{name}\""))
        .did_you_mean(name, METRICS.iter().map(|(name, _)| *name)))
}

fn limit(metric: Metric, value: &str) -> Option<f64> {
    match metric {
        Metric::Errors => value.strip_suffix('%')?.parse::<f64>().ok().map(|share| share / 100.0),
        Metric::Throughput | Metric::Tpm | Metric::Headline => units::parse_rate(value).ok(),
        Metric::Lost => value.parse::<u32>().ok().map(f64::from),
        _ => parse_duration(value).ok().map(|span| span.as_nanos() as f64 / 1e3),
    }
    .filter(|limit: &f64| limit.is_finite() && *limit >= 0.0)
}

fn example(metric: Metric) -> &'static str {
    match metric {
        Metric::Errors => "0.1%",
        Metric::Throughput | Metric::Tpm | Metric::Headline => "500 or 5k",
        Metric::Lost => "lost<=0",
        _ => "50ms or 1.5s",
    }
}

fn quantile(latency: &DistributionRecord, index: usize) -> Option<f64> {
    [latency.p50_us, latency.p90_us, latency.p95_us, latency.p99_us, latency.p999_us][index]
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacho_store::record::{AcknowledgedRecord, OutageRecord, TransactionRecord};

    fn result() -> ResultRecord {
        let latency =
            DistributionRecord { count: 500, p95_us: Some(28_000.0), ..Default::default() };
        let row = |name: &str| TransactionRecord {
            name: name.into(),
            count: 999,
            failed: 1,
            latency,
            ..TransactionRecord::default()
        };
        let transactions = vec![row("new_order"), row("all")];
        ResultRecord { transactions, measured_s: 10.0, ..ResultRecord::default() }
    }

    #[test]
    fn limits_are_judged() -> Result<()> {
        let table = [
            ("new_order.p95 < 50ms", true),
            ("new_order.p95<28ms", false),
            ("p95<=28ms", true),
            ("errors<0.11%", true),
            ("errors<0.1%", false),
            ("tps>=99.9", true),
            ("tps>100", false),
            // Without a value, a threshold counts as missed. Here, there are too few transactions for a p99, and
            // there is no headline metric.
            ("p99<10s", false),
            ("nopm>1", false),
            ("late<1s", false),
        ];
        for (text, passed) in table {
            let threshold = Threshold::parse(text, &["new_order"], Some("NOPM"))?;
            assert_eq!(threshold.judge(&result()).passed, passed, "{text}");
        }
        Ok(())
    }

    #[test]
    fn an_outage_has_limits_and_without_one_they_fail() -> Result<()> {
        let outage = |after| OutageRecord {
            at_s: 5.0,
            sessions_lost: 1,
            first_commit_after_s: after,
            ..OutageRecord::default()
        };
        let judged = |text: &str, outages: &[Option<f64>], lost: Option<u64>| {
            let outages = outages.iter().map(|after| outage(*after)).collect();
            let found = |lost| AcknowledgedRecord { lost, ..AcknowledgedRecord::default() };
            let acknowledged = lost.map(found);
            let result = ResultRecord { outages, acknowledged, ..result() };
            Ok::<_, Error>(Threshold::parse(text, &[], None)?.judge(&result).passed)
        };
        assert!(judged("rto<2s", &[Some(0.5), Some(1.9)], None)?);
        assert!(!judged("rto<2s", &[Some(0.5), Some(2.1)], None)?);
        assert!(!judged("rto<2s", &[Some(0.5), None], None)?, "not over");
        assert!(!judged("rto<2s", &[], None)?, "no outage");
        assert!(judged("lost<=0", &[], Some(0))?);
        assert!(!judged("lost<=0", &[], Some(1))?);
        assert!(!judged("lost<=0", &[], None)?, "not looked for");
        assert!(Threshold::parse("lost<x", &[], None).is_err());
        Ok(())
    }

    #[test]
    fn rejects_invalid_expressions() {
        let bad = ["", "p95", "p95<", "p95<5", "errors<1", "nw_order.p95<1s", "q95<1s", "tps>-1"];
        for text in bad {
            assert!(Threshold::parse(text, &["new_order"], Some("NOPM")).is_err(), "{text}");
        }
    }
}
