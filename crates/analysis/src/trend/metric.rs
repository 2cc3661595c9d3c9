//! Which figure of a run is followed.

use tacho_core::{Error, Result, nearest};
use tacho_metrics::Direction;
use tacho_store::record::{DistributionRecord, Record, ResultRecord};

use crate::analytics::QUERIES_PER_HOUR;
use crate::streams;

type Latency = fn(&DistributionRecord) -> Option<f64>;

const LATENCIES: [(&str, Latency); 7] = [
    ("p50", |own| own.p50_us),
    ("p90", |own| own.p90_us),
    ("p95", |own| own.p95_us),
    ("p99", |own| own.p99_us),
    ("p99.9", |own| own.p999_us),
    ("mean", |own| (own.count > 0).then_some(own.mean_us)),
    ("max", |own| (own.count > 0).then_some(own.max_us)),
];

/// A figure of a run.
pub(super) enum Metric {
    /// The workload's own, by its name.
    Headline(String),
    /// Geometric mean of the times of all transactions of a run of query streams, or of the queries that run next to
    /// transactions.
    GeometricMean,
    /// Elapsed time of the slowest stream.
    Slowest,
    /// Queries per hour of the streams that run next to the transactions.
    Queries,
    /// Transactions per second.
    Throughput,
    /// Transactions per minute from this source.
    Tpm(String),
    /// A latency of a transaction type.
    Latency(String, &'static str, Latency),
}

impl Metric {
    /// Reads a name; without one it is what the workload is known for.
    pub(super) fn parse(text: Option<&str>, record: &Record) -> Result<Self> {
        let result = record.result.as_ref();
        let headline = result.and_then(ResultRecord::stated_headline).map(|own| own.name.clone());
        let Some(text) = text else {
            let streams = result.is_some_and(|own| !own.streams.is_empty());
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
                let source = result.and_then(|own| own.tpm.as_ref()).map(|own| own.source.clone());
                return Ok(Self::Tpm(source.unwrap_or_else(|| "client".into())));
            }
            _ => {}
        }
        let kinds: Vec<&str> = result
            .into_iter()
            .flat_map(|own| own.transactions.iter().map(|kind| kind.name.as_str()))
            .collect();
        // The name of the last percentile contains a dot itself.
        let (kind, latency) = kinds
            .iter()
            .find_map(|kind| Some((*kind, text.strip_prefix(kind)?.strip_prefix('.')?)))
            .unwrap_or(("all", text));
        let known = LATENCIES.iter().find(|(name, _)| *name == latency);
        known.map(|(name, own)| Self::Latency(kind.into(), name, *own)).ok_or_else(|| {
            let names = LATENCIES
                .iter()
                .map(|(name, _)| *name)
                .chain(["tps", "tpm", "queries", "geomean", "slowest"]);
            let headline = headline.map(|name| name.to_lowercase());
            let close = nearest(text, names.chain(headline.as_deref())).join(", ");
            Error::usage(format!("unknown figure \"{text}\" of these runs"))
                .hint(format!("did you mean {close}?"))
                .hint("a latency of one kind is written as new_order.p95")
        })
    }

    pub(super) fn name(&self) -> String {
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

    pub(super) fn unit(&self) -> &'static str {
        match self {
            Self::Headline(_) | Self::Tpm(_) => "per_minute",
            Self::Throughput => "per_s",
            Self::Queries => "per_hour",
            Self::Latency(..) | Self::GeometricMean | Self::Slowest => "us",
        }
    }

    pub(super) fn good(&self) -> Direction {
        if self.unit() == "us" { Direction::Down } else { Direction::Up }
    }

    pub(super) fn figure(&self, result: &ResultRecord) -> Option<f64> {
        match self {
            Self::Headline(name) => {
                let own = result.stated_headline().filter(|own| own.name == *name);
                own.map(|own| own.per_minute)
            }
            Self::GeometricMean => match &result.analytics {
                Some(own) => Some(own.geometric_mean_s? * 1e6),
                None => Some(streams::overall_mean(result)?.0),
            },
            Self::Queries => Some(result.analytics.as_ref()?.queries_per_hour),
            Self::Slowest => streams::slowest_us(result),
            Self::Throughput => Some(result.throughput_per_s),
            Self::Tpm(source) => {
                let own = result.tpm.as_ref().filter(|own| own.source == *source);
                own.map(|own| own.per_minute)
            }
            Self::Latency(kind, _, latency) => {
                latency(&result.transactions.iter().find(|own| own.name == *kind)?.latency)
            }
        }
    }
}
