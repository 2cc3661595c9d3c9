//! Facts that a server reports, such as its version, settings, counters, limits and privileges.
//!
//! `conditions.rs` contains facts about the machine and the data size. Start reading at [`ServerFacts`].

use std::collections::BTreeMap;

/// Facts about the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerFacts {
    /// Product and version, as displayed, for example `SQLite 3.50.1`.
    pub version: String,
    /// The settings that affect performance or durability.
    pub settings: Vec<Setting>,
    /// Settings whose values are defaults, if the server lists them. They are compared before and after a run but not
    /// recorded.
    pub unset: BTreeMap<String, String>,
    /// The server's records of changed settings, by name. Changes that were undone are included.
    pub changes: BTreeMap<String, String>,
    /// An identifier of the server's last start. `changes` can be compared only while it stays the same.
    pub start: String,
    /// Changes that an administrator of this product would make before a measurement.
    pub advice: Vec<Advice>,
}

/// A condition of the server that makes results misleading. [`Setting::durability_risk`] reports settings that can lose
/// commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The finding, starting with the setting's name.
    pub text: String,
    /// The recommended action.
    pub hint: String,
}

/// A server setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// The setting's name.
    pub name: String,
    /// The value as text.
    pub value: String,
    /// The default value, if known.
    pub default: Option<String>,
    /// A description of how this value can lose commits in a crash, or `None` if it cannot.
    pub durability_risk: Option<String>,
}

/// The number of transactions that the server has completed in all its databases since a fixed time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Commits, or all transactions if the server does not distinguish rollbacks.
    pub commits: u64,
    /// Rollbacks.
    pub rollbacks: u64,
    /// Rollbacks in the session's database, if they are counted separately. They are compared with the client's count.
    pub rollbacks_here: Option<u64>,
    /// The maximum number of rollbacks by the server's own maintenance tasks that its counts do not include yet.
    pub rollbacks_pending: u64,
}

/// The number of additional sessions that a server can accept at present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headroom {
    /// The number of additional sessions that this user can open in this database.
    pub sessions: u32,
    /// The setting that determines the limit, and its value.
    pub remedy: String,
}

/// The session's privileges, as far as a build needs them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Privileges {
    /// The granted privileges, such as `create tables in schema public`.
    pub granted: Vec<String>,
    /// The missing privileges, each with a hint.
    pub missing: Vec<Advice>,
}
