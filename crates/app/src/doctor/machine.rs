//! Findings about the load machine: its resources, their use by other processes, and Tacho's overhead.
//!
//! Start reading at [`machine`].

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use tacho_analysis::Finding;
use tacho_collect::{Disk, OpenFiles, cores, cpu_time, host_reading};
use tacho_core::units::{bytes, counted, grouped, latency, percent, significant};
use tacho_core::{Clock, Result, Seed};
use tacho_driver::Form;
use tacho_engine::{LoadPlan, Observer, Setup, Share, Stop};
use tacho_metrics::Phase;
use tacho_workload::Choices;

use super::Wanted;
use crate::Context;
use crate::clock::clock;
use crate::headroom::MONITORING_SESSIONS;

/// The time for which other processes are observed while Tacho is idle.
const WATCHED: Duration = Duration::from_millis(500);
/// The duration of the overhead measurement.
const MEASURED: Duration = Duration::from_millis(500);
/// The number of clock readings used to determine the clock resolution.
const READINGS: usize = 10_000;
/// The coarsest clock resolution that is precise enough for a fast database's latencies.
const COARSE: Duration = Duration::from_micros(1);
/// The maximum acceptable share of CPU time used by other processes.
const OTHERS_MAX: f64 = 0.1;
/// The maximum acceptable share of CPU time stolen by the hypervisor.
const STEAL_MAX: f64 = 0.01;
/// The minimum acceptable share of free memory.
const MEMORY_MIN: f64 = 0.1;
/// The minimum free space for records. Long runs with many sessions write large records.
const DISK_MIN: u64 = 1_000_000_000;
/// The amount of free space below which a private server cannot even start.
const SERVERS_DISK_MIN: u64 = 50_000_000;
/// The number of files that a run opens for outputs, its record and its threads, in addition to the files of its
/// sessions.
const OTHER_FILES: u64 = 32;
/// The number of files used by the event loop of one thread.
const FILES_PER_LOOP: u64 = 4;

/// Returns a finding for each property that the operating system reports.
pub(super) fn machine(
    wanted: Wanted,
    files_per_session: u64,
    context: &Context,
) -> Result<Vec<Finding>> {
    let mut found = vec![cpu()];
    found.extend(others());
    found.push(time());
    let open = tacho_collect::open_files();
    found.extend(open.map(|open| open_files(open, wanted, files_per_session)));
    found.extend(memory());
    found.extend(disk(&context.folder));
    found.extend(servers_disks(context));
    found.extend(own_cost(context)?);
    Ok(found)
}

fn cpu() -> Finding {
    let usable = cores();
    let all = tacho_collect::processors().filter(|all| *all != usable);
    let quota = tacho_collect::cpu_quota();
    let governors = tacho_collect::governors();
    let is_virtual = tacho_collect::is_virtual();
    let mut parts = vec![match all {
        Some(all) => format!("{usable} of {}", counted(all.into(), "core")),
        None => counted(usable.into(), "core"),
    }];
    parts.extend(
        quota.map(|quota| format!("of which the container can use {}", significant(quota))),
    );
    if !governors.is_empty() {
        parts.push(format!("governor {}", governors.join(" and ")));
    }
    if is_virtual == Some(true) {
        parts.push("virtual machine".into());
    }
    let text = parts.join(", ");
    let found = if governors.iter().any(|governor| governor != "performance") {
        Finding::warning("cpu", text, "cpupower frequency-set -g performance")
    } else {
        Finding::good("cpu", text)
    };
    found
        .value("cores", usable)
        .maybe("machine_cores", tacho_collect::processors())
        .maybe("container_cores", quota)
        .maybe("governors", (!governors.is_empty()).then_some(governors))
        .maybe("virtual", is_virtual)
}

