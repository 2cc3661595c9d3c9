//! Facts that a server reports, such as its version, settings, counters, limits and privileges.
//!
//! Facts about the machine and the data size are in `conditions.rs`. Start reading at [`ServerFacts`].

use std::collections::BTreeMap;

/// Facts about the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerFacts {
    /// Product and version, as displayed, for example `SQLite 3.50.1`.
    pub version: String,
    /// The settings that affect performance or durability.
    pub settings: Vec<Setting>,
    /// Settings that have their default values, if the server lists them. They are not recorded, but they are compared
    /// before and after a run to detect changes.
    pub unset: BTreeMap<String, String>,
    /// The server's own list of settings that were changed, by name. It includes changes that were later undone.
    pub changes: BTreeMap<String, String>,
    /// An identifier of the server's last start. Two lists of `changes` can be compared only if both have the same
    /// identifier.
    pub start: String,
    /// Changes that a database administrator would recommend before a measurement.
    pub advice: Vec<Advice>,
}

/// A condition of the server that makes results misleading. For settings that can lose commits, see
/// [`Setting::durability_risk`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The problem that was found, starting with the setting's name.
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
    /// An explanation of how a crash can lose commits because of this value, or `None` if it cannot.
    pub durability_risk: Option<String>,
}

/// The number of transactions that the server has completed in all its databases. Only the difference between two
/// readings is meaningful, because the count starts at some fixed point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Committed transactions, or all transactions if the server does not count rollbacks separately.
    pub commits: u64,
    /// Rollbacks.
    pub rollbacks: u64,
    /// Rollbacks in the session's database; `None` if the server does not count them for each database. They are
    /// compared with the client's own count.
    pub rollbacks_here: Option<u64>,
    /// Maximum number of rollbacks by the server's own maintenance tasks that its counts may not include yet.
    pub rollbacks_pending: u64,
}

/// The number of further sessions that a server can accept at present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headroom {
    /// The number of further sessions that this user can open in this database.
    pub sessions: u32,
    /// The setting that determines this limit, and its value.
    pub remedy: String,
}

/// The session's privileges that are relevant to building the data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Privileges {
    /// The granted privileges, such as `create tables in schema public`.
    pub granted: Vec<String>,
    /// The missing privileges, each with a hint on how to grant it.
    pub missing: Vec<Advice>,
}
