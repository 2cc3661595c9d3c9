//! The pipeline file, which defines the servers, settings and workloads to combine, and the server to use as the
//! baseline.
//!
//! ```toml
//! baseline = "pg15"
//!
//! [servers.pg15]
//! product = "postgres"
//! version = "15"
//!
//! [servers.staging]
//! target = "postgres://bench@db1/bench"
//!
//! [workloads.tprocc.run]
//! duration = "1m"
//! ```
//!
//! Unknown keys are errors, so that a misspelled key does not go unnoticed.
//!
//! Start reading at [`PipelineFile::read`].

use std::collections::BTreeMap;
use std::path::Path;

use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use tacho_core::file::STANDARD_INPUT;
use tacho_core::{Error, Result, masked_target};
use toml::{Spanned, Value};

use crate::file::{read_text, scalar, texts, unknown_setting};
use crate::{SETTINGS, setting};

/// Values of settings by key, in the same order as in the file.
type Run = BTreeMap<Spanned<String>, Value>;
/// The values of each sweep variable.
type Vary = BTreeMap<String, Vec<Value>>;

/// Settings that a workload's `run` table must not contain, because the pipeline sets them itself.
const OWN: [&str; 2] = ["workload", "target"];

/// The contents of a pipeline file.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PipelineFile {
    /// The name for the pipeline's state and its private servers [default: the file name].
    #[serde(default)]
    pub name: String,
    /// The server with which all others are compared. Required if there are several servers.
    pub baseline: Option<String>,
    /// The number of runs per combination. The servers take turns, so that any drift affects all of them equally.
    #[serde(default = "repeat")]
    #[schemars(range(min = 1, max = 1000))]
    pub repeat: u32,
    /// The smallest change to detect, such as `3%`. If given, the pipeline first repeats identical runs to measure how
    /// much results vary by chance.
    pub detect: Option<String>,
    /// The condition for exit code 7. By default, this is `regression`: any metric is worse than in the baseline, or a
    /// throughput cannot be evaluated. With `throughput`, only throughputs are considered. With `never`, comparisons do
    /// not affect the exit code. A threshold such as `p95>5%` is met if the metric is worse by more than this.
    #[serde(default)]
    pub fail_on: PipelineGate,
    /// True to treat a `fail_on` condition that cannot be evaluated as passed. Otherwise, it leads to exit code 9.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pass_undecided: bool,
    /// True if all private servers run at the same time. Otherwise, only the server that is being measured runs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub together: bool,
    /// True to compare servers even if the runs differ in workload, scale, arrival or machine, or if a run is INVALID.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
    /// The servers, by name.
    pub servers: BTreeMap<String, PipelineServer>,
    /// Server settings and their values. Each server is measured with each of these values.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Vec<serde_json::Value>>")]
    pub settings: Vary,
    /// The workloads, by name.
    pub workloads: BTreeMap<String, PipelineWorkload>,
}

/// The condition that makes a pipeline fail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(from = "String", into = "String")]
#[schemars(with = "String")]
pub enum PipelineGate {
    /// Any metric is worse than in the baseline, or a throughput cannot be evaluated.
    #[default]
    Regression,
    /// A throughput is worse or cannot be evaluated.
    Throughput,
    /// The pipeline never fails because of a comparison.
    Never,
    /// A metric is worse by more than a threshold, such as `p95>5%`.
    Condition(String),
}

impl From<String> for PipelineGate {
    fn from(text: String) -> Self {
        match text.as_str() {
            "regression" => Self::Regression,
            "throughput" => Self::Throughput,
            "never" => Self::Never,
            _ => Self::Condition(text),
        }
    }
}

impl From<PipelineGate> for String {
    fn from(gate: PipelineGate) -> Self {
        match gate {
            PipelineGate::Regression => "regression".into(),
            PipelineGate::Throughput => "throughput".into(),
            PipelineGate::Never => "never".into(),
            PipelineGate::Condition(text) => text,
        }
    }
}

