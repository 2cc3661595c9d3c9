//! Every setting of a run, declared once. Flag, file key, environment variable, help, completions
//! and the settings page of the docs follow from this table.

use tacho_core::{Kind, Parameter};

/// The commands that a setting belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// `run` only.
    Run,
    /// `run` and `prepare`.
    Build,
    /// `run`, `prepare` and `check`.
    Check,
    /// `run`, `prepare`, `check` and `clean`.
    Data,
}

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Key, what it may be, default, help.
    pub parameter: Parameter,
    /// Letter of the short flag.
    pub short: Option<char>,
    /// Word for the value in the help.
    pub value_name: &'static str,
    /// Whether it may be given several times; the values add up.
    pub repeated: bool,
    /// The commands it belongs to.
    pub scope: Scope,
    /// Heading in the help.
    pub group: &'static str,
}

impl Setting {
    /// The long flag, without dashes.
    pub fn flag(&self) -> String {
        self.parameter.key.replace('_', "-")
    }

    /// The environment variable.
    pub fn variable(&self) -> String {
        format!("TACHO_{}", self.parameter.key.to_uppercase())
    }
}

const fn one(
    group: &'static str,
    scope: Scope,
    key: &'static str,
    value_name: &'static str,
    kind: Kind,
    default: &'static str,
    help: &'static str,
) -> Setting {
    let parameter = Parameter { key, kind, default, help };
    Setting { parameter, short: None, value_name, repeated: false, scope, group }
}

const fn short(letter: char, setting: Setting) -> Setting {
    Setting { short: Some(letter), ..setting }
}

const fn many(setting: Setting) -> Setting {
    Setting { repeated: true, ..setting }
}

const DATA: &str = "What is measured";
const LOAD: &str = "Load";
const TIME: &str = "Time";
const FAILURES: &str = "Failures";
const JUDGE: &str = "Judgement";
const RECORD: &str = "Record and output";

use Kind::{Amount, Choice, Count, Duration, Rate, Text};
use Scope::{Build, Check, Data, Run};

const fn count(min: u64, max: u64) -> Kind {
    Count { min, max }
}

