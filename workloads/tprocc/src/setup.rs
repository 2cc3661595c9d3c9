//! What all clients of a run share: settings, constants and size. Nothing in it changes.

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

/// Who runs the statements of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The client, one by one or in groups.
    Statements,
    /// A stored routine, called once.
    Calls,
}

/// One run's fixed facts.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Number of warehouses.
    pub warehouses: i64,
    /// Number of sessions.
    pub sessions: u32,
    /// Sets of tables that they are spread over.
    pub sets: u32,
    /// Seed of the inputs.
    pub input_seed: Seed,
    /// The date of the load, from which the logical dates of the run count on.
    pub loaded_at: i64,
    /// Constants of NURand.
    pub constants: Constants,
    /// What rows depend on.
    pub population: Population,
    /// What inputs and transactions depend on.
    pub behaviour: Behaviour,
    /// Which transaction comes next.
    pub mix: Mix,
    /// Who runs the statements.
    pub way: Way,
    /// How they follow each other.
    pub sequence: Sequence,
    /// How they go where they are sent apart.
    pub style: Style,
    /// A switch that no run can have with these statements.
    pub misfit: Option<&'static str>,
    /// The stored routines of the data.
    pub routines: Set,
    /// How the tables are kept.
    pub physical: Physical,
}

impl Setup {
    /// The facts of these choices.
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

    /// The variant of the tables.
    pub fn variant(&self) -> Variant {
        Variant {
            narrow_counts: self.behaviour.counters_frozen,
            hammerdb_routines: self.routines.hammerdb,
        }
    }

    /// Whether the lines of an order are drawn in the server.
    pub fn draws_in_server(&self) -> bool {
        self.way == Way::Calls && self.routines.hammerdb
    }
}
