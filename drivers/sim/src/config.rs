//! The settings for a simulated database, taken from the target.

use std::time::Duration;

use tacho_core::units::{parse_count, parse_duration};
use tacho_core::{Error, Instant, Parameter, ParameterKind, Result, Seed};
use tacho_driver::Target;

const SHARE_HINT: &str = "write the value as 0.1% or 0.001; the maximum is 100%";

/// The supported options, which `docs.md` explains.
const OPTIONS: [Parameter; 11] = [
    option("latency", ParameterKind::Duration, "500us"),
    option("spread", ParameterKind::Choice(&["exponential", "fixed"]), "exponential"),
    option("statement", ParameterKind::Duration, "5us"),
    option("errors", ParameterKind::Text, "0%"),
    option("deadlocks", ParameterKind::Text, "0%"),
    option("stall_every", ParameterKind::Duration, "0s"),
    option("stall", ParameterKind::Duration, "0s"),
    option("outage_at", ParameterKind::Duration, "0s"),
    option("outage", ParameterKind::Duration, "0s"),
    option("capacity", ParameterKind::Count { min: 0, max: 1_000_000 }, "0"),
    option("seed", ParameterKind::Text, ""),
];

const fn option(key: &'static str, kind: ParameterKind, default: &'static str) -> Parameter {
    Parameter { key, kind, default, help: "" }
}

/// The distribution of the round-trip times around their mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Exponential distribution.
    Exponential,
    /// No variation.
    Fixed,
}

/// A parsed target.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Mean round-trip time. Default 500 µs.
    pub latency: Duration,
    /// Distribution of round-trip times. Defaults to an exponential distribution.
    pub spread: Spread,
    /// Time that each statement adds to a round trip. Default 5 µs.
    pub statement: Duration,
    /// Fraction of statements that fail permanently. Default 0.
    pub errors: f64,
    /// Fraction of statements that fail with a deadlock. Default 0.
    pub deadlocks: f64,
    /// Time from the start of one stall to the start of the next. Default 0, which means no stalls.
    pub stall_every: Duration,
    /// Duration of each stall. Default zero.
    pub stall: Duration,
    /// Time on the simulated clock at which the outage starts. Default zero.
    pub outage_at: Duration,
    /// Duration of the outage. Default zero.
    pub outage: Duration,
    /// Maximum number of requests that the server processes at the same time. Default 0, which means no limit.
    pub capacity: usize,
    /// Seed for the random latencies and faults. By default, it is the run's seed.
    pub seed: Option<Seed>,
}

impl Config {
    /// Reads and validates the options.
    pub fn from_target(target: &Target) -> Result<Self> {
        if !target.place.is_empty() {
            let error = Error::usage(format!("sim has no place \"{}\"", target.place));
            return Err(error.hint("write the target as sim or sim:?latency=1ms"));
        }
        target.check_options(&OPTIONS.map(|known| known.key))?;
        for known in &OPTIONS {
            known.check(value(target, known.key))?;
        }
        let span = |key| parse_duration(value(target, key));
        let spread = match value(target, "spread") {
            "fixed" => Spread::Fixed,
            _ => Spread::Exponential,
        };
        let config = Self {
            latency: span("latency")?,
            spread,
            statement: span("statement")?,
            errors: share("errors", value(target, "errors"))?,
            deadlocks: share("deadlocks", value(target, "deadlocks"))?,
            stall_every: span("stall_every")?,
            stall: span("stall")?,
            outage_at: span("outage_at")?,
            outage: span("outage")?,
            capacity: parse_count(value(target, "capacity"))? as usize,
            seed: seed(value(target, "seed"))?,
        };
        config.check()
    }

    /// Returns true if the server has an outage at this time.
    pub fn down(&self, now: Instant) -> bool {
        let begin = Instant(0).plus(self.outage_at);
        begin <= now && now < begin.plus(self.outage)
    }

    fn check(self) -> Result<Self> {
        if self.errors + self.deadlocks > 1.0 {
            return Err(
                Error::usage("errors and deadlocks add up to more than 100%").hint(SHARE_HINT)
            );
        }
        if !self.stall.is_zero() && self.stall >= self.stall_every {
            return Err(Error::usage("each stall must end before the next one starts")
                .hint("make stall_every longer than stall"));
        }
        Ok(self)
    }
}

fn value<'a>(target: &'a Target, key: &str) -> &'a str {
    let default = OPTIONS.iter().find(|known| known.key == key).map_or("", |known| known.default);
    target.option(key).unwrap_or(default)
}

fn share(key: &str, text: &str) -> Result<f64> {
    let (digits, unit) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits, 100.0));
    let share = digits.parse::<f64>().map(|number| number / unit);
    share.ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| {
        Error::usage(format!("invalid {key} \"{text}\": expected a percentage or fraction"))
            .hint(SHARE_HINT)
    })
}

fn seed(text: &str) -> Result<Option<Seed>> {
    if text.is_empty() {
        return Ok(None);
    }
    let number = text.parse().map_err(|_| {
        Error::usage(format!("invalid value for seed: \"{text}\""))
            .hint("allowed: 0 or a positive whole number")
    })?;
    Ok(Some(Seed(number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() -> Result<()> {
        let text = "sim:?latency=1ms&spread=fixed&errors=0.1%&deadlocks=0.5&stall_every=10s&\
                    stall=2s&capacity=4&seed=7";
        let config = Config::from_target(&Target::parse(text)?)?;
        assert_eq!(config.latency, Duration::from_millis(1));
        assert_eq!(config.statement, Duration::from_micros(5));
        assert!((config.errors - 0.001).abs() < 1e-12 && (config.deadlocks - 0.5).abs() < 1e-12);
        assert_eq!((config.spread, config.capacity), (Spread::Fixed, 4));
        assert_eq!(config.seed, Some(Seed(7)));
        Ok(())
    }

    #[test]
    fn rejects_invalid_targets_with_a_hint() -> Result<()> {
        let table = [
            "sim:x",
            "sim:?latency=5",
            "sim:?spread=normal",
            "sim:?errors=101%",
            "sim:?errors=-1",
            "sim:?errors=NaN",
            "sim:?errors=60%&deadlocks=60%",
            "sim:?stall=1s",
            "sim:?seed=x",
            "sim:?latencies=1s",
        ];
        for text in table {
            let error = Config::from_target(&Target::parse(text)?).expect_err(text);
            assert!(!error.hints().is_empty(), "{text}: {error}");
        }
        Ok(())
    }
}
