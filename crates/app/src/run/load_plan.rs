//! Adapts the requested load to the workload.

use std::time::Duration;

use tacho_config::{Origin, Resolved};
use tacho_core::{Error, Result};
use tacho_engine::{Arrival, LoadPlan, Stop};
use tacho_workload::Instance;

use super::terminals;

/// Minimum reporting interval. If it were shorter, reporting itself would affect the results.
const INTERVAL_MIN: Duration = Duration::from_millis(100);

/// Returns the load for a workload and its query streams. It has no time limit if the workload ends by itself.
pub(crate) fn load_plan(resolved: &Resolved, instance: &dyn Instance) -> Result<LoadPlan> {
    let plan = asked(resolved)?;
    if plan.terminals.is_some() {
        terminals::require(resolved, &plan, instance)?;
    }
    if resolved.plan.steps.is_some() && (instance.streams().is_some() || instance.ends()) {
        return Err(Error::usage("--load is not supported with query streams")
            .hint("use a transaction workload without streams"));
    }
    match instance.streams() {
        Some(streams) => with_streams(plan, streams.count),
        // A replay runs to the end of its log. A duration in the settings file or the environment does not change this,
        // because it was meant for other runs.
        None if instance.recorded().is_some() => until_done(plan, resolved, Resolved::is_flag),
        None if instance.ends() => until_done(plan, resolved, Resolved::is_given),
        None => Ok(plan),
    }
}

/// Returns the plan with additional sessions for the query streams.
fn with_streams(plan: LoadPlan, streams: u32) -> Result<LoadPlan> {
    if streams > 0 && matches!(plan.stop, Stop::Count(_)) {
        let text = "query streams cannot be limited to a number of transactions";
        return Err(Error::usage(text).hint("use --duration, or --set streams=0"));
    }
    Ok(LoadPlan { sessions: plan.sessions + streams, ..plan })
}

/// Returns the requested load. Contradictory settings result in a usage error.
fn asked(resolved: &Resolved) -> Result<LoadPlan> {
    let plan = resolved.plan.load;
    if resolved.is_asked("duration") && resolved.is_asked("transactions") {
        return Err(Error::usage("both a duration and a number of transactions were given")
            .hint("use either --duration or --transactions"));
    }
    if plan.stop == Stop::After(Duration::ZERO) {
        return Err(Error::usage("duration is 0").hint("measure for 1s or longer"));
    }
    if plan.interval < INTERVAL_MIN {
        return Err(Error::usage("interval is shorter than 100ms").hint("use 100ms or longer"));
    }
    if plan.arrival.rate.is_some() && plan.pacing > 0.0 {
        return Err(Error::usage("both a rate and a pacing factor were given")
            .hint("open arrivals have no keying or think times: use either --rate or --pacing"));
    }
    let workers = plan.workers.unwrap_or_else(tacho_collect::cores);
    stepped(LoadPlan { workers: Some(workers), ..plan }, resolved)
}

/// Returns the plan with the sessions, rate, and duration determined by its steps.
fn stepped(plan: LoadPlan, resolved: &Resolved) -> Result<LoadPlan> {
    let Some(steps) = &resolved.plan.steps else { return Ok(plan) };
    let open = steps.is_open();
    // With terminals, the steps are numbers of terminals, which share a constant number of sessions.
    let keeps_sessions = open || plan.terminals.is_some();
    let taken = ["duration", "transactions", "rate", if keeps_sessions { "" } else { "sessions" }];
    if let Some(key) = taken.iter().find(|key| contradicts(resolved, key)) {
        let text = format!("both --load and a value for {key} were given");
        return Err(Error::usage(text).hint(format!("the --load steps determine the {key}")));
    }
    if open && plan.pacing > 0.0 {
        return Err(Error::usage("--load contains rates, but a pacing factor was also given")
            .hint("open arrivals have no keying or think times: use only one of the two"));
    }
    let sessions = if keeps_sessions { plan.sessions } else { steps.sessions_max() };
    let rate = open.then(|| steps.rate_max());
    let arrival = Arrival { rate, ..plan.arrival };
    Ok(LoadPlan { sessions, arrival, stop: Stop::After(steps.length()), ..plan })
}

