//! Administrative access to the database, used to inspect its contents and find out who created them.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tacho_core::units::span;
use tacho_core::{Clock, Error, ErrorKind, Result, Seed};
use tacho_driver::{ADMINISTRATOR, Environment, Exchange, Form, Session};
use tacho_engine::{BlockingClock, EventLoop, Interrupt, Signal};
use tacho_workload::{Choices, Instance, Marker, MarkerState, MarkerStore, Purpose};

use crate::clock::clock;
use crate::recognition::Recognition;
use crate::{Context, Job, Request};

/// Time limit for a request after the user has interrupted Tacho. A healthy server responds within milliseconds.
const WHEN_STOPPED: Duration = Duration::from_secs(2);
/// The time limit for a request that must complete even after an interrupt.
const TO_THE_END: Duration = Duration::from_secs(5);
/// The maximum time to wait for a response if no setting specifies it.
const ANSWER: Duration = Duration::from_mins(1);

/// The contents of a database.
pub(crate) enum Data {
    /// No tables.
    Empty(Box<dyn Session>),
    /// Tables that Tacho did not create.
    Foreign(Vec<String>),
    /// Data that Tacho created.
    Ours(Box<MarkerStore>, Marker),
}

/// Access to one table set of a job's database.
pub(crate) struct Access {
    pub(crate) event_loop: Arc<EventLoop>,
    /// The table set number, or 0 for the database named by the target.
    pub(crate) set: u32,
}

impl Access {
    /// Creates the access to the first or only table set.
    pub(crate) fn new(job: &Job) -> Result<Self> {
        Self::of(job.first_set())
    }

    /// Provides access to this table set.
    pub(crate) fn of(set: u32) -> Result<Self> {
        Ok(Self { event_loop: Arc::new(EventLoop::new()?), set })
    }

    /// Returns the access to another table set. It uses the same event loop, because connections cannot move
    /// between loops.
    pub(crate) fn of_set(&self, set: u32) -> Self {
        Self { event_loop: Arc::clone(&self.event_loop), set }
    }

    /// Runs `work`, which may block for any length of time because of other clients. Ends early only if the user
    /// interrupts Tacho.
    pub(crate) fn unless_stopped<T>(
        &self,
        context: &Context,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let done = self.event_loop.block_while(work, || !context.interrupted());
        match done {
            // The server cancelled the blocked request because the user interrupted Tacho.
            Some(Err(error)) if context.interrupted() && error.kind() == ErrorKind::Cancelled => {
                Err(Interrupt::error())
            }
            Some(done) => done,
            None => Err(Interrupt::error()),
        }
    }

    /// Runs `work`, which must only read from the server. Stops after the time limit for responses or after an
    /// interrupt.
    pub(crate) fn answer<T>(
        &self,
        request: Request<'_>,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let Request { job, context } = request;
        self.bounded(answer_limit(job), [Duration::ZERO; 2], context, work)
    }

    /// Works like [`Self::answer`], but opens a new connection for the request. If the request times out, only this
    /// connection becomes unusable.
    pub(crate) fn answer_apart<T>(
        &self,
        request: Request<'_>,
        work: impl AsyncFnOnce(Box<dyn Session>) -> Result<(T, Box<dyn Session>)>,
    ) -> Result<T> {
        self.answer(request, async {
            let (found, session) = work(self.open(request).await?).await?;
            let _ = session.close().await;
            Ok(found)
        })
    }

    /// Runs `work` until the time limit expires. After the first interrupt, `work` may continue for up to two seconds.
    /// A second interrupt stops it at once.
    pub(crate) fn within<T>(
        &self,
        limit: Duration,
        context: &Context,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        self.bounded(limit, [WHEN_STOPPED, Duration::ZERO], context, work)
    }

    /// Runs `work` to its end even if the user interrupts Tacho, for example to restore a setting. Stops only if the
    /// server no longer responds.
    pub(crate) fn to_the_end<T>(
        &self,
        context: &Context,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        self.bounded(ANSWER, [TO_THE_END; 2], context, work)
    }

