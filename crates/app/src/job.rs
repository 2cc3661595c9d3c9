//! A job is a request whose workload, database and settings have been found and checked.

mod adopted;
mod host_source;
mod recorded;
mod wanted;

use std::collections::BTreeMap;
use std::sync::Arc;

use tacho_config::{LoadSteps, Resolved};
use tacho_core::{Error, Result, Schema, Seed, Table, masked_target, shell_word};
use tacho_driver::{Dialect, Driver, Form, RoutineKind, Target};
use tacho_workload::{Choices, Instance, Marker, Routines, Workload};

use crate::files::LoadedFiles;
use crate::{Context, trust};
pub use adopted::Adopted;
pub use host_source::HostSource;
pub use wanted::Wanted;

/// A resolved request.
pub struct Job {
    /// The workload.
    pub workload: Arc<dyn Workload>,
    /// The driver.
    pub driver: Arc<dyn Driver>,
    /// The database.
    pub target: Target,
    /// The target's name as given by the user, or the driver's name.
    pub target_name: String,
    /// The target as the user would write it.
    pub target_text: String,
    /// True if no target was named. In this case, `run` also prepares the embedded database.
    pub embedded: bool,
    /// All settings, including where their values come from.
    pub resolved: Resolved,
    /// The server settings that a sweep changed for this run, with the values reported by the server.
    pub server_settings: Vec<(String, String)>,
    /// The tables that another tool created, if this job uses them without creating its own.
    pub adopted: Option<Adopted>,
    /// Machines to observe in addition to this one.
    pub hosts: Vec<Arc<dyn HostSource>>,
    /// The files from which the server loads the rows.
    pub files: Option<LoadedFiles>,
    /// The load date in the rows, in microseconds since 1970, or `None` for the current date.
    pub load_date: Option<i64>,
    /// The load hosts and how to find them, if agents run the sessions.
    pub wanted: Option<Wanted>,
    /// True if TPM is calculated from the server's counters, as HammerDB does.
    pub server_tpm: bool,
}

/// A job and its context.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The job.
    pub job: &'a Job,
    /// The services available to the use case.
    pub context: &'a Context,
}

impl<'a> Request<'a> {
    /// Pairs a job with its context.
    pub fn new(job: &'a Job, context: &'a Context) -> Self {
        Self { job, context }
    }
}

impl Job {
    /// Resolves all names. An unknown name is a usage error that suggests the closest match.
    pub fn new(resolved: Resolved, context: &Context) -> Result<Self> {
        // Check the permissions before anything is read or loaded.
        trust::require(&resolved, &context.trust)?;
        let data = &resolved.plan.data;
        let workload = match &data.workload {
            Some(id) => tacho_registry::workload(id)?,
            None => tacho_registry::workloads().swap_remove(0),
        };
        let (target, target_name) = match &data.target {
            Some(text) => named_target(&resolved, text)?,
            None => embedded(&resolved, &workload, context)?,
        };
        let driver = tacho_registry::driver_of(&target, &data.packs)?;
        if resolved.is_flag("pack") {
            tacho_registry::require_use(&target, &data.packs)?;
        }
        driver.check(&target).map_err(|error| with_named_targets(error, &target, &resolved))?;
        require_sets(&resolved, driver.as_ref())?;
        let embedded = data.target.is_none();
        let target_text = if resolved.target_url(&target_name).is_some() {
            target_name.clone()
        } else {
            target.redacted()
        };
        let server_settings = Vec::new();
        let mut job = Self {
            workload,
            driver,
            target,
            target_name,
            target_text,
            embedded,
            resolved,
            server_settings,
            adopted: None,
            hosts: Vec::new(),
            files: None,
            load_date: None,
            wanted: None,
            server_tpm: false,
        };
        recorded::fit(&mut job, context)?;
        Ok(job)
    }

    /// Returns true if runs need data that `prepare` creates in the database.
    pub(crate) fn has_data(&self) -> bool {
        self.driver.capabilities().stores_data && self.workload.without_data().is_none()
    }

