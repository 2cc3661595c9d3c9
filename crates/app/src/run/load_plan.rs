//! The settings of a run as the engine's plan.

use std::time::Duration;

use tacho_config::Resolved;
use tacho_core::units::{parse_count, parse_duration, parse_rate};
use tacho_core::{Error, Result, Seed};
use tacho_engine::{Arrival, LoadPlan, OnDisconnect, RetryInput, RetryPolicy, Spacing, Stop};
use tacho_workload::Instance;

/// Shortest interval: below it, the controller's own work would be visible in the figures.
const INTERVAL_MIN: Duration = Duration::from_millis(100);

/// Reads the plan for an instance out of the settings.
pub(super) fn load_plan(resolved: &Resolved, instance: &dyn Instance) -> Result<LoadPlan> {
    let plan = settings(resolved)?;
    match instance.streams() {
        Some(streams) => beside(plan, streams.count),
        None if instance.ends() => until_done(plan, resolved),
        None => Ok(plan),
    }
}

/// The plan with so many streams of queries beside the sessions that are asked for.
fn beside(plan: LoadPlan, streams: u32) -> Result<LoadPlan> {
    if streams > 0 && matches!(plan.stop, Stop::Count(_)) {
        let text = "a number of transactions is given, and streams of queries do not end with them";
        return Err(Error::usage(text).hint("give --duration, or --set streams=0"));
    }
    Ok(LoadPlan { sessions: plan.sessions + streams, ..plan })
}

/// The plan as the settings have it.
pub(super) fn settings(resolved: &Resolved) -> Result<LoadPlan> {
    let span = |key: &str| resolved.get(key).map_or(Ok(Duration::ZERO), parse_duration);
    let count = |key: &str, or: u64| resolved.get(key).map_or(Ok(or), parse_count);
    let stop = match resolved.get("transactions") {
        Some(text) => {
            if resolved.is_given("duration") {
                return Err(Error::usage("both a duration and a number of transactions are given")
                    .hint("give --duration or --transactions"));
            }
            Stop::Count(parse_count(text)?)
        }
        None => Stop::After(span("duration")?),
    };
    if stop == Stop::After(Duration::ZERO) {
        return Err(Error::usage("duration is 0").hint("measure for 1s or longer"));
    }
    let interval = span("interval")?;
    if interval < INTERVAL_MIN {
        return Err(Error::usage("interval is below 100ms").hint("use 100ms or longer"));
    }
    let input = match resolved.get("retry") {
        Some("same") => RetryInput::Same,
        Some("new") => RetryInput::New,
        _ => RetryInput::None,
    };
    Ok(LoadPlan {
        sessions: count("sessions", 1)? as u32,
        workers: count("workers", u64::from(tacho_collect::cores()))? as usize,
        arrival: arrival(resolved)?,
        pacing: pacing(resolved.get("pacing").unwrap_or("none"))?,
        ramp_up: span("ramp_up")?,
        stop,
        ramp_down: span("ramp_down")?,
        retry: RetryPolicy {
            input,
            attempts: count("attempts", 3)? as u32,
            backoff: span("backoff")?,
        },
        on_disconnect: match resolved.get("on_disconnect") {
            Some("reconnect") => OnDisconnect::Reconnect,
            _ => OnDisconnect::Stop,
        },
        reconnect_within: span("reconnect_within")?,
        interval,
        drain: span("drain")?,
        answer_within: span("answer_timeout")?,
        seed: Seed(count("seed", 42)?),
        stagger: span("stagger")?,
        session_times: resolved.get("session_times") == Some("yes"),
        shared: resolved.get("shared") == Some("yes"),
    })
}

/// The plan of a run whose sessions come to an end by themselves: it lasts until the last of them has.
fn until_done(plan: LoadPlan, resolved: &Resolved) -> Result<LoadPlan> {
    for key in ["duration", "transactions", "rate"] {
        if resolved.is_given(key) {
            let text = format!("{key} is given, and the workload ends with its last query");
            return Err(Error::usage(text)
                .hint(format!("leave --{key} out: the run is over when all sessions are")));
        }
    }
    let zero = Duration::ZERO;
    for (key, span) in [("ramp_up", plan.ramp_up), ("ramp_down", plan.ramp_down)] {
        if resolved.is_given(key) && span != zero {
            let text =
                format!("{key} is given, and the workload has no other work than the measured one");
            return Err(Error::usage(text).hint("leave it out"));
        }
    }
    Ok(LoadPlan { stop: Stop::Done, ramp_up: zero, ramp_down: zero, ..plan })
}