    /// Runs `work` until the time limit expires. An interrupt reduces the remaining time: the first one to `stopped`,
    /// a second one to `aborted`.
    fn bounded<T>(
        &self,
        limit: Duration,
        [stopped, aborted]: [Duration; 2],
        context: &Context,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let clock = clock();
        let (mut end, mut seen) = (clock.now().plus(limit), 0);
        let go_on = || {
            let presses = context.interrupt.interrupt_count();
            if presses > seen {
                seen = presses;
                let left = if presses > 1 { aborted } else { stopped };
                end = end.min(clock.now().plus(left));
            }
            clock.now() < end
        };
        self.event_loop.block_while(work, go_on).unwrap_or_else(|| Err(late(limit, context)))
    }

    /// Returns the location of the data, for use in messages.
    fn place(&self, job: &Job) -> String {
        match self.set {
            0 => job.target_text.clone(),
            set => format!("set {set} of {}", job.target_text),
        }
    }

    /// Opens a session on a database that must already exist.
    pub(crate) fn connect(&self, request: Request<'_>) -> Result<Box<dyn Session>> {
        self.recognized(request, self.open(request))
    }

    /// Waits until the login completes. If the server turns out to use another protocol, stops waiting, because such a
    /// server may never respond.
    fn recognized(
        &self,
        request: Request<'_>,
        login: impl Future<Output = Result<Box<dyn Session>>>,
    ) -> Result<Box<dyn Session>> {
        let Request { job, context } = request;
        let mut recognition = Recognition::of(&job.target);
        let go_on = || !context.interrupted() && recognition.go_on();
        match self.event_loop.block_while(login, go_on) {
            Some(Err(error)) if context.interrupted() => Err(match error.kind() {
                ErrorKind::Cancelled => Interrupt::error(),
                _ => error,
            }),
            Some(Err(error)) => Err(recognition.explain(error)),
            Some(done) => done,
            None => Err(recognition.found().unwrap_or_else(Interrupt::error)),
        }
    }

    /// Works like [`Self::connect`], but without a time limit. The caller must limit the time.
    pub(crate) async fn open(&self, request: Request<'_>) -> Result<Box<dyn Session>> {
        let Request { job, context } = request;
        let environment = environment(context, false, self.set);
        job.driver.connect(&job.target, environment).await.map_err(|error| match error.kind() {
            ErrorKind::Missing => error.hint(job.prepare_command(job.wanted_scale())),
            ErrorKind::Connect => match private_server(job) {
                Some(hint) => error.hint(hint),
                None => error,
            },
            _ => error,
        })
    }

    /// Opens a session on a database, creating the database if it does not exist.
    pub(crate) fn connect_or_create(&self, request: Request<'_>) -> Result<Box<dyn Session>> {
        let Request { job, context } = request;
        let environment = environment(context, true, self.set);
        let session = self.recognized(request, job.driver.connect(&job.target, environment));
        session.map_err(|error| match private_server(job).filter(|_| is_connect(&error)) {
            Some(hint) => error.hint(hint),
            None => error,
        })
    }

    /// Inspects the contents of the database.
    pub(crate) fn look(&self, request: Request<'_>, session: Box<dyn Session>) -> Result<Data> {
        let Request { job, context } = request;
        self.unless_stopped(context, data(job, session))
    }

    /// Returns the marker of this job's data. Returns an error if the data is missing, incomplete, or from another
    /// workload.
    pub(crate) fn require_ready(
        &self,
        request: Request<'_>,
        session: Box<dyn Session>,
    ) -> Result<(Box<MarkerStore>, Marker)> {
        let Request { job, context } = request;
        let ready = async { self.ready(job, data(job, session).await?).await };
        self.unless_stopped(context, ready)
    }