    /// Returns an error if the workload has no data.
    pub(crate) fn require_data(&self, what: &str) -> Result<()> {
        let Some(hint) = self.workload.without_data() else { return Ok(()) };
        let id = self.workload.manifest().id;
        let text = format!("workload {id} has no data to {what}");
        Err(Error::usage(text).hint(hint))
    }

    /// Returns the folders of driver packs if the target's driver is not built in.
    pub(crate) fn packs(&self) -> &[String] {
        let built_in = tacho_registry::driver(self.driver.manifest().id).is_ok();
        if built_in { &[] } else { &self.resolved.plan.data.packs }
    }

    /// Returns the choices that determine a workload instance, such as the scale and the profile. If the user did not
    /// choose a value, it is taken from the loaded data.
    pub(crate) fn choices(&self, data: Option<&Marker>) -> Result<Choices> {
        let plan = &self.resolved.plan;
        let seed = plan.load.seed;
        let manifest = self.workload.manifest();
        let scale = match plan.data.scale {
            Some(scale) => manifest.steps_of(scale)?,
            None => data.map_or(manifest.scale_steps, |marker| marker.scale),
        };
        let profile = match (&plan.data.profile, data) {
            (Some(profile), _) => profile.clone(),
            (None, Some(marker)) => marker.profile.clone(),
            (None, None) => self.workload.profiles()[0].id.to_owned(),
        };
        let steps = plan.steps.as_ref().filter(|steps| !steps.is_open());
        Ok(Choices {
            scale,
            data_seed: data.map_or(seed, |marker| marker.seed),
            seed,
            loaded_at: data.map_or_else(
                || self.load_date.unwrap_or_else(now_micros),
                |marker| marker.loaded_at,
            ),
            profile,
            set: self.set(data),
            form: plan.data.form,
            sessions: match plan.load.terminals {
                Some(terminals) => terminals,
                None => steps.map_or(plan.load.sessions, LoadSteps::sessions_max),
            },
            dialect: self.driver.dialect().id().to_owned(),
            sets: self.sets(),
            turn: 0,
        })
    }

    /// Returns the parameters set by the user, and those with which the data was loaded.
    fn set(&self, data: Option<&Marker>) -> BTreeMap<String, String> {
        let asked = &self.resolved.plan.data;
        let mut set = BTreeMap::new();
        if let Some(marker) = data
            && asked.profile.as_ref().is_none_or(|profile| *profile == marker.profile)
        {
            set.clone_from(&marker.set);
        }
        // Do not copy derived parameters from the loaded data. The workload computes them itself, and a later
        // comparison of both values would otherwise find no differences.
        set.retain(|key, _| !self.workload.derived_parameters().contains(&key.as_str()));
        set.extend(asked.set.clone());
        set
    }

    /// Returns the headline metric. Returns `None` if there is none, so that throughput is reported in transactions
    /// per second, or if settings are missing.
    pub fn headline(&self) -> Option<tacho_workload::Headline> {
        let instance = self.workload.instance(&self.choices(None).ok()?).ok()?;
        instance.headline().filter(tacho_workload::Headline::is_stated)
    }

    /// Returns true if the workload has stored routines for this database and these settings.
    pub fn has_routines(&self) -> Result<bool> {
        let instance = self.workload.instance(&self.choices(None)?)?;
        Ok(!routines(&*instance, &*self.driver)?.create.is_empty())
    }

    /// Returns the number of complete table sets.
    pub fn sets(&self) -> u32 {
        self.resolved.plan.data.sets
    }

    /// Returns the number that drivers use for the first table set.
    pub(crate) fn first_set(&self) -> u32 {
        u32::from(self.sets() > 1)
    }

    /// Returns the numbers that drivers use for the table sets.
    pub(crate) fn all_sets(&self) -> std::ops::Range<u32> {
        let first = self.first_set();
        first..first + self.sets()
    }

    /// Returns the `--sets` option, for use in hints.
    fn sets_flag(&self) -> String {
        if self.sets() > 1 { format!(" --sets {}", self.sets()) } else { String::new() }
    }

