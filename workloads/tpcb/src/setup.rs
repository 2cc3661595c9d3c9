//! Settings that all clients of a run share, as plain fields, so that no hot path looks up a name.
//!
//! The settings never change. Start reading at [`Setup`].

use tacho_core::{Error, Result, Seed};
use tacho_workload::{Choices, Options};

use crate::params::{BALANCED, TRANSACTION};
use crate::schema::{ACCOUNTS, TELLERS};

/// Transaction to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Uses all four tables.
    TpcbLike,
    /// Uses accounts and history.
    SimpleUpdate,
    /// Reads one account.
    SelectOnly,
}

impl Script {
    pub const fn name(self) -> &'static str {
        match self {
            Self::TpcbLike => "tpcb_like",
            Self::SimpleUpdate => "simple_update",
            Self::SelectOnly => "select_only",
        }
    }

    /// Returns true if each commit of the script adds a row to the history.
    pub const fn writes(self) -> bool {
        !matches!(self, Self::SelectOnly)
    }
}

/// The fixed properties of one run.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Transaction to run.
    pub script: Script,
    /// True if the history must match not only the balances of accounts but also those of tellers and branches.
    pub all_balanced: bool,
    /// Number of branches, which is also the scale.
    pub branches: i64,
    /// Seed for the inputs.
    pub input_seed: Seed,
    /// Date of the load.
    pub loaded_at: i64,
}

impl Setup {
    /// Creates the setup from the user's choices and the parameter values. Fails if the selected
    /// transaction would violate a condition that the data must meet.
    pub fn new(choices: &Choices, options: &Options) -> Result<Self> {
        let script = match options.text(TRANSACTION) {
            "simple-update" => Script::SimpleUpdate,
            "select-only" => Script::SelectOnly,
            _ => Script::TpcbLike,
        };
        let all_balanced = options.text(BALANCED) == "all";
        if script == Script::SimpleUpdate && all_balanced {
            let text = "simple-update changes only accounts, but balanced is \"all\"";
            return Err(Error::usage(text).hint(
                "use --set balanced=accounts; data prepared with this value works with \
                       every profile",
            ));
        }
        let branches = choices.scale as i64;
        Ok(Self {
            script,
            all_balanced,
            branches,
            input_seed: choices.input_seed().child("inputs"),
            loaded_at: choices.loaded_at,
        })
    }

    /// Returns the number of tellers.
    pub fn tellers(&self) -> i64 {
        self.branches * TELLERS
    }

    /// Returns the number of accounts.
    pub fn accounts(&self) -> i64 {
        self.branches * ACCOUNTS
    }
}
