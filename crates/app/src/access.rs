//! Administrative access to the database: what is there, and whose it is.

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

/// How long an answer is waited for once the user wants to stop: a healthy server needs milliseconds.
const WHEN_STOPPED: Duration = Duration::from_secs(2);
/// The same for what must come to its end.
const TO_THE_END: Duration = Duration::from_secs(5);
/// Longest wait for an answer where no setting says so.
const ANSWER: Duration = Duration::from_mins(1);

/// What a database holds.
pub(crate) enum Data {
    /// Nothing.
    Empty(Box<dyn Session>),
    /// Tables that we did not make.
    Foreign(Vec<String>),
    /// Data of ours.
    Ours(Box<MarkerStore>, Marker),
}

/// Access to one set of tables of a job's database.
pub(crate) struct Access {
    pub(crate) event_loop: Arc<EventLoop>,
    /// Which set; 0 for the place itself that the target names.
    pub(crate) set: u32,
}

impl Access {
    /// Access to the first set, or to the only one.
    pub(crate) fn new(job: &Job) -> Result<Self> {
        Self::of(job.first_set())
    }

    /// Access to this set.
    pub(crate) fn of(set: u32) -> Result<Self> {
        Ok(Self { event_loop: Arc::new(EventLoop::new()?), set })
    }

    /// Access to another set on the same event loop: a connection lives on the one that opened it.
    pub(crate) fn of_set(&self, set: u32) -> Self {
        Self { event_loop: Arc::clone(&self.event_loop), set }
    }

    /// Runs what may wait for another client to its end, or cancels it when the user wants to stop.
    pub(crate) fn unless_stopped<T>(
        &self,
        context: &Context,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let done = self.event_loop.block_while(work, || !context.interrupted());
        match done {
            // What blocked was cancelled in the server because of the user's wish.
            Some(Err(error)) if context.interrupted() && error.kind() == ErrorKind::Cancelled => {
                Err(Interrupt::error())
            }
            Some(done) => done,
            None => Err(Interrupt::error()),
        }
    }

    /// Runs what needs no more than a look at the server to its end. It is given up after the longest wait
    /// for an answer, and when the user wants to stop.
    pub(crate) fn answer<T>(
        &self,
        request: Request<'_>,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let Request { job, context } = request;
        self.bounded(answer_limit(job), [Duration::ZERO; 2], context, work)
    }

    /// Runs what is worth a moment even when the user wants to stop, but not when they want to leave at
    /// once; gives it up after `limit`.
    pub(crate) fn within<T>(
        &self,
        limit: Duration,
        context: &Context,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        self.bounded(limit, [WHEN_STOPPED, Duration::ZERO], context, work)
    }

    /// Runs what must come to its end even when the user wants to leave, such as putting a setting back,
    /// unless the server does not answer.
    pub(crate) fn to_the_end<T>(
        &self,
        context: &Context,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        self.bounded(ANSWER, [TO_THE_END; 2], context, work)
    }

    /// Runs work to its end, or gives it up after `limit`; after a shorter time once the user wants to stop,
    /// and another one once they want to leave at once.
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

    /// The place of the data, for messages.
    fn place(&self, job: &Job) -> String {
        match self.set {
            0 => job.target_text.clone(),
            set => format!("set {set} of {}", job.target_text),
        }
    }

    /// Opens a session on a database that must be there.
    pub(crate) fn connect(&self, request: Request<'_>) -> Result<Box<dyn Session>> {
        self.recognized(request, self.open(request))
    }

    /// Runs a login to its end. A server that speaks another protocol may never answer: the wait ends when that is
    /// known.
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

    /// The same for whoever does not want to wait for ever.
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

    /// Opens a session on a database that may be made.
    pub(crate) fn connect_or_create(&self, request: Request<'_>) -> Result<Box<dyn Session>> {
        let Request { job, context } = request;
        let environment = environment(context, true, self.set);
        let session = self.recognized(request, job.driver.connect(&job.target, environment));
        session.map_err(|error| match private_server(job).filter(|_| is_connect(&error)) {
            Some(hint) => error.hint(hint),
            None => error,
        })
    }

    /// Looks at what is there.
    pub(crate) fn look(&self, request: Request<'_>, session: Box<dyn Session>) -> Result<Data> {
        let Request { job, context } = request;
        self.unless_stopped(context, data(job, session))
    }

