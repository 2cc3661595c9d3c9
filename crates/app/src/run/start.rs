//! Everything before the load: the data, the server, the plan, the record.

use std::collections::BTreeMap;

use tacho_config::{CheckWhen, Given};
use tacho_core::units::{counted, span};
use tacho_core::{Error, ErrorKind, Result, shell_word};
use tacho_driver::{Advice, ServerFacts, Session, Setting, TableParts};
use tacho_engine::{LoadPlan, Routes, Stop};
use tacho_store::Listener;
use tacho_store::record::{
    DataRecord, FORMAT, PlanRecord, Record, RunState, ServerRecord, VERSION,
};
use tacho_workload::{Choices, Headline, Instance, Marker, MarkerStore, Purpose, Transaction};

use super::acknowledged;
use super::conditions;
use super::faults::Faults;
use super::load_plan::load_plan;
use super::observed::own_host;
use super::routes;
use super::started::Started;
use super::structure;
use super::thresholds::Threshold;
use crate::access::{Access, inspect_data, require_match};
use crate::cluster::{require_broker, require_continuable, require_sharable};
use crate::headroom::{MONITORING_SESSIONS, require_headroom};

use crate::lock_watch::LockWatch;
use crate::ownership::require_written;
use crate::{Context, Job, Request, prepare};

/// Checks all that can be checked before anything is written, then looks at the database.
pub(super) fn start(
    job: &Job,
    context: &Context,
    access: &Access,
    progress: &mut dyn Listener,
) -> Result<Started> {
    for repaired in crate::repair(context, true) {
        progress.note(&repaired);
    }
    let first = job.workload.instance(&job.choices(None)?)?;
    let plan = load_plan(&job.resolved, first.as_ref())?;
    thresholds(job, first.as_ref())?;
    let routes = routes::routes(job, first.as_ref())?;
    require_form(job)?;
    Faults::of(job, context)?;
    acknowledged::require_verifiable(job, first.as_ref())?;
    first.session_script(job.driver.dialect())?;
    job.resolved.plan.tags.iter().try_for_each(|tag| tacho_store::check_tag(tag))?;
    let keeps_data = job.driver.capabilities().stores_data;
    if job.embedded && job.workload.without_data().is_some() {
        let text = format!("the workload {} needs a target", job.workload.manifest().id);
        return Err(Error::usage(text).hint(tacho_registry::target_hint()));
    }
    if job.embedded && keeps_data {
        prepare_embedded(job, context, progress)?;
    }
    crate::settings::note_leftovers(job, context, progress);
    require_work_in_every_set(job, plan.sessions)?;
    require_broker(job)?;
    if job.wanted.is_some() {
        require_sharable(job, plan.sessions)?;
    }
    let mut watch = LockWatch::new(job, context, access.set);
    let look = || look_at_all(job, context, access, plan, routes);
    let (started, words) = watch.during(progress, look)?;
    for words in &words {
        progress.note(words);
    }
    Ok(started)
}

/// Looks at the database; returns also what the user should know.
fn look_at_all(
    job: &Job,
    context: &Context,
    access: &Access,
    plan: LoadPlan,
    routes: Option<Routes>,
) -> Result<(Started, Vec<String>)> {
    let mut notes = Vec::new();
    let mut session = access.connect(job, context)?;
    let mut facts = access.answer(job, context, session.inspector().facts())?.without_secrets();
    let said = conditions::ask(access, Request { job, context }, session.as_mut(), &mut notes);
    // The counters of each further set are read on a session of its own.
    let monitoring = MONITORING_SESSIONS + job.sets() - 1;
    // Routed sessions are asked for where they go.
    let here = if routes.is_some() { 0 } else { plan.sessions };
    let room = require_headroom(session.as_mut(), here, monitoring);
    access.answer(job, context, room).map_err(|error| error.during("start run"))?;
    let mut data = open_data(job, context, access, session)?;
    let choices = job.choices(data.as_ref().map(|(_, marker)| marker))?;
    let instance = job.workload.instance(&choices)?;
    instance.requires(&job.driver.capabilities())?;
    require_continuable(job, &plan, instance.as_ref())?;
    let (mut others, mut structure) = (Vec::new(), Vec::new());
    if let Some((store, marker)) = &mut data {
        require_match(job, marker, &choices, instance.as_ref())?;
        require_noted(Request { job, context }, access, store, instance.as_ref())?;
        // Found now and not by every transaction: a file that is read-only, locked or full.
        access.unless_stopped(context, store.update(marker))?;
        others = other_sets(job, context, access, marker)?;
        for (store, _) in &mut others {
            require_noted(Request { job, context }, access, store, instance.as_ref())?;
        }
        for store in std::iter::once(&mut *store).chain(others.iter_mut().map(|(store, _)| store)) {
            let request = Request { job, context };
            let parts = structure::ask(access, request, store, instance.as_ref(), &mut notes)?;
            structure.push(parts);
        }
        if let Some(routes) = &routes {
            routes::require_same_data(job, context, access, routes, plan.sessions, marker)?;
        }
        let script = instance.session_script(job.driver.dialect())?;
        if !script.is_empty() {
            let session = MarkerStore::exchange(store).session();
            let ours = access.answer(job, context, facts_after(&script, session))?;
            facts = noted(&facts, ours);
        }
        for set in job.all_sets() {
            let words =
                inspect_data(Request { job, context }, instance.as_ref(), set, Purpose::Run)
                    .map_err(|error| error.during("start run"))?;
            notes.extend(words);
        }
    } else if job.driver.capabilities().stores_data {
        for set in job.all_sets() {
            let words =
                inspect_data(Request { job, context }, instance.as_ref(), set, Purpose::Run)
                    .map_err(|error| error.during("start run"))?;
            notes.extend(words);
        }
        let id = job.workload.manifest().id;
        notes.push(format!("{id} has no data of its own: no checks of data"));
    } else {
        let title = job.driver.manifest().title;
        notes.push(format!(
            "{title} keeps no data: no checks, and figures are counted by the client"
        ));
    }
    let marker = data.as_ref().map(|(_, marker)| marker);
    let mut record = record(job, &plan, &choices, instance.as_ref(), &facts, marker);
    conditions::note(&mut record, said);
    if let Some(data) = &mut record.data {
        let first = structure.first().filter(|parts| !parts.is_empty());
        data.structure = first.map(TableParts::fingerprint);
    }
    let thresholds = thresholds(job, instance.as_ref())?;
    let form = choices.form;
    let routes = routes.map(std::sync::Arc::new);
    let started = Started {
        plan,
        form,
        instance,
        thresholds,
        routes,
        facts,
        data,
        others,
        structure,
        record,
        choices,
    };
    Ok((started, notes))
}