/// Returns true if the value of a setting contradicts `--load`. Values from less important sources do not, because
/// `--load` overrides them.
fn contradicts(resolved: &Resolved, key: &str) -> bool {
    let origin =
        |key: &str| resolved.entries().find(|entry| entry.key == key).map(|entry| entry.origin);
    match origin(key) {
        Some(Origin::Flag | Origin::Sweep) => true,
        None | Some(Origin::Default | Origin::Run(_)) => false,
        given => given == origin("load"),
    }
}

/// Returns the plan for a run that lasts until all sessions have ended by themselves.
fn until_done(
    plan: LoadPlan,
    resolved: &Resolved,
    is_given: fn(&Resolved, &str) -> bool,
) -> Result<LoadPlan> {
    for key in ["duration", "transactions", "rate"] {
        if is_given(resolved, key) {
            let text = format!("{key} is not supported: the workload ends with its last query");
            return Err(Error::usage(text)
                .hint(format!("omit --{key}: the run ends when all sessions have ended")));
        }
    }
    let zero = Duration::ZERO;
    for (key, span) in [("ramp_up", plan.ramp_up), ("ramp_down", plan.ramp_down)] {
        if is_given(resolved, key) && span != zero {
            let text = format!(
                "{key} is not supported: the workload has no work outside the measured \
                    phase"
            );
            return Err(Error::usage(text).hint("omit the setting"));
        }
    }
    Ok(LoadPlan { stop: Stop::Done, ramp_up: zero, ramp_down: zero, ..plan })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacho_config::{Source, Spacing, resolve};

    fn plan(flags: &[(&str, &str)]) -> Result<LoadPlan> {
        let flags = flags.iter().map(|(k, v)| ((*k).to_owned(), vec![(*v).to_owned()])).collect();
        asked(&resolve(Source { flags, ..Source::default() })?)
    }

    #[test]
    fn settings_become_a_plan() -> Result<()> {
        let default = plan(&[])?;
        assert_eq!(default.stop, Stop::After(Duration::from_secs(10)));
        assert!(default.arrival == Arrival::default() && default.pacing < 1e-12);
        let open = plan(&[("rate", "5k"), ("spacing", "uniform"), ("backlog", "7")])?;
        let expected = Arrival { backlog: 7, ..Arrival::open(5e3, Spacing::Uniform) };
        assert_eq!(open.arrival, expected);
        assert!((plan(&[("pacing", "x0.5")])?.pacing - 0.5).abs() < 1e-12);
        assert_eq!(plan(&[("transactions", "5k")])?.stop, Stop::Count(5_000));
        let steps = plan(&[("load", "steps: 3x1s, 9x2s")])?;
        assert_eq!((steps.sessions, steps.stop), (9, Stop::After(Duration::from_secs(3))));
        let rates = plan(&[("load", "ramp: 3..9/s over 2s"), ("sessions", "4")])?;
        assert_eq!((rates.sessions, rates.arrival.rate), (4, Some(9.0)));
        Ok(())
    }

    #[test]
    fn a_workload_that_ends_by_itself_is_told_no_end() -> Result<()> {
        let done = |flags: &[(&str, &str)]| {
            let flags: Vec<_> =
                flags.iter().map(|(k, v)| ((*k).to_owned(), vec![(*v).to_owned()])).collect();
            let resolved = resolve(Source { flags, ..Source::default() })?;
            until_done(asked(&resolved)?, &resolved, Resolved::is_given)
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
        assert_eq!(with_streams(plan(&[("sessions", "3")])?, 2)?.sessions, 5);
        let counted = [("transactions", "50")];
        assert!(with_streams(plan(&counted)?, 0).is_ok());
        let refused = with_streams(plan(&counted)?, 1).expect_err("a count and streams");
        assert!(refused.hints()[0].contains("streams=0"), "{refused:?}");
        Ok(())
    }

    #[test]
    fn rejects_contradictions_and_absurd_values() {
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
            &[("load", "steps: 2x1s"), ("sessions", "5")],
            &[("load", "steps: 2x1s"), ("duration", "5s")],
            &[("load", "steps: 2/sx1s"), ("rate", "5")],
            &[("load", "steps: 2/sx1s"), ("pacing", "spec")],
        ];
        for flags in table {
            assert!(plan(flags).is_err(), "{flags:?}");
        }
    }
}
