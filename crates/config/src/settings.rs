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
    /// Whether only the whole help lists it.
    pub rare: bool,
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
    Setting { parameter, short: None, value_name, repeated: false, scope, group, rare: false }
}

const fn short(letter: char, setting: Setting) -> Setting {
    Setting { short: Some(letter), ..setting }
}

const fn rare(setting: Setting) -> Setting {
    Setting { rare: true, ..setting }
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
        "Database: a URL such as sqlite:bench.db or postgres://user@host/db, or a name from tacho.toml")),
    rare(one(DATA, Data, "workload", "NAME", Text, "",
        "Name of the workload, such as tprocc")),
    short('s', one(DATA, Build, "scale", "N", Amount, "",
        "Size of the data in the unit of the workload, such as warehouses [default: as loaded, else 1]")),
    rare(many(one(DATA, Run, "route", "KIND=TARGETS", Text, "",
        "Targets of a kind of transaction, as KIND=NAME,NAME or KIND=POLICY:NAME,NAME; repeatable"))),
    rare(one(DATA, Data, "sets", "N", count(1, 1_000), "1",
        "Number of complete sets of tables of that scale; the sessions are spread evenly over them")),
    one(DATA, Build, "profile", "NAME", Text, "",
        "Preset of workload parameters, listed by `tacho describe` [default: as loaded]"),
    many(one(DATA, Build, "set", "KEY=VALUE", Text, "",
        "Workload parameter, listed by `tacho describe`; repeatable")),
    one(DATA, Run, "form", "FORM", Choice(&["sql", "pipelined", "simple", "procedures"]), "sql",
        "How transactions are sent: sql (one statement a round trip), pipelined (grouped), simple (text, not prepared), procedures (stored routines)"),
    one(DATA, Build, "seed", "N", count(0, u64::MAX), "42",
        "Seed of all data and inputs"),
    short('c', one(LOAD, Build, "sessions", "N", count(1, 100_000), "1",
        "Number of virtual users (run) or of parallel loaders (prepare)")),
    rare(one(LOAD, Run, "workers", "N", count(1, 1024), "",
        "Threads of event-driven drivers [default: one for each core]")),
    short('r', one(LOAD, Run, "rate", "N", Rate, "",
        "Start this many transactions per second (open arrival), such as 500 or 5k; without it, each session starts the next when the last has ended (closed)")),
    rare(one(LOAD, Run, "spacing", "WORD", Choice(&["poisson", "uniform"]), "poisson",
        "Distribution of the times between open arrivals")),
    rare(one(LOAD, Run, "backlog", "N", count(1, 1_000_000_000), "1m",
        "Number of open arrivals that may wait; further ones are skipped and counted")),
    one(LOAD, Run, "pacing", "none|spec|xF", Text, "none",
        "Keying and think times: none, those of the specification (spec), or these times a factor (x0.5)"),
    rare(one(LOAD, Run, "stagger", "SPAN", Duration, "0s",
        "Time between the logins of two virtual users during the load; 0s: all log in before the load")),
    short('d', one(TIME, Run, "duration", "SPAN", Duration, "10s",
        "Length of the measured phase")),
    one(TIME, Run, "transactions", "N", count(1, 1_000_000_000_000), "",
        "Measure this number of transactions instead of a duration"),
    one(TIME, Run, "ramp_up", "SPAN", Duration, "2s",
        "Length of the load before the measured phase; excluded from all figures"),
    rare(one(TIME, Run, "ramp_down", "SPAN", Duration, "0s",
        "Length of the load after the measured phase; excluded from all figures")),
    rare(one(TIME, Run, "interval", "SPAN", Duration, "1s",
        "Length of the intervals that are printed and recorded")),
    rare(one(TIME, Run, "drain", "SPAN", Duration, "30s",
        "Longest wait at the end for unfinished transactions")),
    rare(one(TIME, Run, "settle", "SPAN", Duration, "0s",
        "Longest wait after the load for deferred work of the server, such as purge, vacuum and write-back")),
    one(FAILURES, Run, "retry", "WORD", Choice(&["none", "same", "new"]), "none",
        "After a deadlock, serialization failure or lock timeout: give up (none), retry with the same input (same) or with a new one (new)"),
    rare(one(FAILURES, Run, "attempts", "N", count(1, 1_000), "3",
        "Maximum number of attempts of a transaction, unless retry is none")),
    rare(one(FAILURES, Run, "backoff", "SPAN", Duration, "1ms",
        "Wait before the second attempt; doubles with each further attempt")),
    rare(one(FAILURES, Run, "on_disconnect", "WORD", Choice(&["stop", "reconnect"]), "stop",
        "After a lost connection: end the session (stop), or connect again and measure the outage (reconnect)")),
    rare(one(FAILURES, Run, "reconnect_within", "SPAN", Duration, "5m",
        "Give up reconnecting after this time (runs without a duration only)")),
    rare(one(FAILURES, Run, "answer_timeout", "SPAN", Duration, "1m",
        "Longest wait for the server's counters, settings and other facts; transactions and checks have no limit")),
    rare(one(JUDGE, Run, "shared", "WORD", Choice(&["no", "yes"]), "no",
        "Other clients use the same data; do not compare our count with the server's counters")),
    many(one(JUDGE, Run, "threshold", "EXPR", Text, "",
        "Limit such as 'new_order.p95<50ms', 'errors<0.1%', 'nopm>100k'; fails without data; repeatable")),
    one(JUDGE, Run, "require", "WORD", Choice(&["valid", "steady"]), "valid",
        "Verdict that the run needs; with steady, UNSTABLE and TOO SHORT end with exit code 8"),
    one(JUDGE, Build, "check", "WHEN", Choice(&["before", "after", "both", "none"]), "",
        "When to check the consistency of the data [default: after a run; none after prepare]"),
    rare(one(JUDGE, Check, "check_sessions", "N", count(1, 1_024), "",
        "Number of sessions that check the data in parallel [default: one for each core of the client]")),
    rare(one(RECORD, Run, "session_times", "WORD", Choice(&["no", "yes"]), "no",
        "Also record the times of each virtual user separately")),
    many(one(RECORD, Run, "tag", "TEXT", Text, "",
        "Label of the run; repeatable")),
    rare(one(RECORD, Run, "note", "TEXT", Text, "",
        "Note that is kept with the run")),
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
