//! Turns a request into the points of a sweep and validates each point.
//!
//! Start reading at [`record`].

use tacho_config::{Design, Order, Resolved};
use tacho_core::units::grouped;
use tacho_core::{Error, Result};
use tacho_store::record::RunState;
use tacho_store::sweep::{CalibrationRecord, FORMAT, Point, SweepRecord, VERSION, Varied};
use tacho_workload::Workload;

use super::{
    DESIGN, FIND_MAX, ORDER, RATE, SESSIONS, STOP_ON_FAILURE, STOP_PAST_PEAK, SweepRequest, order,
    search, settings, vary,
};
use crate::settings::none as no_settings;
use crate::{Context, Job};

/// Returns the record of a sweep that has not started, without connecting to a server.
pub(super) fn record(
    base: &mut Resolved,
    request: &SweepRequest,
    context: &Context,
) -> Result<SweepRecord> {
    let job = Job::new(base.clone(), context)?;
    let calibration = calibration(request)?;
    let mut vary = varied(request, job.workload.as_ref())?;
    vary::without_passwords(&mut vary, base)?;
    let base = &*base;
    let points = if let Some(limit) = &request.find_max {
        check_limit(base, limit, context)?;
        let firsts = first_points(base, request, &mut vary)?;
        firsts.iter().try_for_each(|point| check(base, &vary, point, context))?;
        firsts.into_iter().take(1).collect()
    } else {
        let points = points(request, &vary, calibration.is_some())?;
        points.iter().try_for_each(|point| check(base, &vary, point, context))?;
        points
    };
    Ok(SweepRecord {
        format: FORMAT.into(),
        version: VERSION,
        id: String::new(),
        state: RunState::Incomplete,
        started_at: tacho_collect::local_time(tacho_collect::wall_clock()),
        tool_version: env!("CARGO_PKG_VERSION").into(),
        workload: job.workload.manifest().id.into(),
        target_name: target_name(&job, &vary),
        settings: kept(base, &job, request),
        vary,
        points,
        found: None,
        found_for: Vec::new(),
        calibration,
    })
}

/// Returns the target's name for the title of a sweep, or the names of all targets if the sweep varies the target. If
/// one of them is a URL, returns only their number, because URLs would be too long.
fn target_name(job: &Job, vary: &[Varied]) -> String {
    match vary.iter().find(|varied| varied.key == "target") {
        None => job.target_name.clone(),
        Some(targets) if targets.values.iter().all(|name| !name.contains(':')) => {
            targets.values.join(", ")
        }
        Some(targets) => format!("{} targets", targets.values.len()),
    }
}

/// Returns the sweep variables. Each key may occur only once.
fn varied(request: &SweepRequest, workload: &dyn Workload) -> Result<Vec<Varied>> {
    let mut all: Vec<Varied> = Vec::new();
    for text in &request.vary {
        let varied = vary::parse(text, workload)?;
        if all.iter().any(|known| known.key == varied.key) {
            return Err(Error::usage(format!("{} is varied twice", varied.key))
                .hint("list all values in a single --vary option"));
        }
        all.push(varied);
    }
    Ok(all)
}

/// Returns the runs in the order in which they will be measured.
fn points(request: &SweepRequest, vary: &[Varied], is_calibrated: bool) -> Result<Vec<Point>> {
    if vary.is_empty() {
        return Err(Error::usage("no sweep variable given")
            .hint("add --vary sessions=1,2,4,8, or --find-max 'p99<50ms'"));
    }
    require_few(request, vary)?;
    let grid = vary::design(vary, request.design)?;
    let mut points =
        if is_calibrated { order::equal(&grid[0], request.repeat) } else { Vec::new() };
    points.extend(order::points(&grid, request.repeat.max(1), request.order));
    Ok(points)
}

/// Returns the first run of each search. If a search chooses the value of a setting, adds this setting to `vary`.
fn first_points(
    base: &Resolved,
    request: &SweepRequest,
    vary: &mut Vec<Varied>,
) -> Result<Vec<Point>> {
    if vary.iter().any(|varied| varied.key == RATE) {
        return Err(Error::usage("--find-max searches for the rate, so the rate cannot be varied")
            .hint("omit --vary rate"));
    }
    if request.design != Design::Grid {
        return Err(Error::usage("--find-max measures all combinations").hint("omit --design"));
    }
    require_few(request, vary)?;
    let grid = vary::grid(vary);
    let is_given = base.is_given(SESSIONS) || vary.iter().any(|varied| varied.key == SESSIONS);
    let is_chosen = !is_given && base.plan.steps.is_none();
    let chosen = [(SESSIONS, is_chosen), (RATE, true)].into_iter().filter(|(_, add)| *add);
    vary.extend(chosen.map(|(key, _)| Varied { key: key.into(), values: Vec::new() }));
    Ok(grid.into_iter().map(|values| search::first(values, is_chosen)).collect())
}

