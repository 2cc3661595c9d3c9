//! Scripts prepared for a run with a given scale and given variables.
//!
//! Start reading at [`Chosen`].

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};

use tacho_core::{Error, ErrorKind, Result, Seed};
use tacho_driver::lexer::{Place, Syntax, Variable, variables};
use tacho_driver::{
    BoxFuture, Capabilities, Catalog, Dialect, Exchange, Form, Section, StatementId, parse_sections,
};
use tacho_workload::{AuditRule, Choices, Client, Instance, Options, Purpose, Transaction};

use crate::vm::client::{User, audits};
use crate::vm::machine::Node;
use crate::vm::no_tables::no_tables;
use crate::vm::program::{KindOfTransaction, Kinds, Op};
use crate::vm::value::Val;

use super::programs::{Shared, compile};
use super::{PROFILES, Scripts, TABLES};

/// Counts the rows in pgbench's branches table. This number is the scale.
const SCALE: &str = include_str!("../../pgbench/scale.sql");

/// An instance of the workload.
pub struct Chosen {
    scripts: Arc<Scripts>,
    options: Options,
    choices: Choices,
    /// Scripts compiled for one scale. [`Instance::inspect_data`] may find another scale and compile them again.
    kinds: Mutex<Arc<Kinds>>,
    /// Scale for which the scripts have been compiled.
    found: AtomicU64,
    sections: Vec<Section>,
    transactions: Vec<Transaction>,
}

impl Chosen {
    /// Compiles the scripts with the given choices.
    pub fn new(scripts: &Arc<Scripts>, choices: &Choices) -> Result<Self> {
        scripts.manifest.require_scale(choices.scale)?;
        let profile = &choices.profile;
        let options = Options::resolve(scripts.parameters, &PROFILES, profile, &choices.set)?;
        let (kinds, mut sections) = compiled(scripts, choices, &options)?;
        if scripts.has_built_in {
            sections.extend(parse_sections(SCALE)?);
        }
        Ok(Self {
            transactions: kinds.transactions(),
            kinds: Mutex::new(Arc::new(kinds)),
            found: AtomicU64::new(choices.scale),
            sections,
            options,
            choices: choices.clone(),
            scripts: Arc::clone(scripts),
        })
    }

    fn kinds(&self) -> Arc<Kinds> {
        Arc::clone(&self.kinds.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Fails if a script does not support the form in which the run sends statements.
    fn require_form(&self) -> Result<()> {
        let form = self.choices.form;
        let all = &self.sections;
        if form == Form::Procedures {
            return Err(Error::new(ErrorKind::Unsupported, "scripts have no stored routines")
                .hint("use --form sql"));
        }
        let inner = all.iter().find_map(|section| Some((section, inner_use(section)?)));
        if let (Some((section, place)), true) = (inner, form != Form::Simple) {
            let text = format!("{} uses a variable within {place}", section.name);
            return Err(Error::new(ErrorKind::Unsupported, text)
                .hint("use --form simple, which is how pgbench sends statements by default"));
        }
        let several =
            all.iter().find(|section| section.verbatim.is_some_and(|text| text.parts > 1));
        if let (Some(section), true) = (several, form != Form::Simple) {
            let text = format!("{} sends several statements in one request", section.name);
            return Err(Error::new(ErrorKind::Unsupported, text)
                .hint("use --form simple, which is how pgbench sends statements by default"));
        }
        let kinds = self.kinds();
        let pipelines = |kind: &KindOfTransaction| {
            kind.program.steps.iter().any(|op| matches!(op, Op::Together(_)))
        };
        if form == Form::Simple && kinds.all.iter().any(pipelines) {
            let text = "a pipeline requires prepared statements, but the form is simple";
            return Err(Error::new(ErrorKind::Unsupported, text).hint("use --form sql"));
        }
        Ok(())
    }
}

/// Finds the first variable that is inside quotes or at the end of a name, and describes its place. Such a variable
/// cannot become a parameter of a prepared statement.
fn inner_use(section: &Section) -> Option<&'static str> {
    let params: HashSet<&str> = section.params.iter().map(|param| param.name.as_str()).collect();
    let is_in_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let place = |sql: &String, variable: Variable<'_>| match variable.place {
        Place::Quotes => Some("quotes"),
        Place::Code if sql[..variable.colon].ends_with(is_in_name) => Some("a name"),
        _ => None,
    };
    section.sql.iter().find_map(|sql| {
        let mut uses =
            variables(sql, Syntax::STANDARD).filter(|variable| params.contains(variable.name));
        uses.find_map(|variable| place(sql, variable))
    })
}

