//! Runs pgbench scripts as a workload. They are read unchanged and compiled for the virtual machine.
//!
//! This code must not read the time or print.
//!
//! Start reading at [`read`]. `lines.rs` splits a script into commands, `programs.rs` compiles them, and
//! `expressions.rs` parses the expressions of `\set`.

mod columns;
mod expressions;
#[cfg(test)]
mod golden;
mod instance;
mod lines;
mod programs;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use tacho_core::{Error, Parameter, ParameterKind, Result};
use tacho_driver::{Catalog, Dialect};
use tacho_workload::{Choices, Instance, Manifest, Profile, Workload};

use crate::vm::source::{Piece, Source, Texts, keep, read_text};

use instance::Chosen;
use lines::commands;
use programs::{Read, Sets, names, reads, sets};

/// Prefix of the names of script workloads.
pub const PREFIX: &str = "pgbench:";

/// pgbench's built-in scripts under the names that pgbench uses.
const BUILT_IN: [(&str, &str); 3] = [
    ("tpcb-like", include_str!("../../pgbench/tpcb-like.sql")),
    ("simple-update", include_str!("../../pgbench/simple-update.sql")),
    ("select-only", include_str!("../../pgbench/select-only.sql")),
];

/// Hint that says how to create pgbench's tables.
const TABLES: &str = "to create pgbench's tables, use tacho prepare tpcb TARGET";

/// Maximum number of variables in a run's scripts. Each needs a register.
const VARIABLES_MAX: usize = 32_000;

/// Variables that the run sets.
const OF_THE_RUN: [&str; 4] = ["scale", "client_id", "random_seed", "default_seed"];

static PROFILES: [Profile; 1] =
    [Profile { id: "default", about: "the scripts as written", values: &[] }];

/// Scripts that have been read.
pub struct Scripts {
    manifest: &'static Manifest,
    parameters: &'static [Parameter],
    /// The scripts as specified by the user.
    word: &'static str,
    all: Vec<Read>,
    /// Variables that a command sets.
    set: BTreeSet<String>,
    /// For each prefix of `\gset` or `\aset`, the variables that may be set from the columns of a query. Only the
    /// server knows the names of these columns.
    ///
    /// Each variable has a flag, which is true if the variable cannot be set in any other way.
    asked: BTreeMap<String, Vec<(String, bool)>>,
    /// True if a built-in pgbench script is included. pgbench's tables then determine the scale.
    has_built_in: bool,
    digest: String,
    texts: Texts,
}

struct Pgbench(Arc<Scripts>);

/// Reads a workload from a name such as `pgbench:file.sql@weight,pgbench:select-only`.
///
/// # Errors
/// Returns a usage error with the file, line and column if a script is invalid.
pub fn read(word: &str) -> Result<Arc<dyn Workload>> {
    let hint = r"a script consists of SQL statements and pgbench's commands, such as \set";
    read_scripts(word).map_err(|error| error.or_hint(hint))
}

fn read_scripts(word: &str) -> Result<Arc<dyn Workload>> {
    let mut scripts = Vec::new();
    let mut has_built_in = false;
    for part in word.split(',') {
        let part = part.trim().strip_prefix(PREFIX).unwrap_or(part.trim());
        let (name, weight) = weighted(part)?;
        let built_in = BUILT_IN.iter().find(|(known, _)| *known == name);
        let source = match built_in {
            Some((known, text)) => {
                Source { path: format!("{PREFIX}{known}"), text: (*text).to_owned() }
            }
            None => file(name)?,
        };
        has_built_in |= built_in.is_some();
        let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or(name);
        let name = unique(stem, &scripts);
        scripts.push(script(name, weight, source)?);
    }
    if !scripts.iter().any(|script| script.weight > 0.0) {
        return Err(Error::usage("no script has a weight above 0").hint("write FILE@1"));
    }
    Ok(Arc::new(Pgbench(Arc::new(Scripts::new(word, scripts, has_built_in)?))))
}

/// Returns a workload without a script, which describes script workloads in general.
pub fn family() -> Arc<dyn Workload> {
    Arc::new(Pgbench(Arc::new(Scripts {
        manifest: Box::leak(Box::new(manifest("pgbench scripts: pgbench:FILE[@WEIGHT], …"))),
        parameters: &[],
        word: "pgbench",
        all: Vec::new(),
        set: BTreeSet::new(),
        asked: BTreeMap::new(),
        has_built_in: false,
        digest: String::new(),
        texts: Texts::default(),
    })))
}

fn manifest(title: &'static str) -> Manifest {
    Manifest {
        id: "pgbench",
        title,
        scale_unit: "scale unit",
        scale_steps: 1,
        scale_max: 100_000,
        version: 1,
        notice: "pgbench scripts; the results apply only to the statements in these scripts.",
        docs: include_str!("../../pgbench.md"),
    }
}

/// Splits a name such as `file.sql@3` into the script name and its weight.
fn weighted(part: &str) -> Result<(&str, f64)> {
    let Some((name, weight)) = part.rsplit_once('@') else { return Ok((part, 1.0)) };
    match weight.parse::<u32>() {
        Ok(weight) => Ok((name, f64::from(weight))),
        Err(_) => Err(Error::usage(format!("invalid weight for {name}: \"{weight}\""))
            .hint("use a whole number, as in pgbench:read.sql@9")),
    }
}