/// The maximum number of runs in a sweep.
const POINTS_MAX: u64 = 10_000;

/// Returns an error if a sweep has too many runs. Must be called before creating the list of runs.
fn require_few(request: &SweepRequest, vary: &[Varied]) -> Result<()> {
    let lengths = vary.iter().map(|varied| varied.values.len() as u64);
    let repeat = u64::from(request.repeat.max(1));
    let count = lengths.fold(repeat, u64::saturating_mul);
    if count <= POINTS_MAX {
        return Ok(());
    }
    let [count, most] = [count, POINTS_MAX].map(grouped);
    Err(Error::usage(format!("too many runs: {count} (maximum {most})"))
        .hint("vary fewer keys or values at a time, or lower --repeat"))
}

/// Validates a point, so that its errors are reported before anything is measured.
fn check(base: &Resolved, vary: &[Varied], point: &Point, context: &Context) -> Result<()> {
    let job = Job::new(settings(base, vary, point)?, context)?;
    crate::dry_run(&job)?;
    let changes = !vary::server_settings(vary, &point.values).is_empty();
    if changes && !job.driver.capabilities().settings {
        return Err(no_settings(&job));
    }
    Ok(())
}

/// Returns an error if the limit of a search is invalid. Without this check, every rate would seem to miss the limit.
fn check_limit(base: &Resolved, limit: &str, context: &Context) -> Result<()> {
    let mut limits = base.plan.judgement.thresholds.clone();
    limits.push(limit.to_owned());
    let job = Job::new(base.with("threshold", &limits)?, context)?;
    crate::dry_run(&job)?;
    let Some(steps) = &base.plan.steps else { return Ok(()) };
    if !steps.is_open() {
        return Err(Error::usage(
            "--find-max searches for a rate, but --load contains numbers of \
            sessions",
        )
        .hint("specify the levels as rates, such as 'ramp: 100..900/s over 5m'"));
    }
    if !crate::run::judges_steps(&job, limit)? {
        return Err(Error::usage(format!(
            "the limit {limit} cannot be evaluated for the steps of \
            --load"
        ))
        .hint("use a limit for all transaction types combined, such as 'p99<50ms'"));
    }
    Ok(())
}

/// Returns the settings and options that are needed to resume a sweep.
fn kept(base: &Resolved, job: &Job, request: &SweepRequest) -> Vec<(String, Vec<String>)> {
    let mut kept = safe(base, job);
    for (key, value) in [
        (STOP_PAST_PEAK, Some(request.stop_past_peak.to_string())),
        (STOP_ON_FAILURE, Some(request.stop_on_failure.to_string())),
        (FIND_MAX, request.find_max.clone()),
        (DESIGN, (request.design != Design::default()).then(|| request.design.word().to_owned())),
        (ORDER, (request.order != Order::default()).then(|| request.order.word().to_owned())),
    ] {
        kept.extend(value.map(|value| (key.to_owned(), vec![value])));
    }
    kept
}

/// Returns the specified settings, without secrets.
fn safe(base: &Resolved, job: &Job) -> Vec<(String, Vec<String>)> {
    let mut given = base.given();
    for (_, values) in given.iter_mut().filter(|(key, _)| key == "target") {
        *values = vec![job.target_text.clone()];
    }
    given
}

/// Returns the calibration to perform before the sweep, including the size of the change to detect, or `None` if
/// none was requested.
fn calibration(request: &SweepRequest) -> Result<Option<CalibrationRecord>> {
    let wanted = request.detect.as_deref().map(parse_share).transpose()?;
    if wanted.is_none() && !request.calibrate {
        return Ok(None);
    }
    if request.repeat < 2 || request.find_max.is_some() {
        return Err(Error::usage("a calibration requires repeated runs")
            .hint("add --repeat 4; --find-max does not support calibrations"));
    }
    Ok(Some(CalibrationRecord { wanted, metric: request.metric.clone() }))
}

/// Parses a positive share such as `3%` or `0.03`.
fn parse_share(text: &str) -> Result<f64> {
    let (number, factor) = text.strip_suffix('%').map_or((text, 1.0), |number| (number, 0.01));
    let share = number.trim().parse::<f64>().ok().map(|number| number * factor);
    share.filter(|share| *share > 0.0 && *share < 10.0).ok_or_else(|| {
        Error::usage(format!("invalid value for --detect: \"{text}\""))
            .hint("use a change such as 3% or 0.03")
    })
}
