//! Merges the layers of settings, and records where each value comes from.

use std::collections::{BTreeMap, BTreeSet};

use tacho_core::{Error, Result};

use crate::{ConfigFile, Plan, SETTINGS, Setting, setting};

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The value is the default, because none was specified.
    Default,
    /// A section of the settings file.
    File {
        /// The path of the file.
        path: String,
        /// The name of the section, such as `run.nightly`.
        section: String,
    },
    /// The environment variable with this name.
    Environment(String),
    /// The plan of the saved run with this id.
    Run(String),
    /// A flag or argument on the command line.
    Flag,
    /// A value of a sweep variable.
    Sweep,
}

impl Origin {
    /// Describes the origin.
    pub fn words(&self) -> String {
        match self {
            Self::Default => "default".into(),
            Self::File { path, section } => format!("{path}, [{section}]"),
            Self::Environment(name) => format!("environment, {name}"),
            Self::Run(id) => format!("run {id}"),
            Self::Flag => "command line".into(),
            Self::Sweep => "sweep".into(),
        }
    }
}

/// A setting in text form, along with its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The key of the setting.
    pub key: &'static str,
    /// The values of the setting; empty if there are none. Only repeatable settings can have several.
    pub values: Vec<String>,
    /// The origin of the values.
    pub origin: Origin,
}

/// The sources from which settings are resolved.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The settings file, if there is one.
    pub file: Option<ConfigFile>,
    /// Named targets from other sources. Targets defined in the file take precedence.
    pub targets: BTreeMap<String, String>,
    /// The name of the run in the file.
    pub run: Option<String>,
    /// The plan and the ID of a saved run. The values of this plan are used instead of those in the settings file and
    /// the environment.
    pub saved: Option<(Plan, String)>,
    /// All environment variables whose names start with `TACHO_`.
    pub environment: Vec<(String, String)>,
    /// The flags, by setting key.
    pub flags: Vec<(String, Vec<String>)>,
    /// True if the flags and the target in the environment come from a record or a request rather than from the user.
    pub foreign: bool,
}

/// A plan, along with the origin of each setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// All settings.
    pub plan: Plan,
    origins: BTreeMap<&'static str, Origin>,
    targets: BTreeMap<String, String>,
    /// Settings whose values come from an untrusted file, a record or a request.
    foreign: BTreeSet<&'static str>,
    /// The names of targets defined in an untrusted file.
    foreign_targets: BTreeSet<String>,
    /// The path of the file.
    file: String,
    /// True if the flags and the sweep values come from a record or a request instead of the user.
    foreign_flags: bool,
}

/// Resolves all settings. Unknown names and values out of range are usage errors that name the origin of the value.
pub fn resolve(source: Source) -> Result<Resolved> {
    let mut resolved = Resolved {
        plan: Plan::default(),
        origins: BTreeMap::new(),
        targets: source.targets,
        foreign: BTreeSet::new(),
        foreign_targets: BTreeSet::new(),
        file: String::new(),
        foreign_flags: source.foreign,
    };
    let (mut file, mut environment) = (source.file, source.environment);
    if let Some((plan, id)) = source.saved {
        resolved.take(plan, &id);
        if let Some(file) = file.take() {
            resolved.name_targets(file);
        }
        environment.clear();
    }
    if let Some(file) = file {
        resolved.apply_file(&file, source.run.as_deref())?;
        resolved.name_targets(file);
    } else if let Some(run) = source.run {
        return Err(unknown_run(&run, std::iter::empty()));
    }
    for (name, value) in environment {
        resolved.apply_variable(&name, value)?;
    }
    for (key, values) in source.flags {
        resolved.put(&key, &values, Origin::Flag)?;
    }
    Ok(resolved)
}

fn unknown_run<'a>(run: &str, known: impl Iterator<Item = &'a str>) -> Error {
    Error::usage(format!("run \"{run}\" does not exist in tacho.toml"))
        .did_you_mean(run, known)
        .hint(format!("define it in a [run.{run}] section"))
}

