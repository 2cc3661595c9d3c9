//! A workload in a folder: `workload.toml` with expressions and steps, and SQL files.
//!
//! `workload.toml` is parsed into a [`Definition`]. Each instance compiles its expressions for the virtual machine.
//!
//! Start reading at [`read`].

mod build;
mod checks;
mod compile;
mod definition;
mod entries;
mod generate;
mod instance;
mod lexer;
mod params;
mod parser;
mod statements;
mod syntax;
mod template;

use std::path::Path;
use std::sync::Arc;

use tacho_core::{Error, Parameter, Result, Seed};
use tacho_driver::lexer::Syntax;
use tacho_driver::{Catalog, Dialect, Form, StatementId};
use tacho_workload::{Choices, Instance, Manifest, Profile, STORAGE, Workload};

use crate::vm::functions;
use crate::vm::source::{Source, Texts, keep, read_text};
use definition::Definition;
use instance::Chosen;
use statements::Statements;

pub use template::{Template, template};

/// The file that makes a folder a workload.
pub const FILE: &str = "workload.toml";
/// The JSON schema of [`FILE`].
pub const SCHEMA: &str = include_str!("../../schema.json");

/// A folder that has been read. It is kept until the process ends, like a built-in workload.
pub struct Script {
    manifest: &'static Manifest,
    parameters: &'static [Parameter],
    profiles: &'static [Profile],
    data_parameters: &'static [&'static str],
    definition: Definition,
    statements: Statements,
    names: &'static [&'static str],
    checks: Vec<(&'static str, &'static str, StatementId)>,
    digest: String,
    clause: &'static str,
    /// The folder as specified by the user.
    word: &'static str,
    texts: Texts,
}

/// The workload that is defined by the files in a folder.
struct Folder(Arc<Script>);

/// Returns each function that expressions can use, with its usage and a description of its result.
pub fn functions() -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_sequences = [
        ("next(sequence)", "the next number in a sequence; no other session gets the same number"),
        (
            "last(sequence)",
            "the last number that this session drew, or an existing number from before the run",
        ),
    ];
    functions::FUNCTIONS.iter().map(|function| (function.usage, function.about)).chain(of_sequences)
}

/// Reads a workload folder. Its SQL files may override statements for any of the dialects in `dialects`.
///
/// # Errors
/// Returns a usage error with the file, line and column if the folder is invalid.
pub fn read(folder: &Path, dialects: &[(&str, Syntax)]) -> Result<Arc<dyn Workload>> {
    let script = Script::read(folder, dialects);
    let script =
        script.map_err(|error| error.or_hint("for an example, use tacho init workload NAME"))?;
    Ok(Arc::new(Folder(Arc::new(script))))
}

impl Script {
    fn read(folder: &Path, dialects: &[(&str, Syntax)]) -> Result<Self> {
        let path = folder.join(FILE);
        let text = read_text(&path).map_err(|error| {
            error.hint(format!("a workload is a folder that contains a {FILE} file"))
        })?;
        let definition = Definition::read(&path, text)?;
        let statements = Statements::read(sql_files(folder)?, dialects)?;
        let docs = match read_text(&folder.join("docs.md")) {
            Ok(docs) => docs,
            Err(_) => format!("The workload in folder {}.", folder.display()),
        };
        Self::new(folder, definition, statements, docs)
    }

    fn new(
        folder: &Path,
        definition: Definition,
        statements: Statements,
        docs: String,
    ) -> Result<Self> {
        let id = keep(definition.name.clone());
        let manifest = Manifest {
            id,
            title: keep(definition.title.clone()),
            scale_unit: keep(definition.scale_unit.clone()),
            scale_steps: 1,
            scale_max: definition.scale_max,
            version: definition.version,
            notice: keep(format!("The workload {id} from {}.", folder.display())),
            docs: keep(docs),
        };
        let mut script = Self {
            manifest: Box::leak(Box::new(manifest)),
            parameters: &[],
            profiles: params::profiles(&definition)?,
            data_parameters: &[],
            names: names(&definition),
            checks: Vec::new(),
            digest: String::new(),
            clause: keep(definition.source.path.clone()),
            word: keep(folder.display().to_string()),
            texts: Texts::default(),
            definition,
            statements,
        };
        let tables: Vec<&str> = script.definition.tables.iter().map(|def| def.table.name).collect();
        script.statements.require_tables(&tables)?;
        script.parameters = params::parameters(&script.definition, &script.digest);
        let choices = script.usual_choices();
        let used = Chosen::data_names(&script, &choices)?;
        script.digest = build::digest(&script.definition, &script.statements, &used);
        let shaping =
            script.definition.parameters.iter().filter(|parameter| used.contains(parameter.key));
        let mut keys: Vec<&'static str> = shaping.map(|parameter| parameter.key).collect();
        keys.extend([params::DEFINITION, STORAGE]);
        script.data_parameters = keys.leak();
        script.parameters = params::parameters(&script.definition, &script.digest);
        script.checks = checks::checks(&script)?;
        // Errors in the transactions of any profile are detected when the folder is read.
        let script = Arc::new(script);
        for profile in script.profiles {
            Chosen::new(&script, &Choices { profile: profile.id.into(), ..choices.clone() })?;
        }
        Arc::try_unwrap(script).map_err(|_| Error::usage("the workload is still in use"))
    }

    /// Returns default choices, with which a folder is tested while it is read.
    fn usual_choices(&self) -> Choices {
        Choices {
            scale: 1,
            data_seed: Seed(0),
            seed: Seed(0),
            loaded_at: 0,
            profile: self.profiles[0].id.into(),
            set: std::collections::BTreeMap::new(),
            form: Form::Sql,
            sessions: 1,
            dialect: String::new(),
            sets: 1,
            turn: 0,
        }
    }
}

impl Workload for Folder {
    fn manifest(&self) -> &'static Manifest {
        self.0.manifest
    }

    fn parameters(&self) -> &'static [Parameter] {
        self.0.parameters
    }

    fn profiles(&self) -> &'static [Profile] {
        self.0.profiles
    }

    fn data_parameters(&self) -> &'static [&'static str] {
        self.0.data_parameters
    }

    fn derived_parameters(&self) -> &'static [&'static str] {
        &[params::DEFINITION]
    }

    fn word(&self) -> &str {
        self.0.word
    }

    fn catalog(&self, dialect: &dyn Dialect) -> Result<Catalog> {
        self.0.statements.catalog(dialect)
    }

    fn instance(&self, choices: &Choices) -> Result<Arc<dyn Instance>> {
        Ok(Arc::new(Chosen::new(&self.0, choices)?))
    }
}

/// Returns the SQL files of a folder, sorted by name.
fn sql_files(folder: &Path) -> Result<Vec<(String, Source)>> {
    let mut found = Vec::new();
    for entry in folder.read_dir()? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if path.extension().is_some_and(|extension| extension == "sql") {
            let text = read_text(&path)?;
            found.push((name, Source { path: path.display().to_string(), text }));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found)
}

fn names(definition: &Definition) -> &'static [&'static str] {
    let names = definition.transactions.iter().map(|transaction| keep(transaction.name.clone()));
    names.collect::<Vec<&'static str>>().leak()
}
