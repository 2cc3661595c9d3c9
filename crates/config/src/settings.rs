//! Every setting of a run, declared once. Flag, file key, environment variable, help, completions
//! and the settings page of the docs follow from this table.

use tacho_core::{Form, Parameter, ParameterKind};

use crate::load::{OnDisconnect, OnHostLoss, RetryInput, Spacing};
use crate::plan::{CheckWhen, Require, Verify};
use crate::value::{DURATION, Field, PACING, RATE, STEPS, STORAGE, TRANSACTIONS, field};

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

/// What the value of a setting can reach: it decides who may set it.
///
/// A value that starts a program or loads code is accepted from the command line and the environment, from a trusted
/// file, and from everywhere else only if the user allows its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Http {
    /// Neither a file nor a program.
    Safe,
    /// A program that is started, or code and SQL that is loaded from a folder.
    Program,
    /// A file or folder. A value of this kind is examined: a database file is data, a library is code.
    File,
}

impl Http {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Program => "program",
            Self::File => "file",
        }
    }
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
    /// Its place in the plan.
    pub field: Field,
    /// What its value can reach, which decides whether it may be set over HTTP.
    pub http: Http,
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

/// A setting of this group and scope; the words are the key and the word for the value in the help.
const fn one(
    (group, scope): (&'static str, Scope),
    [key, value_name]: [&'static str; 2],
    field: Field,
    kind: ParameterKind,
    default: &'static str,
    help: &'static str,
) -> Setting {
    let parameter = Parameter { key, kind, default, help };
    let (short, repeated, rare, http) = (None, false, false, Http::Safe);
    Setting { parameter, short, value_name, repeated, scope, group, rare, field, http }
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

const fn program(setting: Setting) -> Setting {
    Setting { http: Http::Program, ..setting }
}

const fn file(setting: Setting) -> Setting {
    Setting { http: Http::File, ..setting }
}

const DATA: &str = "What is measured";
const LOAD: &str = "Load";
const TIME: &str = "Time";
const FAILURES: &str = "Failures";
const JUDGE: &str = "Judgement";
const RECORD: &str = "Record and output";

use ParameterKind::{Amount, Choice, Count, Duration, Rate, Text};
use Scope::{Build, Check, Data, Run};

const fn count(min: u64, max: u64) -> ParameterKind {
    Count { min, max }
}

/// All settings, in the order of the help.
#[rustfmt::skip]
pub const SETTINGS: &[Setting] = &[
    file(short('t', one((DATA, Data), ["target", "NAME|URL"], field!(data.target), Text, "",
        "Database: a URL such as sqlite:bench.db or postgres://user@host/db, or a name from tacho.toml"))),
    program(rare(many(one((DATA, Data), ["pack", "FOLDER"], field!(data.packs), Text, "",
        "Folder of a database pack, whose name then begins targets, such as packs/tidb for tidb://user@host/db; repeatable")))),
    file(rare(one((DATA, Data), ["workload", "NAME"], field!(data.workload), Text, "",
        "Name of the workload, such as tprocc"))),
    short('s', one((DATA, Build), ["scale", "N"], field!(data.scale), Amount, "",
        "Size of the data in the unit of the workload, such as warehouses [default: as loaded, else 1]")),
    file(rare(many(one((DATA, Run), ["route", "KIND=TARGETS"], field!(data.routes), Text, "",
        "Targets of a kind of transaction, as KIND=NAME,NAME or KIND=POLICY:NAME,NAME; repeatable")))),
    rare(one((DATA, Data), ["sets", "N"], field!(data.sets), count(1, 1_000), "1",
        "Number of complete sets of tables of that scale; the sessions are spread evenly over them")),
    one((DATA, Build), ["profile", "NAME"], field!(data.profile), Text, "",
        "Preset of workload parameters, listed by `tacho describe` [default: as loaded]"),
    short('D', many(one((DATA, Build), ["set", "KEY=VALUE"], field!(data.set), Text, "",
        "Workload parameter, listed by `tacho describe`; repeatable"))),
    rare(many(one((DATA, Build), ["storage", "KEY=VALUE"], STORAGE, Text, "",
        "Storage option of the database for the tables, such as fillfactor=80; `tacho describe DRIVER` lists those of a driver; repeatable"))),
    one((DATA, Run), ["form", "FORM"], field!(data.form), Choice(Form::WORDS), "sql",
        "How transactions are sent: sql (one statement a round trip), pipelined (grouped), simple (text, not prepared), procedures (stored routines)"),
    one((DATA, Build), ["seed", "N"], field!(load.seed), count(0, u64::MAX), "42",
        "Seed of all data and inputs"),
    short('c', one((LOAD, Build), ["sessions", "N"], field!(load.sessions), count(1, 100_000), "1",
        "Number of virtual users (run) or of parallel loaders (prepare)")),
    rare(one((LOAD, Check), ["hosts", "N"], field!(load.hosts), count(1, 1_000), "1",
        "Load hosts that share the sessions, the load of the data or the checks: agents of tacho agent, found on the NATS server of --nats; if not given, this process is the only one")),
    rare(one((LOAD, Run), ["workers", "N"], field!(load.workers), count(1, 1024), "",
        "Threads of event-driven drivers [default: one for each core]")),
    short('r', one((LOAD, Run), ["rate", "N"], RATE, Rate, "",
        "Start this many transactions per second (open arrival), such as 500 or 5k; without it, each session starts the next when the last has ended (closed)")),
    file(rare(one((LOAD, Run), ["load", "EXPR"], STEPS, Text, "",
        "Change the load in steps: 'steps: 10x1m, 20x1m' (sessions), 'ramp: 100..900/s over 5m' (rate), 'wave: 20..200 period 2m for 10m' or 'file: rates.csv'"))),
    rare(one((LOAD, Run), ["spacing", "WORD"], field!(load.arrival.spacing), Choice(Spacing::WORDS), "poisson",
        "Distribution of the times between open arrivals")),
    rare(one((LOAD, Run), ["backlog", "N"], field!(load.arrival.backlog), count(1, 1_000_000_000), "1M",
        "Number of open arrivals that may wait; further ones are skipped and counted")),
    one((LOAD, Run), ["pacing", "none|spec|xF"], PACING, Text, "none",
        "Keying and think times: none, those of the specification (spec), or these times a factor (x0.5)"),
    rare(one((LOAD, Run), ["stagger", "SPAN"], field!(load.stagger), Duration, "0s",
        "Time between the logins of two virtual users during the load; 0s: all log in before the load")),
    short('d', one((TIME, Run), ["duration", "SPAN"], DURATION, Duration, "10s",
        "Length of the measured phase")),
    one((TIME, Run), ["transactions", "N"], TRANSACTIONS, count(1, 1_000_000_000_000), "",
        "Measure this number of transactions instead of a duration"),
    one((TIME, Run), ["ramp_up", "SPAN"], field!(load.ramp_up), Duration, "2s",
        "Length of the load before the measured phase; excluded from all figures"),
    rare(one((TIME, Run), ["ramp_down", "SPAN"], field!(load.ramp_down), Duration, "0s",
        "Length of the load after the measured phase; excluded from all figures")),
    rare(one((TIME, Run), ["interval", "SPAN"], field!(load.interval), Duration, "1s",
        "Length of the intervals that are printed and recorded")),
    rare(one((TIME, Run), ["drain", "SPAN"], field!(load.drain), Duration, "30s",
        "Longest wait at the end for unfinished transactions")),
    rare(one((TIME, Run), ["settle", "SPAN"], field!(judgement.settle), Duration, "0s",
        "Longest wait after the load for deferred work of the server, such as purge, vacuum and write-back")),
    one((FAILURES, Run), ["retry", "WORD"], field!(load.retry.input), Choice(RetryInput::WORDS), "none",
        "After a deadlock, serialization failure or lock timeout: give up (none), retry the same input (same) or a new one (new)"),
    rare(one((FAILURES, Run), ["attempts", "N"], field!(load.retry.attempts), count(1, 1_000), "3",
        "Maximum number of attempts of a transaction, unless retry is none")),
    rare(one((FAILURES, Run), ["backoff", "SPAN"], field!(load.retry.backoff), Duration, "1ms",
        "Wait before the second attempt; doubles with each further attempt")),
    rare(one((FAILURES, Run), ["on_disconnect", "WORD"], field!(load.on_disconnect), Choice(OnDisconnect::WORDS), "stop",
        "After a lost connection: end the session (stop), or connect again and measure the outage (reconnect)")),
    rare(one((FAILURES, Run), ["on_host_loss", "WORD"], field!(load.on_host_loss), Choice(OnHostLoss::WORDS), "invalid",
        "After the loss of a load host: the run is INVALID (invalid), VALID with a warning (mark), or another agent takes the share over, which is a warning too (take-over)")),
    rare(one((FAILURES, Run), ["reconnect_within", "SPAN"], field!(load.reconnect_within), Duration, "5m",
        "Give up reconnecting after this time (runs without a duration only)")),
    rare(many(one((FAILURES, Run), ["fault", "FAULT"], field!(judgement.faults), Text, "",
        "Fault of a private server at a moment of the load, as 'at=60s kill', 'at=60s kill for=5s', 'at=60s pause for=2s', 'at=60s restart', 'at=60s failover', 'at=60s cut for=3s', 'at=60s reset', 'at=60s delay by=20ms for=5s', 'at=60s fill for=5s' or 'at=60s slow iops=50 for=5s'; repeatable"))),
    program(rare(many(one((FAILURES, Run), ["fault_command", "COMMAND"], field!(judgement.fault_commands), Text, "",
        "Command that makes a fault at a moment of the load, as 'at=60s ./fail-over.sh'; runs in sh; repeatable")))),
    rare(one((FAILURES, Run), ["answer_timeout", "SPAN"], field!(load.answer_within), Duration, "1m",
        "Longest wait for the server's counters, settings and other facts; transactions and checks have no limit")),
    rare(one((JUDGE, Run), ["shared", "WORD"], field!(load.shared), Choice(&["no", "yes"]), "no",
        "Other clients use the same data; do not compare our count with the server's counters")),
    many(one((JUDGE, Run), ["threshold", "EXPR"], field!(judgement.thresholds), Text, "",
        "Limit such as 'new_order.p95<50ms', 'errors<0.1%', 'nopm>100k'; fails without data; repeatable")),
    one((JUDGE, Run), ["require", "WORD"], field!(judgement.require), Choice(Require::WORDS), "valid",
        "Verdict that the run needs; with steady, UNSTABLE and TOO SHORT end with exit code 8"),
    one((JUDGE, Build), ["check", "WHEN"], field!(judgement.check), Choice(CheckWhen::WORDS), "",
        "When to check the consistency of the data [default: after a run; none after prepare]"),
    rare(one((JUDGE, Run), ["verify", "WORD"], field!(judgement.verify), Choice(Verify::WORDS), "none",
        "With commits: mark each transaction that writes, and find every acknowledged commit in the database after outages and at the end")),
    rare(one((JUDGE, Check), ["check_sessions", "N"], field!(judgement.check_sessions), count(1, 1_024), "",
        "Number of sessions that check the data in parallel [default: one for each core of the client]")),
    rare(one((RECORD, Run), ["session_times", "WORD"], field!(load.session_times), Choice(&["no", "yes"]), "no",
        "Also record the times of each virtual user separately")),
    many(one((RECORD, Run), ["tag", "TEXT"], field!(tags), Text, "",
        "Label of the run; repeatable")),
    rare(one((RECORD, Run), ["note", "TEXT"], field!(note), Text, "",
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
