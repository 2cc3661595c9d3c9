//! All warnings and all reasons why a run is `INVALID`, each with a hint.
//!
//! `V` notices make a run `INVALID`, and `W` notices are warnings. A notice's number is never reused for another
//! notice.

use tacho_store::record::NoticeRecord;

/// Accepted difference from a requested rate, as a fraction of the rate.
pub(super) const RATE_TOLERANCE: f64 = 0.01;
/// Fraction of failures above which a run or a load step is `INVALID`.
pub(super) const FAILURES_MAX: f64 = 0.01;

/// The id, name, and hint for a step that did not follow the plan.
const STEP_INVALID: (&str, &str, &str) =
    ("V25", "step-invalid", "use only the VALID steps, or lower the load");

/// An entry in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    RateNotReached,
    TooManyFailures,
    NothingMeasured,
    SessionLost,
    CheckFailed,
    CommitsLost,
    AccountsWrong,
    Panicked,
    SettingsChanged,
    TablesChanged,
    ClockJumped,
    OthersWrote,
    ToolStopped,
    CommitsUnverified,
    TooFewSamples,
    NotSteady,
    MixOutside,
    ClientSaturated,
    ArrivalsSkipped,
    DataDrifted,
    RatioOff,
    RecordIncomplete,
    CounterUnreadable,
    SessionsAbandoned,
    StoppedEarly,
    LateScheduler,
    ServerUnwatched,
    WideInterval,
    ManyUnfinished,
    HiddenRollbacks,
    ServerAdvice,
    SettingsUnread,
    BacklogBefore,
    ToolDelayed,
    StepInvalid,
    HostLost,
    HostMissing,
    AddressLeftOut,
    ReplayIncomplete,
    ReplayDiffers,
    IsolationViolated,
    IsolationUnchecked,
    TerminalsCrowded,
    LogIncomplete,
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "detected by the store when it reads a record")
    )]
    RecordChanged,
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "issued by the store when it repairs a record")
    )]
    RecordRepaired,
}

impl Notice {
    /// Returns the id, name, and hint.
    #[expect(clippy::too_many_lines, reason = "a single list is easiest to read")]
    const fn entry(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::RateNotReached => {
                ("V01", "rate-not-reached", "lower --rate, or add virtual users with --sessions")
            }
            Self::TooManyFailures => (
                "V02",
                "too-many-failures",
                "see tacho show --errors; --retry same repeats failed transactions",
            ),
            Self::NothingMeasured => {
                ("V03", "nothing-measured", "measure longer, or see tacho show --errors")
            }
            Self::SessionLost => ("V04", "session-lost", "see the errors and the server log"),
            Self::CheckFailed => CHECK_FAILED,
            Self::CommitsLost => {
                ("V06", "commits-lost", "confirmed commits are missing: do not trust this database")
            }
            Self::AccountsWrong => {
                ("V07", "accounts-wrong", "this is a bug in Tacho: please report it")
            }
            Self::Panicked => {
                ("V08", "session-panicked", "this is a bug in Tacho: please report it")
            }
            Self::SettingsChanged => {
                ("V09", "settings-changed", "do not change server settings during a run")
            }
            Self::TablesChanged => TABLES_CHANGED,
            Self::ClockJumped => {
                ("V10", "clock-jumped", "the machine was suspended or its clock changed: run again")
            }
            Self::OthersWrote => OTHERS_WROTE,
            Self::ToolStopped => {
                ("V12", "tool-stopped", "run the client on a machine with no other load")
            }
            Self::CommitsUnverified => COMMITS_UNVERIFIED,
            Self::StepInvalid => STEP_INVALID,
            Self::HostLost => HOST_LOST,
            Self::HostMissing => HOST_MISSING,
            Self::AddressLeftOut => ADDRESS_LEFT_OUT,
            Self::ReplayIncomplete => REPLAY_INCOMPLETE,
            Self::ReplayDiffers => REPLAY_DIFFERS,
            Self::IsolationViolated => ISOLATION_VIOLATED,
            Self::IsolationUnchecked => ISOLATION_UNCHECKED,
            Self::TerminalsCrowded => TERMINALS_CROWDED,
            Self::LogIncomplete => LOG_INCOMPLETE,
            Self::RecordChanged => RECORD_CHANGED,
            Self::RecordRepaired => RECORD_REPAIRED,
            Self::TooFewSamples => ("W01", "too-few-samples", "measure longer with --duration"),
            Self::NotSteady => {
                ("W02", "not-steady", "use a longer --ramp-up and a longer --duration")
            }
            Self::MixOutside => {
                ("W03", "mix-outside", "the transactions did not match the mix: see the audit")
            }
            Self::ClientSaturated => (
                "W04",
                "client-saturated",
                "the client limits the throughput, not the server: add cores to the client",
            ),
            Self::ArrivalsSkipped => {
                ("W05", "arrivals-skipped", "lower --rate, or raise --backlog or --sessions")
            }
            Self::DataDrifted => {
                ("W06", "data-drifted", "rebuild the data with tacho clean and tacho prepare")
            }
            Self::RatioOff => (
                "W07",
                "ratio-off",
                "the server also counts other clients' transactions, or the mix differs from the expected one",
            ),
            Self::RecordIncomplete => {
                ("W08", "record-incomplete", "free disk space, or choose another --dir")
            }
            Self::CounterUnreadable => (
                "W09",
                "counter-unreadable",
                "the headline metric of the measured phase is based on the client's count: see the error",
            ),
            Self::SessionsAbandoned => {
                ("W10", "sessions-abandoned", "raise --drain, or find out why transactions hang")
            }
            Self::StoppedEarly => (
                "W11",
                "stopped-early",
                "the results cover the time until the run was stopped; use --duration for a shorter run",
            ),
            Self::LateScheduler => {
                ("W12", "late-scheduler", "use fewer virtual users, or more cores for the client")
            }
            Self::ServerUnwatched => {
                ("W13", "server-unwatched", "wait events and counters are missing: see the error")
            }
            Self::WideInterval => {
                ("W14", "wide-interval", "measure longer; tacho show --timeline shows disturbances")
            }
            Self::ManyUnfinished => (
                "W15",
                "many-unfinished",
                "measure longer, or use fewer virtual users: percentiles do not include unfinished transactions",
            ),
            Self::HiddenRollbacks => (
                "W16",
                "hidden-rollbacks",
                "some transactions counted as committed had no effect: routines hide errors, or other clients are using the database",
            ),
            Self::ServerAdvice => {
                ("W17", "server-advice", "change the setting, or report it with the result")
            }
            Self::SettingsUnread => (
                "W18",
                "settings-unread",
                "the server did not respond after the load: compare its version and settings with the record",
            ),
            Self::BacklogBefore => {
                ("W20", "backlog-before", "use a longer --ramp-up, or a lower --rate")
            }
            Self::ToolDelayed => {
                ("W21", "tool-delayed", "run the client on a machine with more CPU")
            }
        }
    }

    /// Returns the notice's id, such as `V01`.
    pub(super) const fn id(self) -> &'static str {
        self.entry().0
    }

    /// Returns the notice with a description of the finding.
    pub(crate) fn found(self, text: impl Into<String>) -> NoticeRecord {
        let (id, name, hint) = self.entry();
        NoticeRecord {
            id: id.into(),
            name: name.into(),
            invalidates: id.starts_with('V'),
            text: text.into(),
            hint: hint.into(),
        }
    }

    /// Returns the notice with a hint for this specific case.
    pub(crate) fn with_hint(self, text: impl Into<String>, hint: &str) -> NoticeRecord {
        NoticeRecord { hint: hint.into(), ..self.found(text) }
    }
}

