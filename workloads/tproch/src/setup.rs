//! What all clients of a run share: plain fields, so that no hot path looks a name up.
//!
//! Nothing in it changes. Start reading at [`Setup`].

use tacho_core::Seed;
use tacho_workload::{Choices, Options};

use crate::params::{INDEXES, PARAMETER_VALUES, QUERY_SETS};

/// One run's fixed facts.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Scale, in hundredths of a gigabyte.
    pub steps: u64,
    /// Whether there is an index on each reference.
    pub indexed: bool,
    /// Whether queries are asked what the published answers are for.
    pub validation: bool,
    /// Query sets of each stream.
    pub query_sets: u64,
    /// Number of streams.
    pub streams: u32,
    /// Seed of the substitution parameters.
    pub seed: Seed,
}

impl Setup {
    /// The facts of these choices.
    pub fn new(choices: &Choices, options: &Options) -> Self {
        Self {
            steps: choices.scale,
            indexed: options.text(INDEXES) == "references",
            validation: options.text(PARAMETER_VALUES) == "validation",
            query_sets: options.count(QUERY_SETS),
            streams: choices.sessions,
            seed: choices.seed.child("substitution parameters"),
        }
    }
}