/// Fails if a table to which the run would write is not one that the build created.
fn require_noted(
    Request { job, context }: Request<'_>,
    access: &Access,
    store: &mut MarkerStore,
    instance: &dyn Instance,
) -> Result<()> {
    let kinds = 0..instance.transactions().len();
    let writes = kinds.clone().any(|kind| !instance.reads_only(kind)) || kinds.is_empty();
    if !store.has_marker() || !writes {
        return Ok(());
    }
    let layout = instance.layout(job.driver.dialect())?;
    let look = async {
        let noted = store.noted().await?;
        Ok((store.exchange().inspector().objects().await?, noted))
    };
    let (objects, noted) = access.unless_stopped(context, look)?;
    require_written(&objects, &layout, &noted, &job.target_text)
}

/// The facts as they are for a session that has begun with this script.
pub(super) async fn facts_after(script: &str, session: &mut dyn Session) -> Result<ServerFacts> {
    session.script(script).await?;
    Ok(session.inspector().facts().await?.without_secrets())
}

/// Our facts, with a word on each setting that is not as the server has it.
pub(super) fn noted(server: &ServerFacts, mut ours: ServerFacts) -> ServerFacts {
    for setting in ours.settings.iter().filter(|setting| !server.settings.contains(setting)) {
        let known = server.settings.iter().find(|known| known.name == setting.name);
        let usual = known.map_or("", |known| &known.value);
        let Setting { name, value, .. } = setting;
        ours.advice.push(Advice {
            text: format!("{name} is {value} in these sessions, {usual} in other sessions"),
            hint: "the profile or a parameter asks for it: state it with the result".into(),
        });
    }
    ours
}

/// A set without a session would be no part of what is measured.
fn require_work_in_every_set(job: &Job, sessions: u32) -> Result<()> {
    let sets = job.sets();
    if sessions >= sets {
        return Ok(());
    }
    let (sessions, count) = (counted(sessions.into(), "session"), counted(sets.into(), "set"));
    let text = format!("not enough sessions: {sessions} for {count} of tables");
    Err(Error::usage(text).during("start run").hint(format!("--sessions {sets} or more")))
}

/// The markers of all sets but the first, each of data like that of the first.
fn other_sets(
    job: &Job,
    context: &Context,
    access: &Access,
    first: &Marker,
) -> Result<Vec<(Box<MarkerStore>, Marker)>> {
    let mut others = Vec::new();
    for set in job.all_sets().skip(1) {
        // On the first set's event loop, on which they are used.
        let access = access.of_set(set);
        let session = access.connect(job, context)?;
        let (store, marker) = access.require_ready(job, context, session)?;
        let same = Marker { loaded_at: first.loaded_at, runs: first.runs, ..marker.clone() };
        if same != *first {
            let text = format!("set {set} of {} holds other data than set 1", job.target_text);
            return Err(Error::new(ErrorKind::Missing, text).during("start run").hint(format!(
                "{} && {}",
                job.clean_command(),
                job.prepare_command(first.scale)
            )));
        }
        others.push((store, marker));
    }
    Ok(others)
}

fn open_data(
    job: &Job,
    context: &Context,
    access: &Access,
    session: Box<dyn Session>,
) -> Result<Option<(Box<MarkerStore>, Marker)>> {
    if job.has_data() {
        return access.require_ready(job, context, session).map(Some);
    }
    access.unless_stopped(context, session.close())?;
    Ok(None)
}

