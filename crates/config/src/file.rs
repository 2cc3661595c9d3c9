//! Parses `tacho.toml`, which defines named targets and runs.
//!
//! ```toml
//! [defaults]
//! check = "both"
//!
//! [targets.bench]
//! url = "sqlite:bench.db"
//!
//! [run.nightly]
//! workload = "tprocc"
//! target = "bench"
//! sessions = 8
//! threshold = ["new_order.p95<50ms", "errors<0.1%"]
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tacho_core::{Error, ErrorKind, Result, file};
use toml::{Table, Value};

use crate::{SETTINGS, setting};

/// The name of the settings file.
const NAME: &str = "tacho.toml";

/// The values of a section, by key. Only a repeatable key can have several values.
pub(crate) type Section = BTreeMap<&'static str, Vec<String>>;

/// A settings file that has been parsed and validated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The text of the file.
    pub text: String,
    /// True if the user specified this file or trusted its content. Only then may its settings start programs.
    pub trusted: bool,
    /// The URLs of the named targets.
    pub targets: BTreeMap<String, String>,
    /// The values for every run.
    pub(crate) defaults: Section,
    /// The values of the named runs.
    pub(crate) runs: BTreeMap<String, Section>,
}

/// Returns the nearest `tacho.toml` in `folder` or one of its parent folders.
pub fn find_file(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|parent| parent.join(NAME)).find(|path| path.is_file())
}

/// Reads a file specified by the user, which may be a pipe or `-`. If this fails, adds the hint to the error.
pub(crate) fn read_text(
    path: &Path,
    hint: &'static str,
    go_on: &dyn Fn() -> bool,
) -> Result<String> {
    file::text_once(path, file::SMALL_MAX, go_on).map_err(|error| {
        let is_cancelled = error.kind() == ErrorKind::Cancelled;
        let error = error.during(format!("read {}", path.display()));
        if is_cancelled { error } else { error.hint(hint) }
    })
}

impl ConfigFile {
    /// Reads a settings file, which may be a pipe or `-`. Stops waiting when `go_on` returns false. Unknown keys, wrong
    /// types and values out of range are usage errors.
    pub fn read(path: &Path, go_on: &dyn Fn() -> bool) -> Result<Self> {
        let text = read_text(path, "check the path in --config or TACHO_CONFIG", go_on)?;
        Self::parse(path, &text).map_err(|error| error.during(format!("use {}", path.display())))
    }

    fn parse(path: &Path, text: &str) -> Result<Self> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| {
            Error::usage(error.to_string().trim_end().to_owned())
                .hint("the file must be TOML; see https://toml.io")
        })?;
        let mut file = Self { path: path.to_owned(), text: text.to_owned(), ..Self::default() };
        for (name, value) in &table {
            match (name.as_str(), value) {
                ("targets", Value::Table(targets)) => file.targets = read_targets(targets)?,
                ("defaults", Value::Table(values)) => {
                    file.defaults = read_section("defaults", values)?;
                }
                ("run", Value::Table(runs)) => file.runs = read_runs(runs)?,
                _ => return Err(unknown("section", name, ["targets", "defaults", "run"])),
            }
        }
        Ok(file)
    }

    /// Returns a copy of the file that contains only one of its runs, so that resolving many runs does not copy all of
    /// them each time.
    pub fn only(&self, run: &str) -> Self {
        let chosen = self.runs.get(run).map(|section| (run.to_owned(), section.clone()));
        Self {
            path: self.path.clone(),
            text: String::new(),
            trusted: self.trusted,
            targets: self.targets_of(run),
            defaults: self.defaults.clone(),
            runs: chosen.into_iter().collect(),
        }
    }

    /// Returns the targets that a run may use. If the run has routes or its target is unknown, returns all targets.
    fn targets_of(&self, run: &str) -> BTreeMap<String, String> {
        let sections: Vec<&Section> =
            self.runs.get(run).into_iter().chain([&self.defaults]).collect();
        let names: Vec<&String> =
            sections.iter().filter_map(|section| section.get("target")).flatten().collect();
        let is_known = |name: &&String| self.targets.contains_key(*name);
        if sections.iter().any(|section| section.contains_key("route"))
            || !names.iter().all(is_known)
        {
            return self.targets.clone();
        }
        names.into_iter().map(|name| (name.clone(), self.targets[name].clone())).collect()
    }

    /// Returns the names of the runs.
    pub fn run_names(&self) -> impl Iterator<Item = &str> {
        self.runs.keys().map(String::as_str)
    }
}