/// The id, name, and hint for writes by another client.
const OTHERS_WROTE: (&str, &str, &str) = (
    "V11",
    "others-wrote",
    "make sure that no other client writes to the data, or use --shared yes",
);
const COMMITS_UNVERIFIED: (&str, &str, &str) = (
    "V13",
    "commits-unverified",
    "repeat the comparison when the server is responding again: tacho check WORKLOAD TARGET --commits RUN",
);
const CHECK_FAILED: (&str, &str, &str) = (
    "V05",
    "check-failed",
    "do not use the results, because the data is inconsistent: the fault lies in the database or, if the workload is your own, in its transactions or its check",
);

/// The id, name, and hint for a lost load host.
const HOST_LOST: (&str, &str, &str) = (
    "V26",
    "host-lost",
    "find out why the agent ended or did not respond, and run again; use --on-host-loss mark to accept the loss, or take-over to let another agent continue",
);
const HOST_MISSING: (&str, &str, &str) = (
    "W26",
    "host-missing",
    "the results do not include the lost host's work: mention this when reporting them",
);

const ADDRESS_LEFT_OUT: (&str, &str, &str) = (
    "W27",
    "address-left-out",
    "find out why the address failed: the other addresses on its routes handled its transactions in the meantime",
);

const TABLES_CHANGED: (&str, &str, &str) = (
    "V32",
    "tables-changed",
    "do not change columns, indexes, constraints, or triggers during a run; tacho prepare rebuilds the data",
);

/// The id, name, and hint for a replay that did far less than its log.
const REPLAY_INCOMPLETE: (&str, &str, &str) = (
    "V33",
    "replay-incomplete",
    "restore the data to its state at the start of the log, and write the log as described in the replay guide",
);
const REPLAY_DIFFERS: (&str, &str, &str) = (
    "W33",
    "replay-differs",
    "to see the statements that were left out or had other outcomes, use tacho show",
);

/// The id, name, and hint for anomalies that the sessions' isolation level excludes.
const ISOLATION_VIOLATED: (&str, &str, &str) = (
    "V34",
    "isolation-violated",
    "do not trust this database at this level: see all examples with tacho show, or check the history with another tool: tacho runs export FILE RUN --history",
);
const ISOLATION_UNCHECKED: (&str, &str, &str) = (
    "W34",
    "isolation-unchecked",
    "the check covers only a part of what the transactions saw: see the reason",
);

/// The id, name, and hint for more terminals than the standard allows on the data.
const TERMINALS_CROWDED: (&str, &str, &str) = (
    "W35",
    "terminals-crowded",
    "mention this when reporting the results, or use fewer --terminals or more data: its rows are used more often than the specification allows",
);

const LOG_INCOMPLETE: (&str, &str, &str) = (
    "W36",
    "log-incomplete",
    "free disk space, or reduce the log with --log-sample or --log-interval; the results are complete",
);

/// The id, name and hint of the notice about a modified record. The crate for the record store contains a copy of this
/// text, which must be equal.
const RECORD_CHANGED: (&str, &str, &str) = (
    "V19",
    "record-changed",
    "do not trust the run's folder: restore it from a copy, or run again",
);

const RECORD_REPAIRED: (&str, &str, &str) = (
    "V31",
    "record-repaired",
    "run again: only the intervals and histograms were recovered; errors, checks, warnings and other data are lost",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_says_it_in_the_same_words() {
        assert_eq!(Notice::RecordChanged.entry(), tacho_store::CHANGED);
        assert_eq!(Notice::RecordRepaired.entry(), tacho_store::REPAIRED);
    }
}
