//! Facts that a server reports about itself: its version, settings, counters, limits and privileges.
//!
//! Facts about the machine and the size of the data are in `conditions.rs`. Start reading at [`ServerFacts`].

use std::collections::BTreeMap;

/// Facts about the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerFacts {
    /// Product and version, as displayed, for example `SQLite 3.50.1`.
    pub version: String,
    /// The settings that affect performance or durability.
    pub settings: Vec<Setting>,
    /// The values of settings that are not set explicitly, if the server lists them. They are compared before and after
    /// a run, but not recorded.
    pub unset: BTreeMap<String, String>,
    /// The server's records of changes to its settings, such as times, by the name of the changed object. A new or
    /// different record reveals a change even if the setting has since been changed back.
    pub changes: BTreeMap<String, String>,
    /// An identifier that differs each time the server starts. The `changes` recorded after different starts cannot be
    /// compared. Empty if starting the server adds nothing to `changes`.
    pub start: String,
    /// Changes that an administrator of this product would make before a measurement.
    pub advice: Vec<Advice>,
}

/// A condition on the server that makes a result misleading. Settings that can cause commits to be lost are reported by
/// [`Setting::durability_risk`] instead.
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
    /// A description of how a crash can lose commits if the setting has this value, or `None` if there is no risk.
    pub durability_risk: Option<String>,
}

/// The server's count of completed transactions since a fixed point in time, in all its databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Commits, or all transactions if the server does not count commits and rollbacks separately.
    pub commits: u64,
    /// Rollbacks.
    pub rollbacks: u64,
    /// Rollbacks in the session's database alone, if the server counts them separately. This count is compared with the
    /// client's.
    pub rollbacks_here: Option<u64>,
    /// The maximum number of rollbacks that the server's own processes have made in the session's database but not yet
    /// reported. For example, a maintenance task rolls back when it gives way to a lock.
    pub rollbacks_pending: u64,
}

/// The number of additional sessions that a server can currently accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headroom {
    /// The number of additional sessions for this user in this database.
    pub sessions: u32,
    /// The setting that determines the limit, and its value.
    pub remedy: String,
}

/// The session's privileges, limited to those that a build needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Privileges {
    /// The granted privileges, such as `create tables in schema public`.
    pub granted: Vec<String>,
    /// The missing privileges, each with a hint.
    pub missing: Vec<Advice>,
}