/// Returns the CPU usage of other processes while Tacho is idle, or `None` if the system does not report it.
fn others() -> Option<Finding> {
    let before = host_reading()?.cpu();
    let clock = clock();
    let until = clock.now().plus(WATCHED);
    pollster::block_on(clock.timer().until(until));
    let grown = host_reading()?.cpu().since(before);
    let total = grown.total() as f64;
    if total <= 0.0 {
        return None;
    }
    let steal = grown.steal as f64 / total;
    let idle = (grown.idle + grown.io_wait) as f64 / total;
    let busy = (1.0 - idle - steal).clamp(0.0, 1.0);
    let mut text =
        format!("other processes are using {} of this machine's CPU time", percent(busy));
    if steal > 0.0 {
        text = format!("{text}, the hypervisor uses {}", percent(steal));
    }
    let found = if steal > STEAL_MAX {
        Finding::warning(
            "load",
            text,
            "use a dedicated machine: other virtual machines on the host affect the results",
        )
    } else if busy > OTHERS_MAX {
        Finding::warning("load", text, "close other programs, or wait until they have finished")
    } else {
        Finding::good("load", text)
    };
    Some(found.value("others_share", busy).value("steal_share", steal))
}

/// Returns the clock source and the smallest step observed between clock readings.
fn time() -> Finding {
    let source = tacho_collect::clock_source();
    let clock = clock();
    let readings: Vec<_> = (0..READINGS).map(|_| clock.now()).collect();
    let steps = readings.windows(2).map(|pair| pair[1].since(pair[0]));
    let resolution = steps.filter(|step| !step.is_zero()).min();
    let mut parts: Vec<String> = source.iter().cloned().collect();
    parts.extend(resolution.map(|step| format!("resolution {}", nanos(step))));
    let text = parts.join(", ");
    let found = match resolution {
        Some(step) if step < COARSE => Finding::good("clock", text),
        _ => Finding::warning(
            "clock",
            if text.is_empty() { "no clock step observed".into() } else { text },
            "see /sys/devices/system/clocksource/clocksource0/available_clocksource for a finer \
                clock source",
        ),
    };
    found
        .maybe("source", source)
        .maybe("resolution_ns", resolution.map(|step| step.as_nanos() as u64))
}

/// Formats a duration, using nanoseconds for durations below one microsecond.
fn nanos(span: Duration) -> String {
    if span < COARSE { format!("{} ns", span.as_nanos()) } else { latency(span) }
}

fn open_files(open: OpenFiles, wanted: Wanted, each: u64) -> Finding {
    let Some(limit) = open.limit else {
        return Finding::good("open files", "no limit").value("files_per_session", each);
    };
    let loops = u64::from(cores() + MONITORING_SESSIONS) * FILES_PER_LOOP;
    let other_files = open.open + OTHER_FILES + loops;
    let fits = limit.saturating_sub(other_files) / each.max(1);
    let sessions = u64::from(wanted.sessions);
    let text = format!("limit {limit}, enough for {}", counted(fits, "session"));
    let found = if fits >= sessions {
        Finding::good("open files", text)
    } else {
        let text = format!("{text} but not for {}", grouped(sessions));
        let needed = (other_files + sessions * each).next_power_of_two();
        wanted.too_few("open files", text, raise(needed, open.limit_max))
    };
    found
        .value("limit", limit)
        .maybe("limit_max", open.limit_max)
        .value("open", open.open)
        .value("files_per_session", each)
        .value("sessions_that_fit", fits)
}

fn raise(needed: u64, max: Option<u64>) -> String {
    match max {
        Some(max) if max < needed => {
            format!(
                "raise the hard limit, currently {max}, for example in /etc/security/limits.conf; then run ulimit -n {needed}"
            )
        }
        _ => format!("ulimit -n {needed}"),
    }
}

fn memory() -> Option<Finding> {
    let memory = tacho_collect::memory()?;
    let total = tacho_collect::host().memory_bytes;
    let mut text = format!("{} of {} available", bytes(memory.available_bytes), bytes(total));
    if let Some(limit) = memory.limit_bytes {
        text = format!("{text}, but the container can use only {}", bytes(limit));
    }
    let found = if (memory.available_bytes as f64) < total as f64 * MEMORY_MIN {
        Finding::warning("memory", text, "close other programs before the machine starts swapping")
    } else {
        Finding::good("memory", text)
    };
    Some(
        found
            .value("total_bytes", total)
            .value("available_bytes", memory.available_bytes)
            .maybe("container_bytes", memory.limit_bytes),
    )
}