/// Environment variables that start with `TACHO_` but are not run settings.
const OTHER_VARIABLES: [&str; 11] = [
    "TACHO_AGENT_TOKEN",
    "TACHO_ARGUMENTS",
    "TACHO_CONFIG",
    "TACHO_DIR",
    "TACHO_HAMMERDB_MINUTE",
    "TACHO_HAMMERDB_GIGABYTE",
    "TACHO_HAMMERDB_TCL",
    "TACHO_NATS",
    "TACHO_NATS_TOKEN",
    "TACHO_REQUEST",
    "TACHO_WEB_TOKEN",
];

impl Resolved {
    fn apply_file(&mut self, file: &ConfigFile, run: Option<&str>) -> Result<()> {
        let mut sections = vec![("defaults".to_owned(), &file.defaults)];
        if let Some(run) = run {
            let section = file.runs.get(run).ok_or_else(|| unknown_run(run, file.run_names()))?;
            sections.push((format!("run.{run}"), section));
        }
        let path = file.path.display().to_string();
        for (section, values) in sections {
            for (key, values) in values {
                let origin = Origin::File { path: path.clone(), section: section.clone() };
                self.put(key, values, origin)?;
                if !file.trusted {
                    self.foreign.insert(key);
                }
            }
        }
        Ok(())
    }

    fn apply_variable(&mut self, name: &str, value: String) -> Result<()> {
        if OTHER_VARIABLES.contains(&name) {
            return Ok(());
        }
        let Some(setting) = SETTINGS.iter().find(|setting| setting.variable() == name) else {
            let variables: Vec<String> = SETTINGS.iter().map(Setting::variable).collect();
            return Err(Error::usage(format!("unknown environment variable {name}"))
                .did_you_mean(name, variables.iter().map(String::as_str)));
        };
        let values = if setting.repeated {
            value.split(';').map(str::to_owned).collect()
        } else {
            vec![value]
        };
        self.put(setting.parameter.key, &values, Origin::Environment(name.to_owned()))
    }

    /// Applies a saved run's plan.
    fn take(&mut self, plan: Plan, id: &str) {
        let usual = std::mem::replace(&mut self.plan, plan);
        // Skip settings that have no value in the saved plan, because a plan has either a duration or a number of
        // transactions, but never both.
        let differs = |setting: &&Setting| {
            let shown = setting.show(&self.plan);
            !shown.is_empty() && shown != setting.show(&usual)
        };
        let keys = SETTINGS.iter().filter(differs).map(|setting| setting.parameter.key);
        self.origins = keys.map(|key| (key, Origin::Run(id.to_owned()))).collect();
        self.foreign = self.origins.keys().copied().collect();
    }

    fn name_targets(&mut self, file: ConfigFile) {
        self.file = file.path.display().to_string();
        if !file.trusted {
            self.foreign_targets.extend(file.targets.keys().cloned());
        }
        // The file may define a target as the name of a private server instead of a URL.
        let resolved = file.targets.into_iter().map(|(name, url)| {
            let url = self.targets.get(&url).cloned().unwrap_or(url);
            (name, url)
        });
        let resolved: Vec<(String, String)> = resolved.collect();
        self.targets.extend(resolved);
    }

    fn put(&mut self, key: &str, values: &[String], origin: Origin) -> Result<()> {
        let known = setting(key).ok_or_else(|| Error::usage(format!("unknown key \"{key}\"")))?;
        let key = known.parameter.key;
        for value in values {
            known.parameter.check(value).map_err(|error| match origin {
                Origin::Flag => error,
                Origin::Sweep => {
                    let varied = Error::usage(format!(
                        "invalid value \"{value}\" for the sweep \
                        variable {key}"
                    ));
                    let varied = varied.of_setting(key);
                    error.hints().iter().fold(varied, |varied, hint| varied.hint(hint.clone()))
                }
                _ => error.during(format!("use {}", origin.words())),
            })?;
        }
        known.read(&mut self.plan, values)?;
        let is_foreign = match origin {
            Origin::Flag => self.foreign_flags,
            // If a request contains a target with a password, the target is passed in the environment.
            Origin::Environment(_) => self.foreign_flags && key == "target",
            // A sweep may change only part of a value, such as one option of a target. The rest of the value keeps its
            // origin.
            Origin::Sweep => self.foreign_flags || self.foreign.contains(key),
            Origin::Run(_) => true,
            Origin::Default | Origin::File { .. } => false,
        };
        if is_foreign {
            self.foreign.insert(key);
        } else {
            self.foreign.remove(key);
        }
        self.origins.insert(key, origin);
        Ok(())
    }