/// Compiles the programs and statements of all scripts with a weight above 0.
fn compiled(
    scripts: &Scripts,
    choices: &Choices,
    options: &Options,
) -> Result<(Kinds, Vec<Section>)> {
    let mut shared = shared(scripts, choices, options);
    loop {
        let (mut all, mut sections) = (Vec::new(), Vec::new());
        let known = shared.whole.len();
        for script in scripts.all.iter().filter(|script| script.weight > 0.0) {
            let made = compile(script, &shared, &mut sections);
            let (program, others) = made.map_err(|fail| script.piece.error(fail))?;
            all.push((script, program));
            shared.whole.retain(|name| !others.contains(name));
        }
        if shared.whole.len() < known {
            // Compile the scripts again, because it turned out that a variable is not always an integer.
            continue;
        }
        let kind = |(script, program): (&super::Read, _)| KindOfTransaction {
            name: script.name,
            program,
            weight: script.weight,
            think: None,
        };
        let all: Vec<KindOfTransaction> = all.into_iter().map(kind).collect();
        let sum = all.iter().map(|kind| kind.weight).sum();
        // Register 0 contains the session number and must also be kept, so there is one more register than there are
        // variables.
        let kinds = Kinds::new(all, sum).keeping(shared.registers.len() + 1);
        return Ok((kinds, sections));
    }
}

/// Returns the data that all scripts share: variables from the run or the user, and a register for each variable that
/// is set.
fn shared(scripts: &Scripts, choices: &Choices, options: &Options) -> Shared {
    let int = |number: u64| Node::Const(Val::Int((number & i64::MAX as u64) as i64));
    let default_seed = (choices.seed.child("default_seed").0 >> 1) as i64;
    let mut given = BTreeMap::new();
    given.insert("scale".to_owned(), int(choices.scale));
    given.insert("random_seed".to_owned(), int(choices.seed.0));
    given.insert("default_seed".to_owned(), Node::Const(Val::Int(default_seed)));
    for parameter in scripts.parameters {
        let text = options.text(parameter.key);
        let whole = text.parse::<i64>().ok().filter(|number| number.to_string() == text);
        let node = match whole {
            _ if text.is_empty() => continue,
            Some(number) => Node::Const(Val::Int(number)),
            None => Node::Text(text.as_bytes().into()),
        };
        given.insert(parameter.key.to_owned(), node);
    }
    let registers = scripts.set.iter().zip(1_u16..).map(|(name, at)| (name.clone(), at)).collect();
    let text = |name: &&String| !matches!(given.get(*name), Some(Node::Text(_)));
    let whole = scripts.set.iter().filter(text).cloned().collect();
    let mut asked = scripts.asked.clone();
    for (name, is_required) in asked.values_mut().flatten() {
        *is_required &= !given.contains_key(name);
    }
    let as_text = choices.form == Form::Simple;
    Shared { given, registers, whole, asked, default_seed, as_text }
}

impl Instance for Chosen {
    fn parameters(&self) -> BTreeMap<String, String> {
        let given = self.options.all().filter(|(_, value)| !value.is_empty());
        let mut all: BTreeMap<String, String> =
            given.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        all.insert("definition".into(), self.scripts.digest.clone());
        all.insert("scale".into(), self.found.load(Relaxed).to_string());
        all
    }

    no_tables!();

    fn requires(&self, capabilities: &Capabilities) -> Result<()> {
        self.require_form()?;
        capabilities.require(self.choices.form, "the database")
    }

    fn catalog(&self, dialect: &dyn Dialect) -> Result<Arc<Catalog>> {
        self.require_form()?;
        let names: Vec<&str> = self.sections.iter().map(|section| section.name.as_str()).collect();
        Catalog::build(dialect, &names, std::slice::from_ref(&self.sections)).map(Arc::new)
    }

    fn transactions(&self) -> &[Transaction] {
        &self.transactions
    }

    fn needs_inspection(&self) -> bool {
        self.scripts.has_built_in
    }

    fn numbers_rows(&self) -> bool {
        false
    }

    /// Reads the scale from pgbench's tables.
    fn inspect_data<'a>(
        &'a self,
        exchange: &'a mut Exchange,
        _: u32,
        _: Purpose,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(async move {
            exchange.execute(StatementId(self.sections.len() as u16 - 1));
            let scale = exchange.send().await?.one(0)?.number(0)?.unsigned_abs();
            if scale == 0 {
                let text = "the table pgbench_branches is empty";
                return Err(Error::new(ErrorKind::Missing, text).hint(TABLES));
            }
            self.found.store(scale, Relaxed);
            let choices = Choices { scale, ..self.choices.clone() };
            let (kinds, _) = compiled(&self.scripts, &choices, &self.options)?;
            *self.kinds.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(kinds);
            Ok(Some(format!("scale {scale}, based on the number of rows in pgbench_branches")))
        })
    }

    fn client(&self, session: u32) -> Box<dyn Client> {
        let seed: Seed = self.choices.input_seed();
        Box::new(User::new(self.kinds(), seed, session, Vec::new()))
    }

    fn audit_rules(&self) -> Vec<AuditRule> {
        audits(&self.scripts.texts, &self.kinds())
    }
}