/// All settings, in the order of the help.
#[rustfmt::skip]
pub const SETTINGS: &[Setting] = &[
    short('t', one(DATA, Data, "target", "NAME|URL", Text, "",
        "Database, as driver:place (sqlite:bench.db) or a name from tacho.toml")),
    one(DATA, Data, "workload", "NAME", Text, "",
        "Workload"),
    short('s', one(DATA, Build, "scale", "N", Amount, "",
        "Size of the data, in the workload's own unit, such as warehouses [default: as loaded, else 1]")),
    many(one(DATA, Run, "route", "KIND=TARGETS", Text, "",
        "Where transactions of a kind go, as KIND=NAME,NAME or KIND=POLICY:NAME,NAME; repeatable")),
    one(DATA, Data, "sets", "N", count(1, 1_000), "1",
        "Complete sets of tables of that scale side by side, with the sessions spread evenly over them"),
    one(DATA, Build, "profile", "NAME", Text, "",
        "Preset of workload parameters, listed by `tacho describe` [default: as loaded]"),
    many(one(DATA, Build, "set", "KEY=VALUE", Text, "",
        "Workload parameter, listed by `tacho describe`; repeatable")),
    one(DATA, Run, "form", "FORM", Choice(&["sql", "pipelined", "simple", "procedures"]), "sql",
        "How transactions reach the server: one statement a round trip, grouped, unprepared as text, or stored routines"),
    one(DATA, Build, "seed", "N", count(0, u64::MAX), "42",
        "Seed of all data and inputs"),
    short('c', one(LOAD, Build, "sessions", "N", count(1, 100_000), "1",
        "Virtual users; in `prepare`, parallel loads")),
    one(LOAD, Run, "workers", "N", count(1, 1024), "",
        "Threads for event-driven drivers [default: one for each core]"),
    short('r', one(LOAD, Run, "rate", "N", Rate, "",
        "Open arrival at this rate per second, k and m understood; absent: closed")),
    one(LOAD, Run, "spacing", "WORD", Choice(&["poisson", "uniform"]), "poisson",
        "How open arrivals are spread"),
    one(LOAD, Run, "backlog", "N", count(1, 1_000_000_000), "1m",
        "Open arrivals that may wait; further ones are skipped, counted and shown"),
    one(LOAD, Run, "pacing", "none|spec|xF", Text, "none",
        "Keying and think times: none, as the workload's specification, or that times a factor (x0.5)"),
    one(LOAD, Run, "stagger", "SPAN", Duration, "0s",
        "Time between the logins of two virtual users, during the load; 0s: all log in before it"),
    short('d', one(TIME, Run, "duration", "SPAN", Duration, "10s",
        "Measured time")),
    one(TIME, Run, "transactions", "N", count(1, 1_000_000_000_000), "",
        "Measure this many transactions instead of a time"),
    one(TIME, Run, "ramp_up", "SPAN", Duration, "2s",
        "Load before the measured time, excluded from every figure"),
    one(TIME, Run, "ramp_down", "SPAN", Duration, "0s",
        "Load after the measured time, excluded from every figure"),
    one(TIME, Run, "interval", "SPAN", Duration, "1s",
        "Length of an interval of the interval lines and of the record"),
    one(TIME, Run, "drain", "SPAN", Duration, "30s",
        "Longest wait for transactions in flight at the end"),
    one(TIME, Run, "settle", "SPAN", Duration, "0s",
        "Longest wait after the load for work that the server put off, such as purge, vacuum and write-back"),
    one(FAILURES, Run, "retry", "WORD", Choice(&["none", "same", "new"]), "none",
        "After a deadlock, serialization failure or lock timeout: give up, try again with the same input, or with a new one"),
    one(FAILURES, Run, "attempts", "N", count(1, 1_000), "3",
        "Most attempts per transaction, if retry is not none"),
    one(FAILURES, Run, "backoff", "SPAN", Duration, "1ms",
        "Wait before the second attempt; doubles with each further one"),
    one(FAILURES, Run, "on_disconnect", "WORD", Choice(&["stop", "reconnect"]), "stop",
        "After a lost connection: end the session, or connect again and measure the outage"),
    one(FAILURES, Run, "reconnect_within", "SPAN", Duration, "5m",
        "Longest time to connect again in a run without a duration; a session is lost then. Others try to their end"),
    one(JUDGE, Run, "shared", "WORD", Choice(&["no", "yes"]), "no",
        "Others work on the same data: the database's counters count their work too, and do not accuse ours"),
    many(one(JUDGE, Run, "threshold", "EXPR", Text, "",
        "Limit such as 'new_order.p95<50ms', 'errors<0.1%', 'nopm>100k'; without data it fails; repeatable")),
    one(JUDGE, Build, "check", "WHEN", Choice(&["before", "after", "both", "none"]), "",
        "When the data is checked [default: after a run; none after prepare]"),
    one(JUDGE, Check, "check_sessions", "N", count(1, 1_024), "",
        "Sessions that check the data at once [default: one for each core of the client]"),
    one(RECORD, Run, "session_times", "WORD", Choice(&["no", "yes"]), "no",
        "Keep the times of each virtual user by themselves too"),
    many(one(RECORD, Run, "tag", "TEXT", Text, "",
        "Label of the run; repeatable")),
    one(RECORD, Run, "note", "TEXT", Text, "",
        "Remark kept with the run"),
];

/// The setting with this key.
pub fn setting(key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.parameter.key == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_letters_are_unique_and_defaults_allowed() {
        for (position, setting) in SETTINGS.iter().enumerate() {
            let others = &SETTINGS[position + 1..];
            let parameter = setting.parameter;
            assert!(others.iter().all(|other| other.parameter.key != parameter.key));
            let letter = |other: &Setting| other.short.is_none() || other.short != setting.short;
            assert!(others.iter().all(letter), "{}", parameter.key);
            if !parameter.default.is_empty() {
                assert!(parameter.check(parameter.default).is_ok(), "{}", parameter.key);
            }
        }
    }
}