    /// Returns the requested scale as a number of scale steps, the smallest increments of a scale. If the user did
    /// not specify a scale, returns the steps for scale 1.
    pub(crate) fn wanted_scale(&self) -> u64 {
        let manifest = self.workload.manifest();
        let asked = self.resolved.plan.data.scale.and_then(|scale| manifest.steps_of(scale).ok());
        asked.unwrap_or(manifest.scale_steps)
    }

    /// Returns the command that prepares the data, for use in hints.
    pub(crate) fn prepare_command(&self, scale: u64) -> String {
        let manifest = self.workload.manifest();
        let (workload, scale) = (self.workload_word(), manifest.scale_text(scale));
        let profile = self.resolved.plan.data.profile.as_ref();
        let profile = profile.map(|profile| format!(" --profile {profile}"));
        let (profile, sets) = (profile.unwrap_or_default(), self.sets_flag());
        if let Some(hint) = self.workload.without_data() {
            return hint.to_owned();
        }
        // Omit parameters that affect only runs.
        let keys = self.workload.data_parameters();
        let set = &self.resolved.plan.data.set;
        let set = set.iter().filter(|(key, _)| keys.contains(&key.as_str())).map(set_flag);
        let set: String = set.collect();
        let target = self.target_word();
        format!("tacho prepare {workload} {target} --scale {scale}{sets}{profile}{set}")
    }

    /// Returns the command that resumes an interrupted build with its original options, for hints.
    pub(crate) fn resume_command(&self, marker: &Marker) -> String {
        let (manifest, target) = (self.workload.manifest(), self.target_word());
        let Marker { profile, seed, .. } = marker;
        let (workload, scale) = (self.workload_word(), manifest.scale_text(marker.scale));
        let sets = self.sets_flag();
        let mut words = vec![format!("tacho prepare {workload} {target} --scale {scale}{sets}")];
        words.push(format!("--profile {profile} --seed {}", seed.0));
        let derived = self.workload.derived_parameters();
        let set = marker.set.iter().filter(|(key, _)| !derived.contains(&key.as_str()));
        let unusual = set.filter(|(key, value)| self.usual_value(profile, key) != Some(value));
        words.join(" ") + &unusual.map(set_flag).collect::<String>()
    }

    /// Returns a workload parameter's value in a profile.
    fn usual_value(&self, profile: &str, key: &str) -> Option<&str> {
        let profile = self.workload.profiles().iter().find(|known| known.id == profile)?;
        let value = profile.values.iter().find(|(known, _)| *known == key).map(|(_, value)| *value);
        let default = self.workload.parameters().iter().find(|known| known.key == key);
        value.or(default.map(|known| known.default))
    }

    /// Returns the target as a shell-quoted command-line argument.
    pub fn target_word(&self) -> String {
        shell_word(&self.target_text)
    }

    /// Returns the workload as a command-line argument: a name, or the folder of a user-defined workload.
    pub fn workload_word(&self) -> String {
        shell_word(self.workload.word())
    }

    /// Returns the command that removes the data, for use in hints.
    pub(crate) fn clean_command(&self) -> String {
        self.clean_command_of(self.workload.manifest().id)
    }

    /// Returns the command that removes a workload's data. The workload may differ from the job's.
    pub(crate) fn clean_command_of(&self, workload: &str) -> String {
        let is_same = workload == self.workload.manifest().id;
        let workload = if is_same { self.workload_word() } else { workload.to_owned() };
        format!("tacho clean {workload} {}{}", self.target_word(), self.sets_flag())
    }
}

fn set_flag((key, value): (&String, &String)) -> String {
    format!(" --set {}", shell_word(&format!("{key}={value}")))
}

/// Rejects multiple table sets if the database does not support them.
fn require_sets(resolved: &Resolved, driver: &dyn Driver) -> Result<()> {
    let sets = resolved.plan.data.sets;
    if sets < 2 || driver.capabilities().sets {
        return Ok(());
    }
    let title = driver.manifest().title;
    Err(Error::usage(format!("{title} does not support multiple table sets ({sets} requested)"))
        .hint("omit --sets, or use a database server"))
}