    /// Works like [`Self::require_ready`], but for a database whose contents have already been inspected.
    pub(crate) async fn ready(&self, job: &Job, data: Data) -> Result<(Box<MarkerStore>, Marker)> {
        let scale = job.wanted_scale();
        let workload = job.workload.manifest().id;
        match data {
            Data::Empty(_) => Err(not_prepared(format!("{} contains no data", self.place(job)))
                .hint(job.prepare_command(scale))),
            Data::Foreign(tables) => Err(foreign(ErrorKind::Missing, &self.place(job), &tables)
                .hint("use another database; Tacho never changes data that it did not create")),
            Data::Ours(_, marker) if marker.workload != workload => Err(not_prepared(format!(
                "{} contains {}, not {workload}",
                self.place(job),
                marker.workload
            ))
            .hint("use another database")),
            Data::Ours(_, marker) if marker.version != job.workload.manifest().version => {
                Err(not_prepared(format!(
                    "{} contains {workload} in data format {}, but this build requires format {}",
                    self.place(job),
                    marker.version,
                    job.workload.manifest().version
                ))
                .hint(format!(
                    "{} && {}",
                    job.clean_command(),
                    job.prepare_command(marker.scale)
                )))
            }
            Data::Ours(_, marker) if marker.state == MarkerState::Building => {
                Err(not_prepared(format!("the data on {} is incomplete", self.place(job)))
                    .hint(format!("{} resumes it", job.resume_command(&marker))))
            }
            Data::Ours(mut store, marker) => {
                if store.is_empty().await? {
                    let text = format!("the data on {} is lost", self.place(job));
                    return Err(not_prepared(format!(
                        "{text} because the server crashed and the tables are unlogged"
                    ))
                    .hint(format!("{} rebuilds it", job.resume_command(&marker))));
                }
                Ok((store, marker))
            }
        }
    }
}

/// Returns the maximum time for a short inspection, such as reading settings or counters.
pub(crate) fn answer_limit(job: &Job) -> Duration {
    job.resolved.plan.load.answer_within
}

/// Returns the error for a response that did not arrive in time.
fn late(limit: Duration, context: &Context) -> Error {
    if context.interrupted() {
        return Interrupt::error();
    }
    let text = format!("the server did not respond within {}", span(limit));
    Error::new(ErrorKind::Timeout, text)
        .hint("check whether the server is waiting, for example for a lock held by another session")
        .hint("or allow more time with --answer-timeout")
}

/// Returns an error if the data does not match the plan. The hints say how to change the data or the plan.
pub(crate) fn require_match(
    job: &Job,
    marker: &Marker,
    choices: &Choices,
    instance: &dyn Instance,
) -> Result<()> {
    let manifest = job.workload.manifest();
    let (id, workload) = (manifest.id, job.workload_word());
    if marker.scale != choices.scale {
        let (loaded, asked) =
            (manifest.scale_text(marker.scale), manifest.scale_text(choices.scale));
        return Err(mismatch(
            job,
            choices.scale,
            format!(
                "{} contains {id} at scale {loaded}, but scale {asked} was requested",
                job.target_text
            ),
            format!("tacho run {workload} {} --scale {loaded}", job.target_word()),
        ));
    }
    let wanted = data_parameters(job, instance);
    for (key, value) in &wanted {
        let loaded = marker.set.get(key).map_or("", String::as_str);
        if loaded != value && job.workload.derived_parameters().contains(&key.as_str()) {
            let text = format!(
                "the data on {} was created by another version of {}: {key} was {loaded} and is \
                    now {value}",
                job.target_text,
                job.workload.word()
            );
            let again = format!("{} && {}", job.clean_command(), job.prepare_command(marker.scale));
            return Err(not_prepared(text).during("start run").hint(again));
        }
        if loaded != value {
            return Err(mismatch(
                job,
                choices.scale,
                format!(
                    "the data on {} was created with {key}={loaded} (profile {}), but \
                        {key}={value} (profile {}) was requested",
                    job.target_text, marker.profile, choices.profile
                ),
                if choices.set.contains_key(key) {
                    format!("tacho run {workload} {} --set {key}={loaded}", job.target_word())
                } else {
                    let profile = &marker.profile;
                    format!("tacho run {workload} {} --profile {profile}", job.target_word())
                },
            ));
        }
    }
    Ok(())
}

/// Lets the workload inspect a table set before a command uses its data, because earlier runs may have changed it.
/// Does nothing if the workload does not need this. May return a notice for the user.
pub(crate) fn inspect_data(
    Request { job, context }: Request<'_>,
    instance: &dyn Instance,
    set: u32,
    purpose: Purpose,
) -> Result<Option<String>> {
    // Skip another tool's data, because workloads can inspect only data that Tacho created.
    if !instance.needs_inspection() || job.adopted.is_some() {
        return Ok(None);
    }
    let access = Access::of(set)?;
    let session = access.connect(Request { job, context })?;
    let catalog = instance.catalog(job.driver.dialect())?;
    access.unless_stopped(context, async {
        let form = match job.resolved.plan.data.form {
            Form::Simple => Form::Simple,
            _ => Form::Sql,
        };
        let mut exchange = Exchange::new(session, catalog, form).await?;
        let words = instance.inspect_data(&mut exchange, set, purpose).await?;
        exchange.into_session().close().await.map(|()| words)
    })
}