    /// The marker of complete data of this job's workload; an error with the remedy otherwise.
    pub(crate) fn require_ready(
        &self,
        request: Request<'_>,
        session: Box<dyn Session>,
    ) -> Result<(Box<MarkerStore>, Marker)> {
        let Request { job, context } = request;
        let ready = async { self.ready(job, data(job, session).await?).await };
        self.unless_stopped(context, ready)
    }

    /// The same of what was found.
    pub(crate) async fn ready(&self, job: &Job, data: Data) -> Result<(Box<MarkerStore>, Marker)> {
        let scale = job.wanted_scale();
        let workload = job.workload.manifest().id;
        match data {
            Data::Empty(_) => Err(not_prepared(format!("{} holds no data", self.place(job)))
                .hint(job.prepare_command(scale))),
            Data::Foreign(tables) => Err(foreign(ErrorKind::Missing, &self.place(job), &tables)
                .hint("name another database; data that Tacho did not create is never changed")),
            Data::Ours(_, marker) if marker.workload != workload => Err(not_prepared(format!(
                "{} holds {}, not {workload}",
                self.place(job),
                marker.workload
            ))
            .hint("name another database")),
            Data::Ours(_, marker) if marker.version != job.workload.manifest().version => {
                Err(not_prepared(format!(
                    "{} holds {workload} in data format {}, this build needs {}",
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
                Err(not_prepared(format!("the data on {} is half-built", self.place(job)))
                    .hint(format!("{} resumes it", job.resume_command(&marker))))
            }
            Data::Ours(mut store, marker) => {
                if store.is_empty().await? {
                    let text = format!("the data on {} is lost", self.place(job));
                    return Err(not_prepared(format!(
                        "{text}: its tables are unlogged, and the server has crashed"
                    ))
                    .hint(format!("{} rebuilds it", job.resume_command(&marker))));
                }
                Ok((store, marker))
            }
        }
    }
}

/// The longest wait for an answer that needs no more than a look, such as settings and counters.
pub(crate) fn answer_limit(job: &Job) -> Duration {
    job.resolved.plan.load.answer_within
}

/// Why an answer was not waited for.
fn late(limit: Duration, context: &Context) -> Error {
    if context.interrupted() {
        return Interrupt::error();
    }
    let text = format!("the server did not answer within {}", span(limit));
    Error::new(ErrorKind::Timeout, text)
        .hint("see what it waits for, such as a lock that another session holds")
        .hint("--answer-timeout allows more time")
}

/// Fails, with both ways out, if the data differs from what the plan asks for.
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
                "{} holds {id} at scale {loaded}, plan asks for scale {asked}",
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
                "the data on {} was made by another version of {}: {key} {loaded}, and now {value}",
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
                    "the data on {} was made with {key}={loaded} (profile {}), plan asks for \
                     {key}={value} (profile {})",
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

/// Lets a workload that wants to know look at what earlier runs have left in a set of tables. Returns
/// what the user should know.
pub(crate) fn inspect_data(
    Request { job, context }: Request<'_>,
    instance: &dyn Instance,
    set: u32,
    purpose: Purpose,
) -> Result<Option<String>> {
    // What a workload looks for is of our own making.
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

/// What is there.
pub(crate) async fn data(job: &Job, session: Box<dyn Session>) -> Result<Data> {
    match MarkerStore::open(session, job.driver.dialect()).await? {
        Ok(mut store) => {
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

/// Adds the parameters that did not exist when the data was made, which were as their defaults are,
/// and leaves out those that no longer exist.
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

/// The parameters that shape the data, with their values.
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

/// The command that starts a private server, for a target that is the bare name of its driver.
fn private_server(job: &Job) -> Option<String> {
    let id = job.driver.manifest().id;
    let product = tacho_registry::servers().into_iter().find(|product| product.id() == id)?;
    (job.target_text.trim_end_matches(':') == id).then(|| {
        format!(
            "tacho up {id} starts a private server; its name as a target is {}",
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

/// That tables of another client are in a place: the first few names, and how many more there are.
pub(crate) fn foreign(kind: ErrorKind, place: &str, tables: &[String]) -> Error {
    let names = match tables.len() {
        0..=3 => tables.join(", "),
        more => format!("{} and {} more", tables[..3].join(", "), more - 3),
    };
    Error::new(kind, format!("{place} holds tables that Tacho did not make ({names})"))
}

/// The world of an administrative session.
#[expect(clippy::disallowed_methods, reason = "origin of the clock of administration")]
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
