//! Inspects the database before a run. Verifies that its data matches the plan, and reads the server's settings.
//!
//! Start reading at [`inspect`].

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Advice, ServerFacts, Session, Setting, TableParts};
use tacho_store::Listener;
use tacho_workload::{Instance, Marker, MarkerStore, Purpose};

use super::conditions;
use super::opened::Opened;
use super::plan::{Planned, Selection, thresholds};
use super::record::record;
use super::routes;
use super::structure;
use crate::access::{Access, inspect_data, require_match};
use crate::cluster::require_continuable;
use crate::headroom::{MONITORING_SESSIONS, require_headroom};
use crate::lock_watch::LockWatch;
use crate::ownership::require_written;
use crate::{Context, Request, prepare};

/// The connections used to access the marker tables of a run's table sets.
#[derive(Default)]
pub(super) struct Markers {
    /// The marker of the first set, or `None` if the database does not store data.
    pub(super) first: Option<(Box<MarkerStore>, Marker)>,
    /// The markers of the other table sets. They are no longer needed once the number of runs in them has been
    /// increased.
    pub(super) others: Vec<(Box<MarkerStore>, Marker)>,
}

impl Markers {
    /// Increases the number of runs in the markers. This is done before the load starts, because even a run that is
    /// killed changes the data.
    pub(super) fn count_run(&mut self, access: &Access, context: &Context) -> Result<()> {
        if let Some((store, marker)) = &mut self.first {
            marker.runs += 1;
            access.unless_stopped(context, store.update(marker))?;
        }
        for (mut store, mut marker) in std::mem::take(&mut self.others) {
            marker.runs += 1;
            access.unless_stopped(context, async {
                store.update(&marker).await?;
                store.into_session().close().await
            })?;
        }
        Ok(())
    }
}

/// An inspected database, along with messages for the user.
struct Found {
    opened: Opened,
    markers: Markers,
    notes: Vec<String>,
}

/// Inspects the database. Creates missing data in the embedded database.
pub(super) fn inspect(
    request: Request<'_>,
    planned: &Planned,
    access: &Access,
    listener: &mut dyn Listener,
) -> Result<(Opened, Markers)> {
    let job = request.job;
    if job.embedded && job.driver.capabilities().stores_data {
        prepare_embedded(request, listener)?;
    }
    crate::settings::note_leftovers(request, listener);
    let mut watch = LockWatch::new(request, access.set);
    let found = watch.during(listener, || find(request, planned, access))?;
    found.notes.iter().for_each(|note| listener.note(note));
    Ok((found.opened, found.markers))
}

fn find(request: Request<'_>, planned: &Planned, access: &Access) -> Result<Found> {
    let job = request.job;
    let mut notes = Vec::new();
    let mut session = access.connect(request)?;
    let mut facts = access.answer(request, session.inspector().facts())?.without_secrets();
    let said = conditions::ask(access, request, &mut notes);
    require_room(request, planned, access, session.as_mut())?;
    let first = open_data(request, access, session)?;
    let choices = job.choices(first.as_ref().map(|(_, marker)| marker))?;
    let instance = job.workload.instance(&choices)?;
    instance.requires(&job.driver.capabilities())?;
    let selection = Selection { load: planned.draft.load, choices, instance };
    require_continuable(job, &selection.load, selection.instance.as_ref())?;
    let mut markers = Markers { first, others: Vec::new() };
    let mut structure = Vec::new();
    if markers.first.is_some() {
        structure = match_data(request, access, &selection, &mut markers, &mut notes)?;
    }
    if let Some((store, marker)) = &mut markers.first {
        if let Some(routes) = &planned.routes {
            routes::require_same_data(request, access, routes, selection.load.sessions, marker)?;
        }
        facts = facts_of_sessions(request, access, &selection, store, facts)?;
    }
    if job.driver.capabilities().stores_data {
        for set in job.all_sets() {
            let instance = selection.instance.as_ref();
            let words = inspect_data(request, instance, set, Purpose::Run);
            notes.extend(words.map_err(|error| error.during("start run"))?);
        }
    }
    if markers.first.is_none() {
        notes.push(without_data(request));
    }
    let marker = markers.first.as_ref().map(|(_, marker)| marker);
    let mut record = record(job, &selection, &facts, marker);
    conditions::note(&mut record, said);
    if let Some(data) = &mut record.data {
        let first = structure.first().filter(|parts: &&TableParts| !parts.is_empty());
        data.structure = first.map(TableParts::fingerprint);
    }
    let thresholds = thresholds(job, selection.instance.as_ref())?;
    let Selection { load, choices, instance } = selection;
    let opened = Opened {
        plan: load,
        choices,
        instance,
        thresholds,
        facts,
        structure,
        record,
        checks: Vec::new(),
    };
    Ok(Found { opened, markers, notes })
}

