//! A folder's workload with a given scale, seed and parameters.
//!
//! Start reading at [`Chosen`].

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tacho_core::{Error, ErrorKind, Result, Schema, Seed};
use tacho_driver::{
    BoxFuture, Capabilities, Catalog, Dialect, Exchange, Form, RowSource, StatementId, Values,
};
use tacho_workload::{
    AuditRule, Check, Choices, Client, Headline, Instance, Judge, Options, PlaceInSet, Purpose,
    Sequence, Slice, Stated, Transaction, Unit,
};

use super::Script;
use super::build::{self, Begins};
use super::generate::{Generator, Rows};
use super::params::DEFINITION;
use crate::vm::client::{User, audits};
use crate::vm::program::Kinds;

/// Number of rows committed together during the load.
const UNIT_ROWS: u64 = 50_000;

/// An instance of the workload.
pub struct Chosen {
    script: Arc<Script>,
    schema: Schema,
    options: Options,
    kinds: Arc<Kinds>,
    transactions: Vec<Transaction>,
    generators: Vec<Arc<Generator>>,
    /// Number of load units before each table, followed by the total.
    units: Vec<u64>,
    begins: Vec<Begins>,
    /// Last number of each sequence in the database. The key contains the set of tables and the sequence.
    found: Mutex<BTreeMap<(u32, usize), i64>>,
    headline: Option<Headline>,
    audits: Vec<AuditRule>,
    seed: Seed,
    sessions: u32,
    sets: u32,
    form: Form,
}

impl Chosen {
    /// Compiles a workload with the given choices.
    pub fn new(script: &Arc<Script>, choices: &Choices) -> Result<Self> {
        script.manifest.require_scale(choices.scale)?;
        let (parameters, profiles) = (script.parameters, script.profiles);
        let options = Options::resolve(parameters, profiles, &choices.profile, &choices.set)?;
        let (definition, statements) = (&script.definition, &script.statements);
        let known = build::constants(definition, choices, &options)?;
        let constants = &known.constants;
        let generators = definition
            .tables
            .iter()
            .map(|def| build::generator(def, constants, choices.data_seed))
            .map(|made| made.and_then(tried).map(Arc::new))
            .collect::<Result<Vec<_>>>()?;
        let names: Vec<String> =
            definition.sequences.iter().map(|sequence| sequence.name.clone()).collect();
        let begins = build::sequences(definition, statements, constants)?;
        let kinds = definition.transactions.iter().zip(script.names);
        let mut all = kinds
            .map(|(def, name)| build::transaction(def, name, statements, &names, constants))
            .collect::<Result<Vec<_>>>()?;
        all.retain(|kind| kind.weight > 0.0);
        let sum: f64 = all.iter().map(|kind| kind.weight).sum();
        if all.is_empty() || !sum.is_finite() {
            return Err(definition.error(0, "no transaction has a weight above 0"));
        }
        let mut units = vec![0];
        for generator in &generators {
            units.push(units[units.len() - 1] + generator.slots.div_ceil(UNIT_ROWS));
        }
        let kinds = Arc::new(Kinds::new(all, sum));
        let transactions = kinds.transactions();
        Ok(Self {
            headline: headline(script, &kinds)?,
            audits: audits(&script.texts, &kinds),
            script: Arc::clone(script),
            schema: definition.schema().kept_as(&options.plain_storage()?),
            options,
            kinds,
            transactions,
            generators,
            units,
            begins,
            found: Mutex::default(),
            seed: choices.input_seed(),
            sessions: choices.sessions.max(1),
            sets: choices.sets.max(1),
            form: choices.form,
        })
    }

    /// Returns the names that affect the data.
    pub fn data_names(
        script: &Script,
        choices: &Choices,
    ) -> Result<std::collections::BTreeSet<String>> {
        let (parameters, profiles) = (script.parameters, script.profiles);
        let options = Options::resolve(parameters, profiles, &choices.profile, &choices.set)?;
        let known = build::constants(&script.definition, choices, &options)?;
        for def in &script.definition.tables {
            build::generator(def, &known.constants, choices.data_seed)?;
        }
        Ok(known.closure(known.constants.take_used()))
    }

    fn no_procedures(&self) -> Result<()> {
        if self.form != Form::Procedures {
            return Ok(());
        }
        let text = format!("workload {} has no stored routines", self.script.manifest.id);
        Err(Error::new(ErrorKind::Unsupported, text).hint(
            "use --form sql, which works with every database; a statement in the folder may \
                   call a routine",
        ))
    }
}

/// Generates the first and the last row of each table, so that an error that affects every row is
/// reported before the load.
fn tried(generator: Generator) -> Result<Generator> {
    let generator = Arc::new(generator);
    let slots = generator.slots;
    for range in [0..slots.min(1), slots.saturating_sub(1)..slots] {
        let mut rows = Rows::new(Arc::clone(&generator), range);
        rows.next_batch(&mut Values::default());
        if let Some(error) = rows.error() {
            return Err(error);
        }
    }
    Arc::try_unwrap(generator).map_err(|_| Error::usage("the rows are still in use"))
}

