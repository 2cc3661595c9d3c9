//! Tables of all run settings, and of all command options that a form or a request can set. The flags, file keys, help,
//! forms, plans and the reference page are all derived from these tables.

use schemars::JsonSchema;
use serde::Serialize;
use tacho_core::{Form, Parameter, ParameterKind, Result, choice};

use crate::Plan;
use crate::load::{OnDisconnect, OnHostLoss, RetryInput, Spacing};
use crate::plan::{CheckWhen, Require, Verify};
use crate::sweep::{Design, OnFailure, Order};
use crate::value::{DURATION, Field, PACING, RATE, STEPS, STORAGE, TRANSACTIONS, field};

choice! {
    /// A command that has settings. Requests over HTTP must not be able to run `generate`, because it can write files
    /// to any folder.
    #[derive(JsonSchema)]
    pub enum Command {
        /// Measures a workload once.
        Run = "run",
        /// Measures a workload at several points.
        Sweep = "sweep",
        /// Loads the data.
        Prepare = "prepare",
        /// Checks the data.
        Check = "check",
        /// Removes the data.
        Clean = "clean",
        /// Checks the machine, the client, and the database.
        Doctor = "doctor",
        /// Writes the data to files.
        #[serde(skip)]
        Generate = "generate",
    }
}

impl Command {
    /// Returns the command's settings in the order in which the help lists them.
    pub fn settings(self) -> impl Iterator<Item = &'static Setting> {
        SETTINGS.iter().filter(move |setting| setting.commands.contains(&self))
    }

    /// Returns the command's additional options in the order of the help.
    pub fn options(self) -> impl Iterator<Item = &'static Setting> {
        OPTIONS.iter().filter(move |option| option.commands.contains(&self))
    }
}

/// The kind of resource that a setting's value gives access to. It determines who may set the value over HTTP.
///
/// A value that starts a program or loads code requires the user's permission, unless it comes from the command line,
/// the environment or a trusted file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Http {
    /// Neither a file nor a program.
    Safe,
    /// A program to start, or a folder from which code and SQL are loaded.
    Program,
    /// A file or folder. Whether it needs permission depends on the value, because a database file contains only data,
    /// but a library contains code.
    File,
}

/// A run setting or a command option.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The setting's key, its kind of value and limits, its default, and its help text.
    pub parameter: Parameter,
    /// The letter of the short flag.
    pub short: Option<char>,
    /// The placeholder for the value in the help text.
    pub value_name: &'static str,
    /// True if the setting can be specified more than once. Its values are then combined.
    pub repeated: bool,
    /// The commands to which this setting applies.
    pub commands: &'static [Command],
    /// The heading under which the help and forms show a run setting. Empty for a command option.
    pub group: &'static str,
    /// True if only the full help lists the setting.
    pub rare: bool,
    /// The kind of resource that the value gives access to, which determines if it may be set over HTTP.
    pub http: Http,
    /// True if runs with different values of this setting are not directly comparable.
    pub is_condition: bool,
    /// The setting's field in the plan, or `None` for an option.
    field: Option<Field>,
}

impl Setting {
    /// Returns the long flag without its dashes.
    pub fn flag(&self) -> String {
        self.parameter.key.replace('_', "-")
    }

    /// Returns the name of the environment variable.
    pub fn variable(&self) -> String {
        format!("TACHO_{}", self.parameter.key.to_uppercase())
    }

    /// Returns the label in a form.
    pub fn label(&self) -> String {
        let words = self.flag().replace('-', " ");
        words[..1].to_uppercase() + &words[1..]
    }

    /// Returns the key under which the value is stored in a record's plan.
    pub fn recorded_as(&self) -> String {
        let key = self.parameter.key;
        match (key, self.parameter.kind) {
            ("load", _) => "steps".into(),
            ("set" | "storage", _) => "set".into(),
            (_, Duration) => format!("{key}_s"),
            (_, Rate) => format!("{key}_per_s"),
            _ if self.repeated => format!("{key}s"),
            _ => key.into(),
        }
    }

