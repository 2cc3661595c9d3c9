//! The metrics of a run, by name. Trends show them, and gates evaluate them.

use tacho_core::{Error, Result};
use tacho_metrics::Direction;
use tacho_store::record::{DistributionRecord, Record, ResultRecord};

use crate::analytics::QUERIES_PER_HOUR;
use crate::streams;

type Latency = fn(&DistributionRecord) -> Option<f64>;

const LATENCIES: [(&str, Latency); 7] = [
    ("p50", |latency| latency.p50_us),
    ("p90", |latency| latency.p90_us),
    ("p95", |latency| latency.p95_us),
    ("p99", |latency| latency.p99_us),
    ("p99.9", |latency| latency.p999_us),
    ("mean", |latency| (latency.count > 0).then_some(latency.mean_us)),
    ("max", |latency| (latency.count > 0).then_some(latency.max_us)),
];

/// A metric of a run.
pub(crate) enum Metric {
    /// The workload's main metric, identified by its name.
    Headline(String),
    /// Geometric mean of the times of all transactions. If queries run alongside transactions, it is calculated only
    /// from the times of the queries.
    GeometricMean,
    /// Elapsed time of the slowest stream.
    Slowest,
    /// Queries per hour of the streams that run alongside transactions.
    Queries,
    /// Transactions per second.
    Throughput,
    /// Transactions per minute, as counted by the named source.
    Tpm(String),
    /// A latency of a transaction type.
    Latency(String, &'static str, Latency),
}

impl Metric {
    /// Parses a metric's name. Without a name, returns the workload's main metric.
    pub(crate) fn parse(text: Option<&str>, record: &Record) -> Result<Self> {
        let result = record.result.as_ref();
        let headline =
            result.and_then(ResultRecord::stated_headline).map(|headline| headline.name.clone());
        let Some(text) = text else {
            let streams = result.is_some_and(|result| !result.streams.is_empty());
            let usual = if streams { Self::GeometricMean } else { Self::Throughput };
            return Ok(headline.map_or(usual, Self::Headline));
        };
        if let Some(name) = headline.clone().filter(|name| name.eq_ignore_ascii_case(text)) {
            return Ok(Self::Headline(name));
        }
        match text {
            "geomean" => return Ok(Self::GeometricMean),
            "queries" => return Ok(Self::Queries),
            "slowest" => return Ok(Self::Slowest),
            "tps" => return Ok(Self::Throughput),
            "tpm" => {
                let source =
                    result.and_then(|result| result.tpm.as_ref()).map(|tpm| tpm.source.clone());
                return Ok(Self::Tpm(source.unwrap_or_else(|| "client".into())));
            }
            _ => {}
        }
        let kinds: Vec<&str> = result
            .into_iter()
            .flat_map(|result| result.transactions.iter().map(|kind| kind.name.as_str()))
            .collect();
        // The name `p99.9` contains a dot, so the text cannot be split at the last dot.
        let (kind, latency) = kinds
            .iter()
            .find_map(|kind| Some((*kind, text.strip_prefix(kind)?.strip_prefix('.')?)))
            .unwrap_or(("all", text));
        let known = LATENCIES.iter().find(|(name, _)| *name == latency);
        known.map(|(name, read)| Self::Latency(kind.into(), name, *read)).ok_or_else(|| {
            let names = LATENCIES
                .iter()
                .map(|(name, _)| *name)
                .chain(["tps", "tpm", "queries", "geomean", "slowest"]);
            let headline = headline.map(|name| name.to_lowercase());
            Error::usage(format!("unknown metric \"{text}\""))
                .did_you_mean(text, names.chain(headline.as_deref()))
                .hint("to specify the latency of one transaction type, use a name such as new_order.p95")
        })
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Self::Headline(name) => name.clone(),
            Self::GeometricMean => "geometric mean".into(),
            Self::Slowest => "slowest stream".into(),
            Self::Queries => QUERIES_PER_HOUR.into(),
            Self::Throughput => "transactions/s".into(),
            Self::Tpm(source) => format!("TPM ({source})"),
            Self::Latency(kind, name, _) => format!("{kind} {name}"),
        }
    }

    pub(crate) fn unit(&self) -> &'static str {
        match self {
            Self::Headline(_) | Self::Tpm(_) => "per_minute",
            Self::Throughput => "per_s",
            Self::Queries => "per_hour",
            Self::Latency(..) | Self::GeometricMean | Self::Slowest => "us",
        }
    }

    /// Returns true if this is the metric that sweeps compare.
    pub(crate) const fn is_throughput(&self) -> bool {
        matches!(self, Self::Headline(_) | Self::Throughput)
    }

    pub(crate) fn good(&self) -> Direction {
        if self.unit() == "us" { Direction::Down } else { Direction::Up }
    }

    pub(crate) fn figure(&self, result: &ResultRecord) -> Option<f64> {
        match self {
            Self::Headline(name) => {
                let headline = result.stated_headline().filter(|headline| headline.name == *name);
                headline.map(|headline| headline.per_minute)
            }
            Self::GeometricMean => match &result.analytics {
                Some(analytics) => Some(analytics.geometric_mean_s? * 1e6),
                None => Some(streams::overall_mean(result)?.0),
            },
            Self::Queries => Some(result.analytics.as_ref()?.queries_per_hour),
            Self::Slowest => streams::slowest_us(result),
            Self::Throughput => Some(result.throughput_per_s),
            Self::Tpm(source) => {
                let tpm = result.tpm.as_ref().filter(|tpm| tpm.source == *source);
                tpm.map(|tpm| tpm.per_minute)
            }
            Self::Latency(kind, _, latency) => latency(
                &result.transactions.iter().find(|transaction| transaction.name == *kind)?.latency,
            ),
        }
    }
}
