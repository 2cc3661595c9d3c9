//! Creates a job from positional arguments, flags, environment variables and the settings file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::ArgMatches;
use tacho_app::{Context, Job, Request, saved_plan};
use tacho_config::{ConfigFile, Resolved, SETTINGS, Source, find_file, resolve};
use tacho_core::file::STANDARD_INPUT;
use tacho_core::{Error, ErrorKind, Result, masked_target};
use tacho_driver::Target;
use tacho_servers::ServerState;

use super::{piped, text, up};
use crate::printer::say;
use crate::world::World;

/// Returns the job requested by the arguments, and its context.
pub(super) fn job(matches: &ArgMatches, world: &World) -> Result<(Job, Context)> {
    job_of(resolved(matches, world)?, matches, world)
}

/// Returns the job for a command. Settings in `required` have no defaults.
pub(super) fn job_with(
    required: &[&str],
    matches: &ArgMatches,
    world: &World,
) -> Result<(Job, Context)> {
    let resolved = resolved(matches, world)?;
    match required.iter().find(|key| !resolved.is_given(key)) {
        None => job_of(resolved, matches, world),
        Some(key) => Err(Error::usage(format!("{key} is missing")).hint(format!(
            "specify the workload first, then the target, such as {} {}; or use --{key}",
            tacho_registry::workloads()[0].manifest().id,
            tacho_registry::TARGET_EXAMPLE
        ))),
    }
}

fn job_of(resolved: Resolved, matches: &ArgMatches, world: &World) -> Result<(Job, Context)> {
    let context = world.context(text(matches, "dir"));
    if !matches.try_get_one::<bool>("dry_run").is_ok_and(|flag| flag == Some(&true)) {
        repair(&context);
    }
    let url = resolved.plan.data.target.as_ref().and_then(|name| resolved.target_url(name));
    check_server(matches, world, url)?;
    let job = Job::new(resolved, &context)?;
    Ok((job, context))
}

/// Ends the faults that a killed run left on private servers, and reports each of them.
pub(super) fn repair(context: &Context) {
    for repaired in tacho_app::repair(context, true) {
        say(&repaired);
    }
}

/// Makes the job use another tool's tables, if requested.
pub(super) fn adopt(job: &mut Job, context: &Context, matches: &ArgMatches) -> Result<()> {
    if let Some(profile) = text(matches, "adopt") {
        job.resolved = job.resolved.with("profile", &[profile.to_owned()])?;
        let adopted = tacho_app::adopt(Request::new(job, context))?;
        let tables = adopted.tables.join(", ");
        say(&format!("Using tables created by another tool, scale {}: {tables}", adopted.scale));
        job.adopted = Some(adopted);
    }
    Ok(())
}

/// The settings for `doctor`, and the target that it checks.
pub(super) struct DoctorRequest {
    pub(super) resolved: Resolved,
    /// The job for the database to check, or `None` if there is no target. The error is present if the target is a
    /// private server that is not running.
    pub(super) target: Option<(Job, Option<Error>)>,
    pub(super) context: Context,
}

/// Returns the settings, and the target if one is given.
pub(super) fn look(matches: &ArgMatches, world: &World) -> Result<DoctorRequest> {
    let context = world.context(text(matches, "dir"));
    let resolved = resolved(matches, world)?;
    let url = resolved.plan.data.target.as_ref().map(|name| resolved.target_url(name));
    let target = match url {
        Some(url) => {
            let away = check_server(matches, world, url).err();
            Some((Job::new(resolved.clone(), &context)?, away))
        }
        None => None,
    };
    Ok(DoctorRequest { resolved, target, context })
}

/// Returns all settings with their origins.
pub(super) fn resolved(matches: &ArgMatches, world: &World) -> Result<Resolved> {
    let file = config_file(matches, world)?;
    let mut flags = flags(matches);
    let mut run = text(matches, "run").map(str::to_owned);
    let is_run =
        |name: &str| file.as_ref().is_some_and(|file| file.run_names().any(|run| run == name));
    let context = world.context(text(matches, "dir"));
    for (_, values) in flags.iter_mut().filter(|(key, _)| key == "workload") {
        for value in values {
            *value = piped::saved(value, &context)?;
        }
    }
    let (workload, target) = positions(matches, &flags, is_run);
    let workload = workload.map(|name| piped::saved(name, &context)).transpose()?;
    if let Some(name) = workload.as_deref() {
        let (found, is_run) = (tacho_registry::workload(name), is_run(name));
        match (found, is_run) {
            (Ok(_), _) => positional(&mut flags, "workload", name)?,
            (Err(_), true) => run = Some(name.into()),
            (Err(_), false) if is_target(name) => return Err(target_first(name)),
            // If the word is the name of a folder with a workload, the error in this workload is more helpful than
            // "unknown name".
            (Err(error), false) if tacho_registry::is_workload_folder(name) => return Err(error),
            (Err(_), false) => return Err(unknown_name(name, file.as_ref())),
        }
    }
    if let Some(target) = target {
        positional(&mut flags, "target", target)?;
    }
    let targets = servers(matches, world);
    if let (Some(name), Some(_)) = (&run, text(matches, "from")) {
        return Err(Error::usage(format!(
            "--from cannot be combined with run {name} from tacho.toml"
        ))
        .hint("omit one of them"));
    }
    let saved = text(matches, "from").map(|run| saved_plan(&context, run));
    let (saved, environment) = (saved.transpose()?, world.environment.clone());
    let foreign = world.trust().requested;
    resolve(Source { file, targets, run, saved, environment, flags, foreign })
}