    /// Returns true if the setting determines what is measured, rather than how it is measured.
    pub fn is_about_data(&self) -> bool {
        self.group == DATA
    }

    /// Stores the values in the plan. The caller must have validated them.
    pub(crate) fn read(&self, plan: &mut Plan, values: &[String]) -> Result<()> {
        let read = self.field.map_or(Ok(()), |field| (field.read)(plan, values));
        read.map_err(|error| error.of_setting(self.parameter.key))
    }

    /// Returns the plan's value as strings, or an empty list if there is none.
    pub fn show(&self, plan: &Plan) -> Vec<String> {
        self.field.map_or_else(Vec::new, |field| (field.show)(plan))
    }
}

/// A setting as shown to forms and programs.
#[derive(Serialize, JsonSchema)]
pub struct SettingView {
    /// The key in `tacho.toml` and in requests.
    pub key: &'static str,
    /// The label in a form.
    pub label: String,
    /// The heading under which a form shows the setting, or empty for a command option.
    pub group: &'static str,
    /// The commands to which this setting applies.
    pub commands: Vec<&'static str>,
    /// The kind of value: `count`, `duration`, `rate`, `amount`, `choice`, `switch`, `factor`, or `text`.
    pub kind: &'static str,
    /// The allowed values, in words.
    pub limits: String,
    /// The list of allowed words, if there is one.
    pub allowed: Option<&'static [&'static str]>,
    /// The default value, or empty if there is none.
    pub default: &'static str,
    /// The placeholder for the value.
    pub value: &'static str,
    /// The help text, in one line.
    pub help: &'static str,
    /// True if the setting can have several values.
    pub repeated: bool,
    /// True if only a few users need the setting.
    pub rare: bool,
    /// The kind of resource that the value gives access to. A `program` and some files require the user's permission.
    pub http: Http,
    /// The key under which the value is stored in a record's plan.
    pub recorded_as: String,
}

impl From<&Setting> for SettingView {
    fn from(setting: &Setting) -> Self {
        let Parameter { key, kind, default, help } = setting.parameter;
        let allowed = match kind {
            Choice(words) => Some(words),
            _ => None,
        };
        Self {
            key,
            label: setting.label(),
            group: setting.group,
            commands: setting.commands.iter().map(|command| command.word()).collect(),
            kind: kind.name(),
            limits: kind.words(),
            allowed,
            default,
            value: setting.value_name,
            help,
            repeated: setting.repeated,
            rare: setting.rare,
            http: setting.http,
            recorded_as: setting.recorded_as(),
        }
    }
}

