//! Settings, constants and sizes that all clients of a run share. They never change.

use tacho_core::Seed;
use tacho_driver::Form;
use tacho_workload::Choices;

use crate::mix::Mix;
use crate::physical::Physical;
use crate::random::Constants;
use crate::routines::Set;
use crate::schema::Variant;
use crate::settings::{Behaviour, Population, Sequence, Settings};
use crate::style::Style;

/// Determines whether the client or the server runs a transaction's statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The client runs the statements, individually or in groups.
    Statements,
    /// A single call to a stored routine runs the statements.
    Calls,
}

/// The fixed properties of one run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Number of warehouses.
    pub warehouses: i64,
    /// Number of sessions.
    pub sessions: u32,
    /// Number of sets of tables, over which the sessions are distributed.
    pub sets: u32,
    /// Seed for the inputs.
    pub input_seed: Seed,
    /// Date of the load. The dates that a run writes start just after it.
    pub loaded_at: i64,
    /// Constants of NURand.
    pub constants: Constants,
    /// Settings that affect the initial rows.
    pub population: Population,
    /// Settings that affect inputs and transactions.
    pub behaviour: Behaviour,
    /// Rule for selecting the next transaction.
    pub mix: Mix,
    /// Determines whether the client or the server runs the statements.
    pub way: Way,
    /// Sequence of the statements.
    pub sequence: Sequence,
    /// Style of separate statements.
    pub style: Style,
    /// A parameter that does not work with the selected statements, so that any run would fail.
    pub misfit: Option<&'static str>,
    /// Stored routines that belong to the data.
    pub routines: Set,
    /// Table storage.
    pub physical: Physical,
}

impl Setup {
    /// Creates the setup from the user's choices and options.
    pub fn new(choices: &Choices, settings: Settings, physical: Physical) -> Self {
        let Settings { population, behaviour, mix, same_name_constant, routines, .. } = settings;
        let constants = Constants::new(choices.data_seed, choices.seed, same_name_constant);
        let zero = settings.zero_constants;
        Self {
            warehouses: choices.scale as i64,
            sessions: choices.sessions,
            sets: choices.sets.max(1),
            input_seed: choices.input_seed().child("inputs"),
            loaded_at: choices.loaded_at,
            constants: if zero { constants.without_run() } else { constants },
            population,
            behaviour,
            mix,
            way: if choices.form == Form::Procedures { Way::Calls } else { Way::Statements },
            sequence: settings.sequence,
            style: settings.style,
            misfit: settings.misfit,
            routines,
            physical,
        }
    }

    /// Returns the variant of the tables.
    pub fn variant(&self) -> Variant {
        Variant {
            narrow_counts: self.behaviour.counters_frozen,
            hammerdb_routines: self.routines.hammerdb,
        }
    }

    /// Returns true if the server draws the order lines at random, as HammerDB's routines do.
    pub fn draws_in_server(&self) -> bool {
        self.way == Way::Calls && self.routines.hammerdb
    }
}
