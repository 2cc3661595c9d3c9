//! Creates a run's record before the load: the plan, the server, the data, and a command that repeats the run.

use std::collections::BTreeMap;
use std::time::Duration;

use tacho_config::{CheckWhen, Given};
use tacho_core::shell_word;
use tacho_core::units::span;
use tacho_driver::ServerFacts;
use tacho_engine::{LoadPlan, Stop};
use tacho_store::record::{
    DataRecord, FORMAT, PlanRecord, Record, RunState, ServerRecord, VERSION,
};
use tacho_workload::Marker;

use super::observed::own_host;
use super::plan::Selection;
use super::{routes, terminals};
use crate::Job;

/// Returns the record of a run that has not started yet.
pub(super) fn record(
    job: &Job,
    selection: &Selection,
    facts: &ServerFacts,
    marker: Option<&Marker>,
) -> Record {
    Record {
        format: FORMAT.into(),
        version: VERSION,
        id: String::new(),
        state: RunState::Incomplete,
        started_at: tacho_collect::local_time(tacho_collect::wall_clock()),
        tags: job.resolved.plan.tags.clone(),
        note: job.resolved.plan.note.clone(),
        tool_version: env!("CARGO_PKG_VERSION").into(),
        plan: plan_record(job, selection, marker),
        host: own_host(),
        server: server_record(job, facts),
        data: marker.map(|marker| DataRecord {
            seed: marker.seed.0,
            loaded_at: tacho_collect::local_time(Duration::from_micros(
                marker.loaded_at.max(0) as u64
            )),
            runs_before: marker.runs,
            ..DataRecord::default()
        }),
        result: None,
        repaired: false,
    }
}

fn server_record(job: &Job, facts: &ServerFacts) -> ServerRecord {
    let mut settings: BTreeMap<String, String> =
        facts.settings.iter().map(|s| (s.name.clone(), s.value.clone())).collect();
    // The server lists only settings that differ from their defaults. Add those that a sweep has set to their
    // defaults.
    for (name, value) in &job.server_settings {
        settings.entry(name.clone()).or_insert_with(|| value.clone());
    }
    let risks = facts.settings.iter().filter_map(|setting| {
        let risk = setting.durability_risk.as_ref()?;
        Some(format!("{}={}: {risk}", setting.name, setting.value))
    });
    ServerRecord {
        version: facts.version.clone(),
        embedded: job.driver.capabilities().embedded,
        durability_risks: risks.collect(),
        settings,
        defaults: facts
            .settings
            .iter()
            .filter_map(|setting| Some((setting.name.clone(), setting.default.clone()?)))
            .collect(),
        machine: None,
    }
}

fn plan_record(job: &Job, selection: &Selection, marker: Option<&Marker>) -> PlanRecord {
    let Selection { load, choices, instance } = selection;
    let from_data = from_data(job, marker);
    let manifest = job.workload.manifest();
    let sessions = own_sessions(selection);
    let mut judgement = job.resolved.plan.judgement.clone();
    judgement.check.get_or_insert(CheckWhen::After);
    PlanRecord {
        workload: manifest.id.into(),
        workload_folder: Some(job.workload.word())
            .filter(|word| *word != manifest.id)
            .map(str::to_owned),
        packs: job.packs().to_vec(),
        target: job.target.redacted(),
        target_name: job.target_name.clone(),
        driver: job.driver.manifest().id.into(),
        profile: choices.profile.clone(),
        form: choices.form,
        scale: manifest.scale_amount(choices.scale),
        scale_unit: manifest.scale_unit.into(),
        sets: job.sets(),
        streams: load.sessions - sessions,
        routes: routes::shown(job),
        // Record the requested number, because the actual number depends on the machine's cores.
        load: LoadPlan { sessions, workers: job.resolved.plan.load.workers, ..*load },
        offered_per_s: terminals::offered_per_s(load, instance.as_ref()),
        steps: job.resolved.plan.steps.clone(),
        judgement,
        set: job.resolved.plan.data.set.clone(),
        parameters: instance.parameters(),
        command: command(job, selection, &from_data),
        from_data,
    }
}

/// Returns the number of sessions without the query streams.
fn own_sessions(Selection { load, instance, .. }: &Selection) -> u32 {
    load.sessions - instance.streams().map_or(0, |streams| streams.count)
}

/// Returns the settings whose values will come from the loaded data. If the data has already been read, there are none.
fn from_data(job: &Job, marker: Option<&Marker>) -> Vec<String> {
    if marker.is_some() || !job.has_data() {
        return Vec::new();
    }
    let data = &job.resolved.plan.data;
    let open = [("scale", data.scale.is_none()), ("profile", data.profile.is_none())];
    open.into_iter().filter(|(_, is_open)| *is_open).map(|(name, _)| name.to_owned()).collect()
}

/// Returns true if the load steps define the number of sessions.
fn closed_steps(job: &Job) -> bool {
    job.resolved.plan.steps.as_ref().is_some_and(|steps| !steps.is_open())
}

/// Returns a command that repeats the run. It contains all values that differ from their defaults, and the scale and
/// seed if known.
fn command(job: &Job, selection: &Selection, from_data: &[String]) -> String {
    let Selection { load: plan, choices, .. } = selection;
    let sessions = own_sessions(selection);
    let mut words = vec!["tacho run".to_owned(), job.workload_word()];
    if !job.embedded {
        words.push(shell_word(&job.target_text));
    }
    words.extend(job.packs().iter().map(|pack| format!("--pack {}", shell_word(pack))));
    let scale = job.workload.manifest().scale_text(choices.scale);
    let stated = [("scale", &scale), ("profile", &choices.profile)];
    let known = stated.into_iter().filter(|(name, _)| !from_data.iter().any(|known| known == name));
    words.extend(known.map(|(name, value)| format!("--{name} {value}")));
    if !closed_steps(job) || plan.terminals.is_some() {
        words.push(format!("--sessions {sessions}"));
    }
    words.push(format!("--seed {}", plan.seed.0));
    match plan.stop {
        Stop::After(_) if job.resolved.plan.steps.is_some() => {}
        Stop::After(length) => words.push(format!("--duration {}", span(length))),
        Stop::Count(count) => words.push(format!("--transactions {count}")),
        Stop::Done => {}
    }
    if plan.stop != Stop::Done {
        words.push(format!("--ramp-up {}", span(plan.ramp_up)));
    }
    let steps = job.resolved.plan.steps.is_some();
    let stated = ["scale", "profile", "sessions", "seed", "duration", "transactions", "ramp_up"];
    for Given { key, values, .. } in job.resolved.entries() {
        let known = stated.contains(&key)
            || (steps && key == "rate")
            || matches!(key, "workload" | "target" | "tag" | "note");
        if known || !job.resolved.is_given(key) {
            continue;
        }
        let flag = key.replace('_', "-");
        if key == "route" {
            // Omit any passwords contained in URLs.
            let routes = routes::shown(job);
            words.extend(routes.iter().map(|route| format!("--route {}", shell_word(route))));
            continue;
        }
        words.extend(values.iter().map(|value| format!("--{flag} {}", shell_word(value))));
    }
    words.join(" ")
}
