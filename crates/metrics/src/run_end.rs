//! Reasons why a run ended.

use schemars::JsonSchema;
use tacho_core::choice;

choice! {
    /// The reason why a run ended.
    #[derive(Default, JsonSchema)]
    pub enum RunEnd {
        /// The planned time was over.
        #[default]
        Time = "time",
        /// The planned number of transactions was reached.
        Count = "count",
        /// All sessions had finished their work.
        Done = "done",
        /// The user stopped the run.
        Interrupt = "interrupt",
        /// A signal terminated the run.
        Terminate = "terminate",
        /// No session was left.
        SessionsLost = "sessions_lost",
    }
}