fn file(name: &str) -> Result<Source> {
    let text = read_text(Path::new(name)).map_err(|error| {
        let known = BUILT_IN.iter().map(|(known, _)| *known);
        error.did_you_mean(name, known).hint("to run a pgbench script, use pgbench:FILE")
    })?;
    Ok(Source { path: name.to_owned(), text })
}

/// Returns a name that no other script has.
fn unique(stem: &str, others: &[Read]) -> String {
    let taken = |name: &str| others.iter().any(|other| other.name == name);
    let numbered = (2..).map(|number| format!("{stem}_{number}"));
    std::iter::once(stem.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}

fn script(name: String, weight: f64, source: Source) -> Result<Read> {
    let source = Arc::new(source);
    let piece = Piece::plain(&source, 0..source.text.len());
    let commands = commands(&piece.text).map_err(|fail| piece.error(fail))?;
    Ok(Read { name: keep(name), weight, piece, commands })
}

impl Scripts {
    fn new(word: &str, scripts: Vec<Read>, has_built_in: bool) -> Result<Self> {
        let titles: Vec<&str> = scripts.iter().map(|script| script.name).collect();
        let manifest = manifest(keep(format!("Scripts of pgbench: {}", titles.join(", "))));
        let (mut set, mut read) = (BTreeSet::new(), BTreeSet::new());
        // Some commands store every column of a query in a variable, whose name is a prefix and the column's name. If
        // only the server knows the column names, the command is counted here under its prefix.
        let mut asking: BTreeMap<String, usize> = BTreeMap::new();
        let mut text = String::new();
        for script in &scripts {
            for command in &script.commands {
                let columns =
                    sets(&script.piece, command).map_err(|fail| script.piece.error(fail))?;
                match columns {
                    Sets::Named(names) => set.extend(names),
                    Sets::Asked(prefix) => *asking.entry(prefix).or_default() += 1,
                }
                read.extend(reads(&script.piece, command).into_iter().map(str::to_owned));
            }
            text.push_str(&script.piece.text);
        }
        let asked = asked(&asking, &read, &set);
        set.extend(asked.values().flatten().map(|(name, _)| name.clone()));
        if set.len() > VARIABLES_MAX {
            let text = format!("too many variables: {} (maximum {VARIABLES_MAX})", set.len());
            return Err(Error::usage(text).hint("run fewer scripts at a time"));
        }
        let used: BTreeSet<String> = scripts
            .iter()
            .flat_map(|script| names(&script.piece.text).map(str::to_owned))
            .collect();
        let given = used.union(&set).filter(|name| !OF_THE_RUN.contains(&name.as_str()));
        let parameter = |name: &String| Parameter {
            key: keep(name.clone()),
            kind: ParameterKind::Text,
            default: "",
            help: "script variable, as set by -D",
        };
        let parameters: Vec<Parameter> = given.map(parameter).collect();
        Ok(Self {
            manifest: Box::leak(Box::new(manifest)),
            parameters: parameters.leak(),
            word: keep(word.to_owned()),
            all: scripts,
            set,
            asked,
            has_built_in,
            digest: format!("{:016x}", tacho_core::Seed(0).child(&text).0),
            texts: Texts::default(),
        })
    }
}

/// Returns the variables that a script reads and that may be set from the columns of a query. They are grouped by the
/// prefix of the command. Each name consists of this prefix and a column name, which only the server knows.
///
/// Each variable has a flag, which is true if nothing else sets the variable.
fn asked(
    asking: &BTreeMap<String, usize>,
    read: &BTreeSet<String>,
    set: &BTreeSet<String>,
) -> BTreeMap<String, Vec<(String, bool)>> {
    let fits = |prefix: &str, name: &str| name.len() > prefix.len() && name.starts_with(prefix);
    let mut asked: BTreeMap<String, Vec<(String, bool)>> = BTreeMap::new();
    for name in read.iter().filter(|name| !OF_THE_RUN.contains(&name.as_str())) {
        let fitting = || asking.iter().filter(|(prefix, _)| fits(prefix, name));
        let is_required =
            !set.contains(name) && fitting().map(|(_, commands)| commands).sum::<usize>() == 1;
        for (prefix, _) in fitting() {
            asked.entry(prefix.clone()).or_default().push((name.clone(), is_required));
        }
    }
    asked
}

impl Workload for Pgbench {
    fn manifest(&self) -> &'static Manifest {
        self.0.manifest
    }

    fn parameters(&self) -> &'static [Parameter] {
        self.0.parameters
    }

    fn profiles(&self) -> &'static [Profile] {
        &PROFILES
    }

    fn word(&self) -> &str {
        self.0.word
    }

    fn without_data(&self) -> Option<&'static str> {
        Some(TABLES)
    }

    fn catalog(&self, dialect: &dyn Dialect) -> Result<Catalog> {
        if self.0.all.is_empty() {
            return Err(Error::usage("no script was specified").hint("--sql needs pgbench:FILE"));
        }
        let choices = Choices {
            scale: 1,
            data_seed: tacho_core::Seed(0),
            seed: tacho_core::Seed(0),
            loaded_at: 0,
            profile: PROFILES[0].id.into(),
            set: BTreeMap::new(),
            form: tacho_driver::Form::Simple,
            sessions: 1,
            dialect: String::new(),
            sets: 1,
            turn: 0,
        };
        let instance = Chosen::new(&self.0, &choices)?;
        instance.catalog(dialect).map(|catalog| (*catalog).clone())
    }

    fn instance(&self, choices: &Choices) -> Result<Arc<dyn Instance>> {
        Ok(Arc::new(Chosen::new(&self.0, choices)?))
    }
}
