//! What all clients of a run share: plain fields, so that no hot path looks a name up.
//!
//! Nothing in it changes. Start reading at [`Setup`].

use tacho_core::Seed;
use tacho_workload::{Choices, Options};

use crate::hammerdb::Deviations;
use crate::names::Names;
use crate::params::{self, INDEXES, PARAMETER_VALUES, QUERY_SETS, REFRESH, UPPER_NAMES};
use crate::queries::{CLOUD, QUERIES};

/// One run's fixed facts.
#[expect(clippy::struct_excessive_bools, reason = "independent switches, read by name")]
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Scale, in hundredths of a gigabyte.
    pub steps: u64,
    /// Whether there is an index on each reference.
    pub indexed: bool,
    /// Whether queries are asked what the published answers are for.
    pub validation: bool,
    /// Whether a set is that of the cloud.
    pub cloud: bool,
    /// Query sets of each stream.
    pub query_sets: u64,
    /// Number of sessions.
    pub sessions: u32,
    /// Number of sets of tables that they are spread over.
    pub tables: u32,
    /// Whether the refresh functions run too.
    pub refresh: bool,
    /// Seed of the substitution parameters.
    pub seed: Seed,
    /// The names of tables, if they are upper case.
    pub upper_names: Option<Names>,
    /// What is not as the specification has it.
    pub deviations: Deviations,
}

impl Setup {
    /// The facts of these choices.
    pub fn new(choices: &Choices, options: &Options) -> Self {
        Self {
            steps: choices.scale,
            indexed: options.text(INDEXES) == "references",
            validation: options.text(PARAMETER_VALUES) == "validation",
            cloud: options.text(params::QUERIES) == "cloud",
            query_sets: options.count(QUERY_SETS),
            sessions: choices.sessions,
            tables: choices.sets.max(1),
            refresh: options.on(REFRESH),
            seed: choices.seed.child("substitution parameters"),
            upper_names: Names::of(&choices.dialect).filter(|_| options.on(UPPER_NAMES)),
            deviations: Deviations::new(options),
        }
    }
}

/// What a session does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It asks the queries in the order of this number.
    Stream(u32),
    /// It does the same between two refresh functions.
    Power(u32),
    /// It does so many pairs of refresh functions.
    Refresher(u64),
}

impl Setup {
    /// Queries of a set.
    pub const fn queries(&self) -> u64 {
        (if self.cloud { CLOUD } else { QUERIES }) as u64
    }

    /// Whether each set of tables has but one session: a power run.
    fn alone(&self) -> bool {
        self.sessions <= self.tables
    }

    /// What session number `session`, from 0, does. In a throughput run with refreshes, the first
    /// session of each set of tables refreshes, as many times as there are streams in that set, clause
    /// 5.3.4.
    pub fn role(&self, session: u32) -> Role {
        let number = if self.sessions == 1 { 0 } else { session + 1 };
        match (self.refresh, self.alone()) {
            (false, _) => Role::Stream(number),
            (true, true) => Role::Power(number),
            (true, false) if session < self.tables => Role::Refresher(self.pairs(session)),
            (true, false) => Role::Stream(session - self.tables + 1),
        }
    }

    /// Pairs of refresh functions in the set of tables that this session works in.
    pub fn pairs(&self, session: u32) -> u64 {
        if self.alone() {
            return 1;
        }
        let place = session % self.tables;
        (self.tables..self.sessions).filter(|other| other % self.tables == place).count() as u64
    }

    /// The number of the set of tables that a session works in; 0 if there is but one.
    pub fn tables_of(&self, session: u32) -> u32 {
        if self.tables > 1 { session % self.tables + 1 } else { 0 }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::params::{PARAMETERS, PROFILES};

    /// The facts of a profile on data of so many steps.
    pub(crate) fn setup(steps: u64, profile: &str) -> Setup {
        let choices = tacho_testkit::contract::choices(steps, profile);
        let options = Options::resolve(&PARAMETERS, &PROFILES, profile, &choices.set);
        Setup::new(&choices, &options.expect("a profile"))
    }

    fn roles(sessions: u32, tables: u32, refresh: bool) -> Vec<Role> {
        let setup = Setup {
            steps: 1,
            indexed: true,
            validation: false,
            cloud: false,
            query_sets: 1,
            sessions,
            tables,
            refresh,
            seed: Seed(1),
            upper_names: None,
            deviations: Deviations::default(),
        };
        (0..sessions).map(|session| setup.role(session)).collect()
    }

    #[test]
    fn every_set_of_tables_has_a_session_that_refreshes() {
        use Role::{Power, Refresher, Stream};
        assert_eq!(roles(1, 1, false), [Stream(0)]);
        assert_eq!(roles(2, 1, false), [Stream(1), Stream(2)]);
        assert_eq!(roles(1, 1, true), [Power(0)]);
        assert_eq!(roles(3, 1, true), [Refresher(2), Stream(1), Stream(2)]);
        assert_eq!(roles(2, 2, true), [Power(1), Power(2)]);
        let mixed = [Refresher(2), Refresher(1), Stream(1), Stream(2), Stream(3)];
        assert_eq!(roles(5, 2, true), mixed);
        // A set of tables whose only session refreshes has nothing to refresh for.
        assert_eq!(roles(3, 2, true), [Refresher(1), Refresher(0), Stream(1)]);
    }
}