/// Returns the workload and the target from the positional arguments. With `--workload`, a single argument is the
/// target.
fn positions<'a>(
    matches: &'a ArgMatches,
    flags: &[(String, Vec<String>)],
    is_run: impl Fn(&str) -> bool,
) -> (Option<&'a str>, Option<&'a str>) {
    let words = (text(matches, "workload_name"), text(matches, "target_name"));
    let by_flag = flags.iter().any(|(key, _)| key == "workload");
    match words {
        (Some(word), None)
            if by_flag && !is_run(word) && tacho_registry::workload(word).is_err() =>
        {
            (None, Some(word))
        }
        words => words,
    }
}

/// Returns true for an argument such as `sqlite:bench.db`.
fn is_target(word: &str) -> bool {
    Target::parse(word).is_ok_and(|target| tacho_registry::driver(&target.scheme).is_ok())
}

fn target_first(word: &str) -> Error {
    let (word, workload) = (masked_target(word), tacho_registry::workloads()[0].manifest().id);
    Error::usage(format!("\"{word}\" is a target, not a workload"))
        .hint(format!("specify the workload first, such as {workload} {word}"))
}

/// Returns the pack folders from the arguments, the environment and the settings file.
pub(super) fn packs(matches: &ArgMatches, world: &World) -> Result<Vec<String>> {
    Ok(resolved(matches, world)?.plan.data.packs)
}

/// Adds the value of a positional argument. If there is also a flag for the same setting, both must have the same
/// value.
fn positional(flags: &mut Vec<(String, Vec<String>)>, key: &str, value: &str) -> Result<()> {
    let flag = flags.iter().find(|(known, _)| known == key).and_then(|(_, values)| values.first());
    match flag {
        Some(other) if other != value => {
            let (value, other) = (masked_target(value), masked_target(other));
            Err(Error::usage(format!("two values for {key}: {value} and --{key} {other}")).hint(
                format!("omit one of them, or measure both with tacho sweep --vary {key}=A,B"),
            ))
        }
        Some(_) => Ok(()),
        None => {
            flags.push((key.into(), vec![value.into()]));
            Ok(())
        }
    }
}

/// Returns the private servers' targets by server name. Omits unreadable servers, which `tacho list servers` reports.
pub(super) fn servers(matches: &ArgMatches, world: &World) -> BTreeMap<String, String> {
    let states = up::server_pool(matches, world).list().unwrap_or_default();
    // The command `up` never writes a target that loads code. Ignore such a target, because somebody else must have
    // changed the file.
    let is_plain = |text: &str| {
        Target::parse(text).is_ok_and(|target| tacho_registry::code_in(&target, &[]).is_none())
    };
    let states = states.into_iter().filter(|state| is_plain(&state.target));
    states.map(|state| (state.name, state.target)).collect()
}

/// Returns an error if the target is a private server that is not running.
fn check_server(matches: &ArgMatches, world: &World, url: Option<&str>) -> Result<()> {
    let states = up::server_pool(matches, world).list().unwrap_or_default();
    let state = states.iter().find(|state| Some(state.target.as_str()) == url);
    let Some(state) = state.filter(|state| !state.runs()) else { return Ok(()) };
    let ServerState { name, .. } = state;
    Err(Error::new(ErrorKind::Connect, format!("the private server {name} is {}", state.word()))
        .hint(format!("to start it again, use tacho up {name}")))
}

/// Reads the settings file in use.
pub(super) fn config_file(matches: &ArgMatches, world: &World) -> Result<Option<ConfigFile>> {
    let Some(path) = config_path(matches, world) else { return Ok(None) };
    let go_on = || world.interrupt.interrupt_count() == 0;
    let mut file = ConfigFile::read(&path, &go_on)?;
    let is_trusted =
        || world.trusted_files().is_some_and(|trusted| trusted.trusts(&path, &file.text));
    file.trusted = named_config(matches, world).is_some() || is_trusted();
    Ok(Some(file))
}

/// Returns the path of the settings file in use.
pub(super) fn config_path(matches: &ArgMatches, world: &World) -> Option<PathBuf> {
    let named = named_config(matches, world).map(|path| named_file(path, world));
    named.or_else(|| find_file(&world.folder))
}

/// Returns the settings file specified by the user, if any.
fn named_config<'a>(matches: &'a ArgMatches, world: &'a World) -> Option<&'a str> {
    text(matches, "config").or_else(|| world.variable("TACHO_CONFIG"))
}

/// Returns the path of a file that is read only once. It may be standard input or a path relative to the working
/// directory.
pub(super) fn named_file(path: &str, world: &World) -> PathBuf {
    if path == STANDARD_INPUT { path.into() } else { world.folder.join(path) }
}

/// Returns the settings that are given as flags on the command line, each with its values.
fn flags(matches: &ArgMatches) -> Vec<(String, Vec<String>)> {
    SETTINGS
        .iter()
        .filter_map(|setting| {
            let key = setting.parameter.key;
            let values = matches.try_get_many::<String>(key).ok().flatten()?;
            Some((key.to_owned(), values.cloned().collect()))
        })
        .collect()
}

fn unknown_name(name: &str, file: Option<&ConfigFile>) -> Error {
    if let Some(error) = tacho_registry::without_file(name) {
        return error;
    }
    let workloads = tacho_registry::workloads();
    let known = workloads.iter().map(|workload| workload.manifest().id);
    let runs = file.into_iter().flat_map(ConfigFile::run_names);
    Error::usage(format!("unknown workload or run \"{name}\""))
        .did_you_mean(name, known.chain(runs))
        .hint(
            "to list all workloads, use tacho list workloads; a folder with a workload.toml is \
             also a workload",
        )
}