/// Returns an error if the server does not accept all of the run's sessions.
fn require_room(
    request: Request<'_>,
    planned: &Planned,
    access: &Access,
    session: &mut dyn Session,
) -> Result<()> {
    // Each additional table set needs one more session, which reads its counters.
    let monitoring = MONITORING_SESSIONS + request.job.sets() - 1;
    // If there are routes, sessions connect to the targets of these routes. They do not count towards the session limit
    // of the run's own target.
    let here = if planned.routes.is_some() { 0 } else { planned.draft.load.sessions };
    let room = require_headroom(session, here, monitoring);
    access.answer(request, room).map_err(|error| error.during("start run"))
}

/// Returns each set's table structure. Returns an error if a set is not writable or does not have the plan's data.
fn match_data(
    request: Request<'_>,
    access: &Access,
    selection: &Selection,
    markers: &mut Markers,
    notes: &mut Vec<String>,
) -> Result<Vec<TableParts>> {
    let instance = selection.instance.as_ref();
    let Some((store, marker)) = &mut markers.first else { return Ok(Vec::new()) };
    require_match(request.job, marker, &selection.choices, instance)?;
    require_noted(request, access, store, instance)?;
    // Detect a read-only, locked or full file now, before it makes every transaction fail.
    access.unless_stopped(request.context, store.update(marker))?;
    markers.others = other_sets(request, access, marker)?;
    for (store, _) in &mut markers.others {
        require_noted(request, access, store, instance)?;
    }
    let sets = request.job.all_sets();
    sets.map(|set| structure::ask(access, request, set, instance, notes)).collect()
}

/// Returns facts about the server as seen by the run's sessions. They may have different settings, because of the
/// workload's session script.
fn facts_of_sessions(
    request: Request<'_>,
    access: &Access,
    selection: &Selection,
    store: &mut MarkerStore,
    facts: ServerFacts,
) -> Result<ServerFacts> {
    let script = selection.instance.session_script(request.job.driver.dialect())?;
    if script.is_empty() {
        return Ok(facts);
    }
    let session = MarkerStore::exchange(store).session();
    let ours = access.answer(request, facts_after(&script, session))?;
    Ok(noted(&facts, ours))
}

fn without_data(request: Request<'_>) -> String {
    let job = request.job;
    if job.driver.capabilities().stores_data {
        let id = job.workload.manifest().id;
        return format!("{id} does not create any data, so there is nothing to check");
    }
    let title = job.driver.manifest().title;
    format!(
        "{title} stores no data: nothing is checked, and the results are based on the client's counts"
    )
}

/// Returns an error if the run would write to a table that the build did not create.
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

/// Executes a script in a session and returns the server's facts. The script may change the settings that the session
/// sees.
pub(super) async fn facts_after(script: &str, session: &mut dyn Session) -> Result<ServerFacts> {
    session.script(script).await?;
    Ok(session.inspector().facts().await?.without_secrets())
}

/// Returns what a session knows about the server. Adds advice on each setting whose value in the session differs from
/// the server's.
pub(super) fn noted(server: &ServerFacts, mut ours: ServerFacts) -> ServerFacts {
    for setting in ours.settings.iter().filter(|setting| !server.settings.contains(setting)) {
        let known = server.settings.iter().find(|known| known.name == setting.name);
        let usual = known.map_or("", |known| &known.value);
        let Setting { name, value, .. } = setting;
        ours.advice.push(Advice {
            text: format!("{name} is {value} in these sessions, but {usual} in other sessions"),
            hint: "the profile or a parameter sets this value: report it along with the results"
                .into(),
        });
    }
    ours
}

/// Returns the markers of all sets except the first. All sets must contain the same data.
fn other_sets(
    request: Request<'_>,
    access: &Access,
    first: &Marker,
) -> Result<Vec<(Box<MarkerStore>, Marker)>> {
    let job = request.job;
    let mut others = Vec::new();
    for set in job.all_sets().skip(1) {
        // The connections will be used on the event loop of the first table set, so open them there too.
        let access = access.of_set(set);
        let session = access.connect(request)?;
        let (store, marker) = access.require_ready(request, session)?;
        let same = Marker { loaded_at: first.loaded_at, runs: first.runs, ..marker.clone() };
        if same != *first {
            let text =
                format!("set {set} of {} does not contain the same data as set 1", job.target_text);
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
    request: Request<'_>,
    access: &Access,
    session: Box<dyn Session>,
) -> Result<Option<(Box<MarkerStore>, Marker)>> {
    let Request { job, context } = request;
    if job.has_data() {
        return access.require_ready(request, session).map(Some);
    }
    access.unless_stopped(context, session.close())?;
    Ok(None)
}

/// Creates missing data in the embedded database, so that users do not need to run `prepare`.
fn prepare_embedded(request: Request<'_>, listener: &mut dyn Listener) -> Result<()> {
    let context = request.context;
    let folder = context.embedded();
    std::fs::create_dir_all(&folder).map_err(|error| {
        Error::from(error)
            .during(format!("create the folder {}", folder.display()))
            .hint("use --dir to choose a writable folder")
    })?;
    prepare::prepare_quietly(request, listener)
}
