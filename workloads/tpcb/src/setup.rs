//! What all clients of a run share: plain fields, so that no hot path looks a name up.
//!
//! Nothing in it changes. Start reading at [`Setup`].

use tacho_core::{Error, Result, Seed};
use tacho_workload::{Choices, Options};

use crate::params::{BALANCED, TRANSACTION};
use crate::schema::{ACCOUNTS, TELLERS};

/// Which transaction runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// All four tables.
    TpcbLike,
    /// Accounts and history.
    SimpleUpdate,
    /// One read.
    SelectOnly,
}

impl Script {
    /// Name of its transaction.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TpcbLike => "tpcb_like",
            Self::SimpleUpdate => "simple_update",
            Self::SelectOnly => "select_only",
        }
    }

    /// Whether each of its commits leaves a row in the history.
    pub const fn writes(self) -> bool {
        !matches!(self, Self::SelectOnly)
    }
}

/// One run's fixed facts.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Which transaction runs.
    pub script: Script,
    /// Whether the history adds up to the balances of tellers and branches too.
    pub all_balanced: bool,
    /// Number of branches: the scale.
    pub branches: i64,
    /// Seed of the inputs.
    pub input_seed: Seed,
    /// The date of the load.
    pub loaded_at: i64,
}

impl Setup {
    /// The facts of these choices. Fails if the transaction would break what the data promises.
    pub fn new(choices: &Choices, options: &Options) -> Result<Self> {
        let script = match options.text(TRANSACTION) {
            "simple-update" => Script::SimpleUpdate,
            "select-only" => Script::SelectOnly,
            _ => Script::TpcbLike,
        };
        let all_balanced = options.text(BALANCED) == "all";
        if script == Script::SimpleUpdate && all_balanced {
            let text = "simple-update changes accounts alone, and balanced is \"all\"";
            return Err(Error::usage(text)
                .hint("--set balanced=accounts; data prepared so serves every profile"));
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

    /// Number of tellers.
    pub fn tellers(&self) -> i64 {
        self.branches * TELLERS
    }

    /// Number of accounts.
    pub fn accounts(&self) -> i64 {
        self.branches * ACCOUNTS
    }
}