/// Returns a finding about the disk that stores the records.
fn disk(folder: &Path) -> Option<Finding> {
    let disk = tacho_collect::disk(folder)?;
    let text = format!("{} free for records in {}", bytes(disk.free_bytes), folder.display());
    let elsewhere = "choose another folder with --dir";
    let found = if !disk.writable {
        let text = format!("cannot write records to {}", folder.display());
        Finding::problem("disk", text, elsewhere)
    } else if disk.free_bytes < DISK_MIN {
        Finding::warning("disk", text, format!("free some space, or {elsewhere}"))
    } else {
        Finding::good("disk", text)
    };
    Some(found.value("free_bytes", disk.free_bytes))
}

/// Returns a finding about each disk that stores private servers but not the records.
fn servers_disks(context: &Context) -> Vec<Finding> {
    let pool = context.server_pool();
    let states = pool.list().unwrap_or_default();
    let folders = states.iter().map(|state| pool.folder_of(&state.name));
    let servers = context.folder.join("servers");
    let mut known: Vec<u64> =
        tacho_collect::disk(&context.folder).map(|disk| disk.device).into_iter().collect();
    let mut found = Vec::new();
    for folder in std::iter::once(servers).chain(folders) {
        let Some(disk) = tacho_collect::disk(&folder) else { continue };
        if !known.contains(&disk.device) {
            known.push(disk.device);
            found.push(servers_disk(&folder, &disk));
        }
    }
    found
}

fn servers_disk(folder: &Path, disk: &Disk) -> Finding {
    let text = format!("{} free for servers in {}", bytes(disk.free_bytes), folder.display());
    let found = if disk.free_bytes < SERVERS_DISK_MIN {
        Finding::warning(
            "servers",
            text,
            "free some disk space; to undo an interrupted fault, use tacho restore",
        )
    } else {
        Finding::good("servers", text)
    };
    found.value("free_bytes", disk.free_bytes)
}

/// Measures Tacho's CPU time per statement with a simulated database. Returns `None` if CPU time is not available.
fn own_cost(context: &Context) -> Result<Option<Finding>> {
    let target = tacho_registry::idle_target();
    let driver = tacho_registry::driver(&target.scheme)?;
    let workload = tacho_registry::workloads().swap_remove(0);
    let manifest = workload.manifest();
    let choices = Choices {
        scale: manifest.scale_steps,
        data_seed: Seed(0),
        seed: Seed(0),
        loaded_at: 0,
        profile: workload.profiles()[0].id.into(),
        set: BTreeMap::new(),
        form: Form::Sql,
        sessions: 1,
        dialect: driver.dialect().id().into(),
        sets: 1,
        turn: 0,
    };
    let (on, work) = (driver.manifest().id, manifest.id);
    let setup = Setup {
        driver,
        target,
        instance: workload.instance(&choices)?,
        form: choices.form,
        plan: LoadPlan::closed(1, Stop::After(MEASURED)),
        output: context.output.clone(),
        routes: None,
        commits: None,
        history: None,
        share: Share::WHOLE,
        gate: None,
        steps: std::sync::Arc::new([]),
        sets: 1,
    };
    let mut costs = Costs::default();
    let measured = tacho_engine::run(&setup, &context.interrupt, &mut costs)?;
    let (Some(cpu), statements) = (costs.cpu(), measured.traffic.statements) else {
        return Ok(None);
    };
    if statements == 0 {
        return Ok(None);
    }
    let each = cpu.as_secs_f64() / statements as f64;
    let text = format!(
        "{} µs of CPU time per statement ({work} on {on}, 1 session)",
        significant(each * 1e6)
    );
    let found = if cfg!(debug_assertions) {
        let text = format!("{text}; not an optimized build");
        Finding::warning("own cost", text, "build Tacho with cargo build --release")
    } else {
        Finding::good("own cost", text)
    };
    Ok(Some(found.value("per_statement_us", each * 1e6).value("statements", statements)))
}

/// Records the process's CPU time at the start and end of the measured phase.
#[derive(Default)]
struct Costs {
    begin: Option<Duration>,
    end: Option<Duration>,
}

impl Costs {
    fn cpu(&self) -> Option<Duration> {
        Some(self.end?.saturating_sub(self.begin?))
    }
}

impl Observer for Costs {
    fn phase(&mut self, phase: Phase, _: Duration) {
        if phase == Phase::Measure {
            self.begin = cpu_time();
        }
    }

    fn measured(&mut self) {
        self.end = cpu_time();
    }
}