    /// Returns a copy in which the values of one setting are replaced, for a point of a sweep.
    pub fn with(&self, key: &str, values: &[String]) -> Result<Self> {
        let mut other = self.clone();
        other.put(key, values, Origin::Sweep)?;
        Ok(other)
    }

    /// Returns a copy in which the value of one setting comes from a record.
    pub fn with_recorded(&self, key: &str, values: &[String]) -> Result<Self> {
        let mut other = self.with(key, values)?;
        other.foreign.extend(setting(key).map(|known| known.parameter.key));
        Ok(other)
    }

    /// Returns true if a setting's value comes from an untrusted file, a record or a request.
    pub fn is_foreign(&self, key: &str) -> bool {
        self.foreign.contains(key)
    }

    /// Returns true if the target with this name was defined in an untrusted file.
    pub fn is_foreign_target(&self, name: &str) -> bool {
        self.foreign_targets.contains(name)
    }

    /// Returns the origin for values in the `targets` section of the settings file.
    pub fn file_origin(&self) -> Origin {
        Origin::File { path: self.file.clone(), section: "targets".into() }
    }

    /// Returns all settings that were specified, by key. With these settings, the request can be repeated on another
    /// machine.
    pub fn given(&self) -> Vec<(String, Vec<String>)> {
        let given = self.entries().filter(|given| given.origin != Origin::Default);
        given.map(|given| (given.key.to_owned(), given.values)).collect()
    }

    /// Returns true if a value was specified.
    pub fn is_given(&self, key: &str) -> bool {
        self.origins.contains_key(key)
    }

    /// Returns true if the value was specified for this run, so that it takes precedence over the value of the saved
    /// run.
    pub fn is_asked(&self, key: &str) -> bool {
        self.origins.get(key).is_some_and(|origin| !matches!(origin, Origin::Run(_)))
    }

    /// Returns true if a value was specified on the command line.
    pub fn is_flag(&self, key: &str) -> bool {
        self.origins.get(key) == Some(&Origin::Flag)
    }

    /// Returns all settings in the order in which the help lists them.
    pub fn entries(&self) -> impl Iterator<Item = Given> {
        SETTINGS.iter().map(|setting| {
            let key = setting.parameter.key;
            let origin = self.origins.get(key).cloned().unwrap_or(Origin::Default);
            Given { key, values: setting.show(&self.plan), origin }
        })
    }

    /// Returns the URL of a named target.
    pub fn target_url(&self, name: &str) -> Option<&str> {
        self.targets.get(name).map(String::as_str)
    }

    /// Adds a named target.
    pub fn name_target(&mut self, name: &str, url: String) {
        self.targets.insert(name.to_owned(), url);
    }

