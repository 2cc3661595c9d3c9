//! Settings that all clients of a run share, as plain fields, and the keys in use.
//!
//! Start reading at [`Setup`].

use std::sync::atomic::AtomicBool;

use tacho_core::Seed;
use tacho_workload::{Choices, Options, Transaction};

use crate::keys::Keys;
use crate::params::{COLD_KEYS, HOT_KEYS, HOT_SHARE, MIX, OPERATIONS, READ_SHARE};
use crate::schema::KEYS;

/// Name of the transactions that only read.
pub const READ: &str = "read";

/// The properties of one run.
#[derive(Debug)]
pub struct Setup {
    /// True if lists are read and written back. False if values are appended in single statements.
    pub writes_back: bool,
    /// Number of hot keys in use at a time.
    pub hot: u64,
    /// Number of other keys in use at a time.
    pub cold: u64,
    /// Percentage of operations on hot keys.
    pub hot_share: i64,
    /// Percentage of operations that read.
    pub read_share: i64,
    /// Maximum number of operations in a transaction.
    pub operations: i64,
    /// Number of keys in the data.
    pub all_keys: u64,
    /// The keys in use.
    pub keys: Keys,
    /// True if the data was inspected, and therefore contains real lists. Drivers without data return predefined rows,
    /// which must not be parsed as lists.
    pub has_lists: AtomicBool,
    /// Seed for the inputs.
    pub input_seed: Seed,
}

impl Setup {
    /// Creates the setup from the choices and options.
    pub fn new(choices: &Choices, options: &Options) -> Self {
        let (hot, cold) = (options.count(HOT_KEYS), options.count(COLD_KEYS));
        let all_keys = choices.scale * KEYS;
        Self {
            writes_back: options.text(MIX) == "read-write",
            hot,
            cold,
            hot_share: options.count(HOT_SHARE) as i64,
            read_share: options.count(READ_SHARE) as i64,
            operations: options.count(OPERATIONS) as i64,
            all_keys,
            keys: Keys::new(hot + cold, all_keys),
            has_lists: AtomicBool::new(false),
            input_seed: choices.input_seed().child("inputs"),
        }
    }

    /// Returns the expected fraction of transactions that only read.
    fn share_of_reads(&self) -> f64 {
        let read = self.read_share as f64 / 100.0;
        let all = (1..=self.operations as i32).map(|operations| read.powi(operations));
        all.sum::<f64>() / self.operations as f64
    }

    /// Returns the transaction types that occur. Those that only read have a type of their own, so that they can be
    /// routed to a replica.
    pub fn transactions(&self) -> Vec<Transaction> {
        let share = self.share_of_reads();
        let name = if self.writes_back { "read_write" } else { "append" };
        let all = [(name, 1.0 - share), (READ, share)];
        let some = all.into_iter().filter(|(_, share)| *share > 0.0);
        some.map(|(name, share)| Transaction { name, share, rolls_back: false }).collect()
    }
}