/// The database to measure, either a private server or one that is already running.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PipelineServer {
    /// The target, which is a URL or a name from `tacho.toml`.
    pub target: Option<String>,
    /// A product supported by `tacho up`, in place of `target`. The pipeline starts and stops a private server.
    pub product: Option<String>,
    /// The version of the private server, such as `15`.
    pub version: Option<String>,
    /// The folder of another installation for the private server, relative to the pipeline file's folder.
    pub binaries: Option<String>,
    /// The settings used to create the private server.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub set: BTreeMap<String, Value>,
    /// A file of SQL statements, such as a migration, to run before each workload's measurement. The path is relative
    /// to the pipeline file's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// A workload to measure on every server.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PipelineWorkload {
    /// The workload [default: the name of the table].
    #[serde(default)]
    pub workload: String,
    /// True to load missing data before the first run [default: true for private servers].
    pub prepare: Option<bool>,
    /// The settings for the workload's runs, with the same keys as a run in `tacho.toml`.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub run: Run,
    /// The settings to vary, each with its values. A key is a setting, a workload parameter or `target.OPTION`.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Vec<serde_json::Value>>")]
    pub vary: Vary,
}

const fn repeat() -> u32 {
    3
}

impl PipelineFile {
    /// Reads a pipeline file, which may be a pipe or `-`. Stops waiting when `go_on` returns false. Unknown keys, wrong
    /// types and values out of range are usage errors with a line number.
    pub fn read(path: &Path, go_on: &dyn Fn() -> bool) -> Result<Self> {
        let text = read_text(path, "tacho pipeline --help shows an example", go_on)?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let stem = if stem == STANDARD_INPUT { "pipeline".to_owned() } else { stem };
        Self::parse(&path.display().to_string(), &stem, &text)
    }

    fn parse(path: &str, stem: &str, text: &str) -> Result<Self> {
        let mut file: Self =
            toml::from_str(text).map_err(|error: toml::de::Error| malformed(path, text, &error))?;
        if file.name.is_empty() {
            stem.clone_into(&mut file.name);
        }
        for (name, workload) in &mut file.workloads {
            if workload.workload.is_empty() {
                workload.workload.clone_from(name);
            }
            check_run(path, text, workload)?;
        }
        file.check().map_err(|error| error.during(format!("use {path}")))?;
        Ok(file)
    }

    fn check(&self) -> Result<()> {
        let names = self.servers.keys().chain(self.workloads.keys()).chain([&self.name]);
        names.into_iter().try_for_each(|name| check_name(name))?;
        if self.servers.is_empty() || self.workloads.is_empty() {
            return Err(Error::usage("a pipeline needs at least one server and one workload")
                .hint("add [servers.NAME] and [workloads.NAME]"));
        }
        if !(1..=1000).contains(&self.repeat) {
            return Err(Error::usage(format!("invalid value {} for repeat", self.repeat))
                .hint("allowed: 1 to 1000"));
        }
        let mut targets: Vec<&str> = Vec::new();
        for (name, server) in &self.servers {
            server.check(name)?;
            let target = server.target.as_deref();
            if target.is_some_and(|target| targets.contains(&target)) {
                return Err(Error::usage(format!(
                    "servers.{name} has the same target as another server"
                ))
                .hint("each server needs its own database"));
            }
            targets.extend(target);
        }
        self.check_baseline()
    }

    fn check_baseline(&self) -> Result<()> {
        let names = || self.servers.keys().map(String::as_str);
        match &self.baseline {
            Some(name) if !self.servers.contains_key(name) => {
                Err(Error::usage(format!("baseline = \"{name}\" is not a server in this file"))
                    .did_you_mean(name, names()))
            }
            None if self.servers.len() > 1 => Err(Error::usage("several servers but no baseline")
                .hint(format!(
                    "specify the server to compare all others with: baseline = \"{}\"",
                    names().next().unwrap_or_default()
                ))),
            _ => Ok(()),
        }
    }

    /// Returns the contents of the file for storing in a record. Passwords are removed.
    pub fn shown(&self) -> serde_json::Value {
        let mut file = self.clone();
        for target in file.servers.values_mut().filter_map(|server| server.target.as_mut()) {
            *target = masked_target(target);
        }
        serde_json::to_value(file).unwrap_or_default()
    }

    /// Returns the servers, starting with the baseline.
    pub fn in_order(&self) -> impl Iterator<Item = (&str, &PipelineServer)> {
        let is_baseline = |name: &str| self.baseline.as_deref() == Some(name);
        let all = || self.servers.iter().map(|(name, server)| (name.as_str(), server));
        all()
            .filter(move |server| is_baseline(server.0))
            .chain(all().filter(move |server| !is_baseline(server.0)))
    }