fn read_targets(targets: &Table) -> Result<BTreeMap<String, String>> {
    let mut urls = BTreeMap::new();
    for (name, entry) in targets {
        let entry = as_table(&format!("targets.{name}"), entry)?;
        if let Some(key) = entry.keys().find(|key| *key != "url") {
            return Err(unknown("key", &format!("targets.{name}.{key}"), ["url"]));
        }
        let url = entry.get("url").and_then(Value::as_str).ok_or_else(|| {
            Error::usage(format!("targets.{name} has no url")).hint("add url = \"driver:place\"")
        })?;
        urls.insert(name.clone(), url.to_owned());
    }
    Ok(urls)
}

fn read_runs(runs: &Table) -> Result<BTreeMap<String, Section>> {
    runs.iter()
        .map(|(name, value)| {
            let label = format!("run.{name}");
            Ok((name.clone(), read_section(&label, as_table(&label, value)?)?))
        })
        .collect()
}

fn read_section(label: &str, values: &Table) -> Result<Section> {
    let mut section = Section::new();
    for (key, value) in values {
        let known = setting(key).ok_or_else(|| unknown_setting(key))?;
        let texts = texts(value, known.repeated).ok_or_else(|| {
            Error::usage(format!("invalid value {value} for {label}.{key}"))
                .hint(format!("allowed: {}", known.parameter.kind.words()))
        })?;
        texts.iter().try_for_each(|text| known.parameter.check(text))?;
        section.insert(known.parameter.key, texts);
    }
    Ok(section)
}

/// Converts a TOML value to strings. The value must be a scalar or, for a repeatable setting, a list or table of
/// scalars.
pub(crate) fn texts(value: &Value, repeated: bool) -> Option<Vec<String>> {
    match value {
        Value::Array(list) if repeated => list.iter().map(scalar).collect(),
        Value::Table(table) if repeated => {
            table.iter().map(|(key, value)| Some(format!("{key}={}", scalar(value)?))).collect()
        }
        other => scalar(other).map(|text| vec![text]),
    }
}

pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(switch) => Some(switch.to_string()),
        _ => None,
    }
}

fn as_table<'a>(label: &str, value: &'a Value) -> Result<&'a Table> {
    value.as_table().ok_or_else(|| Error::usage(format!("{label} is not a table")))
}

fn unknown(what: &str, word: &str, known: impl IntoIterator<Item = &'static str>) -> Error {
    Error::usage(format!("unknown {what} \"{word}\"")).did_you_mean(word, known)
}

/// Returns the error for a key that is not a setting. If it is a workload parameter, the error says that it belongs
/// under `set`.
pub(crate) fn unknown_setting(key: &str) -> Error {
    unknown("key", key, SETTINGS.iter().map(|setting| setting.parameter.key))
        .hint(format!("to set a workload parameter, use set = {{ {key} = \"VALUE\" }}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ConfigFile> {
        ConfigFile::parse(Path::new("tacho.toml"), text)
    }

    #[test]
    fn sections_are_read() -> Result<()> {
        let file = parse(
            "[targets.a]\nurl = \"sqlite:a.db\"\n[defaults]\ncheck = \"both\"\n\
             [run.n]\nsessions = 8\nthreshold = [\"p95<1s\"]\nset = { x = 1, y = true }",
        )?;
        assert_eq!(file.targets["a"], "sqlite:a.db");
        assert_eq!(file.defaults["check"], ["both"]);
        assert_eq!(file.runs["n"]["sessions"], ["8"]);
        assert_eq!(file.runs["n"]["set"], ["x=1", "y=true"]);
        Ok(())
    }

    #[test]
    fn rejects_invalid_files_with_the_reason() {
        let table = [
            ("[run.a]\nsesions = 1", "did you mean sessions"),
            ("[run.a]\nsessions = 0", "allowed: 1 to 100000"),
            ("[run.a]\nsessions = [1]", "allowed: 1 to 100000"),
            ("[runs.a]\nx = 1", "did you mean run"),
            ("[targets.a]\nurll = \"x\"", "did you mean url"),
            ("[targets.a]", "add url"),
            ("x = ", "TOML"),
        ];
        for (text, expected) in table {
            let error = parse(text).expect_err(text);
            let all = format!("{error} {:?}", error.hints());
            assert!(all.contains(expected), "{text}: {all}");
        }
    }
}