fn headline(script: &Script, kinds: &Kinds) -> Result<Option<Headline>> {
    let definition = &script.definition;
    let Some(headline) = &definition.headline else { return Ok(None) };
    let sections = &script.statements.common;
    let counter = sections.iter().position(|section| section.name == headline.counter);
    let known = || sections.iter().map(|section| section.name.as_str());
    let counter = counter.ok_or_else(|| {
        let text = format!("unknown statement \"{}\"", headline.counter);
        definition.error(headline.at, &text).did_you_mean(&headline.counter, known())
    })?;
    let section = &sections[counter];
    let whole = section.results.iter().all(|field| field.kind == tacho_driver::ValueKind::Int);
    if !section.params.is_empty() || section.results.len() != 1 || !whole {
        let text = format!(
            "statement {} must take no parameters and return one whole number",
            headline.counter
        );
        return Err(definition.error(headline.at, &text));
    }
    let names = || definition.transactions.iter().map(|transaction| transaction.name.as_str());
    if !names().any(|name| name == headline.transaction) {
        let text = format!("unknown transaction \"{}\"", headline.transaction);
        return Err(definition
            .error(headline.at, &text)
            .did_you_mean(&headline.transaction, names()));
    }
    // A transaction with weight 0 never runs, so there is nothing to count.
    let place = kinds.all.iter().position(|kind| kind.name == headline.transaction);
    Ok(place.map(|transaction| Headline {
        name: script.texts.keep(headline.name.clone()),
        counter: StatementId(counter as u16),
        transaction,
        ratio: kinds.sum() / kinds.all[transaction].weight,
        loaded: 0,
        most_per_session: None,
        stated: Stated::WithTps,
    }))
}

impl Instance for Chosen {
    fn parameters(&self) -> BTreeMap<String, String> {
        let mut all: BTreeMap<String, String> =
            self.options.all().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        all.insert(DEFINITION.to_owned(), self.script.digest.clone());
        all
    }

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn layout(&self, dialect: &dyn Dialect) -> Result<Schema> {
        let mut layout = self.schema().clone();
        for table in &mut layout.tables {
            table.ddl = self.script.statements.creation(dialect.id(), table.name);
        }
        Ok(layout)
    }

    fn units(&self) -> u64 {
        self.units[self.units.len() - 1].max(1)
    }

    fn unit(&self, index: u64) -> Unit {
        let table = self.units.partition_point(|first| *first <= index).saturating_sub(1);
        let Some(generator) = self.generators.get(table) else {
            return Unit { slices: Vec::new() };
        };
        let start = (index - self.units[table]) * UNIT_ROWS;
        let end = (start + UNIT_ROWS).min(generator.slots);
        Unit { slices: vec![Slice { table, slots: start..end }] }
    }

    fn slots(&self, table: usize) -> u64 {
        self.generators.get(table).map_or(0, |generator| generator.slots)
    }

    fn expected_rows(&self, table: usize) -> u64 {
        self.slots(table)
    }

    fn rows(&self, slice: &Slice) -> Box<dyn RowSource> {
        Box::new(Rows::new(Arc::clone(&self.generators[slice.table]), slice.slots.clone()))
    }

    fn requires(&self, capabilities: &Capabilities) -> Result<()> {
        self.no_procedures()?;
        capabilities.require(self.form, "the database")
    }

    fn catalog(&self, dialect: &dyn Dialect) -> Result<Arc<Catalog>> {
        self.no_procedures()?;
        self.script.statements.catalog(dialect).map(Arc::new)
    }

    fn transactions(&self) -> &[Transaction] {
        &self.transactions
    }

    fn needs_inspection(&self) -> bool {
        self.begins.iter().any(|begins| matches!(begins, Begins::AfterFound(_)))
    }

    fn numbers_rows(&self) -> bool {
        !self.begins.is_empty()
    }

    /// Reads the last number in each sequence that continues from earlier runs.
    fn inspect_data<'a>(
        &'a self,
        exchange: &'a mut Exchange,
        tables: u32,
        purpose: Purpose,
    ) -> BoxFuture<'a, Result<Option<String>>> {
        Box::pin(async move {
            if purpose == Purpose::Check {
                return Ok(None);
            }
            for (sequence, begins) in self.begins.iter().enumerate() {
                let Begins::AfterFound(statement) = begins else { continue };
                exchange.execute(StatementId(*statement as u16));
                let reply = exchange.send().await?;
                let last = match reply.get(0, 0) {
                    Some(row) => row.maybe_number(0)?.unwrap_or(0),
                    None => 0,
                };
                let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
                found.insert((tables, sequence), last);
            }
            Ok(None)
        })
    }

    fn client(&self, session: u32) -> Box<dyn Client> {
        let PlaceInSet { set, place } = PlaceInSet::of(session, self.sets);
        let step = i64::from(self.sessions.div_ceil(self.sets));
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = |(sequence, begins): (usize, &Begins)| {
            let last = match begins {
                Begins::After(last) => *last,
                Begins::AfterFound(_) => found.get(&(set, sequence)).copied().unwrap_or(0),
            };
            Sequence { next: last.wrapping_add(1 + i64::from(place)), step }
        };
        let sequences = self.begins.iter().enumerate().map(begin).collect();
        Box::new(User::new(Arc::clone(&self.kinds), self.seed, session, sequences))
    }

    fn checks(&self) -> Vec<Check> {
        let check = |(id, rule, statement): &(&'static str, &'static str, StatementId)| Check {
            id,
            rule,
            clause: self.script.clause,
            statement: *statement,
            bound: Values::default(),
            keys: None,
            judge: Judge::NoRows,
            samples: Vec::new(),
            by_loader: false,
            excused: None,
        };
        self.script.checks.iter().map(check).collect()
    }

    fn headline(&self) -> Option<Headline> {
        self.headline
    }

    fn audit_rules(&self) -> Vec<AuditRule> {
        self.audits.clone()
    }
}
