//! The closed sets of words in a record.

use schemars::JsonSchema;
use tacho_core::choice;

choice! {
    /// Why the wait for deferred work ended.
    #[derive(Default, JsonSchema)]
    pub enum SettleEnd {
        /// The work was done.
        Done = "done",
        /// There was no progress.
        Stuck = "stuck",
        /// The time was over.
        #[default]
        Time = "time",
        /// The user stopped it.
        Interrupt = "interrupt",
    }
}

choice! {
    /// Outcome of a condition on the data.
    #[derive(Default, JsonSchema)]
    pub enum CheckVerdict {
        /// It holds.
        Holds = "holds",
        /// Rows violate it.
        Violated = "violated",
        /// It cannot hold with the parameters of the run.
        Excused = "excused",
        /// The query itself failed.
        #[default]
        Failed = "failed",
    }
}

choice! {
    /// Whether the client limited the figure.
    #[derive(Default, JsonSchema)]
    pub enum ClientLimited {
        /// It used all of its cores.
        Yes = "yes",
        /// It did not.
        No = "no",
        /// The client's processor time says nothing: embedded database, virtual time.
        #[default]
        NotApplicable = "not_applicable",
    }
}
