//! Enumerated words in a record.

use schemars::JsonSchema;
use tacho_core::choice;

choice! {
    /// The reason why waiting for deferred work ended.
    #[derive(Default, JsonSchema)]
    pub enum SettleEnd {
        /// The work was completed.
        Done = "done",
        /// The work made no progress.
        Stuck = "stuck",
        /// The time limit was reached.
        #[default]
        Time = "time",
        /// The user interrupted the wait.
        Interrupt = "interrupt",
    }
}

choice! {
    /// The outcome of a consistency check.
    #[derive(Default, JsonSchema)]
    pub enum CheckVerdict {
        /// The condition holds.
        Holds = "holds",
        /// Some rows violate the condition.
        Violated = "violated",
        /// The condition cannot hold with the run's parameters, so it does not count.
        Excused = "excused",
        /// The check's query failed.
        #[default]
        Failed = "failed",
    }
}

choice! {
    /// Indicates whether the client limited the throughput.
    #[derive(Default, JsonSchema)]
    pub enum ClientLimited {
        /// The client used all of its cores.
        Yes = "yes",
        /// The client did not use all of its cores.
        No = "no",
        /// The client's CPU time is meaningless, because the database is embedded or the run used virtual time.
        #[default]
        NotApplicable = "not_applicable",
    }
}