    /// Returns the JSON schema of the file.
    pub fn schema() -> serde_json::Value {
        let mut schema = schema_for!(Self).to_value();
        let settings = SETTINGS.iter().filter(|setting| !OWN.contains(&setting.parameter.key));
        let properties = settings.map(|setting| {
            let about = serde_json::json!({ "description": setting.parameter.help });
            (setting.parameter.key.to_owned(), about)
        });
        let run = &mut schema["$defs"]["PipelineWorkload"]["properties"]["run"];
        run["properties"] = properties.collect::<serde_json::Map<_, _>>().into();
        run["additionalProperties"] = false.into();
        schema
    }
}

impl PipelineServer {
    fn check(&self, name: &str) -> Result<()> {
        let private = self.version.is_some() || self.binaries.is_some() || !self.set.is_empty();
        match (&self.target, &self.product) {
            (Some(_), Some(_)) | (None, None) => {
                Err(Error::usage(format!("servers.{name} must have either a target or a product"))
                    .hint("use target = \"URL\", or use product = \"NAME\" with a product that tacho up supports"))
            }
            (Some(_), None) if private => Err(Error::usage(format!(
                "servers.{name} has a target, so version, binaries, and set are not supported"
            ))
            .hint(
                "these keys apply to private servers: use product = \"NAME\" instead of the \
                target",
            )),
            _ => Ok(()),
        }
    }

    /// Returns the settings used to create the private server.
    pub fn settings(&self) -> Result<Vec<(String, String)>> {
        let pair = |(key, value): (&String, &Value)| Ok((key.clone(), word(key, value)?));
        self.set.iter().map(pair).collect()
    }
}

impl PipelineWorkload {
    /// Returns the settings for the workload's runs, by key.
    pub fn settings(&self) -> Result<Vec<(String, Vec<String>)>> {
        let pair = |(key, value): (&Spanned<String>, &Value)| {
            let key = key.get_ref();
            let repeated = setting(key).is_some_and(|setting| setting.repeated);
            let values = texts(value, repeated).ok_or_else(|| wrong(key, value))?;
            Ok((key.clone(), values))
        };
        self.run.iter().map(pair).collect()
    }
}

/// Returns each sweep variable as `KEY=VALUE,VALUE`, with the text `start` in front of each key.
pub fn varied(vary: &BTreeMap<String, Vec<Value>>, start: &str) -> Result<Vec<String>> {
    let text = |(key, values): (&String, &Vec<Value>)| {
        let words = values.iter().map(|value| word(key, value)).collect::<Result<Vec<_>>>()?;
        Ok(format!("{start}{key}={}", words.join(",")))
    };
    vary.iter().map(text).collect()
}

fn word(key: &str, value: &Value) -> Result<String> {
    scalar(value).ok_or_else(|| wrong(key, value))
}

fn wrong(key: &str, value: &Value) -> Error {
    Error::usage(format!("invalid value {value} for {key}"))
        .hint("allowed: a string, a number, true, or false")
}

/// Validates a name that becomes part of the names of targets, servers, and files.
fn check_name(name: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(plain) {
        return Ok(());
    }
    Err(Error::usage(format!("invalid name \"{name}\""))
        .hint("use letters, digits, -, and _, starting with a letter or digit"))
}

fn check_run(path: &str, text: &str, workload: &PipelineWorkload) -> Result<()> {
    for (key, value) in &workload.run {
        let (name, line) = (key.get_ref(), line_of(text, key.span().start));
        let place = |error: Error| error.during(format!("read line {line} of {path}"));
        let Some(known) = setting(name).filter(|_| !OWN.contains(&name.as_str())) else {
            return Err(place(unknown_setting(name)));
        };
        let values = texts(value, known.repeated).ok_or_else(|| place(wrong(name, value)))?;
        values.iter().try_for_each(|text| known.parameter.check(text)).map_err(place)?;
    }
    Ok(())
}

fn unknown<'a>(key: &str, known: impl Iterator<Item = &'a str>) -> Error {
    Error::usage(format!("unknown key \"{key}\""))
        .did_you_mean(key, known)
        .hint("tacho schema pipeline lists all keys")
}

