//! Settings that all clients of a run share, as plain fields, so that no hot path looks up a name.
//!
//! The settings never change. Start reading at [`Setup`].

use tacho_core::Seed;
use tacho_workload::{Choices, Options};

use crate::hammerdb::Deviations;
use crate::names::Names;
use crate::params::{self, INDEXES, PARAMETER_VALUES, QUERY_SETS, REFRESH, UPPER_NAMES};
use crate::queries::{CLOUD, QUERIES};

/// The fixed properties of one run.
#[expect(clippy::struct_excessive_bools, reason = "independent switches, read by name")]
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Scale in hundredths of a gigabyte.
    pub steps: u64,
    /// True if every reference has an index.
    pub indexed: bool,
    /// True if the queries use the parameter values for which results are published.
    pub validation: bool,
    /// True if a set consists of the cloud queries.
    pub cloud: bool,
    /// Number of query sets in each stream.
    pub query_sets: u64,
    /// Number of sessions.
    pub sessions: u32,
    /// Number of sets of tables across which the sessions are distributed.
    pub tables: u32,
    /// True if the refresh functions also run.
    pub refresh: bool,
    /// Seed for the substitution parameters.
    pub seed: Seed,
    /// Upper-case table names, if they are used.
    pub upper_names: Option<Names>,
    /// Deviations from the specification.
    pub deviations: Deviations,
}

impl Setup {
    /// Creates the setup from the user's choices and options.
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

/// Task of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Runs the queries in the order of the given stream.
    Stream(u32),
    /// Runs RF1, then the queries in the order of this stream, and then RF2.
    Power(u32),
    /// Runs the given number of pairs of refresh functions.
    Refresher(u64),
}

impl Setup {
    /// Returns the number of queries in a set.
    pub const fn queries(&self) -> u64 {
        (if self.cloud { CLOUD } else { QUERIES }) as u64
    }

    /// Returns true if each set of tables has only one session, which makes this a power run.
    fn alone(&self) -> bool {
        self.sessions <= self.tables
    }

    /// Returns the role of a session. Sessions are numbered from 0.
    ///
    /// In a throughput run with refreshes, the first session of each table set runs the refresh
    /// functions: one pair for each of the set's streams, clause 5.3.4.
    pub fn role(&self, session: u32) -> Role {
        let number = if self.sessions == 1 { 0 } else { session + 1 };
        match (self.refresh, self.alone()) {
            (false, _) => Role::Stream(number),
            (true, true) => Role::Power(number),
            (true, false) if session < self.tables => Role::Refresher(self.pairs(session)),
            (true, false) => Role::Stream(session - self.tables + 1),
        }
    }

    /// Returns the number of pairs of refresh functions for the session's table set.
    pub fn pairs(&self, session: u32) -> u64 {
        if self.alone() {
            return 1;
        }
        let place = session % self.tables;
        (self.tables..self.sessions).filter(|other| other % self.tables == place).count() as u64
    }

    /// Returns the number of the session's table set, or 0 if there is only one.
    pub fn tables_of(&self, session: u32) -> u32 {
        if self.tables > 1 { session % self.tables + 1 } else { 0 }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::params::{PARAMETERS, PROFILES};

    /// Creates a setup with this profile and a data size of `steps` steps.
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
        // The last set of tables has a single session, which is reserved for refresh functions. Each pair of these
        // accompanies a stream of queries. This set has no streams, so the session has nothing to do.
        assert_eq!(roles(3, 2, true), [Refresher(1), Refresher(0), Stream(1)]);
    }
}