const fn one(
    (group, commands): (&'static str, &'static [Command]),
    [key, value_name]: [&'static str; 2],
    field: Field,
    kind: ParameterKind,
    default: &'static str,
    help: &'static str,
) -> Setting {
    let field = Some(field);
    Setting { group, field, ..option(commands, [key, value_name], kind, default, help) }
}

/// Returns an option for these commands.
const fn option(
    commands: &'static [Command],
    [key, value_name]: [&'static str; 2],
    kind: ParameterKind,
    default: &'static str,
    help: &'static str,
) -> Setting {
    Setting {
        parameter: Parameter { key, kind, default, help },
        short: None,
        value_name,
        repeated: false,
        commands,
        group: "",
        rare: false,
        http: Http::Safe,
        is_condition: true,
        field: None,
    }
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

/// Marks a setting that does not affect whether runs are comparable, such as a run's name or output.
const fn no_condition(setting: Setting) -> Setting {
    Setting { is_condition: false, ..setting }
}

const DATA: &str = "What is measured";
const LOAD: &str = "Load";
const TIME: &str = "Time";
const FAILURES: &str = "Failures";
const JUDGE: &str = "Judgement";
const RECORD: &str = "Record and output";

use Command::{Check, Clean, Doctor, Generate, Prepare, Run, Sweep};
use ParameterKind::{Amount, Choice, Count, Duration, Factor, Rate, Switch, Text};

/// All commands.
const ALL: &[Command] = &[Run, Sweep, Prepare, Check, Clean, Doctor, Generate];
/// Commands that work with data.
const OF_DATA: &[Command] = &[Run, Sweep, Prepare, Check, Clean, Generate];
/// Commands whose work can be distributed over several hosts.
const OF_HOSTS: &[Command] = &[Run, Sweep, Prepare, Check];
/// Commands that create rows or run transactions on them.
const OF_ROWS: &[Command] = &[Run, Sweep, Prepare, Generate];
/// Commands that measure.
const OF_LOAD: &[Command] = &[Run, Sweep];

const fn count(min: u64, max: u64) -> ParameterKind {
    Count { min, max }
}

/// All settings, in the order in which the help lists them.
#[rustfmt::skip]
pub const SETTINGS: &[Setting] = &[
    no_condition(file(short('t', one((DATA, ALL), ["target", "NAME|URL"], field!(data.target), Text, "",
        "Database: a URL such as sqlite:bench.db or postgres://user@host/db, or a name from tacho.toml")))),
    program(rare(many(one((DATA, ALL), ["pack", "FOLDER"], field!(data.packs), Text, "",
        "Folder of a database pack, such as packs/tidb; the pack's name becomes a target scheme, as in tidb://user@host/db; repeatable")))),
    file(rare(one((DATA, OF_DATA), ["workload", "NAME"], field!(data.workload), Text, "",
        "Workload name, such as tprocc"))),
    short('s', one((DATA, OF_ROWS), ["scale", "N"], field!(data.scale), Amount, "",
        "Size of the data in the workload's unit, such as warehouses [default: as loaded, otherwise 1]")),
    file(rare(many(one((DATA, OF_LOAD), ["route", "KIND=TARGETS"], field!(data.routes), Text, "",
        "Targets for a transaction type, as KIND=NAME,NAME or KIND=POLICY:NAME,NAME; repeatable")))),
    rare(one((DATA, OF_DATA), ["sets", "N"], field!(data.sets), count(1, 1_000), "1",
        "Number of complete table sets at this scale; sessions are distributed evenly over them")),
    one((DATA, OF_ROWS), ["profile", "NAME"], field!(data.profile), Text, "",
        "Preset of workload parameters, listed by `tacho describe` [default: as loaded]"),
    no_condition(short('D', many(one((DATA, OF_ROWS), ["set", "KEY=VALUE"], field!(data.set), Text, "",
        "Workload parameter, listed by `tacho describe`; repeatable")))),
    no_condition(rare(many(one((DATA, OF_ROWS), ["storage", "KEY=VALUE"], STORAGE, Text, "",
        "Storage option for the tables, such as fillfactor=80; `tacho describe DRIVER` lists a driver's options; repeatable")))),
    one((DATA, OF_LOAD), ["form", "FORM"], field!(data.form), Choice(Form::WORDS), "sql",
        "How transactions are sent: sql (one statement per round trip), pipelined (grouped), simple (text, not prepared), or procedures (stored routines)"),
    one((DATA, OF_ROWS), ["seed", "N"], field!(load.seed), count(0, u64::MAX), "42",
        "Seed of all data and inputs"),
    short('c', one((LOAD, &[Run, Sweep, Prepare, Doctor, Generate]), ["sessions", "N"], field!(load.sessions), count(1, 100_000), "1",
        "Number of virtual users (run) or parallel loaders (prepare)")),
    rare(one((LOAD, OF_LOAD), ["terminals", "N"], field!(load.terminals), count(1, 10_000_000), "",
        "Number of terminals (simulated users with keying and think times) that share the sessions; requires --pacing; the steps of --load are then numbers of terminals")),
    rare(one((LOAD, OF_HOSTS), ["hosts", "N"], field!(load.hosts), count(1, 1_000), "1",
        "Number of load hosts that share the sessions, the data load, or the checks; their agents (tacho agent) are found through the NATS server specified with --nats; without this option, only this process is used")),
    rare(one((LOAD, OF_LOAD), ["workers", "N"], field!(load.workers), count(1, 1024), "",
        "Number of threads for event-driven drivers [default: one per core]")),
    short('r', one((LOAD, OF_LOAD), ["rate", "N"], RATE, Rate, "",
        "Number of transactions to start per second (open arrivals), such as 500 or 5k; without it, each session starts its next transaction when the previous one has ended (closed arrivals)")),
    file(rare(one((LOAD, OF_LOAD), ["load", "EXPR"], STEPS, Text, "",
        "Change the load in steps: 'steps: 10x1m, 20x1m' (sessions), 'ramp: 100..900/s over 5m' (rate), 'wave: 20..200 period 2m for 10m', or 'file: rates.csv'"))),
    rare(one((LOAD, OF_LOAD), ["reconnect", "WORD"], field!(load.reconnect), Choice(&["no", "yes"]), "no",
        "Open a new connection for each transaction; the time to connect is reported separately")),
    rare(one((LOAD, OF_LOAD), ["spacing", "WORD"], field!(load.arrival.spacing), Choice(Spacing::WORDS), "poisson",
        "Distribution of the times between open arrivals")),
    rare(one((LOAD, OF_LOAD), ["backlog", "N"], field!(load.arrival.backlog), count(1, 1_000_000_000), "1M",
        "Maximum number of open arrivals that wait for a free session; further arrivals are skipped and counted")),
    rare(one((LOAD, OF_LOAD), ["latency_limit", "SPAN"], field!(load.latency_limit), Duration, "0s",
        "Count transactions whose latency exceeds this limit as late, and skip open arrivals that are already late; 0s sets no limit")),
    one((LOAD, OF_LOAD), ["pacing", "none|spec|xF"], PACING, Text, "none",
        "Keying and think times: none, as specified (spec), or multiplied by a factor (x0.5)"),
    rare(one((LOAD, OF_LOAD), ["stagger", "SPAN"], field!(load.stagger), Duration, "0s",
        "Time between successive virtual user logins during the load; with 0s, all virtual users log in before the load")),
    short('d', one((TIME, OF_LOAD), ["duration", "SPAN"], DURATION, Duration, "10s",
        "Duration of the measured phase")),
    one((TIME, OF_LOAD), ["transactions", "N"], TRANSACTIONS, count(1, 1_000_000_000_000), "",
        "Measure this number of transactions instead of a duration"),
    one((TIME, OF_LOAD), ["ramp_up", "SPAN"], field!(load.ramp_up), Duration, "2s",
        "Time that the load runs before the measured phase; excluded from all results"),
    rare(one((TIME, OF_LOAD), ["ramp_down", "SPAN"], field!(load.ramp_down), Duration, "0s",
        "Time that the load continues after the measured phase; excluded from all results")),
    no_condition(rare(one((TIME, OF_LOAD), ["interval", "SPAN"], field!(load.interval), Duration, "1s",
        "Length of the intervals that are printed and recorded"))),
    no_condition(rare(one((TIME, OF_LOAD), ["drain", "SPAN"], field!(load.drain), Duration, "30s",
        "Maximum time to wait for unfinished transactions at the end"))),
    no_condition(rare(one((TIME, OF_LOAD), ["settle", "SPAN"], field!(judgement.settle), Duration, "0s",
        "Maximum time to wait after the load for the server's deferred work, such as purge, vacuum, and write-back"))),
    one((FAILURES, OF_LOAD), ["retry", "WORD"], field!(load.retry.input), Choice(RetryInput::WORDS), "none",
        "After a deadlock, serialization failure, or lock timeout: give up (none), or retry with the same input (same) or a new one (new)"),
    rare(one((FAILURES, OF_LOAD), ["attempts", "N"], field!(load.retry.attempts), count(1, 1_000), "3",
        "Maximum number of attempts per transaction, unless retry is none")),
    rare(one((FAILURES, OF_LOAD), ["backoff", "SPAN"], field!(load.retry.backoff), Duration, "1ms",
        "Time to wait before the second attempt; it doubles with each further attempt")),
    rare(one((FAILURES, OF_LOAD), ["on_disconnect", "WORD"], field!(load.on_disconnect), Choice(OnDisconnect::WORDS), "stop",
        "After a lost connection: end the session (stop), or reconnect and measure the outage (reconnect)")),
    rare(one((FAILURES, OF_LOAD), ["on_host_loss", "WORD"], field!(load.on_host_loss), Choice(OnHostLoss::WORDS), "invalid",
        "After losing a load host: make the run INVALID (invalid), keep it VALID with a warning (mark), or let another agent take over the host's share, also with a warning (take-over)")),
    rare(one((FAILURES, OF_LOAD), ["reconnect_within", "SPAN"], field!(load.reconnect_within), Duration, "5m",
        "Give up reconnecting after this time (only for runs without a duration)")),
    rare(many(one((FAILURES, OF_LOAD), ["fault", "FAULT"], field!(judgement.faults), Text, "",
        "Fault to inject at a given time of the load, into a private server unless it is a checkpoint, such as 'at=60s kill', 'at=60s kill for=5s', 'at=60s pause for=2s', 'at=60s restart', 'at=60s failover', 'at=60s cut for=3s', 'at=60s reset', 'at=60s delay by=20ms for=5s', 'at=60s fill for=5s', 'at=60s slow iops=50 for=5s' or 'at=60s checkpoint'; repeatable"))),
    program(rare(many(one((FAILURES, OF_LOAD), ["fault_command", "COMMAND"], field!(judgement.fault_commands), Text, "",
        "Command that injects a fault at a given time during the load, such as 'at=60s ./fail-over.sh'; run by sh; repeatable")))),
    no_condition(rare(one((FAILURES, OF_LOAD), ["answer_timeout", "SPAN"], field!(load.answer_within), Duration, "1m",
        "Maximum time to wait for the server's counters, settings, and other information; transactions and checks have no limit"))),
    rare(one((JUDGE, OF_LOAD), ["shared", "WORD"], field!(load.shared), Choice(&["no", "yes"]), "no",
        "Whether other clients use the same data; if so, the client's counts are not compared with the server's counters")),
    no_condition(many(one((JUDGE, OF_LOAD), ["threshold", "EXPR"], field!(judgement.thresholds), Text, "",
        "Limit on a metric, such as 'new_order.p95<50ms', 'errors<0.1%', or 'nopm>100k'; not met if there is no data; repeatable"))),
    no_condition(one((JUDGE, OF_LOAD), ["require", "WORD"], field!(judgement.require), Choice(Require::WORDS), "valid",
        "Required verdict; if it is steady, the verdicts UNSTABLE and TOO SHORT result in exit code 8")),
    no_condition(one((JUDGE, OF_ROWS), ["check", "WHEN"], field!(judgement.check), Choice(CheckWhen::WORDS), "",
        "When to check the consistency of the data [default: after a run; none after prepare]")),
    rare(one((JUDGE, OF_LOAD), ["verify", "WORD"], field!(judgement.verify), Choice(Verify::WORDS), "none",
        "With the value commits, mark each transaction that writes data, and search the database for every acknowledged commit after outages and at the end")),
    no_condition(rare(one((JUDGE, OF_HOSTS), ["check_sessions", "N"], field!(judgement.check_sessions), count(1, 1_024), "",
        "Number of sessions that check the data in parallel [default: one per client core]"))),
    rare(one((RECORD, OF_LOAD), ["session_times", "WORD"], field!(load.session_times), Choice(&["no", "yes"]), "no",
        "Also record times separately for each virtual user")),
    rare(one((RECORD, OF_LOAD), ["statement_times", "WORD"], field!(load.statement_times), Choice(&["no", "yes"]), "no",
        "Also record the latency of each statement")),
    no_condition(program(rare(one((RECORD, &[Run]), ["log", "FILE"], field!(log.file), Text, "",
        "Write a log of the measured transactions to this file, with one line for each, in the format of pgbench -l")))),
    no_condition(rare(one((RECORD, &[Run]), ["log_interval", "SPAN"], field!(log.interval), Duration, "0s",
        "Write one line for each interval of this length to the log, in the format of pgbench --aggregate-interval; 0s writes a line for each transaction"))),
    no_condition(rare(one((RECORD, &[Run]), ["log_sample", "FRACTION"], field!(log.sample), Factor { min: 0.000_001, max: 1.0 }, "1",
        "Fraction of the transactions to log, such as 0.01"))),
    no_condition(many(one((RECORD, OF_LOAD), ["tag", "TEXT"], field!(tags), Text, "",
        "Label of the run; repeatable"))),
    no_condition(rare(one((RECORD, OF_LOAD), ["note", "TEXT"], field!(note), Text, "",
        "Note saved with the run"))),
];

/// The options of individual commands that are not run settings.
#[rustfmt::skip]
pub const OPTIONS: &[Setting] = &[
    rare(option(&[Run], ["from", "RUN"], Text, "",
        "Repeat a saved run with its plan, changed by any other flags; tacho.toml and the environment are ignored, except for named targets")),
    many(option(&[Sweep], ["vary", "KEY=A,B,C"], Text, "",
        "Setting, workload parameter, target.OPTION, or server.SETTING to vary, with its values; repeatable for a grid")),
    option(&[Sweep], ["repeat", "N"], count(1, 1_000), "",
        "Runs per combination; with 2 or more, confidence intervals are based on the variation between runs"),
    option(&[Sweep], ["order", "WORD"], Choice(Order::WORDS), "turns",
        "Order of repeated runs: turns (alternating), grouped (value by value), or random"),
    option(&[Sweep], ["design", "WORD"], Choice(Design::WORDS), "grid",
        "Combinations to measure with several --vary options: grid (all), one-at-a-time (each differs from the first in one setting), or half"),
    option(&[Sweep], ["calibrate", ""], Switch, "",
        "Before the sweep, compare the first combination with itself to measure how much identical runs vary"),
    option(&[Sweep], ["detect", "CHANGE"], Text, "",
        "Smallest change that should be detectable, such as 3%; calibrates the sweep, and reports whether more runs are needed"),
    option(&[Sweep], ["stop_past_peak", ""], Switch, "",
        "Skip the remaining values after two points with less than 95 % of the highest throughput"),
    option(&[Sweep], ["on_failure", "WORD"], Choice(OnFailure::WORDS), "go-on",
        "After a run that fails or is INVALID: continue with the next one (go-on), or stop (stop)"),
    option(&[Sweep], ["find_max", "LIMIT"], Text, "",
        "Find the highest rate that meets this threshold, such as 'new_order.p99<50ms'; with --vary, for each combination of values"),
    option(&[Sweep], ["resume", "SWEEP"], Text, "",
        "Resume an interrupted sweep, specified by its id or as latest"),
    short('y', option(&[Clean], ["yes", ""], Switch, "", "Do not ask")),
];

/// Returns the setting that has this key.
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

    /// `from`, `vary` and `resume` lead to other settings, which are examined when they are used.
    #[test]
    fn every_free_text_has_been_examined() {
        let is_safe =
            |setting: &&Setting| setting.parameter.kind == Text && setting.http == Http::Safe;
        let keys: Vec<&str> = SETTINGS
            .iter()
            .chain(OPTIONS)
            .filter(is_safe)
            .map(|setting| setting.parameter.key)
            .collect();
        let expected = [
            "profile",
            "set",
            "storage",
            "pacing",
            "fault",
            "threshold",
            "tag",
            "note",
            "from",
            "vary",
            "detect",
            "find_max",
            "resume",
        ];
        assert_eq!(keys, expected, "a value that names a file or a program is marked as such");
    }
}
