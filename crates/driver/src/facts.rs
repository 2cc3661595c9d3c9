//! What a server reports about itself when it is asked once: version and settings, counters, limits and
//! privileges.
//!
//! The machine and the sizes of the data are in `conditions.rs`. Start reading at [`ServerFacts`].

use std::collections::BTreeMap;

/// What is known of the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerFacts {
    /// Product and version as printed, such as `SQLite 3.50.1`.
    pub version: String,
    /// The settings that matter for speed or durability.
    pub settings: Vec<Setting>,
    /// Values of settings that are not set, where the server lists them: to compare with, not to record.
    pub unset: BTreeMap<String, String>,
    /// What the server notes of changes of its settings, such as a time, by what was changed: an entry that is new, or
    /// that differs, shows a change, also if the setting was changed back since then.
    pub changes: BTreeMap<String, String>,
    /// Distinguishes one start of the server from the next: `changes` of different starts are not comparable. Empty
    /// where a start adds nothing to `changes`.
    pub start: String,
    /// What an administrator of the product would change before a measurement.
    pub advice: Vec<Advice>,
}

/// A condition of the server under which a figure says something else than one thinks. What can lose
/// commits is reported by [`Setting::durability_risk`], and not here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What was found, beginning with the setting.
    pub text: String,
    /// What to do.
    pub hint: String,
}

/// One setting of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// Its own name.
    pub name: String,
    /// Its value as text.
    pub value: String,
    /// Its default value, where that is known.
    pub default: Option<String>,
    /// Set if commits may be lost in a crash with this value; says how.
    pub durability_risk: Option<String>,
}

/// The server's own count of ended transactions since some fixed point, in all its databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Commits; all transactions of a server that does not tell the two apart.
    pub commits: u64,
    /// Rollbacks.
    pub rollbacks: u64,
    /// Rollbacks in this session's database alone, where the server tells them apart: what the
    /// client counts is compared with it.
    pub rollbacks_here: Option<u64>,
    /// The most rollbacks there that processes of the server itself have yet to report, such as those of
    /// maintenance that gave way to a lock.
    pub rollbacks_pending: u64,
}

/// How many more sessions a server takes at this moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headroom {
    /// Sessions of this user on this database, in addition to those that are open.
    pub sessions: u32,
    /// How to raise the limit: which setting it is, and its value.
    pub remedy: String,
}

/// What a session may do of what a build needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Privileges {
    /// What it may do, such as `create tables in schema public`.
    pub granted: Vec<String>,
    /// What it may not do, each with the remedy.
    pub missing: Vec<Advice>,
}