fn named_target(resolved: &Resolved, text: &str) -> Result<(Target, String)> {
    if let Some(url) = resolved.target_url(text) {
        return Ok((Target::parse(url)?, text.to_owned()));
    }
    let target = Target::parse(text)?;
    if !text.contains(':') && tacho_registry::driver_in(text, &resolved.plan.data.packs).is_err() {
        // Report any errors in a pack first.
        tacho_registry::packs(&resolved.plan.data.packs)?;
        let drivers = tacho_registry::drivers();
        let known = resolved.targets().map(|(name, _)| name);
        let known = known.chain(drivers.iter().map(|driver| driver.manifest().id));
        return Err(Error::usage(format!("unknown target \"{}\"", masked_target(text)))
            .did_you_mean(text, known)
            .hint(tacho_registry::target_hint()));
    }
    let name = target.scheme.clone();
    Ok((target, name))
}

/// Adds a hint that lists named targets that use this driver, because users who enter just a driver's name often
/// mean one of these.
fn with_named_targets(error: Error, target: &Target, resolved: &Resolved) -> Error {
    let of_driver = |url: &str| Target::parse(url).is_ok_and(|known| known.scheme == target.scheme);
    let known: Vec<_> =
        resolved.targets().filter(|(_, url)| of_driver(url)).map(|(name, _)| name).collect();
    match known.as_slice() {
        [] => error,
        names => error.hint(format!("known targets with this driver: {}", names.join(", "))),
    }
}

/// Returns the embedded database for the requested data. Each combination of data options has its own file.
fn embedded(
    resolved: &Resolved,
    workload: &Arc<dyn Workload>,
    context: &Context,
) -> Result<(Target, String)> {
    let manifest = workload.manifest();
    let asked = &resolved.plan.data;
    let scale = asked.scale.map(|scale| manifest.steps_of(scale)).transpose()?;
    let scale = manifest.scale_text(scale.unwrap_or(manifest.scale_steps));
    let profile = asked.profile.as_deref().unwrap_or(workload.profiles()[0].id);
    let mut data = format!("{}-{scale}-{profile}", manifest.id);
    let usual = data_values(workload.as_ref(), profile, BTreeMap::new())?;
    for (key, value) in data_values(workload.as_ref(), profile, asked.set.clone())? {
        if usual.get(&key) != Some(&value) {
            data = format!("{data}-{key}-{value}");
        }
    }
    let target = tacho_registry::embedded_target(&context.embedded(), &data);
    let name = target.scheme.clone();
    Ok((target, name))
}

/// Returns the parameters that determine the data, along with their values.
fn data_values(
    workload: &dyn Workload,
    profile: &str,
    set: BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>> {
    let instance = workload.instance(&Choices {
        scale: 1,
        data_seed: Seed(0),
        seed: Seed(0),
        loaded_at: 0,
        profile: profile.to_owned(),
        set,
        form: Form::Sql,
        sessions: 1,
        dialect: String::new(),
        sets: 1,
        turn: 0,
    })?;
    let keys = workload.data_parameters();
    let all = instance.parameters();
    Ok(all.into_iter().filter(|(key, _)| keys.contains(&key.as_str())).collect())
}

/// Returns the time in microseconds since 1970, rounded down to seconds. TPC-C's dates have no fractional seconds.
pub(crate) fn now_micros() -> i64 {
    tacho_collect::wall_clock().as_secs() as i64 * 1_000_000
}

/// Returns true if the routines for these tables have to be created outside of a transaction and dropped before the
/// tables.
pub(crate) fn has_native_routines(layout: &Schema, dialect: &dyn Dialect) -> bool {
    let kind = |table: &Table| dialect.routine_kind(&table.storage);
    layout.tables.iter().any(|table| kind(table) == RoutineKind::Native)
}

/// Returns the workload's stored routines if the driver can call them.
pub(crate) fn routines(instance: &dyn Instance, driver: &dyn Driver) -> Result<Routines> {
    if driver.capabilities().procedures {
        instance.routines(driver.dialect())
    } else {
        Ok(Routines::default())
    }
}