    /// Returns the named targets.
    pub fn targets(&self) -> impl Iterator<Item = (&str, &str)> {
        self.targets.iter().map(|(name, url)| (name.as_str(), url.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> Source {
        let section = |value: &str| [("sessions", vec![value.to_owned()])].into();
        let file = ConfigFile {
            path: "tacho.toml".into(),
            text: String::new(),
            trusted: false,
            targets: BTreeMap::new(),
            defaults: section("2"),
            runs: [("n".to_owned(), section("3"))].into(),
        };
        Source { file: Some(file), ..Source::default() }
    }

    #[test]
    fn later_layers_win_and_are_named() -> Result<()> {
        let mut source = source();
        let sessions = |source: &Source| {
            let resolved = resolve(source.clone())?;
            let given = resolved.entries().find(|given| given.key == "sessions");
            let origin = given.map(|given| given.origin.words()).unwrap_or_default();
            Ok::<_, Error>((resolved.plan.load.sessions, origin))
        };
        assert_eq!(sessions(&Source::default())?, (1, "default".into()));
        assert_eq!(sessions(&source)?, (2, "tacho.toml, [defaults]".into()));
        source.run = Some("n".into());
        assert_eq!(sessions(&source)?, (3, "tacho.toml, [run.n]".into()));
        source.environment.push(("TACHO_SESSIONS".into(), "4".into()));
        assert_eq!(sessions(&source)?, (4, "environment, TACHO_SESSIONS".into()));
        source.flags.push(("sessions".into(), vec!["5".into()]));
        assert_eq!(sessions(&source)?, (5, "command line".into()));
        Ok(())
    }

    #[test]
    fn a_target_may_name_a_private_server() -> Result<()> {
        let mut source = source();
        source.targets.insert("pool".into(), "postgres://h:6432/d".into());
        if let Some(file) = &mut source.file {
            file.targets =
                [("direct".into(), "pool".into()), ("file".into(), "sqlite:a".into())].into();
        }
        let resolved = resolve(source)?;
        let urls = ["direct", "pool", "file"].map(|name| resolved.target_url(name));
        assert_eq!(
            urls,
            [Some("postgres://h:6432/d"), Some("postgres://h:6432/d"), Some("sqlite:a")]
        );
        Ok(())
    }

    #[test]
    fn a_saved_plan_is_kept_but_for_the_flags() -> Result<()> {
        let mut saved = Plan::default();
        (saved.load.sessions, saved.load.pacing) = (7, 0.5);
        let mut source = source();
        source.saved = Some((saved, "abc".into()));
        source.environment.push(("TACHO_SESSIONS".into(), "4".into()));
        source.flags.push(("pacing".into(), vec!["spec".into()]));
        let resolved = resolve(source)?;
        let given: Vec<_> =
            resolved.entries().filter(|entry| entry.origin != Origin::Default).collect();
        let words: Vec<String> = given
            .iter()
            .map(|entry| format!("{} {:?} {}", entry.key, entry.values, entry.origin.words()))
            .collect();
        assert_eq!(words, ["sessions [\"7\"] run abc", "pacing [\"spec\"] command line"]);
        Ok(())
    }

    #[test]
    fn only_what_the_user_gives_is_not_foreign() -> Result<()> {
        let foreign =
            |source: &Source| Ok::<_, Error>(resolve(source.clone())?.is_foreign("sessions"));
        let mut source = source();
        assert!(foreign(&source)?);
        let file = source.file.take().map(|file| ConfigFile { trusted: true, ..file });
        source.file = file;
        assert!(!foreign(&source)?);
        source.environment.push(("TACHO_SESSIONS".into(), "4".into()));
        source.flags.push(("sessions".into(), vec!["5".into()]));
        assert!(!foreign(&source)?);
        source.foreign = true;
        assert!(foreign(&source)?);
        source.flags.clear();
        assert!(!foreign(&source)?);
        let resolved = resolve(source.clone())?;
        assert!(resolved.with("sessions", &["6".into()])?.is_foreign("sessions"));
        assert!(resolved.with_recorded("seed", &["6".into()])?.is_foreign("seed"));
        source.saved = Some((Plan::default(), "abc".into()));
        source.flags = vec![("seed".into(), vec!["7".into()])];
        source.foreign = false;
        assert!(!resolve(source)?.is_foreign("seed"));
        let mut plan = Plan::default();
        plan.load.sessions = 9;
        let saved = Source { saved: Some((plan, "abc".into())), ..Source::default() };
        assert!(foreign(&saved)?);
        Ok(())
    }

    #[test]
    fn rejects_invalid_layers() {
        let mut wrong = source();
        wrong.run = Some("m".into());
        assert!(resolve(wrong).is_err());
        let mut wrong = source();
        wrong.environment.push(("TACHO_SESSION".into(), "4".into()));
        let error = resolve(wrong).expect_err("unknown variable");
        assert!(error.hints()[0].contains("TACHO_SESSIONS"));
        let mut wrong = source();
        wrong.environment.push(("TACHO_SESSIONS".into(), "-4".into()));
        let error = resolve(wrong).expect_err("out of range");
        assert_eq!(error.setting(), Some("sessions"));
        let error = error.to_string();
        assert!(error.contains("environment, TACHO_SESSIONS"), "{error}");
    }
}