/// Inspects the contents of the database.
pub(crate) async fn data(job: &Job, session: Box<dyn Session>) -> Result<Data> {
    match MarkerStore::open(session, job.driver.dialect()).await? {
        Ok(mut store) => {
            if store.is_blank().await? {
                return without_marker(store.into_session()).await;
            }
            let mut marker = store.read().await?;
            complete(job, &mut marker);
            Ok(Data::Ours(Box::new(store), marker))
        }
        Err(mut session) => {
            let tables = session.inspector().tables().await?;
            if let Some(adopted) = job.adopted.as_ref().filter(|_| !tables.is_empty()) {
                let store = MarkerStore::adopted(session, job.driver.dialect()).await?;
                return Ok(Data::Ours(Box::new(store), adopted.marker.clone()));
            }
            Ok(if tables.is_empty() { Data::Empty(session) } else { Data::Foreign(tables) })
        }
    }
}

/// Returns what a database contains whose marker tables have no entries.
async fn without_marker(mut session: Box<dyn Session>) -> Result<Data> {
    let mut others = session.inspector().tables().await?;
    others.retain(|name| !MarkerStore::is_marker_name(name));
    Ok(if others.is_empty() { Data::Empty(session) } else { Data::Foreign(others) })
}

/// Updates the parameters of data from another version of Tacho. Adds default values for new parameters, and
/// removes those that no longer exist.
fn complete(job: &Job, marker: &mut Marker) {
    if marker.workload != job.workload.manifest().id {
        return;
    }
    let keys = job.workload.data_parameters();
    marker.set.retain(|key, _| keys.contains(&key.as_str()));
    for parameter in job.workload.parameters().iter().filter(|p| keys.contains(&p.key)) {
        let default = || parameter.default.to_owned();
        marker.set.entry(parameter.key.to_owned()).or_insert_with(default);
    }
}

/// Returns the parameters that determine the data, along with their values.
pub(crate) fn data_parameters(
    job: &Job,
    instance: &dyn Instance,
) -> std::collections::BTreeMap<String, String> {
    let keys = job.workload.data_parameters();
    let all = instance.parameters();
    all.into_iter().filter(|(key, _)| keys.contains(&key.as_str())).collect()
}

fn is_connect(error: &Error) -> bool {
    error.kind() == ErrorKind::Connect
}

/// If the user specified only the name of a driver as the target, returns a hint with the command that starts a private
/// server.
fn private_server(job: &Job) -> Option<String> {
    let id = job.driver.manifest().id;
    let product = tacho_registry::servers().into_iter().find(|product| product.id() == id)?;
    (job.target_text.trim_end_matches(':') == id).then(|| {
        format!(
            "start a private server with tacho up {id}, and use {} as the target",
            product.short()
        )
    })
}

fn mismatch(job: &Job, scale: u64, text: String, first: String) -> Error {
    not_prepared(text).during("start run").hint(first).hint(format!(
        "{} && {}",
        job.clean_command(),
        job.prepare_command(scale)
    ))
}

fn not_prepared(text: String) -> Error {
    Error::new(ErrorKind::Missing, text)
}

/// Returns an error about tables that another client created. It names three of them and counts the others.
pub(crate) fn foreign(kind: ErrorKind, place: &str, tables: &[String]) -> Error {
    let names = match tables.len() {
        0..=3 => tables.join(", "),
        more => format!("{} and {} more", tables[..3].join(", "), more - 3),
    };
    Error::new(kind, format!("{place} contains tables that Tacho did not create ({names})"))
}

/// Returns the environment in which an administrative session is opened.
#[expect(clippy::disallowed_methods, reason = "creates the clock for administrative sessions")]
pub(crate) fn environment(context: &Context, create: bool, set: u32) -> Environment {
    let clock = BlockingClock::new(std::time::Instant::now(), Arc::new(Signal::default()));
    Environment {
        clock: Arc::new(clock),
        output: context.output.clone(),
        seed: Seed(0),
        session: ADMINISTRATOR,
        create,
        set,
        cancels: context.interrupt.commands.clone(),
    }
}
