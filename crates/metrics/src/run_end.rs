//! The ways in which a run ends.

use schemars::JsonSchema;
use tacho_core::choice;

choice! {
    /// Why a run ended.
    #[derive(Default, JsonSchema)]
    pub enum RunEnd {
        /// Its time was over.
        #[default]
        Time = "time",
        /// Its number of transactions was reached.
        Count = "count",
        /// All sessions had done their work.
        Done = "done",
        /// The user stopped it.
        Interrupt = "interrupt",
        /// A signal stopped it.
        Terminate = "terminate",
        /// No session was left.
        SessionsLost = "sessions_lost",
    }
}