/// The embedded database needs no set-up: what is missing is made.
fn prepare_embedded(job: &Job, context: &Context, progress: &mut dyn Listener) -> Result<()> {
    let folder = context.embedded();
    std::fs::create_dir_all(&folder).map_err(|error| {
        Error::from(error)
            .during(format!("make the folder {}", folder.display()))
            .hint("choose a folder that can be written with --dir")
    })?;
    prepare::prepare_quietly(job, context, progress)
}

/// Refuses a form that the database cannot do.
fn require_form(job: &Job) -> Result<()> {
    let form = job.resolved.plan.data.form;
    job.driver.capabilities().require(form, job.driver.manifest().title)
}

pub(super) fn thresholds(job: &Job, instance: &dyn Instance) -> Result<Vec<Threshold>> {
    let names: Vec<&str> = own_kinds(instance).iter().map(|kind| kind.name).collect();
    let headline = stated(instance).map(|headline| headline.name);
    let texts = &job.resolved.plan.judgement.thresholds;
    texts.iter().map(|text| Threshold::parse(text, &names, headline)).collect()
}

/// The figure in which the throughput is stated; `None` if it is stated in transactions per second.
pub(super) fn stated(instance: &dyn Instance) -> Option<Headline> {
    instance.headline().filter(Headline::is_stated)
}

/// The kinds of transactions that are no queries of streams.
pub(super) fn own_kinds(instance: &dyn Instance) -> &[Transaction] {
    let all = instance.transactions();
    &all[..instance.streams().map_or(all.len(), |streams| streams.first_kind)]
}

/// The record as it is before the load.
pub(super) fn record(
    job: &Job,
    plan: &LoadPlan,
    choices: &Choices,
    instance: &dyn Instance,
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
        plan: plan_record(job, plan, choices, instance, marker),
        host: own_host(),
        server: server_record(job, facts),
        data: marker.map(|marker| DataRecord {
            seed: marker.seed.0,
            loaded_at: tacho_collect::local_time(std::time::Duration::from_micros(
                marker.loaded_at.max(0) as u64,
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
    // The server leaves out what is as it was built, which a value of a sweep may be too.
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
            .filter_map(|own| Some((own.name.clone(), own.default.clone()?)))
            .collect(),
        machine: None,
    }
}

fn plan_record(
    job: &Job,
    plan: &LoadPlan,
    choices: &Choices,
    instance: &dyn Instance,
    marker: Option<&Marker>,
) -> PlanRecord {
    let from_data = from_data(job, marker);
    let manifest = job.workload.manifest();
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
        streams: plan.sessions - choices.sessions,
        routes: routes::shown(job),
        // As asked: another machine has other cores.
        load: LoadPlan {
            sessions: choices.sessions,
            workers: job.resolved.plan.load.workers,
            ..*plan
        },
        steps: job.resolved.plan.steps.clone(),
        judgement,
        set: job.resolved.plan.data.set.clone(),
        parameters: instance.parameters(),
        command: command(job, plan, choices, &from_data),
        from_data,
    }
}

/// Values that were not given and follow from the loaded data, before that data was read.
fn from_data(job: &Job, marker: Option<&Marker>) -> Vec<String> {
    if marker.is_some() || !job.has_data() {
        return Vec::new();
    }
    let data = &job.resolved.plan.data;
    let open = [("scale", data.scale.is_none()), ("profile", data.profile.is_none())];
    open.into_iter().filter(|(_, is_open)| *is_open).map(|(name, _)| name.to_owned()).collect()
}

/// Whether the steps of the load give the number of sessions.
fn closed_steps(job: &Job) -> bool {
    job.resolved.plan.steps.as_ref().is_some_and(|own| !own.is_open())
}

/// A command that repeats the run: what differs from the defaults, and scale and seed if they are known.
fn command(job: &Job, plan: &LoadPlan, choices: &Choices, from_data: &[String]) -> String {
    let mut words = vec!["tacho run".to_owned(), job.workload_word()];
    if !job.embedded {
        words.push(shell_word(&job.target_text));
    }
    words.extend(job.packs().iter().map(|pack| format!("--pack {}", shell_word(pack))));
    let scale = job.workload.manifest().scale_text(choices.scale);
    let stated = [("scale", &scale), ("profile", &choices.profile)];
    let known = stated.into_iter().filter(|(name, _)| !from_data.iter().any(|own| own == name));
    words.extend(known.map(|(name, value)| format!("--{name} {value}")));
    if !closed_steps(job) {
        words.push(format!("--sessions {}", choices.sessions));
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
            // Without the passwords that a URL may hold.
            let routes = routes::shown(job);
            words.extend(routes.iter().map(|route| format!("--route {}", shell_word(route))));
            continue;
        }
        words.extend(values.iter().map(|value| format!("--{flag} {}", shell_word(value))));
    }
    words.join(" ")
}