/// Returns the TOML parser's error with its line number. For an unknown key, suggests known keys.
fn malformed(path: &str, text: &str, error: &toml::de::Error) -> Error {
    let line = error.span().map_or(1, |span| line_of(text, span.start));
    let quoted: Vec<&str> = error.message().split('`').skip(1).step_by(2).collect();
    let unquoted = match quoted.split_first() {
        Some((key, known)) if error.message().starts_with("unknown field") => {
            unknown(key, known.iter().copied())
        }
        _ => Error::usage(error.message().to_owned())
            .hint("tacho schema pipeline describes the file"),
    };
    unquoted.during(format!("read line {line} of {path}"))
}

fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "baseline = \"a\"\n[servers.b]\ntarget = \"noop\"\n[servers.a]\n\
        target = \"sim:?latency=1ms\"\n[settings]\nwork_mem = [\"4MB\", \"8MB\"]\n\
        [workloads.oltp]\nworkload = \"tpcb\"\n[workloads.oltp.run]\nduration = \"3s\"\n\
        threshold = [\"p99<1s\"]\n[workloads.oltp.vary]\nsessions = [1, 2]\n";

    fn parsed(text: &str) -> Result<PipelineFile> {
        PipelineFile::parse("ci.toml", "ci", text)
    }

    #[test]
    fn a_file_has_defaults_and_the_baseline_first() -> Result<()> {
        let file = parsed(FILE)?;
        assert_eq!(
            (file.name.as_str(), file.repeat, &file.fail_on),
            ("ci", 3, &PipelineGate::Regression)
        );
        let order: Vec<&str> = file.in_order().map(|server| server.0).collect();
        assert_eq!(order, ["a", "b"]);
        let workload = &file.workloads["oltp"];
        let expected = [("duration", "3s"), ("threshold", "p99<1s")];
        assert_eq!(
            workload.settings()?,
            expected.map(|(key, value)| (key.into(), vec![value.into()]))
        );
        assert_eq!(varied(&workload.vary, "")?, ["sessions=1,2"]);
        assert_eq!(varied(&file.settings, "server.")?, ["server.work_mem=4MB,8MB"]);
        Ok(())
    }

    #[test]
    fn reports_errors_with_their_line_and_a_hint() {
        for (from, to, words) in [
            ("baseline =", "basline =", ["line 1 of ci.toml", "basline", "did you mean baseline"]),
            ("duration =", "duraton =", ["line 11 of ci.toml", "duraton", "did you mean duration"]),
            ("target = \"noop\"", "taget = \"noop\"", ["line 3", "taget", "did you mean target"]),
            ("duration = \"3s\"", "duration = \"x\"", ["line 11", "duration", "hint"]),
            (
                "duration = \"3s\"",
                "target = \"sim\"",
                ["line 11", "unknown key \"target\"", "hint"],
            ),
            ("baseline = \"a\"", "baseline = \"c\"", ["ci.toml", "not a server", "did you mean"]),
            ("baseline = \"a\"", "", ["ci.toml", "no baseline", "baseline = \"a\""]),
            (
                "target = \"noop\"",
                "version = \"1\"",
                ["servers.b", "either a target or a product", "hint"],
            ),
            ("[servers.b]", "[servers.\"b/c\"]", ["b/c", "invalid name", "letters"]),
            ("baseline = \"a\"", "repeat = \"x\"", ["line 1", "invalid type", "schema pipeline"]),
        ] {
            let error = parsed(&FILE.replacen(from, to, 1)).expect_err(to);
            let shown = format!("{error} hint: {}", error.hints().join(" "));
            for word in words {
                assert!(shown.contains(word), "no {word:?} in {shown}");
            }
        }
    }

    #[test]
    fn the_schema_knows_every_setting_and_the_record_no_password() -> Result<()> {
        let schema = PipelineFile::schema();
        let run = &schema["$defs"]["PipelineWorkload"]["properties"]["run"]["properties"];
        assert!(run["duration"].is_object() && run.get("target").is_none(), "{schema:#}");
        let file = parsed(&FILE.replacen("\"noop\"", "\"postgres://u:secret@h/d\"", 1))?;
        let shown = file.shown().to_string();
        assert!(!shown.contains("secret") && shown.contains("duration"), "{shown}");
        Ok(())
    }
}