fn arrival(resolved: &Resolved) -> Result<Arrival> {
    let Some(rate) = resolved.get("rate") else { return Ok(Arrival::Closed) };
    if resolved.get("pacing").is_some_and(|pacing| pacing != "none") {
        return Err(Error::usage("both a rate and a pacing are given")
            .hint("an open arrival has no keying and think times: give --rate or --pacing"));
    }
    let spacing = match resolved.get("spacing") {
        Some("uniform") => Spacing::Uniform,
        _ => Spacing::Poisson,
    };
    let backlog = resolved.get("backlog").map_or(Ok(1_000_000), parse_count)?;
    Ok(Arrival::Open { rate: parse_rate(rate)?, spacing, backlog })
}

/// `none` is 0, `spec` is 1, `x0.5` is 0.5.
fn pacing(text: &str) -> Result<f64> {
    let factor = match text {
        "none" => Some(0.0),
        "spec" => Some(1.0),
        other => other.strip_prefix('x').and_then(|factor| factor.parse().ok()),
    };
    factor.filter(|factor| (0.0..=1000.0).contains(factor)).ok_or_else(|| {
        Error::usage(format!("invalid value for pacing: \"{text}\""))
            .hint("allowed: none, spec, or a factor from x0 to x1000, such as x0.5")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacho_config::{Source, resolve};

    fn plan(flags: &[(&str, &str)]) -> Result<LoadPlan> {
        let flags = flags.iter().map(|(k, v)| ((*k).to_owned(), vec![(*v).to_owned()])).collect();
        settings(&resolve(Source { flags, ..Source::default() })?)
    }

    #[test]
    fn settings_become_a_plan() -> Result<()> {
        let default = plan(&[])?;
        assert_eq!(default.stop, Stop::After(Duration::from_secs(10)));
        assert!(default.arrival == Arrival::Closed && default.pacing < 1e-12);
        let open = plan(&[("rate", "5k"), ("spacing", "uniform"), ("backlog", "7")])?;
        let expected = Arrival::Open { rate: 5e3, spacing: Spacing::Uniform, backlog: 7 };
        assert_eq!(open.arrival, expected);
        assert!((plan(&[("pacing", "x0.5")])?.pacing - 0.5).abs() < 1e-12);
        assert_eq!(plan(&[("transactions", "5k")])?.stop, Stop::Count(5_000));
        Ok(())
    }

    #[test]
    fn a_workload_that_ends_by_itself_is_told_no_end() -> Result<()> {
        let done = |flags: &[(&str, &str)]| {
            let flags: Vec<_> =
                flags.iter().map(|(k, v)| ((*k).to_owned(), vec![(*v).to_owned()])).collect();
            let resolved = resolve(Source { flags, ..Source::default() })?;
            until_done(settings(&resolved)?, &resolved)
        };
        let plan = done(&[("sessions", "3"), ("ramp_up", "0s")])?;
        assert_eq!((plan.stop, plan.sessions, plan.ramp_up), (Stop::Done, 3, Duration::ZERO));
        for (key, value) in
            [("duration", "5s"), ("transactions", "5"), ("rate", "5"), ("ramp_up", "5s")]
        {
            let error = done(&[(key, value)]).err();
            assert!(error.is_some_and(|error| !error.hints().is_empty()), "{key}");
        }
        Ok(())
    }

    #[test]
    fn streams_come_on_top_of_the_sessions_and_have_no_count() -> Result<()> {
        assert_eq!(beside(plan(&[("sessions", "3")])?, 2)?.sessions, 5);
        let counted = [("transactions", "50")];
        assert!(beside(plan(&counted)?, 0).is_ok());
        let refused = beside(plan(&counted)?, 1).expect_err("a count and streams");
        assert!(refused.hints()[0].contains("streams=0"), "{refused:?}");
        Ok(())
    }

    #[test]
    fn contradictions_and_absurd_values_are_refused() {
        let table: &[&[(&str, &str)]] = &[
            &[("duration", "0s")],
            &[("duration", "5s"), ("transactions", "5")],
            &[("rate", "5"), ("pacing", "spec")],
            &[("pacing", "x-1")],
            &[("pacing", "xNaN")],
            &[("pacing", "fast")],
            &[("interval", "1ms")],
            &[("sessions", "0")],
            &[("rate", "-5")],
        ];
        for flags in table {
            assert!(plan(flags).is_err(), "{flags:?}");
        }
    }
}
